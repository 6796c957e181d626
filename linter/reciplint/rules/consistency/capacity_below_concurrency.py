"""A row asks for more concurrency than the recipe's decode workers can run at once.

## What it finds

A row's highest concurrency over what the decode (or aggregated) workers of its recipe hold:

- vLLM: workers × data-parallel ranks × `max-num-seqs`, which is a limit **of each rank**. A worker of 16 ranks with
  `max-num-seqs: 64` holds 1024;
- SGLang: workers × `max-running-requests`, which the attention ranks of a worker share.

Where the recipe leaves the limit to the engine there is no finding. TensorRT-LLM is not judged: recipes there keep
requests waiting on purpose.

## Why it matters

What is beyond the limit waits, in a queue or after its prefill. The point is published as one concurrency and decodes
at a lower one, with the waiting time in every latency.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: b200-multinode
  precision: fp4
  framework: dynamo-vllm
  kv-p2p-transfer: nixl
  multinode: true
  disagg: true
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - conc-list: [512, 4096]
        prefill: {num-worker: 1, tp: 4, ep: 1, dp-attn: false, additional-settings: [CONFIG_FILE=recipes/tiny.yaml]}
        decode: {num-worker: 2, tp: 4, ep: 1, dp-attn: false}
```

```yaml configs/runners.yaml
labels:
  b200-multinode: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/multi_node/srt-slurm-recipes/tiny.yaml
name: tiny-disagg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, prefill_workers: 1, gpus_per_prefill: 4, decode_workers: 2, gpus_per_decode: 4}
backend:
  type: vllm
  vllm_config:
    prefill: {tensor-parallel-size: 4}
    decode: {tensor-parallel-size: 4, max-num-seqs: «1024»}
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: b200-multinode
  precision: fp4
  framework: dynamo-vllm
  kv-p2p-transfer: nixl
  multinode: true
  disagg: true
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - conc-list: [512, 4096]
        prefill: {num-worker: 1, tp: 4, ep: 1, dp-attn: false, additional-settings: [CONFIG_FILE=recipes/tiny.yaml]}
        decode: {num-worker: 4, tp: 16, ep: 1, dp-attn: true}
```

```yaml configs/runners.yaml
labels:
  b200-multinode: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/multi_node/srt-slurm-recipes/tiny.yaml
name: tiny-disagg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, prefill_workers: 1, gpus_per_prefill: 4, decode_workers: 4, gpus_per_decode: 16}
backend:
  type: vllm
  vllm_config:
    prefill: {tensor-parallel-size: 4}
    decode: {tensor-parallel-size: 1, data-parallel-size: 16, max-num-seqs: 64}
```

## Fix

None is applied: the limit may be raised where memory allows it, or the concurrency lowered.

## Options

None.

## Source

Review findings; vLLM's scheduler applies `max-num-seqs` in every data-parallel rank, SGLang's divides
`max-running-requests` among the attention ranks of a worker.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename

from reciplint.domain.project import Project
from reciplint.domain.role_places import flag_of, written
from reciplint.domain.row_concurrency import Capacity, Demand, capacity, demands
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.spans import FILE_START

RULE = Rule(
    id="capacity-below-concurrency",
    summary="A row asks for more concurrency than the recipe's decode workers can run at once",
    severity="warning",
    source="review findings; the limits of vLLM's and SGLang's schedulers, August 2026",
    messages={
        "below": "{role} of {recipe} runs at most {total:request|requests} at once ({how}), and concurrency goes up to"
        " {concurrency}",
    },
    messages_zh={
        "below": "{recipe} 的 {role} 最多同时运行 {total} 个请求（{how}），但并发最高为 {concurrency}",
    },
)

_LIMITS = {"vllm": "max-num-seqs", "sglang": "max-running-requests"}


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each variant that some row asks too much of."""
    for demand in demands(project.pairs):
        held = capacity(demand.variant)
        if held is not None and max(demand.concurrencies, default=0) > held.total:
            yield _finding(project, demand, held)


def _finding(project: Project, demand: Demand, held: Capacity) -> Finding:
    selector, role = demand.variant.selector, held.role
    tree = project.tree(demand.path)
    limit = _LIMITS[role.engine]
    concurrency = max(demand.concurrencies)
    rows = [
        Related(pair.use.master, pair.use.row.span, "a row that asks for more")
        for pair in demand.pairs
        if max(pair.concurrencies, default=0) > held.total
    ]
    own = written(tree, demand.variant, ("benchmark", "concurrencies")) if tree is not None else None
    if own is not None and own.is_exact:
        rows.append(Related(demand.path, own.span, "the concurrencies that the recipe runs"))
    sizes = [f"{held.workers}", *([f"dp {held.ranks}"] if held.ranks > 1 else []), f"{limit} {held.each}"]
    return RULE.finding(
        "below",
        flag_of(tree, demand.variant, role, (limit,)).span if tree is not None else FILE_START,
        path=demand.path,
        subject=(selector, role.name, str(held.total), str(concurrency)),
        related=tuple(rows),
        role=role.name,
        recipe=f"{basename(demand.path)}:{selector}".rstrip(":"),
        total=held.total,
        how=" x ".join(sizes),
        concurrency=concurrency,
    )
