"""Progress of long work on a terminal; nothing when piped, nothing for work that is over at once."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from types import TracebackType
from typing import Any

import click

from reciplint.report.escape import shown

_PATIENCE = 0.5


def say(text: str) -> None:
    """Say something on standard error, as text."""
    click.echo(f"reciplint: {shown(text)}", err=True)


class Progress:
    """A bar on standard error, shown once work has taken half a second."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._began = time.monotonic()
        self._stack = ExitStack()
        self._bar: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def __call__(self, done: int, total: int) -> None:
        """Tell how many of how many are done."""
        if self._bar is None:
            if done >= total or not sys.stderr.isatty() or time.monotonic() - self._began < _PATIENCE:
                return
            bar = click.progressbar(length=total, label=self._label, file=sys.stderr)
            self._bar = self._stack.enter_context(bar)
        self._bar.update(done - self._bar.pos)
