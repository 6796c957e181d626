r"""Untrusted text made safe to show: what a terminal, a log or a reader's eye would obey becomes a visible escape.

Covered are control characters, line separators, bidi controls, everything invisible (Unicode's default ignorables,
bar the two emoji variation selectors), lone surrogates, and the commands that GitHub's runner takes from a log:
`##[` anywhere in a line and `::` at its start. The runner skips leading blanks and compares by culture, which
ignores invisible characters, so `#<U+FE0F>#[` counts as well.
"""

from __future__ import annotations

import re

PATH_LIMIT = 4096
"""Code points of a path shown to people: Linux opens none that is longer, though git may hold one."""

MESSAGE_LIMIT = 1000
"""Code points of a message shown to people; the JSON report has it whole."""

HIDDEN_BEYOND_C0 = (
    "\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
HIDDEN = f"\x00-\x1f{HIDDEN_BEYOND_C0}"
"""Two bodies of a regular expression's character class: JSON escapes the C0 controls by itself."""

RUNNER_COMMAND = "#(?=[\ufe0e\ufe0f]*#[\ufe0e\ufe0f]*\\[)"

_UNSAFE = re.compile(f"[{HIDDEN}]|{RUNNER_COMMAND}")
_COLONS = re.compile(":(?=[\ufe0e\ufe0f]*(?::|\\Z))")
_COMMAND = re.compile("\\A([\\s\ufe0e\ufe0f]*):(?=[\ufe0e\ufe0f]*:)")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escaped(char: str) -> str:
    r"""The visible escape of one character: `\n`, `\x1b`, `\u202e`, `\U000e0041`."""
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def shown(text: str, limit: int | None = None) -> str:
    """The text on one line, safe to print; cut to `limit` code points of the original, with "…" for the rest."""
    if limit is not None and len(text) > limit:
        return shown(text[:limit]) + "…"
    return text if is_plain(text) else _UNSAFE.sub(lambda match: escaped(match[0]), text)


def shown_path(path: str) -> str:
    """A path as `shown`, and safe at the start of a line, a colon after it included."""
    return _COLONS.sub("\\\\x3a", shown(path, PATH_LIMIT))


def shown_first(text: str) -> str:
    """A text as `shown`, and safe at the start of a line, after blanks too."""
    return _COMMAND.sub(r"\1\\x3a", shown(text))


def shown_line(line: str) -> str:
    """A line of a file as `shown_first`, its tabs kept."""
    return _COMMAND.sub(r"\1\\x3a", "\t".join(map(shown, line.split("\t"))))


def shown_at(text: str, index: int) -> str:
    """How one character of a text is shown, as `shown` does it for the whole."""
    match = _UNSAFE.match(text, index)
    return escaped(match[0]) if match else text[index]


def is_plain(text: str) -> bool:
    """Whether every character is shown as itself and takes one cell: printable ASCII that holds no command."""
    return text.isascii() and text.isprintable() and "#" not in text


def percent_encoded(path: str) -> str:
    """A path as a part of an address: the bytes of its name, those that are no UTF-8 too."""
    from urllib.parse import quote

    try:
        data = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # no name of a file: such a path comes from an untrusted report
        data = path.encode("utf-8", "surrogatepass")
    return quote(data, safe="/")
