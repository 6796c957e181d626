"""Proof that an edit did what it said and nothing else: it re-parses, only the intended value differs, under the 1.1
and the 1.2 view, every comment that was not meant is still there, and so is every line elsewhere, byte for byte."""

from __future__ import annotations

from collections import Counter
from typing import Any

from reciplint.yamltree.edit import Operation
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.problem import Unreadable
from reciplint.yamltree.scalars import load, load_12
from reciplint.yamltree.tree import Tree


class Unproved(Exception):
    """An edit that would change more than it says; the text says what."""


def prove(before: Tree, text: str, operation: Operation) -> Tree:
    """The tree of `text`, if that is `before` with just this operation carried out. Raises `Unproved`."""
    try:
        after = parse_text(text)
    except Unreadable as unreadable:
        raise Unproved(f"the result would not parse ({unreadable.problem.kind})") from None
    try:
        _prove_values(before, after, operation)
        _prove_comments(before, after, operation)
    except Unreadable as unreadable:
        raise Unproved(f"what is new would not parse by itself ({unreadable.problem.kind})") from None
    _prove_lines(before, after, operation)
    return after


def _prove_values(before: Tree, after: Tree, operation: Operation) -> None:
    if len(before.documents) != len(after.documents):
        raise Unproved("the number of documents would change")
    for view in (load, load_12):
        expected = operation.values(before, before.loaded(view), view)
        if not any(is_equal(value, after.loaded(view)) for value in expected):
            raise Unproved("the loaded value would change elsewhere")
        for old, new in zip(before.documents[1:], after.documents[1:], strict=True):
            if not is_equal(view(old), view(new)):
                raise Unproved("the loaded value would change elsewhere")


def is_equal(one: Any, other: Any) -> bool:
    """Equal in value, type and key order."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(is_equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_equal, one, other))
    return type(one) is type(other) and (one == other or (one != one and other != other))


def _prove_lines(before: Tree, after: Tree, operation: Operation) -> None:
    """The lines before and behind those that the operation may touch, with their line breaks."""
    first, last = operation.reach(before)
    old, new = (tree.text.encode().split(b"\n") for tree in (before, after))
    behind = len(old) - last
    if old[: first - 1] != new[: first - 1] or old[last:] != new[max(len(new) - behind, first - 1) :]:
        raise Unproved("a line would change that has nothing to do with it")


def _prove_comments(before: Tree, after: Tree, operation: Operation) -> None:
    if operation.comments(before) != Counter(comment.text for comment in after.comments):
        raise Unproved("a comment would be lost or changed")
