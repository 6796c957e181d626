"""Environment variables that engines and their libraries read, by release.

The lists are `schemas/env/`, written by `tools/catalogues`. A world is *closed* where all names with a prefix are
known (`VLLM_`, `SGLANG_`, `NCCL_`, `UCX_`, `DYN_`), so that another one is read by nobody; *open* where they are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from typing import NamedTuple

import msgspec

from reciplint.domain.releases import Span
from reciplint.domain.schemas import schemas_home

_PLUGINS = (
    *("VLLM_ASCEND_", "VLLM_GAUDI_", "VLLM_METAL_", "VLLM_NEURON_", "VLLM_OMNI_", "VLLM_SPYRE_", "VLLM_TPU_"),
    *("NCCL_FASTRAK_", "NCCL_GPUDIRECTTCPX_", "NCCL_SHARP_", "NCCL_TUNER_CONFIG_"),
    *("NCCL_BLOCKING_WAIT", "NCCL_DESYNC_DEBUG", "NCCL_ENABLE_TIMING"),
)
"""Prefixes of plugins that live outside vLLM and NCCL and read variables of their own, or read them as they are
installed; and the former names of three that PyTorch still reads."""

_LEGACY, _RENAMED = "SGL_", "SGLANG_"
"""SGLang reads a variable with its former prefix as if it had the present one."""


class World(msgspec.Struct, frozen=True):
    """The variables of one owner. `families`: prefixes whose names are made at run time. `stems`: beginnings of names
    found in a compiled library, each perhaps with letters too many. `tables`, `options`: a name may be the prefix, a
    table or none, and an option (UCX). `versions`: the releases looked at, none where names come from a listing."""

    owner: str
    prefixes: tuple[str, ...]
    versions: tuple[str, ...]
    names: dict[str, Span]
    families: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    open: bool = False


class EnvFact(NamedTuple):
    """What is known of a variable. `owner` is whose prefix it has, or who reads it where it has none. `known`: a
    release reads it. `open`: that it is not known says nothing. `span` is the releases of the owner that read it, `()`
    also where that is not known. `close`: known names that it may have been meant to be."""

    name: str
    owner: str
    known: bool
    open: bool
    span: Span = ()
    close: tuple[str, ...] = ()


def variable(name: str) -> EnvFact | None:
    """What is known of an environment variable; None where it has no prefix of an engine and no engine reads it."""
    owner = next((world for world in worlds() if name.startswith(world.prefixes)), None)
    readers = [world for world in worlds() if name in world.names]
    if owner is None:
        return EnvFact(name, readers[0].owner, True, False, readers[0].names[name]) if readers else None
    own = _own(owner, name)
    if own is not None or readers:
        return EnvFact(name, owner.owner, True, owner.open, own or ())
    if owner.open or name.startswith(_PLUGINS):
        return EnvFact(name, owner.owner, False, True)
    return EnvFact(name, owner.owner, False, False, (), tuple(_close(name, owner)))


def _close(name: str, world: World) -> list[str]:
    """Known names much like another one; of those alone that share half of its words, which are told quickly."""
    words, index = set(name.split("_")), _by_word(world.owner)
    half = (len(words) + 1) // 2
    rarest = sorted(words, key=lambda word: len(index.get(word, ())))[: len(words) - half + 1]  # half needs one of them
    some = {known for word in rarest for known in index.get(word, ())}
    alike = [known for known in some if len(words.intersection(known.split("_"))) >= half]
    return get_close_matches(name, alike, n=3, cutoff=0.85)


@cache
def _by_word(owner: str) -> dict[str, list[str]]:
    """The names of an owner's world that have a word."""
    found: dict[str, list[str]] = {}
    for name in next(world.names for world in worlds() if world.owner == owner):
        for word in set(name.split("_")):
            found.setdefault(word, []).append(name)
    return found


def _own(world: World, name: str) -> Span | None:
    """The span of a name in the world of its prefix; None where it is not known there."""
    for spelling in _spellings(name):
        if spelling in world.names:
            return world.names[spelling]
        if spelling.startswith(world.families):
            return ()
    if any(stem.startswith(name) for stem in world.stems) or _is_option(world, name):
        return ()
    return None


def _spellings(name: str) -> Iterator[str]:
    yield name
    if name.startswith(_LEGACY):
        yield _RENAMED + name.removeprefix(_LEGACY)


def _is_option(world: World, name: str) -> bool:
    """Whether a name is put together of the prefix, perhaps a table's, and an option of the tables."""
    rest = name.removeprefix(world.prefixes[0]) if world.options else ""
    tails = (rest.removeprefix(table) for table in ("", *world.tables) if rest.startswith(table))
    return any(tail in world.options for tail in tails)


@cache
def worlds() -> tuple[World, ...]:
    """The variables of every owner, in the order in which a prefix that two share is given to one. Read once."""
    home = schemas_home() / "env"
    found = [msgspec.json.decode(path.read_bytes(), type=World) for path in sorted(home.glob("*.json"))]
    return tuple(sorted(found, key=lambda world: (world.owner not in ("vllm", "sglang"), world.owner)))
