"""A set of edits to several files that is carried out whole or refused: every operation proved, none left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from reciplint.fix.apply import apply_operations
from reciplint.yamltree.edit import Operation


class NotProposed(Exception):
    """A set of edits of which one cannot be made; the text says which and why."""


def carried_out(operations: Iterable[Operation], read: Callable[[str], bytes]) -> dict[str, bytes]:
    """The files that operations change, with their new contents; `read` gives a file as it stands. Raises
    `NotProposed`."""
    by_path: dict[str, list[Operation]] = {}
    for operation in operations:
        by_path.setdefault(operation.path, []).append(operation)
    files = {}
    for path, wanted in sorted(by_path.items()):
        before = read(path)
        applied = apply_operations(before.decode("utf-8"), wanted)
        if applied.refused:
            raise NotProposed("; ".join(f"{path}: {reason}" for reason in applied.refused.values()))
        after = applied.text.encode("utf-8")
        if after != before:
            files[path] = after
    return files
