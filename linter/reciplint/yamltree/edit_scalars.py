"""Scalars written anew, where they stand."""

from __future__ import annotations

from typing import Any

from reciplint.yamltree.edit_places import ends_at, in_flow, lines_of, locate, paths_to, writable
from reciplint.yamltree.edit_spelling import reads_plain, spell_number, spell_text
from reciplint.yamltree.edit_values import with_value
from reciplint.yamltree.replacing import Change, Edit, Path, Reach, Refused, View
from reciplint.yamltree.scalars import resolve_11, same_value, scalar_value, value_11, value_12
from reciplint.yamltree.tree import Scalar, Tree


class Respell(Change, frozen=True, tag="respell"):
    """Write a plain scalar in another form (quoted, or its value spelled plainly)."""

    pointer: Path
    text: str

    def edits(self, tree: Tree) -> list[Edit]:
        """The scalar alone."""
        node = locate(tree, self.pointer)
        if not isinstance(node, Scalar) or node.style or node.start == node.end:
            raise Refused("it is not a plain scalar")
        return [Edit(node.start, node.end, self.text)]

    def reach(self, before: Tree) -> Reach:
        """Its own lines."""
        return lines_of(before, *ends_at(before, self.pointer))

    def values(self, before: Tree, value: Any, view: View) -> list[Any]:
        """Quoting keeps a value or makes it the text as it stands; another form may bring a reader of YAML 1.2 to the
        value that PyYAML reads, wherever an alias leads there."""
        node = locate(before, self.pointer)
        assert isinstance(node, Scalar)
        brought = value
        for path in paths_to(before, node) if "&" in before.text else (self.pointer,):
            brought = with_value(brought, path, scalar_value(node))
        return [value, with_value(value, self.pointer, node.value), brought]


class SetScalar(Change, frozen=True, tag="set-scalar"):
    """Give a scalar another value. Text keeps the quotes that stand there and gets them where it needs them to stay
    text; a number or a boolean is written plainly."""

    pointer: Path
    value: str | int | float | bool

    def edits(self, tree: Tree) -> list[Edit]:
        """The scalar alone."""
        node = writable(tree, self.pointer)
        if not isinstance(self.value, str):
            return [Edit(node.start, node.end, spell_number(self.value))]
        return [Edit(node.start, node.end, spell_text(self.value, node.style, in_flow(tree, self.pointer)))]

    def reach(self, before: Tree) -> Reach:
        """Its own lines."""
        return lines_of(before, *ends_at(before, self.pointer))

    def values(self, before: Tree, value: Any, view: View) -> list[Any]:
        """The new value in its place."""
        return [with_value(value, self.pointer, self.value)]


class Quote(Change, frozen=True, tag="quote"):
    """Put a scalar, as it is written, in quotes of a `style`: ' or ". It is text then, whatever it was."""

    pointer: Path
    style: str

    def edits(self, tree: Tree) -> list[Edit]:
        """The scalar alone."""
        node = writable(tree, self.pointer)
        if self.style not in ("'", '"'):
            raise Refused(f"{self.style} are no quotes")
        if node.style == self.style:
            return []
        return [Edit(node.start, node.end, spell_text(node.value, self.style, in_flow(tree, self.pointer)))]

    def reach(self, before: Tree) -> Reach:
        """Its own lines."""
        return lines_of(before, *ends_at(before, self.pointer))

    def values(self, before: Tree, value: Any, view: View) -> list[Any]:
        """Its text."""
        return [with_value(value, self.pointer, writable(before, self.pointer).value)]


class Unquote(Change, frozen=True, tag="unquote"):
    """Take the quotes off a scalar, where every reader then reads the same: that text, or one number or boolean."""

    pointer: Path

    def edits(self, tree: Tree) -> list[Edit]:
        """The scalar alone."""
        node = writable(tree, self.pointer)
        if not node.style:
            raise Refused("it has no quotes")
        text = node.value
        alike = resolve_11(text) in _ALIKE and same_value(value_11(text), value_12(text))
        if not text or not alike or not reads_plain(text, in_flow(tree, self.pointer)):
            raise Refused(f"{text} is not read alike by every YAML reader without quotes")
        return [Edit(node.start, node.end, text)]

    def reach(self, before: Tree) -> Reach:
        """Its own lines."""
        return lines_of(before, *ends_at(before, self.pointer))

    def values(self, before: Tree, value: Any, view: View) -> list[Any]:
        """What it reads as without quotes."""
        return [with_value(value, self.pointer, value_11(writable(before, self.pointer).value))]


_ALIKE = ("str", "int", "float", "bool")
"""What a scalar without quotes may be read as: a date is none to a reader of YAML 1.2."""
