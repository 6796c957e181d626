"""What is wrong with the shape of a recipe: its bundle, each of its variants, and the conditions between fields.

Every variant is judged as srt-slurm would load it. A fault points to where its value is written, in the override or in
the base, and is told once however many variants have it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from reciplint.domain.faults import Fault, show, structural, without_echoes
from reciplint.domain.recipe_bundle import GROUPS, Source, bundle_faults
from reciplint.domain.recipe_conditions import at, conditions_1, conditions_2, conditions_llmd
from reciplint.domain.schemas import conforms
from reciplint.domain.variants import expand
from reciplint.yamltree.tree import Tree

SCHEMA_1, SCHEMA_2, LLMD = "recipe-1", "recipe-2", "recipe-llmd"

_CONDITIONS = {SCHEMA_1: conditions_1, SCHEMA_2: conditions_2}
_REQUIRED = {SCHEMA_1: ("name", "model", "resources"), SCHEMA_2: ("schema", "name", "resources")}
_BOUND = ("path", "container", "precision")
"""What InferenceX writes into the model of a fragment."""

_MERGED = ("model", "benchmark", "telemetry")
"""Blocks of a fragment that InferenceX merges over shared ones, which may hold what is missing here."""

_BLOCKS = frozenset(("name", "model", "resources", "backend", "roles", "engine", "benchmark", "frontend"))
"""Blocks that make a recipe: two of them, or a base, or the file is something else in a folder of recipes."""

_SHOWN = 3
_PLACEHOLDER = re.compile(r"\$\{\w+\}|@[a-z]+\.[a-z-]+")
_BOOLEANS = frozenset(
    spelling
    for word in ("t", "true", "on", "y", "yes", "1", "f", "false", "off", "n", "no", "0")
    for spelling in (word, word.upper(), word.capitalize())
)
"""Texts that marshmallow takes for a truth value."""


def recipe_schema(root: Mapping[str, Any]) -> str:
    """The name of the schema that a loaded recipe file follows: by `schema`, else by the blocks that it uses."""
    body = root["base"] if isinstance(root.get("base"), dict) else root
    stated = root.get("schema", body.get("schema"))
    if stated is not None:
        return SCHEMA_1 if stated == 1 and stated is not True else SCHEMA_2
    return SCHEMA_2 if body.get("roles") is not None or ("engine" in body and "backend" not in body) else SCHEMA_1


def is_fragment(root: Mapping[str, Any]) -> bool:
    """Whether a loaded recipe is of schema 2 and leaves the model to whoever binds it, as those of InferenceX do."""
    bodies = [root, *root.values()]
    return recipe_schema(root) == SCHEMA_2 and not any(at(body, "model", key) for body in bodies for key in _BOUND)


def recipe_faults(tree: Tree, root: Any, whole: bool = False) -> list[Fault]:
    """Every fault of a loaded srt-slurm recipe, at paths of the file.

    A fragment is not asked for what it may be merged over, unless `whole` says that nobody will. A fault in the base
    that only some variants have names them in its arguments, as `variants`.
    """
    if not isinstance(root, dict):
        return [Fault((), "value", "not-a-mapping", {"found": show(root)})]
    if "base" not in root and len(_BLOCKS.intersection(root)) < 2:
        return []  # a table of experts or a cluster's settings beside the recipes
    found = list(bundle_faults(tree, root)) if "base" in root else []
    broken = {fault.path[0] for fault in found}
    if "base" in broken:
        return found
    fragment = not whole and is_fragment(root)
    variants = [(selector, variant) for selector, variant in expand(root) if selector.partition("[")[0] not in broken]
    has_groups = any(selector.startswith(GROUPS) for selector, _ in variants)
    source = Source(tree, root)
    told: dict[tuple[object, ...], tuple[Fault, list[str]]] = {}
    for selector, variant in variants:
        partial = selector == "base" and has_groups
        for fault in variant_faults(variant, recipe_schema(root), fragment=fragment, partial=partial):
            if selector and _is_named_by_group(fault):
                continue
            placed = source.place(selector, fault)
            identity = (placed.path, placed.place, placed.name, tuple(placed.arguments.items()))
            told.setdefault(identity, (placed, []))[1].append(selector)
    selectors = [selector for selector, _ in variants if selector != "base"]
    return found + [_naming(fault, having, selectors) for fault, having in told.values()]


def variant_faults(variant: dict[str, Any], name: str, *, fragment: bool = False, partial: bool = False) -> list[Fault]:
    """Every fault of one expanded variant, by itself and at its own paths.

    Of a fragment nothing is asked that InferenceX adds; of a partial one, a base that only runs with something over
    it, nothing at all: only what stands there is judged.
    """
    required = [] if partial else [key for key in _REQUIRED[name] if key not in variant]
    if name == SCHEMA_2 and not fragment and not partial and "model" not in variant:
        required.append("model")
    conditions = [] if partial else list(_CONDITIONS[name](variant))
    if not required and not conditions and conforms(name, variant, "settings"):
        return []
    faults = _judged(structural(name, variant, "settings"), variant)
    faults += [Fault((), "owner", "missing-key", {"key": key}) for key in required]
    wrong = {fault.path for fault in faults if fault.place == "value" and not fault.tolerated}
    faults += [fault for fault in conditions if fault.path not in wrong]
    if fragment:
        faults = [fault for fault in faults if not _may_be_merged(fault)]
    if partial:
        faults = [fault for fault in faults if fault.place != "owner" and not _may_be_of_another(fault, variant)]
    return without_echoes(faults)


def block_faults(root: Any) -> list[Fault]:
    """Every fault of a loaded block that recipes of schema 2 are merged over: nothing needs to stand in it."""
    faults = _judged(structural(SCHEMA_2, root, "settings"), root)
    return [fault for fault in faults if fault.name != "missing-key"]


def llmd_faults(root: Any) -> list[Fault]:
    """Every fault of a loaded llm-d recipe. Its launcher reads `tp: "8"` as 8; to it, any text is true."""
    faults = structural(LLMD, root)
    for index, fault in enumerate(faults):
        if fault.name == "not-an-integer":
            faults[index] = replace(fault, tolerated=_converts(fault.name, at(root, *fault.path)))
    return without_echoes(faults or conditions_llmd(root))


def _is_named_by_group(fault: Fault) -> bool:
    """Whether only the name is missing: srt-slurm names a variant after its group."""
    return fault.path == () and fault.arguments.get("key") == "name" and fault.name == "missing-key"


def _may_be_merged(fault: Fault) -> bool:
    return fault.name in ("missing-key", "missing-for") and fault.path != () and fault.path[0] in _MERGED


def _may_be_of_another(fault: Fault, base: dict[str, Any]) -> bool:
    """Whether a setting of a base's backend may belong to an engine that only the variants name."""
    return fault.path[:1] == ("backend",) and at(base, "backend", "type") is None


def _naming(fault: Fault, having: list[str], selectors: list[str]) -> Fault:
    """A fault in the base with the variants that have it, if others do not."""
    if fault.path[:1] != ("base",) or "base" in having or len(having) == len(selectors):
        return fault
    shown = (*having[:_SHOWN], "…") if len(having) > _SHOWN else tuple(having)
    return replace(fault, arguments={**fault.arguments, "variants": shown})


def _judged(faults: list[Fault], variant: Any) -> list[Fault]:
    """The faults without those of placeholders; what srt-slurm converts on loading is tolerated."""
    sweep = at(variant, "sweep")
    parameters = [f"{{{name}}}" for name in sweep] if isinstance(sweep, dict) else []
    judged = []
    for fault in faults:
        value = at(variant, *fault.path) if fault.place == "value" else None
        if not isinstance(value, str) or not _is_filled_in(value, parameters):
            judged.append(replace(fault, tolerated=_converts(fault.name, value)))
    return judged


def _is_filled_in(value: str, parameters: list[str]) -> bool:
    return bool(_PLACEHOLDER.search(value)) or any(name in value for name in parameters)


def _converts(name: str, value: Any) -> bool:
    """Whether srt-slurm's loader (marshmallow) makes a value of the wanted type of a wrong one."""
    if name == "not-a-boolean":
        return (isinstance(value, str) and value in _BOOLEANS) or value in (0, 1)
    if isinstance(value, bool) or not isinstance(value, (str, float)):
        return False
    try:
        number = int(value) if name == "not-an-integer" else float(value) if name == "not-a-number" else math.nan
    except (ValueError, OverflowError):
        return False
    return math.isfinite(number)
