"""Untrusted text as text in GitHub's Markdown: a word that could be more than a word becomes a code span.

In a code span nothing is a mention, a link, an issue, HTML or emphasis; control and bidi characters are escaped before
(`report/escape.py`), line breaks among them, so that nothing opens a block.
"""

from __future__ import annotations

import re

from reciplint.report.escape import MESSAGE_LIMIT, percent_encoded, shown
from reciplint.report.table import code

_PUNCTUATION = ".,;:()'%=+-!?…–—−→，。：；、（）「」“”’"
_LEADING = "('“「（）。，：；、」”"  # Chinese marks have no blank after them
_TRAILING = ".,;:?!)'”」），。：；、"
_ACTIVE = re.compile(r"gh-\d+|www\.|[0-9a-f]{7,}|:[\w+-]+:|--+>|--|\w+[:=]\w+:", re.IGNORECASE)
_BACKTICKS = re.compile("`{3,}")
_BLANKS = re.compile(" +")
_CLAUSES = re.compile("([，。；：、（）？！])")
_SPAN = re.compile("(?<!`)`([^`]+)`(?!`)")


def words(text: str, limit: int = MESSAGE_LIMIT, in_table: bool = False) -> str:
    """A sentence that holds values of a repository, on one line, safe inside a paragraph or a cell of a table.

    What stands between two backticks is one code span, as its author meant it.
    """
    cut = shown(text[:limit].replace("\u00a0", " "))
    if len(text) > limit and cut.count("`") % 2:
        cut += "`"  # a span that was cut stays one
    made = ""
    for index, part in enumerate(_SPAN.split(cut)):
        told = code(part, in_table) if index % 2 else _plain_words(part, in_table)
        touches = made.endswith("`") and told.startswith("`")  # two spans would become one
        made += f" {told}" if touches else told
    return made.strip(" ") + ("…" if len(text) > limit else "")


def _plain_words(text: str, in_table: bool) -> str:
    words = _BLANKS.sub(" ", text).split(" ")
    return " ".join("".join(_word(part, in_table) for part in _CLAUSES.split(word) if part) for word in words)


def _word(word: str, in_table: bool) -> str:
    """A word as it is, or its middle as a code span with the punctuation around it left outside."""
    if _is_plain(word):
        return word
    start = len(word) - len(word.lstrip(_LEADING))
    end = len(word.rstrip(_TRAILING))
    middle = word[start:end]
    if not middle or _is_plain(middle):
        return code(word, in_table)
    return f"{word[:start]}{code(middle, in_table)}{word[end:]}"


def _is_plain(word: str) -> bool:
    return all(char.isalnum() or char in _PUNCTUATION for char in word) and not _ACTIVE.search(word)


def fenced(text: str, language: str) -> str:
    """Text as a fenced block that nothing in it can close."""
    longest = max((len(found) for found in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}" if text else f"{fence}{language}\n{fence}"


def link(label: str, address: str) -> str:
    """A link of ours around Markdown of ours."""
    return f"[{label}]({address})" if address else label


def address_of(web: str, revision: str, path: str, line: int) -> str:
    """Where a line of a file at a revision can be seen; "" if the repository's address is not known."""
    if not web:
        return ""
    return f"{web}/blob/{revision}/{percent_encoded(path)}#L{line}"


def details(title: str, body: str) -> str:
    """A folded block; the title is Markdown-free text of ours."""
    return f"<details><summary>{title}</summary>\n\n{body.strip(chr(10))}\n\n</details>"
