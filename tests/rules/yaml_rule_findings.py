"""Running one document rule on a text, with the places of its findings marked in the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from reciplint.domain.document import Document
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding
from reciplint.rules.rule import Context
from reciplint.yamltree.edit import apply_edits, resolve
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.problem import Limits

Check = Callable[[Document, Context], Iterator[Finding]]


def run(check: Check, text: str | bytes, kind: Kind = Kind.YAML, limits: Limits | None = None) -> list[Finding]:
    """The findings of a rule on a text or on bytes."""
    data = text.encode() if isinstance(text, str) else text
    return list(check(Document("values.yaml", kind, data, limits=limits or Limits()), Context()))


def marked(check: Check, text: str, kind: Kind = Kind.YAML) -> list[Finding]:
    """The findings of a text in which « and » enclose the span of each."""
    found = run(check, re.sub("[«»]", "", text), kind)
    lines = parse_text(re.sub("[«»]", "", text)).lines
    places = [match.start() - before for before, match in enumerate(re.finditer("[«»]", text))]
    spans = [lines.span(start, end) for start, end in zip(places[::2], places[1::2], strict=True)]
    assert [finding.span for finding in found] == spans
    return found


def only(findings: list[Finding]) -> Finding:
    """The one finding that there is."""
    assert len(findings) == 1
    return findings[0]


def fixed(text: str, findings: list[Finding]) -> str:
    """The text after every fix that the findings offer."""
    tree = parse_text(text)
    edits = [edit for found in findings if found.fix for op in found.fix.operations for edit in resolve(tree, op)]
    return apply_edits(text, edits)
