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

Unsafe: the label becomes the one of which it is a slip: the same words with another scope (`gb300-lab` for
`cluster:gb300-lab`), or one letter of a long word. A label that only looks alike (`mi325x-lab` and `mi300x-lab`) is
named and not written.

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

## Options

None. Without a runners file the rule is silent.

## Source

Review findings; the sweep generator looks every label up in the runners file.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from reciplint.domain.master import MasterEntry
from reciplint.domain.near_names import meant
from reciplint.domain.project import Project
from reciplint.domain.runners import Label
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import SetScalar
from reciplint.yamltree.spans import FILE_START

RULE = Rule(
    id="unknown-runner",
    summary="A key runs on a label that no runner has",
    severity="error",
    source="review findings; the sweep generator looks labels up in the runners file",
    fix="unsafe",
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
            yield _finding(project.runners_path, master.path, entry, labels)


def _finding(runners: str, master: str, entry: MasterEntry, labels: dict[str, Label]) -> Finding:
    label = entry.runner or ""
    right = meant(label, labels)
    close = [right] if right else difflib.get_close_matches(label, labels, 1)
    place = labels[close[0]].span if close else FILE_START
    fix = Fix(f"Run on {right}", "unsafe", (SetScalar(master, (entry.key, "runner"), right),)) if right else None
    return RULE.finding(
        "unknown",
        entry.runner_span,
        path=master,
        subject=(entry.key, label),
        related=(Related(runners, place, "the closest label" if close else "the labels"),),
        fix=fix if entry.owns_runner else None,
        key=entry.key,
        label=label,
        runners=runners,
        near=close[0] if close else "",
    )
