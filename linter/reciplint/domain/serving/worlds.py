"""What a shell script knows at a place: its variables, which are exported, and what was assumed to get there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from reciplint.domain.serving.config import Piece, Place, Selector, Value

Known = tuple[Value, ...]
"""A variable's value: one, or the elements of an array."""


@dataclass(frozen=True)
class World:
    """`variables` by name; `exported` the names that processes get, with where each is written; `selectors` what
    conditions were taken to be; `excluded` what a variable is known not to be; `ended` after `exit`, `exec` or
    `return`; `is_sized` if the numbers are those of one run, so that comparisons of them are decided: the defaults of a
    script are mere stand-ins, and what it does with other sizes is to be read too. `possible` has the numbers that a
    variable may be whose value stays open."""

    variables: dict[str, Known] = field(default_factory=dict)
    exported: dict[str, Place] = field(default_factory=dict)
    selectors: tuple[Selector, ...] = ()
    excluded: frozenset[Selector] = frozenset()
    ended: bool = False
    is_sized: bool = False
    possible: dict[str, frozenset[int]] = field(default_factory=dict)

    def with_value(self, name: str, value: Known) -> World:
        """With a variable set; what was known not to be its value is forgotten."""
        excluded = frozenset(item for item in self.excluded if item.name != name)
        return replace(self, variables={**self.variables, name: value}, excluded=excluded)

    def without(self, name: str) -> World:
        """With a variable unset."""
        variables = {key: value for key, value in self.variables.items() if key != name}
        exported = {key: place for key, place in self.exported.items() if key != name}
        return replace(self, variables=variables, exported=exported)

    def with_export(self, name: str, place: Place) -> World:
        """With a variable passed on to processes."""
        return replace(self, exported={**self.exported, name: place})

    def assuming(self, name: str, value: tuple[Piece, ...]) -> World:
        """With a variable that was not known taken to have a value."""
        chosen = Selector(name, Value(value).text)
        return replace(self.with_value(name, (Value(value),)), selectors=(*self.selectors, chosen))

    def supposing(self, condition: str, holds: bool) -> World:
        """With a condition that nothing decides taken to hold or not."""
        return replace(self, selectors=(*self.selectors, Selector(condition, "true" if holds else "false")))

    def excluding(self, name: str, text: str) -> World:
        """With a variable that is not known taken to be something else than a text."""
        return replace(self, excluded=self.excluded | {Selector(name, text)})

    def narrowed(self, name: str, numbers: frozenset[int]) -> World:
        """With an open variable known to be one of fewer numbers."""
        return replace(self, possible={**self.possible, name: numbers})

    def supposed(self, condition: str) -> bool | None:
        """What a condition was taken to be before; None where it was not asked for."""
        found = next((item for item in self.selectors if item.name == condition), None)
        return None if found is None else found.value == "true"


def merged(worlds: Iterable[World], before: World) -> list[World]:
    """The worlds that a statement left, those in which it made no difference as one, with the assumptions of before."""
    result: list[World] = []
    for world in worlds:
        for index, other in enumerate(result):
            if _same(world, other):
                result[index] = replace(
                    other,
                    selectors=before.selectors,
                    excluded=other.excluded & world.excluded,
                    possible={name: some | world.possible[name] for name, some in other.possible.items()},
                )
                break
        else:
            result.append(world)
    return result


def _same(left: World, right: World) -> bool:
    return left.ended == right.ended and left.variables == right.variables and left.exported == right.exported
