"""`reciplint check`, as a process: what it prints where, and with which exit status it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import (
    CHANGELOG,
    MASTER,
    RECIPES,
    RUNNERS,
    changed,
    commit,
    git,
    git_repo,
    project,
    recipe,
    reciplint,
    runners,
    single,
    write,
)

RECIPE = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"
INFO, WARNING, ERROR = "x: 1", "x: 010\n", "x: 1\nx: 2\n"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return git_repo(tmp_path / "top", project())


@pytest.mark.parametrize(
    ("text", "arguments", "status"),
    [
        ("x: 1\n", (), 0),
        (INFO, (), 0),
        (WARNING, (), 0),
        (ERROR, (), 1),
        (INFO, ("--fail-on", "info"), 1),
        (WARNING, ("--fail-on", "warning"), 1),
        (INFO, ("--fail-on", "warning"), 0),
        (ERROR, ("--fail-on", "never"), 0),
        (ERROR, ("--ignore", "duplicate-key"), 0),
        (ERROR, ("--select", "schema,final-newline"), 0),
        (ERROR, ("--select", "duplicate-key", "--select", "schema"), 1),
    ],
)
def test_exit_status(top: Path, text: str, arguments: tuple[str, ...], status: int) -> None:
    write(top, {"a.yaml": text})
    assert reciplint(top, "check", *arguments).status == status


def test_the_preset_of_the_settings_decides_unless_the_command_line_does(top: Path) -> None:
    write(top, {"a.yaml": WARNING, ".reciplint.yaml": "preset: enforce\n"})
    assert reciplint(top, "check").status == 1
    assert reciplint(top, "check", "--fail-on", "error").status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--select", "duplicate-keys"), "no rule is called 'duplicate-keys'; did you mean duplicate-key?"),
        (("--ignore", "nonsense"), "--ignore: no rule is called 'nonsense'; `reciplint rules` lists them"),
        (("--fail-on", "sometimes"), "'sometimes' is not one of 'error', 'warning', 'info', 'never'"),
        (("--date", "yesterday"), "'yesterday' is not a date like 2026-08-20"),
        (("--pr", "0"), "0 is not in the range x>=1"),
        (("--output", "yaml:out"), "'yaml:out' is not FORMAT:FILE with a format of text, concise, json, sarif, github"),
        (("--output", "json"), "'json' is not FORMAT:FILE"),
        (("--format", "html"), "'html' is not one of"),
        (("--base", "gone"), "no commit is called 'gone' in this repository"),
        (("--head", "gone"), "no commit is called 'gone' in this repository"),
        (("--fix", "--head", "HEAD"), "fixes go into the working tree: leave --head and --staged out"),
        (("gone.yaml",), "gone.yaml: no file there that reciplint reads"),
        (("../outside.yaml",), "../outside.yaml lies outside of"),
        (("--config", "gone.yaml"), "'gone.yaml' does not exist"),
        (("--nonsense",), "No such option"),
    ],
)
def test_usage_errors_are_told_and_end_with_2(top: Path, arguments: tuple[str, ...], message: str) -> None:
    ran = reciplint(top, "check", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert message in " ".join(ran.err.split())
    assert "Traceback" not in ran.err


def test_broken_settings_end_with_2_and_name_their_place(top: Path) -> None:
    write(top, {".reciplint.yaml": "preset: strict\n"})
    ran = reciplint(top, "check")
    assert ran.status == 2
    assert ran.err.startswith("reciplint: .reciplint.yaml:1:9: ")


def test_settings_from_another_file(top: Path) -> None:
    write(top, {"a.yaml": ERROR, "other/settings.yaml": "rules: {duplicate-key: off}\n"})
    assert reciplint(top, "check", "--config", "other/settings.yaml").status == 0


def test_findings_go_to_standard_output_and_chatter_to_standard_error(top: Path) -> None:
    write(top, {"a.yaml": ERROR})
    ran = reciplint(top, "check", "--format", "concise", "--timing")
    assert ran.out.startswith("a.yaml:1:1: ") or ran.out.startswith("a.yaml:1:1 ")
    assert ran.err.startswith("reciplint: 5 files in ")


def test_several_reports_of_one_run(top: Path, tmp_path: Path) -> None:
    write(top, {"a.yaml": ERROR})
    ran = reciplint(top, "check", "--output", "json:out/report.json", "--output", f"sarif:{tmp_path}/report.sarif")
    assert ran.status == 1
    assert "a.yaml:1:1 error duplicate-key" in ran.out
    report = json.loads((top / "out" / "report.json").read_text())
    assert [item["rule"] for item in report["findings"]] == ["duplicate-key"]
    assert json.loads((tmp_path / "report.sarif").read_text())["version"] == "2.1.0"


def test_a_report_on_standard_output_takes_the_place_of_the_format(top: Path) -> None:
    ran = reciplint(top, "check", "--output", "json:-")
    assert ran.report["findings"] == []


def test_a_report_that_cannot_be_written_is_said(top: Path) -> None:
    ran = reciplint(top, "check", "--output", f"json:{MASTER}/report.json")
    assert ran.status == 2
    assert MASTER in ran.err
    assert "Traceback" not in ran.err


def test_two_runs_print_the_same_bytes(top: Path) -> None:
    write(top, {"a.yaml": ERROR, "b.yaml": INFO, RUNNERS: runners("b200")})
    for form in ("text", "json", "sarif", "github", "concise"):
        first = reciplint(top, "check", "--format", form, "--no-cache")
        assert first.out == reciplint(top, "check", "--format", form).out


@pytest.mark.parametrize(
    ("directory", "paths", "found"),
    [
        (".", (), ["a.yaml", "sub/b.yaml", "sub/deep/c.yaml"]),
        (".", (".",), ["a.yaml", "sub/b.yaml", "sub/deep/c.yaml"]),
        (".", ("sub",), ["sub/b.yaml", "sub/deep/c.yaml"]),
        (".", ("sub/",), ["sub/b.yaml", "sub/deep/c.yaml"]),
        (".", ("a.yaml", "sub/deep"), ["a.yaml", "sub/deep/c.yaml"]),
        ("sub", (), ["a.yaml", "sub/b.yaml", "sub/deep/c.yaml"]),
        ("sub", (".",), ["sub/b.yaml", "sub/deep/c.yaml"]),
        ("sub", ("b.yaml",), ["sub/b.yaml"]),
        ("sub", ("../a.yaml",), ["a.yaml"]),
    ],
)
def test_paths_are_those_of_the_current_directory(
    top: Path, directory: str, paths: tuple[str, ...], found: list[str]
) -> None:
    write(top, {"a.yaml": ERROR, "sub/b.yaml": ERROR, "sub/deep/c.yaml": ERROR})
    ran = reciplint(top / directory, "check", "--format", "json", *paths)
    assert [path for _, path, _ in ran.places] == found
    assert [path for _, path, _ in reciplint(top, "check", "--format", "json", str(top / "sub" / "b.yaml")).places] == [
        "sub/b.yaml"
    ]


def test_one_path_is_judged_within_the_whole_repository(top: Path) -> None:
    """The runner's label stands in another file than the one that was asked for."""
    assert reciplint(top, "check", MASTER).status == 0
    write(top, {RUNNERS: runners("b200")})
    assert reciplint(top, "check", MASTER, "--format", "json").places == [("unknown-runner", MASTER, 19)]


def test_a_deleted_file_is_a_path_where_the_base_had_it(top: Path) -> None:
    (top / RECIPE).unlink()
    assert reciplint(top, "check", "--base", "HEAD", RECIPE).status in (0, 1)
    assert reciplint(top, "check", RECIPE).status == 2


def test_a_change_is_compared_with_the_merge_base(top: Path) -> None:
    """What main did meanwhile is not this branch's doing."""
    write(top, {"a.yaml": ERROR, "b.yaml": ERROR})
    commit(top, {})
    git(top, "checkout", "-q", "-b", "side")
    commit(top, {"c.yaml": ERROR})
    git(top, "checkout", "-q", "main")
    commit(top, {"b.yaml": "x: 2\n"})
    git(top, "checkout", "-q", "side")
    ran = reciplint(top, "check", "--base", "main", "--format", "json")
    assert ran.places == [("duplicate-key", "c.yaml", 1)]
    assert ran.report["base"] == git(top, "merge-base", "main", "side")
    assert ran.report["head"] is None
    ran = reciplint(top, "check", "--base", "main", "--head", "side", "--format", "json", "--pr", "7")
    assert (ran.report["head"], ran.report["pull_request"]) == (git(top, "rev-parse", "side"), 7)


def test_histories_that_share_nothing_are_compared_with_the_base_itself(top: Path) -> None:
    git(top, "checkout", "-q", "--orphan", "island")
    commit(top, {"a.yaml": ERROR})
    ran = reciplint(top, "check", "--base", "main", "--format", "json")
    assert (
        ran.err == "reciplint: no merge base of main and the head (they share no history); comparing with main itself"
    )
    assert ran.places == [("duplicate-key", "a.yaml", 1)]


def test_uncommitted_and_untracked_files_are_the_head(top: Path) -> None:
    write(top, {"new.yaml": ERROR, ".gitignore": "ignored.yaml\n", "ignored.yaml": ERROR})
    assert reciplint(top, "check", "--base", "HEAD", "--format", "json").places == [("duplicate-key", "new.yaml", 1)]


def test_a_head_is_judged_by_its_own_settings(top: Path) -> None:
    commit(top, {"a.yaml": ERROR, ".reciplint.yaml": "rules: {duplicate-key: off}\n"})
    (top / ".reciplint.yaml").unlink()
    assert reciplint(top, "check").status == 1
    assert reciplint(top, "check", "--head", "HEAD").status == 0


def test_the_review_date_is_that_of_the_head_s_commit(top: Path) -> None:
    """The commits of these tests are of 20 August; today is later."""
    policy = (
        "| Model | Prefix | Active | Deprecated |\n|---|---|---|---|\n| Finch | `finch` | None (retired {}) | 8k1k |\n"
    )
    commit(top, {"MODELS.md": policy.format("2026-08-21"), MASTER: single(), RECIPE: recipe()})
    chosen = ("--select", "deprecated-arm", "--format", "json")
    assert reciplint(top, "check", "--head", "HEAD", *chosen).places == []
    assert reciplint(top, "check", "--head", "HEAD", "--date", "2026-08-21", *chosen).places == [
        ("deprecated-arm", MASTER, 14)
    ]


def test_standard_input_stands_for_a_file(top: Path) -> None:
    ran = reciplint(top, "check", "--stdin-filename", MASTER, "--format", "json", stdin=single(runner="b100").encode())
    assert ran.places == [("unknown-runner", MASTER, 5)]
    ran = reciplint(top / "configs", "check", "--stdin-filename", "new.yaml", "--format", "json", stdin=ERROR.encode())
    assert ran.places == [("duplicate-key", "configs/new.yaml", 1)]
    assert not (top / "configs" / "new.yaml").exists()


def test_a_directory_under_no_version_control(tmp_path: Path) -> None:
    write(tmp_path, {**project(), ".reciplint.yaml": "rules: {final-newline: error}\n", "sub/a.yaml": INFO})
    ran = reciplint(tmp_path / "sub", "check", "--format", "json")
    assert ran.places == [("final-newline", "sub/a.yaml", 1)]
    ran = reciplint(tmp_path, "check", "--base", "HEAD")
    assert (ran.status, ran.err.splitlines()[-1]) == (2, "Error: --base needs a git repository")
    assert "is in no git repository" in reciplint(tmp_path, "check", "--head", "HEAD").err


def test_the_advice_of_a_full_run_is_counted_and_shown_when_asked(top: Path) -> None:
    write(top, {"a.yaml": INFO})
    assert (
        reciplint(top, "check").out
        == "1 info in 5 files\n`reciplint fix` repairs 1 of them\n1 info not printed: --verbose\n"
    )
    ran = reciplint(top, "check", "--verbose")
    assert "a.yaml:1:5 info final-newline: The last line does not end with a line break" in ran.out
    assert "silence: # reciplint: ignore[final-newline] -- reason" in ran.out


def test_colour_is_asked_for_or_not(top: Path) -> None:
    write(top, {"a.yaml": ERROR})
    assert "\x1b[" not in reciplint(top, "check").out
    assert "\x1b[" in reciplint(top, "check", FORCE_COLOR="1").out
    assert "\x1b[" not in reciplint(top, "check", FORCE_COLOR="1", NO_COLOR="1").out


def test_statistics(top: Path) -> None:
    write(top, {"a.yaml": ERROR, "b.yaml": ERROR, "c.yaml": INFO})
    lines = [line.split() for line in reciplint(top, "check", "--statistics").out.splitlines()]
    assert ["duplicate-key", "2", "0", "0", "0"] in lines
    assert ["final-newline", "0", "0", "1", "1"] in lines


# fixes


def test_fix_applies_what_is_safe_and_reports_what_is_left(top: Path) -> None:
    write(top, {"a.yaml": "x: 010\ny: 1\ny: 2", RECIPE: recipe(flag="max_num_seqs")})
    ran = reciplint(top, "check", "--fix", "--format", "json")
    assert ran.status == 1
    assert ran.places == [("duplicate-key", "a.yaml", 2)]
    assert (top / "a.yaml").read_text() == "x: 8\ny: 1\ny: 2\n"
    assert (top / RECIPE).read_text() == recipe()


def test_everything_fixed_is_a_success_unless_told_otherwise(top: Path) -> None:
    write(top, {"a.yaml": INFO})
    ran = reciplint(top, "check", "--fix", "--fail-on", "info")
    assert (ran.status, (top / "a.yaml").read_text()) == (0, "x: 1\n")
    assert reciplint(top, "check", "--fix", "--exit-non-zero-on-fix").status == 0
    write(top, {"a.yaml": INFO})
    assert reciplint(top, "check", "--fix", "--exit-non-zero-on-fix").status == 1


def test_a_difference_is_shown_and_nothing_written(top: Path) -> None:
    write(top, {"a.yaml": WARNING})
    ran = reciplint(top, "check", "--diff")
    assert ran.out == "--- a/a.yaml\n+++ b/a.yaml\n@@ -1 +1 @@\n-x: 010\n+x: 8\n"
    assert (top / "a.yaml").read_text() == WARNING


def test_fixes_stay_under_the_paths_that_were_asked_for(top: Path) -> None:
    write(top, {"a.yaml": INFO, "b.yaml": INFO})
    reciplint(top, "check", "--fix", "a.yaml")
    assert ((top / "a.yaml").read_text(), (top / "b.yaml").read_text()) == ("x: 1\n", "x: 1")


def test_fixes_of_a_change_touch_only_what_the_change_made_worse(top: Path) -> None:
    commit(top, {"old.yaml": INFO})
    write(top, {"new.yaml": INFO})
    reciplint(top, "check", "--fix", "--base", "HEAD")
    assert ((top / "old.yaml").read_text(), (top / "new.yaml").read_text()) == ("x: 1", "x: 1\n")


def test_a_link_in_the_repository_is_not_written_through(top: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text(INFO)
    (top / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    assert reciplint(top, "check", "--fix").status == 0
    assert (tmp_path / "outside.yaml").read_text() == INFO


def test_the_changelog_entry_of_a_changed_key_is_asked_for(top: Path) -> None:
    write(top, {MASTER: (top / MASTER).read_text().replace("[8, 16]", "[8, 16, 32]")})
    ran = reciplint(top, "check", "--base", "HEAD", "--format", "json")
    assert ran.places == [("changelog-required", MASTER, 1)]
    write(top, {CHANGELOG: (top / CHANGELOG).read_text() + "\n" + changed("finch-*-b200-*", 2)})
    assert reciplint(top, "check", "--base", "HEAD", "--format", "json").places == []


def test_what_is_staged_is_linted_as_the_next_commit_would_hold_it(top: Path) -> None:
    """A fault staged and mended on disk, one on disk alone, and a file that is not even tracked."""
    write(top, {"a.yaml": ERROR, "b.yaml": "x: 1\n"})
    git(top, "add", "-A")
    write(top, {"a.yaml": "x: 1\n", "b.yaml": ERROR, "c.yaml": ERROR})
    ran = reciplint(top, "check", "--staged", "--base", "HEAD", "--format", "json")
    assert (ran.status, ran.places) == (1, [("duplicate-key", "a.yaml", 1)])
    assert ran.report["head"] is None
    alone = reciplint(top, "check", "--staged", "--format", "json")
    assert alone.places == ran.places
    assert reciplint(top, "check", "--staged", "--head", "HEAD").status == 2
    assert reciplint(top, "check", "--staged", "--fix").status == 2


def test_settings_and_baseline_are_those_that_are_staged(top: Path) -> None:
    write(top, {"a.yaml": ERROR})
    reciplint(top, "baseline")
    write(top, {".reciplint.yaml": "baseline: .reciplint-baseline.json\n"})
    git(top, "add", "-A")
    (top / ".reciplint-baseline.json").unlink()
    write(top, {".reciplint.yaml": "rules: {duplicate-key: nonsense}\n"})
    assert reciplint(top, "check", "--staged").status == 0
    assert reciplint(top, "check").status == 2


def test_a_forgotten_recipe_is_missing_from_what_is_staged(top: Path) -> None:
    new = RECIPE.replace("disagg", "new")
    text = project()[MASTER].replace("disagg-1p1d-tp4.yaml", "new-1p1d-tp4.yaml")
    write(top, {new: recipe("new"), MASTER: text})
    git(top, "add", MASTER)
    ran = reciplint(top, "check", "--staged", "--base", "HEAD", "--format", "json")
    assert ("missing-recipe", MASTER) in [place[:2] for place in ran.places]


def test_a_staged_rename_keeps_its_faults(top: Path) -> None:
    commit(top, {"old.yaml": ERROR})
    git(top, "mv", "old.yaml", "new.yaml")
    write(top, {"new.yaml": ERROR + "y: 1\n"})
    git(top, "add", "-A")
    assert reciplint(top, "check", "--staged", "--base", "HEAD").status == 0


def test_before_the_first_commit_everything_is_new(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top")
    write(top, {"a.yaml": ERROR})
    git(top, "add", "-A")
    ran = reciplint(top, "check", "--staged", "--base", "HEAD", "--format", "json")
    assert (ran.status, ran.places) == (1, [("duplicate-key", "a.yaml", 1)])
    assert ran.err == "reciplint: nothing is committed yet: everything is new"
