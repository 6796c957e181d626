"""What is wrong with the shape of a vLLM recipe, a strategy, a taxonomy or a list of platforms.

The schemas give keys and types. A key that no schema knows and that resembles none is a warning: these files gain
keys every month. The conditions here are those between fields, of which the site's own build checks the modes only.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher, get_close_matches
from typing import Any

from msgspec.structs import replace

from reciplint.domain.faults import Fault, Path, dashed, show, structural, under, under_any, without_echoes
from reciplint.repo.kinds import Kind

SCHEMAS = {
    Kind.VLLM_RECIPE: "vllm-recipe",
    Kind.VLLM_STRATEGY: "vllm-strategy",
    Kind.VLLM_TAXONOMY: "vllm-taxonomy",
    Kind.VLLM_PLATFORMS: "vllm-platforms",
}
_PARALLELISMS = ("tp", "tep", "dep")
_SHOWN_ONLY = frozenset(
    ("slug", "provider", "description", "date_updated", "architecture", "parameter_count", "vram_minimum_gb", "guide")
)
"""Keys without which the page has a gap, and the command is the same."""

_ALL_BUT_EQUAL = 0.8
_ENVIRONMENTS = frozenset(("env", "extra_env", "base_env"))


def vllm_faults(kind: Kind, root: Any) -> list[Fault]:
    """Every fault of a loaded file of one of the kinds of vLLM recipes."""
    found = [_softened(fault) for fault in structural(SCHEMAS[kind], root)]
    if kind is Kind.VLLM_RECIPE and isinstance(root, dict):
        found += [fault for fault in _conditions(root) if not _is_echo(fault, found)]
    return without_echoes(found)


def _is_echo(fault: Fault, found: list[Fault]) -> bool:
    """Whether a condition fails because of what the schema already found."""
    return under_any(fault.path, found) or (fault.name == "empty-feature" and under(fault.path, found))


def _softened(fault: Fault) -> Fault:
    """The fault, as a warning where the file still does what it says or where upstream may know more than we do."""
    in_environment = fault.name == "not-text" and len(fault.path) > 1 and fault.path[-2] in _ENVIRONMENTS
    is_lenient = (
        fault.path == ("meta", "difficulty")
        or (fault.name == "missing-key" and fault.arguments.get("key") in _SHOWN_ONLY)
        or (fault.name in ("unknown-key", "unknown-key-here") and not _is_slip(fault))
        or (in_environment and fault.arguments.get("found") != "empty")
    )
    return replace(fault, tolerated=True) if is_lenient else fault


def _is_slip(fault: Fault) -> bool:
    """Whether an unknown key is all but equal to a known one, and not one that later releases may have added."""
    key, known = (dashed(str(fault.arguments.get(name, ""))) for name in ("key", "suggestion"))
    return SequenceMatcher(None, key, known).ratio() >= _ALL_BUT_EQUAL


def _conditions(root: Mapping[str, Any]) -> Iterator[Fault]:
    features, variants = _map(root, "features"), _map(root, "variants")
    yield from _dates(_map(root, "meta"))
    yield from _parameters(_map(root, "model"))
    yield from _variables(root, ())
    yield from _names(("opt_in_features",), root.get("opt_in_features"), "feature", features)
    for hardware, names in _map(root, "hardware_opt_in_features").items():
        yield from _names(("hardware_opt_in_features", hardware), names, "feature", features)
    if variants and "default" not in variants:
        yield Fault(("variants",), "owner", "missing-key", {"key": "default"})
    for name, feature in features.items():
        if isinstance(feature, dict):
            yield from _feature(("features", name), feature, variants)
    for name, variant in variants.items():
        yield from _default_modes(("variants", name, "default_modes"), name, _map(variant, "default_modes"), features)
    for name, preset in _map(root, "presets").items():
        yield from _preset(("presets", name), preset, features, variants)
    yield from _strategies(root)
    yield from _omni(root)


def _dates(meta: Mapping[str, Any]) -> Iterator[Fault]:
    days: dict[str, datetime.date] = {}
    for name in ("date_added", "date_updated"):
        try:
            days[name] = datetime.date.fromisoformat(meta[name])
        except (KeyError, TypeError):
            continue
        except ValueError:
            yield Fault(("meta", name), "value", "no-such-day", {"found": show(meta[name])})
    added, updated = days.get("date_added"), days.get("date_updated")
    if added is not None and updated is not None and updated < added:
        shown = {"found": updated.isoformat(), "added": added.isoformat()}
        yield Fault(("meta", "date_updated"), "value", "updated-before-added", shown, tolerated=True)


_COUNT = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>[KMBT])\Z")
_UNITS = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def _parameters(model: Mapping[str, Any]) -> Iterator[Fault]:
    """Not more parameters can be active than there are."""
    texts = [str(model.get(name)) for name in ("active_parameters", "parameter_count")]
    matches = [_COUNT.match(text) for text in texts]
    active, total = (float(match["number"]) * _UNITS[match["unit"]] if match else 0.0 for match in matches)
    if active > total > 0:
        shown = {"found": texts[0], "total": texts[1]}
        yield Fault(("model", "active_parameters"), "value", "active-above-all", shown, tolerated=True)


def _variables(value: Any, path: Path) -> Iterator[Fault]:
    """The names in every environment."""
    if isinstance(value, dict):
        for name, item in value.items():
            if path and path[-1] in _ENVIRONMENTS and not _VARIABLE.match(name):
                yield Fault((*path, name), "key", "not-a-variable", {"found": show(name)})
            yield from _variables(item, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _variables(item, (*path, index))


def _feature(path: Path, feature: Mapping[str, Any], variants: Mapping[str, Any]) -> Iterator[Fault]:
    modes = _map(feature, "modes")
    if modes and feature.get("args") is not None:
        yield Fault((*path, "args"), "key", "args-and-modes", {})
    if not any(name in feature for name in ("args", "modes", "env", "companion", "hardware_overrides")):
        yield Fault(path, "key", "empty-feature", {}, tolerated=True)
    if modes and isinstance(feature.get("default_mode"), str):
        yield from _name((*path, "default_mode"), feature["default_mode"], "mode", modes)
    for name, mode in modes.items():
        if isinstance(mode, dict):
            yield from _names((*path, "modes", name, "variants"), mode.get("variants"), "variant", variants)


def _default_modes(path: Path, variant: str, chosen: Mapping[str, Any], features: Mapping[str, Any]) -> Iterator[Fault]:
    for name, mode in chosen.items():
        yield from _name((*path, name), name, "feature", features, place="key")
        modes = _map(features.get(name), "modes")
        if name not in features or not isinstance(mode, str):
            continue
        yield from _name((*path, name), mode, "mode", modes)
        allowed = modes[mode].get("variants") if isinstance(modes.get(mode), dict) else None
        if isinstance(allowed, list) and allowed and variant not in allowed:
            known = tuple(map(str, allowed))
            yield Fault((*path, name), "value", "not-for-variant", {"found": show(mode), "known": known})


def _preset(path: Path, preset: Any, features: Mapping[str, Any], variants: Mapping[str, Any]) -> Iterator[Fault]:
    if isinstance(preset, dict):
        yield from _names((*path, "variants"), preset.get("variants"), "variant", variants)
        for name in _map(_map(preset, "select"), "features"):
            yield from _name((*path, "select", "features", name), name, "feature", features, place="key")


def _strategies(root: Mapping[str, Any]) -> Iterator[Fault]:
    listed = root.get("compatible_strategies")
    granted = [name for name, gate in _map(root, "strategy_hardware").items() if "supported" in _values(gate)]
    offered = [*(listed if isinstance(listed, list) else ()), *granted]
    if not offered and listed == [] and not _is_omni(root):
        yield Fault(("compatible_strategies",), "key", "nothing-offered", {})
    seen: set[str] = set()
    for index, name in enumerate(listed if isinstance(listed, list) else ()):
        if not isinstance(name, str):
            continue
        if name in seen:
            yield Fault(("compatible_strategies", index), "value", "repeated", {"found": show(name)}, tolerated=True)
        seen.add(name)
    default = root.get("default_strategy")
    if isinstance(default, str) and offered and default not in offered:
        yield Fault(("default_strategy",), "value", "not-offered", {"found": show(default)}, tolerated=True)
    for name, override in _map(root, "strategy_overrides").items():
        for role in ("prefill", "decode"):
            yield from _parallelism(("strategy_overrides", name, role, "parallelism"), _map(override, role))


def _parallelism(path: Path, pool: Mapping[str, Any]) -> Iterator[Fault]:
    chosen = pool.get("parallelism")
    listed = chosen.items() if isinstance(chosen, dict) else (("", chosen),)
    for name, value in listed:
        if value is not None and value not in _PARALLELISMS:
            where = (*path, name) if name else path
            yield Fault(where, "value", "not-a-parallelism", {"found": show(value)})


def _omni(root: Mapping[str, Any]) -> Iterator[Fault]:
    meta = _map(root, "meta")
    default = meta.get("default_hardware")
    if isinstance(default, str) and _map(meta, "hardware").get(default) == "unsupported":
        path = ("meta", "default_hardware")
        yield Fault(path, "value", "hardware-ruled-out", {"found": show(default)}, tolerated=True)
    tasks = meta.get("tasks")
    if not isinstance(tasks, list) or not tasks:
        return
    if _is_omni(root) and "omni" not in root:
        yield Fault(("meta", "tasks", tasks.index("omni")), "value", "no-omni-block", {}, tolerated=True)
    if "omni" in root and not _is_omni(root):
        yield Fault(("omni",), "key", "no-omni-task", {"known": tuple(map(str, tasks))}, tolerated=True)
    if _map(root, "model").get("context_length") == 0 and not _is_omni(root):
        yield Fault(("model", "context_length"), "value", "no-context", {}, tolerated=True)


def _is_omni(root: Mapping[str, Any]) -> bool:
    tasks = _map(root, "meta").get("tasks")
    return isinstance(tasks, list) and "omni" in tasks


def _names(path: Path, listed: Any, what: str, known: Mapping[str, Any]) -> Iterator[Fault]:
    for index, name in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(name, str):
            yield from _name((*path, index), name, what, known)


def _name(path: Path, name: str, what: str, known: Mapping[str, Any], place: str = "value") -> Iterator[Fault]:
    if name in known:
        return
    near = get_close_matches(name, list(known), 1)
    arguments = {"what": what, "near": near[0] if near else ""}
    if place == "key":
        yield Fault(path, "key", "unknown-name-key", {"found": name, **arguments})
    else:
        yield Fault(path, "value", "unknown-name", {"found": show(name), **arguments})


def _map(value: Any, name: str) -> Mapping[str, Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _values(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else []
