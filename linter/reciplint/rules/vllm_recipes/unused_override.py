"""An override that command synthesis never reads.

## What it finds

- an override for a strategy that the recipe does not offer; a feature for such strategies alone;
- under `pd_cluster`, arguments that stand beside `prefill` and `decode`, whose own are read; under any other strategy,
  `prefill`, `decode`, `router` and `pool_modes`; `tp` of a strategy that spans nodes or splits by data;
- a variant's override for hardware that its `supported_hardware` leaves out, or that `meta.hardware` rules out;
- a variant's `min_vllm_version` below the recipe's;
- beside the site's own taxonomy: `tp` above the GPUs of a node; `supported_hardware` that the precision rules out;
- there too: one GPU, or a brand other than `nvidia`, where a generation is looked up; a
  generation where one GPU is; `install_note`; `hardware` of a feature, of which only modes have one (advice); an image
  for a brand that has no default.

## Why it matters

The override reads as if it held, and every command is built without it.

## Bad

```yaml taxonomy.yaml
hardware_profiles:
  h200: {brand: NVIDIA, generation: hopper, gpu_count: 8, vram_gb: 1128}
tasks:
- id: text
strategies: [single_node_tp, multi_node_tp]
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
  «h200»:
    extra_args: ["--max-num-seqs", "64"]
strategy_overrides:
  «multi_node_tp»:
    extra_args: ["--enforce-eager"]
  single_node_tp:
    «prefill»: {vllm_args: ["--enforce-eager"]}
guide: Serve it.
```

## Good

```yaml taxonomy.yaml
hardware_profiles:
  h200: {brand: NVIDIA, generation: hopper, gpu_count: 8, vram_gb: 1128}
tasks:
- id: text
strategies: [single_node_tp, multi_node_tp]
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
compatible_strategies: [single_node_tp, multi_node_tp]
hardware_overrides:
  hopper:
    extra_args: ["--max-num-seqs", "64"]
strategy_overrides:
  multi_node_tp:
    extra_args: ["--enforce-eager"]
  single_node_tp:
    tp: 1
guide: Serve it.
```

## Fix

None is applied: the message says where it would be read.

## Options

None.

## Source

The command synthesis of the public vLLM recipes site (August 2026). What recipes of vLLM 0.33.0 use beyond it is not
reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.project import Project
from reciplint.domain.vllm_recipe import VllmRecipeFile
from reciplint.domain.vllm_unread import Unread, unread
from reciplint.rules.finding import Finding
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="unused-override",
    summary="An override that command synthesis never reads",
    severity="warning",
    source="the command synthesis of the public vLLM recipes site, August 2026",
    messages={
        "not-offered": "{where}: {key} is not offered by this recipe, which offers {instead}",
        "pools-only": "{where}: {key} is not read here; each of {instead} has its own",
        "one-engine": "{where}: {key} is read for {instead} only",
        "size-of-one-node": "{where}: {key} is read for strategies of one node that split by tensors, as {instead}",
        "no-such-strategy": "{where}: this feature is for strategies that the recipe does not offer; it offers"
        " {instead}",
        "not-supported": "{where}: {key} is not among the supported_hardware of this variant: {instead}",
        "ruled-out": "{where}: meta.hardware calls {key} unsupported",
        "lower-minimum": "{where}: {found} is below the recipe's own {instead}, and the higher one counts",
        "above-node": "{where}: {key} is {found}, but a node has {instead} GPUs, and those are taken",
        "ruled-out-by-precision": "{where}: {found} is not offered for {instead}, which is for NVIDIA Blackwell unless"
        " precision_hardware says otherwise",
        "generation-only": "{where}: {key} is not read here; keys are generations, or nvidia: {instead}",
        "no-brand": "{where}: {key} is not read here; keys are GPUs, generations or nvidia: {instead}",
        "exact-only": "{where}: {key} is not read here; keys are single GPUs",
        "no-reader": "{where}: {key} is read by nothing; write it into the guide or into model.install",
        "modes-only": "{where}: {key} is read of a mode, not of a feature",
        "image-brand": "{where}: {key} is not read; images are looked up by {instead}",
    },
    messages_zh={
        "not-offered": "{where}：本配方没有提供 {key}，只提供 {instead:, =、}",
        "pools-only": "{where}：此处不读取 {key}；{instead:, =、} 各有自己的设置",
        "one-engine": "{where}：只有 {instead:, =、} 才读取 {key}",
        "size-of-one-node": "{where}：只有按张量切分的单节点策略才读取 {key}，如 {instead:, =、}",
        "no-such-strategy": "{where}：该 feature 只用于本配方没有提供的策略；本配方提供 {instead:, =、}",
        "not-supported": "{where}：{key} 不在该 variant 的 supported_hardware 中：{instead:, =、}",
        "ruled-out": "{where}：meta.hardware 称 {key} 为 unsupported",
        "lower-minimum": "{where}：{found} 低于配方本身的 {instead:, =、}，以较高者为准",
        "above-node": "{where}：{key} 为 {found}，而一个节点有 {instead} 个 GPU，以后者为准",
        "ruled-out-by-precision": "{where}：{instead} 不提供 {found}；除非 precision_hardware 另有说明，该精度只用于"
        " NVIDIA Blackwell",
        "generation-only": "{where}：此处不读取 {key}；键应为硬件世代或 nvidia：{instead:, =、}",
        "no-brand": "{where}：此处不读取 {key}；键应为 GPU、硬件世代或 nvidia：{instead:, =、}",
        "exact-only": "{where}：此处不读取 {key}；键应为具体的 GPU",
        "no-reader": "{where}：没有任何地方读取 {key}；请写到 guide 或 model.install 中",
        "modes-only": "{where}：{key} 从 mode 中读取，而不是从 feature 中",
        "image-brand": "{where}：不读取 {key}；镜像按 {instead:, =、} 查找",
    },
)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Everything that is overridden in vain."""
    for recipe in project.vllm.recipes.values():
        for found in unread(project.vllm, recipe):
            yield _finding(recipe, found)


def _finding(recipe: VllmRecipeFile, found: Unread) -> Finding:
    said = found.said
    return RULE.finding(
        found.name,
        said.key_span,
        path=recipe.path,
        subject=(found.name, said.place, said.text or ""),
        severity="info" if found.name == "modes-only" else None,
        pointer=said.pointer,
        where=".".join(said.path[:-1]),
        key=said.path[-1],
        found=said.text or "",
        instead=found.instead,
    )
