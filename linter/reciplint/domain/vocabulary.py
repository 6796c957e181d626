"""The field names that the schemas know, for telling a misspelled one from an unknown one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from reciplint.domain.schemas import schema
from reciplint.repo.kinds import Kind

_SCHEMAS = {
    Kind.MASTER: ("master-august", "master-october"),
    Kind.RUNNERS: ("runners-august", "runners-october"),
    Kind.CHANGELOG: ("changelog-august", "changelog-october"),
}


@cache
def kebab_vocabulary(kind: Kind) -> frozenset[str]:
    """Every field name with a dash that a file of this kind may hold, in either layout."""
    return frozenset(name for file in _SCHEMAS.get(kind, ()) for name in _properties(schema(file)) if "-" in name)


def _properties(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        properties = part.get("properties")
        if isinstance(properties, dict):
            yield from properties
        for value in part.values():
            yield from _properties(value)
    elif isinstance(part, list):
        for value in part:
            yield from _properties(value)
