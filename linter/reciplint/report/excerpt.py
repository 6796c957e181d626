"""One line of source as a terminal shows it: escaped, cut to a window around a span, carets in the right cells."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from reciplint.report.escape import is_plain, shown_at

_TAB = "    "
_LEAD = 12


class Excerpt(NamedTuple):
    """A shown line, and the cells that the span covers in it (at least one)."""

    text: str
    start: int
    width: int


def display_width(text: str) -> int:
    """The terminal cells that printable text takes: wide characters two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def excerpt(line: str, start: int, end: int, width: int) -> Excerpt:
    """The part of `line` around the code points from `start` up to `end` that fits in `width` cells.

    Only the neighbourhood of the span is looked at, so a line of a megabyte costs no more than a short one.
    """
    start = min(start, len(line))
    if len(line) <= width and is_plain(line):
        return Excerpt(line.rstrip(), start, max(1, min(end, len(line)) - start))
    low, high = max(0, start - width), min(len(line), start + width)
    cells = [_TAB if line[index] == "\t" else shown_at(line, index) for index in range(low, high)]
    widths = [display_width(cell) for cell in cells]
    at, stop = start - low, max(start, min(end, high)) - low
    first, last = 0, len(cells)
    if low or high < len(line) or sum(widths) > width:
        first, last = _window(widths, at, stop, width - 2)
    before = "…" if low + first else ""
    after = "…" if low + last < len(line) else ""
    text = before + "".join(cells[first:last]) + after
    return Excerpt(text.rstrip(), len(before) + sum(widths[first:at]), max(1, sum(widths[at : min(stop, last)])))


def _window(widths: list[int], at: int, stop: int, room: int) -> tuple[int, int]:
    """The cells to show: the span in the middle if it fits, else its start with some of what leads to it."""
    span = sum(widths[at:stop])
    first = _backward(widths, at, max((room - span) // 2, min(_LEAD, room // 4)))
    last, used = at, sum(widths[first:at])
    while last < len(widths) and used + widths[last] <= room:
        used += widths[last]
        last += 1
    return _backward(widths, first, room - used) if last == len(widths) else first, last


def _backward(widths: list[int], index: int, room: int) -> int:
    while index and widths[index - 1] <= room:
        room -= widths[index - 1]
        index -= 1
    return index
