"""A suppression gives no reason, or is not written as one.

## What it finds

A comment that begins `# reciplint:` and silences nothing because its reason is missing or its form is not
`ignore[rule] -- reason` or `ignore-file[rule] -- reason`.

## Why it matters

Whoever reads the file next must be able to tell why a rule does not hold there. A suppression without a reason is
void, so the finding that it was meant for is still reported.

## Bad

```yaml values.yaml
retries: 3  «# reciplint: ignore[ambiguous-scalar]»
```

## Good

```yaml values.yaml
retries: 3
```

## Fix

Write the reason after two dashes: `# reciplint: ignore[ambiguous-scalar] -- read by PyYAML alone`.

## Options

None. It cannot be suppressed.

## Source

reciplint's own contract on suppressions.
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.document import Document
from reciplint.domain.suppression import EXAMPLE, read_suppressions
from reciplint.repo.kinds import ANY_YAML
from reciplint.rules.finding import Finding
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="missing-reason",
    summary="A suppression gives no reason, or is not written as one",
    severity="warning",
    source="reciplint's own contract: a suppression states its reason",
    messages={
        "reason": "this suppression of {rules} gives no reason and is void; write it after two dashes: {example}",
        "form": "this comment is no suppression and silences nothing; the form is {example}",
    },
    messages_zh={
        "reason": "对 {rules:, =、} 的忽略没有说明理由，因此无效；请在两个连字符之后写明：{example}",
        "form": "此注释不是有效的忽略注释，不起任何作用；正确的写法是 {example}",
    },
    kinds=ANY_YAML,
    suppressible=False,
)


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """Void suppressions of a file."""
    assert document.tree is not None
    for suppression in read_suppressions(document.tree):
        if suppression.fault:
            subject = (suppression.fault, *suppression.rules)
            yield RULE.finding(
                suppression.fault, suppression.span, subject=subject, rules=suppression.rules, example=EXAMPLE
            )
