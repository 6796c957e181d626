"""A reference that the launcher cannot fill in, or a size that is none.

## What it finds

In recipes that rows name below an `srt-recipe-dir`, of the variants that rows run:

- `@dram.…` and `@fabric.…` with a name that does not exist, or inside a longer text. A reference is a whole value, or
  a whole value within a JSON object written as text.
- `@dram.…` in a variant that a row without `kv-offloading: dram` runs: such a point has no budget.
- `@fabric.…` of a field that a cluster which the row's runner label reaches does not set, where the runners file says
  anything of `fabric`.

And, in any part of such a recipe, a size of host memory that is written as a number and has to be a reference:
`cpu_bytes_to_use` and `cpu_bytes_to_use_per_rank` of vLLM's CPU offloading, `LMCACHE_MAX_LOCAL_CPU_SIZE` and
`lmcache.max_local_cpu_size`, and what follows `--l1-size-gb`.

## Why it matters

The plan fails, or the job does before it is submitted. A size that is written out is right for one cluster at best.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm-agentic:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: cluster:b200-a
  precision: fp4
  framework: dynamo-vllm
  multinode: true
  disagg: false
  srt-recipe-dir: tiny/vllm/b200-fp4
  scenarios:
    agentic-coding:
    - dram-utilization: 0.8
      search-space:
      - conc-list: [8]
        num-nodes: 1
        worker: { num-worker: 1, tp: 8, ep: 1, dp-attn: false }
        kv-offloading: dram
        kv-offload-backend: { name: lmcache }
        srt-recipe: agentx/agg-tp8.yaml
```

```yaml configs/runners.yaml
labels:
  cluster:b200-a: [b200-a_0]
clusters:
  b200-a:
    gpus-per-node: 8
    arch: x86_64
    scheduler: slurm
    slurm:
      partition: main
      exclusive: true
      srt-slurm:
        network-interface: ""
        fabric: { ib-devices: [mlx5_0] }
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/multi_node/srt-slurm-recipes/tiny/vllm/b200-fp4/agentx/agg-tp8.yaml
schema: 2
name: tiny-agg-tp8
resources: { gpu_type: b200, gpus_per_node: 8 }
engine: vllm
roles:
  agg:
    nodes: 1
    workers: 1
    gpus: 8
    args:
      tensor-parallel-size: 8
      kv-transfer-config: '{"kv_connector":"LMCacheConnectorV1","kv_role":"kv_both"}'
    env:
      PYTHONHASHSEED: "0"
      LMCACHE_MAX_LOCAL_CPU_SIZE: «"@dram.per-rank-gb"»
      UCX_NET_DEVICES: «"@fabric.ucx-net-devices"»
      IB_DEVICES: «"first:@fabric.ib-devices"»
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm-agentic:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: cluster:b200-a
  precision: fp4
  framework: dynamo-vllm
  multinode: true
  disagg: false
  srt-recipe-dir: tiny/vllm/b200-fp4
  scenarios:
    agentic-coding:
    - dram-utilization: 0.8
      search-space:
      - conc-list: [8]
        num-nodes: 1
        worker: { num-worker: 1, tp: 8, ep: 1, dp-attn: false }
        kv-offloading: dram
        kv-offload-backend: { name: lmcache }
        srt-recipe: agentx/agg-tp8.yaml
```

```yaml configs/runners.yaml
labels:
  cluster:b200-a: [b200-a_0]
clusters:
  b200-a:
    gpus-per-node: 8
    arch: x86_64
    scheduler: slurm
    slurm:
      partition: main
      exclusive: true
      srt-slurm:
        network-interface: ""
        fabric: { ib-devices: [mlx5_0], ucx-net-devices: ["mlx5_0:1"] }
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/multi_node/srt-slurm-recipes/tiny/vllm/b200-fp4/agentx/agg-tp8.yaml
schema: 2
name: tiny-agg-tp8
resources: { gpu_type: b200, gpus_per_node: 8 }
engine: vllm
roles:
  agg:
    nodes: 1
    workers: 1
    gpus: 8
    args:
      tensor-parallel-size: 8
      kv-transfer-config: '{"kv_connector":"LMCacheConnectorV1","kv_role":"kv_both"}'
    env:
      PYTHONHASHSEED: "0"
      LMCACHE_MAX_LOCAL_CPU_SIZE: "@dram.per-gpu-gb"
      UCX_NET_DEVICES: "@fabric.ucx-net-devices"
      IB_DEVICES: "@fabric.ib-devices"
```

## Fix

None is applied. The nearest name, or the reference that has the size's unit, is named.

## Options

None.

## Source

The recipe guide and the binder of the public benchmark repository (October 2026), which refuse such a recipe.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from posixpath import basename

from reciplint.domain.pairing import Pair, pairs
from reciplint.domain.placeholders import NAMES, SIZES, FixedSize, Placeholder
from reciplint.domain.project import Project
from reciplint.domain.references import Use
from reciplint.rules.finding import Argument, Finding, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.spans import Span

RULE = Rule(
    id="placeholder",
    summary="A reference that the launcher cannot fill in, or a size that is none",
    severity="error",
    source="the recipe guide and binder of the public benchmark repository, October 2026",
    messages={
        "unknown": "{text} is no reference that the launcher knows{near:?; did you mean {near}?}",
        "embedded": "{mark}… stands inside a longer text, where nothing fills it in: a reference is a whole value",
        "no-budget": "{text} is filled in from the DRAM budget of a point, and {key} runs {recipe} in rows without"
        " kv-offloading: dram, which have none",
        "unset": "{text} is filled in from {cluster}, which runner {runner} of {key} reaches, and that sets no {field}"
        " in its fabric",
        "literal": "{name} is {text}, a size of host memory that the launcher takes from the point's DRAM budget alone:"
        " it has to be a reference, as {reference}",
    },
    messages_zh={
        "unknown": "{text} 不是启动器认识的引用{near:?；是否应为 {near}？}",
        "embedded": "{mark}… 出现在更长的文本中，不会被替换：引用必须是完整的值",
        "no-budget": "{text} 由测试点的 DRAM 预算填入，而 {key} 在没有 kv-offloading: dram 的搜索空间行中运行 {recipe}"
        "，这些行没有该预算",
        "unset": "{text} 由集群 {cluster} 填入（{key} 的 runner {runner} 可达该集群）"
        "，但它的 fabric 中没有设置 {field}",
        "literal": "{name} 为 {text}，但启动器只从测试点的 DRAM 预算得出这一主机内存大小"
        "：必须写成引用，例如 {reference}",
    },
)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each place and what is wrong with it."""
    seen: set[tuple[str, ...]] = set()
    for path, uses in project.resolver.active.items():
        recipe = project.recipes.get(path)
        held = recipe.facts.placeholders if recipe is not None else None
        fragments = [use for use in uses if use.reference.era == "C"]
        if recipe is None or held is None or not fragments:
            continue
        for size in held.sizes:
            yield _literal(path, size, fragments[0])
        references: dict[str, list[Placeholder]] = {}
        for found in held.references:
            references.setdefault(found.selector, []).append(found)
        for use in fragments:
            for pair in pairs(use, recipe):
                for found in references.get(pair.variant.selector, ()):
                    yield from _judged(project, pair, found, seen)


def _judged(project: Project, pair: Pair, found: Placeholder, seen: set[tuple[str, ...]]) -> Iterator[Finding]:
    """What is wrong with a reference in a variant that a row runs, each thing of each place told once."""
    use = pair.use
    if not found.is_known:
        faults = [("unknown" if found.is_whole else "embedded", "")]
    elif found.mark == "@dram.":
        faults = [] if _has_budget(use) else [("no-budget", "")]
    else:
        faults = [("unset", cluster) for cluster in _silent_clusters(project, use, found.name)]
    for message, detail in faults:
        span = project.variant_span(pair.path, found.selector, found.path)
        known = (pair.path, f"{span.line}:{span.column}", found.text, message, detail)
        if known not in seen:
            seen.add(known)
            yield _reference(pair, found, span, message, detail)


def _has_budget(use: Use) -> bool:
    return use.arm.kind == "agentic-coding" and use.row.kv_offloading == "dram"


def _silent_clusters(project: Project, use: Use, field: str) -> list[str]:
    """The clusters that a use's runner reaches and that do not set a field, where any cluster sets one."""
    runners = project.runners
    if runners is None or not runners.fabric or not use.entry.runner:
        return []
    return [name for name in runners.clusters_of(use.entry.runner) if field not in runners.fabric.get(name, ())]


def _reference(pair: Pair, found: Placeholder, span: Span, message: str, cluster: str) -> Finding:
    use = pair.use
    known = [f"{mark}{name}" for mark, names in NAMES.items() for name in names]
    near = difflib.get_close_matches(f"{found.mark}{found.name}", known, 1, 0.6)
    recipe = f"{basename(pair.path)}:{pair.variant.selector}".rstrip(":")
    arguments: dict[str, dict[str, Argument]] = {
        "unknown": {"text": found.text, "near": near[0] if near else ""},
        "embedded": {"mark": found.mark},
        "no-budget": {"text": found.text, "key": use.entry.key, "recipe": recipe},
        "unset": {
            "text": found.text,
            "cluster": cluster,
            "runner": use.entry.runner or "",
            "key": use.entry.key,
            "field": found.name,
        },
    }
    place = "/".join(map(str, found.path))
    return _finding(pair.path, use, span, message, (found.selector, place, found.text, cluster), arguments[message])


def _literal(path: str, size: FixedSize, use: Use) -> Finding:
    arguments: dict[str, Argument] = {"name": size.name, "text": size.text, "reference": SIZES[size.name]}
    return _finding(path, use, size.span, "literal", (size.body, size.name, size.text), arguments)


def _finding(
    path: str, use: Use, span: Span, message: str, subject: tuple[str, ...], arguments: dict[str, Argument]
) -> Finding:
    related = Related(use.master, use.reference.span, f"a row of {use.entry.key} that runs it")
    return RULE.finding(
        message,
        span,
        path=path,
        pointer="",
        subject=(message, *subject),
        related=(related,),
        severity=None,
        fix=None,
        **arguments,
    )
