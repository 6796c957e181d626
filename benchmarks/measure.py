"""Runs a command and tells how long it took and how much memory it held at most."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

RECIPLINT = [sys.executable, "-m", "reciplint"]
COMPOSE = """
import gc, sys, yaml, pathlib
gc.disable()
for name in sys.stdin.read().split("\\0"):
    list(yaml.compose_all(pathlib.Path(name).read_bytes(), Loader=yaml.CSafeLoader))
"""


@dataclass(frozen=True)
class Measured:
    """Wall seconds, and the peak of the resident memory in MB (the child's own, or its largest child's)."""

    seconds: float
    megabytes: float


def measure(command: list[str], top: Path, cache: Path, text: str = "") -> Measured:
    """Run a command below `top`. Raises `SystemExit` when it could not do its job.

    The kernel counts the memory of the process that forks as the child's, so the one that measures must stay small.
    """
    environment = {**os.environ, "RECIPLINT_CACHE_DIR": str(cache), "NO_COLOR": "1"}
    began = time.perf_counter()
    with subprocess.Popen(
        command,
        cwd=top,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin is not None
        assert child.stderr is not None
        child.stdin.write(text)
        child.stdin.close()
        chatter = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    took = time.perf_counter() - began
    if child.returncode not in (0, 1) or "Traceback" in chatter:
        raise SystemExit(f"exit status {child.returncode} of {command}: {chatter[-400:]}")
    scale = 1e6 if sys.platform == "darwin" else 1e3
    return Measured(took, usage.ru_maxrss / scale)


def compose(top: Path, cache: Path, names: list[str]) -> Measured:
    """Bare libyaml over the same files: what any linter of them has to spend."""
    return measure([sys.executable, "-c", COMPOSE], top, cache, "\0".join(names))


def yaml_files(top: Path) -> list[str]:
    """Every YAML file below a directory, git's own left out."""
    return sorted(str(path.relative_to(top)) for path in top.rglob("*.yaml") if ".git" not in path.parts)
