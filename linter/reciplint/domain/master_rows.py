"""Conditions within one row of a search space that a schema cannot state, or not as one fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import msgspec

from reciplint.domain.faults import Fault, Path, boolean, integer, under

_ROLES = ("worker", "prefill", "decode")
_SINGLE = ("pp", "dcp-size", "pcp-size")


class Row(msgspec.Struct, frozen=True, dict=True):
    """A row with its path in the entry and its scenario."""

    path: Path
    scenario: str
    value: Mapping[str, Any]

    @cached_property
    def present(self) -> frozenset[str]:
        """The keys that have a value: null counts as absent."""
        return frozenset(key for key, value in self.value.items() if value is not None)

    @property
    def has_tp(self) -> bool:
        """Whether the row states a single-node topology."""
        return "tp" in self.present

    @property
    def has_blocks(self) -> bool:
        """Whether the row states any worker block."""
        return any(role in self.present for role in _ROLES)

    @property
    def is_complete(self) -> bool:
        """Whether the row states exactly one whole topology."""
        pair = "prefill" in self.present and "decode" in self.present
        half = not pair and ("prefill" in self.present or "decode" in self.present)
        return not half and sum((self.has_tp, "worker" in self.present, pair)) == 1


def row_faults(row: Row, october: bool, known: list[Fault]) -> Iterator[Fault]:
    """Every such fault of a row; places where the schema already found one are passed over."""
    here = [fault for fault in known if fault.path[: len(row.path)] == row.path and not fault.tolerated]
    yield from _concurrency(row, here)
    yield from _topology(row, october, here)
    blocks = [(row.path, row.value)]
    blocks += [((*row.path, role), block) for role in _ROLES if isinstance(block := row.value.get(role), dict)]
    for path, block in blocks:
        yield from _context_parallel(path, block)
        yield from _whole_floats(path, block)
    yield from _hardware(row)
    if row.scenario == "agentic-coding":
        yield from _offloading(row, here)


def _concurrency(row: Row, here: list[Fault]) -> Iterator[Fault]:
    start, end, listed = (row.value.get(key) for key in ("conc-start", "conc-end", "conc-list"))
    keys = ("conc-start", "conc-end", "conc-list")
    if any(under((*row.path, key), here) for key in keys):
        return
    has_range = start is not None and end is not None
    if has_range and listed:
        yield Fault((*row.path, "conc-list"), "key", "range-and-list")
    elif not has_range and not listed:
        if any(fault.name == "unknown-key" and fault.arguments["suggestion"] in keys for fault in here):
            return
        lone = next((key for key in keys if key in row.value), None)
        if lone is None:
            yield Fault(row.path, "owner", "no-concurrency")
        elif lone == "conc-list":
            yield Fault((*row.path, lone), "value", "empty-value")
        else:
            other = "conc-end" if lone == "conc-start" else "conc-start"
            yield Fault((*row.path, lone), "key", "half-range", {"key": lone, "missing": other})
    elif has_range and (first := integer(start)) is not None and (last := integer(end)) is not None and first > last:
        yield Fault((*row.path, "conc-start"), "value", "range-reversed", {"start": first, "end": last})


def _topology(row: Row, october: bool, here: list[Fault]) -> Iterator[Fault]:
    """Exactly one topology: agentic rows of both layouts, and October's multi-node rows."""
    agentic = row.scenario == "agentic-coding"
    fixed_multi = october and not agentic and not row.has_tp
    if not agentic and not fixed_multi:
        return
    if not row.is_complete:
        yield from _incomplete(row, october, agentic, here)
        return
    if not agentic:
        return
    if row.has_tp:
        if "kv-offloading" not in row.present and not _misspelt("kv-offloading", here):
            yield Fault(row.path, "owner", "missing-key", {"key": "kv-offloading"})
        if october and boolean(row.value.get("power")):
            yield Fault((*row.path, "power"), "key", "power-on-one-node")
        return
    for key in _SINGLE:
        if key in row.value:
            yield Fault((*row.path, key), "key", "size-beside-blocks", {"key": key})


def _incomplete(row: Row, october: bool, agentic: bool, here: list[Fault]) -> Iterator[Fault]:
    stated = [key for key in ("tp", *_ROLES) if key in row.present and (october or key != "worker")]
    if any(_misspelt(key, here) for key in ("tp", *_ROLES)):
        return
    if not stated:
        name = "no-topology" if agentic else "no-blocks"
        if october:
            name += "-october"
        yield Fault(row.path, "owner", name)
    elif stated in (["prefill"], ["decode"]):
        other = "decode" if stated == ["prefill"] else "prefill"
        yield Fault((*row.path, stated[0]), "key", "half-pair", {"key": stated[0], "missing": other})
    elif len(stated) > 1:
        yield Fault((*row.path, stated[0]), "key", "two-topologies", {"keys": tuple(stated)})


def _misspelt(key: str, here: list[Fault]) -> bool:
    return any(fault.name == "unknown-key" and fault.arguments["suggestion"] == key for fault in here)


def _whole_floats(path: Path, block: Mapping[str, Any]) -> Iterator[Fault]:
    """`8.0` is an integer to JSON Schema, but not where the reader converts nothing."""
    strict = (*_SINGLE, "num-nodes") if path[-1] != "worker" else (*_SINGLE, "num-worker")
    for key in strict:
        value = block.get(key)
        if isinstance(value, float) and value.is_integer() and value > 0:
            yield Fault((*path, key), "value", "not-an-integer", {"found": str(value)})


def _context_parallel(path: Path, block: Mapping[str, Any]) -> Iterator[Fault]:
    tp, dcp = integer(block.get("tp")), block.get("dcp-size")
    if isinstance(dcp, int) and not isinstance(dcp, bool) and dcp > 0 and tp is not None and tp > 0 and tp % dcp:
        yield Fault((*path, "dcp-size"), "value", "dcp-does-not-divide", {"tp": tp, "dcp": dcp})


def _hardware(row: Row) -> Iterator[Fault]:
    blocks = {role: row.value.get(role) for role in ("prefill", "decode")}
    if not all(isinstance(block, dict) for block in blocks.values()):
        return
    stated = [role for role, block in blocks.items() if isinstance(block, dict) and block.get("hardware") is not None]
    if len(stated) == 1:
        other = "decode" if stated == ["prefill"] else "prefill"
        yield Fault((*row.path, stated[0], "hardware"), "key", "half-hardware", {"role": stated[0], "missing": other})


def _offloading(row: Row, here: list[Fault]) -> Iterator[Fault]:
    backend = row.value.get("kv-offload-backend")
    mode = row.value.get("kv-offloading")
    if backend is not None and mode in (None, "none"):
        if mode is None and (row.has_tp or _misspelt("kv-offloading", here)):
            return  # said already: kv-offloading is missing
        name = "backend-without-offloading" if mode == "none" else "backend-alone"
        yield Fault((*row.path, "kv-offload-backend"), "key", name)
    elif mode == "dram" and backend is None and not _misspelt("kv-offload-backend", here):
        yield Fault((*row.path, "kv-offloading"), "value", "no-backend")
