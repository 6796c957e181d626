"""A file that does not end with a line break.

## What it finds

A YAML file whose last line has no LF. An empty file is fine.

## Why it matters

The next line appended to the file joins the last one: an entry added to `perf-changelog.yaml` then changes the entry
before it, and every diff shows a line that nobody meant to touch.

## Bad

```yaml values.yaml no-newline
name: tiny-agg
precision: fp8«»
```

## Good

```yaml values.yaml
name: tiny-agg
precision: fp8
```

## Fix

Appends a line break of the kind that the file uses. It is safe, except where the file ends inside a block scalar
(`|` or `>`, not `|-`): there the line break becomes part of the text, so the fix is unsafe.

```yaml values.yaml
name: tiny-agg
precision: fp8
```

## Options

None.

## Source

POSIX defines a line as ending with a line break.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from reciplint.domain.document import Document
from reciplint.repo.kinds import ANY_YAML, Kind
from reciplint.rules.finding import Finding, Fix
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import AppendNewline
from reciplint.yamltree.tree import Tree

RULE = Rule(
    id="final-newline",
    summary="A file that does not end with a line break",
    severity="info",
    source="POSIX: a line ends with a line break",
    kinds=ANY_YAML - {Kind.CHANGELOG},  # `changelog-format` speaks of its end
    fix="safe",
    messages={
        "missing": "The last line does not end with a line break",
        "missing-block": "The last line does not end with a line break, so the block scalar's text does not either",
    },
    messages_zh={
        "missing": "最后一行没有以换行符结尾",
        "missing-block": "最后一行没有以换行符结尾，因此块标量的文本末尾也没有换行符",
    },
)

_STRIPPING = re.compile(r"[|>]\d?-")


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """At most one finding, at the end of the text."""
    tree = document.tree
    if tree is None or not tree.text.strip("\ufeff") or tree.text.endswith("\n"):
        return
    end = len(tree.text)
    block = _ends_in_block_scalar(tree)
    operations = (AppendNewline(""),)
    yield RULE.finding(
        "missing-block" if block else "missing",
        tree.lines.span(end, end),
        subject=(),
        fix=Fix("End the file with a line break", "unsafe" if block else "safe", operations),
    )


def _ends_in_block_scalar(tree: Tree) -> bool:
    last = tree.scalars[-1] if tree.scalars else None
    if last is None or last.style not in ("|", ">") or tree.text[last.end :].strip():
        return False
    return not _STRIPPING.match(tree.text, last.start)
