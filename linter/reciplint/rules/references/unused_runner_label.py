"""A runner label that no key uses.

## What it finds

A label of the runners file that no active master config names.

## Why it matters

It is either a leftover of hardware that is gone, or hardware that stands idle.

## Bad

```yaml configs/nvidia-master.yaml
{}
```

```yaml configs/runners.yaml
labels:
  «b200-old»: [b200-0]
```

```yaml perf-changelog.yaml
[]
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

## Fix

None is applied: a workflow or a person may still dispatch to the label.

## Options

None.

## Source

Labels that outlived their clusters in a public benchmark repository.
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.project import Project
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="unused-runner-label",
    summary="A runner label that no key uses",
    severity="info",
    source="labels that outlived their clusters in a public benchmark repository",
    messages={"unused": "no key of a master config runs on {label} ({count:runner|runners})"},
    messages_zh={"unused": "没有主配置的键使用标签 {label}（{count} 个 runner）"},
)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Every label that no key names."""
    if project.runners is None or not project.masters or Kind.MASTER in project.unread:
        return
    used = {entry.runner for master in project.masters for entry in master.entries}
    for label in project.runners.labels:
        if label.name not in used:
            yield RULE.finding(
                "unused",
                label.span,
                path=project.runners_path,
                subject=(label.name,),
                label=label.name,
                count=len(label.runners),
            )
