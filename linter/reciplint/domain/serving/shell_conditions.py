"""Which way a shell script's conditions go, and what has to be assumed where nothing decides them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from reciplint.domain.serving.config import Selector, Value
from reciplint.domain.serving.shell_words import Words
from reciplint.domain.serving.worlds import World

if TYPE_CHECKING:
    from tree_sitter import Node


class Way(NamedTuple):
    """A world and whether the condition holds in it."""

    world: World
    holds: bool


_GLOB = frozenset("*?[")
_EQUAL = {"=": True, "==": True, "!=": False}
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq,
    "-ne": operator.ne,
    "-lt": operator.lt,
    "-le": operator.le,
    "-gt": operator.gt,
    "-ge": operator.ge,
}
_EMPTY = {"-z": True, "-n": False}


def ways(node: Node, world: World, words: Words) -> list[Way]:
    """The ways that a condition may go: one where it is decided."""
    kind = node.type
    named = [child for child in node.children if child.is_named]
    sign = next((words.raw(child) for child in node.children if not child.is_named), "")
    if kind in ("test_command", "parenthesized_expression") and len(named) == 1:
        return ways(named[0], world, words)
    if kind == "negated_command" or (kind == "unary_expression" and sign == "!"):
        return [Way(way.world, not way.holds) for way in ways(named[-1], world, words)]
    if kind in ("list", "binary_expression") and sign in ("&&", "||") and len(named) == 2:
        return list(_joined(named[0], named[1], sign == "&&", world, words))
    if kind == "binary_expression" and sign in _EQUAL and len(named) == 2:
        return [
            Way(way.world, way.holds is _EQUAL[sign])
            for way in _equality(words.whole(named[0], world), words.whole(named[1], world), node, world, words)
        ]
    if kind == "binary_expression" and len(named) == 3 and words.raw(named[1]) in _COMPARED:
        return _comparison(
            words.raw(named[1]), words.whole(named[0], world), words.whole(named[2], world), node, world, words
        )
    if kind == "unary_expression" and named and words.raw(named[0]) in _EMPTY:
        return _emptiness(words.raw(named[0]), words.whole(named[-1], world), node, world, words)
    if kind == "command":
        return _of_command(node, world, words)
    return _either(node, world, words)


def choices(subject: Value, patterns: list[Node], world: World, words: Words) -> list[Way]:
    """The ways in which a `case` matches one of an item's patterns, or none."""
    open_worlds = [world]
    found: list[World] = []
    for pattern in patterns:
        left: list[World] = []
        for one in open_worlds:
            for way in _equality(subject, words.whole(pattern, one), pattern, one, words):
                (found if way.holds else left).append(way.world)
        open_worlds = left
    return [*(Way(one, True) for one in found), *(Way(one, False) for one in open_worlds)]


def _joined(left: Node, right: Node, is_and: bool, world: World, words: Words) -> Iterator[Way]:
    for way in ways(left, world, words):
        if way.holds is is_and:
            yield from ways(right, way.world, words)
        else:
            yield way


def _equality(left: Value, right: Value, node: Node, world: World, words: Words) -> list[Way]:
    """Whether one text is another, or matches it where that is a pattern."""
    has_glob = node.type == "extglob_pattern" or any(
        child.type == "extglob_pattern" for child in node.children if child.is_named
    )
    is_glob = has_glob and bool(_GLOB & set(right.text))
    if is_glob and right.text == "*":
        return [Way(world, True)]
    if not left.variables and not right.variables:
        return [Way(world, fnmatchcase(left.text, right.text) if is_glob else left.text == right.text)]
    if len(left.pieces) == 1 and left.variables and not right.variables and not is_glob:
        name = left.variables[0]
        if (among := _among(left, world, lambda number: str(number) == right.text)) is not None:
            return among
        if Selector(name, right.text) in world.excluded:
            return [Way(world, False)]
        return [Way(world.assuming(name, right.pieces), True), Way(world.excluding(name, right.text), False)]
    return _either(node, world, words)


def _comparison(sign: str, left: Value, right: Value, node: Node, world: World, words: Words) -> list[Way]:
    """Whether one whole number stands so to another; either way where one is not known."""
    texts = left.text, right.text
    if _is_number(right.text):
        among = _among(left, world, lambda number: _COMPARED[sign](number, int(right.text)))
        if among is not None:
            return among
    if not world.is_sized or left.variables or right.variables or not all(map(_is_number, texts)):
        return _either(node, world, words)
    first, second = (int(text) for text in texts)
    return [Way(world, _COMPARED[sign](first, second))]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20


def _among(value: Value, world: World, holds: Callable[[int], bool]) -> list[Way] | None:
    """The ways of a test of a variable that may be some numbers, each with those that lead there; None for what is no
    such variable."""
    name = value.variables[0] if len(value.pieces) == 1 and value.variables else ""
    numbers = world.possible.get(name)
    if numbers is None:
        return None
    fitting = frozenset(number for number in numbers if holds(number))
    parts = (fitting, True), (numbers - fitting, False)
    return [Way(world.narrowed(name, part), is_met) for part, is_met in parts if part]


def _emptiness(operator: str, value: Value, node: Node, world: World, words: Words) -> list[Way]:
    is_empty = _EMPTY[operator]
    if any(piece.text and (not piece.variable or piece.variable in world.possible) for piece in value.pieces):
        return [Way(world, not is_empty)]
    if not value.variables:
        return [Way(world, is_empty)]
    return _either(node, world, words)


def _of_command(node: Node, world: World, words: Words) -> list[Way]:
    """A command as a condition: `test`, `true` and `false` are understood."""
    parts = [child for child in node.children if child.is_named]
    name = words.raw(parts[0]) if parts else ""
    if name in ("true", ":", "false"):
        return [Way(world, name != "false")]
    if name == "test" and len(parts) == 3 and words.raw(parts[1]) in _EMPTY:
        return _emptiness(words.raw(parts[1]), words.whole(parts[2], world), node, world, words)
    if name == "test" and len(parts) == 4 and words.raw(parts[2]) in _EQUAL:
        holds = _EQUAL[words.raw(parts[2])]
        found = _equality(words.whole(parts[1], world), words.whole(parts[3], world), node, world, words)
        return [Way(way.world, way.holds is holds) for way in found]
    return _either(node, world, words)


def _either(node: Node, world: World, words: Words) -> list[Way]:
    """Both ways, unless the same condition was met before on this way."""
    text = " ".join(words.raw(node).split())
    before = world.supposed(text)
    if before is not None:
        return [Way(world, before)]
    return [Way(world.supposing(text, True), True), Way(world.supposing(text, False), False)]
