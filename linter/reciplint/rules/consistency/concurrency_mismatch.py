"""A recipe runs other concurrencies than the rows that use it.

## What it finds

A recipe with an `sa-bench` benchmark whose `benchmark.concurrencies` is not what the `conc-list`s of all rows that run
this variant come to together. A `custom` benchmark takes its concurrency from the caller and is not judged. In the
later layout the list counts only where the rows measure power.

## Why it matters

The job runs the recipe's list. What only a row lists is never measured; what only the recipe lists takes hours on the
cluster and is thrown away.

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
      - conc-list: [16, 64]
        prefill: {num-worker: 1, tp: 4, ep: 1, dp-attn: false, additional-settings: [CONFIG_FILE=recipes/tiny.yaml]}
        decode: {num-worker: 1, tp: 4, ep: 1, dp-attn: false}
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
resources: {gpu_type: b200}
backend: {type: vllm}
benchmark: {type: sa-bench, isl: 8192, osl: 1024, concurrencies: «16x32»}
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
      - conc-list: [16, 64]
        prefill: {num-worker: 1, tp: 4, ep: 1, dp-attn: false, additional-settings: [CONFIG_FILE=recipes/tiny.yaml]}
        decode: {num-worker: 1, tp: 4, ep: 1, dp-attn: false}
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
resources: {gpu_type: b200}
backend: {type: vllm}
benchmark: {type: sa-bench, isl: 8192, osl: 1024, concurrencies: 16x64}
```

## Fix

None is applied: either list may be the one that was meant.

## Options

None.

## Source

Review findings; srt-slurm's `sa-bench` runs the concurrencies of its recipe.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import basename

from reciplint.domain.project import Project
from reciplint.domain.row_concurrency import Demand, demands, takes_from_recipe
from reciplint.domain.variant_places import span_of
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.spans import FILE_START

RULE = Rule(
    id="concurrency-mismatch",
    summary="A recipe runs other concurrencies than the rows that use it",
    severity="warning",
    source="review findings; srt-slurm's sa-bench runs the concurrencies of its recipe",
    messages={
        "differs": "{recipe} differs from its rows in concurrency{extra:?; it alone runs {extra}}"
        "{missing:?; only its rows have {missing}}",
    },
    messages_zh={
        "differs": "{recipe} 与使用它的搜索空间行并发不一致{extra:?；只有配方运行 {extra}}"
        "{missing:?；只有搜索空间行列出 {missing}}",
    },
)

_PLACE = ("benchmark", "concurrencies")


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each variant whose list is not that of its rows."""
    for demand in demands(project.pairs):
        if takes_from_recipe(demand) and set(demand.variant.concurrencies) != set(demand.concurrencies):
            yield _finding(project, demand)


def _finding(project: Project, demand: Demand) -> Finding:
    selector = demand.variant.selector
    tree = project.tree(demand.path)
    runs, asks = set(demand.variant.concurrencies), set(demand.concurrencies)
    extra, missing = _listed(runs - asks), _listed(asks - runs)
    return RULE.finding(
        "differs",
        span_of(tree, selector, _PLACE) if tree is not None else FILE_START,
        path=demand.path,
        subject=(selector, extra, missing),
        related=tuple(
            Related(pair.use.master, pair.use.row.span, f"runs concurrency {_listed(pair.concurrencies)}")
            for pair in demand.pairs
        ),
        recipe=f"{basename(demand.path)}:{selector}".rstrip(":"),
        extra=extra,
        missing=missing,
    )


def _listed(values: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(values)))
