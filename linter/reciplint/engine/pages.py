"""A rule's page: the docstring of its file, its sections, and the examples that are its tests."""

from __future__ import annotations

import re
from dataclasses import dataclass

SECTIONS = ("What it finds", "Why it matters", "Bad", "Good", "Fix", "Options", "Source")

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: `words` are its info string, `body` its text with `«»` marks."""

    words: tuple[str, ...]
    body: str

    @property
    def path(self) -> str:
        """The file that the block stands for; empty for other blocks."""
        names = [word for word in self.words[1:] if word not in ("base", "no-newline")]
        return names[0] if names else ""

    @property
    def is_base(self) -> bool:
        """Whether the block is a file of the base tree."""
        return "base" in self.words[1:]

    @property
    def text(self) -> str:
        """The text of the file, marks taken out."""
        body = self.body.replace("«", "").replace("»", "")
        return body.rstrip("\n") if "no-newline" in self.words else body


def sections(page: str) -> dict[str, str]:
    """Section title → text; the summary line is under ""."""
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)
    return {
        "": parts[0].strip(),
        **{title.strip(): text.strip("\n") for title, text in zip(parts[1::2], parts[2::2], strict=True)},
    }


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a section."""
    return [Block(tuple(match["info"].split()), match["body"]) for match in _FENCE.finditer(text)]


def readable(page: str) -> str:
    """The page as people read it, with the marks of the examples taken out."""
    return page.replace("«", "").replace("»", "").strip() + "\n"
