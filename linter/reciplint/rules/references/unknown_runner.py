"""A key runs on a label that no runner has.

## What it finds

`runner:` of an active master config that is no label of the runners file.

## Why it matters

The job waits for a runner that does not exist, and the sweep never ends.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: «b200-nscal»
  precision: fp4
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - {tp: 4, conc-list: [8]}
tiny-fp8-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: b200-nscale
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - {tp: 4, conc-list: [8]}
```

```yaml configs/runners.yaml
labels:
  b200-nscale: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: b200-nscale
  precision: fp4
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - {tp: 4, conc-list: [8]}
```

```yaml configs/runners.yaml
labels:
  b200-nscale: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

## Fix

None is applied; the closest label is named.

## Options

None. Without a runners file the rule is silent.

## Source

Review findings; the sweep generator looks every label up in the runners file.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from reciplint.domain.project import Project
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.spans import FILE_START

RULE = Rule(
    id="unknown-runner",
    summary="A key runs on a label that no runner has",
    severity="error",
    source="review findings; the sweep generator looks labels up in the runners file",
    messages={
        "unknown": "{key} runs on {label}, which is no label of {runners}{near:?; did you mean {near}?}",
    },
    messages_zh={
        "unknown": "{key} 使用标签 {label}，但 {runners} 中没有该标签{near:?；是否应为 {near}？}",
    },
)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Every key whose runner has no label."""
    if project.runners is None:
        return
    labels = {label.name: label for label in project.runners.labels}
    for master in project.masters:
        for entry in master.entries:
            if entry.runner is None or entry.runner in labels:
                continue
            close = difflib.get_close_matches(entry.runner, labels, 1)
            place = labels[close[0]].span if close else FILE_START
            yield RULE.finding(
                "unknown",
                entry.runner_span,
                path=master.path,
                subject=(entry.key, entry.runner),
                related=(Related(project.runners_path, place, "the closest label" if close else "the labels"),),
                key=entry.key,
                label=entry.runner,
                runners=project.runners_path,
                near=close[0] if close else "",
            )
