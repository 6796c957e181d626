"""Serve configurations of an srt-slurm recipe, schema 1 or 2: every role of every variant.

Flags are a mapping that srt-slurm turns into arguments: dashes for underscores, `true` a switch, `false` and `null`
dropped, a list several arguments, all else its text. TensorRT-LLM's mapping is its configuration file. A role gets its
own environment, and the recipe's `environment` over it.

Source: srt-slurm's backends and worker stage (August 2026).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Literal

from reciplint.domain.kv_cache import SHORTHANDS
from reciplint.domain.recipe_variant import RecipeRole, Variant, recipe_variants
from reciplint.domain.serving.config import (
    Deployment,
    Flag,
    Piece,
    Place,
    Program,
    Selector,
    ServeConfig,
    Source,
    Spelled,
    Value,
    Variable,
    normal_name,
)
from reciplint.domain.variant_places import locate, own_mapping, point_of
from reciplint.yamltree.replacing import Path
from reciplint.yamltree.tree import Entry, Node, Scalar, Sequence, Tree, target
from reciplint.yamltree.tree import Mapping as MappingNode

_PROGRAMS = {
    ("vllm", "vllm"): Program(("vllm", "serve")),
    ("vllm", ""): Program(("python3", "-m", "dynamo.vllm"), "--model"),
    ("sglang", "sglang"): Program(("python3", "-m", "sglang.launch_server"), "--model-path"),
    ("sglang", ""): Program(("python3", "-m", "dynamo.sglang"), "--model-path"),
    ("trtllm", "trtllm"): Program(("trtllm-serve", "serve")),
    ("trtllm", "trtllm-serve"): Program(("trtllm-serve", "serve")),
    ("trtllm", "trtllm_serve"): Program(("trtllm-serve", "serve")),
    ("trtllm", ""): Program(("python3", "-m", "dynamo.trtllm"), "--model-path"),
}
"""What is started, by engine and frontend; "" stands for any other frontend, which is Dynamo's."""

_KVBM_MODULE = "kvbm.vllm_integration.connector"


def read_recipe_deployments(tree: Tree, path: str) -> tuple[Deployment, ...]:
    """The processes of each runnable variant; none for what is no recipe."""
    source = Source(path, tree.lines)
    variants = recipe_variants(tree)
    runnable = [item for item in variants if item[0].selector != "base"] or variants
    found = (Deployment(tuple(_processes(tree, source, variant, body))) for variant, body in runnable)
    return tuple(deployment for deployment in found if deployment.processes)


def _processes(tree: Tree, source: Source, variant: Variant, body: Mapping[str, Any]) -> Iterator[ServeConfig]:
    reader = _Reader(tree, source, variant, body)
    shared = tuple(reader.variables(("environment",)))
    for role in variant.roles:
        if role.workers != 0:
            yield reader.process(role, shared)


class _Reader:
    """What one variant says, and where."""

    def __init__(self, tree: Tree, source: Source, variant: Variant, body: Mapping[str, Any]) -> None:
        self._tree = tree
        self._source = source
        self._variant = variant
        self._body = body

    def process(self, role: RecipeRole, shared: tuple[Variable, ...]) -> ServeConfig:
        """A role's process, with the variables that all roles get besides its own."""
        variant = self._variant
        frontend = _text(self._body, ("frontend", "type"))
        program = _PROGRAMS.get((role.engine, frontend)) or _PROGRAMS.get((role.engine, "")) or Program((role.engine,))
        flags = tuple(self._flags(role))
        return ServeConfig(
            engine=role.engine,
            role=role.name,
            carrier="recipe",
            program=program,
            selectors=(Selector("variant", variant.selector),) if variant.selector else (),
            written=_Whereabouts(self, role.args_path, role.env_path),
            model=variant.model,
            image=variant.container,
            hardware=variant.gpu_type.lower(),
            workers=role.workers,
            nodes=role.nodes,
            gpus=role.gpus if role.gpus is not None else role.topology.gpus if role.topology.stated else None,
            flags=(*flags, *self._connector(role, flags)),
            env=(*self.variables(role.env_path), *shared),
            config_flags=role.engine == "trtllm",
        )

    def _flags(self, role: RecipeRole) -> Iterator[Flag]:
        path, is_file = role.args_path, role.engine == "trtllm"
        loaded = _at(self._body, path)
        written = _Entries(self, path)
        for name, value in loaded.items() if isinstance(loaded, dict) else ():
            if name == "connector" and role.engine == "vllm":
                continue  # srt-slurm's own shorthand, as `_connector` reads it
            normal, negated = normal_name(name)
            is_sent = is_file or (value is not None and value is not False)
            yield Flag(name, normal, value, written, negated, is_sent, False, (*path, name))

    def variables(self, path: tuple[str, ...]) -> Iterator[Variable]:
        """The variables of a mapping of the variant."""
        loaded = _at(self._body, path)
        written = _Entries(self, path)
        for name, value in loaded.items() if isinstance(loaded, dict) else ():
            if value is not None:
                yield Variable(name, value if isinstance(value, str) else str(value), written)

    def _connector(self, role: RecipeRole, flags: tuple[Flag, ...]) -> Iterator[Flag]:
        """What srt-slurm makes of `connector`, the role's own or the backend's; a flag of the role comes after it and
        wins, so that then nothing is to be told."""
        if role.engine != "vllm" or any(flag.normal == "kv-transfer-config" and flag.is_sent for flag in flags):
            return
        for path in ((*role.args_path, "connector"), ("roles", role.name, "engine", "connector"), *_CONNECTORS):
            value = _at(self._body, path)
            if value is None:
                continue
            place = self.value_place(path)
            if isinstance(value, str) and value not in ("", "null", "none") and place is not None:
                name = SHORTHANDS.get(value.lower())
                text = _transfer_config(name) if name else value
                written = Spelled(place, (Value((Piece(text, place),)),))
                yield Flag("connector", "kv-transfer-config", text, written, derived=name is not None, path=path)
            return

    def mappings(self, path: tuple[str, ...]) -> Iterator[tuple[MappingNode, int | None]]:
        """The mappings that come to one of the variant, the strongest first, and the item that it takes of lists."""
        for selector in dict.fromkeys((self._variant.selector, "base") if self._variant.selector else ("",)):
            place = locate(self._tree, selector, path)
            node = target(place.value) if place and place.depth == len(path) else None
            if isinstance(node, MappingNode):
                yield node, point_of(selector)

    def key(self, entry: Entry) -> Place:
        """Where a key is written."""
        return Place(self._source, entry.key.start, entry.key.end)

    def start(self) -> Place:
        """The file's start, for what is written nowhere."""
        return Place(self._source, 0, 0)

    def key_place(self, path: tuple[str, ...]) -> Place | None:
        """The key's place, or that of the one that comes nearest."""
        found = locate(self._tree, self._variant.selector, path)
        return Place(self._source, found.key.start, found.key.end) if found else None

    def value_place(self, path: tuple[str, ...]) -> Place | None:
        """The value's place; None where it is not written."""
        found = locate(self._tree, self._variant.selector, path)
        return self.text_place(found.value) if found and found.depth == len(path) else None

    def mapping_path(self, path: tuple[str, ...], holding: str) -> Path | None:
        """The path by which an edit reaches a mapping that no other place shares."""
        wanted = (*path, holding) if holding else path
        found = locate(self._tree, self._variant.selector, wanted)
        if found is None or found.depth < len(wanted):
            return None
        return own_mapping(self._tree, (found.body, *path) if found.body else path, holding)

    def text_place(self, node: Node | None) -> Place | None:
        """Where a value's text stands."""
        return text_place(self._source, self._tree, node) if node is not None else None


class _Entries:
    """The places of one mapping's settings, found when they are asked for."""

    def __init__(self, reader: _Reader, path: tuple[str, ...]) -> None:
        self._reader = reader
        self._path = path

    @cached_property
    def _mappings(self) -> tuple[tuple[MappingNode, int | None], ...]:
        return tuple(self._reader.mappings(self._path))

    def _entry(self, name: str) -> tuple[Place, Node | None]:
        for node, index in self._mappings:
            entry = node.entry(name)
            if entry is not None:
                return self._reader.key(entry), entry.value if index is None else _item(entry.value, index)
        return self._reader.key_place(self._path) or self._reader.start(), None

    def place(self, name: str) -> Place:
        """Where the name is written."""
        return self._entry(name)[0]

    def texts(self, name: str, value: Any) -> tuple[str, ...]:
        """The value as arguments: none for a switch, one for each item of a list."""
        if isinstance(value, bool) or value is None:
            return ()
        return tuple(map(str, value)) if isinstance(value, list) else (str(value),)

    def arguments(self, name: str, value: Any) -> tuple[Value, ...]:
        """The same with the places."""
        texts = self.texts(name, value)
        _, node = self._entry(name)
        written = target(node) if node is not None and isinstance(value, list) else None
        items = written.items if isinstance(written, Sequence) and len(written.items) == len(texts) else ()
        return tuple(self._value(text, items[index] if items else node) for index, text in enumerate(texts))

    def _value(self, text: str, node: Node | None) -> Value:
        return Value((Piece(text, self._reader.text_place(node) or self._reader.start()),))


class _Whereabouts:
    """Where a role is written, and what the variant says of it."""

    def __init__(self, reader: _Reader, args_path: tuple[str, ...], env_path: tuple[str, ...]) -> None:
        self._reader = reader
        self._args_path = args_path
        self._env_path = env_path

    def mapping(self, of: Literal["flags", "variables"], holding: str = "") -> Path | None:
        """The role's flags or variables, in the variant's own part or in the base."""
        return self._reader.mapping_path(self._args_path if of == "flags" else self._env_path, holding)

    @property
    def process(self) -> Place:
        """The role's flags, or what comes nearest."""
        reader, path = self._reader, self._args_path
        return reader.key_place(path) or reader.key_place(path[:2]) or reader.start()

    @property
    def model(self) -> Place | None:
        """The model."""
        return self._reader.value_place(("model", "path"))

    @property
    def image(self) -> Place | None:
        """The container."""
        return self._reader.value_place(("model", "container"))

    @property
    def hardware(self) -> Place | None:
        """The GPU."""
        return self._reader.value_place(("resources", "gpu_type"))


def text_place(source: Source, tree: Tree, node: Node) -> Place:
    """Where a value's text stands: a quoted scalar's without its quotes, if it is written letter by letter."""
    if isinstance(node, Scalar) and node.style in ("'", '"') and tree.text[node.start + 1 : node.end - 1] == node.value:
        return Place(source, node.start + 1, node.end - 1)
    return Place(source, node.start, node.end)


_CONNECTORS: tuple[tuple[str, ...], ...] = (("engine", "connector"), ("backend", "connector"))


def _transfer_config(name: str) -> str:
    module = {"kv_connector_module_path": _KVBM_MODULE} if name == SHORTHANDS["kvbm"] else {}
    return json.dumps({"kv_connector": name, **module, "kv_role": "kv_both"})


def _item(node: Node, index: int) -> Node:
    """The item that a point takes of a zipped list."""
    reached = target(node)
    if isinstance(reached, Sequence) and reached.items:
        return reached.items[index if index < len(reached.items) else 0 if len(reached.items) == 1 else -1]
    return node


def _at(holder: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        holder = holder.get(name) if isinstance(holder, dict) else None
    return holder


def _text(holder: Any, path: tuple[str, ...]) -> str:
    value = _at(holder, path)
    return value if isinstance(value, str) else ""
