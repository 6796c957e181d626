"""A preset of a vLLM recipe whose link does not hold.

## What it finds

- `presets.<name>.source.key` that is no key of a master config, active or retired, in the linked checkout (only where
  the option names one);
- a `label` and an `href` of one source that give different numbers of pull requests.

## Why it matters

A preset repeats settings that were measured elsewhere, and the link is how a reader gets to the measurement and how
`reciplint compare` finds what to compare it with.

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
    precision: fp8
    vram_minimum_gb: 17
compatible_strategies: [single_node_tp]
presets:
  h200_chat:
    hardware: h200
    strategy: single_node_tp
    source:
      label: "Bench #12"
      href: «https://github.com/example/bench/pull/21»
      key: finch-fp8-h200-vllm
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
    precision: fp8
    vram_minimum_gb: 17
compatible_strategies: [single_node_tp]
presets:
  h200_chat:
    hardware: h200
    strategy: single_node_tp
    source:
      label: "Bench #12"
      href: https://github.com/example/bench/pull/12
      key: finch-fp8-h200-vllm
guide: Serve it.
```

## Fix

None is applied. The closest key is named.

## Options

`checkout`: the directory, relative to the repository, in which the linked repository is checked out. Without it, keys
are not judged.

`keys`: further keys that are known, for those of a branch that is not checked out.

## Source

The presets in the recipes of vLLM 0.33.0, which name keys of the public InferenceX repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from reciplint.domain.project import Project
from reciplint.domain.vllm_recipe import Said, VllmRecipeFile
from reciplint.rules.finding import Argument, Finding
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="preset-link",
    summary="A preset of a vLLM recipe whose link does not hold",
    severity="warning",
    source="the presets in the recipes of vLLM 0.33.0",
    messages={
        "key": "{preset}: {found} is no key of a master config in {checkout}{near:?; did you mean {near}?}",
        "number": "{preset}: the link leads to pull request {found}, and its label says {label}",
    },
    messages_zh={
        "key": "{preset}：{checkout} 的主配置中没有键 {found}{near:?；是否应为 {near}？}",
        "number": "{preset}：链接指向拉取请求 {found}，而其标签为 {label}",
    },
    options={"checkout": "", "keys": ()},
)

_NUMBER = re.compile(r"#(\d+)\b")
_PULL = re.compile(r"/(?:pull|issues)/(\d+)")


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Every preset whose source cannot be followed."""
    checkout = str(context.options.get("checkout") or "")
    found = frozenset(context.options.get("known") or ())
    keys = found | frozenset(context.options.get("keys") or ()) if found else found
    for recipe in project.vllm.recipes.values():
        yield from _numbers(recipe)
        for said in recipe.at("presets.*.source.key") if keys else ():
            text = said.text or ""
            if text and text not in keys:
                near = next(iter(get_close_matches(text, keys, 1, 0.9)), "")
                yield _finding("key", recipe, said, found=text, checkout=checkout, near=near)


def _numbers(recipe: VllmRecipeFile) -> Iterator[Finding]:
    for said in recipe.at("presets.*.source.href"):
        label = recipe.text(f"presets.{said.path[1]}.source.label")
        linked, told = _PULL.search(said.text or ""), _NUMBER.search(label)
        if linked and told and linked[1] != told[1]:
            yield _finding("number", recipe, said, found=linked[1], label=told[0])


def _finding(message_id: str, recipe: VllmRecipeFile, said: Said, **arguments: Argument) -> Finding:
    return RULE.finding(
        message_id,
        said.span,
        path=recipe.path,
        subject=(said.path[1], said.text or ""),
        severity=None,
        pointer=said.pointer,
        related=(),
        fix=None,
        preset=said.path[1],
        **arguments,
    )
