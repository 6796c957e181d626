"""Markdown as a policy needs it: headings, prose and tables whose cells know their place in the file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from reciplint.yamltree.spans import Span

if TYPE_CHECKING:
    from markdown_it.token import Token


class Words(msgspec.Struct, frozen=True):
    """Rendered text: markup gone, white space normalised, inline code kept in backticks and listed in `codes`."""

    text: str
    codes: tuple[str, ...]
    span: Span


class Heading(msgspec.Struct, frozen=True):
    """A heading; level 1 is the title."""

    level: int
    words: Words


class Table(msgspec.Struct, frozen=True):
    """A pipe table: the cells of its head and of each row."""

    head: tuple[Words, ...]
    rows: tuple[tuple[Words, ...], ...]
    span: Span


Block = Heading | Table | Words
"""`Words` alone is a paragraph, in a list or quotation or not."""


def read_blocks(text: str) -> list[Block]:
    """The blocks in order. Code blocks and HTML (comments included) say nothing."""
    from markdown_it import MarkdownIt

    lines = re.sub(r"\r(?!\n)", " ", text).split("\n")
    tokens = MarkdownIt("commonmark").enable("table").parse("\n".join(lines))
    blocks: list[Block] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.type == "table_open":
            end = next(i for i in range(position, len(tokens)) if tokens[i].type == "table_close")
            blocks.append(_table(tokens[position:end], lines))
            position = end
        elif token.type == "inline":
            words = _words(token, _paragraph_span(token, lines))
            opener = tokens[position - 1]
            blocks.append(Heading(int(opener.tag[1]), words) if opener.type == "heading_open" else words)
        position += 1
    return blocks


def _table(tokens: list[Token], lines: list[str]) -> Table:
    rows: list[list[Token]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token)
    first, last = tokens[0].map or [0, 1]
    span = Span(first + 1, 1, last, len(lines[last - 1].rstrip()) + 1)
    head, *body = (_row(row, lines) for row in rows)
    return Table(head, tuple(body), span)


def _row(tokens: list[Token], lines: list[str]) -> tuple[Words, ...]:
    if not tokens or not tokens[0].map:
        return ()
    number = tokens[0].map[0]
    pieces = _pieces(lines[number])
    cells: list[Words] = []
    position = 0
    for token in tokens:
        match = next((i for i in range(position, len(pieces)) if pieces[i][2] == token.content), None)
        if match is None:
            span = Span(number + 1, 1, number + 1, len(lines[number].rstrip()) + 1)
        else:
            start, end, _ = pieces[match]
            span = Span(number + 1, start + 1, number + 1, end + 1)
            position = match + 1
        cells.append(_words(token, span))
    return tuple(cells)


def _pieces(line: str) -> list[tuple[int, int, str]]:
    """What stands between the unescaped pipes of a line: start, end and content as the parser gives it."""
    pieces: list[tuple[int, int, str]] = []
    for match in re.finditer(r"(?:\\.|[^|\\]|\\$)*", line):
        raw = match.group()
        content = raw.strip()
        start = match.start() + (len(raw) - len(raw.lstrip()) if content else 0)
        if match.start() == match.end() and pieces and pieces[-1][1] == match.start() and pieces[-1][2]:
            continue  # the empty match right behind a piece
        pieces.append((start, start + len(content), content.replace("\\|", "|")))
    return pieces


def _paragraph_span(token: Token, lines: list[str]) -> Span:
    first, last = token.map or [0, 1]
    indent = len(lines[first]) - len(lines[first].lstrip())
    return Span(first + 1, indent + 1, last, len(lines[last - 1].rstrip()) + 1)


def _words(token: Token, span: Span) -> Words:
    parts: list[str] = []
    codes: list[str] = []
    for child in token.children or []:
        if child.type == "code_inline":
            codes.append(child.content.strip())
            parts.append(f"`{child.content.strip()}`")
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "html_inline":
            parts.append("; " if re.match(r"<br\b", child.content, re.IGNORECASE) else "")
        else:
            parts.append(child.content)
    return Words(" ".join("".join(parts).split()), tuple(codes), span)
