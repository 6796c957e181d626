"""New scalars as they are written: in the quotes that stand there, and so that every reader reads the same."""

from __future__ import annotations

from reciplint.yamltree.problem import Unreadable
from reciplint.yamltree.replacing import Refused
from reciplint.yamltree.scalars import resolve_11, value_11, value_12
from reciplint.yamltree.tree import Scalar, Sequence


def spell_text(value: str, style: str, in_flow: bool) -> str:
    """A text in the quotes that stood there, or plainly where every reader then reads this very text. Raises
    `Refused`."""
    if not value.isprintable():
        raise Refused("the new value holds a character that is written with an escape")
    if style == "'":
        return "'" + value.replace("'", "''") + "'"
    if not style and reads_plain(value, in_flow) and is_text(value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def is_text(value: str) -> bool:
    """Whether every reader takes a plain scalar for text, and not for a number, a date or a merge key."""
    return bool(resolve_11(value) == "str" and value_12(value) == value)


def reads_plain(text: str, in_flow: bool) -> bool:
    """Whether a text without quotes is one plain scalar of just these characters."""
    from reciplint.yamltree.parse import parse_text  # brings in PyYAML, which a run from the cache can do without

    try:
        root = parse_text(f"[{text}]" if in_flow else f"- {text}").root
    except Unreadable:
        return False
    only = root.items[0] if isinstance(root, Sequence) and len(root.items) == 1 else None
    if not isinstance(only, Scalar) or only.style or only.tag is not None or only.anchor is not None:
        return False
    return bool(only.value == text)


def spell_number(value: float) -> str:
    """A number or boolean as PyYAML and a 1.2 reader both read it. Raises `Refused`."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    if any(type(read) is not type(value) or read != value for read in (value_11(text), value_12(text))):
        raise Refused(f"{text} is not read alike by every YAML reader")
    return text
