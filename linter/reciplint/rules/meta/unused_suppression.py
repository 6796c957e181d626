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
        "unknown": "no rule is called {rules}{hint}",
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
                yield _finding("unknown", path, suppression, unknown, _hint(unknown[0], known))
            if idle:
                yield _finding("unused", path, suppression, idle, "")


def _finding(message: str, path: str, suppression: Suppression, rules: list[str], hint: str) -> Finding:
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
        hint=hint,
    )


def _hint(name: str, known: Set[str]) -> str:
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {close[0]}?" if close else "; `reciplint rules` lists them"
