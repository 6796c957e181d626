"""The serving constraints: every row of `schemas/constraints.yaml` is a rule, with a page of its own.

All of them are checked at once; each rule tells what is its own.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from reciplint.domain.document import Document
from reciplint.domain.project import Project
from reciplint.domain.serving.constraint_table import Constraint, constraint_table
from reciplint.domain.serving.constraints import Breach, breaches
from reciplint.domain.serving.deployments import KINDS, document_deployments, recipe_deployments
from reciplint.rules.finding import Finding, Fix, Related, rank
from reciplint.rules.rule import Check, Context, RowRule, Rule
from reciplint.yamltree.tree import pointer

_LANGUAGES = {"sh": "bash", "yaml": "yaml"}
_WIDTH = 120
_CHOICE, _CHOICE_ZH = "{choice:? ({choice})}", "{choice:?（{choice}）}"
"""What of a vLLM recipe the message is about."""


def _row_rule(row: Constraint) -> RowRule:
    rule = Rule(
        id=row.id,
        summary=row.summary,
        severity=max((case.severity for case in row.cases), key=rank),
        source="; ".join(evidence.url for evidence in row.evidence),
        messages={case.name: case.message + _CHOICE for case in row.cases},
        messages_zh={case.name: case.message_zh + _CHOICE_ZH for case in row.cases},
        kinds=KINDS,
        fix="unsafe" if any(case.sets for case in row.cases) else None,
    )
    checks: dict[str, Check] = {"document": _check_document, "project": partial(_check_project, rule)}
    return RowRule(rule, partial(page_of, row), checks)


def page_of(row: Constraint) -> str:
    """The page of a row, as a rule's file has it for a docstring."""
    evidence = "\n".join(_filled(f"- <{item.url}>: {item.says}.", "  ") for item in row.evidence)
    parts = {
        "What it finds": _filled(row.finds),
        "Why it matters": _filled(row.why),
        "Bad": _blocks(row.fires),
        "Good": _blocks(row.silent),
        "Fix": _fix_of(row),
        "Options": "None.",
        "Source": f"{evidence}\n\nThe rule is a row of `schemas/constraints.yaml`.",
    }
    return "\n\n".join((f"{row.summary}.", *(f"## {title}\n\n{text}" for title, text in parts.items()))) + "\n"


def _fix_of(row: Constraint) -> str:
    if not row.fixed:
        return _filled(f"None. {row.repair}")
    words = f"{row.repair} In a recipe the fix does so; it changes what the engine is given, so it is unsafe."
    return f"{_filled(words)}\n\n{_blocks(row.fixed)}"


def _filled(text: str, indent: str = "") -> str:
    return textwrap.fill(text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _blocks(files: Mapping[str, str]) -> str:
    """Fenced blocks, each a file of one repository."""
    fences = (f"```{_LANGUAGES[name.rpartition('.')[2]]} {name}\n{text}```" for name, text in files.items())
    return "\n\n".join(fences)


def _check_document(document: Document, context: Context) -> Iterator[Finding]:
    """What a document breaks of the whole table."""
    for breach in breaches(document_deployments(document), context.profile):
        yield _finding(RULES[breach.row].rule, breach)


def _check_project(rule: Rule, project: Project, context: Context) -> Iterator[Finding]:
    for breach in _of_project(project).get(rule.id, ()):
        yield _finding(rule, breach)


def _of_project(project: Project) -> dict[str, list[Breach]]:
    if not project.vllm.recipes:
        return {}
    if _last and _last[0][0] is project:
        return _last[0][1]
    found = [breach for _, deployments in recipe_deployments(project) for breach in breaches(deployments)]
    _last[:] = [(project, _by_row(found))]
    return _last[0][1]


_last: list[tuple[Project, dict[str, list[Breach]]]] = []
"""The project that was looked at last: the next rule asks for the same."""


def _by_row(found: list[Breach]) -> dict[str, list[Breach]]:
    rows: dict[str, list[Breach]] = {}
    for breach in found:
        rows.setdefault(breach.row, []).append(breach)
    return rows


def _finding(rule: Rule, breach: Breach) -> Finding:
    values: dict[str, Any] = breach.values
    severity = _SEVERITIES[breach.row, breach.case]
    return rule.finding(
        breach.case,
        breach.place.span,
        path=breach.place.path,
        severity="warning" if breach.likely and severity == "error" else severity,
        subject=breach.subject,
        pointer=pointer(breach.path) if breach.path else "",
        related=tuple(Related(place.path, place.span, words) for place, words in breach.related),
        choice=breach.choice,
        fix=Fix(breach.repair.title, "unsafe", breach.repair.operations) if breach.repair else None,
        **values,
    )


_SEVERITIES = {(row.id, case.name): case.severity for row in constraint_table().constraints for case in row.cases}

RULES: Mapping[str, RowRule] = {row.id: _row_rule(row) for row in constraint_table().constraints}
"""The rules by id."""
