"""Serve configurations of an srt-slurm recipe, schema 1 or 2: every role of every variant.

Flags are a mapping that srt-slurm turns into arguments: dashes for underscores, `true` a switch, `false` and `null`
dropped, a list several arguments, all else its text. TensorRT-LLM's mapping is its configuration file. A role gets its
own environment, and the recipe's `environment` over it.

Source: srt-slurm's backends and worker stage (August 2026).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from reciplint.domain.kv_cache import SHORTHANDS
from reciplint.domain.recipe_variant import RecipeRole, Variant, read_variant
from reciplint.domain.serving.config import (
    Deployment,
    Flag,
    Piece,
    Place,
    Program,
    Selector,
    ServeConfig,
    Source,
    Value,
    Variable,
    normal_name,
)
from reciplint.domain.variant_places import locate, point_of
from reciplint.domain.variants import expand
from reciplint.yamltree.tree import Mapping as MappingNode
from reciplint.yamltree.tree import Node, Scalar, Sequence, Tree, target

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
    plain = tree.plain
    if not isinstance(plain, dict):
        return ()
    variants = list(expand(plain))
    runnable = [item for item in variants if item[0] != "base"] or variants
    source = Source(path, tree.lines)
    found = (Deployment(tuple(_processes(tree, source, selector, body))) for selector, body in runnable)
    return tuple(deployment for deployment in found if deployment.processes)


def _processes(tree: Tree, source: Source, selector: str, body: Mapping[str, Any]) -> Iterator[ServeConfig]:
    variant = read_variant(selector, body)
    reader = _Reader(tree, source, variant, body)
    for role in variant.roles:
        if role.workers != 0:
            yield reader.process(role)


class _Reader:
    """The places of one variant."""

    def __init__(self, tree: Tree, source: Source, variant: Variant, body: Mapping[str, Any]) -> None:
        self._tree = tree
        self._source = source
        self._variant = variant
        self._body = body

    def process(self, role: RecipeRole) -> ServeConfig:
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
            place=self._place(role.args_path) or self._place(role.args_path[:2]) or Place(self._source, 0, 0),
            model=variant.model,
            model_place=self._value_place(("model", "path")),
            image=variant.container,
            image_place=self._value_place(("model", "container")),
            hardware=variant.gpu_type.lower(),
            hardware_place=self._value_place(("resources", "gpu_type")),
            workers=role.workers,
            nodes=role.nodes,
            gpus=role.gpus if role.gpus is not None else role.topology.gpus if role.topology.stated else None,
            flags=(*flags, *self._connector(role, flags)),
            env=tuple(self._variables(role)),
            config_flags=role.engine == "trtllm",
        )

    def _flags(self, role: RecipeRole) -> Iterator[Flag]:
        for name, value, key, node in self._settings(role.args_path):
            if name == "connector" and role.engine == "vllm":
                continue  # srt-slurm's own shorthand, as `_connector` reads it
            normal, negated = normal_name(name)
            yield Flag(
                name=name,
                normal=normal,
                value=value,
                arguments=() if isinstance(value, bool) or value is None else tuple(self._arguments(value, node)),
                place=key,
                negated=negated,
                is_sent=role.engine == "trtllm" or (value is not None and value is not False),
                path=(*role.args_path, name),
            )

    def _variables(self, role: RecipeRole) -> Iterator[Variable]:
        for path in (role.env_path, ("environment",)):
            for name, value, key, node in self._settings(path):
                if value is not None:
                    yield Variable(name, self._value(value, node), key)

    def _connector(self, role: RecipeRole, flags: tuple[Flag, ...]) -> Iterator[Flag]:
        """What srt-slurm makes of `connector`, the role's own or the backend's; a flag of the role comes after it and
        wins, so that then nothing is to be told."""
        if role.engine != "vllm" or any(flag.normal == "kv-transfer-config" and flag.is_sent for flag in flags):
            return
        for path in ((*role.args_path, "connector"), ("roles", role.name, "engine", "connector"), *_CONNECTORS):
            value = _at(self._body, path)
            if value is None:
                continue
            place = self._value_place(path)
            if isinstance(value, str) and value not in ("", "null", "none") and place is not None:
                name = SHORTHANDS.get(value.lower())
                text = _transfer_config(name) if name else value
                argument = Value((Piece(text, place),))
                yield Flag(
                    "connector", "kv-transfer-config", text, (argument,), place, derived=name is not None, path=path
                )
            return

    def _settings(self, path: tuple[str, ...]) -> Iterator[tuple[str, Any, Place, Node | None]]:
        """Each setting of a mapping of the variant: name, value, the key's place and the value as written."""
        loaded = _at(self._body, path)
        if not isinstance(loaded, dict):
            return
        entries: dict[str, tuple[Place, Node | None]] = {}
        for selector in dict.fromkeys(("base", self._variant.selector) if self._variant.selector else ("",)):
            place = locate(self._tree, selector, path)
            node = target(place.value) if place and place.depth == len(path) else None
            if isinstance(node, MappingNode):
                index = point_of(selector)
                for name, entry in node.effective().items():
                    key = Place(self._source, entry.key.start, entry.key.end)
                    entries[name] = key, entry.value if index is None else _item(entry.value, index)
        for name, value in loaded.items():
            key, written = entries.get(name) or (self._place(path) or Place(self._source, 0, 0), None)
            yield name, value, key, written

    def _arguments(self, value: Any, node: Node | None) -> Iterator[Value]:
        if not isinstance(value, list):
            yield self._value(value, node)
            return
        written = target(node) if node is not None else None
        items = written.items if isinstance(written, Sequence) and len(written.items) == len(value) else ()
        for index, item in enumerate(value):
            yield self._value(item, items[index] if items else node)

    def _value(self, value: Any, node: Node | None) -> Value:
        return Value((Piece(str(value), self._text_place(node) or Place(self._source, 0, 0)),))

    def _place(self, path: tuple[str, ...]) -> Place | None:
        """The key's place."""
        found = locate(self._tree, self._variant.selector, path)
        return Place(self._source, found.key.start, found.key.end) if found else None

    def _value_place(self, path: tuple[str, ...]) -> Place | None:
        found = locate(self._tree, self._variant.selector, path)
        return self._text_place(found.value) if found and found.depth == len(path) else None

    def _text_place(self, node: Node | None) -> Place | None:
        return text_place(self._source, self._tree, node) if node is not None else None


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
