"""A recipe file with a `base` and overrides: what is wrong with it as such, and where a variant's fault is written.

srt-slurm's rules of a zip group: every list is an axis, one of length one stands at every point, and all others have
the same length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import takewhile
from typing import Any

from msgspec.structs import replace

from reciplint.domain.faults import Fault, Path, show
from reciplint.domain.recipe_conditions import at
from reciplint.domain.variant_places import locate
from reciplint.yamltree.tree import Mapping as MappingNode
from reciplint.yamltree.tree import Tree, target

GROUPS = ("override_", "zip_override_")
_BESIDE_BASE = ("schema", "base", "lock")
_POINT = re.compile(r"(?P<group>.+)\[(?P<index>\d+)\]\Z")


def bundle_faults(tree: Tree, root: Mapping[str, Any]) -> Iterator[Fault]:
    """Faults of a bundle's outer shape and of its zip groups, each at a path whose first part is the faulty key."""
    if not isinstance(root["base"], dict):
        yield Fault(("base",), "value", "not-a-mapping", {"found": show(root["base"])})
    for key, value in root.items():
        if not key.startswith(GROUPS):
            if key not in _BESIDE_BASE and not _holds_anchor(tree, key):
                yield _beside(key)
        elif not isinstance(value, dict):
            yield Fault((key,), "value", "not-a-mapping", {"found": show(value)})
        elif key.startswith("zip_"):
            yield from _zip_faults(key, value)


def _holds_anchor(tree: Tree, key: str) -> bool:
    """Whether a key only keeps an anchored value for aliases elsewhere."""
    entry = tree.root.entry(key) if isinstance(tree.root, MappingNode) else None
    return entry is not None and bool(target(entry.value).anchor)


def _beside(key: str) -> Fault:
    words = key.lower().replace("-", "_").split("_")
    meant = [prefix + "_".join(words[start:]) for prefix, start in zip(GROUPS, (1, 2), strict=True) if words[start:]]
    near = get_close_matches(key, [*meant, "base", "schema"], n=1, cutoff=0.8)
    if near:
        return Fault((key,), "key", "unknown-key", {"key": key, "suggestion": near[0]})
    known = ("base", "schema", "override_<name>", "zip_override_<name>")
    return Fault((key,), "key", "unknown-key-here", {"key": key, "known": known})


def _zip_faults(name: str, group: Mapping[str, Any]) -> Iterator[Fault]:
    lists = list(_lists(group, (name,)))
    if not lists:
        yield Fault((name,), "key", "zip-without-list")
    for path, values in lists:
        if not values:
            yield Fault(path, "key", "empty-value")
    lengths = Counter(len(values) for _, values in lists if len(values) > 1)
    if len(lengths) < 2:
        return
    usual = max(lengths, key=lambda length: (lengths[length], -length))
    other = next(path for path, values in lists if len(values) == usual)
    for path, values in lists:
        if len(values) > 1 and len(values) != usual:
            told: dict[str, str | int] = {"count": len(values), "other": str(other[-1]), "length": usual}
            yield Fault(path, "key", "zip-length", told)


def _lists(value: Any, path: Path) -> Iterator[tuple[Path, list[Any]]]:
    if isinstance(value, list):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _lists(item, (*path, key))


class Source:
    """The file that variants were made of: tells where a fault of a variant is written."""

    def __init__(self, tree: Tree, root: Mapping[str, Any]) -> None:
        self._tree = tree
        self._root = root

    def place(self, selector: str, fault: Fault) -> Fault:
        """The fault with its path in the file in place of its path in the variant."""
        if not selector:
            return fault
        if fault.place == "owner":
            return self._place_missing(selector, fault)
        found = locate(self._tree, selector, _names(fault.path))
        return replace(fault, path=self._written(selector, found.body if found else "base", fault.path))

    def _place_missing(self, selector: str, fault: Fault) -> Fault:
        """What is missing was deleted by the override, or is missing in the base, or in what the override adds."""
        group = selector.partition("[")[0]
        deleted = (group, *fault.path, str(fault.arguments.get("key", "")))
        if group != "base" and at(self._root, *deleted[:-1], default={}).get(deleted[-1], "") is None:
            return replace(fault, path=deleted, place="key")
        if isinstance(at(self._root, "base", *fault.path), dict):
            return replace(fault, path=("base", *fault.path))
        return replace(fault, path=self._written(selector, group, fault.path))

    def _written(self, selector: str, body: str, path: Path) -> Path:
        """A variant's path in a body of the file: in a zip group, with the point's index after its axis."""
        point = _POINT.match(selector)
        index = int(point["index"]) if point and point["group"] == body else None
        value = self._root.get(body)
        written: list[str | int] = [body]
        for part in path:
            written.append(part)
            value = at({"": value}, "", part)
            if index is not None and isinstance(value, list) and value:
                position = index if index < len(value) else 0
                written.append(position)
                value, index = value[position], None
        return tuple(written)


def _names(path: Path) -> tuple[str, ...]:
    return tuple(str(part) for part in takewhile(lambda part: isinstance(part, str), path))
