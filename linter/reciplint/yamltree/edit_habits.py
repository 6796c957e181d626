"""New mappings, lists and scalars, written as the file around them is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import msgspec

from reciplint.yamltree.edit_spelling import is_text, spell_number, spell_text
from reciplint.yamltree.tree import Mapping, Node, Scalar, Sequence, Tree

_T = TypeVar("_T")


class NewMap(msgspec.Struct, frozen=True, tag="map"):
    """A mapping to be written."""

    entries: tuple[tuple[str, NewValue], ...]


class NewList(msgspec.Struct, frozen=True, tag="list"):
    """A list to be written."""

    items: tuple[NewValue, ...]


NewValue = str | int | float | bool | None | NewMap | NewList


def loaded(value: NewValue) -> Any:
    """What a new value is loaded as."""
    if isinstance(value, NewMap):
        return {key: loaded(item) for key, item in value.entries}
    return [loaded(item) for item in value.items] if isinstance(value, NewList) else value


class Habit(NamedTuple):
    """How a file writes things at one place: the quotes of text and of keys ("" is none), those that text gets which
    needs some, how far in a mapping and a dash stand under their key, and the blank behind a brace."""

    text: str
    keys: str
    quotes: str
    step: int
    dash: int
    padding: str


def habit_at(tree: Tree, parent: Mapping | Sequence) -> Habit:
    """The habit of what stands in a collection; where that tells nothing, of the file."""
    values = [entry.value for entry in parent.entries] if isinstance(parent, Mapping) else parent.items
    keys = [entry.key for entry in parent.entries] if isinstance(parent, Mapping) else []
    everywhere = [entry.value for mapping in tree.mapping_nodes for entry in mapping.entries]
    return Habit(
        text=_most([*_styles(values, is_free=True)] or [*_styles(everywhere, is_free=True)] or _styles(values), ""),
        keys=_most(_styles(keys, is_free=True), ""),
        quotes=_most([*_styles(values)] or _styles(everywhere), '"'),
        step=_most(_steps(tree, [parent], Mapping), _most(_steps(tree, tree.mapping_nodes, Mapping), 2)),
        dash=_most(_steps(tree, [parent], Sequence), _most(_steps(tree, tree.mapping_nodes, Sequence), 2)),
        padding=_most(_paddings(tree, values), _most(_paddings(tree, tree.mapping_nodes), "")),
    )


def _most(found: Iterable[_T], otherwise: _T) -> _T:
    """What is found most often, the first of equals."""
    return next((value for value, _ in Counter(found).most_common(1)), otherwise)


_WORD = re.compile(r"[A-Za-z_][\w./-]*\Z", re.ASCII)


def _styles(nodes: Iterable[Node], is_free: bool = False) -> Iterator[str]:
    """The quotes of scalars on one line; with `is_free` those, or none, of words that are text with quotes and without:
    there the author had the choice."""
    for node in nodes:
        if isinstance(node, Scalar) and node.style not in ("|", ">"):
            told = _WORD.match(node.value) and is_text(node.value) if is_free else node.style
            if told:
                yield node.style


def _steps(tree: Tree, parents: Iterable[Node], kind: type[Mapping | Sequence]) -> Iterator[int]:
    """How far in the block collections of a kind stand under their keys."""
    for parent in parents:
        for key, value in parent.entries if isinstance(parent, Mapping) and not parent.flow else ():
            if isinstance(value, kind) and not value.flow:
                yield tree.lines.span(value.start, value.start).column - tree.lines.span(key.start, key.start).column


def _paddings(tree: Tree, nodes: Iterable[Node]) -> Iterator[str]:
    """The blank behind the braces of mappings on one line."""
    for node in nodes:
        if isinstance(node, Mapping) and node.flow and node.entries and tree.text[node.start] == "{":
            yield " " if tree.text.startswith(" ", node.start + 1) else ""


def spell_key(key: str, habit: Habit, in_flow: bool) -> str:
    """A new key. Raises `Refused`."""
    return _spell(key, habit.keys, habit.quotes, in_flow)


def spell_value(value: NewValue, habit: Habit, in_flow: bool) -> str:
    """A new value on one line. Raises `Refused`."""
    if isinstance(value, str):
        return _spell(value, habit.text, habit.quotes, in_flow)
    if isinstance(value, NewMap):
        pad = habit.padding if value.entries else ""
        entries = (f"{spell_key(key, habit, True)}: {spell_value(item, habit, True)}" for key, item in value.entries)
        return f"{{{pad}{', '.join(entries)}{pad}}}"
    if isinstance(value, NewList):
        return f"[{', '.join(spell_value(item, habit, True) for item in value.items)}]"
    return "null" if value is None else spell_number(value)


def spell_entry(key: str, value: NewValue, habit: Habit) -> list[str]:
    """The lines of a new entry of a block mapping, mappings and lists in it on lines of their own. Raises
    `Refused`."""
    name = spell_key(key, habit, False)
    if isinstance(value, NewMap) and value.entries:
        inside = [line for entry in value.entries for line in spell_entry(*entry, habit)]
        return [f"{name}:", *(" " * habit.step + line for line in inside)]
    if isinstance(value, NewList) and value.items:
        return [f"{name}:", *(f"{' ' * habit.dash}- {spell_value(item, habit, False)}" for item in value.items)]
    return [f"{name}: {spell_value(value, habit, False)}"]


def _spell(text: str, style: str, quotes: str, in_flow: bool) -> str:
    plain = "" if style else spell_text(text, "", in_flow)
    return plain if plain == text and text else spell_text(text, style or quotes, in_flow)
