"""Where an entry or item of a block collection stands: whole lines, with the comments that are its own.

The comments alone on the lines above belong to what follows them, those further in to the collection that they follow;
behind a value of one line they head the next key all the same (so in all 295 places of four repositories where a key
follows). What stands at the very top of the file speaks of the file.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from reciplint.yamltree.edit_places import line_break
from reciplint.yamltree.replacing import Edit, Refused
from reciplint.yamltree.tree import Alias, Mapping, Node, Scalar, Sequence, Tree

_PREFIX = re.compile(r"\ufeff?( *(?:- +)*)\Z")
_DASH = re.compile(r"-( +)")
_KEEP = re.compile(r"[|>][0-9]?\+")
_ODD_BREAK = re.compile("\r(?!\n)|[\x85\u2028\u2029]")


class Block(NamedTuple):
    """The lines of an entry or item: from its own comments above to the last that is its own, and the blanks that a
    line beside it begins with. `behind_dash` where a dash of a list stands before it."""

    start: int
    end: int
    indent: str
    behind_dash: bool


def entry_block(tree: Tree, parent: Mapping, index: int) -> Block:
    """The lines of an entry of a block mapping. Raises `Refused`."""
    _refuse_odd_lines(tree)
    entry = parent.entries[index]
    indent, behind_dash = _indent(tree, entry.key.start)
    floor = entry_block_end(tree, parent, index - 1) if index else 0
    start = _with_comments_above(tree, entry.key.start, floor)
    return Block(start, entry_block_end(tree, parent, index), indent, behind_dash)


def entry_block_end(tree: Tree, parent: Mapping, index: int) -> int:
    """Where the lines of an entry end."""
    entry = parent.entries[index]
    is_last = index == len(parent.entries) - 1
    return _lines_end(tree, entry.key.start, max(entry.key.end, entry.value.end), entry.value, is_last)


def last_item(tree: Tree, parent: Sequence) -> tuple[str, int]:
    """What stands before an item of a block list on its line, for a new one, and where the lines of the last one end.
    Raises `Refused`."""
    _refuse_odd_lines(tree)
    outer, _ = _indent(tree, parent.start)
    node = parent.items[-1]
    dash = tree.text.rfind("\n", 0, node.start) + 1 + len(outer)
    blanks = _DASH.match(tree.text, dash)
    return f"{outer}-{blanks[1] if blanks else ' '}", _lines_end(tree, parent.start, node.end, node, True)


def new_lines(tree: Tree, position: int, lines: list[str]) -> Edit:
    """New lines at the beginning of a line, or at the end of a file that ends without a line break."""
    mark = tree.text.rfind("\n", 0, position)
    ending = line_break(tree) if mark < 0 else "\r\n" if tree.text[mark - 1 : mark] == "\r" else "\n"
    if position == len(tree.text) and not tree.text.endswith("\n"):
        return Edit(position, position, "".join(f"{ending}{line}" for line in lines))
    return Edit(position, position, "".join(f"{line}{ending}" for line in lines))


def _refuse_odd_lines(tree: Tree) -> None:
    if _ODD_BREAK.search(tree.text):
        raise Refused("a character ends a line for YAML that ends none in an editor")


def _indent(tree: Tree, start: int) -> tuple[str, bool]:
    """The blanks up to where something begins, and whether dashes are among them."""
    line_start = tree.text.rfind("\n", 0, start) + 1
    prefix = _PREFIX.match(tree.text[line_start:start])
    if prefix is None:
        raise Refused("something else stands before it on its line")
    return " " * len(prefix[1]), "-" in prefix[1]


def _with_comments_above(tree: Tree, start: int, floor: int) -> int:
    """The beginning of the lines of what begins at `start`, with the comments directly above, not before `floor`."""
    own = {comment.start for comment in tree.comments if comment.own_line}
    first = found = tree.text.rfind("\n", 0, start) + 1
    while first > floor:
        above = tree.text.rfind("\n", 0, first - 1) + 1
        blanks = len(tree.text[above:first]) - len(tree.text[above:first].lstrip("\ufeff \t"))
        if above < floor or above + blanks not in own:
            break
        first = above
    if tree.text[:first].strip("\ufeff-\r\n"):
        return first
    return found + tree.text.startswith("\ufeff", found)


def _lines_end(tree: Tree, start: int, end: int, node: Node, is_last: bool) -> int:
    """The end of the lines of what stands between two offsets: with the blank lines that its last text keeps, and the
    comments that stand further in than it, where they can be its own."""
    text = tree.text
    column = len(text[text.rfind("\n", 0, start) + 1 : start].lstrip("\ufeff"))
    takes_comments = is_last or _has_lines(node)
    own = {comment.start for comment in tree.comments if comment.own_line and takes_comments}
    ends = _line_end(text, end)
    position, kept = ends, _keeps_blank_lines(tree, node)
    while position < len(text):
        following = _line_end(text, position)
        written = text[position:following]
        blanks = len(written) - len(written.lstrip(" \t"))
        if not written.strip():
            ends = following if kept else ends
        elif position + blanks in own and blanks > column:
            ends, kept = following, False
        else:
            break
        position = following
    return ends


def _has_lines(node: Node) -> bool:
    """Whether a value has lines of its own below its key."""
    return node.style in ("|", ">") if isinstance(node, Scalar) else not (isinstance(node, Alias) or node.flow)


def _line_end(text: str, offset: int) -> int:
    found = text.find("\n", offset)
    return len(text) if found < 0 else found + 1


def _keeps_blank_lines(tree: Tree, node: Node) -> bool:
    """Whether the last text of a node holds the blank lines behind it."""
    while isinstance(node, (Mapping, Sequence)) and not node.flow:
        node = node.entries[-1].value if isinstance(node, Mapping) else node.items[-1]
    return isinstance(node, Scalar) and _KEEP.match(tree.text, node.start) is not None
