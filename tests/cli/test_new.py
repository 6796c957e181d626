"""`reciplint new`: a key, its recipes and its entry after a sibling, in one proposal."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reciplint import cli
from support import (
    CHANGELOG,
    MASTER,
    RECIPES,
    RUNNERS,
    git,
    git_repo,
    multi,
    project,
    recipe,
    reciplint,
    runners,
    single,
)

SIBLING, KEY = "finch-fp8-gb200-dynamo-vllm", "finch-fp8-gb300-dynamo-vllm"
SOURCE = f"{RECIPES}/vllm/finch/gb200-fp8/disagg.yaml"
MADE = SOURCE.replace("gb200", "gb300")
ROW = multi(SIBLING, "recipes/vllm/finch/gb200-fp8/disagg.yaml").replace("multinode:", "# measured twice\n  multinode:")
ARGUMENTS = ("new", KEY, "--from", SIBLING, "--pr", "12")


@pytest.fixture
def top(tmp_path: Path) -> Path:
    files = project(master=f"# keys\n\n{ROW}\n{single()}", runners=runners("b200", "gb200", "gb300"))
    files.pop(f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml")
    return git_repo(tmp_path / "top", {**files, SOURCE: recipe("finch-gb200")})


def status(top: Path) -> list[str]:
    return git(top, "status", "--porcelain", "--untracked-files=all").splitlines()


def test_the_difference_is_a_patch_that_does_what_write_does(top: Path) -> None:
    shown = reciplint(top, *ARGUMENTS)
    assert (shown.status, status(top)) == (0, [])
    assert shown.err.splitlines() == [
        f"reciplint: would append to {CHANGELOG}: {KEY} (fixed-seq-len)",
        f"reciplint: to do by hand: image: vllm/vllm-openai:v0.11.0 is {SIBLING}'s",
        "reciplint: would change 3 files; --write does it",
    ]
    assert reciplint(top, *ARGUMENTS, "--write").status == 0
    written = {path: (top / path).read_text("utf-8") for path in (MASTER, MADE, CHANGELOG)}
    copy = ROW.replace("gb200", "gb300")
    assert written[MASTER] == f"# keys\n\n{ROW}\n{copy}\n{single()}"
    assert written[MADE] == recipe("finch-gb300").replace("gpu_type: gb200", "gpu_type: gb300")
    assert reciplint(top, "check", "--base", "HEAD", "--pr", "12", "--format=concise").out == ""
    git(top, "checkout", "-q", ".")
    (top / MADE).unlink()
    subprocess.run(["git", "apply", "-"], cwd=top, input=shown.out.encode() + b"\n", check=True)
    assert {path: (top / path).read_text("utf-8") for path in written} == written


def test_faults_of_the_sibling_are_counted_and_others_told(top: Path) -> None:
    flag = "decode:\n      max_num_seqs: 8\n"
    (top / SOURCE).write_text(recipe("finch-gb200").replace("decode:\n", flag), "utf-8")
    ran = reciplint(top, *ARGUMENTS)
    assert ran.status == 0
    assert "reciplint: a check then finds kebab-case-keys 1 time more, in copies of places where it finds it now" in (
        ran.err.splitlines()
    )
    (top / RUNNERS).write_text(runners("b200", "gb200"), "utf-8")
    ran = reciplint(top, *ARGUMENTS)
    assert ran.status == 1
    assert any("name-mismatch: the key says gb300" in line for line in ran.err.splitlines())


def test_another_deprecated_arm_is_told_though_the_siblings_stands(top: Path) -> None:
    table = "| Model | Prefix | Active | Deprecated |\n|---|---|---|---|\n"
    row = "| Finch | `finch` | Agentic coding | Single-turn 8k1k (since 2020-01-01) |\n"
    (top / "MODELS.md").write_text(table + row, "utf-8")
    standing = reciplint(top, "check", "--format=concise").out.splitlines()
    assert any(f"warning deprecated-arm: `{SIBLING}`, 8k1k: this arm is deprecated" in line for line in standing)
    ran = reciplint(top, *ARGUMENTS)
    assert ran.status == 1
    line = (top / MASTER).read_text("utf-8").splitlines().index("      - conc-list: [16]") + 1 + ROW.count("\n") + 1
    assert [told for told in ran.err.splitlines() if "a check then finds" in told] == [
        f"reciplint: a check then finds: {MASTER}:{line}:9: error deprecated-arm: `{KEY}`, 8k1k: this change adds a "
        "deprecated arm: 8k1k of `finch` (since 2020-01-01)",
    ]


def test_a_sibling_that_is_not_there(top: Path) -> None:
    ran = reciplint(top, "new", KEY, "--from", "finch-fp8-gb200-dynamo-vlm", "--write")
    assert (ran.status, ran.err) == (
        2,
        f"Error: no master config has a key finch-fp8-gb200-dynamo-vlm; {SIBLING} was meant?",
    )
    assert status(top) == []


def test_a_block_that_shares_an_anchor_is_refused(top: Path) -> None:
    shared = "shared: &shared {num-worker: 1}\n"
    (top / MASTER).write_text(shared + ROW.replace("decode: {", "decode: { <<: *shared,"), "utf-8")
    before = status(top)
    ran = reciplint(top, *ARGUMENTS, "--write")
    assert (ran.status, ran.out, status(top)) == (2, "", before)
    assert ran.err.startswith(f"reciplint: {MASTER}: {SIBLING} alone cannot be read")


def test_an_anchor_that_other_keys_use_is_refused_where_they_would_change(top: Path) -> None:
    text = ROW.replace("runner: gb200", "runner: &runner gb200") + single().replace("runner: b200", "runner: *runner")
    (top / MASTER).write_text(text, "utf-8")
    ran = reciplint(top, *ARGUMENTS, "--write")
    assert ran.status == 2
    assert ran.err == f"reciplint: {MASTER}: {SIBLING} cannot be copied as it stands, other keys would change"
    assert (top / MASTER).read_text("utf-8") == text


@pytest.fixture
def here(top: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """The command line in this process, so that a fault can be planted in its way: its status and last line."""

    def ran(*arguments: str) -> tuple[int, str]:
        with contextlib.chdir(top):
            found = cli.run([*arguments])
        gc.enable()
        return found, capfd.readouterr().err.splitlines()[-1]

    return ran


def test_ctrl_c_while_files_are_written_changes_none(
    top: Path, here: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def interrupted(descriptor: int) -> None:
        fsync(descriptor)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(os, "fsync", interrupted)
    assert here(*ARGUMENTS, "--write") == (130, "reciplint: interrupted")
    assert status(top) == []


def test_a_full_disk_changes_nothing_and_names_the_file(
    top: Path, here: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    told = f"reciplint: {MADE}: No space left on device; none of the 3 files was changed"
    assert here(*ARGUMENTS, "--write") == (2, told)
    assert status(top) == []
    assert not (top / MADE).parent.exists()


def test_a_name_that_cannot_be_given_takes_all_back(
    top: Path, here: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, calls = os.replace, 0

    def failing(*paths: Any, **at: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise OSError(5, os.strerror(5))
        replace(*paths, **at)

    monkeypatch.setattr(os, "replace", failing)
    told = f"reciplint: {CHANGELOG}: Input/output error; none of the 3 files was changed"
    assert here(*ARGUMENTS, "--write") == (2, told)
    assert status(top) == []
