"""Where a value of a recipe's variant is written: in its override, or in the `base` that it takes it from."""

from __future__ import annotations

import re
from typing import NamedTuple

from reciplint.yamltree.edit import Path, Refused, addressable
from reciplint.yamltree.edit import locate as written_at
from reciplint.yamltree.spans import FILE_START, Span
from reciplint.yamltree.tree import Mapping, Node, Scalar, Sequence, Tree, target

_POINT = re.compile(r".+\[(?P<index>\d+)\]\Z")


class Place(NamedTuple):
    """The deepest written place on the way to a value: `depth` parts of the path were found in `body` (`base`, the
    name of an override, or "" for a plain recipe). `value` is as written, an alias at its own place."""

    body: str
    depth: int
    key: Node
    value: Node


def locate(tree: Tree, selector: str, path: tuple[str | int, ...]) -> Place | None:
    """Where a variant's value is written: the override's own place if it has one, else the base's. With the whole path
    nowhere, the place that comes nearest; None where not even its first part is written."""
    root = tree.root
    if not isinstance(root, Mapping):
        return None
    if not selector:
        return _walk(root, "", path, None)
    name, index = selector.partition("[")[0], point_of(selector)
    found = [_enter(root, name, path, index), _enter(root, "base", path, None)]
    places = [place for place in found if place is not None]
    return max(places, key=lambda place: place.depth, default=None)


def point_of(selector: str) -> int | None:
    """Which point of a zip group a selector names; None where it names none."""
    point = _POINT.match(selector)
    return int(point["index"]) if point else None


def span_of(tree: Tree, selector: str, path: tuple[str | int, ...]) -> Span:
    """The value's span; where the path is not written whole, the key that comes nearest; else the file's start."""
    place = locate(tree, selector, path)
    if place is None:
        return FILE_START
    return tree.span(place.value if place.depth == len(path) else place.key)


def address(tree: Tree, selector: str, path: tuple[str, ...]) -> Path | None:
    """The path at which an edit reaches a scalar as written; None where it is not written, shared by an anchor or
    alias, or one of a zipped list."""
    place = locate(tree, selector, path)
    if place is None or place.depth < len(path) or not isinstance(place.value, Scalar) or place.value.anchor:
        return None
    whole = (place.body, *path) if place.body else path
    return whole if addressable(tree, whole, place.value) else None


def own_mapping(tree: Tree, path: Path, holding: str = "") -> Path | None:
    """The path of a mapping if an edit reaches it and nothing shares it; with `holding`, if it also writes a scalar of
    its own under that key. Else None."""
    try:
        node = written_at(tree, path)
        held = written_at(tree, (*path, holding)) if holding else None
    except Refused:
        return None
    shared = not isinstance(node, Mapping) or node.anchor
    return None if shared or (holding and (not isinstance(held, Scalar) or held.anchor)) else path


def _enter(root: Mapping, name: str, path: tuple[str | int, ...], index: int | None) -> Place | None:
    body = root.get(name)
    return _walk(body, name, path, index) if isinstance(body, Mapping) else None


def _walk(body: Mapping, name: str, path: tuple[str | int, ...], index: int | None) -> Place | None:
    place = None
    holder: object = body
    for depth, part in enumerate(path, 1):
        found = _step(holder, part)
        if found is None:
            break
        key, value = found
        reached = target(value)
        if index is not None and isinstance(reached, Sequence) and reached.items:
            value = reached.items[index if index < len(reached.items) else 0 if len(reached.items) == 1 else -1]
            reached, index = target(value), None
        place = Place(name, depth, key, value)
        holder = reached
    return place


def _step(holder: object, part: str | int) -> tuple[Node, Node] | None:
    """The key and value of an entry, or an item of a list, which is its own key."""
    if isinstance(holder, Mapping) and isinstance(part, str):
        return holder.entry(part)
    if isinstance(holder, Sequence) and isinstance(part, int) and part < len(holder.items):
        return holder.items[part], holder.items[part]
    return None
