"""Comments as people write them: lines that belong together, read as one text, with the way back to each character."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from reciplint.domain.suppression import is_suppression
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Tree

_SENTENCE_END = re.compile(r";\s|\.(?=\s|$)|:\s*$|\s(?:--|—)\s")
_HEDGE = re.compile(
    r"(?i)\b(?:was|were|before|previous(?:ly)?|prior|former(?:ly)?|old|earlier|original(?:ly)?|instead|rather|unlike"
    r"|vs\.?|versus|than|half|twice|deriv\w*|adapt\w*|port(?:ed|s)|copied|mirror\w*|reus\w*|split|fold\w*|like|sibling\w*"
    r"|other|another|remov\w*|delet\w*|drop\w*|omit\w*|replac\w*|disabl\w*|retir\w*|avoid\w*|never|not|no(?!-)|without|until"
    r"|except|would|could|should|might|if|when|fail\w*|oom\w*|crash\w*|upstream|submission|default\w*|requires?|todo"
    r"|from|since|because|exists?|between|range)\b|n't\b|→|->|=>"
)
_YAML = re.compile(r"^\s*(?:-\s+)?(?:[a-z][\w.-]*:(?:\s|$)|\{|-\s+[{\"'\[])")


class Block(NamedTuple):
    """Comment lines without a gap: `text` has their words, lines joined by line breaks; `end_line` is the last line,
    `column` that of the `#`; `trails` is set where a value stands before the comment."""

    text: str
    line: int
    end_line: int
    column: int
    trails: bool
    starts: tuple[int, ...]
    offsets: tuple[int, ...]

    def span(self, tree: Tree, start: int, end: int) -> Span:
        """Where a part of the text stands in the file."""
        return tree.lines.span(self._offset(start), self._offset(end - 1) + 1)

    def _offset(self, position: int) -> int:
        line = bisect_right(self.starts, position) - 1
        return self.offsets[line] + position - self.starts[line]

    @property
    def holds_yaml(self) -> bool:
        """Whether a line is a setting that was commented out: it claims nothing of its neighbours."""
        return any(_YAML.match(line) for line in self.text.split("\n"))


def comment_blocks(tree: Tree) -> list[Block]:
    """Every block of a file, in order. A comment behind a value is a block of its own; one that silences a rule
    belongs to none."""
    found: list[Block] = []
    parts: list[tuple[int, str]] = []
    first = last = column = 0
    for comment in tree.comments:
        if is_suppression(comment):
            continue
        span = tree.lines.span(comment.start, comment.end)
        words = comment.text.lstrip("#")
        start = comment.end - len(words)
        if not comment.own_line:
            found.append(_block([(start, words)], span.line, span.line, span.column, True))
            continue
        if parts and (span.line != last + 1 or span.column != column):
            found.append(_block(parts, first, last, column, False))
            parts = []
        if not parts:
            first, column = span.line, span.column
        parts.append((start, words))
        last = span.line
    if parts:
        found.append(_block(parts, first, last, column, False))
    return sorted(found, key=lambda block: block.line)


def _block(parts: list[tuple[int, str]], line: int, end_line: int, column: int, trails: bool) -> Block:
    starts, length = [], 0
    for _, words in parts:
        starts.append(length)
        length += len(words) + 1
    text = "\n".join(words for _, words in parts)
    return Block(text, line, end_line, column, trails, tuple(starts), tuple(start for start, _ in parts))


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text, each with its start. A line break ends none."""
    start = 0
    for match in _SENTENCE_END.finditer(text):
        yield start, text[start : match.end()]
        start = match.end()
    yield start, text[start:]


def is_hedged(sentence: str) -> bool:
    """Whether a sentence speaks of the past, of something else, or of what might be."""
    return _HEDGE.search(sentence) is not None
