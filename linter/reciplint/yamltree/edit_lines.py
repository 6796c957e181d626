"""Whole lines replaced in a file that is a list of entries, as a changelog is: entries are appended, restored and set
apart, and every other entry stays.

An operation names the lines as they were seen, so that one that comes too late, after another moved them, is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import Any

import msgspec

from reciplint.yamltree.replacing import Edit, Refused
from reciplint.yamltree.tree import Node, Sequence, Tree


class ReplaceLines(msgspec.Struct, frozen=True, tag="replace-lines"):
    """Put `text` in the place of the lines `first` to `last` (from 1, with their line breaks), which hold `was`. `last`
    0 means the end of the file. Where more than white space differs, the lines begin and end with entries of the
    list."""

    path: str
    first: int
    last: int
    was: str
    text: str


def line_edit(tree: Tree, operation: ReplaceLines) -> Edit:
    """The text to replace, lines that stay left out. Raises `Refused` where the operation does not fit the file."""
    found = _range(tree, operation)
    was, text = operation.was.splitlines(keepends=True), operation.text.splitlines(keepends=True)
    head = alike(zip(was, text, strict=False))
    tail = alike(zip(reversed(was[head:]), reversed(text[head:]), strict=False))
    start, end = found[0] + sum(map(len, was[:head])), found[1] - sum(map(len, was[len(was) - tail :]))
    return Edit(start, end, "".join(text[head : len(text) - tail]))


def alike(pairs: Iterable[tuple[str, str]]) -> int:
    """How many pairs of lines, from the first on, are equal."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _range(tree: Tree, operation: ReplaceLines) -> tuple[int, int]:
    """Where the lines stand: in their place, or, if edits above moved them, in the one place that has them. Raises
    `Refused`."""
    text, was = tree.text, operation.was
    start = tree.lines.offset(operation.first, 1)
    if not text.startswith(was, start):
        start = text.find(f"\n{was}") + 1
        if not start or text.find(f"\n{was}", start) >= 0:
            raise Refused("the lines are no longer what they were")
    end = start + len(was)
    if operation.last == 0 and end != len(text):
        raise Refused("the lines are no longer the last ones")
    if not _is_white_space(operation) and _around(tree, start, end) is None:
        raise Refused("the lines do not begin and end with entries of a list")
    return start, end


def expected_value(tree: Tree, value: Any, operation: ReplaceLines, view: Callable[[Node | None], Any]) -> Any:
    """What the file loads as afterwards, by one way of loading: its entries with those of the new lines between them,
    or the same value where only white space differs. Raises `Unreadable` for new lines that are no YAML."""
    from reciplint.yamltree.parse import parse_text  # brings in PyYAML, which a run from the cache can do without

    if _is_white_space(operation):
        return value
    around = _around(tree, *_range(tree, operation))
    assert around is not None
    before, after = around
    new = view(parse_text(operation.text).root) or []
    old = value or []
    return [*old[:before], *new, *old[after:]]


def expected_comments(tree: Tree, operation: ReplaceLines) -> Counter[str]:
    """The comments afterwards: all where only white space differs, else those outside of the lines and those of the new
    ones. Raises `Unreadable` for new lines that are no YAML."""
    from reciplint.yamltree.parse import parse_text

    if _is_white_space(operation):
        return Counter(comment.text for comment in tree.comments)
    start, end = _range(tree, operation)
    kept = (comment.text for comment in tree.comments if not start <= comment.start < end)
    return Counter(kept) + Counter(comment.text for comment in parse_text(operation.text).comments)


def _is_white_space(operation: ReplaceLines) -> bool:
    return operation.was.split() == operation.text.split()


def _around(tree: Tree, start: int, end: int) -> tuple[int, int] | None:
    """How many entries end before an offset, and the first that begins at or after another; None where one lies across
    either, or where the file is no list with one entry after another."""
    root = tree.root
    if root is None:
        return 0, 0
    if not isinstance(root, Sequence) or root.flow or root.anchor:
        return None
    before = sum(item.end <= start for item in root.items)
    after = next((index for index, item in enumerate(root.items) if item.start >= end), len(root.items))
    inside = root.items[before:after]
    return (before, after) if all(start <= item.start and item.end <= end for item in inside) else None
