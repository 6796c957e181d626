"""A changelog as text: its entries line by line, and what happened to the base's bytes in the head.

Nothing is parsed as YAML, so a file with conflict markers or a broken line can be compared too. An entry begins with a
dash in the first column; blank lines after it (white space included) are its gap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import groupby, pairwise
from typing import Literal, NamedTuple

from reciplint.domain.prefix import common_prefix

Kind = Literal["inserted", "deleted", "altered", "reformatted", "relinked", "moved", "spacing", "line-ends"]

LINK = re.compile(r"https://github\.com/(?P<repository>[\w.-]+/[\w.-]+)/pull/(?P<number>[1-9]\d*)", re.ASCII)
"""A link to a pull request, as the readers of a changelog expect it."""

_START = re.compile(rb"-(?=[ \t\r\n]|\Z)")
_LINK_LINE = re.compile(rb"(?P<head>\s*(?:- )?pr-link:)(?P<value>.*)", re.DOTALL)
_KEY_LINE = re.compile(rb"\s+-\s+(?P<key>\S+)\s*")
_FIELD = re.compile(rb"[ ]+[\w-]+:[ \r\n].*", re.DOTALL)
_BARE_KEY = re.compile(rb"\s*(?:- )?[\w-]+:\s*")
_EMPTY = frozenset((b"", b"[]", b"---", b"null", b"~"))
_SHOWN = 80
_ALIKE = 0.5
"""The share of telling lines that an altered entry has in common with what it was."""


class TextEntry(NamedTuple):
    """An entry as text: its number and first line (from 1), its lines, and the blank lines up to the next entry."""

    number: int
    line: int
    lines: tuple[bytes, ...]
    gap: tuple[bytes, ...]

    @property
    def last_line(self) -> int:
        """The last line that is not blank."""
        return self.line + len(self.lines) - 1

    @property
    def next_line(self) -> int:
        """The line after the gap."""
        return self.line + len(self.lines) + len(self.gap)

    @property
    def content(self) -> tuple[bytes, ...]:
        """The lines without white space at their ends."""
        return tuple(line.rstrip() for line in self.lines)

    @property
    def link(self) -> str:
        """The value of `pr-link` as it is written, quotes taken off."""
        for line in self.lines:
            match = _LINK_LINE.fullmatch(line)
            if match:
                return _text(match["value"]).strip("\"'")
        return ""

    @property
    def name(self) -> str:
        """What people call it: the number of its pull request, else its first key."""
        match = LINK.fullmatch(self.link)
        if match:
            return f"#{match['number']}"
        keys = (match for match in map(_KEY_LINE.fullmatch, self.lines) if match)
        return _text(next((match["key"] for match in keys), b"")).strip("\"'") or f"line {self.line}"


class Text(NamedTuple):
    """A changelog as text: what stands before the first entry, and the entries."""

    preamble: tuple[bytes, ...]
    entries: tuple[TextEntry, ...]

    @property
    def has_history(self) -> bool:
        """Whether anything stands here that must stay."""
        return bool(self.entries) or b"".join(self.preamble).strip() not in _EMPTY

    def text_of(self, line: int) -> str:
        """A line (from 1) without its line break; empty past the end."""
        for entry in reversed(self.entries):
            if entry.line <= line:
                lines = (*entry.lines, *entry.gap)
                return _readable(lines[line - entry.line]) if line < entry.next_line else ""
        return _readable(self.preamble[line - 1]) if line <= len(self.preamble) else ""


class Event(NamedTuple):
    """Something that happened to history. `line` to `last_line` is where it shows in the head (for what is gone: where
    it stood), `numbers` and `names` the entries of the base that it happened to (for inserted ones: the entry that
    they stand before, and the names of the new ones), `was` and `now` the first line that differs."""

    kind: Kind
    line: int
    last_line: int
    numbers: tuple[int, ...]
    names: tuple[str, ...]
    was: str = ""
    now: str = ""


class Comparison(NamedTuple):
    """A base and a head. `kept_lines` are the whole lines of the base that begin the head, `added` the first lines of
    the head's new entries, `corrections` the lines of a pure correction of links, which is legal."""

    base: Text
    head: Text
    kept_lines: int
    events: tuple[Event, ...]
    added: tuple[int, ...]
    corrections: tuple[int, ...] = ()


def split(data: bytes) -> Text:
    """The entries of a changelog."""
    lines = data.splitlines(keepends=True) if b"\r" not in data else _lines(data)
    starts = [index for index, line in enumerate(lines) if _START.match(line)]
    entries = []
    for number, (start, stop) in enumerate(pairwise([*starts, len(lines)]), 1):
        end = stop
        while end > start + 1 and not lines[end - 1].strip():
            end -= 1
        entries.append(TextEntry(number, start + 1, tuple(lines[start:end]), tuple(lines[end:stop])))
    return Text(tuple(lines[: starts[0]] if starts else lines), tuple(entries))


def _lines(data: bytes) -> list[bytes]:
    """Lines end at LF only: `bytes.splitlines` would also end them at a lone CR."""
    return [line for line in re.split(rb"(?<=\n)", data) if line]


def compare(base: bytes, head: bytes) -> Comparison:
    """What happened to the base's bytes in the head."""
    old, new = split(base), split(head)
    kept_lines = base.count(b"\n", 0, common_prefix(base, head))
    if not old.has_history:
        return Comparison(old, new, kept_lines, (), tuple(entry.line for entry in new.entries))
    corrections = _corrections(base, head)
    if corrections or base == head:
        return Comparison(old, new, kept_lines, (), (), corrections)
    event = _line_ends(base, head, kept_lines) if b"\r" in base or b"\r" in head else None
    if event:
        later = new.entries[len(old.entries) :]
        return Comparison(old, new, kept_lines, (event,), tuple(entry.line for entry in later))
    alignment = _align(old.entries, new.entries)
    events = sorted(_events(old, new, alignment), key=lambda event: event.line)
    if not events and not head.startswith(base):
        events = [_first_difference(base, head, kept_lines + 1)]
    return Comparison(old, new, kept_lines, tuple(events), tuple(new.entries[j].line for j in alignment.added))


def _corrections(base: bytes, head: bytes) -> tuple[int, ...]:
    """The lines of a pure correction: nothing but links differs, as many lines, every new link well-formed."""
    if base == head or base.count(b"\n") != head.count(b"\n"):
        return ()
    old, new = _lines(base), _lines(head)
    if len(old) != len(new):
        return ()
    changed = [(index, *pair) for index, pair in enumerate(zip(old, new, strict=True), 1) if pair[0] != pair[1]]
    return tuple(line for line, *_ in changed) if all(_is_correction(was, now) for _, was, now in changed) else ()


def _is_correction(was: bytes, now: bytes) -> bool:
    before, after = _LINK_LINE.fullmatch(was), _LINK_LINE.fullmatch(now)
    if before is None or after is None or before["head"] != after["head"]:
        return False
    old, new = (_text(match["value"]).strip("\"'") for match in (before, after))
    return old != new and now.endswith(b"\n") and LINK.fullmatch(new) is not None


def _line_ends(base: bytes, head: bytes, kept_lines: int) -> Event | None:
    """The event if only carriage returns differ."""
    if head.startswith(base) or not head.replace(b"\r", b"").startswith(base.replace(b"\r", b"")):
        return None
    line = kept_lines + 1
    kinds = ("CRLF" if b"\r\n" in text else "LF" for text in (_at(base, line), _at(head, line)))
    return Event("line-ends", line, line, (), (), *kinds)


def _first_difference(base: bytes, head: bytes, line: int) -> Event:
    return Event("altered", line, line, (), (f"line {line}",), show(_at(base, line)), show(_at(head, line)))


def _at(data: bytes, line: int) -> bytes:
    return next(iter(_lines(data)[line - 1 : line]), b"")


# ---- which entry of the head is which of the base


class _Alignment(NamedTuple):
    """Indexes into the entries: pairs (base, head) in order, deleted of the base, added of the head, moved pairs."""

    pairs: tuple[tuple[int, int], ...]
    deleted: tuple[int, ...]
    added: tuple[int, ...]
    moved: tuple[tuple[int, int], ...]


def _align(old: tuple[TextEntry, ...], new: tuple[TextEntry, ...]) -> _Alignment:
    before, after = [entry.content for entry in old], [entry.content for entry in new]
    same = next((k for k, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
    lead = min(len(before), len(after)) if same is None else same
    pairs = [(k, k) for k in range(lead)]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before[lead:], after[lead:], autojunk=False).get_opcodes():
        mine, theirs = range(lead + i1, lead + i2), range(lead + j1, lead + j2)
        if tag == "equal":
            pairs.extend(zip(mine, theirs, strict=True))
        elif tag == "replace":
            pairs.extend(_alike(old, new, mine, theirs))
    deleted = sorted({*range(len(old))} - {i for i, _ in pairs})
    added = sorted({*range(len(new))} - {j for _, j in pairs})
    tail = max((j for _, j in pairs), default=-1)
    moved = []
    for i in deleted:
        twin = next((j for j in added if after[j] == before[i]), None)
        if twin is None:  # moved and touched up; at the end it counts as a new entry
            twin = next((j for j in added if j < tail and _likeness(old[i], new[j]) >= _ALIKE), None)
        if twin is not None:
            moved.append((i, twin))
            added.remove(twin)
    gone = {i for i, _ in moved}
    return _Alignment(tuple(pairs), tuple(i for i in deleted if i not in gone), tuple(added), tuple(moved))


def _alike(
    old: tuple[TextEntry, ...], new: tuple[TextEntry, ...], before: range, after: range
) -> Iterator[tuple[int, int]]:
    """Pairs of entries, in order, that are one entry altered."""
    first = after.start
    for i in before:
        best = max(range(first, after.stop), key=lambda j: _likeness(old[i], new[j]), default=None)
        if best is not None and _likeness(old[i], new[best]) >= _ALIKE:
            yield i, best
            first = best + 1


def _likeness(one: TextEntry, other: TextEntry) -> float:
    """The share of telling lines in common; a good link in common tells enough."""
    if _bare(one.lines) == _bare(other.lines) or (one.link == other.link and LINK.fullmatch(one.link)):
        return 1.0
    mine, theirs = ({_bare((line,)) for line in entry.lines if not _BARE_KEY.fullmatch(line)} for entry in (one, other))
    return 2 * len(mine & theirs) / max(1, len(mine) + len(theirs))


def _bare(lines: tuple[bytes, ...]) -> bytes:
    """The text without white space and quotes."""
    return re.sub(rb"[\s\"']+", b"", b"".join(lines))


# ---- what happened


def _events(old: Text, new: Text, alignment: _Alignment) -> Iterator[Event]:
    if old.preamble != new.preamble:
        was, now, offset = _differing(old.preamble, new.preamble)
        line = min(1 + offset, max(1, len(new.preamble)))
        yield Event("altered", line, line, (), ("the text before the first entry",), was, now)
    yield from _changed(old, new, alignment)
    yield from _inserted(old, new, alignment)
    yield from _deleted(old, new, alignment)
    for i, j in alignment.moved:
        entry = new.entries[j]
        yield Event("moved", entry.line, entry.last_line, (i + 1,), (old.entries[i].name,))


def _changed(old: Text, new: Text, alignment: _Alignment) -> Iterator[Event]:
    """What differs within entries that are still there, and in the gaps between them."""
    paired = dict(alignment.pairs)
    for i, j in alignment.pairs:
        before, after = old.entries[i], new.entries[j]
        is_last = i + 1 == len(old.entries)
        if before.content != after.content:
            if not (is_last and _is_prefix(before.lines, after.lines)) or _is_continued(before, after):
                yield _altered(before, after)
            continue
        if before.lines != after.lines and not (is_last and _is_prefix(before.lines, after.lines)):
            yield _spacing(before, after.line, before.lines, after.lines)
        elif (is_last and not _is_prefix(before.gap, after.gap)) or (
            not is_last and paired.get(i + 1) == j + 1 and before.gap != after.gap
        ):
            yield _spacing(before, after.last_line + 1, before.gap, after.gap)


def _is_continued(before: TextEntry, after: TextEntry) -> bool:
    """Whether text that only follows the last entry belongs to it: the rest of its last line, or another field."""
    count = len(before.lines)
    last = before.lines[-1]
    if after.lines[count - 1].rstrip(b"\r\n") != last.rstrip(b"\r\n"):
        return True
    return len(after.lines) > count and _FIELD.fullmatch(after.lines[count]) is not None


def _is_prefix(before: tuple[bytes, ...], after: tuple[bytes, ...]) -> bool:
    return b"".join(after).startswith(b"".join(before))


def _altered(before: TextEntry, after: TextEntry) -> Event:
    was, now, offset = _differing(before.lines, after.lines)
    line = min(after.line + offset, after.last_line)
    kind: Kind = "altered"
    if _bare(before.lines) == _bare(after.lines):
        kind = "reformatted"
    elif _is_relinked(before, after):
        kind, was, now = "relinked", before.link, after.link
    return Event(kind, line, line, (before.number,), (before.name,), was, now)


def _is_relinked(before: TextEntry, after: TextEntry) -> bool:
    if len(before.lines) != len(after.lines):
        return False
    changed = [pair for pair in zip(before.lines, after.lines, strict=True) if pair[0] != pair[1]]
    return all(_is_correction(*pair) for pair in changed)


def _spacing(entry: TextEntry, line: int, before: tuple[bytes, ...], after: tuple[bytes, ...]) -> Event:
    was, now, offset = _differing(before, after)
    return Event("spacing", line + offset, line + offset, (entry.number,), (entry.name,), was, now)


def _differing(before: tuple[bytes, ...], after: tuple[bytes, ...]) -> tuple[str, str, int]:
    """The first line that differs, as it was and as it is now ("" where there is none), and its index."""
    pairs = zip(before, after, strict=False)
    index = next((index for index, (was, now) in enumerate(pairs) if was != now), min(len(before), len(after)))
    was, now = (show(lines[index]) if index < len(lines) else "no line" for lines in (before, after))
    return was, now, index


def _inserted(old: Text, new: Text, alignment: _Alignment) -> Iterator[Event]:
    """Runs of new entries that an entry of the base follows."""
    following = sorted((j, i) for i, j in (*alignment.pairs, *alignment.moved))
    for run in _runs(alignment.added):
        behind = next((i for j, i in following if j > run[-1]), None)
        if behind is not None:
            names = tuple(new.entries[j].name for j in run)
            first, last = new.entries[run[0]], new.entries[run[-1]]
            yield Event("inserted", first.line, last.last_line, (behind + 1,), names, "", old.entries[behind].name)


def _deleted(old: Text, new: Text, alignment: _Alignment) -> Iterator[Event]:
    """Runs of entries of the base that are gone; they show at what follows them, else at the end."""
    places = dict(alignment.pairs)
    for run in _runs(alignment.deleted):
        ahead = next((places[i] for i in range(run[0] - 1, -1, -1) if i in places), -1)
        if ahead + 1 < len(new.entries):
            line = new.entries[ahead + 1].line
        else:
            line = new.entries[ahead].last_line if new.entries else 1
        names = tuple(old.entries[i].name for i in run)
        yield Event("deleted", line, line, tuple(i + 1 for i in run), names)


def _runs(indexes: tuple[int, ...]) -> Iterator[list[int]]:
    """Indexes grouped where they follow one another."""
    for _, group in groupby(enumerate(indexes), key=lambda item: item[1] - item[0]):
        yield [index for _, index in group]


# ---- words


def show(line: bytes) -> str:
    """A line as a message quotes it: white space in words, everything else in backquotes, cut where it is long."""
    text = line.decode("utf-8", "replace").removesuffix("\n")
    if not text:
        return "an empty line"
    if not text.strip(" "):
        return f"a line of {len(text)} {'space' if len(text) == 1 else 'spaces'}"
    if not text.strip():
        return f"a line of white space ({text!r})"
    visible = text.strip() if len(text.strip()) <= _SHOWN else f"{text.strip()[: _SHOWN - 1]}…"
    return f"`{visible}`" + (" with white space after it" if text != text.rstrip() else "")


def _readable(line: bytes) -> str:
    return line.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").strip()
