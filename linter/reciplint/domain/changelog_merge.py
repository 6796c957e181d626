"""Merge two changelogs: the base branch's bytes exactly, then the entries that only this branch has, once each.

History belongs to the base branch: what this branch did to it is dropped and told, but for a pure correction of links.
A text with conflict markers stands for both of its sides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from reciplint.domain.changelog_bytes import LINK, Event, Text, TextEntry, compare, split
from reciplint.domain.changelog_entry import appended
from reciplint.domain.reading import canonical
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.problem import Unreadable
from reciplint.yamltree.scalars import load
from reciplint.yamltree.tree import Sequence

_MARKER = re.compile(rb"(<{7}|\|{7}|>{7})(?: .*)?|={7}", re.DOTALL)
_SIDES = {b"<<<<<<<": "ours", b"|||||||": "base", b"=======": "theirs", b">>>>>>>": "both"}
_AFTER = {"both": ("ours",), "ours": ("base", "theirs"), "base": ("theirs",), "theirs": ("both",)}


class NotMerged(Exception):
    """A merge that would have to guess; the text is for people."""


class Sides(NamedTuple):
    """The two sides of a text with conflict markers, and the base if it stands there (diff3)."""

    ours: bytes
    base: bytes | None
    theirs: bytes


@dataclass(frozen=True)
class Merged:
    """The result, the names of the entries that were appended, and what this branch did to history that was dropped."""

    data: bytes
    appended: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def merge(base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """Theirs with the entries of ours that the base lacks. Raises `NotMerged`."""
    upstream = read_sides(theirs)
    if upstream is not None:
        raise NotMerged("the base branch's changelog holds conflict markers itself; repair it there first")
    bases = _texts(base)
    sides = [_added(bases, side) for side in _texts(ours)]
    present = _Present(_added(bases, theirs).entries)
    new: dict[str, _Own] = {}
    for own in (own for side in sides for own in side.entries):
        if own not in present:
            new.setdefault(own.meaning, own)
    data, lost = _corrected(bases[-1], theirs, sides)
    text = _decoded(data)
    merged = appended(text, [own.text for own in new.values()]).encode() if new else data
    _prove(data, merged, list(new.values()))
    told = dict.fromkeys(told for side in sides for told in side.events)
    return Merged(merged, tuple(own.name for own in new.values()), (*told, *lost))


def merge_markers(text: bytes, upstream: str = "theirs") -> Merged:
    """A text with conflict markers, resolved; `upstream` names the side whose bytes stand, `ours` or `theirs`.

    Without the base between the markers, whatever of the upstream side goes up to the last entry that both have is
    taken for it.
    """
    sides = read_sides(text)
    if sides is None:
        raise NotMerged("there are no conflict markers")
    ours, theirs = (sides.ours, sides.theirs) if upstream == "theirs" else (sides.theirs, sides.ours)
    if sides.base is not None:
        return merge(sides.base, ours, theirs)
    return merge(_guessed_base(split(ours), split(theirs)), ours, theirs)


def read_sides(data: bytes) -> Sides | None:
    """The sides of a text with conflict markers; None where it has none. Raises `NotMerged` for incomplete ones."""
    if b"<<<<<<<" not in data:
        return None
    parts: dict[str, list[bytes]] = {"ours": [], "base": [], "theirs": []}
    now, found, has_base = "both", False, False
    for number, line in enumerate(re.split(rb"(?<=\n)", data), 1):
        match = _MARKER.fullmatch(line.rstrip(b"\r\n"))
        if match is None or (now == "both" and match[1] != b"<<<<<<<"):
            for name in parts if now == "both" else (now,):
                parts[name].append(line)
            continue
        following = _SIDES[line[:7]]
        if following not in _AFTER[now]:
            raise NotMerged(f"line {number}: the conflict marker {line[:7].decode()} is out of place")
        now, found, has_base = following, True, has_base or following == "base"
    if now != "both":
        raise NotMerged("the last conflict has no end (`>>>>>>>`)")
    ours, base, theirs = (b"".join(parts[name]) for name in ("ours", "base", "theirs"))
    return Sides(ours, base if has_base else None, theirs) if found else None


def _texts(data: bytes) -> list[bytes]:
    sides = read_sides(data)
    return [data] if sides is None else [sides.ours, sides.theirs]


def _guessed_base(ours: Text, theirs: Text) -> bytes:
    mine, other = ([entry.content for entry in text.entries] for text in (ours, theirs))
    blocks = [block for block in SequenceMatcher(None, mine, other, autojunk=False).get_matching_blocks() if block.size]
    end = blocks[-1].b + blocks[-1].size if blocks else 0
    kept = theirs.entries[:end]
    lines = [line for entry in kept for line in (*entry.lines, *(entry.gap if entry is not kept[-1] else ()))]
    return b"".join((*theirs.preamble, *lines))


# ---- the entries of a branch


class _Own(NamedTuple):
    """An entry that a branch added: its text, what people call it, its meaning, and that without the link."""

    text: str
    name: str
    meaning: str
    statement: str
    has_link: bool


class _Side(NamedTuple):
    """What a side did: entries added, history altered (in words), links corrected (old entry → its new lines)."""

    entries: list[_Own]
    events: list[str]
    corrections: list[tuple[TextEntry, TextEntry]]


class _Present:
    """The entries that the base branch added. One is the same as ours if only a link that is still open differs."""

    def __init__(self, entries: Iterable[_Own]) -> None:
        self._meanings = set()
        self._statements: dict[str, bool] = {}
        for own in entries:
            self._meanings.add(own.meaning)
            self._statements[own.statement] = own.has_link

    def __contains__(self, own: object) -> bool:
        if not isinstance(own, _Own):
            return False
        if own.meaning in self._meanings:
            return True
        return own.statement in self._statements and not (own.has_link and self._statements[own.statement])


def _added(bases: list[bytes], side: bytes) -> _Side:
    _decoded(side)
    found = compare(bases[-1], side)
    known = {entry.content for data in bases[:-1] for entry in split(data).entries}
    entries = found.head.entries
    own = [
        _own(entries, index)
        for index, entry in enumerate(entries)
        if entry.line in found.added and entry.content not in known
    ]
    corrections = [
        (was, now)
        for was, now in zip(found.base.entries, entries, strict=False)
        if any(now.line <= line <= now.last_line for line in found.corrections)
    ]
    intact = len(bases) > 1 or side.startswith(bases[-1])
    return _Side(own, [] if intact else [in_words(e) for e in found.events if e.kind != "inserted"], corrections)


def _own(entries: tuple[TextEntry, ...], index: int) -> _Own:
    entry = entries[index]
    lines = _without_last_comments(entry.lines) if index + 1 < len(entries) else entry.lines
    before = entries[index - 1].lines if index else ()
    comment = [line for line in before[len(_without_last_comments(before)) :] if line.strip()]
    text = b"".join((*comment, *lines)).decode().rstrip("\r\n")
    value = _value(text, entry)
    link = value.get("pr-link")
    return _Own(
        text=text,
        name=", ".join(map(str, value.get("config-keys") or ())) or entry.name,
        meaning=canonical(value),
        statement=canonical({name: item for name, item in value.items() if name != "pr-link"}),
        has_link=isinstance(link, str) and LINK.fullmatch(link) is not None,
    )


def _without_last_comments(lines: tuple[bytes, ...]) -> tuple[bytes, ...]:
    end = len(lines)
    while end and lines[end - 1].startswith(b"#"):
        end -= 1
    while end < len(lines) and end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _value(text: str, entry: TextEntry) -> dict[str, Any]:
    try:
        value: Any = load(parse_text(text).root)
    except Unreadable as error:
        reason = error.problem.arguments.get("reason", error.problem.kind)
        raise NotMerged(f"the entry at line {entry.line} cannot be read alone: {reason}") from None
    if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], dict):
        raise NotMerged(f"what begins at line {entry.line} is no changelog entry")
    return value[0]


# ---- the base branch's text


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise NotMerged(f"line {line} holds bytes that are not UTF-8") from None


def _corrected(base: bytes, theirs: bytes, sides: list[_Side]) -> tuple[bytes, list[str]]:
    """The base branch's bytes with the links that a side corrected (and did nothing else), and corrections lost."""
    wanted = [pair for side in sides for pair in side.corrections]
    if not wanted:
        return theirs, []
    text = split(theirs)
    places = {entry.lines: entry for entry in text.entries}
    lines = re.split(rb"(?<=\n)", theirs)
    lost = []
    for was, now in wanted:
        place = places.get(was.lines)
        if place is not None:
            lines[place.line - 1 : place.last_line] = now.lines
        elif now.lines not in places:
            lost.append(f"entry {was.number} ({was.name}): the link was corrected, and the base branch changed it too")
    return b"".join(lines), lost


def _prove(before: bytes, after: bytes, new: list[_Own]) -> None:
    """Raise `NotMerged` unless the result is read as the base branch's entries followed by the new ones."""
    try:
        items, merged = _items(before), _items(after)
    except Unreadable as error:
        reason = error.problem.arguments.get("reason", error.problem.kind)
        raise NotMerged(f"the merged text would not be readable: line {error.problem.span.line}: {reason}") from None
    if merged[: len(items)] != items or merged[len(items) :] != [own.meaning for own in new]:
        raise NotMerged("entries cannot be appended to the base branch's text as it is written")
    if len(merged) != len(split(after).entries):
        raise NotMerged("entries do not begin with a dash in the first column")


def _items(data: bytes) -> list[str]:
    tree = parse_text(_decoded(data))
    if len(tree.documents) > 1:
        raise NotMerged("the base branch's changelog has several documents")
    root = tree.root
    if root is None:
        return []
    if not isinstance(root, Sequence) or root.flow:
        raise NotMerged("the base branch's changelog is no list with one entry after another")
    return [canonical(load(item)) for item in root.items]


# ---- what was dropped, in words

_WORDS = {
    "deleted": "deleted",
    "altered": "altered",
    "reformatted": "written in another way",
    "relinked": "given another link",
    "moved": "moved",
    "spacing": "given other white space",
    "line-ends": "given other line ends",
}


def in_words(event: Event) -> str:
    """What happened to history, as a sentence without a subject."""
    names = ", ".join(event.names)
    if event.kind == "line-ends":
        return "every line end was changed"
    if not event.numbers:
        return f"{names or 'history'} was {_WORDS[event.kind]}"
    word = "entry" if len(event.numbers) == 1 else "entries"
    numbers = str(event.numbers[0]) if len(event.numbers) == 1 else f"{event.numbers[0]}–{event.numbers[-1]}"
    return f"{word} {numbers} ({names}) {'was' if len(event.numbers) == 1 else 'were'} {_WORDS[event.kind]}"
