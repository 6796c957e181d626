"""The tests of the table of constraints: true, false, or None where something unknown decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from reciplint.domain.catalogue import number as whole_number
from reciplint.domain.releases import Version, version
from reciplint.domain.serving.constraint_settings import Process, Reading
from reciplint.domain.serving.constraint_table import Conditions, Plain, Table, Test

Number = int | float | Version
Check = Callable[[Process, Reading], bool | None]

_OFF = frozenset({None, "false", "0", "", "off", "no", "none"})
_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "above": lambda left, right: left > right,
    "below": lambda left, right: left < right,
    "at_least": lambda left, right: left >= right,
    "at_most": lambda left, right: left <= right,
    "multiple_of": lambda left, right: right != 0 and left % right == 0,
    "divides": lambda left, right: left != 0 and right % left == 0,
}


class Condition(NamedTuple):
    """A setting with the checks that it is put to; `only_set` where being written is all that is asked."""

    setting: str
    checks: tuple[Check, ...]
    only_set: bool

    def holds(self, process: Process) -> bool | None:
        """Whether the setting passes. An absent one is no text and no number, and is not enabled."""
        reading = process.read(self.setting)
        if not reading.known:
            return True if self.only_set and reading.where is not None else None
        result: bool | None = True
        for check in self.checks:
            passed = check(process, reading)
            if passed is False:
                return False
            result = result and passed
        return result


def conditions(given: Conditions, table: Table) -> tuple[Condition, ...]:
    """Conditions of the table, made ready."""
    return tuple(
        Condition(setting, tuple(_checks(test, table)), test == Test(set=True)) for setting, test in given.items()
    )


def all_hold(process: Process, given: Iterable[Condition]) -> bool | None:
    """Whether every condition holds; false if one is known to fail, else unknown if one is unknown."""
    result: bool | None = True
    for condition in given:
        held = condition.holds(process)
        if held is False:
            return False
        result = result and held
    return result


def _checks(test: Test, table: Table) -> Iterator[Check]:
    if (wanted := test.set) is not None:
        yield lambda process, reading: (reading.where is not None) is wanted  # a default is not set
    if (on := test.enabled) is not None:
        yield lambda process, reading: (normal(reading.value, table) not in _OFF) is on
    for words, is_in in ((test.is_, True), (test.in_, True), (test.not_, False), (test.not_in, False)):
        if words is not None:
            listed = words if isinstance(words, tuple) else (words,)
            yield _membership(frozenset(normal(word, table) for word in listed), is_in, table)
    if test.matches is not None:
        yield _match(re.compile(test.matches, re.IGNORECASE), table)
    for name, compare in _ORDER.items():
        if (operand := getattr(test, name)) is not None:
            yield _comparison(operand, compare)


def _membership(words: frozenset[str | None], is_in: bool, table: Table) -> Check:
    def check(process: Process, reading: Reading) -> bool | None:
        if isinstance(reading.value, (list, tuple)):
            return any(normal(item, table) in words for item in reading.value) is is_in
        return (normal(reading.value, table) in words) is is_in

    return check


def _match(pattern: re.Pattern[str], table: Table) -> Check:
    def check(process: Process, reading: Reading) -> bool | None:
        text = normal(reading.value, table)
        return text is not None and pattern.search(text) is not None

    return check


def _comparison(operand: float | str, compare: Callable[[Any, Any], bool]) -> Check:
    fixed = _fixed(operand)

    def check(process: Process, reading: Reading) -> bool | None:
        left = number(reading.value)
        if left is None:
            return None if reading.value is not None else False
        right = fixed
        if right is None:
            other = process.read(str(operand))
            right = number(other.value) if other.known else None
        if right is None or isinstance(left, Version) is not isinstance(right, Version):
            return None
        return compare(left, right)

    return check


def _fixed(operand: float | str) -> Number | None:
    """The number or release that a test compares with; None for a setting."""
    if not isinstance(operand, str):
        return operand
    return version(operand)


def number(value: Any) -> Number | None:
    """A number, or a whole one as text (`32k`, as vLLM takes it); a release as it is; None for anything else."""
    if isinstance(value, (int, float, Version)):
        return None if isinstance(value, bool) else value
    return whole_number(value) if isinstance(value, str) else None


def normal(value: Plain | Any | None, table: Table) -> str | None:
    """A value as text in lower case, by the spelling that the table prefers; None where it is not set."""
    if value is None:
        return None
    text = str(value).strip().lower()
    return table.alike.get(text, text)
