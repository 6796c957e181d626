"""The changelog on both sides of a change: its bytes, what happened to them, and which entries are new."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from reciplint.domain.changelog import ChangelogEntry, added_entries
from reciplint.domain.changelog_bytes import Comparison, Text, compare
from reciplint.domain.project import Change, Project
from reciplint.repo.snapshot import blob_id
from reciplint.yamltree.spans import Span


@dataclass(frozen=True)
class Side:
    """A changelog at one revision; its bytes are read when they are needed."""

    path: str
    blob: str
    load: Callable[[], bytes | None] = field(compare=False, repr=False)

    @property
    def data(self) -> bytes | None:
        """The bytes; None where they cannot be read (a file over the size limit, say)."""
        found = self.load()
        return None if found is None or (not found and self.blob != blob_id(b"")) else found


@dataclass(frozen=True)
class Sides:
    """A changelog that the base has, and the same file at the head if it is still there."""

    base: Side
    head: Side | None

    @property
    def comparison(self) -> Comparison | None:
        """What happened to the base's bytes; None where either side cannot be read."""
        return None if self.head is None else _compared(self.base, self.head)


def sides(change: Change) -> Sides | None:
    """The changelog before and after, also where one of them has a text that is no YAML; None without one before."""
    if change.base is None:
        return None
    base_path, head_path = change.base.changelog_path, change.head.changelog_path
    if base_path and not head_path:
        head_path = next((path for path in change.head.blobs if change.base_path(path) == base_path), "")
    elif head_path and not base_path:
        former = change.base_path(head_path)
        base_path = former if former in change.base.blobs else ""
    if not base_path:
        return None
    return Sides(_side(change.base, base_path), _side(change.head, head_path) if head_path else None)


def _side(project: Project, path: str) -> Side:
    return Side(path, project.blobs[path], lambda: project.read(path))


@lru_cache(maxsize=4)
def _compared(base: Side, head: Side) -> Comparison | None:
    before, after = base.data, head.data
    return None if before is None or after is None else compare(before, after)


def new_entries(change: Change) -> list[ChangelogEntry]:
    """The entries that a change adds; one that it corrects, rewrites or moves is none.

    None at all where the base has no changelog: then nothing can be told from history.
    """
    both = sides(change)
    comparison = both.comparison if both is not None else None
    if comparison is None or change.head.changelog is None or change.base is None:
        return []
    if not comparison.head.entries:  # written in another style than a list in the first column
        return added_entries(change.base.changelog, change.head.changelog)
    ends = {entry.line: entry.next_line for entry in comparison.head.entries if entry.line in set(comparison.added)}
    return [
        entry
        for entry in change.head.changelog.entries
        if any(line <= entry.span.line < end for line, end in ends.items())
    ]


def lines_span(text: Text, first: int, last: int | None = None) -> Span:
    """Whole lines, from the first character of the first to the last of the last; a blank line with its blanks."""
    last = last or first
    begin, end = text.text_of(first), text.text_of(last)
    start = len(begin) - len(begin.lstrip()) if begin.strip() else 0
    return Span(first, start + 1, last, len(end) + 1)


def lost_a_master(change: Change) -> bool:
    """Whether a master config is still there and cannot be read: then no key is known to be missing."""
    if change.base is None:
        return False
    former = {master.path for master in change.base.masters}
    read = {master.path for master in (*change.head.masters, *change.head.archives)}
    return any(path not in read and change.base_path(path) in former for path in change.head.blobs)
