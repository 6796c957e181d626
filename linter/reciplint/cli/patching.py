"""A difference on standard output: a patch for git, and harmless where people read it."""

from __future__ import annotations

import os
import stat
import sys

import click

from reciplint.fix.difference import unified_diff
from reciplint.report.escape import shown_line


def echo_diff(path: str, before: bytes | None, after: bytes) -> None:
    """Print the change of a file; `before` is None for a new one. It is exact in a file or a pipe; on a terminal and in
    the log of a workflow, hostile text in it is escaped."""
    patch = shown_diff(path, before, after) if _is_read() else unified_diff(path, before, after)
    click.echo(patch.encode("utf-8", "surrogateescape"), nl=False)


def shown_diff(path: str, before: bytes | None, after: bytes, color: bool = False) -> str:
    """The change of a file as text for people, whatever is in it."""
    lines = [shown_line(line) for line in unified_diff(path, before, after).split("\n")]
    if color:
        lines[:2] = [click.style(line, bold=True) for line in lines[:2]]
        lines[2:] = [
            click.style(line, fg=_COLORS[line[0]]) if line and line[0] in _COLORS else line for line in lines[2:]
        ]
    return "\n".join(lines)


_COLORS = {"+": "green", "-": "red", "@": "cyan"}


def _is_read() -> bool:
    """Whether a terminal or the runner of a workflow takes what is printed."""
    if sys.stdout.isatty():
        return True
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return False
    return not stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
