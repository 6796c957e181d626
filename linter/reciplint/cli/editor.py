"""A file as an editor has it, not saved: read from standard input, and with `--fix` given back on standard output."""

from __future__ import annotations

import sys
from types import TracebackType

import click


class Editor:
    """Standard input in the place of the file `name`.

    What comes back takes the place of the text in the editor, so with `gives_back` there always comes something: as a
    context manager, it gives the text back as it came when the work on it fails.
    """

    def __init__(self, name: str, gives_back: bool) -> None:
        self.name = name
        self.text = sys.stdin.buffer.read()
        self._owes = gives_back

    def __enter__(self) -> Editor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and self._owes:
            self.give(self.text)

    def give(self, text: bytes) -> None:
        """Give the text back, once."""
        self._owes = False
        click.echo(text, nl=False)
