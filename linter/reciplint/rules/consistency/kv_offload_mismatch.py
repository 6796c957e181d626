"""A row says of KV-cache offloading what its recipe does not do, or the reverse.

## What it finds

An agentic row without `kv-offloading: dram` whose recipe keeps KV cache in host memory, and a row with it whose recipe
does not: hierarchical cache of SGLang, offloading connectors and `kv-offloading-size` of vLLM, `host_cache_size` of
TensorRT-LLM, a Mooncake store.

Connectors that only hand the cache to another worker (NIXL, Mooncake's and MoRI's point-to-point ones) do not count. An
engine or connector that is not known leaves the reverse undecided, which stays silent.

## Why it matters

The row is what is published: a result that used host memory stands beside those that did not, and no DRAM budget is
computed for it.

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
    - search-space:
      - «conc-list: [8]
        spec-decoding: mtp
        kv-offloading: none
        prefill:
          num-worker: 1
          tp: 8
          ep: 1
          dp-attn: false
          additional-settings:
          - "CONFIG_FILE=recipes/vllm/tiny/first.yaml"
        decode: {num-worker: 0, tp: 8, ep: 1, dp-attn: false}»
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

None is applied: `kv-offloading: dram` also wants a `kv-offload-backend` and a `dram-utilization`.

## Options

None.

## Source

Rows that ran with offloading for weeks before they said so; the options of vLLM, SGLang and TensorRT-LLM (August 2026).
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.offloading import offloads, stores
from reciplint.domain.pairing import Pair
from reciplint.domain.project import Project
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="kv-offload-mismatch",
    summary="A row says of KV-cache offloading what its recipe does not do, or the reverse",
    severity="warning",
    source="rows that ran with offloading before they said so; the engines' options, August 2026",
    messages={
        "unsaid": "the {role} role of the recipe keeps KV cache in host memory ({store}), but this row of {key}"
        " {says:?says kv-offloading: {says}}{silent:?does not say kv-offloading: dram}",
        "undone": "this row of {key} says kv-offloading: dram, but no role of its recipe keeps KV cache in host memory",
    },
    messages_zh={
        "unsaid": "此配方的 {role} 角色把 KV 缓存放在主机内存中（{store}），但 {key} 的这一搜索空间行"
        "{says:?写的是 kv-offloading: {says}}{silent:?没有写 kv-offloading: dram}",
        "undone": "{key} 的这一搜索空间行写着 kv-offloading: dram，但此配方没有任何角色把 KV 缓存放在主机内存中",
    },
)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each agentic row that every variant which it runs contradicts."""
    rows: dict[tuple[str, str], list[Pair]] = {}
    for pair in project.pairs:
        if pair.use.arm.kind == "agentic-coding":
            rows.setdefault((pair.use.master, pair.use.row.pointer), []).append(pair)
    for pairs in rows.values():
        says = pairs[0].use.row.kv_offloading == "dram"
        does = {offloads(pair) for pair in pairs}
        if does == {not says}:
            yield _undone(project, pairs[0]) if says else _unsaid(project, pairs[0])


def _unsaid(project: Project, pair: Pair) -> Finding:
    use = pair.use
    role, store = stores(pair)[0]
    span = project.variant_span(pair.path, pair.variant.selector, store.place)
    return RULE.finding(
        "unsaid",
        use.row.span,
        path=use.master,
        subject=(use.entry.key, use.scenario, use.row.identity, "unsaid"),
        pointer=use.row.pointer,
        related=(Related(pair.path, span, f"{store.name} of the {role.name} role"),),
        role=role.name,
        store=store.name,
        key=use.entry.key,
        says=use.row.kv_offloading or "",
        silent="" if use.row.kv_offloading else "silent",
    )


def _undone(project: Project, pair: Pair) -> Finding:
    use = pair.use
    return RULE.finding(
        "undone",
        use.row.span,
        path=use.master,
        subject=(use.entry.key, use.scenario, use.row.identity, "undone"),
        pointer=use.row.pointer,
        related=(Related(pair.path, project.recipe_span(pair.path), "the recipe that it runs"),),
        key=use.entry.key,
    )
