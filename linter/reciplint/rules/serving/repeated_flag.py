"""A flag is given twice to one process.

## What it finds

Two flags of one process that mean the same one, in the same or in another spelling (`tp-size` and
`tensor-parallel-size`). Flags that take a list are left alone, since some add up, and so are JSON keys after a dot.
Twice the same value is only mentioned, and so is what a script keeps in a variable and appends, which is meant to win.

## Why it matters

The last one counts, and in a recipe the order of keys decides which that is. A reader, or a review of the other one,
sees a value that is never used.

## Bad

```yaml benchmarks/tiny.yaml
name: tiny-agg
model: {path: org/tiny, container: "lmsysorg/sglang:v0.5.12", precision: fp4}
resources: {gpu_type: b200}
backend:
  type: sglang
  sglang_config:
    aggregated:
      tp-size: 4
      «tensor-parallel-size»: 8
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
```

## Fix

None is applied: which of the two was meant is for the author to say.

## Options

None.

## Source

Python's documentation of argparse: a flag that stores its value keeps the last. The flags that published releases of
vLLM (0.11.1 to 0.33.0), SGLang (0.4.9 to 0.5.23), vLLM-Omni and Dynamo register, read from their sources. srt-slurm
and vLLM take `_` for `-`.
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
    id="repeated-flag",
    summary="A flag is given twice to one process",
    severity="warning",
    source="Python's argparse: of two equal flags the last one counts",
    messages={
        "differs": "{flag} ({value}) gives again what {earlier} ({lost}) gives: the last one counts; leave one out",
        "same": "{flag} gives again what {earlier} gives ({value}); leave one out",
    },
    messages_zh={
        "differs": "{flag}（{value}）与 {earlier}（{lost}）是同一个参数，以最后一个为准；请只留一个",
        "same": "{flag} 与 {earlier} 是同一个参数，值也相同（{value}）；请只留一个",
    },
    kinds=KINDS,
)


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """Every flag that was given before."""
    for fault in flag_faults(document).get(RULE.id, ()):
        yield finding_of(RULE, fault, document)
