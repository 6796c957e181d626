"""Comments, which libyaml drops: found in the gaps between scalars, whose spans are exact."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from reciplint.yamltree.tree import Scalar

_CANDIDATE = re.compile(r"(?:(?<=[ \t\n\r])|\A\ufeff?)#[^\r\n]*")


class Comment(NamedTuple):
    """A comment from its `#` to the end of the line; `own_line` where nothing but blanks stands before it."""

    start: int
    end: int
    text: str
    own_line: bool


def scan_comments(text: str, scalars: list[Scalar]) -> list[Comment]:
    """Every comment of a text, given its scalars in source order.

    A `#` inside a scalar is none, except after the header of a block scalar (`key: |  # why`).
    """
    if "#" not in text:
        return []
    starts = [scalar.start for scalar in scalars]
    comments: list[Comment] = []
    position = 0
    while match := _CANDIDATE.search(text, position):
        start = match.end() - len(match.group().lstrip("\ufeff"))
        inside = bisect_right(starts, start) - 1
        if inside >= 0 and start < scalars[inside].end and not _in_block_header(text, scalars[inside], start):
            position = max(start + 1, _next_line_or_end(text, start, scalars[inside].end))
            continue
        line_start = text.rfind("\n", 0, start) + 1
        comments.append(Comment(start, match.end(), text[start : match.end()], not text[line_start:start].strip("\ufeff \t")))
        position = match.end()
    return comments


def _in_block_header(text: str, scalar: Scalar, position: int) -> bool:
    return scalar.style in ("|", ">") and "\n" not in text[scalar.start : position]


def _next_line_or_end(text: str, position: int, end: int) -> int:
    line_end = text.find("\n", position)
    return end if line_end < 0 else min(line_end, end)
