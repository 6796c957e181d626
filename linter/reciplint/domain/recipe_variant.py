"""A variant of a recipe, reduced to what rows, policies and arithmetic are compared with; either schema.

Spans are not kept: whoever has something to say finds them with `variant_places` by the paths given here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from reciplint.domain.kv_cache import KvCache, read_kv_cache
from reciplint.domain.reading import whole
from reciplint.domain.speculation import Acceptance, Speculation, read_acceptance, read_speculation
from reciplint.domain.topology import Topology, read_topology
from reciplint.domain.variants import expand
from reciplint.yamltree.tree import Tree

ROLES = ("prefill", "decode", "agg")

_OLD_ROLES = {"prefill": "prefill", "decode": "decode", "agg": "aggregated"}
_OLD_GPUS_PER_NODE = 4  # what srt-slurm takes where `gpus_per_node` is left out

_DYNAMO_RELEASES = (("version",), ("wheel",), ("source", "pypi"), ("source", "wheel"))
_DYNAMO_COMMITS = (("hash",), ("source", "rev"))


class RecipeRole(msgspec.Struct, frozen=True, array_like=True):
    """One role: nodes, workers and GPUs per worker as the resources give them (None where they are silent; `nodes` 0
    where a decode shares the prefill's), and what the engine's flags set. `max_sequences` is vLLM's `max-num-seqs` and
    TensorRT-LLM's `max_batch_size` (per attention rank) or SGLang's `max-running-requests` (per worker).
    `args_path` and `env_path` lead from the variant's top to the role's flags and environment."""

    name: str
    engine: str
    nodes: int | None
    workers: int | None
    gpus: int | None
    topology: Topology
    max_sequences: int | None
    speculation: Speculation | None
    acceptance: tuple[Acceptance, ...]
    kv_cache: KvCache
    args_path: tuple[str, ...]
    env_path: tuple[str, ...]


class Variant(msgspec.Struct, frozen=True, array_like=True):
    """A variant's facts, "" or None where the recipe is silent. `dynamo` is a version, or `dynamo_hash` a commit, and
    `dynamo_place` leads to it;
    `image`, `repository` and `dynamo_claimed` are what the `identity` block claims; `concurrency` and `offloading`
    are the benchmark's environment `CONC` and `KV_OFFLOADING`."""

    selector: str
    schema: int
    name: str
    container: str
    model: str
    precision: str
    gpu_type: str
    gpus_per_node: int
    shares_nodes: bool
    dynamo: str
    dynamo_hash: str
    dynamo_place: tuple[str, ...]
    image: str
    repository: str
    dynamo_claimed: str
    benchmark: str
    isl: int | None
    osl: int | None
    concurrencies: tuple[int, ...]
    concurrency: str
    offloading: str
    roles: tuple[RecipeRole, ...]

    def role(self, name: str) -> RecipeRole | None:
        """The role of a name; None where the variant has none."""
        return next((role for role in self.roles if role.name == name), None)


@lru_cache(maxsize=1)
def recipe_variants(tree: Tree) -> tuple[tuple[Variant, dict[str, Any]], ...]:
    """Each variant of a recipe with its merged body, kept for whoever asks for the same tree next; none for what is no
    mapping."""
    plain = tree.plain
    return tuple((read_variant(*each), each[1]) for each in expand(plain)) if isinstance(plain, dict) else ()


def read_variant(selector: str, body: Mapping[str, Any]) -> Variant:
    """The facts of one merged variant; what has not the expected type counts as absent."""
    is_new = "roles" in body or body.get("schema") == 2
    resources, model, identity = (_mapping(body, name) for name in ("resources", "model", "identity"))
    benchmark = _mapping(body, "benchmark")
    environment = _mapping(benchmark, "env")
    dynamo, dynamo_place = _first(_mapping(body, "dynamo"), _DYNAMO_RELEASES)
    dynamo_hash, hash_place = _first(_mapping(body, "dynamo"), _DYNAMO_COMMITS)
    per_node = whole(resources.get("gpus_per_node")) or _OLD_GPUS_PER_NODE
    backend = _mapping(body, "backend")
    return Variant(
        selector=selector,
        schema=2 if is_new else 1,
        name=_text(body, "name"),
        container=_text(model, "container"),
        model=_text(model, "path"),
        precision=_text(model, "precision"),
        gpu_type=_text(resources, "gpu_type"),
        gpus_per_node=per_node,
        shares_nodes=_shares_nodes(body, backend),
        dynamo=dynamo,
        dynamo_hash=dynamo_hash,
        dynamo_place=("dynamo", *(hash_place or dynamo_place)),
        image=_text(_mapping(identity, "container"), "image"),
        repository=_text(_mapping(identity, "model"), "repo"),
        dynamo_claimed=_text(_mapping(identity, "frameworks"), "dynamo"),
        benchmark=_text(benchmark, "type"),
        isl=whole(benchmark.get("isl")),
        osl=whole(benchmark.get("osl")),
        concurrencies=_concurrencies(benchmark.get("concurrencies")),
        concurrency=_text(environment, "CONC"),
        offloading=_text(environment, "KV_OFFLOADING"),
        roles=tuple(_new_roles(body, per_node) if is_new else _old_roles(body, backend, resources, per_node)),
    )


def _shares_nodes(body: Mapping[str, Any], backend: Mapping[str, Any]) -> bool:
    """Whether decode workers may run on the prefill's nodes."""
    flags = ("allow_prefill_decode_colocation", "allow_prefill_decode_colocation_across_nodes")
    return any(backend.get(flag) is True for flag in flags) or (
        _mapping(_mapping(body, "roles"), "decode").get("nodes") == "colocate"
    )


def _old_roles(
    body: Mapping[str, Any], backend: Mapping[str, Any], resources: Mapping[str, Any], per_node: int
) -> Iterator[RecipeRole]:
    engine = _text(backend, "type") or "sglang"
    config = _mapping(backend, f"{engine}_config")
    for name in ROLES:
        old = _OLD_ROLES[name]
        workers, nodes = whole(resources.get(f"{name}_workers")), whole(resources.get(f"{name}_nodes"))
        args = config.get(old, config.get(name))
        if workers is None and nodes is None and not isinstance(args, dict):
            continue
        yield _role(
            body,
            name,
            engine,
            nodes,
            workers,
            _gpus(resources.get(f"gpus_per_{name}"), nodes, workers, per_node),
            args if isinstance(args, dict) else {},
            _mapping(backend, f"{old}_environment"),
            ("backend", f"{engine}_config", old if old in config else name),
            ("backend", f"{old}_environment"),
        )


def _new_roles(body: Mapping[str, Any], per_node: int) -> Iterator[RecipeRole]:
    roles = _mapping(body, "roles")
    for name in ROLES:
        block = roles.get(name)
        if not isinstance(block, dict):
            continue
        nodes = 0 if block.get("nodes") == "colocate" else whole(block.get("nodes"))
        workers = whole(block.get("workers"))
        yield _role(
            body,
            name,
            _engine(block) or _engine(body),
            nodes,
            workers,
            _gpus(block.get("gpus"), nodes, workers, per_node),
            _mapping(block, "args"),
            {**_mapping(block, "env"), **_mapping(body, "environment")},
            ("roles", name, "args"),
            ("roles", name, "env"),
        )


def _role(
    body: Mapping[str, Any],
    name: str,
    engine: str,
    nodes: int | None,
    workers: int | None,
    gpus: int | None,
    args: Mapping[str, Any],
    env: Mapping[str, Any],
    args_path: tuple[str, ...],
    env_path: tuple[str, ...],
) -> RecipeRole:
    return RecipeRole(
        name=name,
        engine=engine,
        nodes=nodes,
        workers=workers,
        gpus=gpus,
        topology=read_topology(engine, args),
        max_sequences=_max_sequences(args),
        speculation=read_speculation(engine, args),
        acceptance=read_acceptance(engine, args, env),
        kv_cache=read_kv_cache(engine, args, env, body, args_path, env_path),
        args_path=args_path,
        env_path=env_path,
    )


def _max_sequences(args: Mapping[str, Any]) -> int | None:
    for key in ("max-num-seqs", "max_num_seqs", "max-running-requests", "max_running_requests", "max_batch_size"):
        if (value := whole(args.get(key))) is not None:
            return value
    return None


def _gpus(stated: object, nodes: int | None, workers: int | None, per_node: int) -> int | None:
    """GPUs per worker, by srt-slurm's own default where they are left out."""
    if (value := whole(stated)) is not None:
        return value
    return nodes * per_node // workers if nodes and workers else None


def _engine(block: Mapping[str, Any]) -> str:
    engine = block.get("engine")
    return engine if isinstance(engine, str) else _text(engine, "type") if isinstance(engine, dict) else ""


def _concurrencies(value: object) -> tuple[int, ...]:
    """`4x8x16`, `"64"`, 64 or a list; nothing where any part is no number."""
    parts = value if isinstance(value, list) else str(value).split("x") if isinstance(value, (str, int)) else []
    numbers = [whole(part) for part in parts]
    return tuple(number for number in numbers if number is not None) if None not in numbers else ()


def _mapping(holder: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = holder.get(name)
    return value if isinstance(value, dict) else {}


def _first(holder: Mapping[str, Any], places: tuple[tuple[str, ...], ...]) -> tuple[str, tuple[str, ...]]:
    """The first of some places that holds a text, with the text; both empty where none does."""
    for place in places:
        inner = _mapping(holder, place[0]) if len(place) > 1 else holder
        if text := _text(inner, place[-1]):
            return text, place
    return "", ()


def _text(holder: Mapping[str, Any], name: str) -> str:
    value = holder.get(name)
    return "" if value is None or isinstance(value, (dict, list)) else str(value)
