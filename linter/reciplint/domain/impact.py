"""What a change does to the benchmark: the keys of which a point was added, or whose settings changed in meaning."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from reciplint.domain.master import METADATA, Arm, MasterEntry, Row
from reciplint.domain.project import Change, Project
from reciplint.domain.reading import canonical
from reciplint.domain.references import Use

_CONCURRENCY = frozenset({"conc-list", "conc-start", "conc-end"})
_RECIPE_FIELDS = frozenset({"srt-recipe", "eval-srt-recipe"})
_ROLES = ("prefill", "decode", "worker")


@dataclass(frozen=True)
class Impact:
    """A key that a change touches. `kinds` are the scenario kinds with changed points, `recipes` the changed files."""

    master: str
    entry: MasterEntry
    is_metadata: bool
    kinds: tuple[str, ...]
    recipes: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class _Point:
    """What is measured: settings and concurrency, with its recipes by name and by meaning."""

    core: str
    concurrency: int
    named: tuple[str, ...]
    meant: tuple[_Meaning | None, ...]
    described: str


@dataclass(frozen=True)
class _Meaning:
    """The file that a reference comes to (by its path at the base) and the digest of the variant it runs."""

    file: str
    digest: str


def impacts(change: Change) -> Iterator[Impact]:
    """Every active key that the head's benchmark would measure anew, or describes differently."""
    base_keys = change.base.keys if change.base is not None else {}
    for key, (master, entry) in change.head.keys.items():
        if key not in base_keys:
            kinds = tuple(dict.fromkeys(arm.kind for arm in entry.arms if arm.rows))
            yield Impact(master.path, entry, False, kinds, (), "a new key")
            continue
        assert change.base is not None
        before = base_keys[key][1]
        found = _compare(change, change.base, master.path, entry, before)
        if found is not None:
            yield found


def _compare(change: Change, base: Project, master: str, entry: MasterEntry, before: MasterEntry) -> Impact | None:
    old: dict[tuple[str, int], list[_Point]] = {}
    for arm in before.arms:
        for row in arm.rows:
            for point in _points(base, before, arm, row, str):
                old.setdefault((point.core, point.concurrency), []).append(point)
    changed: dict[str, int] = {}
    recipes: dict[str, None] = {}
    described = False
    for arm in entry.arms:
        for row in arm.rows:
            for point in _points(change.head, entry, arm, row, change.base_path):
                peers = old.get((point.core, point.concurrency), [])
                if not any(_same_recipes(point, peer) for peer in peers):
                    changed[arm.kind] = changed.get(arm.kind, 0) + 1
                    if peers:
                        recipes.update(dict.fromkeys(_files(change.head, entry, arm, row)))
                elif all(point.described != peer.described for peer in peers):
                    described = True
    if changed:
        reason = _reason(entry, before, changed, tuple(recipes))
        return Impact(master, entry, False, tuple(changed), tuple(recipes), reason)
    if described:
        fields = sorted(name for name in METADATA if entry.settings.get(name) != before.settings.get(name))
        kinds = tuple(dict.fromkeys(arm.kind for arm in entry.arms))
        return Impact(master, entry, True, kinds, (), f"{', '.join(fields) or 'metadata'} changed")
    return None


def _reason(entry: MasterEntry, before: MasterEntry, changed: dict[str, int], recipes: tuple[str, ...]) -> str:
    skipped = METADATA | {"srt-recipe-dir"}
    names = sorted({*entry.settings, *before.settings} - skipped)
    fields = [name for name in names if entry.settings.get(name) != before.settings.get(name)]
    if fields:
        return f"{', '.join(fields)} changed"
    if recipes:
        files = ", ".join(path.rsplit("/", 1)[-1] for path in recipes)
        return f"its {'recipe' if len(recipes) == 1 else 'recipes'} {files} changed"
    parts = [f"{count} {kind} {'point' if count == 1 else 'points'}" for kind, count in changed.items()]
    return f"{' and '.join(parts)} added or changed"


def _same_recipes(point: _Point, peer: _Point) -> bool:
    """Whether two points run the same recipes.

    One name is the same recipe unless it comes to one file whose variant changed (what a launcher copies under that
    name may be another file on either side, which says nothing); two names are the same if their variants are equal.
    """
    if len(point.named) != len(peer.named):
        return False
    return all(
        _same_recipe(name == other_name, meant, other)
        for name, meant, other_name, other in zip(point.named, point.meant, peer.named, peer.meant, strict=True)
    )


def _same_recipe(same_name: bool, meant: _Meaning | None, other: _Meaning | None) -> bool:
    if meant is None or other is None or (same_name and meant.file != other.file):
        return same_name
    return meant.digest == other.digest


def _points(
    project: Project, entry: MasterEntry, arm: Arm, row: Row, base_path: Callable[[str], str]
) -> Iterator[_Point]:
    settings, described = _split(row.settings)
    shared = {name: value for name, value in entry.settings.items() if name not in METADATA | {"srt-recipe-dir"}}
    metadata = {name: value for name, value in entry.settings.items() if name in METADATA}
    core = canonical([arm.kind, shared, arm.settings, settings])
    about = canonical([metadata, described])
    references = [reference for reference in row.references if reference.purpose == "recipe"]
    named = tuple(f"{reference.folder}|{reference.text}:{reference.selector}" for reference in references)
    meant = tuple(
        _meaning(project, Use("", entry, arm.scenario, row, reference), base_path) for reference in references
    )
    for concurrency in row.concurrencies or (0,):
        yield _Point(core, concurrency, named, meant, about)


def _split(row: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A row's settings that are measured, and those that only describe; recipes and concurrency stand apart."""
    settings = {name: value for name, value in row.items() if name not in _CONCURRENCY | _RECIPE_FIELDS | METADATA}
    described: dict[str, Any] = {name: row[name] for name in METADATA if name in row}
    for role in _ROLES:
        block = settings.get(role)
        if isinstance(block, dict):
            block = copy.copy(block)
            described.update({f"{role}.{name}": block.pop(name) for name in METADATA if name in block})
            listed = block.get("additional-settings")
            if isinstance(listed, list):
                kept = [
                    item for item in listed if not str(item).lstrip().startswith(("CONFIG_FILE=", "EVAL_CONFIG_FILE="))
                ]
                block["additional-settings"] = sorted(map(str, kept))
            settings[role] = block
    return settings, described


def _meaning(project: Project, use: Use, base_path: Callable[[str], str]) -> _Meaning | None:
    """What a use runs; None where the file is not in the repository or not readable."""
    for path in project.resolver.resolve(use).files:
        recipe = project.recipes.get(path)
        if recipe is not None:
            digests = recipe.facts.digests
            return _Meaning(base_path(path), digests.get(use.reference.selector) or digests.get("", ""))
    return None


def _files(project: Project, entry: MasterEntry, arm: Arm, row: Row) -> Iterator[str]:
    for reference in row.references:
        yield from project.resolver.resolve(Use("", entry, arm.scenario, row, reference)).files
