"""Writes the report that opens README.md anew, from the command above it.

python tools/docs/readme_report.py
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```console\n\$ reciplint (?P<command>.*)\n(?s:(?P<report>.*?))^```$", re.MULTILINE)
WIDTH = "100"


def report(command: str) -> str:
    """What the command prints, in the width that a pipe has."""
    run = subprocess.run(
        [sys.executable, "-m", "reciplint", *command.split(), "--no-cache"],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": WIDTH},
    )
    if run.returncode != 1:
        raise SystemExit(f"exit status {run.returncode}: {run.stderr}")
    return run.stdout


def main() -> None:
    """Replace the report."""
    file = TOP / "README.md"
    text = file.read_text(encoding="utf-8")
    block = BLOCK.search(text)
    if block is None:
        raise SystemExit("README.md has no report to write anew")
    file.write_text(
        text[: block.start("report")] + report(block["command"]) + text[block.end("report") :], encoding="utf-8"
    )


if __name__ == "__main__":
    main()
