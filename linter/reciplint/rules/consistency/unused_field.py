"""A setting of a master config that nothing reads.

## What it finds

`dram-utilization` of a scenario of which no row says `kv-offloading: dram`: the DRAM budget that it scales is computed
for such rows only.

## Why it matters

It suggests a budget that no run has, and is mostly left over from rows that were removed.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm-agentic:
  image: vllm/vllm-openai:v2
  model: org/tiny
  model-prefix: tiny
  runner: cluster:b200-lab
  precision: fp4
  framework: dynamo-vllm
  multinode: true
  disagg: false
  scenarios:
    agentic-coding:
    - «dram-utilization: 0.8»
      search-space:
      - conc-list: [8]
        spec-decoding: mtp
        kv-offloading: none
        prefill:
          num-worker: 1
          tp: 8
          ep: 1
          dp-attn: false
          additional-settings:
          - "CONFIG_FILE=recipes/vllm/tiny/first.yaml"
        decode: {num-worker: 0, tp: 8, ep: 1, dp-attn: false}
```

```yaml configs/runners.yaml
labels:
  cluster:b200-lab: [b200-0]
hardware:
  cluster:b200-lab: {available-cpu-dram-mib: 2000000, gpus-per-node: 8}
```

```yaml perf-changelog.yaml
[]
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm-agentic:
  image: vllm/vllm-openai:v2
  model: org/tiny
  model-prefix: tiny
  runner: cluster:b200-lab
  precision: fp4
  framework: dynamo-vllm
  multinode: true
  disagg: false
  scenarios:
    agentic-coding:
    - dram-utilization: 0.8
      search-space:
      - conc-list: [8]
        spec-decoding: mtp
        kv-offloading: dram
        kv-offload-backend: {name: vllm-simple}
        prefill:
          num-worker: 1
          tp: 8
          ep: 1
          dp-attn: false
          additional-settings:
          - "CONFIG_FILE=recipes/vllm/tiny/first.yaml"
        decode: {num-worker: 0, tp: 8, ep: 1, dp-attn: false}
```

```yaml configs/runners.yaml
labels:
  cluster:b200-lab: [b200-0]
hardware:
  cluster:b200-lab: {available-cpu-dram-mib: 2000000, gpus-per-node: 8}
```

```yaml perf-changelog.yaml
[]
```

## Fix

Unsafe, since it takes a value away: the setting is dropped.

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm-agentic:
  image: vllm/vllm-openai:v2
  model: org/tiny
  model-prefix: tiny
  runner: cluster:b200-lab
  precision: fp4
  framework: dynamo-vllm
  multinode: true
  disagg: false
  scenarios:
    agentic-coding:
    - search-space:
      - conc-list: [8]
        spec-decoding: mtp
        kv-offloading: none
        prefill:
          num-worker: 1
          tp: 8
          ep: 1
          dp-attn: false
          additional-settings:
          - "CONFIG_FILE=recipes/vllm/tiny/first.yaml"
        decode: {num-worker: 0, tp: 8, ep: 1, dp-attn: false}
```

## Options

None.

## Source

Review findings; the sweep generator of the public benchmark repository (August 2026).
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.project import Project
from reciplint.rules.finding import Finding, Fix
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import DropEntry
from reciplint.yamltree.tree import pointer

RULE = Rule(
    id="unused-field",
    summary="A setting of a master config that nothing reads",
    severity="info",
    source="review findings; the public sweep generator, August 2026",
    fix="unsafe",
    messages={
        "dram-utilization": "no {scenario} row of {key} says kv-offloading: dram, so that nothing reads"
        " dram-utilization {value}",
    },
    messages_zh={
        "dram-utilization": "{key} 的 {scenario} 场景没有任何搜索空间行写 kv-offloading: dram，因此没有任何地方读取"
        " dram-utilization {value}",
    },
)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each scenario whose `dram-utilization` no row uses."""
    for master in project.masters:
        for entry in master.entries:
            for arm in entry.arms:
                if arm.dram_span is None or not arm.rows or any(row.kv_offloading == "dram" for row in arm.rows):
                    continue
                place = (*arm.path, "dram-utilization")
                fix = Fix("Drop dram-utilization", "unsafe", (DropEntry(master.path, place),))
                yield RULE.finding(
                    "dram-utilization",
                    arm.dram_span,
                    path=master.path,
                    subject=(entry.key, arm.scenario, "dram-utilization"),
                    pointer=pointer(place),
                    fix=fix,
                    scenario=arm.scenario,
                    key=entry.key,
                    value=str(arm.settings["dram-utilization"]),
                )
