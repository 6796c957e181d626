"""A flag that the engine's release does not have.

## What it finds

A flag of the engine that the release in the image does not have, since it came later or went before; in a vLLM recipe,
one that the stated `min_vllm_version` does not have. The release is told by the tag of an image of the engine's own
project (`vllm/vllm-openai:v0.20.1`). Of a nightly, a branch or a dated build nothing is told, nor of a release that
lies between two of the catalogue of which only one has the flag.

## Why it matters

The engine refuses to start. With `min_vllm_version`, whoever installs that release cannot run the command.

## Bad

```yaml benchmarks/tiny.yaml
name: tiny-agg
model: {path: org/tiny, container: "vllm/vllm-openai:v0.20.1", precision: fp4}
resources: {gpu_type: b200}
backend:
  type: vllm
  vllm_config:
    aggregated:
      tensor-parallel-size: 8
      «linear-backend»: auto
```

## Good

```yaml benchmarks/tiny.yaml
name: tiny-agg
model: {path: org/tiny, container: "vllm/vllm-openai:v0.20.1", precision: fp4}
resources: {gpu_type: b200}
backend:
  type: vllm
  vllm_config:
    aggregated:
      tensor-parallel-size: 8
```

## Fix

None is applied: either the flag goes or the image changes.

## Options

None.

## Source

The flags that published releases of vLLM (0.11.1 to 0.33.0), SGLang (0.4.9 to 0.5.23), vLLM-Omni and Dynamo register,
read from their sources. srt-slurm and vLLM take `_` for `-`.
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.document import Document
from reciplint.domain.serving.flag_checks import flag_faults
from reciplint.domain.serving.written_arguments import KINDS
from reciplint.rules.finding import Finding
from reciplint.rules.flag_finding import finding_of
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="flag-version",
    summary="A flag that the engine's release does not have",
    severity="warning",
    source="the flags of the engines' published releases, and the catalogues made of them",
    messages={
        "new": "{engine} has {flag} only {since}, and this is run by {said}, which refuses to start",
        "gone": "{engine} had {flag} only {since}, and this is run by {said}, which refuses to start",
    },
    messages_zh={
        "new": "{engine} 仅{since:since *=自 % 起|until *=至 % 为止|from * to *=从 % 到 %}才有参数 {flag}，"
        "而此处运行的是 {said}，它会拒绝启动",
        "gone": "{engine} 仅{since:since *=自 % 起|until *=至 % 为止|from * to *=从 % 到 %}有参数 {flag}，"
        "而此处运行的是 {said}，它会拒绝启动",
    },
    kinds=KINDS,
)


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """Every flag that its release has not."""
    for fault in flag_faults(document).get(RULE.id, ()):
        yield finding_of(RULE, fault, document)
