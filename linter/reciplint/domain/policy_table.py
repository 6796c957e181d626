"""The tables of a policy: what their columns are, and what a row of them retires."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from reciplint.domain.policy import Deprecation
from reciplint.domain.policy_markdown import Table, Words
from reciplint.domain.policy_text import NotUnderstood, Target, dates, day_after, effective_date, is_pending

_ROLES: tuple[tuple[str, str], ...] = (
    ("prefix", r"\bprefix(es)?\b"),
    ("lengths", r"\bisl\b|\bosl\b|\blengths?\b"),
    ("last-day", r"\blast day\b|\buntil\b"),
    ("effective", r"\b(effective|since|deprecat\w+ (on|date)|retire\w* (on|date)|removal date)\b|^(date|from)$"),
    ("gone", r"\b(deprecat\w*|retire\w*|retirements?|removed|discontinued|inactive|sunset)\b"),
    ("active", r"\b(active|supported|current)\b"),
    ("status", r"^(status|state|enacted\??)$"),
    ("scenario", r"^(scenario|benchmark)s?( name)?$"),
    ("model", r"^models?\b"),
    ("harmless", r"\b(remain\w*|published|kept|keeps?|replace\w*|successor|added|reason|rationale|why|notes?)\b"),
    ("harmless", r"\b(links?|prs?|pull request|source|weights|hugging ?face|repo\w*|license|draft|engines?)\b"),
    ("harmless", r"\b(architecture|class|parameters|size)\b"),
)

MENTIONS = re.compile(r"\b(deprecat\w*|retire\w*|sunset|discontinued)\b", re.IGNORECASE)


_PREFIX = re.compile(r"[A-Za-z0-9][\w.-]*")


class Row(msgspec.Struct, frozen=True):
    """A row by the roles of its columns."""

    cells: Mapping[str, Words]
    span_of_row: Words

    def get(self, role: str) -> Words | None:
        """The cell of a role, None where the table has no such column or the row is too short."""
        return self.cells.get(role)


def roles(table: Table) -> list[str]:
    """The role of each column, "" where it is unknown."""
    return [
        next((role for role, pattern in _ROLES if re.search(pattern, cell.text, re.IGNORECASE)), "")
        for cell in table.head
    ]


def check_columns(table: Table, found: list[str]) -> None:
    """Raises if a column is unknown, or if two columns could mean the same."""
    for cell, role in zip(table.head, found, strict=True):
        if not role and cell.text:
            raise NotUnderstood(f"what the column “{cell.text}” means")
    for role in ("prefix", "gone", "active", "status", "effective", "last-day"):
        if found.count(role) > 1:
            raise NotUnderstood("which of two columns counts: " + _headers(table, found, role))


def _headers(table: Table, found: list[str], role: str) -> str:
    return ", ".join(f"“{cell.text}”" for cell, each in zip(table.head, found, strict=True) if each == role)


def rows(table: Table, found: list[str]) -> Iterator[Row]:
    """The rows of a table that say anything."""
    for cells in table.rows:
        named = {role: cell for role, cell in zip(found, cells, strict=False) if role and role != "harmless"}
        if any(cell.text for cell in cells):
            yield Row(named, cells[0])


def prefixes(row: Row) -> tuple[str, ...]:
    """The model prefixes that a row speaks of: those in backticks, in its prefix or else its model column."""
    cell = row.get("prefix") or row.get("model")
    found = tuple(code for code in cell.codes if _PREFIX.fullmatch(code)) if cell else ()
    if not found:
        raise NotUnderstood("the model prefix: none stands in backticks")
    return found


def row_date(row: Row) -> str:
    """The effective date that a row's own date column gives, "" without one."""
    if cell := row.get("effective"):
        return effective_date(cell.text)
    if (cell := row.get("last-day")) and (found := dates(cell.text)):
        return day_after(found[0])
    return ""


def row_pending(row: Row) -> bool:
    """Whether a row's own status column says that it is not in force yet."""
    cell = row.get("status")
    return bool(cell and is_pending(cell.text))


def deprecations(
    row: Row, cell: Words, targets: Iterable[Target], *, effective: str = "", kept: tuple[str, ...] = ()
) -> Iterator[Deprecation]:
    """What the targets that `cell` names mean for the row's models; `effective` holds where a target has no date."""
    model = row.get("prefix") or row.get("model") or cell
    for target in targets:
        for prefix in _narrowed(row, target.names):
            yield Deprecation(
                prefix=prefix,
                scenario=target.scenario,
                precisions=target.precisions,
                kept_precisions=kept,
                non_spec_decode=target.non_spec_decode,
                effective=target.effective or effective,
                enacted=not (target.pending or row_pending(row)),
                from_day_zero=target.day_zero,
                span=cell.span,
                text=f"{model.text} | {cell.text}",
            )


def _narrowed(row: Row, names: tuple[str, ...]) -> tuple[str, ...]:
    """The row's prefixes that the names mean; all of them without names."""
    found = prefixes(row)
    if not names:
        return found
    model = row.get("model")
    shown = re.split(r"\s+/\s+|\s*,\s*|\s+and\s+", re.sub(r"\(.*?\)|`", "", model.text)) if model else []
    known = {_folded(prefix): prefix for prefix in found}
    if len(shown) == len(found):
        known.update({_folded(name): prefix for name, prefix in zip(shown, found, strict=True)})
    unknown = [name for name in names if _folded(name) not in known]
    if unknown:
        raise NotUnderstood(f"which models “{unknown[0]} only” means")
    return tuple(known[_folded(name)] for name in names)


def _folded(name: str) -> str:
    return re.sub(r"[^\w.]|_", "", name).lower()
