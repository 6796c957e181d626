"""The diff map: what git and the files endpoint say about the lines of the head."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from reciplint.bot.diffmap import DiffMap, Hunk, from_git, from_patches
from reciplint.repo.git import Git
from support import commit, git, git_repo

LONG = "".join(f"line {number}\n" for number in range(1, 41))


def diff_of(directory: Path, before: dict[str, str | bytes], after: dict[str, str | bytes]) -> DiffMap:
    top = git_repo(directory / "top", before)
    base = git(top, "rev-parse", "HEAD")
    for path in before.keys() - after.keys():
        (top / path).unlink()
    head = commit(top, after)
    found = Git.find(top)
    assert found is not None
    return from_git(found.diff_text(base, head))


def test_hunks_hold_context_and_added_lines(tmp_path: Path) -> None:
    diff = diff_of(tmp_path, {"a.yaml": LONG}, {"a.yaml": LONG.replace("line 20\n", "twenty\nand more\n")})
    (hunk,) = diff.hunks["a.yaml"]
    assert (hunk.start, hunk.end) == (17, 24)
    assert hunk.lines[3:5] == ("twenty", "and more")
    assert diff.hunk_at("a.yaml", 16) is diff.hunk_at("a.yaml", 25) is None
    assert diff.line_within("a.yaml", 1, 18) == 17
    assert diff.line_within("a.yaml", 1, 16) is None


def test_names_of_every_kind(tmp_path: Path) -> None:
    odd = 'größe "q" \\ t\tb.yaml'
    before: dict[str, str | bytes] = {"a b.yaml": LONG, "old.yaml": LONG, "gone.yaml": "x\n", "bin": b"\0a"}
    after: dict[str, str | bytes] = {"a b.yaml": LONG + "end\n", "moved.yaml": LONG, odd: "new\n", "bin": b"\0b"}
    diff = diff_of(tmp_path, before, after)
    assert set(diff.hunks) == {"a b.yaml", odd}
    assert {"old.yaml", "moved.yaml", "gone.yaml", "bin"} <= diff.paths
    assert diff.hunks[odd] == (Hunk(1, ("new",)),)


def test_a_line_may_look_like_a_header(tmp_path: Path) -> None:
    text = "-- a/x\n++ b/y\n@@ -1 +1 @@\ndiff --git a/z b/z\n"
    diff = diff_of(tmp_path, {"a.yaml": text}, {"a.yaml": text.upper() + "no break"})
    assert diff.paths == {"a.yaml"}
    assert diff.hunks["a.yaml"][0].lines[-1] == "no break"


def test_the_user_s_settings_of_git_change_nothing(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", {"a.yaml": LONG})
    for name, value in (
        ("diff.noprefix", "true"),
        ("diff.context", "0"),
        ("color.ui", "always"),
        ("diff.external", "x"),
    ):
        git(top, "config", name, value)
    base = git(top, "rev-parse", "HEAD")
    head = commit(top, {"a.yaml": LONG.replace("line 20\n", "")})
    found = Git.find(top)
    assert found is not None
    assert from_git(found.diff_text(base, head)).hunks["a.yaml"][0].start == 17


lines = st.lists(st.sampled_from(["a", "b", "+c", "-d", "@@ -1 +1 @@", "", " e"]), max_size=12)


@given(lines, lines)
def test_patches_of_the_files_endpoint_show_lines_of_the_head(before: list[str], after: list[str]) -> None:
    import difflib

    patch = "\n".join(difflib.unified_diff(before, after, lineterm="", n=3)).split("\n", 2)[-1]
    diff = from_patches([("a", "", patch)])
    assert diff.touches("a")
    for hunk in diff.hunks.get("a", ()):
        assert hunk.lines == tuple(after[hunk.start - 1 : hunk.end])
