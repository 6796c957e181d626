"""From an outcome to reports: counts, exit status, resolved edits, and where each report is written."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

import click
import msgspec

from reciplint import __version__
from reciplint.engine.registry import Registered
from reciplint.engine.run import Outcome
from reciplint.engine.triage import Fingerprinted
from reciplint.repo.snapshot import Snapshot
from reciplint.report import FORMATS, renderer
from reciplint.report.model import Counts, FileEdit, Options, Report, Reported
from reciplint.rules.finding import Finding, rank
from reciplint.rules.rule import Rule, rule_url


class Origin(msgspec.Struct, frozen=True):
    """What was compared, for the head of a report."""

    base: str | None
    head: str | None
    pull_request: int | None


WITH_EDITS = frozenset({"json", "sarif"})
"""The formats that show edits, which cost a parse of each file to resolve."""


def build_report(outcome: Outcome, origin: Origin, fail_on: str, snapshot: Snapshot, with_edits: bool) -> Report:
    """The report of an outcome; edits are resolved and proved against the head's text where a format shows them."""
    counted = Counter(item.finding.severity for item in outcome.findings)
    texts = _Texts(snapshot)
    return Report(
        version=__version__,
        base=origin.base,
        head=origin.head,
        pull_request=origin.pull_request,
        findings=tuple(_reported(item, texts if with_edits else None) for item in outcome.findings),
        counts=Counts(
            error=counted["error"],
            warning=counted["warning"],
            info=counted["info"],
            suppressed=outcome.suppressed,
            baselined=outcome.baselined,
            files=outcome.files,
        ),
        exit_code=exit_code(outcome.findings, fail_on),
        compared=origin.base is not None,
    )


def exit_code(findings: tuple[Fingerprinted, ...], fail_on: str) -> int:
    """2 after an internal error, 1 with a finding at or above the threshold, else 0."""
    if any(item.finding.rule == "internal-error" for item in findings):
        return 2
    if fail_on == "never":
        return 0
    least = {"info": 0, "warning": 1, "error": 2}[fail_on]
    return int(any(rank(item.finding.severity) >= least for item in findings))


class _Texts:
    """The texts of the head, decoded once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    @functools.cache  # noqa: B019 (lives as long as one report)
    def text(self, path: str) -> str | None:
        """A file's text; None where it cannot be had."""
        content = self._snapshot.read([path]).get(path)
        return None if content is None or content.size != len(content.data) else content.data.decode("utf-8", "replace")


class Sources:
    """What reports may look up: the lines of files, rules and their pages."""

    def __init__(self, snapshot: Snapshot, rules: dict[str, Registered]) -> None:
        self._texts = _Texts(snapshot)
        self._rules = rules
        self._lines: dict[str, list[str] | None] = {}

    def lines(self, path: str) -> list[str] | None:
        """The lines of a file, split at LF once."""
        if path not in self._lines:
            text = self._texts.text(path)
            self._lines[path] = None if text is None else text.split("\n")
        return self._lines[path]

    @property
    def rule_meta(self) -> Mapping[str, Rule]:
        """Rule by id."""
        return {name: registered.rule for name, registered in self._rules.items()}

    @property
    def pages(self) -> Mapping[str, str]:
        """Page by rule id."""
        from reciplint.engine.pages import readable

        return {name: readable(registered.page) for name, registered in self._rules.items()}


def _reported(item: Fingerprinted, texts: _Texts | None) -> Reported:
    finding = item.finding
    url = rule_url(finding.rule)
    if texts is None or finding.fix is None or finding.fix.applicability == "display" or finding.fix.is_last:
        return Reported(finding, item.fingerprint, url)
    edits = _edits(finding, texts)
    if edits is None:
        return Reported(msgspec.structs.replace(finding, fix=None), item.fingerprint, url)
    return Reported(finding, item.fingerprint, url, edits)


def _edits(finding: Finding, texts: _Texts) -> tuple[FileEdit, ...] | None:
    """The proved edits of a fix; None where it is refused."""
    from reciplint.fix.apply import edits_of
    from reciplint.fix.prove import Unproved
    from reciplint.yamltree.edit import Refused
    from reciplint.yamltree.problem import Unreadable
    from reciplint.yamltree.spans import LineIndex

    assert finding.fix is not None
    found = []
    for operation in finding.fix.operations:
        text = texts.text(operation.path)
        if text is None:
            return None
        try:
            lines = LineIndex(text)
            for edit in edits_of(text, operation):
                found.append(FileEdit(operation.path, lines.span(edit.start, edit.end), edit.replacement))
        except (Refused, Unproved, Unreadable):
            return None
    return tuple(found) or None


def emit(
    report: Report,
    sources: Sources,
    chosen: str | None,
    outputs: tuple[tuple[str, str], ...],
    verbose: bool = False,
    statistics: bool = False,
    stream: TextIO | None = None,
) -> None:
    """Write the report to a stream (default: standard output) in the chosen format, if any, and in others to files;
    `-` as a file is the stream."""
    stream = stream or sys.stdout
    for format_name, target in outputs:
        text = renderer(format_name)(report, sources, Options(False, 120, verbose, statistics))
        if target == "-":
            _write(text, stream)
        else:
            Path(target).parent.mkdir(parents=True, exist_ok=True)
            Path(target).write_bytes(text.encode("utf-8", "backslashreplace"))
    if chosen is not None and not any(target == "-" for _, target in outputs):
        color = wants_color(stream) if chosen == "text" else False
        width = shutil.get_terminal_size((100, 24)).columns
        _write(renderer(chosen)(report, sources, Options(color, max(width, 60), verbose, statistics)), stream)


def _write(text: str, stream: TextIO) -> None:
    stream.flush()
    stream.buffer.write(text.encode("utf-8", "backslashreplace"))
    stream.buffer.flush()


def wants_color(stream: TextIO) -> bool:
    """Whether what goes to a stream may be coloured: on a terminal, unless the environment says otherwise."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def parse_output(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """`--output FORMAT:FILE`, checked."""
    found = []
    for value in values:
        name, colon, target = value.partition(":")
        if not colon or name not in FORMATS or not target:
            raise click.BadParameter(f"{value!r} is not FORMAT:FILE with a format of {', '.join(FORMATS)}")
        found.append((name, target))
    return tuple(found)
