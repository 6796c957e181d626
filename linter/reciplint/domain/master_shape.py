"""What is wrong with the shape of a master entry: its schema, and the conditions that no schema can state.

The kind of entry and of row is told first (`multinode`, scenario, topology), so that every fault is one of a
definite definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from reciplint.domain.eras import Era, FileEras
from reciplint.domain.faults import Fault, Path, boolean, structural, under, under_any, with_dashes, without_echoes
from reciplint.domain.master_recipes import recipe_faults
from reciplint.domain.master_rows import Row, row_faults
from reciplint.domain.schemas import vocabulary

STRICT = frozenset(("pp", "dcp-size", "pcp-size", "num-nodes", "power", "require-power"))
"""Fields whose type upstream does not convert; neither does it in the workers of an aggregate row."""


class Layout(msgspec.Struct, frozen=True):
    """Which shape an entry is judged by, and how its rows name recipes."""

    october: bool
    era: Era

    @property
    def schema(self) -> str:
        """The name of the schema."""
        return "master-october" if self.october else "master-august"


def layout_of(entry: Any, eras: FileEras) -> Layout | None:
    """The layout of an entry of a file; None where it is older than what is described."""
    era = eras.era(entry)
    return None if era is Era.UNDESCRIBED else Layout(eras.is_october(era), era)


def dashed_entry(entry: Any) -> Any:
    """An entry as loaded, with every key of the master schemas in kebab case."""
    return with_dashes(entry, vocabulary("master-october"))


def entry_faults(entry: Any, layout: Layout) -> list[Fault]:
    """Every fault of an entry whose keys are in kebab case, once each."""
    if not isinstance(entry, dict):
        return structural(layout.schema, entry, "single-node-entry")
    multinode = is_multinode(entry)
    rows = list(_rows(entry))
    part = "multi-node-entry" if multinode else "single-node-entry"
    found = structural(layout.schema, entry, part, _is_lenient)
    misplaced = list(_misplaced_items(entry))
    rows = [row for row in rows if not under_any(row.path, misplaced)]
    mode = list(_mode_faults(rows, multinode, boolean(entry.get("disagg")) or False, layout.october))
    crossed = {fault.path[:5] for fault in mode}
    mode = _folded(mode, rows, entry)
    found = [fault for fault in found if not _follows(fault, crossed, misplaced, mode)]
    found += misplaced + mode
    for row in rows:
        if row.path not in crossed:
            found += row_faults(row, layout.october, found)
    found += _entry_conditions(entry, rows, layout, found)
    if not any(fault.name.startswith("mode-") for fault in found):
        found += recipe_faults(entry, rows, layout.october, layout.era, multinode)
    return without_echoes(found)


def is_multinode(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is one over several nodes; without a valid `multinode` its rows tell."""
    stated = entry.get("multinode")
    if isinstance(stated, bool):
        return stated
    return any(role in row.value for row in _rows(entry) for role in ("prefill", "decode", "worker"))


def _rows(entry: Mapping[str, Any]) -> Iterator[Row]:
    scenarios = entry.get("scenarios")
    for scenario in ("fixed-seq-len", "agentic-coding"):
        items = scenarios.get(scenario) if isinstance(scenarios, dict) else None
        for number, item in enumerate(items if isinstance(items, list) else ()):
            space = item.get("search-space") if isinstance(item, dict) else None
            for index, value in enumerate(space if isinstance(space, list) else ()):
                if isinstance(value, dict):
                    yield Row(("scenarios", scenario, number, "search-space", index), scenario, value)


def _is_lenient(path: Path) -> bool:
    names = [part for part in path if isinstance(part, str)]
    strict = names[-1] in STRICT or names[-2:] == ["worker", "num-worker"]
    return not strict


def _misplaced_items(entry: Mapping[str, Any]) -> Iterator[Fault]:
    """Items that stand under the other scenario: one fault in place of one for every key in them."""
    scenarios = entry.get("scenarios")
    for scenario, name in (("fixed-seq-len", "agentic-under-fixed"), ("agentic-coding", "fixed-under-agentic")):
        items = scenarios.get(scenario) if isinstance(scenarios, dict) else None
        for number, item in enumerate(items if isinstance(items, list) else ()):
            if not isinstance(item, dict):
                continue
            space = item.get("search-space")
            offloads = (
                any("kv-offloading" in row for row in space if isinstance(row, dict))
                if isinstance(space, list)
                else False
            )
            lengths = {"isl", "osl"} & set(item)
            if (scenario == "fixed-seq-len" and not lengths and offloads) or (
                scenario == "agentic-coding" and len(lengths) == 2 and not offloads
            ):
                yield Fault(("scenarios", scenario, number), "owner", name)


def _follows(fault: Fault, crossed: set[Path], misplaced: list[Fault], mode: list[Fault]) -> bool:
    """Whether a fault of the schema only follows from a row, item or entry being of the other kind."""
    if len(fault.path) >= 5 and fault.path[:5] in crossed:
        return True
    if under_any(fault.path, misplaced):
        return True
    single = any(cause.name == "mode-single-node-entry" for cause in mode)
    return single and fault.path[:1] in (("disagg",), ("kv-p2p-transfer",))


def _mode_faults(rows: list[Row], multinode: bool, disagg: bool, october: bool) -> Iterator[Fault]:
    """Rows whose topology the entry's `multinode` and `disagg` exclude; at most one fault a row."""
    for row in rows:
        if row.scenario == "agentic-coding" and not october:
            continue
        name, keys = _mode_fault(row, multinode, disagg, october)
        if name:
            at = next((key for key in keys if key in row.present), None)
            yield Fault((*row.path, at), "key", name) if at else Fault(row.path, "owner", name)


def _mode_fault(row: Row, multinode: bool, disagg: bool, october: bool) -> tuple[str, tuple[str, ...]]:
    """The name of a row's fault, "" where there is none, and the keys that may carry it."""
    if not multinode:
        keys: tuple[str, ...] = ("worker", "prefill", "decode", "num-nodes")
        return ("mode-single-node" if row.present.intersection(keys) else "", keys)
    if row.has_tp and not row.has_blocks:
        return "mode-multi-node", ("tp",)
    if not october or not row.is_complete:
        return "", ()
    if disagg:
        keys = ("worker", "num-nodes")
        return ("mode-disagg" if row.present.intersection(keys) else "", keys)
    if "worker" not in row.present:
        return "mode-aggregate", ("prefill",)
    return ("" if "num-nodes" in row.present else "mode-num-nodes", ())


def _folded(faults: list[Fault], rows: list[Row], entry: Mapping[str, Any]) -> list[Fault]:
    """One fault of the entry in place of the same fault on all of its rows."""
    if len(faults) < 2 or len(faults) < len(rows) or len({fault.name for fault in faults}) > 1:
        return faults
    name = faults[0].name
    field = {"mode-single-node": "multinode", "mode-multi-node": "multinode"}.get(name, "disagg")
    if name == "mode-num-nodes":
        return faults
    if field in entry:
        return [Fault((field,), "value", f"{name}-entry")]
    return [Fault((), "owner", f"{name}-entry")]


def _entry_conditions(entry: Mapping[str, Any], rows: list[Row], layout: Layout, known: list[Fault]) -> Iterator[Fault]:
    scenarios = entry.get("scenarios")
    if isinstance(scenarios, dict):
        if (
            not scenarios.get("fixed-seq-len")
            and not scenarios.get("agentic-coding")
            and not under(("scenarios",), known)
        ):
            yield Fault(("scenarios",), "key", "no-scenario")
        runner = entry.get("runner")
        if scenarios.get("agentic-coding") and isinstance(runner, str) and not runner.startswith("cluster:"):
            yield Fault(("runner",), "value", "runner-no-cluster", {"found": runner})
        if not any(fault.name == "fixed-under-agentic" for fault in known):
            yield from _dram(scenarios.get("agentic-coding"))
    yield from _scopes(entry, rows)


def _dram(items: Any) -> Iterator[Fault]:
    for number, item in enumerate(items if isinstance(items, list) else ()):
        space = item.get("search-space") if isinstance(item, dict) else None
        listed = space if isinstance(space, list) else ()
        dram = [row for row in listed if isinstance(row, dict) and row.get("kv-offloading") == "dram"]
        if dram and item.get("dram-utilization") is None:
            yield Fault(("scenarios", "agentic-coding", number), "owner", "no-dram-utilization", {"rows": len(dram)})


def _scopes(entry: Mapping[str, Any], rows: list[Row]) -> Iterator[Fault]:
    """`router` and `kv-p2p-transfer` stand at one scope, and a disaggregated entry has the transfer."""
    for name in ("router", "kv-p2p-transfer"):
        lower = sum(row.value.get(name) is not None for row in rows)
        if entry.get(name) is not None and lower:
            yield Fault((name,), "key", "two-scopes", {"key": name, "rows": lower})
    carrying = [row for row in rows if row.value.get("kv-p2p-transfer") is not None]
    if not is_multinode(entry):
        for row in carrying:
            if row.scenario == "agentic-coding":
                yield Fault((*row.path, "kv-p2p-transfer"), "key", "transfer-on-one-node")
    elif boolean(entry.get("disagg")) and entry.get("kv-p2p-transfer") is None:
        if not carrying:
            yield Fault((), "owner", "no-transfer")
        for row in rows if carrying else ():
            if row.value.get("kv-p2p-transfer") is None:
                yield Fault(row.path, "owner", "no-transfer-here")
