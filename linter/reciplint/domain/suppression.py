"""Comments that silence a rule: `# reciplint: ignore[rule] -- reason`, or `ignore-file[rule]` for a whole file."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from reciplint.yamltree.comments import Comment
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Tree

_MARK = re.compile(r"#\s*reciplint:\s*(?P<rest>.*)", re.DOTALL)
_FORM = re.compile(r"(?P<word>ignore|ignore-file)\[(?P<rules>[^\]]*)\]\s*(?:--\s*(?P<reason>\S.*))?\Z", re.DOTALL)

EXAMPLE = "# reciplint: ignore[rule] -- reason"

Fault = Literal["", "form", "reason"]


class Suppression(msgspec.Struct, frozen=True):
    """A suppression. `line` is the line that it speaks of, 0 for the whole file; `fault` says why it is void."""

    span: Span
    line: int
    rules: tuple[str, ...]
    reason: str
    fault: Fault = ""

    @property
    def lines(self) -> tuple[int, ...]:
        """Every line that it speaks of: one that stands alone, of the comments between it and its line too."""
        return (self.line, *range(self.span.line + 1, self.line))


def is_suppression(comment: Comment) -> bool:
    """Whether a comment speaks to reciplint, sound or void."""
    return _MARK.match(comment.text) is not None


def spelled(rules: tuple[str, ...], reason: str) -> str:
    """The comment that silences rules on a line."""
    return f"# reciplint: ignore[{', '.join(rules)}] -- {reason}"


def read_suppressions(tree: Tree) -> tuple[Suppression, ...]:
    """Every suppression of a text, void ones too."""
    if "reciplint:" not in tree.text:
        return ()
    found = []
    own_lines = {tree.lines.span(comment.start, comment.end).line for comment in tree.comments if comment.own_line}
    for comment in tree.comments:
        mark = _MARK.match(comment.text)
        if mark is not None:
            found.append(_read(tree, comment, mark["rest"].strip(), own_lines))
    return tuple(found)


def _read(tree: Tree, comment: Comment, rest: str, own_lines: set[int]) -> Suppression:
    span = tree.lines.span(comment.start, comment.end)
    form = _FORM.match(rest)
    rules = tuple(name for part in form["rules"].split(",") if (name := part.strip())) if form else ()
    if form is None or not rules:
        return Suppression(span, span.line, rules, "", "form")
    line = 0 if form["word"] == "ignore-file" else span.line
    if line and comment.own_line:
        while line in own_lines:
            line += 1
    reason = (form["reason"] or "").strip()
    return Suppression(span, line, rules, reason, "" if reason else "reason")
