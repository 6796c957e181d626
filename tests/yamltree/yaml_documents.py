"""Generated YAML texts for property tests: readable by PyYAML, with comments, quotes, anchors and merge keys."""

from __future__ import annotations

import datetime
from typing import Any

import yaml
from hypothesis import strategies as st

PLAIN = st.sampled_from(
    [
        *[
            "a",
            "fp8",
            "1",
            "010",
            "08",
            "0x1F",
            "1.5",
            "1e3",
            "-7",
            ".inf",
            "yes",
            "Off",
            "true",
            "~",
            "null",
            "1:30",
            "1_000",
            "2026-01-02",
            "=",
            "x#y",
            "é",
            "/x/y:z",
        ],
        "two words",
    ]
)
# No key of one character: PyYAML 6.0.4 tells merged keys apart by the identity of their strings, and CPython has
# only one string of each single character.
KEYS = st.sampled_from(["name", "model", "tp-size", "conc_list", "bb", "éé", "x.y"])
QUOTED = st.text(alphabet="ab #:'\"\\-[]{},&*é", max_size=8)


def _render_quoted(text: str, double: bool) -> str:
    if double:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return "'" + text.replace("'", "''") + "'"


SCALARS = st.one_of(PLAIN, st.builds(_render_quoted, QUOTED, st.booleans()))
COMMENTS = st.sampled_from(["", "", "", "  # why", ' # it\'s "so"', "\t#x"])


@st.composite
def _block(draw: st.DrawFn, indent: int, depth: int) -> list[str]:
    """The lines of a block mapping or sequence."""
    lines: list[str] = []
    pad = " " * indent
    keyed = draw(st.booleans())
    keys = draw(st.lists(KEYS, min_size=1, max_size=4, unique=not draw(st.booleans())))
    for key in keys:
        if draw(st.integers(0, 9)) == 0:
            lines.append(f"{pad}# {draw(st.sampled_from(['note', 'a: b', '- x #']))}")
        head = f"{pad}{key}:" if keyed else f"{pad}-"
        shape = draw(st.integers(0, 5)) if depth else 0
        comment = draw(COMMENTS)
        if shape <= 2:
            lines.append(f"{head} {draw(SCALARS)}{comment}")
        elif shape == 3:
            lines.append(f"{head}{comment}")
            lines += draw(_block(indent + 2, depth - 1))
        elif shape == 4:
            items = ", ".join(draw(st.lists(SCALARS.filter(lambda text: "{" not in text), max_size=3)))
            lines.append(f"{head} [{items}]{comment}")
        else:
            lines.append(f"{head} {draw(st.sampled_from(['|', '>', '|-', '>+']))}{comment}")
            lines += [
                f"{pad}  {line}" for line in draw(st.lists(st.sampled_from(["x", "# no comment", "aa: b"]), max_size=3))
            ]
    return lines


def _readable(text: str) -> bool:
    try:
        list(yaml.load_all(text, yaml.CSafeLoader))
    except (yaml.YAMLError, ValueError):
        return False
    return True


@st.composite
def _text(draw: st.DrawFn) -> str:
    newline = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    lines = draw(_block(0, 3))
    if draw(st.booleans()):
        lines = ["base: &base", "  tp-size: 1", "  name: base", *[line for line in lines if not line.startswith("-")]]
        lines += ["over:", "  <<: *base", f"  name: {draw(SCALARS)}", "again: *base"]
    text = draw(st.sampled_from(["", "", "\ufeff"])) + newline.join(lines)
    return text + draw(st.sampled_from(["", newline, newline * 2]))


DOCUMENTS = _text().filter(_readable)
"""Texts that PyYAML loads."""


def as_json(value: Any) -> Any:
    """What PyYAML loaded, in the shape of `scalars.load`: keys as JSON text, dates as ISO text."""
    if isinstance(value, dict):
        return {_key(key): as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    return value.isoformat() if isinstance(value, datetime.date) else value


def _key(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return "null" if key is None else str(key)
