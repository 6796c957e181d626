"""References that the launcher fills in for each point, and sizes of host memory that have to be such references.

`@dram.<name>` becomes a size of the point's DRAM budget, `@fabric.<name>` a network fact of the cluster that runs the
job. A reference is a whole value, or a whole value within a JSON object written as text; a text that merely holds one
is refused, as is a name that does not exist. Sizes of vLLM's CPU offloading and of LMCache's host memory are taken
from the budget alone; measured ones of SGLang, TensorRT-LLM and Mooncake may stand as numbers.

Source: the recipe guide and binder of the public benchmark repository (October 2026).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from reciplint.domain.speculation import json_object
from reciplint.domain.variant_places import span_of
from reciplint.domain.variants import is_bundle
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Tree

NAMES = {
    "@dram.": ("total-gb", "total-bytes", "per-gpu-gb", "per-gpu-bytes"),
    "@fabric.": (
        "ucx-net-devices",
        "nccl-ib-hca",
        "ib-devices",
        "socket-ifname",
        "mooncake-devices",
        "mooncake-gid-index",
        "mori-rdma-tc",
        "mori-io-tc",
    ),
}
"""What may follow either mark."""

SIZES = {
    "cpu_bytes_to_use": "@dram.total-bytes",
    "cpu_bytes_to_use_per_rank": "@dram.per-gpu-bytes",
    "LMCACHE_MAX_LOCAL_CPU_SIZE": "@dram.per-gpu-gb",
    "lmcache.max_local_cpu_size": "@dram.per-gpu-gb",
    "--l1-size-gb": "@dram.total-gb",
}
"""Sizes that have to be references, each with the one that has its unit; the last is a flag in a list, before its
value."""

Path = tuple[str | int, ...]


class Placeholder(msgspec.Struct, frozen=True, array_like=True):
    """A value of a variant that holds a reference, at `path` from the variant's top (within JSON text: the path of the
    text). `mark` is `@dram.` or `@fabric.`, `name` what follows it, `is_whole` whether nothing else stands there."""

    selector: str
    path: Path
    text: str
    mark: str
    name: str
    is_whole: bool

    @property
    def is_known(self) -> bool:
        """Whether it is a reference that the launcher fills in."""
        return self.is_whole and self.name in NAMES[self.mark]


class FixedSize(msgspec.Struct, frozen=True, array_like=True):
    """A size of host memory, written as a number where a reference has to stand. `body` is the part of the file that
    sets it: `base`, an override, "" for a plain recipe."""

    body: str
    path: Path
    name: str
    text: str
    span: Span


class Placeholders(msgspec.Struct, frozen=True, array_like=True):
    """The references of a recipe's variants, and its sizes that are none."""

    references: tuple[Placeholder, ...]
    sizes: tuple[FixedSize, ...]


def read_placeholders(tree: Tree, plain: Any, variants: Iterable[tuple[str, Any]]) -> Placeholders | None:
    """The references and sizes of a loaded recipe, given whole and by variant; None where it has neither."""
    references: tuple[Placeholder, ...] = ()
    sizes: tuple[FixedSize, ...] = ()
    if any(mark in tree.text for mark in NAMES):
        references = tuple(found for selector, body in variants for found in _references(selector, body))
    if isinstance(plain, dict) and any(name in tree.text for name in SIZES):
        bodies = plain.items() if is_bundle(plain) else [("", plain)]
        sizes = tuple(found for name, body in bodies for found in _sizes(tree, name, body))
    return Placeholders(references, sizes) if references or sizes else None


def _references(selector: str, body: Any) -> Iterator[Placeholder]:
    for path, text in _texts(body, ()):
        mark = next((mark for mark in NAMES if mark in text), None)
        if mark is not None:
            name = text.partition(mark)[2]
            is_whole = text.startswith(mark) and name.replace("-", "").replace("_", "").isalnum()
            yield Placeholder(selector, path, text, mark, name, is_whole)


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Every text within a value; of JSON text those within it, at the path of the whole."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index))
    elif isinstance(value, str):
        inner = json_object(value) if value.startswith("{") else {}
        if inner:
            yield from ((path, text) for _, text in _texts(inner, ()))
        else:
            yield path, value


def _sizes(tree: Tree, body: str, value: Any) -> Iterator[FixedSize]:
    for path, name, size in _stated(value, ()):
        if size is not None and not str(size).startswith("@"):
            yield FixedSize(body, path, name, str(size), span_of(tree, body, path))


def _stated(value: Any, path: Path) -> Iterator[tuple[Path, str, Any]]:
    """Every size that has to be a reference, with its name; each one of a list that overrides are zipped from."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in SIZES:
                yield from _stated(item, (*path, key))
            elif isinstance(item, list):
                yield from (((*path, key, index), key, size) for index, size in enumerate(item))
            else:
                yield (*path, key), key, item
    elif isinstance(value, list):
        for index, item in enumerate(value):
            flag = value[index - 1] if index else None
            if isinstance(flag, str) and flag in SIZES:
                yield (*path, index), flag, item
            else:
                yield from _stated(item, (*path, index))
    elif isinstance(value, str) and value.startswith("{"):
        yield from ((path, name, size) for _, name, size in _stated(json_object(value), ()))
