"""What a breaker tried on the command line: streams, disks and repositories that are not as they should be."""

from __future__ import annotations

import errno
import gc
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reciplint import cli
from reciplint.cli.placing import place
from reciplint.fix.write import NotWritten
from support import CHANGELOG, MASTER, RECIPES, commit, git_repo, project, recipe, reciplint, write

RECIPE = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"
HUGE = "9" * 30


def shell(top: Path, script: str) -> subprocess.CompletedProcess[str]:
    """A script in which `$R` is the command line."""
    return subprocess.run(
        ["bash", "-c", script.replace("$R", f"{sys.executable} -m reciplint")],
        cwd=top,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_pipe_that_nobody_reads_is_no_finding(tmp_path: Path) -> None:
    ran = shell(tmp_path, "$R rules | true; echo ${PIPESTATUS[0]}")
    assert (ran.stdout, ran.stderr) == ("141\n", "")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(tmp_path: Path, closed: str) -> None:
    write(tmp_path, {"a.yaml": "x: 1\n"})
    ran = shell(tmp_path, f"$R check --stdin-filename b.yaml {closed}; echo $?")
    assert ran.stdout.splitlines()[-1] == "0"
    assert ran.stderr == ""


def test_a_directory_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    ran = shell(tmp_path / "gone", "rmdir ../gone; $R check; echo $?")
    assert ran.stdout == "2\n"
    assert ran.stderr == "Error: the current directory is gone\n"


def test_a_full_disk_is_told_in_words(tmp_path: Path) -> None:
    ran = shell(tmp_path, "$R rules > /dev/full")
    assert (ran.returncode, ran.stderr) == (2, "reciplint: No space left on device\n")


def test_a_file_that_could_not_be_written_whole_is_not_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def close(self) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    def opened(descriptor: int, mode: str) -> Full:
        os.close(descriptor)
        return Full()

    monkeypatch.setattr(os, "fdopen", opened)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    with pytest.raises(NotWritten, match="No space left"):
        place(tmp_path, "a.json", None, b"{}")
    assert list(tmp_path.iterdir()) == []


def test_paths_through_a_link_to_the_repository(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", project())
    (tmp_path / "link").symlink_to(top)
    for path in (tmp_path / "link", tmp_path / "link" / "configs", tmp_path / "link" / MASTER):
        assert reciplint(top, "check", str(path)).status == 0
    ran = reciplint(top, "check", str(tmp_path / "other"))
    assert (ran.status, ran.err.splitlines()[-1]) == (2, f"Error: {tmp_path / 'other'} lies outside of {top}")


def test_a_number_of_more_than_64_bits(tmp_path: Path) -> None:
    files = project()
    top = git_repo(tmp_path, files)
    write(top, {MASTER: files[MASTER].replace("tp: 4", f"tp: {HUGE}"), RECIPE: recipe(value=HUGE)})
    for arguments in (
        ["check", "--base", "HEAD"],
        ["check", "--format=json"],
        ["matrix", "--format=json"],
        ["diff", "HEAD"],
    ):
        ran = reciplint(top, *arguments)
        assert ran.status in (0, 1), ran.err
        assert ran.err == ""
    assert HUGE in reciplint(top, "matrix").out


def test_a_number_of_more_than_64_bits_among_many_files(tmp_path: Path) -> None:
    many = {f"{RECIPES}/vllm/finch/r{number}.yaml": recipe(value=HUGE) for number in range(200)}
    write(tmp_path, {**project(), **many})
    ran = reciplint(tmp_path, "check", "--no-cache", "--format=json")
    assert ran.status in (0, 1), ran.err
    assert len({path for _, path, _ in ran.places}) >= 200


def test_a_number_of_more_digits_than_python_reads(tmp_path: Path) -> None:
    files = project()
    write(tmp_path, {**files, MASTER: files[MASTER].replace("isl: 8192", f"isl: {'9' * 5000}")})
    assert {rule for rule, _, _ in reciplint(tmp_path, "check", "--format=json").places} == {"schema"}


def test_keys_of_an_unreadable_master_config_are_said_to_be_missing(tmp_path: Path) -> None:
    files = project()
    top = git_repo(tmp_path, files)
    broken = {MASTER: f"{files[MASTER]}  x: [\n"}
    write(top, broken)
    told = "cannot be read, and its keys are left out: `reciplint check` says why"
    assert reciplint(top, "matrix").err == f"reciplint: a master config of the working tree {told}"
    assert reciplint(top, "diff", "HEAD").err == f"reciplint: a master config of the head {told}"
    commit(top, broken)
    write(top, files)
    assert reciplint(top, "diff", "HEAD").err == f"reciplint: a master config of the base {told}"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (b"profile: \xe9\n", ".reciplint.yaml:1:10: The file is not UTF-8: byte 0xE9 cannot be decoded"),
        (b"rules: {anchor-dedup: {min-keys: x}}\n", "rules.anchor-dedup: min-keys is 'x'; expected a whole number"),
        (b"rules: {anchor-dedup: {min-keys: -1}}\n", "rules.anchor-dedup: min-keys is -1; expected a whole number"),
        (b"baseline: /etc/hostname\n", "/etc/hostname, the settings' baseline, is not there"),
    ],
)
def test_settings_that_cannot_be_used(tmp_path: Path, settings: bytes, told: str) -> None:
    write(tmp_path, {".reciplint.yaml": settings, CHANGELOG: "[]\n"})
    ran = reciplint(tmp_path, "check")
    assert ran.status == 2
    assert told in ran.err


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_an_option_that_names_no_rule_is_no_green_run(tmp_path: Path, option: str) -> None:
    ran = reciplint(tmp_path, "check", option, "")
    assert (ran.status, ran.err.splitlines()[-1]) == (2, f"Error: {option} names no rule")


@pytest.mark.parametrize("rule", ["", "schema,schema"])
def test_the_page_of_no_rule(tmp_path: Path, rule: str) -> None:
    ran = reciplint(tmp_path, "explain", rule)
    assert ran.status == 2
    assert f"no rule is called {rule!r}" in ran.err


def test_nothing_is_staged_without_git(tmp_path: Path) -> None:
    assert reciplint(tmp_path, "check", "--staged").err.endswith("is in no git repository, so nothing is staged")


def test_a_fault_of_reciplint_exits_with_2(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(*arguments: object, **named: object) -> None:
        raise ValueError("\x1b[31m\n::error::x")

    monkeypatch.setattr(cli.cli, "main", broken)
    assert cli.run(["rules"]) == 2
    gc.enable()
    told = capsys.readouterr().err
    assert "Traceback" in told
    assert told.endswith("this is a fault of reciplint, please report it\n")
    assert "\x1b" not in told
    assert not any(line.lstrip().startswith("::") for line in told.split("\n"))
