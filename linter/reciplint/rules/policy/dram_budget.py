"""A recipe reserves more host memory than its row, or the policy, allows.

## What it finds

An agentic recipe whose KV-cache stores, as each GPU reserves them, exceed

- the GPU's share of a node: the node's DRAM, of which at most 3 TB count, divided by the node's GPUs, or
- what `dram-utilization` allows of that share, on a row with `kv-offloading: dram`.

The sizes are `cpu_bytes_to_use` and `cpu_bytes_to_use_per_rank` of vLLM's offloading connectors, `kv-offloading-size`,
Mooncake's `global_segment_size`, SGLang's `hicache-size` and TensorRT-LLM's `host_cache_size`. The last three are of
each GPU, not of a worker or a node: vLLM's guide to the Mooncake store says so of the segment, and TensorRT-LLM divides
its size by what a token takes on one rank. A unit such as `GB` is read as decimal. What follows a ratio, a default or a
reference (`@dram.…`) is not known and stays silent, as do fleets without `hardware`.

## Why it matters

The DRAM that a result may use is part of what makes results comparable, and it is published from `dram-utilization`. A
recipe with a size of its own does not follow it.

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
    - «dram-utilization: 0.25»
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

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/first.yaml
name: tiny
model: {path: org/tiny, container: "vllm/vllm-openai:v2", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1, gpus_per_agg: 8}
backend:
  type: vllm
  connector: null
  vllm_config:
    aggregated:
      tensor-parallel-size: 8
      speculative-config: '{"method": "mtp", "num_speculative_tokens": 2}'
      kv-transfer-config: '{"kv_connector": "SimpleCPUOffloadConnector", "kv_role": "kv_both",
        "kv_connector_extra_config": {"cpu_bytes_to_use_per_rank": 100000000000}}'
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
    - dram-utilization: 0.4
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

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/first.yaml
name: tiny
model: {path: org/tiny, container: "vllm/vllm-openai:v2", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1, gpus_per_agg: 8}
backend:
  type: vllm
  connector: null
  vllm_config:
    aggregated:
      tensor-parallel-size: 8
      speculative-config: '{"method": "mtp", "num_speculative_tokens": 2}'
      kv-transfer-config: '{"kv_connector": "SimpleCPUOffloadConnector", "kv_role": "kv_both",
        "kv_connector_extra_config": {"cpu_bytes_to_use_per_rank": 100000000000}}'
```

## Fix

None is applied: either the utilisation or the recipe's size is wrong.

## Options

None.

## Source

The offloading policy and sweep generator of the public benchmark repository; the options of vLLM, SGLang and
TensorRT-LLM (August 2026); vLLM 0.33.0, `docs/features/mooncake_store_connector_usage.md`; TensorRT-LLM,
`_torch/pyexecutor/resource_manager.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from reciplint.domain.offloading import Budget, Reserved, budget, largest
from reciplint.domain.pairing import Pair
from reciplint.domain.project import Project
from reciplint.domain.runners import Hardware, Runners
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="dram-budget",
    summary="A recipe reserves more host memory than its row, or the policy, allows",
    severity="warning",
    source="the public benchmark repository's offloading policy and generator; the engines' options, August 2026",
    messages={
        "utilization": "each GPU of the {role} role reserves {size} GB of host memory ({store}) in"
        " {count:recipe|recipes} of {key}, {whole} GB for a node of {gpus:GPU|GPUs}, but dram-utilization"
        " {utilization} allows {limit} GB a GPU, {allowed} GB of the node's {node} GB",
        "share": "each GPU of the {role} role reserves {size} GB of host memory ({store}) in"
        " {count:recipe|recipes} of {key}, {whole} GB for a node of {gpus:GPU|GPUs}, but a GPU's share of the"
        " node's {node} GB is {limit} GB",
    },
    messages_zh={
        "utilization": "{key} 的 {count} 个配方中，{role} 角色的每个 GPU 预留了 {size} GB 主机内存（{store}），"
        "{gpus} 个 GPU 的节点共 {whole} GB，但 dram-utilization {utilization} 只允许每个 GPU 使用 {limit} GB，即节点"
        " {node} GB 中的 {allowed} GB",
        "share": "{key} 的 {count} 个配方中，{role} 角色的每个 GPU 预留了 {size} GB 主机内存（{store}），"
        "{gpus} 个 GPU 的节点共 {whole} GB，但每个 GPU 在节点 {node} GB 中的份额是 {limit} GB",
    },
)

_GB = 10**9
_SHOWN = 3


class _Excess(msgspec.Struct):
    """Recipes of one scenario that reserve too much: the first and worst of them and all their paths."""

    pair: Pair
    reserved: Reserved
    budget: Budget
    limit: int
    others: dict[str, tuple[str, Reserved]]


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each scenario and limit that recipes exceed."""
    if project.runners is None:
        return
    found: dict[tuple[str, str, int, int], _Excess] = {}
    fleets: dict[str, Hardware | None] = {}
    for pair in project.pairs:
        reserved = largest(pair) if pair.use.arm.kind == "agentic-coding" else None
        known = _budget(pair, project.runners, fleets) if reserved is not None else None
        if reserved is None or known is None or (limit := known.exceeded_by(reserved.size)) is None:
            continue
        key = (pair.use.entry.key, pair.use.scenario, id(pair.use.arm), limit)
        excess = found.setdefault(key, _Excess(pair, reserved, known, limit, {}))
        excess.others.setdefault(pair.path, (pair.variant.selector, reserved))
        if reserved.size > excess.reserved.size:
            excess.pair, excess.reserved = pair, reserved
    for excess in found.values():
        yield _finding(project, excess)


def _budget(pair: Pair, runners: Runners, fleets: dict[str, Hardware | None]) -> Budget | None:
    runner = pair.use.entry.runner or ""
    if runner not in fleets:
        fleets[runner] = runners.hardware_of(runner)
    hardware = fleets[runner]
    utilization = pair.use.arm.dram_utilization if pair.use.row.kv_offloading == "dram" else None
    return None if hardware is None else budget(hardware, utilization)


def _finding(project: Project, excess: _Excess) -> Finding:
    use, reserved, known = excess.pair.use, excess.reserved, excess.budget
    kind = "share" if excess.limit == known.share else "utilization"
    related = tuple(
        Related(path, project.variant_span(path, selector, other.store.place), f"{_gb(other.size)} GB for each GPU")
        for path, (selector, other) in list(excess.others.items())[:_SHOWN]
    )
    return RULE.finding(
        kind,
        use.row.span if kind == "share" or use.arm.dram_span is None else use.arm.dram_span,
        path=use.master,
        subject=(use.entry.key, use.scenario, reserved.store.name, _gb(reserved.size), _gb(excess.limit)),
        related=related,
        role=reserved.role.name,
        size=_gb(reserved.size),
        store=reserved.store.name,
        count=len(excess.others),
        key=use.entry.key,
        limit=_gb(excess.limit),
        node=_gb(known.node),
        gpus=known.gpus,
        utilization=str(use.arm.settings.get("dram-utilization", "")),
        whole=_gb(reserved.size * known.gpus),
        allowed=_gb(excess.limit * known.gpus),
    )


def _gb(size: int) -> str:
    return f"{size / _GB:.0f}"
