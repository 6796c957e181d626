"""A recipe that nothing runs.

## What it finds

A recipe of the recipe folders that no `CONFIG_FILE` or `srt-recipe` of an active or archived master config, no
script and no workflow names. Compared with a base, also a recipe whose last active reference the change removes,
unless the change moves that row into the archive.

## Why it matters

No sweep will ever launch it: the work of measuring it is lost, and a reader takes it for a benchmark that runs.

## Bad

```yaml configs/nvidia-master.yaml
{}
```

```yaml configs/runners.yaml
labels: {}
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/disagg-1p1d-tp4.yaml
name: «tiny-disagg»
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200}
backend: {type: vllm}
```

## Good

```yaml configs/nvidia-master.yaml
{}
```

```yaml configs/runners.yaml
labels: {}
```

```yaml perf-changelog.yaml
[]
```

```bash runners/launch_b200.sh
srtctl apply -f recipes/vllm/tiny/disagg-1p1d-tp4.yaml
```

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/disagg-1p1d-tp4.yaml
name: tiny-disagg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200}
backend: {type: vllm}
```

## Fix

None is applied: add a row that names the recipe, or remove the file.

## Options

None. Where rows name their recipes by `srt-recipe`, it is information: such trees keep idle files on purpose.

## Source

Review findings on recipes that were announced in the changelog and never wired into a master config.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname

from reciplint.domain.project import Change, Project
from reciplint.domain.references import name_distance
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding, Related, Severity
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="unreferenced-recipe",
    summary="A recipe that nothing runs",
    severity="warning",
    source="review findings on recipes that were never wired into a master config",
    messages={
        "unreferenced": "no row, script or workflow names this recipe, so nothing will run it"
        "{siblings:?, while {siblings:of this folder is|of this folder are}}; add a row for it or remove it",
        "last": "this change removes the last row that ran this recipe ({key}, {scenario});"
        " remove the recipe too, or archive the row",
    },
    messages_zh={
        "unreferenced": "没有搜索空间行、脚本或工作流引用此配方，因此不会有任务运行它"
        "{siblings:?，而同一目录中有 {siblings} 个配方被引用}；请添加引用它的行，或删除该配方",
        "last": "本次改动删除了最后一个运行此配方的搜索空间行（{key}，{scenario}）；请一并删除该配方，或将该行归档",
    },
)

_SHOWN = 2
_NAMING = frozenset({Kind.MASTER, Kind.ARCHIVE})  # where one of these cannot be read, nobody knows what it names


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Every recipe of a project that nothing names."""
    if project.root is None or not project.masters or project.unread & _NAMING:
        return
    for path in project.resolver.unreferenced():
        named, related = _siblings(project, path)
        yield RULE.finding(
            "unreferenced",
            project.recipe_span(path),
            path=path,
            severity=_severity(project),
            subject=("unreferenced",),
            related=related,
            siblings=named,
        )


def check_change(change: Change, context: Context) -> Iterator[Finding]:
    """Recipes whose last active reference the change removes."""
    if change.base is None or change.head.root is None or (change.base.unread | change.head.unread) & _NAMING:
        return
    head, base = change.head.resolver, change.base.resolver
    for path in change.head.recipe_paths:
        before = base.active.get(change.base_path(path))
        if not before or path in head.active or path in head.mentioned or head.may_be_copied(path):
            continue
        archived_before = len(base.archived.get(change.base_path(path), ()))
        if len(head.archived.get(path, ())) > archived_before:
            continue
        use = before[-1]
        yield RULE.finding(
            "last",
            change.head.recipe_span(path),
            path=path,
            severity=_severity(change.head),
            subject=("unreferenced",),
            key=use.entry.key,
            scenario=use.scenario,
        )


def _severity(project: Project) -> Severity:
    eras = [use.reference.era for use, _ in project.resolver.resolved]
    return "info" if eras and eras.count("A") * 2 < len(eras) else "warning"


def _siblings(project: Project, path: str) -> tuple[int, tuple[Related, ...]]:
    """How many recipes of the same folder rows name, and the rows of those with the most similar names."""
    active = project.resolver.active
    named = [other for other in project.recipes_of(dirname(path)) if other in active]
    nearest = sorted(named, key=lambda other: name_distance(path, other))[:_SHOWN]
    shown = [(other, active[other][0]) for other in nearest]
    related = tuple(
        Related(use.master, use.reference.span, f"a sibling is run here: {other.rsplit('/', 1)[-1]}")
        for other, use in shown
    )
    return len(named), related
