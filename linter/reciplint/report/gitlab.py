"""GitLab's code quality report: a JSON list of issues, which a merge request shows in its widget and on its lines.

GitLab keeps one issue a fingerprint and reads path and first line. Its severities are info, minor, major, critical
and blocker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reciplint.report.escape import MESSAGE_LIMIT, shown
from reciplint.report.jsontext import dumps
from reciplint.report.model import last_line

if TYPE_CHECKING:
    from reciplint.report.model import Options, Report, Reported, Sources
    from reciplint.rules.finding import Severity

_SEVERITIES: dict[Severity, str] = {"error": "major", "warning": "minor", "info": "info"}


def render(report: Report, sources: Sources, options: Options) -> str:
    """Every finding as an issue; an empty list on a clean run."""
    return dumps([_issue(reported) for reported in report.findings])


def _issue(reported: Reported) -> dict[str, Any]:
    finding = reported.finding
    begin = max(finding.span.line, 1)
    return {
        "description": shown(finding.message, MESSAGE_LIMIT),
        "check_name": finding.rule,
        "fingerprint": reported.fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": finding.path,
            "lines": {"begin": begin, "end": max(begin, last_line(finding.span))},
        },
    }
