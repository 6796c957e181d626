"""Two rows of a key run the same benchmark point, or are one row written in parts.

## What it finds

Two rows of one key and scenario that expand to the same point: equal settings, workers and recipe, and a concurrency
that both run. Defaults that one row spells out and the other leaves out are equal. One finding for each pair, at the
later row. Rows that name different recipes are different points.

As information: two rows that are equal but for their concurrencies and could be one, because both list them, or
because their ranges together are one range. Rows of several nodes with a fixed sequence length stay silent, since
there each row is a job of its own, and so do ranges with a gap, which no single range can say.

## Why it matters

The point runs twice on the cluster and gives two results, of which one is published by chance. It mostly comes from
a copied row in which the one setting that should differ was not changed.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: b200
  precision: fp4
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - {tp: 4, conc-list: [8, 16, 32]}
      - {tp: 8, conc-list: [8, 16]}
      - «{tp: 4, ep: 1, conc-list: [32, 64]}»
      - «{tp: 8, conc-list: [32]}»
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: b200
  precision: fp4
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - {tp: 4, conc-list: [8, 16, 32]}
      - {tp: 4, ep: 4, conc-list: [32, 64]}
      - {tp: 8, conc-start: 4, conc-end: 4}
      - {tp: 8, conc-start: 64, conc-end: 256}
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

## Fix

None is applied: which of the rows was meant otherwise is for the author to say.

## Options

None.

## Source

Review findings; how rows expand to points is the public sweep generator's (August 2026).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec

from reciplint.domain.master import Arm, MasterEntry, MasterFile, Row
from reciplint.domain.matrix import expand_row
from reciplint.domain.project import Project
from reciplint.domain.reading import canonical
from reciplint.domain.runners import Runners
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="duplicate-point",
    summary="Two rows of a key run the same benchmark point, or are one row written in parts",
    severity="warning",
    source="review findings; the expansion of the public sweep generator, August 2026",
    messages={
        "twice": "{key} runs {scenario} at concurrency {concurrencies} twice: an earlier row has the same settings",
        "mergeable": "this {scenario} row of {key} (concurrency {concurrencies}) equals an earlier row (concurrency"
        " {other}) but for the concurrencies: one row could say both",
    },
    messages_zh={
        "twice": "{key} 在并发 {concurrencies:, =、} 下重复运行 {scenario}：前面已有设置相同的搜索空间行",
        "mergeable": "{key} 的这个 {scenario} 搜索空间行（并发 {concurrencies:, =、}）与前面一行（并发 {other:, =、}）"
        "只有并发不同：可以合并为一行",
    },
)

_EXPANDED = frozenset(
    {"tp", "pp", "ep", "dcp-size", "pcp-size", "dp-attn", "num-worker", "hardware", "additional-settings"}
    | {"spec-decoding", "kv-offloading", "kv-offload-backend", "router", "kv-p2p-transfer", "num-nodes", "power"}
    | {"srt-recipe", "eval-srt-recipe", "conc-list", "conc-start", "conc-end"}
)
"""Settings of a row or worker block that show in its points, defaults filled in; the others are compared as written."""

_ROLES = frozenset({"prefill", "decode", "worker"})


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each pair of rows with a point in common, and for each row that another could take in."""
    for master in project.masters:
        for entry in master.entries:
            for rows in _alike(entry, project.runners).values():
                for index in range(1, len(rows)):
                    yield from _compare(master, entry, rows[:index], *rows[index])


def _alike(entry: MasterEntry, runners: Runners | None) -> dict[str, list[tuple[Arm, Row]]]:
    """The rows of a key by what they run, concurrency left out; rows without points are no one's twin."""
    found: dict[str, list[tuple[Arm, Row]]] = {}
    for group in _similar(entry):
        for arm, row in group:
            point = next(expand_row(entry, arm, row, runners), None)
            if point is not None:
                roles = tuple(msgspec.structs.replace(role, settings=_settled(role.settings)) for role in point.roles)
                point = msgspec.structs.replace(point, concurrency=0, row="", roles=roles)
                what = [msgspec.to_builtins(point), arm.settings, _others(row.settings)]
                found.setdefault(canonical(what), []).append((arm, row))
    return found


def _similar(entry: MasterEntry) -> Iterator[list[tuple[Arm, Row]]]:
    """Groups of rows that may run the same, at a glance: one scenario, method, size and recipe. Most stand alone."""
    groups: dict[tuple[object, ...], list[tuple[Arm, Row]]] = {}
    for arm in entry.arms:
        for row in arm.rows:
            names = tuple((reference.text, reference.selector) for reference in row.references)
            sizes = tuple((block.role, block.tp or 1) for block in row.workers)
            groups.setdefault((arm.scenario, row.spec_decoding or "none", sizes, names), []).append((arm, row))
    return (group for group in groups.values() if len(group) > 1)


def _settled(settings: tuple[str, ...]) -> tuple[str, ...]:
    """Exported settings in one order, unless a name stands twice, when the order decides."""
    names = {setting.partition("=")[0] for setting in settings}
    return tuple(sorted(settings)) if len(names) == len(settings) else settings


def _others(settings: dict[str, Any]) -> dict[str, Any]:
    others = {}
    for name, value in settings.items():
        if name in _ROLES and isinstance(value, dict):
            value = {inner: item for inner, item in value.items() if inner not in _EXPANDED}
        if name not in _EXPANDED and value not in ({}, None):
            others[name] = value
    return others


def _compare(
    master: MasterFile, entry: MasterEntry, earlier: list[tuple[Arm, Row]], arm: Arm, row: Row
) -> Iterator[Finding]:
    """A row against those before it that run the same."""
    is_duplicate = False
    for _, other in earlier:
        shared = tuple(map(str, sorted(set(row.concurrencies) & set(other.concurrencies))))
        if shared:
            is_duplicate = True
            yield RULE.finding(
                "twice",
                row.span,
                path=master.path,
                pointer=row.pointer,
                subject=(entry.key, arm.scenario, row.identity, ",".join(shared)),
                related=(Related(master.path, other.span, f"this row runs concurrency {', '.join(shared)} too"),),
                key=entry.key,
                scenario=arm.scenario,
                concurrencies=shared,
            )
    previous = earlier[-1][1]
    if not is_duplicate and _mergeable(entry, arm, row, previous):
        concurrencies = tuple(map(str, row.concurrencies))
        yield RULE.finding(
            "mergeable",
            row.span,
            path=master.path,
            severity="info",
            pointer=row.pointer,
            subject=(entry.key, arm.scenario, row.identity, ",".join(concurrencies)),
            related=(Related(master.path, previous.span, "the row that could take it in"),),
            key=entry.key,
            scenario=arm.scenario,
            concurrencies=concurrencies,
            other=tuple(map(str, previous.concurrencies)),
        )


def _mergeable(entry: MasterEntry, arm: Arm, row: Row, other: Row) -> bool:
    """Whether one row could say both without changing a job: two lists, or two ranges that make one range."""
    if entry.multinode and arm.kind == "fixed-seq-len":
        return False
    listed = ["conc-list" in item.settings for item in (row, other)]
    if any(listed):
        return all(listed)
    values = sorted({*row.concurrencies, *other.concurrencies})
    return all(low * 2 == high for low, high in pairwise(values))
