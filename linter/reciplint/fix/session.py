"""Fix a tree: apply, lint again, apply what is left, until nothing changes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from reciplint.fix.apply import apply_operations
from reciplint.rules.finding import Applicability, Finding, Fix
from reciplint.yamltree.edit import Operation

ROUNDS = 10

_UNQUOTED = re.compile('["\\\\\x00-\x1f\x7f\udc80-\udcff]')

Lint = Callable[[dict[str, bytes]], list[Finding]]
"""Findings of the tree with some files replaced."""


@dataclass
class Fixed:
    """Files with new contents, how many fixes went in, and what could not be fixed and why."""

    files: dict[str, bytes] = field(default_factory=dict)
    done: int = 0
    refused: list[str] = field(default_factory=list)


def fix_tree(findings: Iterable[Finding], read: Callable[[str], bytes], lint: Lint, unsafe: bool) -> Fixed:
    """Repair what can be repaired; `read` gives a file as it stands, nothing is written."""
    result = Fixed()
    allowed: set[Applicability] = {"safe", "unsafe"} if unsafe else {"safe"}
    current = list(findings)
    for _ in range(ROUNDS):
        fixes = [item.fix for item in current if item.fix is not None and item.fix.applicability in allowed]
        result.refused = []
        if not any(_apply([fix for fix in fixes if fix.is_last is last], read, result) for last in (False, True)):
            break
        current = lint(result.files)
    return result


def _apply(fixes: Iterable[Fix], read: Callable[[str], bytes], result: Fixed) -> bool:
    """Carry out fixes on what `result` has so far, and add to it what becomes of them; whether a file changed."""
    changed = False
    for path, wanted in sorted(_operations(fixes).items()):
        data = result.files.get(path) or read(path)
        text = data.decode("utf-8")
        applied = apply_operations(text, wanted)
        result.refused += [f"{path}: {reason}" for reason in applied.refused]
        if applied.text != text:
            result.files[path] = applied.text.encode("utf-8")
            result.done += applied.done
            changed = True
    return changed


def _operations(fixes: Iterable[Fix]) -> dict[str, list[Operation]]:
    wanted: dict[str, dict[Operation, None]] = {}
    for fix in fixes:
        for operation in fix.operations:
            wanted.setdefault(operation.path, {})[operation] = None
    return {path: list(operations) for path, operations in wanted.items()}


def unified_diff(path: str, before: bytes, after: bytes) -> str:
    """The change of a file as `git diff` shows it."""
    old, new = _lines(before), _lines(after)
    lines = []
    for line in difflib.unified_diff(old, new, _name(f"a/{path}"), _name(f"b/{path}")):
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
