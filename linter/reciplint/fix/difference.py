"""The change of a file, as `git diff` shows it."""

from __future__ import annotations

import difflib
import re

_UNQUOTED = re.compile('["\\\\\x00-\x1f\x7f\udc80-\udcff]')


def unified_diff(path: str, before: bytes | None, after: bytes) -> str:
    """The change of a file as `git diff` shows it; `before` is None for a new one."""
    old, new = _lines(before or b""), _lines(after)
    source = _name(f"a/{path}") if before is not None else "/dev/null"
    lines = []
    for line in difflib.unified_diff(old, new, source, _name(f"b/{path}")):
        lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)


def _lines(data: bytes) -> list[str]:
    """The lines of a text, split at LF and nowhere else: what is left would be no patch."""
    return [line for line in re.split("(?<=\n)", data.decode("utf-8")) if line]


def _name(path: str) -> str:
    """A path as git writes it in a patch: quoted where a line could not hold it as it is."""
    if not _UNQUOTED.search(path):
        return path
    return '"' + _UNQUOTED.sub(lambda found: _octal(found[0]), path) + '"'


def _octal(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))
