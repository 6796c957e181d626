"""The text of a new changelog entry, in the manner of the entries before it, and how it joins the end of the file.

Nothing that stands is touched: the old text is a prefix of the new one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from reciplint.domain.reading import items_of
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.problem import Unreadable
from reciplint.yamltree.scalars import load, resolve_11, value_12
from reciplint.yamltree.tree import Entry, Mapping, Node, Scalar, Sequence, Tree

_LAST = 5
"""How many entries from the end show the manner."""

_SHORT = {
    "\0": "0", "\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", "\x1b": "e",
    '"': '"', "\\": "\\", "\x85": "N", "\u2028": "L", "\u2029": "P",
}  # fmt: skip
"""The escapes of a double-quoted scalar that have a letter."""

_PRINTABLE = ((0x20, 0x7E), (0xA0, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF))
_SPECIAL = "\u2028\u2029\ufeff"

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class NewEntry:
    """What an entry says; no `scenario_types` means all."""

    keys: tuple[str, ...]
    description: tuple[str, ...]
    pr_link: str
    scenario_types: tuple[str, ...] = ()


@dataclass(frozen=True)
class Manner:
    """How a changelog is written: column of the entries, how far lists are indented below their key, and quotes
    (`"`, `'`, or none) of keys, descriptions and links."""

    column: int = 0
    indent: int = 2
    key_quote: str = ""
    text_quote: str = '"'
    link_quote: str = ""


def manner_of(tree: Tree) -> Manner:
    """The manner of the last entries; each trait as most of them have it, the later one where they tie."""
    root = tree.root
    if not isinstance(root, Sequence) or root.flow or not root.items:
        return Manner()
    entries = [item for item in items_of(root)[-_LAST:] if isinstance(item, Mapping) and not item.flow]
    fields = [entry for item in reversed(entries) for entry in item.entries]
    lists = [entry for entry in fields if isinstance(entry.value, Sequence) and not entry.value.flow]
    return Manner(
        column=column_of(tree.text, root.start),
        indent=_most((column_of(tree.text, e.value.start) - column_of(tree.text, e.key.start) for e in lists), 2),
        key_quote=_quote(fields, "config-keys", ""),
        text_quote=_quote(fields, "description", '"'),
        link_quote=_quote(fields, "pr-link", ""),
    )


def column_of(text: str, offset: int) -> int:
    """How many characters stand before an offset on its line; a byte order mark is none."""
    return len(text[text.rfind("\n", 0, offset) + 1 : offset].lstrip("\ufeff"))


def _quote(fields: list[Entry], name: str, default: str) -> str:
    values = [entry.value for entry in fields if entry.name == name]
    scalars = [item for value in values for item in (value.items if isinstance(value, Sequence) else [value])]
    return _most((item.style for item in scalars if isinstance(item, Scalar) and item.style not in ("|", ">")), default)


def _most(values: Iterable[_Value], default: _Value) -> _Value:
    found = Counter(values).most_common(1)
    return found[0][0] if found else default


def entry_text(entry: NewEntry, manner: Manner) -> str:
    """An entry as YAML in a given manner, without the last line break; lines end with LF."""
    first, rest = " " * manner.column + "- ", " " * (manner.column + 2)
    item = rest + " " * manner.indent + "- "
    lines = [f"{first}config-keys:"]
    lines += [item + quoted(key, manner.key_quote) for key in entry.keys]
    if entry.scenario_types:
        lines += [f"{rest}scenario-type:", *(item + quoted(kind, "") for kind in entry.scenario_types)]
    lines.append(f"{rest}description:")
    lines += [item + quoted(text, manner.text_quote) for text in entry.description]
    lines.append(f"{rest}pr-link: {quoted(entry.pr_link, manner.link_quote)}")
    return "\n".join(lines)


def quoted(text: str, quote: str) -> str:
    """A text as a scalar on one line, with the wanted quotes where they can hold it, else in double quotes."""
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if quote == "" and _is_plain(text):
        return text
    if quote == "'" and all(_is_printable(character) for character in text):
        return "'" + text.replace("'", "''") + "'"
    return '"' + "".join(map(_escaped, text)) + '"'


def _is_plain(text: str) -> bool:
    """Whether a text without quotes is read as itself, as a list item and as a value, by YAML 1.1 and 1.2."""
    if not all(map(_is_printable, text)) or resolve_11(text) != "str" or value_12(text) != text:
        return False
    try:
        read = [load(parse_text(f"- {text}\n- key: {text}\n").root)]
    except Unreadable:
        return False
    return read == [[text, {"key": text}]]


def _escaped(character: str) -> str:
    if character in _SHORT:
        return "\\" + _SHORT[character]
    if _is_printable(character):
        return character
    code = ord(character)
    return f"\\x{code:02X}" if code <= 0xFF else f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def _is_printable(character: str) -> bool:
    code = ord(character)
    return character not in _SPECIAL and any(low <= code <= high for low, high in _PRINTABLE)


def appended(text: str, entries: Iterable[str]) -> str:
    """A changelog with entries added: an empty line before each (none where the tail already ends with one), and a
    line break at the end. The old text is a prefix of the result; what is added ends its lines with LF, as the
    readers of a changelog want it, also after history that does not."""
    parts = [text]
    if text.strip("\ufeff") and not text.endswith("\n"):
        parts.append("\n")
    is_blank = not text.strip("\ufeff") or text.endswith(("\n\n", "\n\r\n"))
    for entry in entries:
        if not is_blank:
            parts.append("\n")
        parts += (entry.replace("\r\n", "\n"), "\n")
        is_blank = False
    return "".join(parts)


class NotAppended(Exception):
    """A changelog to which nothing can be appended; the text is for people."""


def with_entries(data: bytes, entries: list[NewEntry]) -> bytes:
    """A changelog with new entries at its end, in its own manner. Raises `NotAppended` and `Unreadable`."""
    tree = parse_text(data.decode("utf-8"))
    if len(tree.documents) > 1 or not (tree.root is None or (isinstance(tree.root, Sequence) and not tree.root.flow)):
        raise NotAppended("it is no list with one entry after another")
    manner = manner_of(tree)
    after = appended(tree.text, [entry_text(entry, manner) for entry in entries])
    wanted = [*(load(item) for item in _items(tree)), *map(_as_value, entries)]
    if [load(item) for item in _items(parse_text(after))] != wanted:
        raise NotAppended("what stands at its end leaves no room for an entry")
    return after.encode()


def _items(tree: Tree) -> list[Node]:
    return tree.root.items if isinstance(tree.root, Sequence) else []


def _as_value(entry: NewEntry) -> dict[str, object]:
    value: dict[str, object] = {"config-keys": list(entry.keys)}
    if entry.scenario_types:
        value["scenario-type"] = list(entry.scenario_types)
    return {**value, "description": list(entry.description), "pr-link": entry.pr_link}
