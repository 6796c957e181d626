"""Proof that an edit did what it said and nothing else: it re-parses, only the intended value differs, under the 1.1
and the 1.2 view, and every comment that was not meant is still there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from reciplint.yamltree.edit import (
    AddComment,
    AppendNewline,
    DropComment,
    DropEntry,
    Operation,
    RenameKey,
    Respell,
    SetScalar,
    SplitItem,
    locate,
)
from reciplint.yamltree.edit_lines import ReplaceLines, expected_comments, expected_value
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.problem import Unreadable
from reciplint.yamltree.scalars import load, value_12
from reciplint.yamltree.tree import Mapping, Node, Scalar, Sequence, Tree, target

View = Callable[[Node | None], Any]
"""A way of loading."""


class Unproved(Exception):
    """An edit that would change more than it says; the text says what."""


def prove(before: Tree, text: str, operation: Operation) -> None:
    """Raise `Unproved` unless `text` is `before` with just this operation carried out."""
    try:
        after = parse_text(text)
    except Unreadable as unreadable:
        raise Unproved(f"the result would not parse ({unreadable.problem.kind})") from None
    _prove_values(before, after, operation)
    _prove_comments(before, after, operation)


def _prove_values(before: Tree, after: Tree, operation: Operation) -> None:
    if len(before.documents) != len(after.documents):
        raise Unproved("the number of documents would change")
    for index, (old, new) in enumerate(zip(before.documents, after.documents, strict=True)):
        for view in (load, load_12):
            if view is load_12 and isinstance(operation, Respell):
                continue  # bringing both views together is what it is for
            expected = [view(old)] if index else _expected(before, view(old), operation, view)
            if not any(_equal(value, view(new)) for value in expected):
                raise Unproved("the loaded value would change elsewhere")


def _expected(before: Tree, value: Any, operation: Operation, view: View) -> list[Any]:
    """The values that the operation may leave behind, by one way of loading.

    Quoting a scalar keeps its value or makes it the text as it stands; a line break at the end of the file may belong
    to a block scalar.
    """
    if isinstance(operation, RenameKey):
        return [_renamed(value, operation.pointer, operation.new)]
    if isinstance(operation, SetScalar):
        return [_replaced(value, operation.pointer, operation.value)]
    if isinstance(operation, DropEntry):
        return [_dropped(value, operation.pointer)]
    if isinstance(operation, SplitItem):
        return [_split(value, operation.pointer, operation.items)]
    if isinstance(operation, ReplaceLines):
        return [expected_value(before, value, operation, view)]
    if isinstance(operation, Respell):
        node = locate(before, operation.pointer)
        assert isinstance(node, Scalar)
        return [value, _replaced(value, operation.pointer, node.value)]
    if isinstance(operation, AppendNewline):
        last = before.scalars[-1] if before.scalars else None
        paths = [(path, node) for path, node in before.walk() if node is last and node.style in ("|", ">")]
        return [value, *(_replaced(value, path, f"{node.value}\n") for path, node in paths)]
    return [value]


def _altered(value: Any, path: tuple[str | int, ...], change: Callable[[Any], Any]) -> Any:
    """The value with what stands at a path passed through `change`."""
    if not path:
        return change(value)
    if isinstance(value, dict):
        return {key: _altered(item, path[1:], change) if key == path[0] else item for key, item in value.items()}
    if isinstance(value, list):
        return [_altered(item, path[1:], change) if index == path[0] else item for index, item in enumerate(value)]
    return value


def _replaced(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    return _altered(value, path, lambda _: new)


def _renamed(value: Any, path: tuple[str | int, ...], new: str) -> Any:
    def rename(parent: Any) -> Any:
        is_map = isinstance(parent, dict)
        return {(new if key == path[-1] else key): item for key, item in parent.items()} if is_map else parent

    return _altered(value, path[:-1], rename)


def _dropped(value: Any, path: tuple[str | int, ...]) -> Any:
    def drop(parent: Any) -> Any:
        if isinstance(parent, list):
            return [item for index, item in enumerate(parent) if index != path[-1]]
        is_map = isinstance(parent, dict)
        return {key: item for key, item in parent.items() if key != path[-1]} if is_map else parent

    return _altered(value, path[:-1], drop)


def _split(value: Any, path: tuple[str | int, ...], items: tuple[str, ...]) -> Any:
    def split(parent: Any) -> Any:
        if not isinstance(parent, list):
            return parent
        return [new for index, item in enumerate(parent) for new in (items if index == path[-1] else [item])]

    return _altered(value, path[:-1], split)


def _equal(one: Any, other: Any) -> bool:
    """Equal in value, type and key order."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return type(one) is type(other) and (one == other or (one != one and other != other))


def load_12(node: Node | None) -> Any:
    """The value that a YAML 1.2 reader loads, first of all keys kept apart as written (1.2 has no merge keys)."""
    if node is None:
        return None
    concrete = target(node)
    if isinstance(concrete, Scalar):
        return concrete.value if concrete.style or concrete.tag else value_12(concrete.value)
    if isinstance(concrete, Sequence):
        return [load_12(item) for item in concrete.items]
    assert isinstance(concrete, Mapping)
    return {entry.name: load_12(entry.value) for entry in concrete.entries}


def _prove_comments(before: Tree, after: Tree, operation: Operation) -> None:
    old = Counter(comment.text for comment in before.comments)
    new = Counter(comment.text for comment in after.comments)
    if isinstance(operation, ReplaceLines):
        old = expected_comments(before, operation)
    if isinstance(operation, AddComment):
        old[operation.text] += 1
    if isinstance(operation, DropComment):
        offset = before.lines.offset(operation.span.line, operation.span.column)
        old.subtract([comment.text for comment in before.comments if comment.start == offset])
        if operation.replacement:
            old[operation.replacement] += 1
        old = +old
    if old != new:
        raise Unproved("a comment would be lost or changed")
