"""Benchmark points as lines of a table: in the field's words, one a point or one a row with its concurrencies."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

import msgspec

from reciplint.domain.matrix import Point, Totals, totals
from reciplint.domain.point_words import offloading, topology
from reciplint.domain.runners import Runners
from reciplint.report.table import Cell, Column

COLUMNS = (
    Column("key"),
    Column("scenario"),
    Column("topology"),
    Column("conc", right=True),
    Column("spec-decoding"),
    Column("offloading"),
    Column("GPUs", right=True),
    Column("DRAM GB", right=True),
    Column("runner"),
    Column("recipe"),
)
FLEETS = (
    Column("runner"),
    Column("runners", right=True),
    Column("points", right=True),
    Column("jobs", right=True),
    Column("GPUs at once", right=True),
    Column("GPU-hours", right=True),
)


class Fleet(msgspec.Struct, frozen=True):
    """What points cost on one runner label. `runners` is how many stand behind it, None if the label is unknown."""

    runner: str
    runners: int | None
    points: int
    jobs: int
    gpus: int
    gpu_hours: float


def cells(points: list[Point]) -> list[Cell]:
    """One line for points that differ in nothing but their concurrency."""
    first = points[0]
    concurrencies: Cell = first.concurrency
    if len(points) > 1:
        concurrencies = ", ".join(str(point.concurrency) for point in points)
    return [
        first.key,
        first.scenario,
        topology(first),
        concurrencies,
        "" if first.spec_decoding == "none" else first.spec_decoding,
        offloading(first),
        first.gpus,
        first.dram_gb if first.kv_offloading == "dram" else None,
        first.runner,
        first.recipe,
    ]


def by_row(points: list[Point]) -> list[list[Point]]:
    """The points of each row of a master config."""
    return [list(group) for _, group in groupby(points, key=lambda point: (point.key, point.row))]


def as_json(point: Point) -> dict[str, Any]:
    """A point as JSON: every field with the name that master configs give it, and its GPUs."""
    plain: dict[str, Any] = msgspec.to_builtins(point)
    named = {name.replace("_", "-"): value for name, value in plain.items()}
    named["roles"] = [{name.replace("_", "-"): value for name, value in role.items()} for role in plain["roles"]]
    for name in ("router", "kv-p2p-transfer", "kv-offload-backend"):
        text = named[name]
        named[name] = msgspec.json.decode(text) if text.startswith(("{", "[")) else text or None
    return {**named, "topology": topology(point), "gpus": point.gpus}


def fleets(points: list[Point], hours: dict[str, float], runners: Iterable[Runners]) -> list[Fleet]:
    """What points cost, by runner label."""
    behind: dict[str, int] = {}
    for found in runners:
        behind.update({label.name: len(set(label.runners)) for label in found.labels})
    by_runner: dict[str, list[Point]] = {}
    for point in points:
        by_runner.setdefault(point.runner, []).append(point)
    return [fleet(runner, behind.get(runner), totals(own, hours)) for runner, own in sorted(by_runner.items())]


def fleet(runner: str, behind: int | None, total: Totals) -> Fleet:
    """The cost of the points of one runner label."""
    return Fleet(runner, behind, total.points, total.jobs, total.gpus, round(total.gpu_hours, 2))


def fleet_cells(found: Fleet) -> list[Cell]:
    """A fleet as a line."""
    return [found.runner, found.runners, found.points, found.jobs, found.gpus, found.gpu_hours]
