"""Recipes of one directory that are near copies of one another: plain ones, alike in engine and roles, whose loaded
values differ in few settings. A setting is a leaf of the loaded value; the name, which each has of its own, is none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from reciplint.domain.reading import canonical
from reciplint.domain.recipe import RecipeFile
from reciplint.yamltree.tree import Mapping as MappingNode
from reciplint.yamltree.tree import Scalar, Tree

_MOST_COMPARED = 300
"""Recipes of one sort in one directory that are compared with one another; more are taken in parts."""

Settings = Mapping[tuple[str, ...], str]


class Copy(NamedTuple):
    """A recipe with its tree, and its settings as JSON text."""

    path: str
    tree: Tree
    settings: Settings

    @property
    def plain(self) -> dict[str, Any]:
        """The loaded value."""
        value: dict[str, Any] = self.tree.plain
        return value


class Group(NamedTuple):
    """Near copies: the one that the others are nearest to, and the others in order."""

    first: Copy
    others: tuple[Copy, ...]

    @property
    def copies(self) -> tuple[Copy, ...]:
        """All of them, the first one first."""
        return self.first, *self.others


def may_be_copy(recipe: RecipeFile) -> bool:
    """Whether a recipe is a plain one with a name, as far as its facts tell."""
    return bool(recipe.facts.name) and [variant.selector for variant in recipe.facts.variants] == [""]


def sort_of(recipe: RecipeFile) -> tuple[object, ...]:
    """What near copies have in common: the schema, and the roles with their engines."""
    (variant,) = recipe.facts.variants
    return (variant.schema, *((role.name, role.engine) for role in variant.roles))


def copy_of(path: str, tree: Tree | None) -> Copy | None:
    """A recipe to compare; None for one that is swept (its values are filled in), has tags (of which we load the text
    alone), or is no single mapping."""
    if tree is None or len(tree.documents) != 1 or not isinstance(tree.root, MappingNode):
        return None
    plain = tree.plain
    tagged: tuple[Scalar | MappingNode, ...] = (*tree.scalars, *tree.mapping_nodes)
    if any(node.tag is not None for node in tagged):
        return None
    if "sweep" in plain or not isinstance(plain.get("name"), str):
        return None
    return Copy(path, tree, {place: text for place, text in _leaves(plain, ()) if place != ("name",)})


def groups(copies: Iterable[Copy], least: int, most_differing: int) -> Iterator[Group]:
    """Groups of at least `least` recipes of which each differs from the first in at most `most_differing` settings:
    the largest first, each recipe in one of them."""
    listed = tuple(sorted(copies, key=in_order))
    for start in range(0, len(listed), _MOST_COMPARED):
        yield from _groups(listed[start : start + _MOST_COMPARED], max(least, 2), most_differing)


def in_order(copy: Copy) -> tuple[tuple[str | int, ...], str]:
    """A sort key by path, numbers in it by their value."""
    parts = re.split(r"(\d+)", copy.path)
    return tuple(int(part) if part.isdecimal() else part for part in parts), copy.path


def differing(one: Settings, other: Settings) -> int:
    """How many settings differ, or stand in one alone."""
    return sum(other.get(place) != text for place, text in one.items()) + len(other.keys() - one.keys())


def _groups(copies: tuple[Copy, ...], least: int, most_differing: int) -> Iterator[Group]:
    near: dict[int, dict[int, int]] = defaultdict(dict)
    for left, one in enumerate(copies):
        near[left][left] = 0
        for right in range(left):
            count = differing(one.settings, copies[right].settings)
            if count <= most_differing:
                near[left][right] = near[right][left] = count
    free = set(near)
    while free:
        first = min(free, key=lambda each: _standing(near[each], free, each))
        members = sorted(near[first].keys() & free)
        if len(members) < least:
            return
        yield Group(copies[first], tuple(copies[each] for each in members if each != first))
        free.difference_update(members)


def _standing(near: Mapping[int, int], free: set[int], each: int) -> tuple[int, int, int]:
    """How well one stands for others: those near to it, then how near they are, then its place in the directory."""
    counts = [count for other, count in near.items() if other in free]
    return -len(counts), sum(counts), each


def _leaves(value: Any, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, (*place, key))
    else:
        yield place, canonical(value)
