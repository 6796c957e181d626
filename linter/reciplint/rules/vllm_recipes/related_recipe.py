"""A related recipe that is not there.

## What it finds

Entries of `meta.related_recipes` that are neither the `<org>/<repo>` of a recipe's path nor the slug of a recipe, in
this very spelling; and entries that name the recipe itself or stand there twice.

Where the taxonomy is kept elsewhere, so may be other recipes: then only spellings that differ in capitals from a
recipe's own are reported.

## Why it matters

The site leaves out what it does not find, so the link is missing and nobody is told.

## Bad

```yaml taxonomy.yaml
hardware_profiles:
  h200: {brand: NVIDIA, generation: hopper, gpu_count: 8, vram_gb: 1128}
tasks:
- id: text
strategies: [single_node_tp]
```

```yaml models/Example/Finch.yaml
meta:
  title: Finch
  slug: finch
  provider: Example
  description: A small model
  date_updated: 2026-07-01
  tasks: [text]
  related_recipes: [«example/Heron»]
model:
  model_id: Example/Finch
  architecture: dense
  parameter_count: 7B
variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
compatible_strategies: [single_node_tp]
guide: Serve it.
```

```yaml models/Example/Heron.yaml
meta:
  title: Heron
  slug: heron
  provider: Example
  description: A small model
  date_updated: 2026-07-01
  tasks: [text]
model:
  model_id: Example/Heron
  architecture: dense
  parameter_count: 7B
variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
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

```yaml models/Example/Finch.yaml
meta:
  title: Finch
  slug: finch
  provider: Example
  description: A small model
  date_updated: 2026-07-01
  tasks: [text]
  related_recipes: [Example/Heron]
model:
  model_id: Example/Finch
  architecture: dense
  parameter_count: 7B
variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
compatible_strategies: [single_node_tp]
guide: Serve it.
```

```yaml models/Example/Heron.yaml
meta:
  title: Heron
  slug: heron
  provider: Example
  description: A small model
  date_updated: 2026-07-01
  tasks: [text]
model:
  model_id: Example/Heron
  architecture: dense
  parameter_count: 7B
variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
compatible_strategies: [single_node_tp]
guide: Serve it.
```

## Fix

Writes the id of the recipe that differs in capitals alone. It is another text, so the fix is unsafe.

```yaml models/Example/Finch.yaml
meta:
  title: Finch
  slug: finch
  provider: Example
  description: A small model
  date_updated: 2026-07-01
  tasks: [text]
  related_recipes: [Example/Heron]
model:
  model_id: Example/Finch
  architecture: dense
  parameter_count: 7B
variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
compatible_strategies: [single_node_tp]
guide: Serve it.
```

## Options

None.

## Source

The recipe page of the public vLLM recipes site (August 2026), which looks for an equal id or slug.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from reciplint.domain.project import Project
from reciplint.domain.vllm_recipe import Said, VllmRecipeFile
from reciplint.domain.vllm_recipes import VllmRecipes
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import SetScalar
from reciplint.yamltree.spans import FILE_START

RULE = Rule(
    id="related-recipe",
    summary="A related recipe that is not there",
    severity="warning",
    source="the recipe page of the public vLLM recipes site, August 2026",
    fix="unsafe",
    messages={
        "missing": "related_recipes names {found}, and no recipe has this id or slug{near:?; did you mean {near}?}",
        "itself": "related_recipes names {found}, which is this recipe",
        "twice": "related_recipes names {found} twice",
    },
    messages_zh={
        "missing": "related_recipes 中有 {found}，但没有配方使用该 id 或 slug{near:?；是否应为 {near}？}",
        "itself": "related_recipes 中有 {found}，而它就是本配方",
        "twice": "related_recipes 中有两个 {found}",
    },
)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Every related recipe that cannot be linked, or says nothing."""
    repository = project.vllm
    folded = {name.lower(): name for name in repository.ids}
    for path, recipe in repository.recipes.items():
        seen: set[str] = set()
        for said in recipe.at("meta.related_recipes.*"):
            text = said.text or ""
            if not text:
                continue
            if text in seen:
                yield _finding("twice", recipe, said)
            elif text in (repository.id_of(path), recipe.text("meta.slug")):
                yield _finding("itself", recipe, said)
            elif text not in repository.ids and text not in repository.slugs:
                yield from _missing(repository, recipe, said, folded)
            seen.add(text)


def _missing(repository: VllmRecipes, recipe: VllmRecipeFile, said: Said, folded: dict[str, str]) -> Iterator[Finding]:
    text = said.text or ""
    same = folded.get(text.lower())
    if same is None and repository.taxonomy is None:
        return
    near = same or next(iter(get_close_matches(text, (*repository.ids, *repository.slugs), 1, 0.8)), "")
    place = tuple(int(part) if part.isdigit() else part for part in said.path)
    yield RULE.finding(
        "missing",
        said.span,
        path=recipe.path,
        subject=(text,),
        pointer=said.pointer,
        related=(Related(repository.ids[near].path, FILE_START, "the closest recipe"),)
        if near in repository.ids
        else (),
        fix=Fix(f"Write {same}", "unsafe", (SetScalar(recipe.path, place, same),)) if same else None,
        found=text,
        near=near,
    )


def _finding(message_id: str, recipe: VllmRecipeFile, said: Said) -> Finding:
    text = said.text or ""
    return RULE.finding(
        message_id, said.span, path=recipe.path, subject=(message_id, text), pointer=said.pointer, found=text
    )
