"""JSON within a flag, with the place of each key and value; variables that are not known may stand for values."""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

import msgspec

from reciplint.domain.serving.config import Flag, Place, Value

_BLANK = re.compile(r"[ \t\r\n]*")
_PLAIN = re.compile(r"-?(?:0|[1-9]\d{0,400})(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_VARIABLE = re.compile(r"\$\{[^{}]*\}|\$\([^()]*\)")
_MAX_DEPTH = 40


class Unknown(NamedTuple):
    """A value that a variable holds."""

    text: str


class JsonPlace(NamedTuple):
    """A value's path with the offsets of its key (of the value itself in a list) and of the value, in the text."""

    path: tuple[str | int, ...]
    key: tuple[int, int]
    value: tuple[int, int]


class Json(msgspec.Struct, frozen=True):
    """A JSON text: its value, in which unknown variables are `Unknown`, and where each part of it stands."""

    value: Any
    places: tuple[JsonPlace, ...]


class JsonFault(ValueError):
    """Text that is no JSON; `position` is where reading stopped."""

    def __init__(self, position: int) -> None:
        super().__init__(f"no JSON from offset {position}")
        self.position = position


def read_json(text: str) -> Json:
    """A JSON text. Raises `JsonFault`."""
    reader = _Reader(text)
    start = reader.blank(0)
    value, end = reader.value(start, (), (start, start))
    end = reader.blank(end)
    if end != len(text):
        raise JsonFault(end)
    return Json(value, tuple(reader.places))


def json_of(flag: Flag | None) -> Any:
    """What a flag's JSON holds, or the mapping that a recipe writes instead; None where it is neither."""
    if flag is None or isinstance(flag.value, (dict, list)):
        return None if flag is None else flag.value
    try:
        return read_json(flag.text).value
    except JsonFault:
        return None


def json_mapping(flag: Flag | None) -> dict[str, Any]:
    """What a flag's JSON object holds; empty where it holds none."""
    value = json_of(flag)
    return value if isinstance(value, dict) else {}


def place_of(flag: Flag, path: tuple[str | int, ...], of_key: bool = False) -> Place:
    """Where a part of a flag's JSON is written, its value or its key, without quotes; the whole value's place where it
    is not there."""
    if len(flag.arguments) != 1:
        return flag.value_place
    try:
        places = read_json(flag.text).places
    except JsonFault:
        return flag.value_place
    for place in places:
        if place.path == path:
            start, end = place.key if of_key else place.value
            if flag.text[start : start + 1] == '"' and end - start > 2:
                start, end = start + 1, end - 1
            return flag.arguments[0].place_at(start, end) or flag.value_place
    return flag.value_place


def fault_place(value: Value, fault: JsonFault) -> Place | None:
    """Where a text stops being JSON."""
    return value.place_at(min(fault.position, len(value.text)), fault.position + 1)


class _Reader:
    """Recursive descent over one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.places: list[JsonPlace] = []

    def blank(self, position: int) -> int:
        """The offset after blanks."""
        match = _BLANK.match(self._text, position)
        return match.end() if match else position

    def value(self, start: int, path: tuple[str | int, ...], key: tuple[int, int]) -> tuple[Any, int]:
        """The value at an offset, and the offset after it."""
        if len(path) > _MAX_DEPTH:
            raise JsonFault(start)
        index = len(self.places)
        found, end = self._read(start, path)
        self.places.insert(
            index, JsonPlace(path, key if path and isinstance(path[-1], str) else (start, end), (start, end))
        )
        return found, end

    def _read(self, start: int, path: tuple[str | int, ...]) -> tuple[Any, int]:
        first = self._text[start : start + 1]
        if first == "{":
            return self._object(start + 1, path)
        if first == "[":
            return self._array(start + 1, path)
        if first == '"':
            return self._string(start)
        if match := _PLAIN.match(self._text, start):
            return json.loads(match[0]), match.end()
        if match := _VARIABLE.match(self._text, start):
            return Unknown(match[0]), match.end()
        raise JsonFault(start)

    def _string(self, start: int) -> tuple[str, int]:
        try:
            text, end = scanstring(self._text, start + 1, False)
        except ValueError as error:
            raise JsonFault(start) from error
        return text, end

    def _object(self, position: int, path: tuple[str | int, ...]) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        position = self.blank(position)
        if self._text[position : position + 1] == "}":
            return found, position + 1
        while True:
            if self._text[position : position + 1] != '"':
                raise JsonFault(position)
            name, end = self._string(position)
            key = (position, end)
            position = self.blank(end)
            if self._text[position : position + 1] != ":":
                raise JsonFault(position)
            found[name], position = self.value(self.blank(position + 1), (*path, name), key)
            position, is_last = self._separator(position, "}")
            if is_last:
                return found, position

    def _array(self, position: int, path: tuple[str | int, ...]) -> tuple[list[Any], int]:
        found: list[Any] = []
        position = self.blank(position)
        if self._text[position : position + 1] == "]":
            return found, position + 1
        while True:
            value, position = self.value(position, (*path, len(found)), (position, position))
            found.append(value)
            position, is_last = self._separator(position, "]")
            if is_last:
                return found, position

    def _separator(self, position: int, closing: str) -> tuple[int, bool]:
        position = self.blank(position)
        mark = self._text[position : position + 1]
        if mark not in (",", closing) or not mark:
            raise JsonFault(position)
        return (position + 1, True) if mark == closing else (self.blank(position + 1), False)
