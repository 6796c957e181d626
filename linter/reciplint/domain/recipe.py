"""An srt-slurm recipe, schema 1 or 2, in one normal form: what it is called, what it runs, its maps of settings.

Schema 1 keeps engine flags in `backend.<engine>_config.<role>` and environments in `backend.<role>_environment`;
schema 2 in `roles.<role>.args` and `roles.<role>.env`. A file with `base` and `override_*` groups has several bodies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import msgspec

from reciplint.domain.reading import canonical, digest, mapping_of, own_entries, text_of
from reciplint.domain.variants import expand, is_bundle
from reciplint.repo.kinds import Kind
from reciplint.yamltree.scalars import load
from reciplint.yamltree.spans import FILE_START, Span
from reciplint.yamltree.tree import Concrete, Mapping, Scalar, Tree, target

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


class Setting(msgspec.Struct, frozen=True, array_like=True):
    """A key and its value as PyYAML loads it (as JSON text, so that equal text is an equal value)."""

    key: str
    key_span: Span
    value: str
    span: Span


class SettingsMap(msgspec.Struct, frozen=True, array_like=True):
    """A mapping of settings as written. `section` is `args` (engine flags), `env`, `frontend`, `sbatch` or `srun`;
    `role` is prefill, decode, agg or ""; `label` is how people call the place, as `vllm_config.prefill`."""

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


class Recipe(msgspec.Struct, frozen=True, tag="recipe"):
    """The facts of a recipe file. `digests` maps each selector, and "" for the whole file, to its meaning."""

    name: str
    name_span: Span
    schema: int
    engine: str
    gpu_type: str
    container: str
    container_span: Span
    maps: tuple[SettingsMap, ...]
    digests: dict[str, str]


class RecipeFile(msgspec.Struct, frozen=True):
    """A recipe with the path where it stands."""

    path: str
    facts: Recipe


def is_recipe(root: Concrete | None) -> bool:
    """Whether a YAML file has the shape of a recipe: a name, resources, and an engine or a backend."""
    if not isinstance(root, Mapping):
        return False
    body = mapping_of(root, "base") or root
    names = set(body.effective())
    return {"name", "resources"} <= names and bool({"backend", "roles", "engine"} & names)


def sniff(kind: Kind, root: Concrete | None) -> Kind:
    """The kind of a file by its shape where its place does not tell."""
    return Kind.RECIPE if kind is Kind.YAML and is_recipe(root) else kind


def read_recipe(tree: Tree) -> Recipe:
    """The facts of a recipe; what is missing is empty."""
    root = tree.root
    if not isinstance(root, Mapping):
        return Recipe("", FILE_START, 1, "", "", "", FILE_START, (), {})
    plain: dict[str, Any] = load(root)
    body = mapping_of(root, "base") or root
    model = mapping_of(body, "model")
    resources = mapping_of(body, "resources")
    container = model.get("container") if model else None
    name = body.get("name")
    return Recipe(
        name=text_of(body, "name") or "",
        name_span=tree.span(name) if name else FILE_START,
        schema=2 if _is_schema_2(root, body) else 1,
        engine=_engine(body, {}),
        gpu_type=(text_of(resources, "gpu_type") or "") if resources else "",
        container=container.value if isinstance(container, Scalar) else "",
        container_span=tree.span(container) if container else FILE_START,
        maps=tuple(_maps(_Source(tree, plain), root)),
        digests=_digests(plain),
    )


def _is_schema_2(root: Mapping, body: Mapping) -> bool:
    return "2" in (text_of(root, "schema"), text_of(body, "schema")) or body.get("roles") is not None


def _engine(body: Mapping, default: dict[str, str]) -> str:
    engine = body.get("engine")
    if isinstance(engine, Scalar):
        return engine.value
    if isinstance(engine, Mapping):
        return text_of(engine, "type") or ""
    backend = mapping_of(body, "backend")
    if backend is not None:
        return text_of(backend, "type") or default.get("backend", "sglang")
    return default.get("engine", "")


def _digests(plain: object) -> dict[str, str]:
    if not isinstance(plain, dict):
        return {}
    digests = {"": digest(plain)}
    if is_bundle(plain):
        digests.update((selector, digest(variant)) for selector, variant in expand(plain))
    return digests


class _Source(NamedTuple):
    """A tree with the value that was loaded from it, so that nothing is loaded twice."""

    tree: Tree
    plain: dict[str, Any]

    def at(self, place: tuple[str, ...]) -> Any:
        """The loaded value at a place; None where nothing stands."""
        value: Any = self.plain
        for name in place:
            value = value.get(name) if isinstance(value, dict) else None
        return value


def _maps(source: _Source, root: Mapping) -> Iterator[SettingsMap]:
    if mapping_of(root, "base") is None:
        yield from _body_maps(source, root, (), "")
        return
    engine = ""
    for entry in own_entries(root):
        name, value = entry.name or "", target(entry.value)
        if isinstance(value, Mapping) and (name == "base" or name.startswith(_BODY_PREFIXES)):
            engine = engine or _engine(value, {})
            yield from _body_maps(source, value, (name,), engine)


def _body_maps(source: _Source, body: Mapping, place: tuple[str, ...], inherited: str) -> Iterator[SettingsMap]:
    yield from _role_maps_1(source, body, place)
    yield from _role_maps_2(source, body, place, _engine(body, {"engine": inherited}) or inherited)
    frontend = mapping_of(body, "frontend")
    if frontend is not None:
        yield from _map(source, frontend, "args", "frontend", "", "frontend.args", "kebab", (*place, "frontend"))
        yield from _map(source, frontend, "env", "env", "", "frontend.env", "upper", (*place, "frontend"))
    yield from _map(source, body, "sbatch_directives", "sbatch", "", "sbatch_directives", "kebab", place)
    yield from _map(source, body, "srun_options", "srun", "", "srun_options", "kebab", place)
    yield from _map(source, body, "environment", "env", "", "environment", "upper", place)


def _role_maps_1(source: _Source, body: Mapping, place: tuple[str, ...]) -> Iterator[SettingsMap]:
    backend = mapping_of(body, "backend")
    if backend is None:
        return
    inside = (*place, "backend")
    for entry in own_entries(backend):
        name = entry.name or ""
        if name.endswith("_environment"):
            yield from _map(source, backend, name, "env", _role(name[:-12]), name, "upper", inside)
        elif name.endswith("_config") and name[:-7] in _ENGINE_CONVENTION:
            roles = target(entry.value)
            if not isinstance(roles, Mapping):
                continue
            for role in own_entries(roles):
                if role.name in ("prefill", "decode", "aggregated", "agg"):
                    label = f"{name}.{role.name}"
                    convention = _ENGINE_CONVENTION[name[:-7]]
                    yield from _map(
                        source, roles, role.name, "args", _role(role.name), label, convention, (*inside, name)
                    )


def _role_maps_2(source: _Source, body: Mapping, place: tuple[str, ...], engine: str) -> Iterator[SettingsMap]:
    roles = mapping_of(body, "roles")
    for entry in own_entries(roles) if roles else []:
        block = target(entry.value)
        if not isinstance(block, Mapping):
            continue
        role = _role(entry.name or "")
        convention = _ENGINE_CONVENTION.get(_engine(block, {}) or engine, "mixed")
        inside = (*place, "roles", entry.name or "")
        yield from _map(source, block, "args", "args", role, f"roles.{entry.name}.args", convention, inside)
        yield from _map(source, block, "env", "env", role, f"roles.{entry.name}.env", "upper", inside)
        yield from _map(
            source, block, "srun_options", "srun", role, f"roles.{entry.name}.srun_options", "kebab", inside
        )


def _role(name: str) -> str:
    return "agg" if name == "aggregated" else name


def _map(
    source: _Source,
    parent: Mapping,
    name: str,
    section: str,
    role: str,
    label: str,
    convention: Convention,
    place: tuple[str, ...],
) -> Iterator[SettingsMap]:
    entry = next((entry for entry in reversed(parent.entries) if entry.name == name), None)
    if entry is None or not isinstance(entry.value, Mapping):
        return
    node = entry.value
    yield SettingsMap(
        section=section,
        role=role,
        label=label,
        convention=convention,
        place=(*place, name),
        span=source.tree.span(node),
        key_span=source.tree.span(entry.key),
        anchor=node.anchor or "",
        merges=any(item.is_merge for item in node.entries),
        settings=tuple(_settings(source.tree, node, source.at((*place, name)))),
    )


def _settings(tree: Tree, node: Mapping, values: Any) -> Iterator[Setting]:
    for entry in own_entries(node):
        name = entry.name or ""
        yield Setting(name, tree.span(entry.key), canonical(values.get(name)), tree.span(entry.value))
