"""A finding: what a rule saw, where, what would be right and how we know."""

from __future__ import annotations

from functools import lru_cache
from string import Formatter
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


class Related(msgspec.Struct, frozen=True, array_like=True):
    """Another place that the finding speaks of. `path` "" means the document under check."""

    path: str
    span: Span
    message: str


class Fix(msgspec.Struct, frozen=True, array_like=True):
    """A repair as symbolic operations: `safe` keeps the loaded value, `unsafe` changes it as the title says,
    `display` is shown and never applied. One that `is_last` tells of what all files come to, and is applied when no
    other fix changes anything any more. `shown` is the text of what to write, where no
    operation says it."""

    title: str
    applicability: Applicability
    operations: tuple[Operation, ...]
    is_last: bool = False
    shown: str = ""


class Finding(msgspec.Struct, frozen=True, array_like=True):
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
        if self.fix is None and not self.related:
            return msgspec.structs.replace(self, path=self.path or path)
        fix = self.fix and msgspec.structs.replace(
            self.fix,
            operations=tuple(op if op.path else msgspec.structs.replace(op, path=path) for op in self.fix.operations),
        )
        related = tuple(r if r.path else Related(path, r.span, r.message) for r in self.related)
        return msgspec.structs.replace(self, path=self.path or path, related=related, fix=fix)


class _Count(int):
    """A number that brings its noun, and may be a condition."""

    def __format__(self, spec: str) -> str:
        if spec.startswith("?"):
            return spec[1:] if self else ""
        if "|" not in spec:
            return int.__format__(self, spec)
        one, many = spec.split("|")
        return f"{int(self)} {one if self == 1 else many}"


class _Words(str):
    """A text that may be a condition, and whose words may have to be said in another language."""

    def __format__(self, spec: str) -> str:
        if spec.startswith("?"):
            return spec[1:] if self else ""
        return _said(str(self), spec.split("|")) if "=" in spec else str.__format__(self, spec)


class _Items(tuple[str, ...]):
    """Texts joined by commas; the comma and each text are said as one text is."""

    def __format__(self, spec: str) -> str:
        return format(_Words(", "), spec).join(format(_Words(item), spec) for item in self)


_DEEPEST = 30
"""Phrases within phrases that are said; what lies deeper, as only a forged report has it, stays as it is."""


def _said(text: str, phrases: list[str], depth: int = 0) -> str:
    """A text by the first of `phrases` (`English=other`) that it matches; as it is where it matches none."""
    for phrase in phrases if depth < _DEEPEST else ():
        pattern, _, other = phrase.partition("=")
        parts = _parts(text, pattern.split("*"))
        if parts is not None:
            marks = [mark for mark in other if mark in "*%"]
            told = [_said(p, phrases, depth + 1) if mark == "*" else p for p, mark in zip(parts, marks, strict=True)]
            return other.replace("*", "{}").replace("%", "{}").format(*told)
    return text


def _parts(text: str, literals: list[str]) -> list[str] | None:
    """What stands between literals; None where the text does not hold them in this order, with something between."""
    first, *others = literals
    if not others:
        return [] if text == first else None
    *between, last = others
    if len(text) <= len(first) + len(last) or not (text.startswith(first) and text.endswith(last)):
        return None
    text = text[len(first) : len(text) - len(last)]
    parts = []
    for literal in between:
        part, _, text = text.partition(literal)
        parts.append(part)
    return [*parts, text] if all((*parts, text)) else None


@lru_cache(maxsize=1024)
def _specified(template: str) -> frozenset[str]:
    """The fields of a template that have something after a colon, in which there may be others."""
    found: set[str] = set()
    for _, name, spec, _ in Formatter().parse(template):
        if name and spec:
            found |= {name, *_specified(spec)}
    return frozenset(found)


def render(template: str, arguments: dict[str, Argument]) -> str:
    """A message from its template: fields in braces, lists joined by commas, and after a colon

    - `{n:key|keys}`: a count with its noun, "1 key" or "2 keys",
    - `{near:?; did you mean {near}?}`: words that are only said where the field is neither empty nor 0,
    - `{found:an empty line=空行|a line of * spaces=含 % 个空格的行}`: an argument that is English words, in another
      language. `*` stands for any text; on the right, `*` puts it in said by the same phrases, `%` as it is. The
      first phrase that matches is taken, and `, =、` is for what joins a list. What no phrase matches stays.
    """
    fields: dict[str, object] = {}
    specified = _specified(template)
    for name, value in arguments.items():
        if type(value) is str and name not in specified:
            fields[name] = value
        elif isinstance(value, int) and not isinstance(value, bool):
            fields[name] = _Count(value)
        elif isinstance(value, (tuple, list)):
            fields[name] = _Items(value)
        elif isinstance(value, str):
            fields[name] = _Words(value)
        else:
            fields[name] = value
    return template.format_map(fields)
