"""Loaded values as an operation leaves them: the same but for what stands at one path."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from reciplint.yamltree.replacing import Path


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


def with_items(value: Any, path: Path, items: Iterable[Any]) -> Any:
    """The value with several items in the place of the one at the end of a path."""

    def split(parent: Any) -> Any:
        if not isinstance(parent, list):
            return parent
        return [new for index, item in enumerate(parent) for new in (items if index == path[-1] else [item])]

    return altered(value, path[:-1], split)
