"""What an append-only changelog entry promises, checked on expanded points: every old point stays as it is, and points
are only added, to curves that are there.

Source: the changelog processing of a public benchmark repository (August 2026), which compares the generated matrices
of both revisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from reciplint.domain.master import MasterEntry, Reference
from reciplint.domain.matrix import Point, Role, expand_entry
from reciplint.domain.project import Change, Project
from reciplint.domain.reading import canonical
from reciplint.domain.references import Use

Kind = Literal[
    "new-key", "other-key", "scenario-added", "scenario-removed", "shared-setting", "other-scenario", "point-changed",
    "point-removed", "new-curve", "other-image", "nothing-added", "recipe-changed",
]  # fmt: skip

KINDS = ("fixed-seq-len", "agentic-coding")
"""The scenario kinds that an entry selects if it names none."""

_FREE = frozenset({"key", "concurrency", "row"})
"""What does not tell one recipe's points from another's."""


class Violation(NamedTuple):
    """A broken promise of a key; `row` is the pointer of the row at fault, `recipe` the file, or ""."""

    kind: Kind
    key: str
    details: tuple[str, ...]
    row: str = ""
    recipe: str = ""


def violations(
    change: Change, selected: Mapping[str, frozenset[str]], excused: Iterable[str] = ()
) -> Iterator[Violation]:
    """What breaks the promise for the selected keys and their scenario kinds; `excused` keys may change besides."""
    base, head = change.base, change.head
    if base is None:
        return
    free = {*selected, *excused}
    for key in [*head.keys, *(key for key in base.keys if key not in head.keys)]:
        if key not in free and _digest(base, key) != _digest(head, key):
            yield Violation("other-key", key, (_how(base, head, key),))
    old = {key: _points(base, key, kinds) for key, kinds in selected.items()}
    new = {key: _points(head, key, kinds) for key, kinds in selected.items()}
    was = {_identity(point) for points in old.values() for point in points}
    now = {_identity(point) for points in new.values() for point in points}
    images: dict[tuple[object, ...], set[str]] = {}
    for point in (point for points in old.values() for point in points):
        images.setdefault(_series(point), set()).add(point.image)
    for key, kinds in selected.items():
        if key not in head.keys:
            continue
        if key not in base.keys:
            yield Violation("new-key", key, ())
            continue
        found = list(_of_scenarios(base.keys[key][1], head.keys[key][1], kinds))
        told = {item.details[0] for item in found if item.kind in ("scenario-added", "scenario-removed")}
        gone = [point for point in old[key] if _identity(point) not in now]
        added = [point for point in new[key] if _identity(point) not in was]
        changed, removed, fresh = _paired(gone, added)
        found += _of_points(key, changed, [point for point in removed if point.kind not in told])
        if not any(item.before.image != item.after.image for item in changed):  # said of the old points already
            found += _of_curves(key, [point for point in fresh if point.kind not in told], images)
        found += _of_recipes(change, base, key, kinds)
        yield from found
        if not added and not found:
            yield Violation("nothing-added", key, ())


def _digest(project: Project, key: str) -> str:
    return project.keys[key][1].digest if key in project.keys else ""


def _how(base: Project, head: Project, key: str) -> str:
    return "added" if key not in base.keys else "removed" if key not in head.keys else "changed"


# ---- scenarios


def _of_scenarios(before: MasterEntry, after: MasterEntry, kinds: frozenset[str]) -> Iterator[Violation]:
    old, new = _by_kind(before), _by_kind(after)
    for kind in [kind for kind in new if kind not in old]:
        yield Violation("scenario-added", after.key, (kind,))
    for kind in [kind for kind in old if kind not in new]:
        yield Violation("scenario-removed", after.key, (kind,))
    others = [kind for kind in old if kind not in kinds and kind in new]
    names = sorted({*before.settings, *after.settings})
    fields = tuple(name for name in names if before.settings.get(name) != after.settings.get(name))
    if others and fields:
        yield Violation("shared-setting", after.key, fields)
    for kind in others:
        if old[kind] != new[kind]:
            yield Violation("other-scenario", after.key, (kind,))


def _by_kind(entry: MasterEntry) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for arm in entry.arms:
        found.setdefault(arm.kind, []).append(canonical([arm.settings, [row.settings for row in arm.rows]]))
    return found


# ---- points


def _points(project: Project, key: str, kinds: frozenset[str]) -> list[Point]:
    if key not in project.keys:
        return []
    return [point for point in expand_entry(project.keys[key][1], project.runners) if point.kind in kinds]


def _identity(point: Point) -> tuple[object, ...]:
    return (*(value for name, value in _fields(point) if name not in _FREE), point.concurrency)


def _fields(point: Point | Role) -> list[tuple[str, object]]:
    return [(name, getattr(point, name)) for name in point.__struct_fields__]


def _series(point: Point) -> tuple[object, ...]:
    """The curve on which a point is drawn: what people compare, whatever the topology."""
    agentic = point.kind == "agentic-coding"
    hardware = tuple((role.name, role.hardware) for role in point.roles if role.hardware)
    return (
        point.model,
        point.prefix,
        point.precision,
        point.framework,
        point.runner,
        point.disagg,
        point.kind if agentic else (point.isl, point.osl),
        point.kv_offloading not in ("", "none"),
        "" if agentic else point.spec_decoding,
        hardware,
    )


class _Changed(NamedTuple):
    """A point of the base and what became of it."""

    before: Point
    after: Point
    differences: tuple[str, ...]


def _paired(gone: list[Point], added: list[Point]) -> tuple[list[_Changed], list[Point], list[Point]]:
    """Points of the base that are gone, each with the added one that it became; those removed; those really added."""
    left = list(added)
    changed, removed = [], []
    for point in gone:
        peers = [other for other in left if (other.scenario, other.concurrency) == (point.scenario, point.concurrency)]
        twin = min(peers, key=lambda other: len(_differences(point, other)), default=None)
        if twin is None:
            removed.append(point)
        else:
            left.remove(twin)
            changed.append(_Changed(point, twin, _differences(point, twin)))
    return changed, removed, left


def _differences(before: Point, after: Point) -> tuple[str, ...]:
    """The settings that differ, old and new."""
    found: list[str] = []
    for name, value in _fields(before):
        other = getattr(after, name)
        if name == "roles":
            found += _of_roles(before.roles, after.roles)
        elif name not in _FREE and value != other:
            found.append(f"{name.replace('_', '-')} {_shown(value)} → {_shown(other)}")
    return tuple(found)


def _of_roles(before: tuple[Role, ...], after: tuple[Role, ...]) -> Iterator[str]:
    old, new = ({role.name: role for role in roles} for roles in (before, after))
    for name in dict.fromkeys((*old, *new)):
        if name not in old or name not in new:
            yield f"{name} {'added' if name in new else 'removed'}"
            continue
        for field, value in _fields(old[name]):
            other = getattr(new[name], field)
            if value == other:
                continue
            label = f"{name} {field.replace('_', '-')}"
            yield f"{label} changed" if field == "settings" else f"{label} {_shown(value)} → {_shown(other)}"


def _shown(value: object) -> str:
    return "none" if value in (None, "") else str(value).lower() if isinstance(value, bool) else str(value)


def _of_points(key: str, changed: list[_Changed], removed: list[Point]) -> Iterator[Violation]:
    for what, group in _grouped((item.differences, item.after) for item in changed).items():
        yield Violation("point-changed", key, (_places(group), *what), group[0].row)
    if removed:
        yield Violation("point-removed", key, (_places(removed),))


def _grouped(items: Iterable[tuple[tuple[str, ...], Point]]) -> dict[tuple[str, ...], list[Point]]:
    groups: dict[tuple[str, ...], list[Point]] = {}
    for what, point in items:
        groups.setdefault(what, []).append(point)
    return groups


def _places(points: list[Point]) -> str:
    """`8k1k at concurrency 8, 16; agentic-coding at concurrency 4`."""
    by_scenario: dict[str, list[str]] = {}
    for point in points:
        by_scenario.setdefault(point.scenario, []).append(str(point.concurrency))
    return "; ".join(f"{scenario} at concurrency {', '.join(listed)}" for scenario, listed in by_scenario.items())


def _of_curves(key: str, added: list[Point], images: Mapping[tuple[object, ...], set[str]]) -> Iterator[Violation]:
    seen: set[tuple[object, ...]] = set()
    for point in added:
        known = images.get(_series(point), set())
        place = (_series(point), point.image)
        if (len(known) == 1 and point.image in known and point.image) or place in seen:
            continue
        seen.add(place)
        where = f"{point.scenario} at concurrency {point.concurrency}"
        if not known:
            yield Violation("new-curve", key, (where,), point.row)
        else:
            yield Violation("other-image", key, (where, point.image or "none", ", ".join(sorted(known))), point.row)


# ---- recipes


def _of_recipes(change: Change, base: Project, key: str, kinds: frozenset[str]) -> Iterator[Violation]:
    """Recipes that points of the base run and whose meaning the change alters."""
    old = {change_file: digest for _, change_file, digest in _runs(base, key, kinds)}
    seen: set[str] = set()
    for selector, path, digest in _runs(change.head, key, kinds):
        former = (selector, change.base_path(path[1]))
        if former in old and old[former] != digest and path[1] not in seen:
            seen.add(path[1])
            yield Violation("recipe-changed", key, (path[1],), recipe=path[1])


def _runs(project: Project, key: str, kinds: frozenset[str]) -> Iterator[tuple[str, tuple[str, str], str]]:
    """The recipe files of a key's rows: selector, (selector, path), digest of what it runs."""
    entry = project.keys[key][1]
    for arm in entry.arms:
        for row in arm.rows if arm.kind in kinds else ():
            for reference in row.references:
                yield from _files(project, Use("", entry, arm, row, reference), reference)


def _files(project: Project, use: Use, reference: Reference) -> Iterator[tuple[str, tuple[str, str], str]]:
    for path in project.resolver.resolve(use).files:
        recipe = project.recipes.get(path)
        if recipe is not None and reference.purpose == "recipe":
            digests = recipe.facts.digests
            digest = digests.get(reference.selector) or digests.get("", "")
            yield reference.selector, (reference.selector, path), digest
