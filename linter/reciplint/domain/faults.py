"""What is wrong with a loaded value, as places and facts without words: the schemas' errors made readable.

A fault names the path of the value, which part of it is meant, and typed arguments; the `schema` rule words it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Literal

import msgspec

from reciplint.domain.schemas import conforms, explainer

Path = tuple[str | int, ...]
Place = Literal["key", "value", "owner"]
"""`key` and `value` of the last part of the path; `owner`: the mapping at the path, for what is missing in it."""


class Fault(msgspec.Struct, frozen=True):
    """One fault. `tolerated`: the consumer converts or ignores it, so it is no error."""

    path: Path
    place: Place
    name: str
    arguments: Mapping[str, str | int | float | tuple[str, ...]] = {}
    tolerated: bool = False


def dashed(key: str) -> str:
    """A key in kebab case: `dp_attn` and `dpAttn` are `dp-attn`."""
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda match: f"-{match.group().lower()}", key).replace("_", "-")


def with_dashes(value: Any, names: frozenset[str]) -> Any:
    """The value with every key in kebab case whose kebab form is among `names`.

    Where both spellings stand, the dashed one wins. How keys are spelled is the business of `kebab-case-keys`.
    """
    if isinstance(value, list):
        return [with_dashes(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for key, item in value.items():
        name = dashed(key) if key not in names else key
        if name != key and name not in names:
            name = key
        if name == key or name not in value:
            result[name] = with_dashes(item, names) if isinstance(item, (dict, list)) else item
    return result


def show(value: Any) -> str:
    """A found value as a message shows it: short, text in quotes."""
    if isinstance(value, dict):
        return (
            f"a mapping of {', '.join(list(value)[:3])}{', …' if len(value) > 3 else ''}"
            if value
            else "an empty mapping"
        )
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    text = text if len(text) <= 60 else text[:59] + "…"
    return f'"{text}"' if isinstance(value, str) else text


def structural(
    name: str, value: Any, part: str | None = None, lenient: Callable[[Path], bool] = lambda _: False
) -> list[Fault]:
    """What a schema finds in a value. `lenient` tells the places where the consumer converts wrong types."""
    if conforms(name, value, part):
        return []
    found: dict[tuple[Path, str], Fault] = {}
    for error in explainer(name, part).iter_errors(value):
        for fault in _faults(error, lenient):
            found.setdefault((fault.path, "" if fault.place == "value" else fault.name + str(fault.arguments)), fault)
    return list(found.values())


def under_any(path: Path, faults: Iterable[Fault]) -> bool:
    """Whether a path is, or lies below, the place of a fault."""
    return any(path[: len(fault.path)] == fault.path for fault in faults)


def under(path: Path, faults: Iterable[Fault]) -> bool:
    """Whether a fault lies at or below a path."""
    return any(fault.path[: len(path)] == path for fault in faults)


_IMPLIED = {
    "no-transfer": "kv-p2p-transfer",
    "no-transfer-here": "kv-p2p-transfer",
    "no-dram-utilization": "dram-utilization",
}


def without_echoes(faults: Iterable[Fault]) -> list[Fault]:
    """The faults without those that repeat another: a misspelt key is not also a missing one."""
    faults = list(faults)
    meant = {(fault.path[:-1], fault.arguments.get("suggestion")) for fault in faults if fault.name == "unknown-key"}
    return [
        fault
        for fault in faults
        if (fault.path, fault.arguments.get("key", _IMPLIED.get(fault.name))) not in meant or fault.place != "owner"
    ]


def _faults(error: Any, lenient: Callable[[Path], bool]) -> list[Fault]:
    path: Path = tuple(error.absolute_path)
    found = error.instance
    keyword = error.validator
    if keyword == "additionalProperties":
        return [_unknown(path, key, error) for key in found if key not in error.schema["properties"]]
    if keyword == "required":
        return [Fault(path, "owner", "missing-key", {"key": key}) for key in error.validator_value if key not in found]
    if keyword == "type":
        return [_type(path, found, error, lenient)]
    if keyword in ("enum", "const"):
        return [_choice(path, found, error, lenient)]
    return _bound(path, found, keyword, error)


def _bound(path: Path, found: Any, keyword: str, error: Any) -> list[Fault]:
    limits = {"minimum": "below-minimum", "exclusiveMinimum": "not-above", "maximum": "above-maximum"}
    if keyword in limits:
        return [Fault(path, "value", limits[keyword], {"found": show(found), "limit": error.validator_value})]
    if keyword in ("minLength", "minItems"):
        return [Fault(path, "value", "empty-value", {})]
    if keyword == "pattern":
        return [Fault(path, "value", error.schema["$comment"], {"found": show(found)})]
    return []  # conditions over several keys are worded by code


def _unknown(path: Path, key: str, error: Any) -> Fault:
    known = list(error.schema["properties"])
    free = [name for name in known if name not in error.instance]
    near = get_close_matches(dashed(key).lower(), free, n=1, cutoff=0.6) or get_close_matches(
        dashed(key).lower(), known, n=1, cutoff=0.8
    )
    if near:
        return Fault((*path, key), "key", "unknown-key", {"key": key, "suggestion": near[0]})
    return Fault((*path, key), "key", "unknown-key-here", {"key": key, "known": tuple(known)})


_EXPECTED = {
    "integer": "not-an-integer",
    "number": "not-a-number",
    "boolean": "not-a-boolean",
    "string": "not-text",
    "array": "not-a-list",
    "object": "not-a-mapping",
}


def _type(path: Path, found: Any, error: Any, lenient: Callable[[Path], bool]) -> Fault:
    wanted = error.validator_value if isinstance(error.validator_value, str) else error.validator_value[0]
    tolerated = lenient(path) and _converts(found, wanted, error.schema)
    return Fault(path, "value", _EXPECTED[wanted], {"found": show(found)}, tolerated)


def _choice(path: Path, found: Any, error: Any, lenient: Callable[[Path], bool]) -> Fault:
    values = error.validator_value if error.validator == "enum" else [error.validator_value]
    choices = tuple(show(value).strip('"') for value in values if value is not None)
    choices = tuple(choice for choice in choices if choice != "false" or "off" not in choices)
    if len(choices) == 1:
        return Fault(path, "value", "must-be", {"found": show(found), "expected": choices[0]})
    near = get_close_matches(found, choices, n=1) if isinstance(found, str) else []
    if near:
        return Fault(
            path, "value", "not-a-choice-near", {"found": show(found), "choices": choices, "suggestion": near[0]}
        )
    return Fault(path, "value", "not-a-choice", {"found": show(found), "choices": choices})


_INTEGER = re.compile(r"\s*[+-]?\d+(_\d+)*(\.0*)?\s*\Z", re.ASCII)
_LONGEST_INTEGER = 4000  # Python refuses to read more than 4300 digits
_NUMBER = re.compile(r"\s*[+-]?(\d+(_\d+)*\.?\d*|\.\d+)([eE][+-]?\d+)?\s*\Z", re.ASCII)
_BOOLEAN = frozenset(("true", "false", "t", "f", "yes", "no", "y", "n", "on", "off", "1", "0"))


def _converts(found: Any, wanted: str, bounds: Mapping[str, Any]) -> bool:
    """Whether a lenient reader (pydantic's lax mode) makes a fitting value of the wanted type of a value."""
    if wanted == "boolean":
        return boolean(found) is not None
    number: float | None = None
    if wanted == "integer":
        number = integer(found)
    elif wanted == "number" and (isinstance(found, bool) or (isinstance(found, str) and _NUMBER.match(found))):
        number = float(found)
    if number is None:
        return False
    above = number > bounds.get("exclusiveMinimum", float("-inf")) and number >= bounds.get("minimum", float("-inf"))
    return bool(above and number <= bounds.get("maximum", float("inf")))


def integer(value: Any) -> int | None:
    """The integer that a lenient reader takes a value for; None where it takes none."""
    if isinstance(value, (bool, int)):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) <= _LONGEST_INTEGER and _INTEGER.match(value):
        return int(value.strip().split(".")[0])
    return None


def boolean(value: Any) -> bool | None:
    """The truth that a lenient reader takes a value for; None where it takes none."""
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.lower() in _BOOLEAN:
        return value.lower() in ("true", "t", "yes", "y", "on", "1")
    return None
