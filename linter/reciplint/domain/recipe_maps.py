"""The maps of settings in a recipe: engine flags, environments and Slurm options, wherever either schema keeps them.

Schema 1 keeps engine flags in `backend.<engine>_config.<role>` and environments in `backend.<role>_environment`;
schema 2 in `roles.<role>.args` and `roles.<role>.env`. A file with `base` and `override_*` groups has several bodies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from reciplint.domain.reading import canonical, mapping_of, own_entries, text_of
from reciplint.yamltree.scalars import load
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Concrete, Mapping, Node, Scalar, Tree, target

Convention = Literal["kebab", "snake", "upper", "mixed"]

_ENGINE_CONVENTION: dict[str, Convention] = {
    "vllm": "kebab",
    "sglang": "kebab",
    "tilert": "kebab",
    "tokenspeed": "kebab",
    "trtllm": "snake",
    "mocker": "mixed",
    "atom": "mixed",
}
_BODY_PREFIXES = ("override_", "zip_override_")


class MapPlace(NamedTuple):
    """A mapping of settings as written. `section` is `args` (engine flags), `env`, `frontend`, `sbatch` or `srun`;
    `role` is prefill, decode, agg or ""; `label` is how people call the place, as `vllm_config.prefill`."""

    section: str
    role: str
    label: str
    convention: Convention
    place: tuple[str, ...]
    key: Node
    node: Mapping


class Setting(msgspec.Struct, frozen=True, array_like=True):
    """A key and its value as PyYAML loads it (as JSON text, so that equal text is an equal value)."""

    key: str
    key_span: Span
    value: str
    span: Span


class SettingsMap(msgspec.Struct, frozen=True, array_like=True):
    """A `MapPlace` with its settings read and every span told."""

    section: str
    role: str
    label: str
    convention: Convention
    place: tuple[str, ...]
    span: Span
    key_span: Span
    anchor: str
    merges: bool
    settings: tuple[Setting, ...]


def is_schema_2(root: Mapping, body: Mapping) -> bool:
    """Whether a recipe is written in srt-slurm's schema 2."""
    return "2" in (text_of(root, "schema"), text_of(body, "schema")) or body.get("roles") is not None


def engine_of(body: Mapping, inherited: str = "") -> str:
    """The engine that a body names; schema 1 without a type means SGLang."""
    engine = body.get("engine")
    if isinstance(engine, Scalar):
        return engine.value
    if isinstance(engine, Mapping):
        return text_of(engine, "type") or ""
    backend = mapping_of(body, "backend")
    if backend is not None:
        return text_of(backend, "type") or "sglang"
    return inherited


def read_maps(tree: Tree) -> tuple[SettingsMap, ...]:
    """Every map of a recipe with its settings."""
    return tuple(_read(tree, place) for place in map_places(tree.root))


def map_places(root: Concrete | None) -> Iterator[MapPlace]:
    """Every map of a recipe, in source order within each sort."""
    if not isinstance(root, Mapping):
        return
    if mapping_of(root, "base") is None:
        yield from _body_maps(root, (), "")
        return
    engine = ""
    for entry in own_entries(root):
        name, value = entry.name or "", target(entry.value)
        if isinstance(value, Mapping) and (name == "base" or name.startswith(_BODY_PREFIXES)):
            engine = engine or engine_of(value)
            yield from _body_maps(value, (name,), engine)


def is_environment(name: str) -> bool:
    """Whether a key of a recipe holds environment variables, in either schema."""
    return name in ("env", "environment") or name.endswith("_environment")


def _read(tree: Tree, found: MapPlace) -> SettingsMap:
    spans_of = tree.lines.entry_spans
    settings = []
    for entry in own_entries(found.node):
        key, value = entry
        key_span, span = spans_of(key.start, key.end, value.start, value.end)
        settings.append(Setting(entry.name or "", key_span, canonical(load(value)), span))
    return SettingsMap(
        section=found.section,
        role=found.role,
        label=found.label,
        convention=found.convention,
        place=found.place,
        span=tree.span(found.node),
        key_span=tree.span(found.key),
        anchor=found.node.anchor or "",
        merges=found.node.is_merging,
        settings=tuple(settings),
    )


def _body_maps(body: Mapping, place: tuple[str, ...], inherited: str) -> Iterator[MapPlace]:
    yield from _role_maps_1(body, place)
    yield from _role_maps_2(body, place, engine_of(body, inherited) or inherited)
    frontend = mapping_of(body, "frontend")
    if frontend is not None:
        yield from _map(frontend, "args", "frontend", "", "frontend.args", "kebab", (*place, "frontend"))
        yield from _map(frontend, "env", "env", "", "frontend.env", "upper", (*place, "frontend"))
    yield from _map(body, "sbatch_directives", "sbatch", "", "sbatch_directives", "kebab", place)
    yield from _map(body, "srun_options", "srun", "", "srun_options", "kebab", place)
    yield from _map(body, "environment", "env", "", "environment", "upper", place)


def _role_maps_1(body: Mapping, place: tuple[str, ...]) -> Iterator[MapPlace]:
    backend = mapping_of(body, "backend")
    if backend is None:
        return
    inside = (*place, "backend")
    for entry in own_entries(backend):
        name = entry.name or ""
        if name.endswith("_environment"):
            yield from _map(backend, name, "env", _role(name[:-12]), name, "upper", inside)
        elif name.endswith("_config") and name[:-7] in _ENGINE_CONVENTION:
            roles = target(entry.value)
            if isinstance(roles, Mapping):
                yield from _engine_maps(roles, name, (*inside, name))


def _engine_maps(roles: Mapping, name: str, place: tuple[str, ...]) -> Iterator[MapPlace]:
    for role in own_entries(roles):
        if role.name in ("prefill", "decode", "aggregated", "agg"):
            convention = _ENGINE_CONVENTION[name[:-7]]
            yield from _map(roles, role.name, "args", _role(role.name), f"{name}.{role.name}", convention, place)


def _role_maps_2(body: Mapping, place: tuple[str, ...], engine: str) -> Iterator[MapPlace]:
    roles = mapping_of(body, "roles")
    for entry in own_entries(roles) if roles else []:
        block = target(entry.value)
        if not isinstance(block, Mapping):
            continue
        role = _role(entry.name or "")
        convention = _ENGINE_CONVENTION.get(engine_of(block) or engine, "mixed")
        inside = (*place, "roles", entry.name or "")
        yield from _map(block, "args", "args", role, f"roles.{entry.name}.args", convention, inside)
        yield from _map(block, "env", "env", role, f"roles.{entry.name}.env", "upper", inside)
        yield from _map(block, "srun_options", "srun", role, f"roles.{entry.name}.srun_options", "kebab", inside)


def _role(name: str) -> str:
    return "agg" if name == "aggregated" else name


def _map(
    parent: Mapping, name: str, section: str, role: str, label: str, convention: Convention, place: tuple[str, ...]
) -> Iterator[MapPlace]:
    entry = parent.named.get(name)
    if entry is not None and isinstance(entry.value, Mapping):
        yield MapPlace(section, role, label, convention, (*place, name), entry.key, entry.value)
