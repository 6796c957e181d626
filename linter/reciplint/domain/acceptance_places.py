"""Where an acceptance length is set and where a recipe says how it drafts: the spans that findings point at, and the
edit that gives a length another value."""

from __future__ import annotations

import re

import msgspec

from reciplint.domain.acceptance import Pin, RolePin, RowPin, generating_role, setting_span
from reciplint.domain.pairing import Pair
from reciplint.domain.project import Project
from reciplint.domain.role_places import written
from reciplint.domain.variant_places import address, locate
from reciplint.yamltree.edit import DropEntry, Path, SetScalar
from reciplint.yamltree.spans import LineIndex, Span
from reciplint.yamltree.tree import Node, Scalar, Tree, target

_JSON_LENGTH = re.compile(r'("synthetic_acceptance_length"\s*:\s*)"?[^\s,}"]+"?')


class AcceptancePlaces(msgspec.Struct):
    """The places of one project's rows and recipes; a master config is cut into lines once."""

    project: Project
    _lines: dict[str, LineIndex] = {}

    def pin(self, pair: Pair, pin: Pin) -> Span:
        """Where a length is set: the setting of a row, or the variable, flag or JSON object of a role."""
        if isinstance(pin, RowPin):
            return setting_span(self._lines_of(pair.use.master), pair.use.row, pin.setting)
        tree = self.project.tree(pair.path)
        path = _path(tree, pair, pin) if tree is not None else ()
        return self.project.variant_span(pair.path, pair.variant.selector, path)

    def drafting(self, pair: Pair) -> Span:
        """Where the recipe says how its generating role drafts; its name where it does not."""
        role = generating_role(pair)
        if role is None or role.speculation is None:
            return self.project.recipe_span(pair.path)
        path = (*role.args_path, role.speculation.key)
        return self.project.variant_span(pair.path, pair.variant.selector, path)

    def operation(self, pair: Pair, pin: Pin, value: str) -> SetScalar | None:
        """The edit that sets a length to a value; None where other variants share the place, or no edit reaches it."""
        if isinstance(pin, RowPin):
            place = _row_path(pair, pin)
            setting = pin.setting.replace(f"{pin.name}={pin.text}", f"{pin.name}={value}")
            return SetScalar(pair.use.master, place, setting)
        own = self._own_place(pair, pin)
        return SetScalar(pair.path, own[0], _in_place(target(own[1]), pin, value)) if own is not None else None

    def removal(self, pair: Pair, pin: Pin) -> DropEntry | None:
        """The edit that takes a length out; None where more is said in the same text, where other variants share the
        place, or where no edit reaches it."""
        if isinstance(pin, RowPin):
            is_alone = pin.setting.strip() == f"{pin.name}={pin.text}"
            return DropEntry(pair.use.master, _row_path(pair, pin)) if is_alone else None
        own = self._own_place(pair, pin) if pin.acceptance.section == "env" else None
        return DropEntry(pair.path, own[0]) if own is not None else None

    def _own_place(self, pair: Pair, pin: RolePin) -> tuple[Path, Node] | None:
        """The path by which an edit reaches the value that holds a length, and that value as written; None where other
        variants share it, or no edit reaches it."""
        tree, selector = self.project.tree(pair.path), pair.variant.selector
        if tree is None:
            return None
        path = _path(tree, pair, pin)
        found, where = locate(tree, selector, path), address(tree, selector, path)
        if found is None or where is None or (found.body == "base" and self._is_shared(pair)):
            return None
        return where, found.value

    def _is_shared(self, pair: Pair) -> bool:
        recipe = self.project.recipes.get(pair.path)
        return recipe is not None and len(recipe.facts.runnable) > 1

    def _lines_of(self, path: str) -> LineIndex:
        if path not in self._lines:
            self._lines[path] = LineIndex((self.project.read(path) or b"").decode("utf-8", "replace"))
        return self._lines[path]


def _row_path(pair: Pair, pin: RowPin) -> Path:
    """The path of a row's setting from the top of its master config."""
    row = int(pair.use.row.pointer.rpartition("/")[2])
    return (*pair.use.arm.path, "search-space", row, pin.block, "additional-settings", pin.position)


def _path(tree: Tree, pair: Pair, pin: RolePin) -> tuple[str, ...]:
    """The keys that lead to a length from the variant's top: a variable may stand in the environment of all roles, a
    key of vLLM's configuration in a mapping or in JSON text."""
    role, acceptance = pin.role, pin.acceptance
    if acceptance.section == "env":
        own = (*role.env_path, *acceptance.place)
        shared = ("environment", *acceptance.place)
        return own if written(tree, pair.variant, own).is_exact else shared
    flag = (*role.args_path, *acceptance.place)
    inside = (*flag, acceptance.name)
    return inside if written(tree, pair.variant, inside).is_exact else flag


def _in_place(node: object, pin: RolePin, value: str) -> str | float:
    """The new value of the scalar that holds a length: of its kind, or the same JSON text with the length changed."""
    text = node.value if isinstance(node, Scalar) else ""
    if pin.acceptance.name in text:
        return _JSON_LENGTH.sub(rf"\g<1>{value}", text)
    return value if pin.acceptance.section == "env" else float(value)
