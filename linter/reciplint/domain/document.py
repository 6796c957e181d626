"""One file as the rules see it."""

from __future__ import annotations

from functools import cached_property

import msgspec

from reciplint.repo.kinds import Kind
from reciplint.yamltree.problem import DEFAULT_LIMITS, Limits, Problem, Unreadable
from reciplint.yamltree.tree import Tree


class Document(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A file's path, kind and bytes; parsed once, on first use. Exactly one of `tree` and `problem` is set. Equal to
    itself alone, so that what is remembered of it is found without a look at its bytes.

    `size` is given where the file was too large to be read: then `data` is empty.
    """

    path: str
    kind: Kind
    data: bytes
    size: int | None = None
    limits: Limits = DEFAULT_LIMITS

    @cached_property
    def _parsed(self) -> Tree | Problem:
        if self.size is not None and self.size > len(self.data):
            return Problem.at_start("too-large", size=self.size, limit=self.limits.file_bytes)
        from reciplint.yamltree.parse import parse  # brings in PyYAML, which a run from the cache can do without

        try:
            return parse(self.data, self.limits)
        except Unreadable as unreadable:
            return unreadable.problem

    @cached_property
    def tree(self) -> Tree | None:
        """The tree; None where the text has none."""
        return None if isinstance(self._parsed, Problem) else self._parsed

    @property
    def problem(self) -> Problem | None:
        """Why there is no tree."""
        return self._parsed if isinstance(self._parsed, Problem) else None
