"""Where a recipe's variant says what a role gets and how its engine is set: the spans that findings point at."""

from __future__ import annotations

from typing import NamedTuple

from reciplint.domain.recipe_variant import RecipeRole, Variant
from reciplint.domain.variant_places import locate, span_of
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Mapping, Tree, target


class Written(NamedTuple):
    """Where a value stands. `body` is the part of the file that says it (`base`, an override, "" for a plain recipe),
    `is_exact` whether the value is written at all; else the span is of what comes nearest."""

    body: str
    span: Span
    is_exact: bool


def resource_path(variant: Variant, role: RecipeRole, what: str) -> tuple[str, ...]:
    """The path of a role's `nodes`, `workers` or `gpus` (per worker) in a variant of either schema."""
    if variant.schema == 2:
        return ("roles", role.name, what)
    return ("resources", f"gpus_per_{role.name}" if what == "gpus" else f"{role.name}_{what}")


def written(tree: Tree, variant: Variant, path: tuple[str, ...]) -> Written:
    """Where a value of a variant is written."""
    place = locate(tree, variant.selector, path)
    body, depth = (place.body, place.depth) if place else ("", 0)
    return Written(body, span_of(tree, variant.selector, path), depth == len(path))


def resources_of(tree: Tree, variant: Variant, role: RecipeRole) -> Written:
    """Where a role's GPUs are given: per worker, else by its nodes or workers."""
    found = [written(tree, variant, resource_path(variant, role, what)) for what in ("gpus", "nodes", "workers")]
    return next((place for place in found if place.is_exact), found[0])


def flag_of(tree: Tree, variant: Variant, role: RecipeRole, flags: tuple[str, ...]) -> Written:
    """Where a role sets the first of some flags that it sets, dashes and underscores being one; else its flags'
    key."""
    place = locate(tree, variant.selector, role.args_path)
    names = _keys(tree, variant, role.args_path) if place else {}
    for flag in flags:
        if (key := names.get(flag.replace("_", "-"))) is not None:
            return written(tree, variant, (*role.args_path, key))
    return written(tree, variant, role.args_path)._replace(is_exact=False)


def _keys(tree: Tree, variant: Variant, path: tuple[str, ...]) -> dict[str, str]:
    """The keys of a variant's mapping by their dashed spelling, the override's own before the base's."""
    found: dict[str, str] = {}
    for selector in ("base", variant.selector):
        place = locate(tree, selector if variant.selector else "", path)
        node = target(place.value) if place and place.depth == len(path) else None
        if isinstance(node, Mapping):
            found.update({key.replace("_", "-"): key for key in node.effective()})
    return found
