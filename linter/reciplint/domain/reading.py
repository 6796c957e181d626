"""Small steps that every reader takes: fetch a field of a type, make a value canonical, digest it."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from reciplint.yamltree.scalars import scalar_value
from reciplint.yamltree.tree import MERGE, Concrete, Entry, Mapping, Scalar, Sequence, target

_ENCODE = msgspec.json.Encoder(order="sorted")
_MOST = 2**53


def canonical(value: Any) -> str:
    """A loaded value as JSON with sorted keys: equal text means equal value."""
    return _ENCODE.encode(value).decode()


def canonical_size(value: Any) -> int:
    """How many bytes `canonical` has."""
    return len(_ENCODE.encode(value))


def digest(value: Any) -> str:
    """A short digest of a loaded value, for comparing meaning across revisions."""
    return hashlib.blake2b(_ENCODE.encode(value), digest_size=12).hexdigest()


def whole(value: object) -> int | None:
    """A whole number, written as one or as text of digits; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def amount(value: object) -> int | float:
    """A number to count with; 0 for anything else, infinity and what nobody has so much of among it."""
    return value if isinstance(value, (int, float)) and abs(value) < _MOST else 0


def text_of(node: Mapping, name: str) -> str | None:
    """A field that is text; other scalars as they are written (a precision may read as a number)."""
    value = node.get(name)
    if not isinstance(value, Scalar):
        return None
    return None if scalar_value(value) is None else value.value


def int_of(node: Mapping, name: str) -> int | None:
    """A field that is a whole number."""
    value = _scalar(node.get(name))
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def number_of(node: Mapping, name: str) -> float | None:
    """A field that is a number."""
    value = _scalar(node.get(name))
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def bool_of(node: Mapping, name: str) -> bool | None:
    """A field that is true or false."""
    value = _scalar(node.get(name))
    return value if isinstance(value, bool) else None


def mapping_of(node: Mapping, name: str) -> Mapping | None:
    """A field that is a mapping."""
    value = node.get(name)
    return value if isinstance(value, Mapping) else None


def items_of(node: Concrete | None) -> list[Concrete]:
    """The items of a sequence, aliases followed; none for anything else."""
    return [target(item) for item in node.items] if isinstance(node, Sequence) else []


def scalars_of(node: Concrete | None) -> list[Scalar]:
    """A scalar alone, or the scalars of a sequence."""
    if isinstance(node, Scalar):
        return [node]
    return [item for item in items_of(node) if isinstance(item, Scalar)]


def own_entries(node: Mapping) -> list[Entry]:
    """The explicit entries with a scalar key; do not change the list."""
    if len(node.named) == len(node.entries) and MERGE not in node.named:
        return node.entries
    found = []
    for entry in node.entries:
        key = entry[0]
        if type(key) is Scalar:
            if key.value != MERGE or key.style:
                found.append(entry)
        elif entry.name is not None:
            found.append(entry)
    return found


def _scalar(node: Concrete | None) -> Any:
    return scalar_value(node) if isinstance(node, Scalar) else None
