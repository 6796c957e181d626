"""What every kind of edit is made of: replaced stretches of a text, a refusal, and what it may leave behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from reciplint.yamltree.tree import Node, Tree

Path = tuple[str | int, ...]

View = Callable[[Node | None], Any]
"""A way of loading a node."""


class Edit(NamedTuple):
    """Replace the text between two offsets in code points."""

    start: int
    end: int
    replacement: str


class Reach(NamedTuple):
    """The first and the last of some lines, from 1."""

    first: int
    last: int


class Refused(Exception):
    """An operation that cannot be carried out safely; the text says why."""


class Change(msgspec.Struct, frozen=True):
    """A kind of operation: how it is carried out, and what it may leave behind.

    The proof takes the second from here, and never from the edits. What a kind does not say, stays as it was.
    """

    path: str

    def edits(self, tree: Tree) -> list[Edit]:
        """The replaced spans that carry it out. Raises `Refused`."""
        raise NotImplementedError

    def reach(self, before: Tree) -> Reach:
        """The lines that it may touch. Raises `Refused`."""
        raise NotImplementedError

    def values(self, before: Tree, value: Any, view: View) -> list[Any]:
        """The values that the first document may have afterwards, by the way of loading by which it had `value`. Raises
        `Unreadable` for new text that is no YAML."""
        return [value]

    def comments(self, before: Tree) -> Counter[str]:
        """The comments afterwards. Raises `Unreadable` for new text that is no YAML."""
        return Counter(comment.text for comment in before.comments)

    @property
    def turn(self) -> tuple[int, Any]:
        """Where it stands among the operations on one file, so that none makes another mean something else."""
        return IN_PLACE, ()


COMMENTS, IN_PLACE, ITEMS, FOLDS, LINES = range(5)
"""Turns: comments are told by their place, items of a list by their number, whole lines by what stands in them."""
