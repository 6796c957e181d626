"""A scalar that repeats another, folded: written once, at an anchor, and as its alias."""

from __future__ import annotations

import re
from typing import Any

from reciplint.yamltree.edit_places import addressable, lines_of
from reciplint.yamltree.fold_anchors import anchor_name
from reciplint.yamltree.replacing import FOLDS, Change, Edit, Path, Reach, Refused
from reciplint.yamltree.tree import Alias, Concrete, Mapping, Node, Scalar, Sequence, Tree, target

_BLOCK = re.compile(r"[|>][-+0-9]*")
"""What a block scalar begins with; a comment may follow on its line."""


class FoldScalar(Change, frozen=True, tag="fold-scalar"):
    """Write the scalar at `second` as the alias of the one at `first`, which gets an anchor if it has none: values of
    keys that stand in this order and are both plain, or neither. The lines of a block scalar go. `first` may lie behind
    aliases and merge keys; where one of these has made both one scalar already, nothing is left to do."""

    first: Path
    second: Path

    def edits(self, tree: Tree) -> list[Edit]:
        """The anchor, and the alias. Raises `Refused`."""
        first, second = self._scalars(tree)
        if first is second:
            return []
        name = first.anchor or anchor_name(tree, self.first[:-1] or self.first, str(self.first[-1]))
        anchor = [] if first.anchor else [Edit(first.start, first.start, f"&{name} ")]
        return [*anchor, *_replaced(tree, second, f"*{name}")]

    def reach(self, before: Tree) -> Reach:
        """From the lines of the first to those of the second."""
        first, second = self._scalars(before)
        return lines_of(before, first.start, second.end)

    @property
    def turn(self) -> tuple[int, Any]:
        """After all that is told by its place in a mapping."""
        return FOLDS, ()

    def _scalars(self, tree: Tree) -> tuple[Scalar, Scalar]:
        first, second = _value_of_key(tree, self.first), _value_of_key(tree, self.second)
        if first is second:
            return first, second
        if not addressable(tree, self.second, second):
            raise Refused(f"{self.second[-1]} lies behind an alias or a merge key")
        if first.start >= second.start:
            raise Refused("the first does not stand above the second")
        if second.anchor:
            raise Refused(f"{self.second[-1]} is anchored itself, as &{second.anchor}")
        if (first.value, bool(first.style)) != (second.value, bool(second.style)):
            raise Refused("they are not spelled alike")
        if first.anchor and _is_named_again(tree, first):
            raise Refused(f"another value is called &{first.anchor} as well")
        return first, second


def _value_of_key(tree: Tree, path: Path) -> Scalar:
    """The scalar that a path of keys leads to, through aliases and merge keys. Raises `Refused`."""
    node: Concrete | None = tree.root
    for part in path:
        if isinstance(node, Mapping | Sequence) and node.flow:
            raise Refused(f"{path[-1]} stands in a flow collection")
        value = _child(node, part)
        if value is None:
            raise Refused(f"nothing stands at {'/'.join(map(str, path))}")
        node = target(value)
    if not path or not isinstance(path[-1], str):
        raise Refused("it is not a key")
    if not isinstance(node, Scalar) or node.start == node.end:
        raise Refused("it is no scalar that can be written anew")
    if node.tag is not None:
        raise Refused(f"it carries the tag {node.tag}")
    return node


def _child(node: Concrete | None, part: str | int) -> Node | None:
    if isinstance(node, Sequence) and isinstance(part, int):
        return node.items[part] if part < len(node.items) else None
    if isinstance(node, Mapping) and isinstance(part, str):
        entry = node.named.get(part) or node.effective().get(part)
        return entry and entry.value
    return None


def _replaced(tree: Tree, scalar: Scalar, text: str) -> list[Edit]:
    """A scalar replaced by a text on one line; the comment behind the head of a block stays."""
    head = _BLOCK.match(tree.text, scalar.start) if scalar.style in ("|", ">") else None
    if head is None:
        return [Edit(scalar.start, scalar.end, text)]
    first_line = tree.text[scalar.start : scalar.end].partition("\n")[0].removesuffix("\r")
    return [Edit(scalar.start, head.end(), text), Edit(scalar.start + len(first_line), scalar.end, "")]


def _is_named_again(tree: Tree, anchored: Scalar) -> bool:
    return any(
        not isinstance(node, Alias) and node is not anchored and node.anchor == anchored.anchor
        for _, node in tree.walk()
    )
