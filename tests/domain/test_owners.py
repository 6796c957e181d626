"""CODEOWNERS as GitHub reads it."""

from __future__ import annotations

import pytest

from reciplint.domain.owners import LARGEST, read_owners, signers


def owners(text: str, path: str) -> tuple[str, ...]:
    return read_owners(text.encode()).owners_of(path)


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*", "a", True),
        ("*", "a/b/c.py", True),
        ("*.js", "a/b.js", True),
        ("*.js", "b.jsx", False),
        ("/build/logs/", "build/logs/x/y", True),
        ("/build/logs/", "deep/build/logs/x", False),
        ("build/logs/", "deep/build/logs/x", False),  # a slash in the middle ties a pattern to the top
        ("docs/*", "docs/a.md", True),
        ("docs/*", "docs/deep/a.md", False),
        ("docs/*", "deep/docs/a.md", False),
        ("apps/", "deep/apps/a", True),
        ("apps/", "apps", False),  # a file of that name is no folder
        ("/apps", "apps/deep/a", True),
        ("/apps", "deep/apps/a", False),
        ("apps", "deep/apps/a", True),
        ("**/logs", "a/b/logs/c", True),
        ("**/logs", "logs", True),
        ("a/**/z", "a/z", True),
        ("a/**/z", "a/b/c/z", True),
        ("a/**", "a/b/c", True),
        ("a/**", "a", False),
        ("**", "a/b", True),
        ("/*", "a", True),
        ("/*", "a/b", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("a*c/d", "abbc/d/e", True),
        ("with\\ blank/", "with blank/x", True),
        ("a.b", "aXb", False),
        ("Docs/", "docs/a", False),  # case counts
    ],
)
def test_patterns(pattern: str, path: str, matches: bool) -> None:
    assert owners(f"{pattern} @a\n", path) == (("@a",) if matches else ())


def test_the_last_match_decides() -> None:
    text = "* @everyone\n*.py @python\n/tools/ @tools @org/team\n"
    assert owners(text, "a.md") == ("@everyone",)
    assert owners(text, "a.py") == ("@python",)
    assert owners(text, "tools/a.py") == ("@tools", "@org/team")


def test_a_line_without_owners_leaves_its_files_with_none() -> None:
    found = read_owners(b"/apps/ @a\n/apps/free\n")
    assert found.owners_of("apps/free/x") == ()
    line = found.line_of("apps/free/x")
    assert line is not None
    assert line.line == 2
    assert found.line_of("other") is None


def test_comments_and_blank_lines() -> None:
    text = "\ufeff# * @nobody\n\n  # more\n*.py @a @a # not @b\r\n"
    assert owners(text, "x.py") == ("@a",)
    assert [line.line for line in read_owners(text.encode()).lines] == [4]


def test_owners_may_be_users_teams_and_addresses() -> None:
    assert owners("* @user-1 @org/team.x_y who@example.com\n", "a") == ("@user-1", "@org/team.x_y", "who@example.com")


@pytest.mark.parametrize("line", ["!*.py @b", "\\#x @b", "[a-z].py @b", "*.py b", "*.py @b/", "a/***/b @b", "/ @b"])
def test_what_github_cannot_use_is_skipped(line: str) -> None:
    found = read_owners(f"* @a\n{line}\n".encode())
    assert found.owners_of("x.py") == ("@a",)
    assert found.skipped == (2,)


def test_a_file_over_the_limit_counts_for_nothing() -> None:
    assert read_owners(b"* @a\n" + b"#" * LARGEST).lines == ()


def test_bytes_that_are_no_text_harm_nothing() -> None:
    assert read_owners(b"\xff\xfe @a\n* @b\n").owners_of("x") == ("@b",)


def test_signers() -> None:
    found = read_owners(b"* @core\nconfigs/ @core @amd\nfree/\n")
    told = signers(found, ["configs/a", "b", "free/c", "configs/d", "b"])
    assert told.files == {"@core": ("b", "configs/a", "configs/d"), "@amd": ("configs/a", "configs/d")}
    assert told.alone == ("@core",)
    assert told.owned == ("b", "configs/a", "configs/d")
    assert told.unowned == ("free/c",)


def test_nobody_may_sign_alone_for_files_of_two() -> None:
    told = signers(read_owners(b"a @x\nb @y\n"), ["a", "b"])
    assert told.alone == ()
    assert list(told.files) == ["@x", "@y"]


def test_without_owned_files_nobody_has_to_sign() -> None:
    told = signers(read_owners(b""), ["a"])
    assert (told.files, told.alone, told.owned, told.unowned) == ({}, (), (), ("a",))
