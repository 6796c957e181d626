"""A recipe is not called as its path says.

## What it finds

- `model.model_id` that is not the `<org>/<repo>` of `models/<org>/<repo>.yaml`, capitals included;
- a recipe that lies at another depth than that;
- a `slug` that has nothing of the title and of the file's name, that another recipe has too, or that is not in lower
  case (which is advice).

## Why it matters

The page's address, the links to it and the model's page on Hugging Face are all made of the path; `vllm serve` gets
the `model_id`. Where they differ, one of them leads nowhere or to another model.

## Bad

```yaml taxonomy.yaml
hardware_profiles:
  h200: {brand: NVIDIA, generation: hopper, gpu_count: 8, vram_gb: 1128}
tasks:
- id: text
strategies: [single_node_tp]
```

```yaml models/Example/Finch-2.yaml
meta:
  title: Finch 2
  slug: «heron-7b»
  provider: Example
  description: A small model
  date_updated: 2026-07-01
  tasks: [text]
model:
  model_id: «example/Finch-2»
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

```yaml models/Example/Finch-2.yaml
meta:
  title: Finch 2
  slug: finch-2
  provider: Example
  description: A small model
  date_updated: 2026-07-01
  tasks: [text]
model:
  model_id: Example/Finch-2
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

None is applied: the file may have to move instead, and links with it.

## Options

None.

## Source

The contributing guide of the public vLLM recipes repository (August 2026): the path mirrors Hugging Face, `model_id`
matches it, the slug is the title in lower case with dashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from reciplint.domain.project import Project
from reciplint.domain.vllm_recipe import Said, VllmRecipeFile
from reciplint.domain.vllm_recipes import VllmRecipes, stem
from reciplint.rules.finding import Argument, Finding, Related, Severity
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.spans import FILE_START

RULE = Rule(
    id="recipe-path",
    summary="A recipe is not called as its path says",
    severity="warning",
    source="the contributing guide of the public vLLM recipes repository, August 2026",
    messages={
        "model": "model_id is {found}, but the path says {expected}",
        "depth": "{found} is not models/<org>/<repo>.yaml, so the recipe gets no address of its own",
        "slug": "slug is {found}, which has nothing of the title {title} nor of the file's name",
        "slug-twice": "slug is {found}, which {other} has too",
        "slug-case": "slug is {found}; slugs are in lower case: {expected}",
    },
    messages_zh={
        "model": "model_id 为 {found}，但路径表明应为 {expected}",
        "depth": "{found} 不是 models/<org>/<repo>.yaml，因此该配方没有自己的地址",
        "slug": "slug 为 {found}，与标题 {title} 和文件名都没有相同之处",
        "slug-twice": "slug 为 {found}，而 {other} 也使用它",
        "slug-case": "slug 为 {found}；slug 应为小写：{expected}",
    },
)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Every recipe whose names and path disagree."""
    repository = project.vllm
    for path, recipe in repository.recipes.items():
        expected = repository.id_of(path)
        model = recipe.one("model.model_id")
        if not expected:
            inside = project.relative(path)
            yield RULE.finding("depth", FILE_START, path=path, subject=("depth",), found=inside)
        elif model is not None and model.text and model.text != expected:
            yield _finding("model", recipe, model, expected=expected)
        slug = recipe.one("meta.slug")
        if slug is not None and slug.text:
            yield from _slug(repository, recipe, slug, slug.text)


def _slug(repository: VllmRecipes, recipe: VllmRecipeFile, slug: Said, text: str) -> Iterator[Finding]:
    first = repository.slugs[text][0]
    title = recipe.text("meta.title")
    names = [_letters(title), _letters(stem(recipe.path))]
    if first is not recipe:
        place = first.one("meta.slug")
        related = (Related(first.path, place.span, "first here"),) if place is not None else ()
        yield _finding("slug-twice", recipe, slug, related=related, other=first.path)
    elif not any(_letters(text) in name or (name and name in _letters(text)) for name in names):
        yield _finding("slug", recipe, slug, title=title)
    elif text != text.lower():
        yield _finding("slug-case", recipe, slug, severity="info", expected=text.lower())


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def _finding(
    message_id: str,
    recipe: VllmRecipeFile,
    said: Said,
    related: tuple[Related, ...] = (),
    severity: Severity | None = None,
    **arguments: Argument,
) -> Finding:
    return RULE.finding(
        message_id,
        said.span,
        path=recipe.path,
        subject=(message_id, said.text or ""),
        severity=severity,
        pointer=said.pointer,
        related=related,
        fix=None,
        found=said.text or "",
        **arguments,
    )
