"""Comments, which libyaml drops: found in the gaps between scalars, whose spans are exact."""

from __future__ import annotations

import re
from bisect import bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from reciplint.yamltree.tree import Scalar

_COMMENT = re.compile(r"#[^\r\n\x85\u2028\u2029]*")
"""libyaml ends a line, and with it a comment, at NEL, LS and PS as well."""


class Comment(NamedTuple):
    """A comment from its `#` to the end of the line; `own_line` where nothing but blanks stands before it."""

    start: int
    end: int
    text: str
    own_line: bool


def scan_comments(text: str, scalars: list[Scalar]) -> list[Comment]:
    """Every comment of a text, given its scalars in source order.

    A `#` inside a scalar is none, except on the header of a block scalar (`key: |  # why`). Outside of scalars it
    always is: libyaml asks for no blank before it (`"quoted"#why`), and no anchor or tag can hold one.
    """
    position = text.find("#")
    if position < 0:
        return []
    comments: list[Comment] = []
    index = 0
    while position >= 0:
        index = bisect_right(scalars, position, index, key=_start_of)
        scalar = scalars[index - 1] if index else None
        if scalar is not None and position < scalar.end and not _in_block_header(text, scalar, position):
            position = text.find("#", scalar.end)
            continue
        comment = _COMMENT.match(text, position)
        assert comment is not None
        line_start = text.rfind("\n", 0, position) + 1
        own_line = not text[line_start:position].strip("\ufeff \t")
        comments.append(Comment(position, comment.end(), comment.group(), own_line))
        position = text.find("#", comment.end())
    return comments


_start_of = attrgetter("start")


def _in_block_header(text: str, scalar: Scalar, position: int) -> bool:
    return scalar.style in ("|", ">") and "\n" not in text[scalar.start : position]
