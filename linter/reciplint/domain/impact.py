"""What a change does to the benchmark: the keys of which a point was added, or whose settings changed in meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
from msgspec.structs import replace

from reciplint.domain.master import METADATA, Arm, MasterEntry, Row
from reciplint.domain.matrix import Point, expand_row
from reciplint.domain.project import Change, Project
from reciplint.domain.references import Use
from reciplint.domain.runners import Runners


class Impact(msgspec.Struct, frozen=True):
    """A key that a change touches. `kinds` are the scenario kinds with changed points, `recipes` the changed files."""

    master: str
    entry: MasterEntry
    is_metadata: bool
    kinds: tuple[str, ...]
    recipes: tuple[str, ...]
    reason: str


class _Point(msgspec.Struct, frozen=True):
    """What is measured: settings and concurrency, with its recipes by name and by meaning."""

    core: tuple[Point, float | None]
    concurrency: int
    named: tuple[str, ...]
    meant: tuple[_Meaning | None, ...]
    described: tuple[str, ...]


class _Meaning(msgspec.Struct, frozen=True):
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
        if entry.digest == before.digest and not _runs_changed_file(change, entry):
            continue
        found = _compare(change, change.base, master.path, entry, before)
        if found is not None:
            yield found


def _runs_changed_file(change: Change, entry: MasterEntry) -> bool:
    return any(
        change.is_changed(path)
        for arm in entry.arms
        for row in arm.rows
        for path in _files(change.head, entry, arm, row)
    )


def _compare(change: Change, base: Project, master: str, entry: MasterEntry, before: MasterEntry) -> Impact | None:
    old: dict[tuple[tuple[Point, float | None], int], list[_Point]] = {}
    runners = change.head.runners or base.runners  # the fleet may change without any key being the cause
    for arm in before.arms:
        for row in arm.rows:
            for point in _points(base, runners, before, arm, row, str):
                old.setdefault((point.core, point.concurrency), []).append(point)
    changed: dict[str, int] = {}
    recipes: dict[str, None] = {}
    described = False
    for arm in entry.arms:
        for row in arm.rows:
            for point in _points(change.head, runners, entry, arm, row, change.base_path):
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
    project: Project, runners: Runners | None, entry: MasterEntry, arm: Arm, row: Row, base_path: Callable[[str], str]
) -> Iterator[_Point]:
    references = [reference for reference in row.references if reference.purpose == "recipe"]
    named = tuple(f"{reference.folder}|{reference.text}:{reference.selector}" for reference in references)
    meant = tuple(_meaning(project, Use("", entry, arm, row, reference), base_path) for reference in references)
    for point in expand_row(entry, arm, row, runners):
        core, described = _split(point)
        unknown_budget = arm.dram_utilization if point.dram_gb is None else None
        yield _Point((core, unknown_budget), point.concurrency, named, meant, described)


def _split(point: Point) -> tuple[Point, tuple[str, ...]]:
    """What of a point is measured, and what only describes it; recipes and concurrency stand apart."""
    described = (point.router, point.kv_p2p_transfer, *(role.hardware for role in point.roles))
    roles = tuple(
        replace(role, hardware="", settings=tuple(sorted(filter(_is_measured, role.settings)))) for role in point.roles
    )
    core = replace(point, roles=roles, concurrency=0, router="", kv_p2p_transfer="", recipe="", evaluation="", row="")
    return core, described


def _is_measured(setting: str) -> bool:
    return not setting.lstrip().startswith(("CONFIG_FILE=", "EVAL_CONFIG_FILE="))


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
        yield from project.resolver.resolve(Use("", entry, arm, row, reference)).files
