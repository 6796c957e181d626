"""What the launcher writes into a recipe that rows of era C name, so that the recipe must not.

Such a recipe is a fragment: it is merged over the shared block of its kind of point (`configs/srt-recipes/`), and the
master config's image, model, precision and lengths are then written into it. It is refused if it sets any of that
itself, even to the same value. Only a variant of a single-node recipe may name the concurrency and the offloading that
it is meant for.

A recipe that states everything that it would get from there runs without it, and is no fragment: older ones are kept.

Source: the recipe guide and binder of the public benchmark repository (October 2026).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from reciplint.domain.reading import mapping_of, own_entries
from reciplint.domain.references import Use
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Mapping, Scalar, Tree, target

_MODEL = (("model", "path"), ("model", "container"), ("model", "precision"))

_POINT = (
    *_MODEL,
    ("identity", "model", "repo"),
    ("identity", "container", "image"),
    ("benchmark", "concurrencies"),
    ("telemetry", "enabled"),
    ("telemetry", "dcgm_exporter", "port"),
)

_FIXED = ("MODEL", "ISL", "OSL", "CONC", "CONC_LIST", "RANDOM_RANGE_RATIO", "USE_CHAT_TEMPLATE")
_AGENTIC = (
    "CONC",
    "CONC_LIST",
    "KV_OFFLOADING",
    "TOTAL_CPU_DRAM_GB",
    "RESULT_DIR",
    "AGENTIC_OUTPUT_DIR",
    "HF_HUB_CACHE",
    "HUGGINGFACE_HUB_CACHE",
)
_VARIABLES = {
    (False, False): frozenset(_FIXED),
    (False, True): frozenset(_FIXED),
    (True, False): frozenset({"MODEL", *_AGENTIC}),
    (True, True): frozenset({*_AGENTIC, "AIPERF_DATASET_MMAP_CACHE_DIR"}),
}
"""The benchmark's variables that are written, by (agentic, several nodes)."""

_OF_A_VARIANT = frozenset({"CONC", "KV_OFFLOADING"})

_EVERY = (*_POINT, *(("benchmark", "env", name) for name in sorted(frozenset().union(*_VARIABLES.values()))))


class Point(NamedTuple):
    """What decides which values are written: the kind of scenario, and whether a job has several nodes."""

    agentic: bool
    multinode: bool


class BoundKey(msgspec.Struct, frozen=True, array_like=True):
    """A key that the launcher may write, set in `body` (`base`, an override, "" for a plain recipe). `text` is its
    value as written, "" for a list or a mapping."""

    body: str
    path: tuple[str, ...]
    text: str
    span: Span


class Binding(msgspec.Struct, frozen=True, array_like=True):
    """The keys of a recipe of schema 2 that the launcher may write. `is_whole`: it runs without a shared block."""

    is_whole: bool
    keys: tuple[BoundKey, ...]


def point_of(use: Use) -> Point:
    """The kind of point that a use makes."""
    return Point(use.arm.kind == "agentic-coding", use.entry.multinode)


def read_binding(tree: Tree) -> Binding:
    """The keys of a recipe that the launcher may write, in every one of its bodies."""
    root = tree.root
    bodies = list(_bodies(root)) if isinstance(root, Mapping) else []
    keys = tuple(key for name, body in bodies for key in _keys(tree, name, body))
    return Binding(any(_is_whole(body) for name, body in bodies if name in ("", "base")), keys)


def bound(binding: Binding, points: Iterable[Point]) -> Iterator[tuple[BoundKey, Point]]:
    """The keys that a fragment must not set, each with the first of some points that it is written for."""
    if binding.is_whole:
        return
    listed = list(points)
    for key in binding.keys:
        point = next((point for point in listed if _is_bound(key, point)), None)
        if point is not None:
            yield key, point


def _is_bound(key: BoundKey, point: Point) -> bool:
    if key.path[:2] != ("benchmark", "env"):
        return True
    name = key.path[-1]
    if name in _OF_A_VARIANT and not point.multinode and key.body not in ("", "base"):
        return False
    return name in _VARIABLES[point]


def _bodies(root: Mapping) -> Iterator[tuple[str, Mapping]]:
    if mapping_of(root, "base") is None:
        yield "", root
        return
    for entry in own_entries(root):
        body = target(entry.value)
        if isinstance(body, Mapping) and entry.name:
            yield entry.name, body


def _keys(tree: Tree, name: str, body: Mapping) -> Iterator[BoundKey]:
    for path in _EVERY:
        holder = _at(body, path[:-1])
        entry = holder.entry(path[-1]) if holder is not None else None
        if entry is not None:
            value = target(entry.value)
            text = value.value if isinstance(value, Scalar) else ""
            yield BoundKey(name, path, text, tree.entry_span(entry))


def _is_whole(body: Mapping) -> bool:
    return all(_is_stated(body, path) for path in (*_MODEL, ("benchmark", "type")))


def _is_stated(body: Mapping, path: tuple[str, ...]) -> bool:
    holder = _at(body, path[:-1])
    return holder is not None and isinstance(holder.get(path[-1]), Scalar)


def _at(body: Mapping, path: tuple[str, ...]) -> Mapping | None:
    found: Mapping | None = body
    for part in path:
        found = mapping_of(found, part) if found is not None else None
    return found
