"""A finding: what a rule saw, where, what would be right and how we know."""

from __future__ import annotations

from typing import Literal

import msgspec

from reciplint.yamltree.edit import Operation
from reciplint.yamltree.spans import Span

Severity = Literal["error", "warning", "info"]
Applicability = Literal["safe", "unsafe", "display"]
Argument = str | int | float | tuple[str, ...]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""Worst first."""


def rank(severity: Severity) -> int:
    """Higher is worse: info 0, warning 1, error 2."""
    return 2 - SEVERITIES.index(severity)


class Related(msgspec.Struct, frozen=True):
    """Another place that the finding speaks of. `path` "" means the document under check."""

    path: str
    span: Span
    message: str


class Fix(msgspec.Struct, frozen=True):
    """A repair as symbolic operations: `safe` keeps the loaded value, `unsafe` changes it as the title says,
    `display` is shown and never applied."""

    title: str
    applicability: Applicability
    operations: tuple[Operation, ...]


class Finding(msgspec.Struct, frozen=True):
    """One fault at one place.

    `subject` identifies the fault in the domain's terms (key, scenario, row, offending value), never by line or
    index: it is what survives edits elsewhere. `path` "" means the document under check.
    """

    rule: str
    severity: Severity
    path: str
    span: Span
    message: str
    message_id: str
    arguments: dict[str, Argument]
    subject: tuple[str, ...]
    pointer: str = ""
    related: tuple[Related, ...] = ()
    fix: Fix | None = None

    def at(self, path: str) -> Finding:
        """The finding with every "" path filled in (document findings are cached by content, not by path)."""
        fix = self.fix and Fix(
            self.fix.title,
            self.fix.applicability,
            tuple(op if op.path else msgspec.structs.replace(op, path=path) for op in self.fix.operations),
        )
        related = tuple(r if r.path else Related(path, r.span, r.message) for r in self.related)
        return msgspec.structs.replace(self, path=self.path or path, related=related, fix=fix)


class _Count(int):
    """A number that brings its noun: `{n:key|keys}` gives "1 key" or "2 keys"."""

    def __format__(self, spec: str) -> str:
        if "|" not in spec:
            return int.__format__(self, spec)
        one, many = spec.split("|")
        return f"{int(self)} {one if self == 1 else many}"


def render(template: str, arguments: dict[str, Argument]) -> str:
    """A message from its template: fields in braces, lists joined by commas, `{n:key|keys}` for counts."""
    fields: dict[str, object] = {}
    for name, value in arguments.items():
        if isinstance(value, int) and not isinstance(value, bool):
            fields[name] = _Count(value)
        elif isinstance(value, (tuple, list)):
            fields[name] = ", ".join(value)
        else:
            fields[name] = value
    return template.format_map(fields)
