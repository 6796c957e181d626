"""What can be folded of two block mappings: their lines in pieces, an entry each, and which of them say the same."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from reciplint.yamltree.edit_blocks import entry_block, entry_block_end
from reciplint.yamltree.edit_places import one_document, parent_of, position_of
from reciplint.yamltree.replacing import Path, Refused
from reciplint.yamltree.scalars import key_text, load, same_value
from reciplint.yamltree.tree import Alias, Mapping, Node, Scalar, Sequence, Tree, children

LEAST_FOLDED = 3
"""A merge key and an anchor for fewer keys than these are harder to read than the keys."""

_COLON = re.compile(r"[ \t]*:(?=[ \t]|\r?\n)")
_IDLE_SETTING = re.compile(r"#+\s*(?:-\s+)?(?:[a-z][\w.-]*|[A-Z][A-Z0-9]*_\w+):(?:\s|\Z)")
_HEADER = re.compile(r"(?:[ \t]+&\S+)?[ \t]*(?:#[^\n]*)?\r?\n")


class Piece(NamedTuple):
    """The lines of an entry, with those above it that are nobody else's, and the comments on them."""

    name: str
    value: Node
    start: int
    end: int
    comments: tuple[str, ...]


class Folded(NamedTuple):
    """A mapping in pieces: where the colon of its key ends, and where its lines begin."""

    node: Mapping
    colon: int
    body: int
    indent: str
    pieces: tuple[Piece, ...]

    @property
    def anchor(self) -> str | None:
        """The anchor that it has."""
        return self.node.anchor


class Folding(NamedTuple):
    """What the second mapping leaves to the first, and the keys that its `<<` brings in. `hoisted`: what is shared
    gets a mapping of its own; `whole`: nothing is left of the second."""

    first: Folded
    second: Folded
    folded: tuple[Piece, ...]
    merged: tuple[str, ...]
    hoisted: bool
    whole: bool


@lru_cache(maxsize=1)
def fold_plan(tree: Tree, first_path: Path, second_path: Path, kept: frozenset[str]) -> Folding:
    """How two mappings of the first document can be folded; the last answer is kept, since carrying it out and proving
    it ask the same. Raises `Refused`."""
    one_document(tree)
    if first_path == second_path[: len(first_path)] or second_path == first_path[: len(second_path)]:
        raise Refused("one lies within the other")
    first, second = _folded(tree, first_path), _folded(tree, second_path)
    if first.node.start > second.node.start:
        raise Refused("the first stands below the second")
    if second.anchor:
        raise Refused(f"{second_path[-1]} is anchored itself, as &{second.anchor}")
    theirs = {piece.name: piece for piece in first.pieces}
    names = {piece.name for piece in second.pieces}
    hoisted = any(piece.name not in names for piece in first.pieces)
    folded = tuple(
        piece
        for piece in second.pieces
        if (other := theirs.get(piece.name)) is not None
        and _is_said(piece, other, kept)
        and not (hoisted and _has_idle_setting(other, piece))
    )
    if len(folded) < LEAST_FOLDED:
        raise Refused(f"fewer than {LEAST_FOLDED} of their keys can be written once")
    gone = {piece.name for piece in folded}
    if hoisted and first.anchor:
        raise Refused(f"the first is merged elsewhere, as &{first.anchor}, with keys that the second has not")
    merged = tuple(piece.name for piece in first.pieces if piece.name in gone or not hoisted)
    return Folding(first, second, folded, merged, hoisted, not hoisted and gone == names == set(theirs))


def _is_said(piece: Piece, other: Piece, kept: frozenset[str]) -> bool:
    """Whether the first mapping says all that an entry of the second says."""
    if piece.name in kept or not _is_free(piece.value, kept) or Counter(piece.comments) - Counter(other.comments):
        return False
    return same_value(load(piece.value), load(other.value)) and _spelled(piece.value) == _spelled(other.value)


def _has_idle_setting(piece: Piece, other: Piece) -> bool:
    """Whether a setting was commented out here and not there: among what both share it would be one of both."""
    return any(_IDLE_SETTING.match(text) for text in Counter(piece.comments) - Counter(other.comments))


def _is_free(node: Node, kept: frozenset[str]) -> bool:
    """Whether nothing in a node is anchored, tagged, or has a key that stays."""
    if isinstance(node, Alias):
        return True
    if node.anchor or node.tag:
        return False
    if isinstance(node, Scalar):
        return True
    return all(name not in kept and _is_free(value, kept) for name, _, value in children(node))


def _spelled(node: Node) -> object:
    """A value by its texts and whether they are plain: equal, it is equal to every reader."""
    if isinstance(node, Alias):
        return _spelled(node.target)
    if isinstance(node, Scalar):
        return node.value, bool(node.style), node.tag
    if isinstance(node, Sequence):
        return [_spelled(item) for item in node.items]
    return [(entry.name, _spelled(entry.value)) for entry in node.entries]


def _folded(tree: Tree, path: Path) -> Folded:
    parent, name = parent_of(tree, path)
    entry = parent.entries[position_of(parent, name)]
    node = entry.value
    if isinstance(node, Alias):
        raise Refused(f"{name} is written as the alias *{node.name}")
    if not isinstance(node, Mapping) or node.flow or node.tag:
        raise Refused(f"{name} is no mapping on lines of its own")
    if any(item.is_merge for item in node.entries):
        raise Refused(f"{name} merges another mapping already")
    names = [item.name for item in node.entries]
    if len(set(names)) < len(names) or any(key_text(item.key) != item.name for item in node.entries):
        raise Refused(f"{name} has a key twice, or one that is no text")
    colon = _COLON.match(tree.text, entry.key.end)
    header = _HEADER.match(tree.text, colon.end()) if colon else None
    if colon is None or header is None or node.start < header.end():
        raise Refused(f"something else stands on the line of {name}")
    return Folded(node, colon.end(), header.end(), *_pieces(tree, node, header.end()))


def _pieces(tree: Tree, node: Mapping, body: int) -> tuple[str, tuple[Piece, ...]]:
    """The blanks before its keys, and its entries with their lines one after another."""
    indent = entry_block(tree, node, 0).indent
    found, start = [], body
    for index, entry in enumerate(node.entries):
        end = entry_block_end(tree, node, index)
        if index == len(node.entries) - 1:
            end = _with_comments_below(tree, end, len(indent))
        if not tree.text.endswith("\n", start, end):
            raise Refused("the file ends without a line break")
        comments = tuple(comment.text for comment in tree.comments if start <= comment.start < end)
        found.append(Piece(entry.name or "", entry.value, start, end, comments))
        start = end
    return indent, tuple(found)


def _with_comments_below(tree: Tree, end: int, column: int) -> int:
    """Where the comments below the last entry end that stand as far in as the keys, or further: they may go on with
    what the entry's own comment began."""
    own = {comment.start for comment in tree.comments if comment.own_line}
    position = end
    while position < len(tree.text):
        following = tree.text.find("\n", position) + 1 or len(tree.text)
        line = tree.text[position:following]
        blanks = len(line) - len(line.lstrip(" \t"))
        if line.strip() and (position + blanks not in own or blanks < column):
            break
        position = following
        end = position if line.strip() else end
    return end
