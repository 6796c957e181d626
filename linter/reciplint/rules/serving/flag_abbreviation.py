"""A flag is written by its beginning only.

## What it finds

A flag that is no flag of the engine, but the beginning of one: `speculative-algo` for `speculative-algorithm`. Where
the image's release is known, its flags decide what the beginning stands for. A beginning that several flags share is
told as well. `--tp` and `--dp`, which SGLang's own pages write, are only mentioned.

## Why it matters

Python's argparse takes the beginning of a flag for the flag as long as only one flag begins so. The next release adds
a second one, and the engine refuses to start. A search for the flag's name misses it already.

## Bad

```yaml benchmarks/tiny.yaml
name: tiny-agg
model: {path: org/tiny, container: "lmsysorg/sglang:v0.5.12", precision: fp4}
resources: {gpu_type: b200}
backend:
  type: sglang
  sglang_config:
    aggregated:
      tensor-parallel-size: 8
      «speculative-algo»: EAGLE
```

## Good

```yaml benchmarks/tiny.yaml
name: tiny-agg
model: {path: org/tiny, container: "lmsysorg/sglang:v0.5.12", precision: fp4}
resources: {gpu_type: b200}
backend:
  type: sglang
  sglang_config:
    aggregated:
      tensor-parallel-size: 8
      speculative-algorithm: EAGLE
```

## Fix

The key is renamed to the whole name; its value stays. Safe where the image is a release whose flags are known: the
engine is told the same. Unsafe on any other build, which may have a flag of the short name. Nothing is offered in a
script or a list of arguments, or where the whole name stands beside it.

```yaml benchmarks/tiny.yaml
name: tiny-agg
model: {path: org/tiny, container: "lmsysorg/sglang:v0.5.12", precision: fp4}
resources: {gpu_type: b200}
backend:
  type: sglang
  sglang_config:
    aggregated:
      tensor-parallel-size: 8
      speculative-algorithm: EAGLE
```

## Options

None.

## Source

Python's documentation of argparse (`allow_abbrev`). The flags that published releases of vLLM (0.11.1 to 0.33.0),
SGLang (0.4.9 to 0.5.23), vLLM-Omni and Dynamo register, read from their sources. srt-slurm and vLLM take `_` for `-`.
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
    id="flag-abbreviation",
    summary="A flag is written by its beginning only",
    severity="warning",
    source=(
        "Python's argparse, which takes prefixes, and the flags of the engines' published releases, and the"
        " catalogues made of them"
    ),
    messages={
        "prefix": "{flag} is short for {whole}, which works only until another flag begins alike; write {whole}",
        "several": "{flag} is no flag of {engine}, but the beginning of several ({names}), so the engine refuses to"
        " start"
        "; write one of them in full",
    },
    messages_zh={
        "prefix": "{flag} 是 {whole} 的缩写，一旦有别的参数以相同字母开头便不再有效；请写成 {whole}",
        "several": "{engine} 没有参数 {flag}，它是多个参数（{names}）的开头，引擎会拒绝启动；请写出其中一个的全名",
    },
    kinds=KINDS,
    fix="safe",
)


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """Every flag that is the beginning of one."""
    for fault in flag_faults(document).get(RULE.id, ()):
        yield finding_of(RULE, fault, document)
