"""The cases of the table made ready for one engine, to be found by what a process sets.

Most processes break nothing. A case is only looked at where everything is set that it cannot do without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from reciplint.domain.serving.config import Deployment, Place, Places, Program, ServeConfig, Source
from reciplint.domain.serving.constraint_settings import Process
from reciplint.domain.serving.constraint_table import Case, Constraint, Table, constraint_table
from reciplint.domain.serving.constraint_tests import Condition, all_hold, conditions
from reciplint.yamltree.spans import LineIndex

_MOST_KNOWN = 4096
"""Sets of names that are remembered."""


class Ready(NamedTuple):
    """A case with its row, and its conditions; of the sets in `needs` one must be there whole for it to speak."""

    row: Constraint
    case: Case
    needs: tuple[frozenset[str], ...]
    when: tuple[Condition, ...]
    any: tuple[tuple[Condition, ...], ...]
    unless: tuple[Condition, ...]
    require: tuple[Condition, ...]

    def applies(self, process: Process) -> bool:
        """Whether the case is about a process."""
        return (
            all_hold(process, self.when) is True
            and (not self.any or any(all_hold(process, each) is True for each in self.any))
            and (not self.unless or all_hold(process, self.unless) is not True)
        )

    def is_broken(self, process: Process) -> bool:
        """Whether what is required is known to fail; nothing required is broken."""
        return not self.require or all_hold(process, self.require) is False


class Index(NamedTuple):
    """An engine's cases in the order of the table: those of one process, by number under a name that each needs, and
    those between two processes. `known` are those that processes of some names set enough for."""

    single: tuple[Ready, ...]
    between: tuple[Ready, ...]
    always: frozenset[int]
    by_name: dict[str, tuple[int, ...]]
    known: dict[frozenset[str], tuple[Ready, ...]]

    def about(self, process: Process) -> tuple[Ready, ...]:
        """The cases that a process sets enough for; many processes set the same."""
        names = process.names
        found = self.known.get(names)
        if found is None:
            if len(self.known) >= _MOST_KNOWN:
                self.known.clear()
            found = self.known[names] = tuple(self._found(names))
        return found

    def _found(self, names: frozenset[str]) -> Iterator[Ready]:
        numbers = set(self.always)
        for name in self.by_name.keys() & names:
            numbers.update(self.by_name[name])
        for number in sorted(numbers):
            ready = self.single[number]
            if any(needs <= names for needs in ready.needs):
                yield ready


def index_of(table: Table, engine: str) -> Index:
    """The cases of an engine."""
    return _shipped(engine) if table is constraint_table() else _made(table, engine)


@cache
def _shipped(engine: str) -> Index:
    return _made(constraint_table(), engine)


def _made(table: Table, engine: str) -> Index:
    ready = [
        _ready(row, case, table)
        for row in table.constraints
        for case in row.cases
        if "any" in row.engines or engine in (case.engines or row.engines)
    ]
    single = tuple(each for each in ready if not each.case.same)
    always: set[int] = set()
    by_name: dict[str, tuple[int, ...]] = {}
    for number, each in enumerate(single):
        for needs in each.needs:
            if needs:
                name = min(needs)
                by_name[name] = (*by_name.get(name, ()), number)
            else:
                always.add(number)
    return Index(single, tuple(each for each in ready if each.case.same), frozenset(always), by_name, {})


def _ready(row: Constraint, case: Case, table: Table) -> Ready:
    when = conditions(case.when, table)
    either = tuple(conditions(each, table) for each in case.any)
    return Ready(
        row,
        case,
        tuple(frozenset(_needs((*when, *each), table)) for each in either or ((),)),
        when,
        either,
        conditions(case.unless, table),
        conditions(case.require, table),
    )


_NOTHING = ServeConfig("", "", "command", Program(()), (), Places(Place(Source("", LineIndex("")), 0, 0)))
_TAKES = {"connectors": "--kv-transfer-config", "kv-roles": "--kv-transfer-config"}
"""Facts that take a flag."""


def _needs(given: Iterable[Condition], table: Table) -> Iterator[str]:
    """The flags and variables that must be set for conditions to hold: those whose default does not pass."""
    nothing = Process(_NOTHING, Deployment(()), table, "")
    for condition in given:
        name = _TAKES.get(condition.setting, condition.setting).partition(".")[0]
        if name[0] in "-$" and condition.holds(nothing) is False:
            yield name
