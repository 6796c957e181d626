"""`reciplint bump`: shown first, written whole or not at all, and clean afterwards."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support import CHANGELOG, MASTER, RECIPES, git, git_repo, project, recipe, reciplint

OLD, NEW = "vllm/vllm-openai:v0.11.0", "vllm/vllm-openai:v0.12.0"
SINGLE, MULTI = "finch-fp8-b200-vllm", "finch-fp8-gb200-dynamo-vllm"
RECIPE = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return git_repo(tmp_path / "top", project())


def status(top: Path) -> list[str]:
    return git(top, "status", "--porcelain", "--untracked-files=all").splitlines()


def test_the_difference_is_a_patch_that_does_what_write_does(top: Path) -> None:
    shown = reciplint(top, "bump", OLD, NEW, "--pr", "12")
    assert (shown.status, status(top)) == (0, [])
    assert shown.err.splitlines() == [
        f"reciplint: would append to {CHANGELOG}: finch-fp8-*-vllm (fixed-seq-len)",
        "reciplint: would change 3 files; --write does it",
        f"reciplint: {OLD} → {NEW}: {SINGLE}, {MULTI}",
    ]
    assert reciplint(top, "bump", OLD, NEW, "--pr", "12", "--write").err.splitlines()[1] == "reciplint: changed 3 files"
    written = {path: (top / path).read_bytes() for path in (MASTER, RECIPE, CHANGELOG)}
    assert OLD.encode() not in written[MASTER] + written[RECIPE]
    git(top, "checkout", "-q", ".")
    subprocess.run(["git", "apply", "-"], cwd=top, input=shown.out.encode() + b"\n", check=True)
    assert {path: (top / path).read_bytes() for path in written} == written
    assert reciplint(top, "check", "--base", "HEAD", "--pr", "12", "--format=concise").out == ""


def test_a_refusal_changes_nothing(top: Path) -> None:
    ran = reciplint(top, "bump", OLD, NEW, "--key", "none", "--write")
    assert (ran.status, ran.out, ran.err) == (2, "", "Error: no master config has a key none")
    assert status(top) == []


def test_an_image_behind_an_anchor_is_refused_with_its_file(top: Path) -> None:
    (top / RECIPE).write_text(
        recipe().replace(f'"{OLD}"', f'&image "{OLD}"') + "identity: {container: {image: *image}}\n", "utf-8"
    )
    ran = reciplint(top, "bump", OLD, NEW, "--write")
    assert ran.status == 2
    assert ran.err == f"reciplint: {RECIPE}: the loaded value would change elsewhere"
    assert (top / MASTER).read_text("utf-8") == project()[MASTER]


def test_what_a_check_then_finds_is_told(top: Path) -> None:
    ran = reciplint(top, "bump", OLD, "example/vllm:v1", "--key", SINGLE, "--pr", "12")
    assert ran.status == 1
    assert any("a check then finds: " in line and "image-source" in line for line in ran.err.splitlines())
