"""A comment added to a file: behind a line, or alone on the line above."""

from __future__ import annotations

import msgspec

from reciplint.yamltree.replacing import Edit, Path, Refused
from reciplint.yamltree.tree import Scalar, Tree


class AddComment(msgspec.Struct, frozen=True, tag="add-comment"):
    """Add a comment, `#` and all, behind the line on which the entry at `pointer` begins, or with `own_line` alone on
    the line above, as far in. `line` (from 1) names the line itself, where nothing is to be pointed at."""

    path: str
    pointer: Path
    text: str
    own_line: bool = False
    line: int = 0


def comment_edit(tree: Tree, operation: AddComment, line: int) -> Edit:
    """The text that comes in. Raises `Refused` where no comment can stand at that line."""
    if not operation.text.startswith("#") or not operation.text.isprintable():
        raise Refused("it is no comment of one line")
    if not 1 <= line <= len(tree.lines.starts):
        raise Refused(f"there is no line {line}")
    return _above(tree, operation.text, line) if operation.own_line else _behind(tree, operation.text, line)


def _behind(tree: Tree, comment: str, line: int) -> Edit:
    written = tree.lines.line_text(line)
    start = tree.lines.starts[line - 1]
    end = start + len(written)
    if not written.strip("\ufeff \t"):
        raise Refused("nothing stands on the line")
    if any(start <= other.start <= end for other in tree.comments):
        raise Refused("a comment stands there")
    if any(_holds_end(tree, scalar, end) for scalar in tree.scalars):
        raise Refused("the line is part of a text of several lines")
    return Edit(start + len(written.rstrip(" \t")), end, f"  {comment}")


def _above(tree: Tree, comment: str, line: int) -> Edit:
    written = tree.lines.line_text(line)
    start = tree.lines.starts[line - 1]
    if any(scalar.start < start < scalar.end for scalar in tree.scalars):
        raise Refused("the line is part of a text of several lines")
    start += written.startswith("\ufeff")
    written = written.removeprefix("\ufeff")
    indent = written[: len(written) - len(written.lstrip(" "))]
    line_break = "\r\n" if "\r\n" in tree.text else "\n"
    return Edit(start, start, f"{indent}{comment}{line_break}")


def _holds_end(tree: Tree, scalar: Scalar, offset: int) -> bool:
    """Whether a scalar goes on at the end of a line. The first line of a block scalar is its header."""
    if scalar.style in ("|", ">"):
        return scalar.start < offset <= scalar.end and "\n" in tree.text[scalar.start : offset]
    return scalar.start < offset < scalar.end
