"""A recipe sets what the launcher writes into it.

## What it finds

A recipe that rows name by `srt-recipe` below an `srt-recipe-dir` is a fragment. It is merged over a shared block, and
then filled in from the master config. It must not set, not even to the value that it would get:

- `model.path`, `model.container`, `model.precision`;
- `identity.model.repo`, `identity.container.image`;
- `benchmark.concurrencies`, `telemetry.enabled`, `telemetry.dcgm_exporter.port`;
- in `benchmark.env` of a fixed sequence `MODEL`, `ISL`, `OSL`, `CONC`, `CONC_LIST`, `RANDOM_RANGE_RATIO` and
  `USE_CHAT_TEMPLATE`;
- in `benchmark.env` of an agentic point `CONC`, `CONC_LIST`, `KV_OFFLOADING`, `TOTAL_CPU_DRAM_GB`, `RESULT_DIR`,
  `AGENTIC_OUTPUT_DIR`, `HF_HUB_CACHE` and `HUGGINGFACE_HUB_CACHE`, on one node also `MODEL`, on several
  `AIPERF_DATASET_MMAP_CACHE_DIR`.

The variants (`override_*`, `zip_override_*`) of a single-node recipe may name the `CONC` and `KV_OFFLOADING` that they
are meant for. A recipe that states its own model, image, precision and benchmark type needs no shared block: it is
taken for one from before fragments, and left alone.

## Why it matters

The launcher refuses the recipe before anything is submitted, so that no point of it runs. It does so because a value
in two places goes stale in one.

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
  srt-recipe-dir: tiny/vllm/b200-fp4
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - { tp: 8, conc-list: [4, 8], srt-recipe: 8k1k.yaml }
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/single_node/srt-slurm-recipes/tiny/vllm/b200-fp4/8k1k.yaml
base:
  schema: 2
  name: tiny-8k1k
  identity:
    container:
      «image: vllm/vllm-openai:v1»
  resources: { gpu_type: b200, gpus_per_node: 8 }
  engine: vllm
  roles:
    agg: { nodes: 1, workers: 1, gpus: 8, args: { tensor-parallel-size: 8 } }
  benchmark:
    env:
      «ISL: "8192"»
zip_override_tp8:
  benchmark:
    env:
      CONC: ["4", "8"]
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
  srt-recipe-dir: tiny/vllm/b200-fp4
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - { tp: 8, conc-list: [4, 8], srt-recipe: 8k1k.yaml }
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/single_node/srt-slurm-recipes/tiny/vllm/b200-fp4/8k1k.yaml
base:
  schema: 2
  name: tiny-8k1k
  resources: { gpu_type: b200, gpus_per_node: 8 }
  engine: vllm
  roles:
    agg: { nodes: 1, workers: 1, gpus: 8, args: { tensor-parallel-size: 8 } }
zip_override_tp8:
  benchmark:
    env:
      CONC: ["4", "8"]
```

## Fix

None is applied: where the value differs from the master config's, one of the two was meant.

## Options

None.

## Source

The recipe guide and the binder of the public benchmark repository (October 2026), which refuse such a recipe.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename

from reciplint.domain.binding import BoundKey, Point, bound, point_of
from reciplint.domain.master import MasterEntry
from reciplint.domain.project import Project
from reciplint.domain.references import Use
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="bound-key",
    summary="A recipe sets what the launcher writes into it",
    severity="error",
    source="the recipe guide and binder of the public benchmark repository, October 2026",
    messages={
        "written": "{name} is set{value:? to {value}}, but the launcher writes it"
        "{written:? ({written}, from {key})} and refuses a recipe that does: leave it out",
        "power": "{name} is set{value:? to {value}}, but a row's power: true decides it, and the launcher refuses a"
        " recipe that does: leave it out",
        "variant": "{name} is set{value:? to {value}} for every point of {recipe}: only a variant may name it",
    },
    messages_zh={
        "written": "{name} 被设置{value:?为 {value}}，但该值由启动器写入{written:?（{written}，来自 {key}）}"
        "，启动器会拒绝设置它的配方：请删除",
        "power": "{name} 被设置{value:?为 {value}}，但它由搜索空间行的 power: true 决定"
        "，启动器会拒绝设置它的配方：请删除",
        "variant": "{name} 被设置{value:?为 {value}}，作用于 {recipe} 的所有测试点：只有变体可以写它",
    },
)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each key of a fragment that is written for one of its rows."""
    for path, uses in project.resolver.active.items():
        recipe = project.recipes.get(path)
        binding = recipe.facts.binding if recipe is not None else None
        if binding is None or not binding.keys:
            continue
        points: dict[Point, Use] = {}
        for use in uses:
            if use.reference.era == "C":
                points.setdefault(point_of(use), use)
        for key, point in bound(binding, points):
            yield _finding(path, key, points[point])


def _finding(path: str, key: BoundKey, use: Use) -> Finding:
    point = point_of(use)
    name = ".".join(key.path)
    if key.path[0] == "telemetry":
        message = "power"
    elif key.path[-1] in ("CONC", "KV_OFFLOADING") and not point.multinode:
        message = "variant"
    else:
        message = "written"
    related = Related(use.master, use.reference.span, f"the row of {use.entry.key} that runs it")
    return RULE.finding(
        message,
        key.span,
        path=path,
        pointer="/" + "/".join((*filter(None, [key.body]), *key.path)),
        subject=(key.body, name),
        related=(related,),
        name=name,
        value=key.text,
        written=_written(key, use.entry, use),
        key=use.entry.key,
        recipe=basename(path),
    )


def _written(key: BoundKey, entry: MasterEntry, use: Use) -> str:
    """What the launcher writes instead, where the master config says it in one value."""
    known = {
        "path": f"hf:{entry.model}" if entry.model else "",
        "container": entry.image,
        "image": entry.image,
        "precision": entry.precision,
        "repo": entry.model,
        "MODEL": entry.model,
        "ISL": use.arm.isl,
        "OSL": use.arm.osl,
    }
    return str(known.get(key.path[-1]) or "")
