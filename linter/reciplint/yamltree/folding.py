"""Two block mappings that repeat each other, folded: what they share is written once, at an anchor.

`<<` cannot take a key away. Where the first mapping has all that the second has not, it is anchored as a whole; else
what both share moves into a mapping of its own under the first one's `<<`, and is anchored there.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from reciplint.yamltree.edit_habits import habit_at
from reciplint.yamltree.edit_places import line_break, lines_around, lines_of, locate, parent_of, position_of
from reciplint.yamltree.edit_values import altered
from reciplint.yamltree.fold_anchors import anchor_name
from reciplint.yamltree.fold_pieces import Folding, Piece, fold_plan
from reciplint.yamltree.replacing import FOLDS, Change, Edit, Path, Reach, View
from reciplint.yamltree.tree import MERGE, Tree


class FoldMap(Change, frozen=True, tag="fold-map"):
    """Write what the mappings at `first` and `second` share once: `&name` there, `<<: *name` and what differs here, or
    `*name` alone where nothing does. The anchor's name ends in `noun`. Keys in `kept`, those that hold one of them, and
    those of the second with a comment that the first has not, stay written in both. The values stay equal; merged keys
    come first."""

    first: Path
    second: Path
    noun: str
    kept: tuple[str, ...] = ()

    def edits(self, tree: Tree) -> list[Edit]:
        """The anchor, or the first mapping's lines, and the lines of the second. Raises `Refused`."""
        plan = fold_plan(tree, self.first, self.second, frozenset(self.kept))
        name = plan.first.anchor or anchor_name(tree, self.first, self.noun)
        if plan.hoisted:
            first = [_hoisted(tree, plan, name)]
        else:
            first = [] if plan.first.anchor else [Edit(plan.first.colon, plan.first.colon, f" &{name}")]
        if plan.whole:
            body = Edit(plan.second.body, plan.second.pieces[-1].end, "")
            return [*first, Edit(plan.second.colon, plan.second.colon, f" *{name}"), body]
        return [*first, _merging(tree, plan, name)]

    def reach(self, before: Tree) -> Reach:
        """From the first one's key to the end of the second, with the comments below it."""
        parent, name = parent_of(before, self.first)
        start = parent.entries[position_of(parent, name)].key.start
        end = locate(before, self.second).end
        return Reach(lines_of(before, start, end).first, lines_around(before, start, end).last)

    def values(self, before: Tree, value: Any, view: View) -> list[Any]:
        """The same, merged keys first; or, to a reader that knows no merge keys, with `<<` as a key."""
        plan = fold_plan(before, self.first, self.second, frozenset(self.kept))
        first = _at(value, self.first)
        shared = {key: first[key] for key in plan.merged}
        return [self._folded(value, plan, shared, is_merged) for is_merged in (True, False)]

    def comments(self, before: Tree) -> Counter[str]:
        """All but those of the second that stand in the first as well and go with what is folded."""
        plan = fold_plan(before, self.first, self.second, frozenset(self.kept))
        gone = Counter(text for piece in plan.folded for text in piece.comments)
        return super().comments(before) - gone

    @property
    def turn(self) -> tuple[int, Any]:
        """After all that is told by its place in a mapping."""
        return FOLDS, ()

    def _folded(self, value: Any, plan: Folding, shared: dict[str, Any], is_merged: bool) -> Any:
        one = altered(value, self.first, lambda old: _first(old, plan, shared, is_merged))
        return altered(one, self.second, lambda old: _second(old, plan, shared, is_merged))


def _first(old: Any, plan: Folding, shared: dict[str, Any], is_merged: bool) -> Any:
    if not plan.hoisted:
        return old
    rest = {key: item for key, item in old.items() if key not in shared}
    return {**shared, **rest} if is_merged else {MERGE: shared, **rest}


def _second(old: Any, plan: Folding, shared: dict[str, Any], is_merged: bool) -> Any:
    if plan.whole:
        return {key: old[key] for key in shared}
    if is_merged:
        return {key: old[key] for key in (*shared, *(key for key in old if key not in shared))}
    folded = {piece.name for piece in plan.folded}
    return {MERGE: shared, **{key: item for key, item in old.items() if key not in folded}}


def _at(value: Any, path: Path) -> Any:
    for part in path:
        value = value[part]
    return value


def _hoisted(tree: Tree, plan: Folding, name: str) -> Edit:
    """The first mapping with what is shared under its `<<`."""
    first = plan.first
    shared = [piece for piece in first.pieces if piece.name in plan.merged]
    rest = [piece for piece in first.pieces if piece.name not in plan.merged]
    step = " " * habit_at(tree, first.node).step
    ending = line_break(tree)
    inside = "".join(
        f"{step}{line}" if line.strip() else line for line in _lines(tree, shared).splitlines(keepends=True)
    )
    text = f"{first.indent}{MERGE}: &{name}{ending}{inside}{_lines(tree, rest)}"
    return Edit(first.body, first.pieces[-1].end, text)


def _merging(tree: Tree, plan: Folding, name: str) -> Edit:
    """The second mapping with a merge key and what is its own."""
    second = plan.second
    own = [piece for piece in second.pieces if piece not in plan.folded]
    text = f"{second.indent}{MERGE}: *{name}{line_break(tree)}{_lines(tree, own)}"
    return Edit(second.body, second.pieces[-1].end, text)


def _lines(tree: Tree, pieces: list[Piece]) -> str:
    """The lines of some pieces, without the blank ones at the top."""
    lines = "".join(tree.text[piece.start : piece.end] for piece in pieces).splitlines(keepends=True)
    while lines and not lines[0].strip():
        del lines[0]
    return "".join(lines)
