"""Items of a list: taken out, and split into several."""

from __future__ import annotations

import re
from typing import Any

from reciplint.yamltree.edit_flow import flow_removal, refuse_several_lines
from reciplint.yamltree.edit_places import ends_at, extent, in_flow, line_break, lines_of, locate, whole_lines, writable
from reciplint.yamltree.edit_spelling import spell_text
from reciplint.yamltree.edit_values import with_items
from reciplint.yamltree.replacing import ITEMS, Change, Edit, Path, Reach, Refused, View
from reciplint.yamltree.tree import Sequence, Tree

_DASH = re.compile(r"[ \t]*-[ \t]+\Z")


class SplitItem(Change, frozen=True, tag="split-item"):
    """Put several items of text in the place of one item of a list, each in the quotes that stand there."""

    pointer: Path
    items: tuple[str, ...]

    def edits(self, tree: Tree) -> list[Edit]:
        """The item, with the others behind it on its line in flow, else on lines of their own."""
        node = writable(tree, self.pointer)
        parent = locate(tree, self.pointer[:-1])
        if not isinstance(parent, Sequence) or node.anchor is not None:
            raise Refused("it is no item of its own")
        flow = in_flow(tree, self.pointer)
        texts = [spell_text(item, node.style, flow) for item in self.items]
        if flow:
            return [Edit(node.start, node.end, ", ".join(texts))]
        dash = tree.text[tree.text.rfind("\n", 0, node.start) + 1 : node.start]
        if not _DASH.match(dash):
            raise Refused("something else stands on its line")
        return [Edit(node.start, node.end, f"{line_break(tree)}{dash}".join(texts))]

    def reach(self, before: Tree) -> Reach:
        """The lines of the item."""
        return lines_of(before, *ends_at(before, self.pointer))

    def values(self, before: Tree, value: Any, view: View) -> list[Any]:
        """The items in the place of the one."""
        return [with_items(value, self.pointer, self.items)]

    @property
    def turn(self) -> tuple[int, Any]:
        """The last items first."""
        return ITEMS, latest_first(self.pointer)


def drop_item(tree: Tree, path: Path) -> Edit:
    """Removes an item of a list, with its lines in block style; other items stay. Raises `Refused`."""
    parent, node = locate(tree, path[:-1]), locate(tree, path)
    if not isinstance(parent, Sequence) or len(parent.items) == 1:
        raise Refused("it is no item that can be taken out")
    if parent.flow:
        refuse_several_lines(tree, path)
        return flow_removal(tree, parent, int(path[-1]))
    if getattr(node, "anchor", None):
        raise Refused("something else stands on its line")
    return whole_lines(tree, node.start, node.end, mark="-")


def item_reach(tree: Tree, path: Path) -> Reach:
    """The lines that the removal of an item may touch, those of the item before it too in flow. Raises `Refused`."""
    parent, index = locate(tree, path[:-1]), path[-1]
    if not isinstance(parent, Sequence) or not isinstance(index, int):
        raise Refused("it is no item that can be taken out")
    return lines_of(tree, *extent(parent, index - parent.flow, index))


def latest_first(path: Path) -> list[tuple[bool, Any]]:
    """Sorts paths so that an item comes before all that its going would move, and after what stands in it."""
    return [*((True, -part) if isinstance(part, int) else (False, part) for part in path), (True, 1)]
