"""Entries of a mapping: renamed, taken out, written once."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from reciplint.yamltree.edit_items import drop_item, item_reach, latest_first
from reciplint.yamltree.edit_places import extent, lines_of, parent_of, position_of, whole_lines
from reciplint.yamltree.edit_values import moved, with_key, without
from reciplint.yamltree.replacing import IN_PLACE, ITEMS, Change, Edit, Path, Reach, Refused, View
from reciplint.yamltree.scalars import scalar_value
from reciplint.yamltree.tree import Mapping, Scalar, Sequence, Tree, target

_PLAIN_KEY = re.compile(r"[A-Za-z_][\w.-]*\Z", re.ASCII)


class RenameKey(Change, frozen=True, tag="rename-key"):
    """Spell a key anew: the key at the end of `pointer`, its last occurrence if it stands there twice."""

    pointer: Path
    new: str

    def edits(self, tree: Tree) -> list[Edit]:
        """The key alone, in the quotes that it has."""
        parent, old = parent_of(tree, self.pointer)
        if any(entry.name == self.new for entry in parent.entries):
            raise Refused(f"{self.new} already stands in the same mapping")
        key = next((entry.key for entry in reversed(parent.entries) if entry.name == old), None)
        if not isinstance(key, Scalar) or key.style not in ("", "'", '"'):
            raise Refused(f"{old} is not written as a plain key")
        if not _PLAIN_KEY.match(self.new):
            raise Refused(f"{self.new} would need quotes")
        return [Edit(key.start, key.end, f"{key.style}{self.new}{key.style}")]

    def reach(self, before: Tree) -> Reach:
        """The lines of the key."""
        parent, old = parent_of(before, self.pointer)
        key = parent.entries[position_of(parent, old)].key
        return lines_of(before, key.start, key.end)

    def values(self, before: Tree, value: Any, view: View) -> list[Any]:
        """The same under the new key."""
        return [with_key(value, self.pointer, self.new)]


class DropDuplicate(Change, frozen=True, tag="drop-duplicate"):
    """Remove every occurrence of the key at the end of `pointer` but the last, which is the one that counts."""

    pointer: Path

    def edits(self, tree: Tree) -> list[Edit]:
        """The lines of every occurrence but the last."""
        parent, name = parent_of(tree, self.pointer)
        entries = [entry for entry in parent.entries if entry.name == name and not entry.is_merge]
        if len(entries) < 2:
            raise Refused(f"{name} stands there once")
        if parent.flow:
            raise Refused("a flow mapping is edited by hand")
        if len({type(scalar_value(key)) for entry in entries if isinstance(key := target(entry.key), Scalar)}) > 1:
            raise Refused(f"{name} is text once and a value another time")
        edits = []
        for entry in entries[:-1]:
            if isinstance(entry.value, (Mapping, Sequence)) or getattr(entry.value, "anchor", None):
                raise Refused(f"the first {name} is a collection or holds an anchor")
            edits.append(whole_lines(tree, entry.key.start, entry.value.end))
        return edits

    def reach(self, before: Tree) -> Reach:
        """From the first occurrence to the last."""
        parent, name = parent_of(before, self.pointer)
        standing = [entry for entry in parent.entries if entry.name == name]
        return lines_of(before, standing[0].key.start, standing[-1].key.end)

    def values(self, before: Tree, value: Any, view: View) -> list[Any]:
        """The same, where the key may stand later among the others: where its last occurrence does."""
        parent, name = parent_of(before, self.pointer)
        return [value, moved(value, self.pointer, parent, position_of(parent, name))]


class DropEntry(Change, frozen=True, tag="drop-entry"):
    """Remove a key with its value, or an item of a list; others stay beside it."""

    pointer: Path

    def edits(self, tree: Tree) -> list[Edit]:
        """Whole lines, or the stretch up to the entry beside it."""
        if self._is_item:
            return [drop_item(tree, self.pointer)]
        parent, name = parent_of(tree, self.pointer)
        index = position_of(parent, name)
        if len(parent.entries) == 1:
            raise Refused(f"{name} is the only entry")
        entry = parent.entries[index]
        if not parent.flow:
            with suppress(Refused):
                return [whole_lines(tree, entry.key.start, entry.value.end)]
        return [_drop_beside(tree, parent, index)]

    def reach(self, before: Tree) -> Reach:
        """Its lines, up to what stands beside it."""
        if self._is_item:
            return item_reach(before, self.pointer)
        parent, name = parent_of(before, self.pointer)
        index = position_of(parent, name)
        beside = parent.entries[index + 1 :]
        start, end = extent(parent, index - parent.flow, index)
        return lines_of(before, start, beside[0].key.start if beside else end)

    def values(self, before: Tree, value: Any, view: View) -> list[Any]:
        """All but what it drops."""
        return [without(value, self.pointer)]

    @property
    def turn(self) -> tuple[int, Any]:
        """The last items first."""
        return (ITEMS, latest_first(self.pointer)) if self._is_item else (IN_PLACE, ())

    @property
    def _is_item(self) -> bool:
        return bool(self.pointer) and isinstance(self.pointer[-1], int)


def _drop_beside(tree: Tree, parent: Mapping, index: int) -> Edit:
    """Removes an entry that shares its line with the one behind or, in flow, before it."""
    entry = parent.entries[index]
    around = parent.entries[max(index - 1, 0) : index + 2]
    if any(getattr(node, "anchor", None) for beside in around for node in beside):
        raise Refused("an anchor stands there")
    if index + 1 < len(parent.entries):
        following = parent.entries[index + 1]
        return _drop_up_to(tree, entry.key.start, entry.value.end, following.key.start, following.key.start)
    before = parent.entries[index - 1]
    if not parent.flow:
        raise Refused("something else stands on its line")
    return _drop_up_to(tree, before.value.end, before.value.end, entry.key.start, entry.value.end)


def _drop_up_to(tree: Tree, start: int, gap_start: int, gap_end: int, end: int) -> Edit:
    """Removes a stretch in which the gap holds nothing but the comma and blanks between two entries."""
    if tree.text[gap_start:gap_end].strip() not in ("", ","):
        raise Refused("something else stands beside it")
    return Edit(start, end, "")
