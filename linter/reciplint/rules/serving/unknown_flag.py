"""A flag that no release of the engine has.

## What it finds

A flag of vLLM, SGLang, vLLM-Omni or Dynamo, in a recipe, in a vLLM recipe's list of arguments or in a command of a
script, that no release from the oldest to the newest of the catalogue has. `_` and `-`, `no-`, short names, former
names and JSON keys after a dot are known, and a flag of Dynamo counts where Dynamo starts the engine. SGLang's own
command line, unlike a recipe, does not take `_` for `-`.

For TensorRT-LLM nobody publishes a list, so that a setting that was never seen is only mentioned. A nightly, a branch
or a newer release may have flags of its own; the message says so.

## Why it matters

The engine refuses to start, but only after nodes were allocated and an image was pulled.

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
      «max-num-batch-tokens»: 8192
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
      max-num-batched-tokens: 8192
```

## Fix

None is applied: the message names the nearest flag, and what was meant is for the author to say.

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
    id="unknown-flag",
    summary="A flag that no release of the engine has",
    severity="warning",
    source="the flags of the engines' published releases, and the catalogues made of them",
    messages={
        "unknown": "{flag} is a flag of no {engine} release from {first} to {last}, so the engine refuses to start"
        "{near:?; did you mean {near}?}",
        "unsure": "{flag} is a flag of no {engine} release from {first} to {last}; whether this build has it is not"
        " known, and one that has not refuses to start{near:?; did you mean {near}?}",
        "dropped": "{flag} is a flag of no {engine} release from {first} to {last}; its value drops it, so it"
        " changes nothing"
        "{near:?; did you mean {near}?}",
        "open": "{flag} is not among the known settings of {engine}, whose full list nobody publishes: check its"
        " spelling",
        "underscore": "{flag} has an underscore, which {engine} does not take for a dash on its command line; write"
        " {near}",
    },
    messages_zh={
        "unknown": "{engine} 从 {first} 到 {last} 的任何版本都没有参数 {flag}，引擎会拒绝启动{near:?；是否应为"
        " {near}？}",
        "unsure": "{engine} 从 {first} 到 {last} 的任何版本都没有参数 {flag}；此构建是否有它则不得而知，"
        "没有它的会拒绝启动{near:?；是否应为 {near}？}",
        "dropped": "{engine} 从 {first} 到 {last} 的任何版本都没有参数 {flag}；它的值使它被略去，因此不起作用"
        "{near:?；是否应为 {near}？}",
        "open": "{flag} 不在 {engine} 已知的设置之中，而其完整列表并未公布：请检查拼写",
        "underscore": "{flag} 含有下划线，而 {engine} 的命令行不会把它当作连字符；请写成 {near}",
    },
    kinds=KINDS,
)


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """Every flag that is none."""
    for fault in flag_faults(document).get(RULE.id, ()):
        yield finding_of(RULE, fault, document)
