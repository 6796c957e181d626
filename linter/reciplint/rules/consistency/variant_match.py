"""A row of one node fits no variant of its recipe, or several.

## What it finds

A single-node row names a file alone. For each of its concurrencies the launcher takes the one variant that has the
row's

- engine, GPUs, one node and one worker;
- `tp`, `ep`, `dp-attn`, `pp` and `dcp-size`, by what the engine's flags come to;
- speculation (a recipe that drafts, for a row with `spec-decoding`);
- `benchmark.env.CONC` and `KV_OFFLOADING`, where the variant names them.

This finds concurrencies that no variant has, and those that several have. Two variants for the same GPUs and
concurrency are told apart by their expert or attention parallelism alone, if by anything. Where something that decides
cannot be told (ATOM's flags give no tensor size), it is silent.

## Why it matters

The launcher asks for exactly one variant: with none or several the whole plan fails.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-sglang:
  image: lmsysorg/sglang:v1
  model: org/tiny
  model-prefix: tiny
  runner: b200
  precision: fp4
  framework: sglang
  multinode: false
  srt-recipe-dir: tiny/sglang/b200-fp4
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - «{ tp: 4, ep: 4, conc-list: [32, 64], srt-recipe: 8k1k.yaml }»
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/single_node/srt-slurm-recipes/tiny/sglang/b200-fp4/8k1k.yaml
base:
  schema: 2
  name: tiny-8k1k
  resources: { gpu_type: b200, gpus_per_node: 8 }
  engine: sglang
  roles:
    agg: { nodes: 1, workers: 1, gpus: 4, args: { tensor-parallel-size: 4 } }
zip_override_tp4_ep1:
  benchmark:
    env:
      CONC: ["32", "64"]
zip_override_tp4_ep4:
  roles:
    agg:
      args: { expert-parallel-size: 4 }
  benchmark:
    env:
      CONC: ["32"]
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-sglang:
  image: lmsysorg/sglang:v1
  model: org/tiny
  model-prefix: tiny
  runner: b200
  precision: fp4
  framework: sglang
  multinode: false
  srt-recipe-dir: tiny/sglang/b200-fp4
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - { tp: 4, ep: 4, conc-list: [32], srt-recipe: 8k1k.yaml }
      - { tp: 4, ep: 1, conc-list: [64], srt-recipe: 8k1k.yaml }
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/single_node/srt-slurm-recipes/tiny/sglang/b200-fp4/8k1k.yaml
base:
  schema: 2
  name: tiny-8k1k
  resources: { gpu_type: b200, gpus_per_node: 8 }
  engine: sglang
  roles:
    agg: { nodes: 1, workers: 1, gpus: 4, args: { tensor-parallel-size: 4 } }
zip_override_tp4_ep1:
  benchmark:
    env:
      CONC: ["32", "64"]
zip_override_tp4_ep4:
  roles:
    agg:
      args: { expert-parallel-size: 4 }
  benchmark:
    env:
      CONC: ["32"]
```

## Fix

None is applied: the row or the recipe may be what was meant.

## Options

None.

## Source

The public launchers' selection of single-node recipes (October 2026), and their plan, which fails without exactly one.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename

from reciplint.domain.pairing import Match, is_matched, matches, selected
from reciplint.domain.project import Project
from reciplint.domain.recipe import RecipeFile
from reciplint.domain.recipe_variant import Variant
from reciplint.domain.references import Use
from reciplint.domain.variant_match import Unlike, fit, runs_at
from reciplint.rules.finding import Argument, Finding, Related
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="variant-match",
    summary="A row of one node fits no variant of its recipe, or several",
    severity="error",
    source="the public launchers' selection of single-node recipes, October 2026",
    messages={
        "none": "no variant of {recipe} is this row's at concurrency {concurrencies}; {near} comes nearest, with"
        " {differences}",
        "several": "at concurrency {concurrencies} this row may be {variants} of {recipe} alike, and the launcher asks"
        " for exactly one",
    },
    messages_zh={
        "none": "在并发数 {concurrencies:, =、} 下，{recipe} 没有与该搜索空间行相符的变体；最接近的是 {near}，其"
        " {differences:, =、|* for *=% 而非 %}",
        "several": "在并发数 {concurrencies:, =、} 下，该搜索空间行同时符合 {recipe} 的 {variants:, =、}"
        "，而启动器要求恰好一个",
    },
)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each row whose concurrencies have no variant, and for each set of variants they share."""
    for use, resolved in project.resolver.resolved:
        if use.reference.era != "C" or use.reference.purpose != "recipe" or len(resolved.files) != 1:
            continue
        recipe = project.recipes.get(resolved.files[0])
        if recipe is not None and is_matched(use, recipe):
            yield from _row(project, use, recipe)


def _row(project: Project, use: Use, recipe: RecipeFile) -> Iterator[Finding]:
    unmatched: list[int] = []
    shared: dict[tuple[str, ...], list[Match]] = {}
    for match in matches(use, recipe):
        if not match.variants:
            unmatched.append(match.concurrency)
        elif len(match.certain) > 1:
            shared.setdefault(tuple(variant.selector for variant in match.certain), []).append(match)
    if unmatched:
        yield _none(project, use, recipe, unmatched)
    for names, found in shared.items():
        concurrencies = [match.concurrency for match in found]
        yield _finding(project, use, recipe.path, "several", concurrencies, names, {"variants": names})


def _none(project: Project, use: Use, recipe: RecipeFile, concurrencies: list[int]) -> Finding:
    near, unlike = _nearest(use, recipe, concurrencies)
    differences = tuple(f"{item.field} {item.variant} for {item.row}" for item in unlike)
    arguments: dict[str, Argument] = {"near": near.selector, "differences": differences}
    return _finding(project, use, recipe.path, "none", concurrencies, (near.selector,), arguments)


def _nearest(use: Use, recipe: RecipeFile, concurrencies: list[int]) -> tuple[Variant, list[Unlike]]:
    """The variant with the fewest settings that are not the row's, its concurrency among them."""
    found = []
    for variant in selected("", recipe.facts.variants):
        unlike = list(fit(use, variant).unlike)
        if not any(runs_at(variant, concurrency) for concurrency in concurrencies):
            unlike.append(Unlike("CONC", str(concurrencies[0]), variant.concurrency))
        found.append((variant, unlike))
    return min(found, key=lambda item: len(item[1]))


def _finding(
    project: Project,
    use: Use,
    path: str,
    message_id: str,
    concurrencies: list[int],
    variants: tuple[str, ...],
    arguments: dict[str, Argument],
) -> Finding:
    listed = tuple(map(str, concurrencies))
    related = tuple(
        Related(path, project.variant_span(path, name, ("benchmark", "env", "CONC")), f"the point of {name}")
        for name in variants
    )
    return RULE.finding(
        message_id,
        use.row.span,
        path=use.master,
        pointer=use.row.pointer,
        subject=(use.entry.key, use.scenario, use.row.identity, message_id, *listed),
        related=related,
        severity=None,
        fix=None,
        **{"recipe": basename(path), "concurrencies": listed, **arguments},
    )
