"""Comments: added behind a line or alone on the line above, taken out, shortened."""

from __future__ import annotations

from collections import Counter
from typing import Any

from reciplint.yamltree.comments import Comment
from reciplint.yamltree.edit_places import line_break, line_of
from reciplint.yamltree.replacing import COMMENTS, Change, Edit, Path, Reach, Refused
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Scalar, Tree


class AddComment(Change, frozen=True, tag="add-comment"):
    """Add a comment, `#` and all, behind the line on which the entry at `pointer` begins, or with `own_line` alone on
    the line above, as far in. `line` (from 1) names the line itself, where nothing is to be pointed at."""

    pointer: Path
    text: str
    own_line: bool = False
    line: int = 0

    def edits(self, tree: Tree) -> list[Edit]:
        """The text that comes in."""
        line = self.line or line_of(tree, self.pointer)
        if not self.text.startswith("#") or not self.text.isprintable():
            raise Refused("it is no comment of one line")
        if not 1 <= line <= len(tree.lines.starts):
            raise Refused(f"there is no line {line}")
        return [_above(tree, self.text, line) if self.own_line else _behind(tree, self.text, line)]

    def reach(self, before: Tree) -> Reach:
        """The line."""
        line = self.line or line_of(before, self.pointer)
        return Reach(line, line)

    def comments(self, before: Tree) -> Counter[str]:
        """One more."""
        return super().comments(before) + Counter([self.text])


class DropComment(Change, frozen=True, tag="drop-comment"):
    """Remove a comment: its whole line if nothing else stands there. `replacement` keeps a part of it."""

    span: Span
    replacement: str = ""

    def edits(self, tree: Tree) -> list[Edit]:
        """The comment with the blanks before it, or its line."""
        comment = self._comment(tree)
        if comment is None:
            raise Refused("no comment stands there")
        if self.replacement:
            return [Edit(comment.start, comment.end, self.replacement)]
        line_start = tree.text.rfind("\n", 0, comment.start) + 1
        if comment.own_line:
            line_end = tree.text.find("\n", comment.end)
            line_start += tree.text.startswith("\ufeff", line_start)
            return [Edit(line_start, len(tree.text) if line_end < 0 else line_end + 1, "")]
        return [Edit(line_start + len(tree.text[line_start : comment.start].rstrip()), comment.end, "")]

    def reach(self, before: Tree) -> Reach:
        """The line."""
        return Reach(self.span.line, self.span.line)

    def comments(self, before: Tree) -> Counter[str]:
        """All but this one, and what is kept of it."""
        dropped, kept = self._comment(before), Counter([self.replacement] if self.replacement else [])
        return super().comments(before) - Counter([dropped.text] if dropped else []) + kept

    @property
    def turn(self) -> tuple[int, Any]:
        """From the end of the file backwards."""
        return COMMENTS, (-self.span.line, -self.span.column)

    def _comment(self, tree: Tree) -> Comment | None:
        start = tree.lines.offset(self.span.line, self.span.column)
        return next((comment for comment in tree.comments if comment.start == start), None)


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
    return Edit(start, start, f"{indent}{comment}{line_break(tree)}")


def _holds_end(tree: Tree, scalar: Scalar, offset: int) -> bool:
    """Whether a scalar goes on at the end of a line. The first line of a block scalar is its header."""
    if scalar.style in ("|", ">"):
        return scalar.start < offset <= scalar.end and "\n" in tree.text[scalar.start : offset]
    return scalar.start < offset < scalar.end
