"""The hooks under the real pre-commit: `try_repo.sh` installs them from this checkout and tries to commit faults."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "try_repo.sh"
NO_INDEX = 77


def test_the_hooks_block_what_they_should() -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    if shutil.which("pre-commit", path=path) is None:
        pytest.skip("pre-commit is not installed: pip install -e '.[test]'")
    if subprocess.run(["git", "-C", SCRIPT.parent, "rev-parse"], capture_output=True, check=False).returncode:
        pytest.skip("this is no checkout: pre-commit installs hooks from git alone")
    ran = subprocess.run(
        ["bash", str(SCRIPT)], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    if ran.returncode == NO_INDEX:
        pytest.skip("no package index answers, so pre-commit cannot install the hooks")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    said = ran.stdout.splitlines()
    assert [line for line in said if not line.startswith("ok ")] == []
    assert "ok    a fault staged, its repair not: blocked" in said
    assert "ok    a remark staged, a fault not: passed" in said
