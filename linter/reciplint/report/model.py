"""What a report is made from: the findings that are left after triage, and where their text and rules come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from reciplint.rules.finding import Finding
from reciplint.yamltree.spans import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reciplint.rules.rule import Rule


class FileEdit(msgspec.Struct, frozen=True):
    """One replaced stretch of one file."""

    path: str
    span: Span
    replacement: str


class Reported(msgspec.Struct, frozen=True):
    """A finding as it is reported: every path filled in (`Finding.at`), its fix resolved to replaced spans.

    `edits` is empty if there is no fix to apply: a fix that was refused should have been dropped or made `display`.
    """

    finding: Finding
    fingerprint: str
    url: str
    edits: tuple[FileEdit, ...] = ()


class Counts(msgspec.Struct, frozen=True):
    """How many findings are reported by severity, how many are held back and why, and how many files were read."""

    error: int = 0
    warning: int = 0
    info: int = 0
    suppressed: int = 0
    baselined: int = 0
    files: int = 0


class Report(msgspec.Struct, frozen=True):
    """One run. `findings` come in the order in which they are printed; `compared` says that a base was given."""

    version: str
    base: str | None
    head: str | None
    pull_request: int | None
    findings: tuple[Reported, ...]
    counts: Counts
    exit_code: int
    compared: bool


class Options(msgspec.Struct, frozen=True):
    """How a person wants to see it; the formats for machines ignore all of it. `width` is in terminal cells."""

    color: bool = False
    width: int = 100
    verbose: bool = False
    statistics: bool = False


class Sources(Protocol):
    """What a report may look up. A format that needs none of it never asks."""

    @property
    def rule_meta(self) -> Mapping[str, Rule]:
        """The rules by id."""

    @property
    def pages(self) -> Mapping[str, str]:
        """The page of each rule in Markdown, by id."""

    def lines(self, path: str) -> list[str] | None:
        """A file's lines, split at LF and nowhere else (as spans count them); None if it cannot be shown."""


def printed(report: Report, options: Options) -> list[Reported]:
    """The findings that people see: advice stays out of a full run unless they ask for it."""
    everything = options.verbose or report.compared
    return [reported for reported in report.findings if everything or reported.finding.severity != "info"]


def last_line(span: Span) -> int:
    """The last line that holds any of the span: one that ends before a line's first column does not reach it."""
    return max(span.line, span.end_line - (span.end_column == 1))
