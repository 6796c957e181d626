"""SARIF 2.1.0, for code scanning: the findings as results, the rules with their pages, safe fixes as changes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from reciplint.report.escape import percent_encoded, shown
from reciplint.report.jsontext import dumps

if TYPE_CHECKING:
    from reciplint.report.model import FileEdit, Options, Report, Reported, Sources
    from reciplint.rules.finding import Related, Severity
    from reciplint.rules.rule import Rule
    from reciplint.yamltree.spans import Span

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
INFORMATION = "https://github.com/reciplint/reciplint"
RESULT_LIMIT = 25_000
"""GitHub refuses a run with more."""

_DESCRIPTION_LIMIT = 1000
_MESSAGE_LIMIT = 4000
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}


def render(report: Report, sources: Sources, options: Options) -> str:
    """One run with every rule and at most 25,000 results, the most severe ones if there are more."""
    findings = _most_severe(report.findings)
    rules = _rules(findings, sources)
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    driver = {"name": "reciplint", "version": report.version, "informationUri": INFORMATION, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(reported, index[reported.finding.rule]) for reported in findings],
    }
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _most_severe(findings: tuple[Reported, ...]) -> list[Reported]:
    if len(findings) <= RESULT_LIMIT:
        return list(findings)
    levels = list(_LEVELS)
    numbered = sorted(enumerate(findings), key=lambda pair: levels.index(pair[1].finding.severity))
    return [reported for _, reported in sorted(numbered[:RESULT_LIMIT], key=lambda pair: pair[0])]


def _rules(findings: list[Reported], sources: Sources) -> list[dict[str, Any]]:
    pages = sources.pages
    described = {
        rule.id: _rule(rule, pages.get(rule.id, "").strip() or rule.summary) for rule in sources.rule_meta.values()
    }
    for reported in findings:
        rule = reported.finding.rule
        if rule not in described:
            described[rule] = {"id": rule, "shortDescription": {"text": rule}, "help": {"text": rule}}
    return [described[rule] for rule in sorted(described)]


def _rule(rule: Rule, page: str) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": shown(rule.summary, _DESCRIPTION_LIMIT)},
        "fullDescription": {"text": _first_paragraph(page) or rule.summary},
        "help": {"text": page, "markdown": page},
        "helpUri": rule.url,
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _first_paragraph(page: str) -> str:
    """The first paragraph of a page that is no heading, on one line."""
    for paragraph in page.split("\n\n"):
        text = " ".join(paragraph.split())
        if text and not text.startswith("#"):
            return shown(text, _DESCRIPTION_LIMIT)
    return ""


def _result(reported: Reported, rule_index: int) -> dict[str, Any]:
    finding = reported.finding
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "message": _message(finding.message),
        "locations": [{"physicalLocation": _location(finding.path, finding.span)}],
        "partialFingerprints": {"reciplint/v1": reported.fingerprint},
    }
    if finding.related:
        result["relatedLocations"] = [_related(number, related) for number, related in enumerate(finding.related)]
    if finding.fix and finding.fix.applicability == "safe" and reported.edits:
        result["fixes"] = [_fix(finding.fix.title, reported.edits)]
    return result


def _message(text: str) -> dict[str, str]:
    """A message without a link: `[text](1)` is one by the format, so where it could be, brackets and backslashes are
    escaped; elsewhere they stand as they are, since not every viewer takes escapes away."""
    safe = shown(text, _MESSAGE_LIMIT)
    return {"text": re.sub(r"[\[\]\\]", r"\\\g<0>", safe) if "](" in safe else safe}


def _related(number: int, related: Related) -> dict[str, Any]:
    location = _location(related.path, related.span)
    return {"id": number, "physicalLocation": location, "message": _message(related.message)}


def _location(path: str, span: Span) -> dict[str, Any]:
    return {"artifactLocation": _artifact(path), "region": _region(span)}


def _artifact(path: str) -> dict[str, str]:
    return {"uri": percent_encoded(path), "uriBaseId": "SRCROOT"}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": max(span.line, 1),
        "startColumn": max(span.column, 1),
        "endLine": max(span.end_line, 1),
        "endColumn": max(span.end_column, 1),
    }


def _fix(title: str, edits: tuple[FileEdit, ...]) -> dict[str, Any]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in edits:
        replacement = {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.replacement}}
        changes.setdefault(edit.path, []).append(replacement)
    return {
        "description": _message(title),
        "artifactChanges": [
            {"artifactLocation": _artifact(path), "replacements": replacements}
            for path, replacements in changes.items()
        ],
    }
