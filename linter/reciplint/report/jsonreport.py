"""The JSON report, version 1: what other programs read, and what crosses the trust boundary to the bot.

`schemas/report.schema.json` describes it; nothing is cut or escaped beyond what JSON needs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from reciplint.report.jsontext import dumps

if TYPE_CHECKING:
    from reciplint.report.model import FileEdit, Options, Report, Reported, Sources
    from reciplint.rules.finding import Argument, Related
    from reciplint.yamltree.spans import Span

SCHEMA = "reciplint/report-v1"


def render(report: Report, sources: Sources, options: Options) -> str:
    """The report as a JSON document."""
    return dumps(document(report))


def document(report: Report) -> dict[str, Any]:
    """The report as plain values, keys in the order in which they are written."""
    counts = report.counts
    return {
        "schema": SCHEMA,
        "tool": {"name": "reciplint", "version": report.version},
        "base": report.base,
        "head": report.head,
        "pull_request": report.pull_request,
        "findings": [_finding(reported) for reported in report.findings],
        "counts": {
            "error": counts.error,
            "warning": counts.warning,
            "info": counts.info,
            "suppressed": counts.suppressed,
            "baselined": counts.baselined,
        },
        "exit_code": report.exit_code,
    }


def _finding(reported: Reported) -> dict[str, Any]:
    finding = reported.finding
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "message_id": finding.message_id,
        "arguments": {name: _argument(value) for name, value in sorted(finding.arguments.items())},
        "path": finding.path,
        **_ends(finding.span),
        "pointer": finding.pointer,
        "fingerprint": reported.fingerprint,
        "related": [_related(related) for related in finding.related],
        "fix": _fix(reported),
        "url": reported.url,
    }


def _argument(value: Argument) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _ends(span: Span) -> dict[str, Any]:
    return {
        "start": {"line": span.line, "column": span.column},
        "end": {"line": span.end_line, "column": span.end_column},
    }


def _related(related: Related) -> dict[str, Any]:
    return {"path": related.path, **_ends(related.span), "message": related.message}


def _fix(reported: Reported) -> dict[str, Any] | None:
    fix = reported.finding.fix
    if fix is None:
        return None
    edits = [_edit(edit) for edit in reported.edits]
    told = {"applicability": fix.applicability, "title": fix.title, "edits": edits}
    return {**told, "shown": fix.shown} if fix.shown else told


def _edit(edit: FileEdit) -> dict[str, Any]:
    return {"path": edit.path, **_ends(edit.span), "replacement": edit.replacement}
