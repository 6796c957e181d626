"""A safe fix as a suggestion that GitHub can commit: only where its edits lie wholly inside one hunk."""

from __future__ import annotations

import msgspec

from reciplint.bot.diffmap import DiffMap, Hunk
from reciplint.report.escape import shown
from reciplint.report.model import FileEdit, Reported
from reciplint.yamltree.spans import Span

_LONGEST = 4000


class Suggestion(msgspec.Struct, frozen=True):
    """The lines of the head that are replaced, both inclusive, and what by (without the last line break)."""

    start_line: int
    line: int
    text: str


def suggestion(reported: Reported, diff: DiffMap) -> Suggestion | None:
    """The suggestion for a finding; None where its fix is not safe, or cannot be shown as it would be committed."""
    finding = reported.finding
    if finding.fix is None or finding.fix.applicability != "safe" or not reported.edits:
        return None
    if {edit.path for edit in reported.edits} != {finding.path}:
        return None
    first = min(edit.span.line for edit in reported.edits)
    last = max(_last_line(edit.span) for edit in reported.edits)
    hunk = diff.hunk_at(finding.path, first)
    if hunk is None or last > hunk.end or not first <= finding.span.line <= last:
        return None
    text = _edited(hunk, first, last, reported.edits)
    if text is None or not _is_plain("".join(hunk.lines[first - hunk.start : last - hunk.start + 1]) + text):
        return None
    return Suggestion(first, last, text)


def _last_line(span: Span) -> int:
    """The last line that an edit changes; one that ends at the start of a line took the break before it."""
    return max(span.line, span.end_line - (span.end_column == 1 and span.end_line > span.line))


def _edited(hunk: Hunk, first: int, last: int, edits: tuple[FileEdit, ...]) -> str | None:
    lines = [f"{line}\n" for line in hunk.lines[first - hunk.start : last - hunk.start + 1]]
    starts = [sum(map(len, lines[:index])) for index in range(len(lines) + 1)]
    text = "".join(lines)
    bound = len(text) + 1
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        start = starts[edit.span.line - first] + edit.span.column - 1
        end = starts[edit.span.end_line - first] + edit.span.end_column - 1
        if not start <= end <= bound:
            return None
        bound = start
        text = text[:start] + edit.replacement + text[end:]
    if text == "".join(lines) or (text and not text.endswith("\n")):
        return None
    return text.removesuffix("\n")


def _is_plain(text: str) -> bool:
    """Whether a reader sees what would be committed: nothing invisible, no carriage returns, not endless."""
    return len(text) <= _LONGEST and shown(text.replace("\n", "").replace("\t", "")) == text.replace("\n", "").replace(
        "\t", ""
    )
