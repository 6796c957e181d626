"""The variants of a recipe file: `base` merged with each `override_<name>` and each point of a `zip_override_<name>`.

As srt-slurm merges: mappings recurse, null deletes, lists and scalars replace; in a zip group every list leaf is
an axis, and a list of length one stands at every point.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

MAX_POINTS = 1000
"""More points of one zip group than this are not expanded."""


def is_bundle(recipe: Any) -> bool:
    """Whether a loaded recipe file is a `base` with overrides."""
    return isinstance(recipe, dict) and isinstance(recipe.get("base"), dict)


def expand(recipe: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each variant with the selector that names it; a plain recipe is one variant named ""."""
    if not is_bundle(recipe):
        yield "", recipe
        return
    base = {**{key: recipe[key] for key in ("schema",) if key in recipe}, **recipe["base"]}
    yield "base", base
    for name, group in recipe.items():
        if not isinstance(group, dict):
            continue
        if name.startswith("override_"):
            yield name, merge(base, group)
        elif name.startswith("zip_override_"):
            for index in range(min(_length(group), MAX_POINTS)):
                yield f"{name}[{index}]", merge(base, _point(group, index))


def merge(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """`above` over `below`; null deletes."""
    result = dict(below)
    for key, value in above.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merge(result[key], value)
        elif isinstance(value, dict):
            result[key] = merge({}, value)
        else:
            result[key] = value
    return result


def _length(group: Any) -> int:
    if isinstance(group, dict):
        return max((_length(value) for value in group.values()), default=1)
    return len(group) if isinstance(group, list) else 1


def _point(group: Any, index: int) -> Any:
    if isinstance(group, dict):
        return {key: _point(value, index) for key, value in group.items()}
    if isinstance(group, list):
        if not group:
            return None
        return group[index] if index < len(group) else group[0] if len(group) == 1 else group[-1]
    return group
