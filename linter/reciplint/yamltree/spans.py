"""Positions in a text: offsets in code points, and the 1-based line and column that people read."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

import msgspec


class Span(msgspec.Struct, frozen=True, array_like=True, order=True, gc=False):
    """A stretch of text; lines and columns are 1-based, columns count code points, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def start(self) -> Span:
        """The empty span at the beginning."""
        return Span(self.line, self.column, self.line, self.column)

    def touches_line(self, line: int) -> bool:
        """Whether any part of the span lies on that line."""
        return self.line <= line <= self.end_line


FILE_START = Span(1, 1, 1, 1)


class LineIndex:
    """Offsets to lines and back. A line ends at LF (CRLF included) and nowhere else.

    libyaml also breaks lines at NEL, LS and PS, and at a lone CR; editors and GitHub do not, so its own
    line numbers are never used.
    """

    __slots__ = ("starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = list(accumulate([len(line) + 1 for line in text.split("\n")], initial=0))[:-1]

    def span(self, start: int, end: int) -> Span:
        """The span between two offsets in code points."""
        starts = self.starts
        line = bisect_right(starts, start)
        end_line = line if end < (starts[line] if line < len(starts) else end + 1) else bisect_right(starts, end)
        return Span(line, start - starts[line - 1] + 1, end_line, end - starts[end_line - 1] + 1)

    def entry_spans(self, key_start: int, key_end: int, start: int, end: int) -> tuple[Span, Span]:
        """The spans of a key and of its value; cheaper than two calls of `span` where both stand on one line."""
        starts = self.starts
        line = bisect_right(starts, key_start)
        begin = starts[line - 1]
        if line == len(starts) or end < starts[line]:
            shift = 1 - begin
            return (
                Span(line, key_start + shift, line, key_end + shift),
                Span(line, start + shift, line, end + shift),
            )
        return self.span(key_start, key_end), self.span(start, end)

    def offset(self, line: int, column: int) -> int:
        """The offset in code points of a 1-based position; past the end it is the length of the text."""
        if line > len(self.starts):
            return len(self.text)
        return min(self.starts[line - 1] + column - 1, len(self.text))

    def line_text(self, line: int) -> str:
        """The text of a 1-based line without its line break; empty past the end."""
        if not 1 <= line <= len(self.starts):
            return ""
        start = self.starts[line - 1]
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")
