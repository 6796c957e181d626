"""JUnit XML, for a CI that shows test results: one suite, one test case a finding.

The verdict is that of the run: in one that passes, no case fails, and a finding is a passed case with its text as
output; in one that fails, errors and warnings are failed cases. A clean run is one passed case: some readers take a
suite without a case for a broken one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reciplint.report.concise import line
from reciplint.report.escape import MESSAGE_LIMIT, shown, shown_path
from reciplint.rules.finding import SEVERITIES

if TYPE_CHECKING:
    from reciplint.report.model import Options, Report, Reported, Sources
    from reciplint.rules.finding import Severity

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What XML 1.0 cannot hold, not even as a character reference."""

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;"}
_MARKUP = re.compile('[&<>"\n]')
_TEXT = re.compile("[&<>]")


def render(report: Report, sources: Sources, options: Options) -> str:
    """The suite; the times are 0, so that two runs print the same bytes."""
    failing = _failing(report)
    cases = [_case(reported, reported.finding.severity in failing) for reported in report.findings]
    if not cases:
        cases = ['  <testcase classname="reciplint" name="nothing found" time="0"/>']
    failures = sum(reported.finding.severity in failing for reported in report.findings)
    totals = f'tests="{len(cases)}" failures="{failures}" errors="0" time="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {totals}>",
        f'<testsuite name="reciplint" {totals} skipped="0">',
        *cases,
        "</testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _failing(report: Report) -> tuple[Severity, ...]:
    """The severities whose findings are failed cases."""
    if not report.exit_code:
        return ()
    return ("error", "warning") if report.counts.error or report.counts.warning else SEVERITIES


def _case(reported: Reported, is_failed: bool) -> str:
    finding = reported.finding
    name = f"{finding.rule} at {finding.span.line}:{finding.span.column}"
    body = _text("\n".join(_evidence(reported)))
    start = f'  <testcase classname="{_attribute(shown_path(finding.path))}" name="{_attribute(name)}" time="0">'
    if not is_failed:
        return f"{start}\n    <system-out>{body}</system-out>\n  </testcase>"
    message = _attribute(shown(finding.message, MESSAGE_LIMIT))
    opened = f'<failure type="{finding.severity}" message="{message}">'
    return f"{start}\n    {opened}{body}</failure>\n  </testcase>"


def _evidence(reported: Reported) -> list[str]:
    """The finding on a line, the other places, the fix, and where the rule is explained."""
    finding = reported.finding
    lines = [line(finding)]
    for related in finding.related:
        lines.append(f"{shown_path(related.path)}:{related.span.line}: {shown(related.message, MESSAGE_LIMIT)}")
    if finding.fix:
        lines.append(f"fix: {shown(finding.fix.title, MESSAGE_LIMIT)}")
    return [*lines, f"see: {shown(reported.url)}"]


def _attribute(text: str) -> str:
    return _MARKUP.sub(lambda match: _ENTITIES[match[0]], _NOT_XML.sub("\ufffd", text))


def _text(text: str) -> str:
    return _TEXT.sub(lambda match: _ENTITIES[match[0]], _NOT_XML.sub("\ufffd", text))
