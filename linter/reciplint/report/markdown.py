"""A summary for people in GitHub's Markdown, as for a step summary: the verdict, a table, advice folded away.

Whatever comes from the repository stands as text: a message has its markup escaped, a path is a code span.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reciplint.report.escape import MESSAGE_LIMIT, shown
from reciplint.report.table import Cell, Column, Markup, code, counted, markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reciplint.report.model import Options, Report, Reported, Sources

SIZE_LIMIT = 900_000
"""Bytes of all rows: GitHub refuses a step summary of more than 1 MiB, whole."""

_SIGNS = {"error": "❌ error", "warning": "⚠️ warning", "info": "ℹ️ info"}
_COLUMNS = (Column("severity"), Column("rule"), Column("where"), Column("what"))
_QUOTED = re.compile("(`[^`]+`)")
_ACTIVE = re.compile(
    r"[\\`*\[\]<>#!|~&$@]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])|:(?=\S)|(?<=www)\.|(?<=[Gg][Hh])-(?=\d)"
    "|[0-9a-fA-F]{4}(?=[0-9a-fA-F]{3})"
)
_NOTHING = "<!-- -->"
_JOINS = "@#:-.$"
_ORDER = ("error", "warning")


def render(report: Report, sources: Sources, options: Options) -> str:
    """The verdict, then errors before warnings, then the advice in `<details>`."""
    room = _Room(SIZE_LIMIT)
    shown_rows = [row for severity in _ORDER for row in _of(report, severity)]
    blocks = [verdict(report), _table(shown_rows, room)]
    advice = _of(report, "info")
    if advice:
        blocks += ["<details>", f"<summary>{counted(len(advice), 'piece')} of advice</summary>"]
        blocks += [_table(advice, room), "</details>"]
    if room.left_out:
        blocks.append(f"{counted(room.left_out, 'finding')} more than fit here: see the log.")
    return "\n\n".join(block.strip("\n") for block in blocks if block) + "\n"


def verdict(report: Report) -> str:
    """One line: whether it is good, how many findings there are, how many are held back."""
    counts = report.counts
    found = [counted(n, noun) for n, noun in ((counts.error, "error"), (counts.warning, "warning")) if n]
    sign = "❌" if report.exit_code else "⚠️" if found else "✅"
    nothing = "nothing new" if report.compared else "nothing found"
    held = [f"{counts.suppressed} suppressed"] if counts.suppressed else []
    held += [f"{counts.baselined} in the baseline"] if counts.baselined else []
    tail = f" ({', '.join(held)})" if held else ""
    return f"{sign} **reciplint: {', '.join(found) or nothing}**{tail}"


def as_text(text: str, limit: int = MESSAGE_LIMIT) -> str:
    """Untrusted text that Markdown shows as it is: no link, mention, reference, image, HTML or formula comes of it.

    What stands between backticks becomes a code span, which is as inert.
    """
    parts = _QUOTED.split(shown(text, limit))
    return "".join(code(part[1:-1]) if index % 2 else _ACTIVE.sub(_inert, part) for index, part in enumerate(parts))


def _inert(match: re.Match[str]) -> str:
    """A character as an entity, which Markdown decodes after it has looked for markup; mentions, issue numbers,
    commits, addresses and emoji, which GitHub looks for in the finished text, are torn apart by an empty comment."""
    text = match[0]
    if len(text) > 1:
        return f"{text}{_NOTHING}"
    return f"&#{ord(text)};{_NOTHING if text in _JOINS else ''}"


class _Room:
    """How many bytes of rows may still come, and how many rows found no room."""

    def __init__(self, limit: int) -> None:
        self._left = limit
        self.left_out = 0

    def takes(self, size: int) -> bool:
        self._left -= size
        self.left_out += self._left < 0
        return self._left >= 0


def _of(report: Report, severity: str) -> list[Reported]:
    return [reported for reported in report.findings if reported.finding.severity == severity]


def _table(findings: Iterable[Reported], room: _Room) -> str:
    rows = [row for row in map(_row, findings) if room.takes(sum(len(str(cell).encode("utf-8")) for cell in row))]
    return markdown_table(_COLUMNS, rows)


def _row(reported: Reported) -> list[Cell]:
    finding = reported.finding
    return [
        Markup(_SIGNS[finding.severity]),
        Markup(f"[{as_text(finding.rule)}]({reported.url})"),
        Markup(code(f"{finding.path}:{finding.span.line}")),
        Markup(as_text(finding.message)),
    ]
