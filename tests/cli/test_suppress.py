"""`reciplint fix --suppress`: the comment that silences a finding, where it goes, and where it cannot go."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import CHANGELOG, MASTER, RUNNERS, Ran, changed, git_repo, project, reciplint, runners, write

OCTAL = "ambiguous-scalar"
WHY = "read by PyYAML alone"
MARK = f"# reciplint: ignore[{OCTAL}] -- {WHY}"
NOTHING = Ran(0, "", "reciplint: silenced 0 findings in 0 files")


def suppress(top: Path, *arguments: str, rule: str = OCTAL, reason: str = WHY) -> Ran:
    return reciplint(top, "fix", "--suppress", rule, "--reason", reason, *arguments)


def left(top: Path) -> list[tuple[str, str, int]]:
    """What `check` reports."""
    return reciplint(top, "check", "--format", "json").places


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x: 010\n", f"x: 010  {MARK}\n"),
        ("x: 010", f"x: 010  {MARK}"),
        ("x: 010\r\ny: 1\r\n", f"x: 010  {MARK}\r\ny: 1\r\n"),
        ("\ufeffx: 010\n", f"\ufeffx: 010  {MARK}\n"),
        ("a:\n  - b\n  - 010\n", f"a:\n  - b\n  - 010  {MARK}\n"),
        ("x: 010   \n", f"x: 010  {MARK}\n"),
    ],
)
def test_the_comment_stands_behind_the_line(tmp_path: Path, before: str, after: str) -> None:
    write(tmp_path, {"a.yaml": before})
    assert suppress(tmp_path) == Ran(0, "", "reciplint: silenced 1 finding in 1 file")
    assert (tmp_path / "a.yaml").read_bytes().decode() == after
    assert [place for place in left(tmp_path) if place[0] != "final-newline"] == []
    assert suppress(tmp_path) == NOTHING


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x: 010  # why\n", f"{MARK}\nx: 010  # why\n"),
        ("a:\n  b: 010  # why\n", f"a:\n  {MARK}\n  b: 010  # why\n"),
        (f"{'x' * 70}: 010\n", f"{MARK}\n{'x' * 70}: 010\n"),
        ("a:\n# above\n- 010 # why\n", f"a:\n# above\n{MARK}\n- 010 # why\n"),
        ('x: {a: 010, b: "\n  c"}\n', f'{MARK}\nx: {{a: 010, b: "\n  c"}}\n'),
        ("x: 010  # why\r\n", f"{MARK}\r\nx: 010  # why\r\n"),
        ("\ufeffx: 010  # why\n", f"\ufeff{MARK}\nx: 010  # why\n"),
    ],
)
def test_or_alone_above_where_the_line_has_no_room(tmp_path: Path, before: str, after: str) -> None:
    write(tmp_path, {"a.yaml": before})
    assert suppress(tmp_path) == Ran(0, "", "reciplint: silenced 1 finding in 1 file")
    assert (tmp_path / "a.yaml").read_bytes().decode() == after
    assert left(tmp_path) == []


def test_every_finding_of_a_line_and_of_a_file(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "x: {a: 010, b: 020}\ny: 030\n# c\nz: 040  # d\n", "b.yaml": "x: 010\n"})
    assert suppress(tmp_path) == Ran(0, "", "reciplint: silenced 5 findings in 2 files")
    assert (
        tmp_path / "a.yaml"
    ).read_text() == f"x: {{a: 010, b: 020}}  {MARK}\ny: 030  {MARK}\n# c\n{MARK}\nz: 040  # d\n"
    assert (tmp_path / "b.yaml").read_text() == f"x: 010  {MARK}\n"
    assert left(tmp_path) == []


def test_only_the_findings_under_the_paths(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "x: 010\n", "b.yaml": "x: 010\n"})
    assert suppress(tmp_path, "b.yaml").err == "reciplint: silenced 1 finding in 1 file"
    assert left(tmp_path) == [(OCTAL, "a.yaml", 1)]


def test_several_rules_share_a_comment(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "x: 010"})
    assert suppress(tmp_path, rule=f"{OCTAL},final-newline").status == 0
    assert (tmp_path / "a.yaml").read_text() == f"x: 010  # reciplint: ignore[{OCTAL}, final-newline] -- {WHY}"
    assert left(tmp_path) == []


def test_a_rule_joins_the_list_of_a_comment_that_is_there(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "# reciplint: ignore[duplicate-key] -- as told\nx: 010\nx: 2\n"})
    assert left(tmp_path) == [(OCTAL, "a.yaml", 2)]
    assert suppress(tmp_path).status == 0
    joined = f"# reciplint: ignore[duplicate-key, {OCTAL}] -- as told; {WHY}"
    assert (tmp_path / "a.yaml").read_text() == f"{joined}\nx: 010\nx: 2\n"
    assert left(tmp_path) == []


def test_the_same_reason_is_given_once(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": f"x: 010  # reciplint: ignore[duplicate-key] -- {WHY}\nx: 2\n"})
    assert suppress(tmp_path).status == 0
    assert (tmp_path / "a.yaml").read_text() == f"x: 010  # reciplint: ignore[duplicate-key, {OCTAL}] -- {WHY}\nx: 2\n"


def test_a_comment_that_lacked_its_reason_gets_it(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": f"x: 010  # reciplint: ignore[{OCTAL}]\n"})
    assert {rule for rule, _, _ in left(tmp_path)} == {OCTAL, "missing-reason"}
    assert suppress(tmp_path).status == 0
    assert (tmp_path / "a.yaml").read_text() == f"x: 010  {MARK}\n"
    assert left(tmp_path) == []


def test_a_void_comment_for_other_rules_stays_void(tmp_path: Path) -> None:
    """To complete it would silence what nobody asked to silence."""
    write(tmp_path, {"a.yaml": "x: 010  # reciplint: ignore[duplicate-key]\nx: 2\n"})
    assert suppress(tmp_path).status == 0
    assert (tmp_path / "a.yaml").read_text() == f"{MARK}\nx: 010  # reciplint: ignore[duplicate-key]\nx: 2\n"
    assert {rule for rule, _, _ in left(tmp_path)} == {"duplicate-key", "missing-reason"}


def test_a_finding_on_a_comment_is_silenced_above_it(tmp_path: Path) -> None:
    """The comment in between is no end of what a suppression speaks of, and the suppression no part of what is said."""
    row = "      - conc-list: [16]\n"
    text = project()[MASTER].replace(row, f"      # 4 prefill workers feed one decode.\n      # As measured.\n{row}")
    top = git_repo(tmp_path, {**project(), MASTER: text})
    assert left(top) == [("stale-comment", MASTER, 30)]
    assert suppress(top, rule="stale-comment").status == 0
    mark = f"# reciplint: ignore[stale-comment] -- {WHY}"
    assert (top / MASTER).read_text() == text.replace("      # 4", f"      {mark}\n      # 4")
    assert left(top) == []


def test_a_finding_of_another_file_than_its_cause(tmp_path: Path) -> None:
    top = git_repo(tmp_path, {**project(), RUNNERS: runners("b200")})
    ((_, path, line),) = left(top)
    assert (path, line) == (MASTER, 19)
    assert suppress(top, rule="unknown-runner").status == 0
    mark = f"# reciplint: ignore[unknown-runner] -- {WHY}"
    assert (top / MASTER).read_text() == project()[MASTER].replace("runner: gb200", f"runner: gb200  {mark}")
    assert left(top) == []


def test_a_difference_is_shown_and_nothing_written(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "x: 010\n"})
    ran = suppress(tmp_path, "--diff")
    assert ran.out == f"--- a/a.yaml\n+++ b/a.yaml\n@@ -1 +1 @@\n-x: 010\n+x: 010  {MARK}\n"
    assert (ran.status, ran.err) == (0, "reciplint: would silence 1 finding in 1 file")
    assert (tmp_path / "a.yaml").read_text() == "x: 010\n"


def test_what_the_baseline_accepts_gets_no_comment(tmp_path: Path) -> None:
    top = git_repo(tmp_path, {"a.yaml": "x: 010\n"})
    reciplint(top, "baseline")
    write(top, {".reciplint.yaml": "baseline: .reciplint-baseline.json\n", "b.yaml": "x: 010\n"})
    assert suppress(top).err == "reciplint: silenced 1 finding in 1 file"
    assert (top / "a.yaml").read_text() == "x: 010\n"


def test_only_what_a_change_made_worse(tmp_path: Path) -> None:
    top = git_repo(tmp_path, {"a.yaml": "x: 010\n"})
    write(top, {"a.yaml": "x: 010\ny: 020\n"})
    assert suppress(top, "--base", "HEAD").status == 0
    assert (top / "a.yaml").read_text() == f"x: 010\ny: 020  {MARK}\n"


# where it cannot go

HINT = "reciplint: where no comment may stand, `ignores` in the settings names a finding by its fingerprint"


def test_no_comment_comes_into_a_changelog(tmp_path: Path) -> None:
    changelog = changed("finch-fp8-b200-vllm").replace("/pull/1", "/pull/1/files")
    top = git_repo(tmp_path, project(changelog=changelog))
    told = f"{CHANGELOG}:5: changelog-pr-link: no comment may come into text that is only appended to"
    assert suppress(top, rule="changelog-pr-link") == Ran(
        2, "", f"reciplint: not silenced: {told}\n{HINT}\nreciplint: silenced 0 findings in 0 files"
    )
    assert (top / CHANGELOG).read_text() == changelog


def test_comments_are_read_in_yaml_alone(tmp_path: Path) -> None:
    doubt = "| Finch | `finch` | Agentic coding | Single-turn 1k8k (AMD only) |"
    policy = f"| Model | Prefix | Active | Deprecated |\n|---|---|---|---|\n{doubt}\n"
    top = git_repo(tmp_path, {**project(), "MODELS.md": policy})
    told = "MODELS.md:3: deprecated-arm: comments that silence are read in YAML alone"
    assert suppress(top, rule="deprecated-arm") == Ran(
        2, "", f"reciplint: not silenced: {told}\n{HINT}\nreciplint: silenced 0 findings in 0 files"
    )
    assert (top / "MODELS.md").read_text() == policy


def test_no_comment_stands_within_a_scalar(tmp_path: Path) -> None:
    """The last line of a block scalar is text, whatever is written there."""
    text = "x: |\n  one\n  two"
    write(tmp_path, {"a.yaml": text})
    ran = suppress(tmp_path, rule="final-newline")
    assert ran.status == 2
    assert ran.err.startswith("reciplint: not silenced: a.yaml:3: final-newline: ")
    assert ran.err.endswith(f"{HINT}\nreciplint: silenced 0 findings in 0 files")
    assert (tmp_path / "a.yaml").read_text() == text


def test_one_that_cannot_be_silenced_keeps_no_other_from_it(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "x: 010\ny: |\n  one\n  two", "b.yaml": "z: 010"})
    ran = suppress(tmp_path, rule=f"{OCTAL},final-newline")
    assert ran.status == 2
    assert ran.err.endswith("\nreciplint: silenced 3 findings in 2 files")
    assert left(tmp_path) == [("final-newline", "a.yaml", 4)]


@pytest.mark.parametrize(
    ("rule", "reason", "message"),
    [
        (OCTAL, "", "--reason: a suppression states its reason"),
        (OCTAL, "  ", "--reason: a suppression states its reason"),
        (OCTAL, "a\nb", "--reason: a reason is one line of characters that can be seen"),
        (OCTAL, "a\u202eb", "--reason: a reason is one line of characters that can be seen"),
        (OCTAL, "a\u3164b", "--reason: a reason is one line of characters that can be seen"),
        (OCTAL, "##[error]", "--reason: a reason is one line of characters that can be seen"),
        ("nonsense", WHY, "--suppress: no rule is called 'nonsense'"),
        ("missing-reason", WHY, "--suppress: missing-reason cannot be silenced"),
        ("yaml-syntax", WHY, "--suppress: yaml-syntax cannot be silenced"),
    ],
)
def test_usage_errors(tmp_path: Path, rule: str, reason: str, message: str) -> None:
    write(tmp_path, {"a.yaml": "x: 010\n"})
    ran = suppress(tmp_path, rule=rule, reason=reason)
    assert (ran.status, ran.out) == (2, "")
    assert message in " ".join(ran.err.split())
    assert (tmp_path / "a.yaml").read_text() == "x: 010\n"


def test_a_reason_may_hold_whatever_can_be_seen(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "x: 010\n"})
    assert suppress(tmp_path, reason="  -- ]: {#} 由启动器读取 🚀  ").status == 0
    assert left(tmp_path) == []
