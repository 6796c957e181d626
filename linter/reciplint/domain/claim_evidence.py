"""What some keys of a project really run: the facts that the claims of a changelog entry are held against."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from reciplint.domain.changelog import ChangelogEntry, matches
from reciplint.domain.claims import ConcurrencyClaim
from reciplint.domain.components import image_name
from reciplint.domain.master import Arm, MasterEntry, Row
from reciplint.domain.project import Project
from reciplint.domain.recipe import Recipe
from reciplint.domain.references import Use
from reciplint.yamltree.spans import FILE_START, Span

_FLAG = re.compile(r"(?:^|\s)--([a-z][\w-]*)[ =]([^\s-]\S*)")


class Place(NamedTuple):
    """A value, as text, with the place where it stands; `is_row` if a row of a master config has it."""

    value: str
    path: str
    span: Span
    is_row: bool = False


class Swept(NamedTuple):
    """A row with its key and the master config."""

    path: str
    entry: MasterEntry
    arm: Arm
    row: Row


class Evidence(msgspec.Struct, frozen=True, dict=True):
    """The keys of a changelog entry at one revision. `keys` is empty where one of them is unknown."""

    project: Project
    keys: tuple[str, ...]
    kinds: tuple[str, ...]

    @cached_property
    def rows(self) -> list[Swept]:
        """The rows of the keys in the scenarios that the entry has run."""
        found: list[Swept] = []
        for key in self.keys:
            master, entry = self.project.keys[key]
            for arm in entry.arms:
                if not self.kinds or arm.kind in self.kinds:
                    found.extend(Swept(master.path, entry, arm, row) for row in arm.rows)
        return found

    @cached_property
    def images(self) -> list[Place]:
        """The images of the keys and the containers of the recipes that they run."""
        found = []
        for key in self.keys:
            master, entry = self.project.keys[key]
            if entry.image:
                found.append(Place(image_name(entry.image), master.path, entry.image_span))
        for path, recipe in self._recipes.items():
            if recipe is not None and "/" in image_name(recipe.container):
                found.append(Place(image_name(recipe.container), path, recipe.container_span))
        return found

    def matching(self, claim: ConcurrencyClaim) -> list[Swept]:
        """The rows that a claim on concurrencies may mean."""
        found = []
        for swept in self.rows:
            if claim.sizes and not claim.sizes & set(_sizes(swept.row)):
                continue
            if claim.dp_attn and not any(block.dp_attn for block in swept.row.workers):
                continue
            if swept.row.concurrencies:
                found.append(swept)
        return found

    def setting(self, name: str) -> list[Place]:
        """Every value of a setting in the rows and recipes; none where a recipe lies elsewhere."""
        return [] if self._is_elsewhere else self._settings.get(name, [])

    @cached_property
    def _files(self) -> list[tuple[str, ...]]:
        """For each recipe that a row names, the files that it may mean."""
        resolve = self.project.resolver.resolve
        return [
            resolve(Use(path, entry, arm, row, reference)).files
            for path, entry, arm, row in self.rows
            for reference in row.references
            if reference.purpose == "recipe"
        ]

    @property
    def _is_elsewhere(self) -> bool:
        return not all(self._files)

    @cached_property
    def _recipes(self) -> dict[str, Recipe | None]:
        """The recipes of the rows by path; None for a file that has another format."""
        found: dict[str, Recipe | None] = {}
        for path in (path for files in self._files for path in files):
            recipe = self.project.recipes.get(path)
            found[path] = recipe.facts if recipe is not None else None
        return found

    @cached_property
    def _settings(self) -> dict[str, list[Place]]:
        found: dict[str, list[Place]] = {}
        for path, _, _, row in self.rows:
            for name, value in _row_settings(row.settings):
                found.setdefault(_kebab(name), []).append(Place(normal(value), path, row.span, True))
        for path, recipe in self._recipes.items():
            for name, value, span in _recipe_settings(self.project, path, recipe):
                found.setdefault(_kebab(name), []).append(Place(normal(value), path, span))
        return found


def evidence(project: Project, entry: ChangelogEntry) -> Evidence:
    """The evidence on an entry's keys; empty if one of them names nothing here."""
    keys: dict[str, None] = {}
    for pattern in entry.keys:
        hits = [key for key in project.keys if matches(pattern.text, key)]
        if not hits:
            return Evidence(project, (), entry.scenario_types)
        keys.update(dict.fromkeys(hits))
    return Evidence(project, tuple(keys), entry.scenario_types)


def normal(value: Any) -> str:
    """A setting's value as text that is equal for equal values."""
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value).strip().strip("\"'")
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text.lower() if text.lower() in ("true", "false") else text
    return str(number.normalize()) if number.is_finite() else text


def _kebab(name: str) -> str:
    return name.lower().replace("_", "-")


def _sizes(row: Row) -> Iterator[int]:
    """Every number that people may call the size of a row's parallelism."""
    for block in row.workers:
        tp = block.tp or 1
        factors = [size or 1 for size in (block.pp, block.pcp, block.dcp, block.ep, block.count)]
        yield from (tp, *factors, *(tp * factor for factor in factors))


def _row_settings(settings: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _row_settings(value)
        elif name == "additional-settings" and isinstance(value, list):
            for item in value:
                inner, _, text = str(item).partition("=")
                yield inner, text
        elif not isinstance(value, list):
            yield name, value


def _recipe_settings(project: Project, path: str, recipe: Recipe | None) -> Iterator[tuple[str, Any, Span]]:
    if recipe is None:
        data = project.read(path) or b""
        lines = [line for line in data.decode("utf-8", "replace").split("\n") if not line.lstrip().startswith("#")]
        for name, value in _FLAG.findall("\n".join(lines)):
            yield name, value, FILE_START
        return
    for block in project.maps(path):
        for setting in block.settings:
            for name, value in _leaves(setting.key, json.loads(setting.value)):
                yield name, value, setting.span


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A setting and those inside it: engines take objects as JSON text."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except ValueError:
            return
    if isinstance(value, dict):
        for inner, item in value.items():
            yield from _leaves(str(inner), item)
    elif not isinstance(value, list):
        yield name, value
