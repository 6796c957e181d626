r"""Tables for a terminal, for Markdown and as CSV, from the same rows.

Text in a cell is untrusted: escaped for a terminal, a code span in Markdown, where nothing in it is a mention, a
link, HTML or an issue number.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reciplint.report.escape import shown, shown_first

_GAP = "  "
_NOTHING = "-"
_BACKTICKS = re.compile("`+")


@dataclass(frozen=True)
class Column:
    """A title; numbers stand on the right."""

    title: str
    right: bool = False


class Markup(str):
    """Markdown of our own, put into a cell as it is."""

    __slots__ = ()


Cell = str | int | float | None
Rows = Sequence[Sequence[Cell]]


def text_table(columns: Sequence[Column], rows: Rows, indent: str = "") -> str:
    """Aligned columns under their titles, one line a row; "" for no rows."""
    if not rows:
        return ""
    lines = [[column.title for column in columns], *([cell or _NOTHING for cell in _line(row)] for row in rows)]
    widths = [max(map(display_width, column)) for column in zip(*lines, strict=True)]
    padded = [map(_padded, line, widths, columns) for line in lines]
    return "".join(f"{indent}{_GAP.join(line).rstrip()}\n" for line in padded)


def markdown_table(columns: Sequence[Column], rows: Rows) -> str:
    """A table of GitHub's Markdown; "" for no rows."""
    if not rows:
        return ""
    head = [_row(column.title for column in columns), _row("--:" if column.right else ":--" for column in columns)]
    return "".join([*head, *(_row(map(_markdown, row)) for row in rows)])


def csv_table(columns: Sequence[Column], rows: Rows) -> str:
    """Comma-separated values with a header line (RFC 4180 quoting, lines ending with LF)."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.title for column in columns])
    writer.writerows(map(_line, rows))
    return text.getvalue()


def code(text: str, in_table: bool = True) -> str:
    r"""Untrusted text as a code span. In a table a pipe is escaped; one after a backslash, which cannot be, is shown
    as `\x7c`."""
    safe = shown(text)
    if not safe.strip():
        return _NOTHING if not safe else "(blank)"
    if in_table:
        safe = safe.replace("\\|", "\\\\x7c").replace("|", "\\|")
    fence = "`" * (max((len(found) for found in _BACKTICKS.findall(safe)), default=0) + 1)
    pad = " " if "`" in (safe[0], safe[-1]) or (safe[0] == safe[-1] == " ") else ""
    return f"{fence}{pad}{safe}{pad}{fence}"


def display_width(text: str) -> int:
    """Columns that a text takes on a terminal: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(map(_char_width, text))


def number(value: float) -> str:
    """A number with thousands separated, and one decimal only if it has any."""
    rounded = round(value, 1)
    return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:,.1f}"


def counted(count: float, noun: str) -> str:
    """`1 point`, `2 points`."""
    return f"{number(count)} {noun if count == 1 else f'{noun}s'}"


def _char_width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _line(row: Sequence[Cell]) -> list[str]:
    """The cells of a row; the first stands at the start of a line, where GitHub's runner looks for commands."""
    first, *others = map(_plain, row)
    return [shown_first(first), *others]


def _plain(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell:g}" if isinstance(cell, float) else shown(str(cell))


def _padded(text: str, width: int, column: Column) -> str:
    space = " " * (width - display_width(text))
    return space + text if column.right else text + space


def _markdown(cell: Cell) -> str:
    if isinstance(cell, Markup):
        return cell
    if isinstance(cell, str):
        return code(cell)
    return number(cell) if cell is not None else _NOTHING


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"
