"""Paths of YAML files that comments name: relative to their file, or from the project's top."""

from __future__ import annotations

import re

import msgspec

from reciplint.domain.comment_blocks import comment_blocks, is_hedged, sentences
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Tree

_PATH = re.compile(
    r"(?<![\w./:*{}<>$-])(?:(?:\.\.?/)+|(?:\.github/)?configs/|golden_al_distribution/|benchmarks/)[\w./-]+\.ya?ml\b"
    r"(?![\w/*{}<>$])"
)


class PathMention(msgspec.Struct, frozen=True, array_like=True):
    """A path as a comment writes it, and where."""

    text: str
    span: Span


def path_mentions(tree: Tree) -> tuple[PathMention, ...]:
    """The paths in the comments of a file, those left out that are spoken of as gone."""
    if not any(".y" in comment.text and "/" in comment.text for comment in tree.comments):
        return ()
    return tuple(
        PathMention(match[0], block.span(tree, match.start(), match.end()))
        for block in comment_blocks(tree)
        for match in _PATH.finditer(block.text)
        if not is_hedged(_around(block.text, match.start()))
    )


def _around(text: str, position: int) -> str:
    """The sentence that a position lies in."""
    return next(sentence for start, sentence in sentences(text) if start <= position < start + len(sentence) + 1)
