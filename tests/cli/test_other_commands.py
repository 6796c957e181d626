"""The commands beside `check`, and what is common to all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import reciplint as package
from reciplint.cli import cli
from reciplint.domain.schemas import schema_names
from support import RULES, git_repo, project, recipe, reciplint, write


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return git_repo(tmp_path / "top", project())


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(tmp_path: Path, option: str) -> None:
    ran = reciplint(tmp_path, option)
    assert (ran.status, ran.out) == (0, f"reciplint {package.__version__}\n")


COMMANDS = ("check", "fix", "explain", "rules", "schema", "settings", "cache", "completion")


def test_help_lists_the_commands(tmp_path: Path) -> None:
    ran = reciplint(tmp_path, "-h")
    assert (ran.status, ran.out) == (0, reciplint(tmp_path, "--help").out)
    for command in COMMANDS:
        assert f"  {command}" in ran.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    result = CliRunner().invoke(cli, [command, "--help"])
    assert result.exit_code == 0
    assert result.output.startswith(f"Usage: cli {command}")


def test_an_unknown_command_is_answered_with_the_nearest(tmp_path: Path) -> None:
    ran = reciplint(tmp_path, "chek")
    assert ran.status == 2
    assert "No such command 'chek'. Did you mean 'check'?" in ran.err


def test_rules_as_table_and_as_json(tmp_path: Path) -> None:
    assert [line.split()[0] for line in reciplint(tmp_path, "rules").out.splitlines()] == sorted(RULES)
    rows = json.loads(reciplint(tmp_path, "rules", "--format", "json").out)
    assert [row["id"] for row in rows] == sorted(RULES)
    assert {tuple(row) for row in rows} == {("id", "summary", "severity", "runs_on", "kinds", "fix", "optional", "url")}


@pytest.mark.parametrize("rule", sorted(RULES))
def test_explain_prints_a_page_without_the_marks_of_its_examples(rule: str) -> None:
    result = CliRunner().invoke(cli, ["explain", rule])
    assert result.exit_code == 0
    assert result.output.startswith(f"# {rule}\n")
    assert "## Source" in result.output
    assert "«" not in result.output


def test_explain_of_an_unknown_rule(tmp_path: Path) -> None:
    ran = reciplint(tmp_path, "explain", "kebab-case")
    assert (ran.status, ran.out) == (2, "")
    assert "no rule is called 'kebab-case'; did you mean kebab-case-keys?" in ran.err


def test_schemas_are_listed_and_printed(tmp_path: Path) -> None:
    assert reciplint(tmp_path, "schema").out.split() == schema_names()
    assert json.loads(reciplint(tmp_path, "schema", "settings").out)["title"] == "reciplint settings"
    ran = reciplint(tmp_path, "schema", "nonsense")
    assert ran.status == 2
    assert "no schema is called 'nonsense'; there are" in ran.err


def test_settings_in_force(top: Path) -> None:
    write(top, {".reciplint.yaml": "preset: enforce\nrules:\n  anchor-dedup: {severity: off, min-keys: 3}\n"})
    shown = json.loads(reciplint(top / "configs", "settings").out)
    assert (shown["top"], shown["fail-on"]) == (str(top), "warning")
    assert shown["rules"]["anchor-dedup"] == {"severity": "off", "min-keys": 3, "min-bytes": 200}
    write(top, {".reciplint.yaml": "nonsense: 1\n"})
    assert reciplint(top, "settings").status == 2


def test_the_cache_is_named_and_cleared(top: Path, tmp_path: Path) -> None:
    place = {"RECIPLINT_CACHE_DIR": str(tmp_path / "cache")}
    assert reciplint(top, "cache", **place).out == f"{tmp_path}/cache/facts.sqlite (0 KiB)\n"
    reciplint(top, "check", **place)
    assert (tmp_path / "cache" / "facts.sqlite").is_file()
    assert reciplint(top, "cache", "clear", **place).out == f"removed {tmp_path}/cache/facts.sqlite\n"
    assert reciplint(top, "cache", "clear", **place).out == "there was no cache\n"
    reciplint(top, "check", "--no-cache", **place)
    assert not (tmp_path / "cache" / "facts.sqlite").exists()


def test_a_cache_that_cannot_be_used_is_no_fault(top: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ran = reciplint(top, "check", RECIPLINT_CACHE_DIR=str(tmp_path / "file"))
    assert (ran.status, ran.err) == (0, "")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_completion_scripts(tmp_path: Path, shell: str) -> None:
    ran = reciplint(tmp_path, "completion", shell)
    assert ran.status == 0
    assert "_RECIPLINT_COMPLETE" in ran.out


# fix


def test_fix_repairs_what_is_safe(top: Path) -> None:
    write(top, {"a.yaml": "x: 1\nx: 1", "jobs/finch.yaml": recipe(flag="max_num_seqs")})
    ran = reciplint(top, "fix")
    assert (ran.status, ran.out, ran.err) == (0, "", "reciplint: fixed 3 findings in 2 files")
    assert (top / "a.yaml").read_text() == "x: 1\n"
    assert (top / "jobs/finch.yaml").read_text() == recipe()
    assert reciplint(top, "fix").err == "reciplint: fixed 0 findings in 0 files"


def test_fix_shows_the_difference(top: Path) -> None:
    write(top, {"a.yaml": "x: 1"})
    ran = reciplint(top, "fix", "--diff")
    assert ran.out == "--- a/a.yaml\n+++ b/a.yaml\n@@ -1 +1 @@\n-x: 1\n\\ No newline at end of file\n+x: 1\n"
    assert ran.err == "reciplint: would fix 1 finding in 1 file"
    assert (top / "a.yaml").read_text() == "x: 1"


def test_fix_of_one_rule_and_of_one_path(top: Path) -> None:
    write(top, {"a.yaml": "x: 010", "b.yaml": "x: 010"})
    reciplint(top, "fix", "--select", "final-newline", "b.yaml")
    assert ((top / "a.yaml").read_text(), (top / "b.yaml").read_text()) == ("x: 010", "x: 010\n")


def test_unsafe_fixes_are_asked_for(top: Path) -> None:
    text = recipe().replace("  type: vllm\n", "  type: vllm\n  decode_environment: {FINCH_SLOTS: 4}\n")
    write(top, {"jobs/finch.yaml": text})
    reciplint(top, "fix")
    assert (top / "jobs/finch.yaml").read_text() == text
    reciplint(top, "fix", "--unsafe")
    assert (top / "jobs/finch.yaml").read_text() == text.replace("SLOTS: 4", 'SLOTS: "4"')


def test_a_file_that_cannot_be_fixed_is_left_and_said(top: Path) -> None:
    write(top, {"a.yaml": "x: 010\nlist: [\n"})
    ran = reciplint(top, "fix")
    assert (ran.status, (top / "a.yaml").read_text()) == (0, "x: 010\nlist: [\n")


# what is common


def test_a_reader_that_goes_away_is_no_crash(top: Path) -> None:
    write(top, {f"{number}.yaml": "x: 1\nx: 2\n" for number in range(300)})
    with subprocess.Popen(
        [sys.executable, "-m", "reciplint", "check"], cwd=top, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_a_directory_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["sh", "-c", f'rmdir "$PWD" && exec "{sys.executable}" -m reciplint check'],
        cwd=gone,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_git_that_is_not_installed_is_said(top: Path, tmp_path: Path) -> None:
    ran = reciplint(top, "check", PATH=str(tmp_path))
    assert (ran.status, ran.err) == (2, "reciplint: git is not installed")
