"""Repairs of a changelog as replaced lines: history restored with the new entries behind it, and entries appended.

Only lines that have to change are replaced, from the beginning of an entry to the end of one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from reciplint.domain.changelog_bytes import TextEntry, compare, split
from reciplint.yamltree.edit_lines import ReplaceLines, alike
from reciplint.yamltree.problem import Unreadable
from reciplint.yamltree.scalars import load

if TYPE_CHECKING:
    from reciplint.domain.changelog_entry import NewEntry


class Restoration(NamedTuple):
    """History as it was, with the names of the entries that follow it."""

    operation: ReplaceLines
    appended: tuple[str, ...]


def restoration(path: str, base: bytes, head: bytes) -> Restoration | None:
    """The base's bytes followed by the entries that only the head has; None where one of the two cannot be read so, or
    where something was written into an old entry: it would be lost, and only its author knows where it belongs."""
    from reciplint.domain.changelog_merge import NotMerged, merge  # which most runs, with nothing to mend, do without

    if any(event.kind == "altered" and event.numbers for event in compare(base, head).events):
        return None
    try:
        merged = merge(base, head, base)
    except NotMerged:
        return None
    operation = changed_lines(path, head, merged.data)
    return Restoration(operation, merged.appended) if operation is not None else None


def appended(path: str, data: bytes, entries: list[NewEntry]) -> ReplaceLines | None:
    """Entries at the end of a changelog, in its manner; None where none can be appended."""
    from reciplint.domain.changelog_entry import NotAppended, with_entries

    try:
        return changed_lines(path, data, with_entries(data, entries))
    except (NotAppended, Unreadable, UnicodeDecodeError):
        return None


def respaced(path: str, head: bytes, first: int, last: int, text: str) -> ReplaceLines | None:
    """Some lines (from 1; none where `last` comes before `first`) written with other white space."""
    lines = [line for line in re.split(rb"(?<=\n)", head) if line]
    return changed_lines(path, head, b"".join((*lines[: first - 1], text.encode(), *lines[last:])))


def without(path: str, head: bytes, entry: TextEntry, character: str) -> ReplaceLines | None:
    """An entry without carriage returns at its ends of lines, or with blanks for its tabs; None where the character is
    also part of what the entry says."""
    from reciplint.yamltree.parse import parse_text  # brings in PyYAML, which a run from the cache can do without

    before = b"".join((*entry.lines, *entry.gap)).decode("utf-8")
    after = before.replace("\r\n", "\n") if character == "\r" else before.replace("\t", " ")
    try:
        is_same = load(parse_text(before).root) == load(parse_text(after).root)
    except Unreadable:
        return None
    if character in after or not is_same:
        return None
    return respaced(path, head, entry.line, entry.next_line - 1, after)


def changed_lines(path: str, before: bytes, after: bytes) -> ReplaceLines | None:
    """The operation that makes one text of another; None for equal ones and for bytes that are not UTF-8."""
    if before == after:
        return None
    starts = [entry.line - 1 for entry in split(before).entries]
    try:
        old, new = (_lines(data.decode("utf-8")) for data in (before, after))
    except UnicodeDecodeError:
        return None
    head = alike(zip(old, new, strict=False))
    tail = min(alike(zip(reversed(old), reversed(new), strict=False)), len(old) - head, len(new) - head)
    first = max((start for start in starts if start <= head), default=0)
    end = next((start for start in starts if start >= max(len(old) - tail, first + 1)), len(old))
    kept = len(old) - end
    was, text = "".join(old[first:end]), "".join(new[first : len(new) - kept])
    return ReplaceLines(path, first + 1, end if kept else 0, was, text)


def _lines(text: str) -> list[str]:
    """Lines end at LF only."""
    return [line for line in re.split(r"(?<=\n)", text) if line]
