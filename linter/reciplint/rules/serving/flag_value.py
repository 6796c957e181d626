"""A flag's value that the engine refuses, or that never reaches it.

## What it finds

What the engine refuses: a value outside of a flag's choices, text for a number (`1k` and `2M` are numbers where the
engine reads them so), JSON that is none, a JSON key that its configuration class has not, a value for a switch, none
for a flag that needs one. And what a recipe's launcher makes of a value: a mapping becomes Python's notation and no
JSON; `false` and `null` are dropped, and `false` never becomes `--no-…`.

A `false` that the engine takes for granted, and `null`, are only mentioned, and not at all where a variant takes back
what the base sets. A choice or key that a build which is no release may take of its own is only mentioned as well.
Values with unknown variables are left alone.

## Why it matters

A refused value stops the engine after nodes were allocated. A dropped `false` stops nothing: the engine runs with the
switch on, and the recipe says it is off.

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
      kv-cache-dtype: «bflaot16»
      «enable-chunked-prefill»: false
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
      kv-cache-dtype: bfloat16
      no-enable-chunked-prefill: true
```

## Fix

A value of a recipe that is a slip of one of the choices (another spelling of the same words, or one letter of a long
one) is replaced by it. Unsafe: it changes what the engine is told. What only looks like a choice is left alone, since
the build may have a choice of its own.

```yaml benchmarks/tiny.yaml
name: tiny-agg
model: {path: org/tiny, container: "vllm/vllm-openai:v0.20.1", precision: fp4}
resources: {gpu_type: b200}
backend:
  type: vllm
  vllm_config:
    aggregated:
      tensor-parallel-size: 8
      kv-cache-dtype: bfloat16
      enable-chunked-prefill: false
```

## Options

None.

## Source

The choices, types and configuration classes of the flags that published releases of vLLM (0.11.1 to 0.33.0), SGLang
(0.4.9 to 0.5.23), vLLM-Omni and Dynamo register, read from their sources. srt-slurm and vLLM take `_` for `-`.
srt-slurm's making of arguments of a mapping (August 2026).
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
    id="flag-value",
    summary="A flag's value that the engine refuses, or that never reaches it",
    severity="warning",
    source=(
        "the flags of the engines' published releases, and the catalogues made of them; srt-slurm's making of arguments"
    ),
    messages={
        "choice": "{flag} is {value}, which is a choice of no known release of {engine}{near:?; did you mean {near}?}"
        " (there are {choices})",
        "choice-version": "{flag} is {value}, which {engine} takes only {since}, and this is run by {said}",
        "number": "{flag} is {value}, which is not {kind}",
        "json": "{flag} is no JSON from here on: {rest}",
        "key": "{key} is no key of {flag} ({config}) in any release of {engine}{near:?; did you mean {near}?}",
        "key-version": "{key} of {flag} ({config}): {engine} has it only {since}, and this is run by {said}",
        "key-choice": "{key} of {flag} is {value}, which is a choice of no known release of {engine}{near:?; did you"
        " mean {near}?} (there are {choices})",
        "key-choice-version": "{key} of {flag} is {value}, which {engine} takes only {since}, and this is run by"
        " {said}",
        "mapping": "{flag} is a mapping, which the launcher writes in Python's notation, so {engine} gets no JSON:"
        " write it as JSON in quotes",
        "takes-none": "{flag} takes no value, and gets {value}",
        "no-value": "{flag} needs {kind}, and is sent without any",
        "several": "{flag} takes one value, and gets {count}",
        "false-on": "{flag}: false is dropped, so {engine} keeps its default, which need not be off; write {instead}",
        "false": "{flag}: false is dropped, and {engine} keeps its default{default:?, which is {default}}; {instead}",
        "dropped": "{flag}: {value} is dropped, and {engine} keeps its default; leave it out",
    },
    messages_zh={
        "choice": "{flag} 为 {value}，它不是 {engine} 任何已知版本的可选值{near:?；是否应为 {near}？}"
        "（可选 {choices}）",
        "choice-version": "{flag} 为 {value}，而 {engine} 仅{since:since *=自 % 起|until *=至 % 为止|from * to *=从"
        " % 到 %}接受它，此处运行的是 {said}",
        "number": "{flag} 为 {value}，它不是{kind:a whole number=整数|a number=数字}",
        "json": "{flag} 从此处起不是 JSON：{rest}",
        "key": "在 {engine} 的任何版本中，{key} 都不是 {flag}（{config}）的键{near:?；是否应为 {near}？}",
        "key-version": "{flag}（{config}）的 {key}：{engine} 仅{since:since *=自 % 起|until *=至 % 为止|from * to"
        " *=从 % 到 %}有该键，此处运行的是 {said}",
        "key-choice": "{flag} 的 {key} 为 {value}，它不是 {engine} 任何已知版本的可选值{near:?；是否应为"
        " {near}？}（可选 {choices}）",
        "key-choice-version": "{flag} 的 {key} 为 {value}，而 {engine} 仅{since:since *=自 % 起|until *=至 %"
        " 为止|from * to *=从 % 到 %}接受它，此处运行的是 {said}",
        "mapping": "{flag} 是一个映射，启动器会按 Python 的写法写出它，{engine} 得到的不是 JSON：请写成带引号的 JSON",
        "takes-none": "{flag} 不接受值，却得到了 {value}",
        "no-value": "{flag} 需要{kind:a whole number=整数|a number=数字|JSON= JSON|a value=一个值}，却没有给出",
        "several": "{flag} 只接受一个值，却得到了 {count} 个",
        "false-on": "{flag}: false 会被略去，因此 {engine} 保持默认值，而默认未必关闭；请写成 {instead}",
        "false": "{flag}: false 会被略去，{engine} 保持默认值{default:?，即关闭}；"
        "{instead:leave it out=请删除|leave it out, or write *=请删除，或写成 %}",
        "dropped": "{flag}: {value} 会被略去，{engine} 保持默认值；请删除",
    },
    kinds=KINDS,
    fix="unsafe",
)


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """Every value that is refused, dropped or mangled."""
    for fault in flag_faults(document).get(RULE.id, ()):
        yield finding_of(RULE, fault, document)
