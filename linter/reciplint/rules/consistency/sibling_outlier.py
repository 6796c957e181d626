"""A new recipe lacks a setting that its siblings have.

## What it finds

Compared with a base: for a recipe that the change adds, engine flags and environment variables of a role that at least
nine in ten comparable recipes of its folder set for that role, and it does not. Comparable are recipes for the same
hardware and engine, with the role laid out in the same way (attention data parallel or not, expert parallel or not, a
worker on one node or several) and drafting or not as the new one does: the thirty with the most similar names, and at
least five. Others that the change adds count too, so that a new family of recipes may agree on something else. A role
that lacks more than five such settings is of another kind and passed over.

So are files with overrides or merge keys, and renamed ones. Nothing is said without a base.

## Why it matters

A recipe that was typed or cut from an older one loses a memory limit or a timeout that the others settled on. It runs
all the same, and its numbers are compared with theirs.

## Bad

```yaml benchmarks/tiny/agg-b200-tp8-c1.yaml
name: agg-b200-tp8-c1
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  vllm_config:
    aggregated: {tensor-parallel-size: 8, max-model-len: 9472}
```

```yaml benchmarks/tiny/agg-b200-tp8-c2.yaml
name: agg-b200-tp8-c2
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  vllm_config:
    aggregated: {tensor-parallel-size: 8, max-model-len: 9472}
```

```yaml benchmarks/tiny/agg-b200-tp8-c4.yaml
name: agg-b200-tp8-c4
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  vllm_config:
    aggregated: {tensor-parallel-size: 8, max-model-len: 9472}
```

```yaml benchmarks/tiny/agg-b200-tp8-c8.yaml
name: agg-b200-tp8-c8
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  vllm_config:
    aggregated: {tensor-parallel-size: 8, max-model-len: 9472}
```

```yaml benchmarks/tiny/agg-b200-tp8-c16.yaml
name: agg-b200-tp8-c16
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  vllm_config:
    aggregated: {tensor-parallel-size: 8, max-model-len: 9472}
```

```yaml base benchmarks/tiny/agg-b200-tp8-c32.yaml
{}
```

```yaml benchmarks/tiny/agg-b200-tp8-c32.yaml
name: agg-b200-tp8-c32
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  vllm_config:
    «aggregated»: {tensor-parallel-size: 8}
```

## Good

```yaml benchmarks/tiny/agg-b200-tp8-c1.yaml
name: agg-b200-tp8-c1
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  vllm_config:
    aggregated: {tensor-parallel-size: 8, max-model-len: 9472}
```

```yaml benchmarks/tiny/agg-b200-tp8-c2.yaml
name: agg-b200-tp8-c2
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  vllm_config:
    aggregated: {tensor-parallel-size: 8, max-model-len: 9472}
```

```yaml benchmarks/tiny/agg-b200-tp8-c4.yaml
name: agg-b200-tp8-c4
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  vllm_config:
    aggregated: {tensor-parallel-size: 8, max-model-len: 9472}
```

```yaml benchmarks/tiny/agg-b200-tp8-c8.yaml
name: agg-b200-tp8-c8
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  vllm_config:
    aggregated: {tensor-parallel-size: 8, max-model-len: 9472}
```

```yaml benchmarks/tiny/agg-b200-tp8-c16.yaml
name: agg-b200-tp8-c16
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  vllm_config:
    aggregated: {tensor-parallel-size: 8, max-model-len: 9472}
```

```yaml base benchmarks/tiny/agg-b200-tp8-c32.yaml
{}
```

```yaml benchmarks/tiny/agg-b200-tp8-c32.yaml
name: agg-b200-tp8-c32
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  vllm_config:
    aggregated: {tensor-parallel-size: 8, max-model-len: 9472}
```

## Fix

None is applied: whether the setting is left out on purpose is for the author to say.

## Options

| option | default | meaning |
|---|---|---|
| `share` | 90 | percent of the comparable recipes that have to set a key |
| `siblings` | 5 | comparable recipes that there have to be |

## Source

Review findings on new benchmarks that lacked what every sibling of the model sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from posixpath import dirname

from reciplint.domain.project import Change, Project
from reciplint.domain.recipe import RecipeFile
from reciplint.domain.recipe_maps import SettingsMap
from reciplint.domain.recipe_variant import RecipeRole
from reciplint.domain.references import name_distance
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="sibling-outlier",
    summary="A new recipe lacks a setting that its siblings have",
    severity="info",
    source="review findings on new benchmarks that lacked what every sibling sets",
    messages={
        "missing": "{place} lacks {keys}, which {having} of {siblings} comparable recipes of this folder set"
        "; say so in a comment if it is meant",
    },
    messages_zh={
        "missing": "{place} 缺少 {keys}，而本目录 {siblings} 个可比的配方中有 {having} 个设置了它"
        "；如系有意，请用注释说明",
    },
    options={"share": 90, "siblings": 5},
)

_MOST = 30  # siblings that are read for one recipe
_OF_ANOTHER_KIND = 5


def check_change(change: Change, context: Context) -> Iterator[Finding]:
    """One finding for each role map of an added recipe that lacks what its siblings have."""
    if change.base is None:
        return
    head, before = change.head, set(change.base.recipe_paths)
    added = [path for path in head.recipes if change.base_path(path) not in before]
    for path in added:
        recipe, beside = head.recipes[path], head.recipes_of(dirname(path))
        siblings = [head.recipes[other] for other in beside if other in head.recipes and _is_plain(head.recipes[other])]
        if recipe in siblings:
            siblings.remove(recipe)
            paths = sorted((other.path for other in siblings), key=lambda other: name_distance(path, other))
            yield from _compare(head, recipe, paths, context)


def _is_plain(recipe: RecipeFile) -> bool:
    return [variant.selector for variant in recipe.facts.variants] == [""]


def _compare(project: Project, recipe: RecipeFile, siblings: list[str], context: Context) -> Iterator[Finding]:
    least, share = int(context.options["siblings"]), int(context.options["share"])
    for role in recipe.facts.variants[0].roles:
        alike = [other for other in siblings if _is_alike(recipe, role, project.recipes[other])][:_MOST]
        if len(alike) < least:
            continue
        for own in project.maps(recipe.path):
            if own.role != role.name or own.section not in ("args", "env"):
                continue
            others = {other: _keys(project, other, own) for other in alike}
            counts = Counter(key for keys in others.values() for key in keys)
            mine = {setting.key for setting in own.settings}
            missing = [key for key, count in counts.items() if key not in mine and count * 100 >= share * len(alike)]
            if missing and len(missing) <= _OF_ANOTHER_KIND and not own.merges:
                yield _finding(project, recipe.path, own, sorted(missing), counts, others)


def _is_alike(recipe: RecipeFile, role: RecipeRole, other: RecipeFile) -> bool:
    """Whether another recipe is for the same hardware and lays the role out in the same way."""
    found = other.facts.variants[0].role(role.name)
    return found is not None and (other.facts.gpu_type == recipe.facts.gpu_type and _layout(found) == _layout(role))


def _layout(role: RecipeRole) -> tuple[object, ...]:
    spans_nodes = (role.nodes or 1) > (role.workers or 1)
    return (role.engine, role.topology.dp_attention, role.topology.ep > 1, spans_nodes, role.speculation is None)


def _keys(project: Project, path: str, like: SettingsMap) -> set[str]:
    return {
        setting.key
        for other in project.maps(path)
        if (other.section, other.role) == (like.section, like.role)
        for setting in other.settings
    }


def _finding(
    project: Project, path: str, own: SettingsMap, missing: list[str], counts: Counter[str], others: dict[str, set[str]]
) -> Finding:
    nearest = next(other for other, keys in others.items() if missing[0] in keys)
    spans = [
        setting.key_span
        for found in project.maps(nearest)
        if (found.section, found.role) == (own.section, own.role)
        for setting in found.settings
        if setting.key == missing[0]
    ]
    return RULE.finding(
        "missing",
        own.key_span,
        path=path,
        subject=(own.label, *missing),
        pointer="/" + "/".join(own.place),
        related=(Related(nearest, spans[0], f"the most similar sibling sets {missing[0]}"),),
        place=own.label,
        keys=tuple(missing),
        having=min(counts[key] for key in missing),
        siblings=len(others),
    )
