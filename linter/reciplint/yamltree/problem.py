"""Why a text cannot be read, and the limits that keep a hostile one from hurting."""

from __future__ import annotations

import msgspec

from reciplint.yamltree.spans import FILE_START, Span


class Limits(msgspec.Struct, frozen=True):
    """How much is read: bytes of a file, levels of nesting, nodes once every alias is expanded."""

    file_bytes: int = 1 << 20
    depth: int = 100
    expanded_nodes: int = 1_000_000


DEFAULT_LIMITS = Limits()


class Problem(msgspec.Struct, frozen=True):
    """What is wrong and where. `kind` is one of syntax, bad-bytes, too-large, too-deep, unknown-alias,
    alias-cycle, alias-expansion, and decides which `arguments` there are."""

    kind: str
    span: Span
    arguments: dict[str, str | int]

    @staticmethod
    def at_start(kind: str, **arguments: str | int) -> Problem:
        """A problem of the file as a whole."""
        return Problem(kind, FILE_START, dict(arguments))


class Unreadable(Exception):
    """The text has no tree."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.kind)
        self.problem = problem
