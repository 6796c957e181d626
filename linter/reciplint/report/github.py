"""Workflow commands: what GitHub Actions turns into annotations on the lines of a pull request.

GitHub keeps ten errors, ten warnings and ten notices of a step. The most severe come first; what is beyond the
limit is printed as plain lines, so that the log still has everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reciplint.report.concise import line
from reciplint.report.escape import MESSAGE_LIMIT, shown, shown_path
from reciplint.report.model import last_line, printed
from reciplint.rules.finding import SEVERITIES, rank

if TYPE_CHECKING:
    from reciplint.report.model import Options, Report, Reported, Sources
    from reciplint.rules.finding import Finding, Severity

LIMIT = 10
_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}
_RELATED_LIMIT = 5


def render(report: Report, sources: Sources, options: Options) -> str:
    """The annotations, then the findings that GitHub would drop and how many they are. Empty on a clean run."""
    findings = sorted(printed(report, options), key=lambda reported: -rank(reported.finding.severity))
    annotated: list[str] = []
    beyond: list[Finding] = []
    left = dict.fromkeys(SEVERITIES, LIMIT)
    for reported in findings:
        finding = reported.finding
        if left[finding.severity]:
            left[finding.severity] -= 1
            annotated.append(_command(reported))
        else:
            beyond.append(finding)
    rest = [line(finding) for finding in beyond]
    if beyond:
        rest.append(_not_annotated(beyond))
    return "".join(f"{text}\n" for text in annotated + rest)


def _not_annotated(beyond: list[Finding]) -> str:
    counts = [(sum(f.severity == severity for f in beyond), severity) for severity in SEVERITIES]
    parts = ", ".join(f"{n} {severity}{'s' if n > 1 and severity != 'info' else ''}" for n, severity in counts if n)
    return f"reciplint: {parts} not annotated: GitHub keeps {LIMIT} of each severity a step"


def _command(reported: Reported) -> str:
    finding = reported.finding
    span = finding.span
    properties: dict[str, object] = {"file": shown(finding.path), "line": span.line, "endLine": last_line(span)}
    if span.line == span.end_line:
        properties |= {"col": span.column, "endColumn": span.end_column}
    properties["title"] = f"reciplint {finding.rule}"
    listed = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {listed}::{_data(_body(finding))}"


def _body(finding: Finding) -> str:
    lines = [shown(finding.message, MESSAGE_LIMIT)]
    for related in finding.related[:_RELATED_LIMIT]:
        lines.append(f"{shown_path(related.path)}:{related.span.line}: {shown(related.message, MESSAGE_LIMIT)}")
    if len(finding.related) > _RELATED_LIMIT:
        lines.append(f"and {len(finding.related) - _RELATED_LIMIT} more places")
    if finding.fix:
        lines.append(f"fix: {shown(finding.fix.title, MESSAGE_LIMIT)}")
    return "\n".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
