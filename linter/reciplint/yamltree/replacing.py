"""A replaced stretch of a text, and the refusal of one: what every kind of edit comes to."""

from __future__ import annotations

from typing import NamedTuple

Path = tuple[str | int, ...]


class Edit(NamedTuple):
    """Replace the text between two offsets in code points."""

    start: int
    end: int
    replacement: str


class Refused(Exception):
    """An operation that cannot be carried out safely; the text says why."""
