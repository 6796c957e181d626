"""`reciplint fix`: what it writes, what it says, and that no fault on the way loses anything."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from reciplint import cli
from reciplint.cli import fixing
from reciplint.fix.session import fix_tree
from support import MASTER, Ran, commit, git_repo, project, reciplint, write

OPEN, ENDED = "x: 1", "x: 1\n"
OCTAL, PLAIN = "x: 010\n", "x: 8\n"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return git_repo(tmp_path / "top", project())


def text(top: Path, name: str) -> str:
    return (top / name).read_bytes().decode()


def test_what_was_done_is_said_on_standard_error(top: Path) -> None:
    write(top, {"a.yaml": OPEN, "b.yaml": "x: 010"})
    ran = reciplint(top, "fix")
    assert ran == Ran(0, "", "reciplint: fixed 3 findings in 2 files")
    assert (text(top, "a.yaml"), text(top, "b.yaml")) == (ENDED, PLAIN)
    assert reciplint(top, "fix") == Ran(0, "", "reciplint: fixed 0 findings in 0 files")


def test_a_difference_is_shown_and_nothing_written(top: Path) -> None:
    write(top, {"a.yaml": OCTAL})
    ran = reciplint(top, "fix", "--diff")
    assert ran.out == "--- a/a.yaml\n+++ b/a.yaml\n@@ -1 +1 @@\n-x: 010\n+x: 8\n"
    assert (ran.status, ran.err) == (0, "reciplint: would fix 1 finding in 1 file")
    assert text(top, "a.yaml") == OCTAL


def test_fixes_that_change_a_value_only_when_asked(top: Path) -> None:
    was = text(top, MASTER)
    write(top, {MASTER: was.replace("dp-attn: false }", "dp_attn: false }")})
    assert reciplint(top, "fix").err == "reciplint: fixed 0 findings in 0 files"
    assert reciplint(top, "fix", "--unsafe").err == "reciplint: fixed 1 finding in 1 file"
    assert text(top, MASTER) == was


def test_only_what_is_selected_and_not_ignored_is_fixed(top: Path) -> None:
    both = "x: 010"
    write(top, {"a.yaml": both})
    assert reciplint(top, "fix", "--select", "final-newline").err == "reciplint: fixed 1 finding in 1 file"
    assert text(top, "a.yaml") == OCTAL
    write(top, {"a.yaml": both})
    assert reciplint(top, "fix", "--ignore", "final-newline").err == "reciplint: fixed 1 finding in 1 file"
    assert text(top, "a.yaml") == "x: 8"


def test_only_what_a_change_made_worse_is_fixed(top: Path) -> None:
    commit(top, {"old.yaml": OPEN})
    write(top, {"new.yaml": OPEN})
    assert reciplint(top, "fix", "--base", "HEAD").err == "reciplint: fixed 1 finding in 1 file"
    assert (text(top, "old.yaml"), text(top, "new.yaml")) == (OPEN, ENDED)


def test_settings_from_another_file(top: Path) -> None:
    write(top, {"a.yaml": OPEN, "other/settings.yaml": "rules: {final-newline: 'off'}\n"})
    assert reciplint(top, "fix", "--config", "other/settings.yaml").err == "reciplint: fixed 0 findings in 0 files"


def test_what_cannot_be_proved_is_named_once_with_its_rule_and_line_and_is_no_failure(top: Path) -> None:
    """Another role merges the key in, of which the fix says nothing."""
    name = "benchmarks/multi_node/srt-slurm-recipes/vllm/finch/disagg-1p1d-tp4.yaml"
    was = text(top, name).replace("    prefill:\n", "    prefill: &role\n      max_num_batched_tokens: 8192\n")
    was = was.replace("    decode:\n", "    decode:\n      <<: *role\n")
    line = was[: was.index("max_num_batched_tokens")].count("\n") + 1
    write(top, {name: was, "a.yaml": OPEN})
    for select in ((), ("--select", "kebab-case-keys")):
        ran = reciplint(top, "fix", "--unsafe", *select)
        told = [said for said in ran.err.splitlines() if "not fixed" in said]
        assert told == [
            f"reciplint: not fixed: {name}:{line}: kebab-case-keys: the loaded value would change elsewhere"
        ]
        assert ran.status == 0
    assert (text(top, name), text(top, "a.yaml")) == (was, ENDED)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--select", "nonsense"), "--select: no rule is called 'nonsense'; `reciplint rules` lists them"),
        (("--head", "HEAD"), "No such option"),
        (("--base", "gone"), "no commit is called 'gone' in this repository"),
        (("--date", "yesterday"), "'yesterday' is not a date like 2026-08-20"),
        (("gone.yaml",), "gone.yaml: no file there that reciplint reads"),
        (("--suppress", "schema"), "--suppress and --reason go together"),
        (("--reason", "so"), "--suppress and --reason go together"),
        (("--suppress", "schema", "--reason", "so", "-i"), "leave --interactive, --unsafe and --select out"),
    ],
)
def test_usage_errors_are_told_and_end_with_2(top: Path, arguments: tuple[str, ...], message: str) -> None:
    ran = reciplint(top, "fix", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert message in " ".join(ran.err.split())


# faults on the way


@pytest.fixture
def here(top: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """The command line in this process, so that a fault can be planted in its way."""

    def ran(*arguments: str) -> Ran:
        with contextlib.chdir(top):
            status = cli.run([*arguments])
        gc.enable()
        out, err = capfd.readouterr()
        return Ran(status, out, err.strip("\n"))

    return ran


COMMANDS = pytest.mark.parametrize("command", [("fix",), ("check", "--fix", "--format=concise")])


def left(top: Path) -> list[str]:
    """The files beside those of the project."""
    return sorted(path.name for path in top.iterdir() if path.is_file() and path.name != "perf-changelog.yaml")


@COMMANDS
def test_a_full_disk(
    top: Path, here: Callable[..., Ran], command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(top, {"a.yaml": OPEN, "b.yaml": OPEN})

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    ran = here(*command)
    assert ran.status == 2
    assert ran.err.splitlines()[:2] == [
        "reciplint: not written: a.yaml: No space left on device",
        "reciplint: not written: b.yaml: No space left on device",
    ]
    assert (text(top, "a.yaml"), text(top, "b.yaml"), left(top)) == (OPEN, OPEN, ["a.yaml", "b.yaml"])


@COMMANDS
def test_a_read_only_file_stays_and_the_others_are_fixed(
    top: Path, here: Callable[..., Ran], command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(top, {"a.yaml": OPEN, "b.yaml": OPEN})
    (top / "a.yaml").chmod(0o444)
    may = os.access
    monkeypatch.setattr(os, "access", lambda file, *how, **at: Path(file).name != "a.yaml" and may(file, *how, **at))
    ran = here(*command)
    assert ran.status == 2
    assert ran.err.splitlines()[0] == "reciplint: not written: a.yaml is read-only"
    assert (text(top, "a.yaml"), text(top, "b.yaml")) == (OPEN, ENDED)


def test_what_could_not_be_written_is_not_counted_as_fixed_and_still_reported(
    top: Path, here: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(top, {"a.yaml": OPEN, "b.yaml": OPEN})
    may = os.access
    monkeypatch.setattr(os, "access", lambda file, *how, **at: Path(file).name != "a.yaml" and may(file, *how, **at))
    assert here("check", "--fix", "--format=concise").out == (
        "a.yaml:1:5 info final-newline: The last line does not end with a line break\n"
    )
    write(top, {"b.yaml": OPEN})
    assert here("fix").err.splitlines()[-1] == "reciplint: fixed 2 findings in 1 file"


@COMMANDS
def test_a_file_that_an_editor_changed_meanwhile_is_left_to_it(
    top: Path, here: Callable[..., Ran], command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(top, {"a.yaml": OPEN, "b.yaml": OPEN})

    def slow(*arguments: object, **named: object) -> object:
        write(top, {"a.yaml": "y: 2"})
        return fix_tree(*arguments, **named)

    monkeypatch.setattr(fixing, "fix_tree", slow)
    ran = here(*command)
    assert ran.status == 2
    assert ran.err.splitlines()[0] == "reciplint: not written: a.yaml changed while it was checked"
    assert (text(top, "a.yaml"), text(top, "b.yaml")) == ("y: 2", ENDED)


@COMMANDS
def test_an_interrupt_between_writing_and_renaming(
    top: Path, here: Callable[..., Ran], command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(top, {"a.yaml": OPEN})

    def interrupted(*paths: object, **at: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    ran = here(*command)
    assert (ran.status, ran.err) == (130, "reciplint: interrupted")
    assert (text(top, "a.yaml"), left(top)) == (OPEN, ["a.yaml"])


def test_an_interrupt_while_reading(top: Path, here: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    write(top, {"a.yaml": OPEN})

    def interrupted(*arguments: object, **named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fixing, "fix_tree", interrupted)
    assert here("fix").status == 130
    assert text(top, "a.yaml") == OPEN
