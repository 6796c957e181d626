"""What two texts begin with in common."""

from __future__ import annotations

from typing import AnyStr


def common_prefix(one: AnyStr, other: AnyStr) -> int:
    """How many characters, or bytes, two texts begin with in common; found by halves."""
    if other.startswith(one):
        return len(one)
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
