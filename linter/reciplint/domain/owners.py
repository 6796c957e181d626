r"""CODEOWNERS: who owns a file, and whose approval a set of touched files needs.

As GitHub documents: the last matching line decides, patterns are those of `.gitignore` but for negation (`!`),
character ranges (`[ ]`) and an escaped leading `\#`, which do not work there: such a line is skipped, as is one with
a word that is no owner. A line without owners leaves its files with none. `docs/*` holds for the files of that folder
only, not below. Any one owner of a file may approve it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Where GitHub looks, in this order; the first one found holds."""

LARGEST = 3 << 20
"""Bytes; GitHub loads no larger file."""

_OWNER = re.compile(r"@[\w-]+(?:/[\w.-]+)?|[^@\s]+@[^@\s]+\.[^@\s]+", re.ASCII)
_WORDS = re.compile(r"(?:\\.|[^\\\s])+")


class OwnerLine(msgspec.Struct, frozen=True):
    """A line that counts: a pattern and its owners, and where it stands (1-based)."""

    pattern: str
    owners: tuple[str, ...]
    line: int


class Owners(msgspec.Struct, frozen=True):
    """The facts of a CODEOWNERS file. `skipped` are the lines that GitHub cannot use."""

    lines: tuple[OwnerLine, ...]
    skipped: tuple[int, ...] = ()

    def line_of(self, path: str) -> OwnerLine | None:
        """The line that decides about a path; None where none matches."""
        return next((line for line in reversed(self.lines) if _pattern(line.pattern).match(path)), None)

    def owners_of(self, path: str) -> tuple[str, ...]:
        """The owners of a file; () where it has none."""
        line = self.line_of(path)
        return line.owners if line is not None else ()


class Signers(msgspec.Struct, frozen=True):
    """Who may sign for some files: `files` by owner, most files first; `alone` are those who own every owned file;
    `unowned` has no owner, so it asks for nobody's approval."""

    files: dict[str, tuple[str, ...]]
    alone: tuple[str, ...]
    owned: tuple[str, ...]
    unowned: tuple[str, ...]


def read_owners(data: bytes) -> Owners:
    """The lines of a CODEOWNERS file; one over GitHub's limit counts for nothing."""
    if len(data) > LARGEST:
        return Owners(())
    lines, skipped = [], []
    for number, text in enumerate(data.decode("utf-8", "replace").removeprefix("\ufeff").split("\n"), 1):
        words = _words(text)
        if not words:
            continue
        pattern, owners = words[0], words[1:]
        if _is_usable(pattern) and all(map(_OWNER.fullmatch, owners)):
            lines.append(OwnerLine(pattern, tuple(dict.fromkeys(owners)), number))
        else:
            skipped.append(number)
    return Owners(tuple(lines), tuple(skipped))


def signers(owners: Owners, paths: Iterable[str]) -> Signers:
    """Who may sign for these files, one by one and for all."""
    by_path = {path: owners.owners_of(path) for path in sorted(set(paths))}
    by_owner: dict[str, list[str]] = {}
    for path, names in by_path.items():
        for name in names:
            by_owner.setdefault(name, []).append(path)
    owned = tuple(path for path, names in by_path.items() if names)
    ordered = sorted(by_owner.items(), key=lambda item: (-len(item[1]), item[0]))
    return Signers(
        files={name: tuple(files) for name, files in ordered},
        alone=tuple(name for name, files in ordered if len(files) == len(owned)),
        owned=owned,
        unowned=tuple(path for path, names in by_path.items() if not names),
    )


def _words(text: str) -> list[str]:
    """The words of a line, without what follows a word that begins with `#`; a backslash keeps a blank in a word."""
    words: list[str] = _WORDS.findall(text)
    comment = next((index for index, word in enumerate(words) if word.startswith("#")), len(words))
    return words[:comment]


def _is_usable(pattern: str) -> bool:
    return not pattern.startswith(("!", "\\#")) and "[" not in pattern and "***" not in pattern and pattern != "/"


@lru_cache(maxsize=4096)
def _pattern(pattern: str) -> re.Pattern[str]:
    """A pattern as a regular expression on a whole path."""
    segments = pattern.removeprefix("/").removesuffix("/").split("/")
    is_anchored = pattern.startswith("/") or len(segments) > 1
    parts = ["" if is_anchored else "(?:.*/)?"]
    for index, segment in enumerate(segments):
        is_last = index == len(segments) - 1
        if segment == "**":
            parts.append(".+" if is_last else "(?:.*/)?")
        else:
            parts.append(_segment(segment) + ("" if is_last else "/"))
    return re.compile("".join(parts) + _tail(pattern, segments) + r"\Z", re.DOTALL)


def _tail(pattern: str, segments: Sequence[str]) -> str:
    """What may follow: everything below for a folder, also where a name could be one; nothing after `folder/*`."""
    if pattern.endswith("/"):
        return "" if segments[-1] == "**" else "/.+"
    if segments[-1] == "**" or (segments[-1] == "*" and (len(segments) > 1 or pattern.startswith("/"))):
        return ""
    return "(?:/.+)?"


def _segment(segment: str) -> str:
    parts = []
    for piece in re.findall(r"\\.|\*+|\?|[^\\*?]+|\\", segment, re.DOTALL):
        if piece.startswith("*"):
            parts.append("[^/]*")
        elif piece == "?":
            parts.append("[^/]")
        else:
            parts.append(re.escape(piece[1:] if len(piece) == 2 and piece[0] == "\\" else piece))
    return "".join(parts)
