"""Which lines of the head can carry a comment: those of the hunks that GitHub shows, added and context alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([abfnrtv\"\\]|[0-7]{3})")
_LETTERS = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


@dataclass(frozen=True)
class Hunk:
    """The lines of the head that a hunk shows, from the line `start`."""

    start: int
    lines: tuple[str, ...]

    @property
    def end(self) -> int:
        """The last line."""
        return self.start + len(self.lines) - 1


@dataclass(frozen=True)
class DiffMap:
    """Every path that a change touches, old and new names, with the hunks of those that have any."""

    hunks: Mapping[str, tuple[Hunk, ...]] = field(default_factory=dict)
    paths: frozenset[str] = frozenset()

    def touches(self, path: str) -> bool:
        """Whether the change touches the file."""
        return path in self.paths or path in self.hunks

    def hunk_at(self, path: str, line: int) -> Hunk | None:
        """The hunk that shows a line of the head; None where none does."""
        return next((hunk for hunk in self.hunks.get(path, ()) if hunk.start <= line <= hunk.end), None)

    def line_within(self, path: str, first: int, last: int) -> int | None:
        """The first line from `first` to `last` that can carry a comment."""
        lines = (
            max(first, hunk.start) for hunk in self.hunks.get(path, ()) if hunk.start <= last and first <= hunk.end
        )
        return min(lines, default=None)


def from_git(text: str) -> DiffMap:
    """The map of a `git diff` without colour, with the prefixes `a/` and `b/`."""
    hunks: dict[str, tuple[Hunk, ...]] = {}
    paths: set[str] = set()
    path = ""
    lines = iter(text.split("\n"))
    for line in lines:
        if line.startswith("diff --git "):
            path = ""
            paths.update(_header_paths(line))
        elif line.startswith(("--- ", "+++ ", "rename from ", "rename to ")):
            named = _named(line)
            if named:
                paths.add(named)
            if line.startswith("+++ "):
                path = named
        elif found := _HUNK.match(line):
            hunk = _hunk(found, lines)
            if path and hunk.lines:
                hunks[path] = (*hunks.get(path, ()), hunk)
    return DiffMap(hunks, frozenset(paths))


def from_patches(files: Iterable[tuple[str, str, str | None]]) -> DiffMap:
    """The map of what the files endpoint gives: name, former name or "", patch (none where it is too large)."""
    hunks: dict[str, tuple[Hunk, ...]] = {}
    paths: set[str] = set()
    for path, former, patch in files:
        paths.update(filter(None, (path, former)))
        lines = iter((patch or "").split("\n"))
        shown = tuple(_hunk(found, lines) for line in lines if (found := _HUNK.match(line)))
        if any(hunk.lines for hunk in shown):
            hunks[path] = tuple(hunk for hunk in shown if hunk.lines)
    return DiffMap(hunks, frozenset(paths))


def _hunk(header: re.Match[str], lines: Iterator[str]) -> Hunk:
    """The hunk below a header. Its lines are counted, so that a changed line may look like a header."""
    old, new = (int(size) if size is not None else 1 for size in (header[1], header[3]))
    shown: list[str] = []
    while old or new:
        line = next(lines, None)
        if line is None:
            break
        if line.startswith("+"):
            new -= 1
        elif line.startswith("-"):
            old -= 1
            continue
        elif line.startswith("\\"):
            continue
        else:  # some tools drop the blank of an empty context line
            old, new = old - 1, new - 1
        shown.append(line[1:])
    return Hunk(int(header[2]), tuple(shown))


def _named(line: str) -> str:
    """The path of a header line; "" for `/dev/null`."""
    is_plain = line.startswith("rename ")
    name = line.split(" ", 2)[2] if is_plain else line[4:]
    name = name.removesuffix("\t")  # git puts a tab behind a name with blanks
    name = _unquoted(name) if name.startswith('"') else name
    return name if is_plain else "" if name == "/dev/null" else name[2:]


def _header_paths(line: str) -> Iterator[str]:
    """The path of `diff --git a/X b/X`: files without hunks have no other line that names them."""
    rest = line.removeprefix("diff --git ")
    half = rest[: len(rest) // 2]
    if len(rest) % 2 and rest[len(rest) // 2] == " ":
        one, other = (_unquoted(part) if part.startswith('"') else part for part in (half, rest[len(half) + 1 :]))
        if one[2:] == other[2:]:
            yield one[2:]


def _unquoted(name: str) -> str:
    data = name[1:-1].encode("utf-8", "surrogateescape")
    plain = _ESCAPE.sub(lambda found: _LETTERS.get(found[1]) or _byte(found[1]), data)
    return plain.decode("utf-8", "surrogateescape")


def _byte(code: bytes) -> bytes:
    return bytes([int(code, 8) & 0xFF]) if code.isdigit() else code
