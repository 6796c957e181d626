"""New entries and items, in the place and the manner of those beside them."""

from __future__ import annotations

from typing import Any

from reciplint.yamltree.edit_blocks import entry_block, last_item, new_lines
from reciplint.yamltree.edit_flow import flow_insertion, refuse_several_lines
from reciplint.yamltree.edit_habits import NewValue, habit_at, loaded, spell_entry, spell_key, spell_value
from reciplint.yamltree.edit_places import (
    extent,
    line_break,
    lines_around,
    locate,
    one_document,
    parent_of,
    position_of,
)
from reciplint.yamltree.edit_values import altered, with_entry
from reciplint.yamltree.replacing import Change, Edit, Path, Reach, Refused, View
from reciplint.yamltree.tree import MERGE, Alias, Mapping, Sequence, Tree


class InsertEntry(Change, frozen=True, tag="insert-entry"):
    """Write a new key, at the end of `pointer`, with its value in a mapping: behind the key `beside` of the same
    mapping, or with `before` before it; without one at the mapping's end, or its beginning."""

    pointer: Path
    value: NewValue
    beside: str | None = None
    before: bool = False

    def edits(self, tree: Tree) -> list[Edit]:
        """Lines of its own, or a stretch of the line that a flow mapping stands on."""
        one_document(tree)
        parent, name = parent_of(tree, self.pointer)
        if name == MERGE or any(entry.name == name for entry in parent.entries):
            raise Refused(f"{name} already stands there")
        if name in parent.effective():
            raise Refused(f"{name} is merged in there")
        refuse_several_lines(tree, self.pointer[:-1])
        index, habit = self._index(parent), habit_at(tree, parent)
        if parent.flow:
            text = f"{spell_key(name, habit, True)}: {spell_value(self.value, habit, True)}"
            return [flow_insertion(tree, parent, index, text)]
        lines = spell_entry(name, self.value, habit)
        following = self.before or not index
        block = entry_block(tree, parent, index if following else index - 1)
        if following and block.behind_dash:
            start = parent.entries[index].key.start
            return [Edit(start, start, "".join(f"{line}{line_break(tree)}{block.indent}" for line in lines))]
        lines = [f"{block.indent}{line}" for line in lines]
        return [new_lines(tree, block.start if following else block.end, lines)]

    def reach(self, before: Tree) -> Reach:
        """The lines of those between which it comes to stand, with what is theirs."""
        parent, _ = parent_of(before, self.pointer)
        index = self._index(parent)
        return lines_around(before, *extent(parent, index - 1, index))

    def values(self, before: Tree, value: Any, view: View) -> list[Any]:
        """The new key in its place among the others."""
        parent, _ = parent_of(before, self.pointer)
        return [with_entry(value, self.pointer, loaded(self.value), parent, self._index(parent))]

    def _index(self, parent: Mapping) -> int:
        """The number that the new entry gets."""
        if self.beside is None:
            return 0 if self.before else len(parent.entries)
        return position_of(parent, self.beside) + (not self.before)


class AppendItem(Change, frozen=True, tag="append-item"):
    """Write a new item at the end of the list at `pointer`; one that is a mapping or list itself on one line."""

    pointer: Path
    value: NewValue

    def edits(self, tree: Tree) -> list[Edit]:
        """A line of its own, or a stretch of the line that a flow list stands on."""
        one_document(tree)
        parent = self._list(tree)
        refuse_several_lines(tree, self.pointer)
        text = spell_value(self.value, habit_at(tree, parent), parent.flow)
        if parent.flow:
            return [flow_insertion(tree, parent, len(parent.items), text)]
        dash, end = last_item(tree, parent)
        return [new_lines(tree, end, [f"{dash}{text}"])]

    def reach(self, before: Tree) -> Reach:
        """The lines of the last item, with what is its own."""
        parent = self._list(before)
        last = len(parent.items) - 1
        return lines_around(before, *extent(parent, last, last))

    def values(self, before: Tree, value: Any, view: View) -> list[Any]:
        """One item more."""
        return [altered(value, self.pointer, lambda items: [*items, loaded(self.value)])]

    def _list(self, tree: Tree) -> Sequence:
        node = locate(tree, self.pointer)
        if isinstance(node, Alias):
            raise Refused(f"it is written as the alias *{node.name}")
        if not isinstance(node, Sequence):
            raise Refused("no list there")
        return node
