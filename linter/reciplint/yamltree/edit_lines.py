"""Whole lines: replaced in a file that is a list of entries, as a changelog is, where entries are appended, restored
and set apart, and every other entry stays; and the last one ended.

An operation names the lines as they were seen, so that one that comes too late, after another moved them, is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from reciplint.yamltree.edit_places import line_break, lines_of
from reciplint.yamltree.edit_values import with_value
from reciplint.yamltree.replacing import LINES, Change, Edit, Reach, Refused, View
from reciplint.yamltree.tree import Sequence, Tree


class ReplaceLines(Change, frozen=True, tag="replace-lines"):
    """Put `text` in the place of the lines `first` to `last` (from 1, with their line breaks), which hold `was`. `last`
    0 means the end of the file. Where more than white space differs, the lines begin and end with entries of the
    list."""

    first: int
    last: int
    was: str
    text: str

    def edits(self, tree: Tree) -> list[Edit]:
        """The text to replace, lines that stay left out."""
        found = _range(tree, self)
        was, text = self.was.splitlines(keepends=True), self.text.splitlines(keepends=True)
        head = alike(zip(was, text, strict=False))
        tail = alike(zip(reversed(was[head:]), reversed(text[head:]), strict=False))
        start, end = found[0] + sum(map(len, was[:head])), found[1] - sum(map(len, was[len(was) - tail :]))
        return [Edit(start, end, "".join(text[head : len(text) - tail]))]

    def reach(self, before: Tree) -> Reach:
        """The lines."""
        start, end = _range(before, self)
        return lines_of(before, start, max(start, end - 1))

    def values(self, before: Tree, value: Any, view: View) -> list[Any]:
        """The entries with those of the new lines between them, or the same value where only white space differs."""
        from reciplint.yamltree.parse import parse_text  # brings in PyYAML, which a run from the cache can do without

        if self.only_white_space:
            return [value]
        around = _around(before, *_range(before, self))
        assert around is not None
        new = view(parse_text(self.text).root) or []
        old = value or []
        return [[*old[: around[0]], *new, *old[around[1] :]]]

    def comments(self, before: Tree) -> Counter[str]:
        """All where only white space differs, else those outside of the lines and those of the new ones."""
        from reciplint.yamltree.parse import parse_text

        if self.only_white_space:
            return super().comments(before)
        start, end = _range(before, self)
        kept = (comment.text for comment in before.comments if not start <= comment.start < end)
        return Counter(kept) + Counter(comment.text for comment in parse_text(self.text).comments)

    @property
    def turn(self) -> tuple[int, Any]:
        """Last: told by what stands in the lines."""
        return LINES, ()

    @property
    def only_white_space(self) -> bool:
        """Whether nothing but white space differs."""
        return self.was.split() == self.text.split()


class AppendNewline(Change, frozen=True, tag="append-newline"):
    """End the file with a line break of the kind that the file uses."""

    def edits(self, tree: Tree) -> list[Edit]:
        """The line break, where there is none."""
        end = len(tree.text)
        return [] if not tree.text or tree.text.endswith("\n") else [Edit(end, end, line_break(tree))]

    def reach(self, before: Tree) -> Reach:
        """The last line."""
        return lines_of(before, len(before.text), len(before.text))

    def values(self, before: Tree, value: Any, view: View) -> list[Any]:
        """The same, or with the line break in the block scalar at the end of the file."""
        last = before.scalars[-1] if before.scalars else None
        paths = [(path, node) for path, node in before.walk() if node is last and node.style in ("|", ">")]
        return [value, *(with_value(value, path, f"{node.value}\n") for path, node in paths)]


def alike(pairs: Iterable[tuple[str, str]]) -> int:
    """How many pairs of lines, from the first on, are equal."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _range(tree: Tree, operation: ReplaceLines) -> tuple[int, int]:
    """Where the lines stand: in their place, or, if edits above moved them, in the one place that has them. Raises
    `Refused`."""
    text, was = tree.text, operation.was
    start = tree.lines.offset(operation.first, 1)
    if not text.startswith(was, start):
        start = text.find(f"\n{was}") + 1
        if not start or text.find(f"\n{was}", start) >= 0:
            raise Refused("the lines are no longer what they were")
    end = start + len(was)
    if operation.last == 0 and end != len(text):
        raise Refused("the lines are no longer the last ones")
    if not operation.only_white_space and _around(tree, start, end) is None:
        raise Refused("the lines do not begin and end with entries of a list")
    return start, end


def _around(tree: Tree, start: int, end: int) -> tuple[int, int] | None:
    """How many entries end before an offset, and the first that begins at or after another; None where one lies across
    either, or where the file is no list with one entry after another."""
    root = tree.root
    if root is None:
        return 0, 0
    if not isinstance(root, Sequence) or root.flow or root.anchor:
        return None
    before = sum(item.end <= start for item in root.items)
    after = next((index for index, item in enumerate(root.items) if item.start >= end), len(root.items))
    inside = root.items[before:after]
    return (before, after) if all(start <= item.start and item.end <= end for item in inside) else None
