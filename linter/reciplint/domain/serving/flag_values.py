"""What is wrong with a flag's value: what the engine refuses, and what the launcher of a recipe drops or mangles.

Where the release is not known, a value is wrong only if every release's form of the flag refuses it. Values that hold
an unknown variable are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import Any, NamedTuple

from reciplint.domain.catalogue import Catalogue, Entry, Match, Shape, number
from reciplint.domain.releases import Version
from reciplint.domain.serving.config import Flag
from reciplint.domain.serving.json_values import JsonFault, Unknown, read_json
from reciplint.domain.serving.release_spans import lacking, told

Path = tuple[str | int, ...]

_WHOLE = re.compile(r"\s*[+-]?\d+(?:_\d+)*\s*\Z")
_PLACEHOLDER = re.compile(r"\$|\{\w+\}|\A<.*>\Z")
"""What stands for a value that a shell or a sweep fills in."""

_QUOTED = re.compile(r'("(?:[^"\\]|\\.)*")')
_UNIT = re.compile(r"(\b\d+(?:\.\d+)?)[kKmMgGtT]\b")

_NOTHING = frozenset(("", "none", "null"))
_VALUELESS = frozenset(("switch", "bool"))
_VALUED = {"int": "a whole number", "float": "a number", "json": "JSON", "str": "a value", "enum": "a value"}
_SHOWN = 12


class ValueFault(NamedTuple):
    """A fault: its message, what the message says, and where: at the offset `json` of the text, or at `key` of the
    JSON (at its key, where `is_key`), else at the value. `is_advice`: it changes nothing that runs."""

    message: str
    values: dict[str, str]
    json: int | None = None
    key: Path | None = None
    is_key: bool = False
    is_advice: bool = False


def value_faults(
    match: Match, catalogue: Catalogue, flag: Flag, release: Version | None, is_command: bool
) -> tuple[ValueFault, ...]:
    """What is wrong with a flag's value in a release, or in every one where it is not known."""
    shapes: tuple[Shape, ...] = (match.entry.at(release),) if release else (match.entry, *match.entry.was)
    if not flag.is_sent:
        return tuple(_dropped(shapes, match, flag))
    if match.path:
        return tuple(_unknown_key(match, catalogue, release, match.path))
    reading = _Reading(match.entry, catalogue, flag, release, is_command)
    found = [tuple(reading.faults(shape, match.how == "negated")) for shape in shapes]
    return found[0] if all(found) else ()


def _dropped(shapes: tuple[Shape, ...], match: Match, flag: Flag) -> Iterator[ValueFault]:
    """`false` and `null`, which the launcher leaves out."""
    if flag.value is None or not all(shape.kind in _VALUELESS for shape in shapes):
        yield ValueFault("dropped", {"value": "null" if flag.value is None else "false"}, is_advice=True)
    elif match.how == "negated":
        instead = f"leave it out, or write {flag.normal}: true"
        yield ValueFault("false", {"default": "", "instead": instead}, is_advice=True)
    elif all(shape.kind == "bool" and shape.default is not False for shape in shapes):
        yield ValueFault("false-on", {"instead": f"no-{flag.normal}: true"})
    else:
        yield ValueFault("false", {"default": "off", "instead": "leave it out"}, is_advice=True)


def _unknown_key(
    match: Match, catalogue: Catalogue, release: Version | None, path: tuple[str, ...], within: Path | None = None
) -> Iterator[ValueFault]:
    """A path of JSON keys that a configuration class has not."""
    found = catalogue.key(match.entry, path, release)
    key = None if within is None else (*within[: found.at], path[found.at]) if path else within
    if not found.known and found.config is not None:
        name = path[found.at]
        near = get_close_matches(name, catalogue.keys(found.config, release), 1, 0.8)
        values = {"key": name, "config": found.config, "near": near[0] if near else ""}
        yield ValueFault("key", values, key=key, is_key=True)
    elif found.entry is not None and lacking(found.entry.span, release, catalogue.versions):
        values = {"key": path[-1], "config": found.config or "", "since": told(found.entry.span)}
        yield ValueFault("key-version", values, key=key, is_key=True)


class _Reading(NamedTuple):
    """A flag's value, to be held against a form of the flag."""

    entry: Entry
    catalogue: Catalogue
    flag: Flag
    release: Version | None
    is_command: bool

    def faults(self, shape: Shape, negated: bool) -> Iterator[ValueFault]:
        """What this form of the flag refuses."""
        flag, texts = self.flag, self.flag.texts
        if isinstance(flag.value, dict):
            yield ValueFault("mapping", {})
        elif negated or shape.kind in _VALUELESS:
            if texts and (not self.is_command or texts[0].lower() in ("true", "false", "0", "1")):
                yield ValueFault("takes-none", {"value": flag.text})
        elif not texts:
            if shape.kind in _VALUED and not shape.words:
                yield ValueFault("no-value", {"kind": _VALUED[shape.kind]})
        elif shape.kind == "json" and len(texts) == 1:
            yield from self._json(shape, texts[0])
        elif len(texts) > 1 and shape.kind in _VALUED:
            if not self.is_command:
                yield ValueFault("several", {"count": str(len(texts))})
        else:
            for index, text in enumerate(texts if shape.kind == "list" else texts[:1]):
                if not self._is_open(index, text):
                    yield from self._text(shape, text)

    def _is_open(self, index: int, text: str) -> bool:
        """Whether an argument holds what is only known when it runs."""
        return bool(_PLACEHOLDER.search(text) or (self.is_command and self.flag.arguments[index].variables))

    def _text(self, shape: Shape, text: str) -> Iterator[ValueFault]:
        kind = shape.element or "" if shape.kind == "list" else shape.kind
        if (shape.nullable and text.lower() in _NOTHING) or text.lower() in shape.words:
            return
        if kind in _NUMBERS and not _NUMBERS[kind](text, shape.units):
            yield ValueFault("number", {"value": text, "kind": _VALUED[kind]})
        elif shape.closed:
            yield from self._choice(self.entry, shape, text, "choice", {})

    def _choice(
        self, entry: Entry, shape: Shape, text: str, message: str, values: dict[str, str], key: Path | None = None
    ) -> Iterator[ValueFault]:
        """A value that is none of the choices, or not yet or no more one."""
        folded = _folded if shape.kind == "named" else str
        spans = {folded(choice): span for choice, span in entry.choices.items()}
        values = {**values, "value": text}
        if folded(text) not in spans:
            offered = entry.choices_at(self.release)
            if offered:
                near = get_close_matches(text, offered, 1, 0.75)
                shown = ", ".join(offered[:_SHOWN]) + (", …" if len(offered) > _SHOWN else "")
                yield ValueFault(message, {**values, "choices": shown, "near": near[0] if near else ""}, key=key)
        elif lacking(spans[folded(text)], self.release, self.catalogue.versions):
            yield ValueFault(f"{message}-version", {**values, "since": told(spans[folded(text)])}, key=key)

    def _json(self, shape: Shape, text: str) -> Iterator[ValueFault]:
        if shape.nullable and text.lower() in _NOTHING:
            return
        try:
            value = read_json(_without_units(text)).value
        except JsonFault as fault:
            if not self._is_open(0, text):
                yield ValueFault("json", {"rest": text[fault.position :][:30]}, json=fault.position)
            return
        if shape.config is not None:
            yield from self._keys(shape.config, value, ())

    def _keys(self, config: str, value: Any, path: Path) -> Iterator[ValueFault]:
        """What a configuration class does not know of a JSON object, and of the objects in it."""
        fields = self.catalogue.configs.get(config)
        if not fields or not isinstance(value, dict):
            return
        for name, inner in value.items():
            entry, here = fields.get(name), (*path, name)
            if entry is None:
                near = get_close_matches(name, fields, 1, 0.8)
                values = {"key": name, "config": config, "near": near[0] if near else ""}
                yield ValueFault("key", values, key=here, is_key=True)
                continue
            if lacking(entry.span, self.release, self.catalogue.versions):
                values = {"key": name, "config": config, "since": told(entry.span)}
                yield ValueFault("key-version", values, key=here, is_key=True)
                continue
            shape = entry.at(self.release)
            if shape.config is not None:
                yield from self._keys(shape.config, inner, here)
            elif entry.choices_at(self.release) and isinstance(inner, str) and not isinstance(inner, Unknown):
                yield from self._choice(entry, shape, inner, "key-choice", {"key": name}, here)


def _without_units(text: str) -> str:
    """JSON with plain numbers of the same length where vLLM expands `80m` before it reads the text."""
    if not _UNIT.search(text):
        return text
    return "".join(part if part.startswith('"') else _UNIT.sub(r"\g<1>0", part) for part in _QUOTED.split(text))


def _folded(text: str) -> str:
    return text.upper().replace("-", "_")


def _is_whole(text: str, units: bool) -> bool:
    return _WHOLE.match(text) is not None or (units and number(text) is not None)


def _is_number(text: str, units: bool) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


_NUMBERS: dict[str, Callable[[str, bool], bool]] = {"int": _is_whole, "float": _is_number}
