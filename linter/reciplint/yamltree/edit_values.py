"""Loaded values as an operation leaves them: the same but for what stands at one path."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from reciplint.yamltree.replacing import Path
from reciplint.yamltree.scalars import key_text
from reciplint.yamltree.tree import MERGE, Entry, Mapping


def altered(value: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    """The value with what stands at a path passed through `change`."""
    if not path:
        return change(value)
    if isinstance(value, dict):
        return {key: altered(item, path[1:], change) if key == path[0] else item for key, item in value.items()}
    if isinstance(value, list):
        return [altered(item, path[1:], change) if index == path[0] else item for index, item in enumerate(value)]
    return value


def with_value(value: Any, path: Path, new: Any) -> Any:
    """The value with another one at a path."""
    return altered(value, path, lambda _: new)


def with_key(value: Any, path: Path, new: str) -> Any:
    """The value with another key in the place of the one at the end of a path."""

    def rename(parent: Any) -> Any:
        is_map = isinstance(parent, dict)
        return {(new if key == path[-1] else key): item for key, item in parent.items()} if is_map else parent

    return altered(value, path[:-1], rename)


def without(value: Any, path: Path) -> Any:
    """The value without the key or item at the end of a path."""

    def drop(parent: Any) -> Any:
        if isinstance(parent, list):
            return [item for index, item in enumerate(parent) if index != path[-1]]
        is_map = isinstance(parent, dict)
        return {key: item for key, item in parent.items() if key != path[-1]} if is_map else parent

    return altered(value, path[:-1], drop)


def with_entry(value: Any, path: Path, new: Any, parent: Mapping, index: int) -> Any:
    """The value with a new key at the end of a path, where an entry of that number in `parent` comes to stand."""

    def insert(mapping: Any) -> Any:
        if not isinstance(mapping, dict):
            return mapping
        keys = list(mapping)
        keys.insert(_place(keys, parent, index), str(path[-1]))
        return {key: new if key == path[-1] else mapping[key] for key in keys}

    return altered(value, path[:-1], insert)


def moved(value: Any, path: Path, parent: Mapping, index: int) -> Any:
    """The value with the key at the end of a path moved to where it stands behind the first `index` entries."""

    def move(mapping: Any) -> Any:
        if not isinstance(mapping, dict) or path[-1] not in mapping:
            return mapping
        keys = [key for key in mapping if key != path[-1]]
        keys.insert(_place(keys, parent, index), str(path[-1]))
        return {key: mapping[key] for key in keys}

    return altered(value, path[:-1], move)


def _place(keys: list[str], parent: Mapping, index: int) -> int:
    """How many loaded keys stand before what stands behind the first `index` entries of a mapping. Keys stand where
    they come first: those that are merged in, where they are, before all."""
    seen = set() if MERGE in keys else {name for source in parent.merged() for name in source.effective()}
    seen.update(name for entry in parent.entries[:index] for name in _names(entry))
    following = (name for entry in parent.entries[index:] for name in _names(entry))
    return next((keys.index(name) for name in following if name in keys and name not in seen), len(keys))


def _names(entry: Entry) -> tuple[str, str]:
    """A key as it is written and as it is loaded."""
    return entry.name or "", key_text(entry.key)


def with_items(value: Any, path: Path, items: Iterable[Any]) -> Any:
    """The value with several items in the place of the one at the end of a path."""

    def split(parent: Any) -> Any:
        if not isinstance(parent, list):
            return parent
        return [new for index, item in enumerate(parent) for new in (items if index == path[-1] else [item])]

    return altered(value, path[:-1], split)
