"""Where an entry or item of a flow collection on one line stands, what carries its anchor or tag included."""

from __future__ import annotations

import re

from reciplint.yamltree.edit_places import locate
from reciplint.yamltree.replacing import Edit, Path, Refused
from reciplint.yamltree.tree import Mapping, Sequence, Tree

_BLANKS = re.compile(r"[ \t]*")
_END = re.compile(r"[ \t]*[,\]}]")


def refuse_several_lines(tree: Tree, path: Path) -> None:
    """Raise `Refused` if what stands at a path is or lies in a flow collection over several lines."""
    for depth in range(len(path) + 1):
        node = locate(tree, path[:depth])
        if getattr(node, "flow", False) and "\n" in tree.text[node.start : node.end]:
            raise Refused("it lies in a flow collection over several lines")


def pieces(tree: Tree, collection: Mapping | Sequence) -> list[tuple[int, int]]:
    """Begin and end of everything in a flow collection on one line. Raises `Refused`."""
    if isinstance(collection, Mapping):
        ends = [max(entry.key.end, entry.value.end) for entry in collection.entries]
    else:
        ends = [item.end for item in collection.items]
    if tree.text[collection.start] not in "[{":
        raise Refused("it is a pair without braces")
    found, position = [], collection.start + 1
    for end in ends:
        start = _after(_BLANKS, tree, position)
        found.append((start, end))
        position = _after(_END, tree, end)
    return found


def _after(pattern: re.Pattern[str], tree: Tree, position: int) -> int:
    match = pattern.match(tree.text, position)
    if match is None:
        raise Refused("something else stands beside it")
    return match.end()


def flow_insertion(tree: Tree, collection: Mapping | Sequence, index: int, text: str) -> Edit:
    """Puts a text before the entry or item of that number, or behind the last. Raises `Refused`."""
    standing = pieces(tree, collection)
    if not standing:
        inside = tree.text[collection.start + 1 : collection.end - 1]
        return Edit(collection.start + 1, collection.end - 1, f"{inside}{text}{inside}")
    if index:
        end = standing[index - 1][1]
        return Edit(end, end, f", {text}")
    start = standing[0][0]
    return Edit(start, start, f"{text}, ")


def flow_removal(tree: Tree, collection: Mapping | Sequence, index: int) -> Edit:
    """Takes out one of several entries or items, with the comma that parts it. Raises `Refused`."""
    standing = pieces(tree, collection)
    if index + 1 < len(standing):
        return Edit(standing[index][0], standing[index + 1][0], "")
    return Edit(standing[index - 1][1], standing[index][1], "")
