"""A strategy's hardware override that loses the recipe's own.

## What it finds

`strategy_overrides.<strategy>.hardware_overrides.<generation>` that lists something, and leaves out flags or variables
that the recipe sets for the same generation in `hardware_overrides`. An empty block says that nothing is wanted, and is
left alone.

## Why it matters

The strategy's block takes the place of the recipe's, so what it does not repeat is gone for this strategy: often a
memory limit or a kernel that the hardware needs. It may be meant, so this is advice.

## Bad

```yaml taxonomy.yaml
hardware_profiles:
  h200: {brand: NVIDIA, generation: hopper, gpu_count: 8, vram_gb: 1128}
tasks:
- id: text
strategies: [single_node_tp]
```

```yaml models/example/Finch.yaml
meta:
  title: Finch
  slug: finch
  provider: Example
  description: A small model
  date_updated: 2026-07-01
  tasks: [text]
model:
  model_id: example/Finch
  architecture: dense
  parameter_count: 7B
variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
compatible_strategies: [single_node_tp]
hardware_overrides:
  hopper:
    extra_args: ["--gpu-memory-utilization", "0.95", "--enforce-eager"]
strategy_overrides:
  single_node_tp:
    hardware_overrides:
      «hopper»:
        extra_args: ["--enforce-eager", "--max-num-seqs", "16"]
guide: Serve it.
```

## Good

```yaml taxonomy.yaml
hardware_profiles:
  h200: {brand: NVIDIA, generation: hopper, gpu_count: 8, vram_gb: 1128}
tasks:
- id: text
strategies: [single_node_tp]
```

```yaml models/example/Finch.yaml
meta:
  title: Finch
  slug: finch
  provider: Example
  description: A small model
  date_updated: 2026-07-01
  tasks: [text]
model:
  model_id: example/Finch
  architecture: dense
  parameter_count: 7B
variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
compatible_strategies: [single_node_tp]
hardware_overrides:
  hopper:
    extra_args: ["--gpu-memory-utilization", "0.95", "--enforce-eager"]
strategy_overrides:
  single_node_tp:
    hardware_overrides:
      hopper:
        extra_args: ["--gpu-memory-utilization", "0.95", "--enforce-eager", "--max-num-seqs", "16"]
guide: Serve it.
```

## Fix

None is applied: repeat in the strategy's block what should stay.

## Options

None.

## Source

The command synthesis of the public vLLM recipes site (August 2026).
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.project import Project
from reciplint.domain.vllm_baseline import dropped
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="baseline-dropped",
    summary="A strategy's hardware override that loses the recipe's own",
    severity="info",
    source="the command synthesis of the public vLLM recipes site, August 2026",
    messages={
        "dropped": "{strategy}: this block takes the place of hardware_overrides.{baseline}, which also has {lost};"
        " repeat what should stay",
    },
    messages_zh={
        "dropped": "{strategy}：该块取代 hardware_overrides.{baseline}，而后者还有 {lost:, =、}；"
        "请重复写出应保留的内容",
    },
)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Every block that loses something."""
    for recipe in project.vllm.recipes.values():
        for found in dropped(project.vllm, recipe):
            baseline = found.baseline.path[-1]
            yield RULE.finding(
                "dropped",
                found.said.key_span,
                path=recipe.path,
                subject=(found.strategy, found.said.path[-1], baseline, *found.lost),
                pointer=found.said.pointer,
                related=(Related(recipe.path, found.baseline.key_span, "what it takes the place of"),),
                strategy=found.strategy,
                baseline=baseline,
                lost=found.lost,
            )
