"""A new key of another framework comes before vLLM or SGLang serves the model on that hardware.

## What it finds

With `--base`: a key that the change adds, of a framework that serves with neither vLLM nor SGLang (`trt`, `atom`, …),
where no key of the same `model-prefix` on the same GPU serves with one of them. Dynamo, llm-d and disaggregation deploy
an engine and are none, so `dynamo-vllm` and `sglang-disagg` count as vLLM and SGLang. Left alone are fleets whose label
names no GPU that those engines support by now, and frameworks that measured the model there before. Judged from the
review date 2026-07-03 on, when this became policy.

## Why it matters

Open engines come first, so that a model's first result on a GPU is one that everybody can run and compare with.

## Bad

```yaml base configs/nvidia-master.yaml
other-fp8-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/other
  model-prefix: other
  runner: b200
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - {isl: 8192, osl: 1024, search-space: [{tp: 8, conc-list: [8]}]}
```

```yaml configs/nvidia-master.yaml
other-fp8-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/other
  model-prefix: other
  runner: b200
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - {isl: 8192, osl: 1024, search-space: [{tp: 8, conc-list: [8]}]}
«tiny-fp4-b200-trt»:
  image: nvcr.io#nvidia/tensorrt-llm/release:1.0
  model: org/tiny
  model-prefix: tiny
  runner: b200
  precision: fp4
  framework: trt
  multinode: false
  scenarios:
    fixed-seq-len:
    - {isl: 8192, osl: 1024, search-space: [{tp: 8, conc-list: [8]}]}
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml base perf-changelog.yaml
- config-keys: [other-fp8-b200-vllm]
  description: ["Measure it"]
  pr-link: https://github.com/example/bench/pull/6
```

```yaml perf-changelog.yaml
- config-keys: [other-fp8-b200-vllm]
  description: ["Measure it"]
  pr-link: https://github.com/example/bench/pull/6

- config-keys: [tiny-fp4-b200-trt]
  description: ["Measure it"]
  pr-link: https://github.com/example/bench/pull/7
```

```console
reciplint check --base BASE --pr 7
```

## Good

```yaml base configs/nvidia-master.yaml
other-fp8-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/other
  model-prefix: other
  runner: b200
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - {isl: 8192, osl: 1024, search-space: [{tp: 8, conc-list: [8]}]}
```

```yaml configs/nvidia-master.yaml
other-fp8-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/other
  model-prefix: other
  runner: b200
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - {isl: 8192, osl: 1024, search-space: [{tp: 8, conc-list: [8]}]}
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: b200
  precision: fp4
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - {isl: 8192, osl: 1024, search-space: [{tp: 8, conc-list: [8]}]}
tiny-fp4-b200-trt:
  image: nvcr.io#nvidia/tensorrt-llm/release:1.0
  model: org/tiny
  model-prefix: tiny
  runner: b200
  precision: fp4
  framework: trt
  multinode: false
  scenarios:
    fixed-seq-len:
    - {isl: 8192, osl: 1024, search-space: [{tp: 8, conc-list: [8]}]}
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml base perf-changelog.yaml
- config-keys: [other-fp8-b200-vllm]
  description: ["Measure it"]
  pr-link: https://github.com/example/bench/pull/6
```

```yaml perf-changelog.yaml
- config-keys: [other-fp8-b200-vllm]
  description: ["Measure it"]
  pr-link: https://github.com/example/bench/pull/6

- config-keys: [tiny-fp4-b200-vllm, tiny-fp4-b200-trt]
  description: ["Measure it"]
  pr-link: https://github.com/example/bench/pull/7
```

```console
reciplint check --base BASE --pr 7
```

## Fix

None: add a vLLM or SGLang key, or say in an `ignore` comment why those engines cannot serve the model yet.

## Options

None.

## Source

The sign-off checks of the public benchmark repository (August and October 2026).
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.engines import POLICY_SINCE, open_engine, sku_of
from reciplint.domain.master import MasterEntry
from reciplint.domain.name_tokens import words_of
from reciplint.domain.project import Change, Project
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="engine-order",
    summary="A new key of another framework comes before vLLM or SGLang serves the model on that hardware",
    severity="warning",
    source="the public benchmark repository's sign-off checks, August and October 2026",
    messages={
        "order": "{key} adds {framework} for {prefix} on {sku}, where no key serves it with vLLM or SGLang yet",
    },
    messages_zh={
        "order": "{key} 为 {sku} 上的 {prefix} 新增了 {framework}，但该硬件上还没有用 vLLM 或 SGLang 服务该模型的键",
    },
)


def check_change(change: Change, context: Context) -> Iterator[Finding]:
    """One finding for each such key."""
    if (
        context.review_date < POLICY_SINCE
        or change.base is None
        or Kind.MASTER in change.base.unread | change.head.unread
    ):
        return
    for key, (master, entry) in change.head.keys.items():
        prefix, framework, sku = entry.prefix or "", entry.framework or "", sku_of(entry.runner or "")
        if key in change.base.keys or not (prefix and framework and sku) or open_engine(framework):
            continue
        if _is_served(change.head, prefix, sku) or _has_framework(change.base, entry, sku):
            continue
        yield RULE.finding(
            "order",
            entry.key_span,
            path=master.path,
            subject=(key, framework),
            related=tuple(_elsewhere(change.head, prefix)),
            key=key,
            framework=framework,
            prefix=prefix,
            sku=sku.upper(),
        )


def _is_served(project: Project, prefix: str, sku: str) -> bool:
    """Whether an open engine serves a model on a GPU, also by a retired key."""
    active = any(
        entry.prefix == prefix and open_engine(entry.framework or "") and sku_of(entry.runner or "") == sku
        for _, entry in project.keys.values()
    )
    return active or any(
        entry.prefix == prefix and open_engine(entry.framework or "") and sku in words_of(entry.key)
        for archive in project.archives
        for entry in archive.entries
    )


def _has_framework(base: Project, added: MasterEntry, sku: str) -> bool:
    """Whether the base has a key of the same framework for the same model and GPU: then the added one is no first."""
    return any(
        entry.prefix == added.prefix and entry.framework == added.framework and sku_of(entry.runner or "") == sku
        for _, entry in base.keys.values()
    )


def _elsewhere(project: Project, prefix: str) -> Iterator[Related]:
    """The first key that serves the model with an open engine, on another GPU."""
    for key, (master, entry) in project.keys.items():
        if entry.prefix == prefix and open_engine(entry.framework or ""):
            yield Related(master.path, entry.key_span, f"{key} serves it on {entry.runner}")
            return
