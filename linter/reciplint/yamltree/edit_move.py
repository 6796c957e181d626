"""Entries of a mapping in another order."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from reciplint.yamltree.edit_blocks import Block, entry_block
from reciplint.yamltree.edit_flow import pieces, refuse_several_lines
from reciplint.yamltree.edit_places import extent, line_break, lines_around, one_document, parent_of, position_of
from reciplint.yamltree.edit_values import moved
from reciplint.yamltree.replacing import Change, Edit, Path, Reach, Refused, View
from reciplint.yamltree.tree import Mapping, Tree


class MoveEntry(Change, frozen=True, tag="move-entry"):
    """Move the entry at the end of `pointer` behind the key `beside` of the same mapping, or with `before` before it.
    Its comments go with it: those behind it, and those alone on the lines above."""

    pointer: Path
    beside: str
    before: bool = False

    def edits(self, tree: Tree) -> list[Edit]:
        """The lines taken out and put in; in flow, the stretch in which the order changes."""
        one_document(tree)
        parent, name = parent_of(tree, self.pointer)
        refuse_several_lines(tree, self.pointer[:-1])
        for key in (name, self.beside):
            if sum(entry.name == key for entry in parent.entries) > 1:
                raise Refused(f"{key} stands there twice")
        start, place = position_of(parent, name), self._index(parent)
        if place in (start, start + 1):
            return []
        if parent.flow:
            return [_in_flow(tree, parent, start, place)]
        return _in_block(tree, entry_block(tree, parent, start), self._target(tree, parent))

    def reach(self, before: Tree) -> Reach:
        """From where it stood to where it comes to stand, with what is theirs."""
        parent, name = parent_of(before, self.pointer)
        start, place = position_of(parent, name), self._index(parent)
        return lines_around(before, *extent(parent, min(start, place), max(start, place - 1)))

    def values(self, before: Tree, value: Any, view: View) -> list[Any]:
        """The same keys in the new order."""
        parent, _ = parent_of(before, self.pointer)
        return [moved(value, self.pointer, parent, self._index(parent))]

    def _index(self, parent: Mapping) -> int:
        """How many entries, itself among them, then stand before it."""
        return position_of(parent, self.beside) + (not self.before)

    def _target(self, tree: Tree, parent: Mapping) -> tuple[int, bool]:
        """Where the lines go, and whether those there begin behind a dash."""
        block = entry_block(tree, parent, position_of(parent, self.beside))
        return (block.start if self.before else block.end), self.before and block.behind_dash


def _in_flow(tree: Tree, parent: Mapping, start: int, place: int) -> Edit:
    """The stretch from the first entry that moves to the last, what stands between them left where it is."""
    standing = pieces(tree, parent)
    order = list(range(len(standing)))
    order.insert(place - (place > start), order.pop(start))
    first, last = min(start, place), max(start, place - 1)
    texts = [tree.text[begin:end] for begin, end in (standing[index] for index in order[first : last + 1])]
    gaps = [tree.text[one[1] : other[0]] for one, other in pairwise(standing[first : last + 1])]
    return Edit(standing[first][0], standing[last][1], "".join(map("".join, zip(texts, [*gaps, ""], strict=True))))


def _in_block(tree: Tree, block: Block, target: tuple[int, bool]) -> list[Edit]:
    """The lines taken out at one place and put in at another, so that a file without a line break at its end still has
    none."""
    position, behind_dash = target
    if block.behind_dash or behind_dash:
        raise Refused("the first entry stands behind a dash")
    text, written = tree.text, tree.text[block.start : block.end]
    if not written.endswith("\n"):
        end = len(text[: block.start].rstrip("\r\n"))
        return [Edit(end, block.end, ""), Edit(position, position, f"{written}{line_break(tree)}")]
    if position == len(text) and not text.endswith("\n"):
        written = f"{line_break(tree)}{written.removesuffix(chr(10)).removesuffix(chr(13))}"
    return [Edit(block.start, block.end, ""), Edit(position, position, written)]
