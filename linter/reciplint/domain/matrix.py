"""Master configs expanded to benchmark points, as the sweep generator expands them.

Source: the public generator of the benchmark repository (`full-sweep` without filters, August 2026). A fixed-sequence
row of several nodes runs its whole concurrency list in one job; every other point is a job of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import msgspec

from reciplint.domain.master import Arm, MasterEntry, MasterFile, Row
from reciplint.domain.reading import amount, canonical
from reciplint.domain.runners import Runners

DRAM_CAP_MIB = 2_861_022
"""3 TB in MiB: no node offers more host DRAM than this for offloading."""

_MIB = 1024 * 1024
_GB = 1_000_000_000
_ROLES = ("prefill", "decode", "worker")


class Role(msgspec.Struct, frozen=True):
    """The workers of a role, sizes in GPUs, defaults filled in. A single-node row is one `worker`."""

    name: str
    workers: int
    tp: int
    pp: int
    ep: int
    dcp: int
    pcp: int
    dp_attn: bool
    hardware: str
    settings: tuple[str, ...]

    @property
    def gpus_per_worker(self) -> int:
        """GPUs of one replica; expert, data and decode-context parallelism reuse them."""
        return self.tp * self.pp * self.pcp

    @property
    def gpus(self) -> int:
        """GPUs of the role."""
        return self.workers * self.gpus_per_worker


class Point(msgspec.Struct, frozen=True):
    """One benchmark point. `dram_gb` is the host DRAM that offloading may use on a node (0 without offloading, None
    where the fleet's hardware is unknown); `router`, `kv_p2p_transfer` and `kv_offload_backend` are JSON texts."""

    key: str
    kind: str
    scenario: str
    isl: int | None
    osl: int | None
    concurrency: int
    image: str
    model: str
    prefix: str
    precision: str
    framework: str
    runner: str
    multinode: bool
    disagg: bool
    spec_decoding: str
    roles: tuple[Role, ...]
    kv_offloading: str
    kv_offload_backend: str
    dram_gb: int | None
    router: str
    kv_p2p_transfer: str
    num_nodes: int | None
    power: bool
    recipe: str
    evaluation: str
    row: str

    @property
    def gpus(self) -> int:
        """GPUs that the point occupies."""
        return sum(role.gpus for role in self.roles)

    @property
    def job(self) -> tuple[str, ...]:
        """Points with an equal job run one after another in one allocation."""
        together = self.multinode and self.kind == "fixed-seq-len"
        return (self.key, self.scenario, self.row, "" if together else str(self.concurrency))


def expand(masters: tuple[MasterFile, ...], runners: Runners | None) -> Iterator[Point]:
    """Every point of some master configs, in their order."""
    for master in masters:
        for entry in master.entries:
            yield from expand_entry(entry, runners)


def expand_entry(entry: MasterEntry, runners: Runners | None) -> Iterator[Point]:
    """The points of one key."""
    for arm in entry.arms:
        for row in arm.rows:
            yield from expand_row(entry, arm, row, runners)


def expand_row(entry: MasterEntry, arm: Arm, row: Row, runners: Runners | None) -> Iterator[Point]:
    """The points of one row: one for each concurrency, in the row's order."""
    settings = row.settings
    roles = tuple(_roles(settings))
    agentic = arm.kind == "agentic-coding"
    offloading = str(settings.get("kv-offloading") or "none") if agentic else "none"
    template = Point(
        key=entry.key,
        kind=arm.kind,
        scenario=arm.scenario,
        isl=arm.isl,
        osl=arm.osl,
        concurrency=0,
        image=entry.image or "",
        model=entry.model or "",
        prefix=entry.prefix or "",
        precision=entry.precision or "",
        framework=entry.framework or "",
        runner=entry.runner or "",
        multinode=entry.multinode,
        disagg=entry.disagg,
        spec_decoding=row.spec_decoding or "none",
        roles=roles,
        kv_offloading=offloading,
        kv_offload_backend=_component(settings.get("kv-offload-backend")) if agentic else "",
        dram_gb=_dram_gb(arm, entry, roles, runners) if offloading == "dram" else 0,
        router=_component(settings.get("router", entry.settings.get("router"))),
        kv_p2p_transfer=_component(settings.get("kv-p2p-transfer", entry.settings.get("kv-p2p-transfer"))),
        num_nodes=_whole(settings.get("num-nodes"), None),
        power=bool(settings.get("power", arm.settings.get("require-power", False))),
        recipe=_named(row, "recipe"),
        evaluation=_named(row, "evaluation"),
        row=row.pointer,
    )
    for concurrency in row.concurrencies:
        yield msgspec.structs.replace(template, concurrency=concurrency)


def _roles(settings: dict[str, Any]) -> Iterator[Role]:
    blocks = [(name, settings[name]) for name in _ROLES if isinstance(settings.get(name), dict)]
    for name, block in blocks or [("worker", settings)]:
        listed = block.get("additional-settings")
        yield Role(
            name=name,
            workers=_whole(block.get("num-worker"), 1) or 0,
            tp=_whole(block.get("tp"), 1) or 1,
            pp=_whole(block.get("pp"), 1) or 1,
            ep=_whole(block.get("ep"), 1) or 1,
            dcp=_whole(block.get("dcp-size"), 1) or 1,
            pcp=_whole(block.get("pcp-size"), 1) or 1,
            dp_attn=block.get("dp-attn") is True,
            hardware=str(block.get("hardware") or ""),
            settings=tuple(map(str, listed)) if isinstance(listed, list) else (),
        )


def _whole(value: Any, default: int | None) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _component(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else canonical(value)


def _named(row: Row, purpose: str) -> str:
    names = [
        "/".join(filter(None, (reference.folder, reference.text)))
        + (f":{reference.selector}" if reference.selector else "")
        for reference in row.references
        if reference.purpose == purpose
    ]
    return " ".join(names)


def _dram_gb(arm: Arm, entry: MasterEntry, roles: tuple[Role, ...], runners: Runners | None) -> int | None:
    """GB of host DRAM for offloading on one node: the node's (capped) DRAM, times the utilisation, times the share of
    the node's GPUs that one replica uses. Of separate roles the prefill counts; decode does not offload."""
    hardware = runners.hardware_of(entry.runner or "") if runners else None
    if hardware is None or hardware.cpu_dram_mib is None or not hardware.gpus_per_node or arm.dram_utilization is None:
        return None
    per_node = hardware.gpus_per_node
    role = next((role for role in roles if role.name == "prefill"), roles[0])
    used = min(role.gpus_per_worker, per_node)
    available = min(hardware.cpu_dram_mib, DRAM_CAP_MIB)
    share = Decimal(available) * _MIB * Decimal(str(arm.settings["dram-utilization"])) * used / per_node
    return int(share / _GB)


class Totals(msgspec.Struct, frozen=True):
    """What some points cost: points, jobs, GPUs if all ran at once, jobs and GPU-hours by runner label."""

    points: int
    jobs: int
    gpus: int
    jobs_by_runner: dict[str, int]
    gpu_hours_by_runner: dict[str, float]

    @property
    def gpu_hours(self) -> float:
        """GPU-hours of all fleets."""
        return sum(self.gpu_hours_by_runner.values())


def totals(points: list[Point], hours: dict[str, float]) -> Totals:
    """Sum points up. `hours` is how long a point of a scenario kind runs; points of one job run in turn."""
    sizes: dict[tuple[str, ...], tuple[str, int]] = {}
    spent: dict[str, float] = {}
    for point in points:
        sizes[point.job] = (point.runner, point.gpus)
        spent[point.runner] = spent.get(point.runner, 0.0) + amount(point.gpus) * hours.get(point.kind, 0.0)
    jobs: dict[str, int] = {}
    for runner, _ in sizes.values():
        jobs[runner] = jobs.get(runner, 0) + 1
    return Totals(
        points=len(points),
        jobs=len(sizes),
        gpus=sum(gpus for _, gpus in sizes.values()),
        jobs_by_runner=dict(sorted(jobs.items())),
        gpu_hours_by_runner=dict(sorted(spent.items())),
    )
