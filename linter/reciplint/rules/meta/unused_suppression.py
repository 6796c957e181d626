"""A suppression silences nothing.

## What it finds

A `# reciplint: ignore[rule] -- reason` whose rule reports nothing on that line, or whose rule does not exist. Rules
that did not run (switched off, not selected, or in need of a base) are not judged.

## Why it matters

A suppression that outlives its finding hides the next one.

## Bad

```yaml values.yaml
retries: 3  «# reciplint: ignore[ambiguous-scalar] -- read by PyYAML alone»
```

## Good

```yaml values.yaml
retries: 1_000  # reciplint: ignore[ambiguous-scalar] -- read by PyYAML alone
```

## Fix

Drop the comment, or the rule from its list.

```yaml values.yaml
retries: 3
```

## Options

None.

## Source

reciplint's own contract on suppressions; ESLint, ruff and mypy do the same.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Set

from reciplint.domain.suppression import Suppression
from reciplint.rules.finding import Finding, Fix
from reciplint.rules.rule import Rule
from reciplint.yamltree.edit import DropComment

RULE = Rule(
    id="unused-suppression",
    summary="A suppression silences nothing",
    severity="warning",
    source="reciplint's own contract: a suppression that silences nothing is itself a finding",
    messages={
        "unused": "nothing that {rules} reports is silenced here; drop it",
        "unknown": "no rule is called {rules}{near:?; did you mean {near}?}{command:?; `{command}` lists them}",
    },
    messages_zh={
        "unused": "{rules:, =、} 在此处没有报告任何问题，无需忽略；请删除此注释",
        "unknown": "没有名为 {rules:, =、} 的规则{near:?；是否应为 {near}？}{command:?；用 `{command}` 可列出所有规则}",
    },
    fix="safe",
)


def unused(
    suppressions: Mapping[str, tuple[Suppression, ...]],
    used: Set[tuple[str, Suppression, str]],
    ran: Set[str],
    known: Set[str],
) -> Iterator[Finding]:
    """The findings on suppressions, given which of them silenced what; `ran` are the rules that could speak."""
    for path, found in suppressions.items():
        for suppression in found:
            if suppression.fault:
                continue
            unknown = [rule for rule in suppression.rules if rule not in known]
            idle = [rule for rule in suppression.rules if rule in ran and (path, suppression, rule) not in used]
            if unknown:
                yield _finding("unknown", path, suppression, unknown, _nearest(unknown[0], known))
            if idle:
                yield _finding("unused", path, suppression, idle, "")


def _finding(message: str, path: str, suppression: Suppression, rules: list[str], near: str) -> Finding:
    kept = [rule for rule in suppression.rules if rule not in rules]
    word = "ignore" if suppression.line else "ignore-file"
    rest = f"# reciplint: {word}[{', '.join(kept)}] -- {suppression.reason}" if kept else ""
    return RULE.finding(
        message,
        suppression.span,
        path=path,
        subject=(message, *rules),
        fix=Fix("drop the suppression", "safe", (DropComment(path, suppression.span, rest),)),
        rules=tuple(rules),
        near=near,
        command="" if near else "reciplint rules",
    )


def _nearest(name: str, known: Set[str]) -> str:
    return next(iter(difflib.get_close_matches(name, known, 1)), "")
