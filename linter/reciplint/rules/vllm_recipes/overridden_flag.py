"""A parallel size in a list of arguments, which the strategy sets again after it.

## What it finds

`--tensor-parallel-size`, `--data-parallel-size` or `--pipeline-parallel-size`, in any spelling, in `base_args`, in
`extra_args` of a variant or of its hardware, where the strategy that the site recommends for the recipe adds the same
flag after it. Recipes of vllm-omni are left alone: no strategy adds a flag to those.

And a flag that stands twice in one list: the last one wins.

## Why it matters

The site lays the lists of a command one after another and keeps the last of two equal flags. Base and variant come
before the strategy, so the size that the author wrote is never served, and `tp:`, which would be, was not written.

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
  base_args: [«"--max-num-seqs"», "64", "--trust-remote-code", "--max-num-seqs", "128"]
variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
    extra_args: [«"--tensor-parallel-size"», "4"]
compatible_strategies: [single_node_tp]
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
  base_args: ["--trust-remote-code", "--max-num-seqs", "128"]
variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
    tp: 4
compatible_strategies: [single_node_tp]
guide: Serve it.
```

## Fix

None is applied: `tp: 4` on the variant serves what the flag meant, and the author knows for which hardware.

## Options

None.

## Source

The command synthesis of the public vLLM recipes site (August 2026): base, variant, strategy, strategy override,
hardware override, features, in this order.
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.project import Project
from reciplint.domain.vllm_recipe import Said, VllmRecipeFile, argument_lists
from reciplint.domain.vllm_recipes import VllmRecipes, parallel_flag
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="overridden-flag",
    summary="A parallel size in a list of arguments, which the strategy sets again after it",
    severity="warning",
    source="the command synthesis of the public vLLM recipes site, August 2026",
    messages={
        "strategy": "{where}: {flag} is overridden: {strategy} sets {sets} after it; state the size as `tp` of the"
        " variant or of strategy_overrides",
        "other-size": "{where}: {flag} is overridden: {strategy} sets {sets} after it; a size that differs belongs"
        " under strategy_overrides",
        "twice": "{where}: {flag} stands again further down this list, and the last one wins",
    },
    messages_zh={
        "strategy": "{where}：{flag} 会被覆盖：{strategy} 在其后设置 {sets}；请用该 variant 的 `tp` 或在"
        " strategy_overrides 中写明",
        "other-size": "{where}：{flag} 会被覆盖：{strategy} 在其后设置 {sets}；不同的取值应写在 strategy_overrides 中",
        "twice": "{where}：{flag} 在该列表后面又出现一次，而以最后一个为准",
    },
)

_BEFORE_THE_STRATEGY = (
    "model.base_args.*",
    "variants.*.extra_args.*",
    "variants.*.hardware_overrides.*.extra_args.*",
)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Every flag that another one overrides without a word."""
    for recipe in project.vllm.recipes.values():
        if not recipe.is_omni:
            yield from _by_strategy(project.vllm, recipe)
        yield from _twice(recipe)


def _by_strategy(repository: VllmRecipes, recipe: VllmRecipeFile) -> Iterator[Finding]:
    strategy = recipe.recommended
    emitted = repository.emits(strategy) if strategy else frozenset()
    for pattern in _BEFORE_THE_STRATEGY if emitted else ():
        for said in recipe.at(pattern):
            flag = parallel_flag(said.text or "")
            if flag in emitted:
                is_tensor = flag == "--tensor-parallel-size"
                yield _finding("strategy" if is_tensor else "other-size", recipe, said, strategy=strategy, sets=flag)


def _twice(recipe: VllmRecipeFile) -> Iterator[Finding]:
    for tokens in argument_lists(recipe.facts):
        last = {said.text.partition("=")[0]: said for said in tokens if said.text and said.text.startswith("--")}
        for said in tokens:
            name = (said.text or "").partition("=")[0]
            if name in last and last[name] is not said:
                yield _finding("twice", recipe, said, (Related(recipe.path, last[name].span, "the last one"),))


def _finding(
    message_id: str, recipe: VllmRecipeFile, said: Said, related: tuple[Related, ...] = (), **arguments: str
) -> Finding:
    return RULE.finding(
        message_id,
        said.span,
        path=recipe.path,
        subject=(message_id, said.place, said.text or ""),
        severity=None,
        pointer=said.pointer,
        related=related,
        fix=None,
        where=said.place,
        flag=said.text or "",
        **arguments,
    )
