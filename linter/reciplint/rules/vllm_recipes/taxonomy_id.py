"""A vLLM recipe uses a word that its vocabulary does not have.

## What it finds

- hardware, generations, tasks, strategies, KV stores, ways to offload the KV cache and platforms that `taxonomy.yaml`,
  `kv_store/` and `platforms.yaml` do not define, wherever a recipe uses them as key or value;
- a status that the site does not read: `meta.hardware` knows `verified` and `unsupported`, `strategy_hardware`
  `supported` and `unsupported`;
- a precision that no checkpoint is published in;
- a strategy whose file and taxonomy disagree about its name.

The vocabulary is read from the repository. Where the taxonomy is kept elsewhere, only status and precision are
judged.

## Why it matters

A word that is not defined selects nothing: the GPU has no pill, the strategy no command, the override no effect; and
nobody is told.

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
  tasks: [text, «txt»]
  hardware:
    h200: «supported»
    «h20»: verified
model:
  model_id: example/Finch
  architecture: dense
  parameter_count: 7B
variants:
  default:
    precision: «fp88»
    vram_minimum_gb: 17
compatible_strategies: [single_node_tp, «single_nod_tp»]
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
  hardware:
    h200: verified
model:
  model_id: example/Finch
  architecture: dense
  parameter_count: 7B
variants:
  default:
    precision: fp8
    vram_minimum_gb: 17
compatible_strategies: [single_node_tp]
guide: Serve it.
```

## Fix

None is applied: either the recipe or the taxonomy may have to change. The closest word is named, which may well mean
something else.

## Options

`words`: further words that are known, of whichever vocabulary.

## Source

The taxonomy of the repository; for status and precision the contributing guide of the public vLLM recipes repository
(August 2026).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from reciplint.domain.project import Project
from reciplint.domain.vllm_recipe import VllmRecipeFile
from reciplint.domain.vllm_recipes import VllmRecipes, stem
from reciplint.domain.vllm_vocabulary import FIXED, Use, uses
from reciplint.rules.finding import Argument, Finding, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.spans import FILE_START

_SHOWN = 9
"""More words than this are not listed."""

_VOCABULARIES_ZH = (
    "hardware or generation=硬件或其世代|hardware status=硬件状态|hardware gate=硬件状态|hardware=硬件"
    "|generation=硬件世代|brand=硬件品牌|task=任务|strategy or hardware=策略或硬件|strategy status=策略状态"
    "|strategy=策略|KV store=KV 存储|KV offloading=KV 卸载方式|KV offload choice=KV 卸载方式"
    "|omni task=omni 任务|KV offload status=KV 卸载状态|platform=平台|precision=精度"
)

RULE = Rule(
    id="taxonomy-id",
    summary="A vLLM recipe uses a word that its vocabulary does not have",
    severity="warning",
    source="the repository's own taxonomy; the contributing guide of the public vLLM recipes repository, August 2026",
    messages={
        "unknown": "{where}: `{found}` is no {vocabulary} that {home} defines"
        "{near:?; the closest is `{near}`}{known:?; it has {known}}",
        "fixed": "{where}: `{found}` is no {vocabulary}; expected one of {known}",
        "without-file": "strategy {found} has no file in strategies/",
        "file-name": "name is {found}; the file is called {expected}",
        "not-listed": "{found} is not among the strategies of {home}",
    },
    messages_zh={
        "unknown": f"{{where}}：{{home}} 没有定义{{vocabulary:{_VOCABULARIES_ZH}}} `{{found}}`"
        "{near:?；最接近的是 `{near}`}{known:?；现有：{known:, =、}}",
        "fixed": f"{{where}}：`{{found}}` 不是{{vocabulary:{_VOCABULARIES_ZH}}}；应为以下之一：{{known:, =、}}",
        "without-file": "策略 {found} 在 strategies/ 中没有文件",
        "file-name": "name 为 {found}；而文件名为 {expected}",
        "not-listed": "{found} 不在 {home} 的策略中",
    },
    options={"words": ()},
)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Every word that is not defined."""
    repository = project.vllm
    more = frozenset(context.options.get("words") or ())
    for recipe in repository.recipes.values():
        for use in uses(recipe):
            if use.text not in more:
                yield from _judged(repository, recipe, use)
    yield from _of_taxonomy(repository)
    yield from _strategies(repository)


def _judged(repository: VllmRecipes, recipe: VllmRecipeFile, use: Use) -> Iterator[Finding]:
    fixed = FIXED.get(use.vocabulary)
    known = repository.knows(use.vocabulary)
    if fixed is not None and use.text not in fixed:
        yield _finding("fixed", recipe, use, known=fixed)
    elif known and use.text not in known:
        near = next(iter(get_close_matches(use.text, known, 1)), "")
        home = repository.home_of(use.vocabulary)
        place = known.get(near, FILE_START)
        related = (Related(home, place, "the closest word"),) if place != FILE_START else ()
        yield _finding("unknown", recipe, use, related, home=home, near=near, known=() if near else _listed(known))


def _finding(
    message_id: str, recipe: VllmRecipeFile, use: Use, related: tuple[Related, ...] = (), **arguments: Argument
) -> Finding:
    return RULE.finding(
        message_id,
        use.span,
        path=recipe.path,
        subject=(use.said.place, use.vocabulary, use.text),
        severity=None,
        pointer=use.said.pointer,
        related=related,
        fix=None,
        where=use.said.place,
        found=use.written,
        vocabulary=use.vocabulary,
        **arguments,
    )


def _of_taxonomy(repository: VllmRecipes) -> Iterator[Finding]:
    """The words that the taxonomy itself uses."""
    for mention in repository.taxonomy.mentions if repository.taxonomy is not None else ():
        known = repository.knows(mention.vocabulary) or {}
        text = mention.text.lower() if mention.vocabulary == "brand" else mention.text
        if text not in known:
            near = next(iter(get_close_matches(text, known, 1)), "")
            yield RULE.finding(
                "unknown",
                mention.span,
                path=repository.taxonomy_path,
                subject=(mention.place, mention.vocabulary, mention.text),
                where=mention.place,
                found=mention.text,
                vocabulary=mention.vocabulary,
                home=repository.taxonomy_path,
                near=near,
                known=() if near else _listed(known),
            )


def _listed(known: Iterable[str]) -> tuple[str, ...]:
    words = tuple(known)
    return words if len(words) <= _SHOWN else ()


def _strategies(repository: VllmRecipes) -> Iterator[Finding]:
    """The strategies of the taxonomy and those of the files."""
    listed = repository.knows("strategy")
    if not listed or not repository.strategies:
        return
    files = {stem(path) for path in repository.strategies}
    for name, span in listed.items():
        if name not in repository.by_name and name not in files:
            yield RULE.finding(
                "without-file", span, path=repository.taxonomy_path, subject=("strategy", name), found=name
            )
    for path, strategy in repository.strategies.items():
        expected = stem(path)
        if strategy.name and strategy.name != expected:
            yield RULE.finding(
                "file-name",
                strategy.span,
                path=path,
                subject=("file", strategy.name),
                found=strategy.name,
                expected=expected,
            )
        elif strategy.name and not strategy.is_store and strategy.name not in listed:
            home = repository.taxonomy_path
            yield RULE.finding(
                "not-listed", strategy.span, path=path, subject=("listed", expected), found=expected, home=home
            )
