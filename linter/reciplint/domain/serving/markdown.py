"""The shell commands in a Markdown page's fences, at their offsets in the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from reciplint.domain.serving.shell_words import given

_SHELLS = frozenset({"bash", "sh", "shell", "zsh", "console", "shell-session", "shellsession", "terminal"})
FENCE = re.compile(
    rb"(?:`{3,}|~{3,})[ \t]*[{.]*(?:" + "|".join(sorted(_SHELLS)).encode() + rb")(?![\w-])", re.IGNORECASE
)
"""Where a fence of shell may open."""

_TO_FILL_IN = re.compile(r"<([A-Za-z](?:[\w./ -]*\w)?)>")
"""What a reader of a page has to replace: `<port>`. The shell would take it for redirections."""

_SESSIONS = frozenset({"console", "shell-session", "shellsession", "terminal"})


class Fence(NamedTuple):
    """A fence's text, as long as its stretch of the page from `offset` on: what is no shell there is blanked out,
    and `<port>` is a variable. `chapter` is the nearest heading of the first two levels above it."""

    text: str
    offset: int
    chapter: str


def shell_fences(page: str) -> Iterator[Fence]:
    """The fences whose language is a shell, in order."""
    from markdown_it import MarkdownIt

    lines = [line + "\n" for line in page.split("\n")]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    chapter = ""
    tokens = MarkdownIt("commonmark").parse(page)
    for number, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag in ("h1", "h2"):
            chapter = tokens[number + 1].content
        language = token.info.split()[0].lower().strip("{}.") if token.info.split() else ""
        if token.type != "fence" or token.map is None or language not in _SHELLS:
            continue
        first = token.map[0] + 1
        written = token.content.removesuffix("\n").split("\n")
        masked = []
        is_open = False
        for line, content in zip(lines[first:], written, strict=False):
            if language in _SESSIONS and any(text.lstrip().startswith("$ ") for text in written):
                content, is_open = _typed(content, is_open)
            body = line.removesuffix("\n")
            kept = content if body.endswith(content) else ""
            masked.append(" " * (len(body) - len(kept)) + kept + "\n")
        yield Fence(_TO_FILL_IN.sub(lambda match: given(match[1]), "".join(masked)), starts[first], chapter)


def _typed(line: str, is_open: bool) -> tuple[str, bool]:
    """What a session's line holds of a command: all after the prompt, or a line that continues one; else nothing."""
    stripped = line.lstrip()
    if stripped.startswith("$ "):
        typed = stripped[2:]
    elif is_open:
        typed = stripped.removeprefix("> ")
    else:
        return "", False
    return typed, typed.endswith("\\")
