"""Many names in a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def some_of(names: Sequence[str], most: int = 4) -> str:
    """The first names of many, and how many more there are: `a, b and 3 more`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
