"""One line a finding, for `grep`, editors and pre-commit: `path:line:column severity rule: message`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reciplint.report.escape import MESSAGE_LIMIT, shown, shown_path

if TYPE_CHECKING:
    from reciplint.report.model import Options, Report, Sources
    from reciplint.rules.finding import Finding


def render(report: Report, sources: Sources, options: Options) -> str:
    """Every finding on its line; nothing at all on a clean run."""
    return "".join(f"{line(reported.finding)}\n" for reported in report.findings)


def line(finding: Finding) -> str:
    """The one line of a finding, without a line break."""
    span = finding.span
    place = f"{shown_path(finding.path)}:{span.line}:{span.column}"
    return f"{place} {finding.severity} {finding.rule}: {shown(finding.message, MESSAGE_LIMIT)}"
