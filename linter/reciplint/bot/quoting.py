"""A rule's message whose values nobody vouches for: the rule's words are plain, every value stands in a code span.

So whoever forges a report can have values shown as values, and no sentence of theirs as the bot's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from reciplint.report.escape import shown
from reciplint.rules.finding import Argument, render

LONGEST_VALUE = 400
"""Code points of a value that are shown."""

MOST_VALUES = 20
"""Items of a list that are shown."""

_OPEN, _CLOSE = "\ue000", "\ue001"
_MARKS = re.compile(f"[{_OPEN}{_CLOSE}]")
_WORD = re.compile(r"[a-z]{1,15}")
"""One short word is plain: rules fill in `it`, `them`, `prefill`; more than a word cannot be said with it."""


def quoted(template: str, arguments: Mapping[str, Argument]) -> str:
    """The message with backticks around values. Raises as `render` does where the fields do not fit."""
    fields = {name: _quoted(value) for name, value in arguments.items()}
    return _spanned(render(template, cast("dict[str, Argument]", fields)))


class _Value:
    """A text as a field: marked where it stands, and still a condition."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __format__(self, spec: str) -> str:
        if spec.startswith("?"):
            return spec[1:] if self._text else ""
        if not self._text or _WORD.fullmatch(self._text):
            return render(f"{{value:{spec}}}", {"value": self._text})
        plain = _MARKS.sub("\ufffd", shown(self._text, LONGEST_VALUE)).replace("`", "'")
        return f"{_OPEN}{plain}{_CLOSE}"


class _Values:
    """A list of texts as a field."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        self._texts = texts

    def __format__(self, spec: str) -> str:
        more = len(self._texts) - MOST_VALUES
        listed = [format(_Value(text), spec) for text in self._texts[:MOST_VALUES]]
        return ", ".join([*listed, *([f"+{more}"] if more > 0 else [])])


def _quoted(value: Argument) -> object:
    if isinstance(value, str):
        return _Value(value)
    return _Values(value) if isinstance(value, tuple) else value


def _spanned(text: str) -> str:
    """Marks as backticks, but where the template itself has its field in a code span; no two spans touch."""
    made: list[str] = []
    is_own = False  # inside of a span of the template's
    for char in text:
        if is_own and char in (_OPEN, _CLOSE):
            continue
        if char in (_OPEN, _CLOSE, "`"):
            is_opening = not is_own and char != _CLOSE
            is_own = is_opening if char == "`" else is_own
            made += [" ", "`"] if is_opening and made[-1:] == ["`"] else ["`"]
        else:
            made.append(char)
    return "".join(made)
