"""An environment variable that nothing reads.

## What it finds

A variable with a prefix of vLLM, SGLang, Dynamo, NCCL or UCX that none of their releases reads, as far as their
sources and listings tell. Variables of TensorRT-LLM, Mooncake, MoRI and of vLLM's plugins are left alone: nobody lists
them.

On an image that is a release this is a warning. On any other one it is only mentioned, since a branch may read
variables of its own, and so is a variable that the engine read in other releases than this one.

## Why it matters

Nothing refuses such a variable. What it was to switch on stays off, and the recipe says otherwise.

## Bad

```yaml benchmarks/tiny.yaml
name: tiny-agg
model: {path: org/tiny, container: "vllm/vllm-openai:v0.20.1", precision: fp4}
resources: {gpu_type: b200}
backend:
  type: vllm
  aggregated_environment:
    «UCX_MEMTYPE_REG_WHOLE»: "n"
  vllm_config:
    aggregated:
      tensor-parallel-size: 8
```

## Good

```yaml benchmarks/tiny.yaml
name: tiny-agg
model: {path: org/tiny, container: "vllm/vllm-openai:v0.20.1", precision: fp4}
resources: {gpu_type: b200}
backend:
  type: vllm
  aggregated_environment:
    UCX_MEMTYPE_CACHE: "n"
  vllm_config:
    aggregated:
      tensor-parallel-size: 8
```

## Fix

None is applied: it is left out, or it was meant to be another one.

## Options

None.

## Source

The variables that published releases of vLLM, SGLang and Dynamo read, from their sources; the listings and sources of
NCCL and UCX.
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.document import Document
from reciplint.domain.serving.variable_checks import variable_faults
from reciplint.domain.serving.written_arguments import KINDS
from reciplint.rules.finding import Finding
from reciplint.rules.flag_finding import finding_of
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="unknown-env",
    summary="An environment variable that nothing reads",
    severity="warning",
    source="the variables that the engines' published releases read, and the listings of NCCL and UCX",
    messages={
        "unread": "{name} is read by no known release of {owner}{releases:? ({releases})}, so it changes nothing"
        "{near:?; did you mean {near}?}",
        "unsure": "{name} is read by no known release of {owner}{releases:? ({releases})}, and whether this build reads"
        " it is not known{near:?; did you mean {near}?}",
        "new": "{owner} reads {name} only {since}, and this is run by {said}, where it changes nothing",
        "gone": "{owner} read {name} only {since}, and this is run by {said}, where it changes nothing",
    },
    messages_zh={
        "unread": "{owner} 的任何已知版本{releases:?（{releases:* to *=% 至 %}）}都不读取 {name}，"
        "因此它不起作用{near:?；是否应为 {near}？}",
        "unsure": "{owner} 的任何已知版本{releases:?（{releases:* to *=% 至 %}）}都不读取 {name}，"
        "而此构建是否读取它则不得而知{near:?；是否应为 {near}？}",
        "new": "{owner} 仅{since:since *=自 % 起|until *=至 % 为止|from * to *=从 % 到 %}才读取 {name}，"
        "而此处运行的是 {said}，它不起作用",
        "gone": "{owner} 仅{since:since *=自 % 起|until *=至 % 为止|from * to *=从 % 到 %}读取 {name}，"
        "而此处运行的是 {said}，它不起作用",
    },
    kinds=KINDS,
)


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """Every variable that nothing reads."""
    for fault in variable_faults(document):
        yield finding_of(RULE, fault, document)
