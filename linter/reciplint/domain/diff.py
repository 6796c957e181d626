"""What a change does to the benchmark: keys and points, recipes, what the changelog must say, who may sign, costs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from reciplint.domain.changelog import ChangelogEntry, added_entries
from reciplint.domain.impact import Impact, impacts
from reciplint.domain.master import MasterEntry
from reciplint.domain.matrix import Point, Totals, expand, totals
from reciplint.domain.owners import Signers
from reciplint.domain.point_diff import KeyDiff, Side, added_key, changed_key, removed_key
from reciplint.domain.project import Change, Project
from reciplint.domain.recipe_diff import Reader, RecipeDiff, only_restyled, recipe_diffs, users
from reciplint.yamltree.problem import DEFAULT_LIMITS, Limits

_TOP_LEVEL_KEY = re.compile(r"^([\"']?)([^\s#\"'-][^\n]*?)\1[ \t]*:(?=\s)", re.MULTILINE)


class Need(msgspec.Struct, frozen=True):
    """A key that a changelog entry must name, and why. `entries` are the lines of the added entries that do;
    `uncovered` are the scenario kinds that none covers."""

    key: str
    kinds: tuple[str, ...]
    reason: str
    is_metadata: bool
    entries: tuple[int, ...]
    uncovered: tuple[str, ...]


class AddedEntry(msgspec.Struct, frozen=True):
    """An entry that the change adds to a changelog: what it names, which keys of the head that is, and which of them
    the change leaves as they are."""

    changelog: str
    line: int
    patterns: tuple[str, ...]
    keys: tuple[str, ...]
    untouched: tuple[str, ...]
    scenario_types: tuple[str, ...]
    description: tuple[str, ...]
    pr_link: str


class Diff(msgspec.Struct, frozen=True):
    """The whole difference. `started` is the cost of what the added entries have benchmarked (without regard to
    entries that only evaluate or append); `restyled` counts recipes of which only the text changed."""

    keys: tuple[KeyDiff, ...]
    recipes: tuple[RecipeDiff, ...]
    restyled: int
    needs: tuple[Need, ...]
    entries: tuple[AddedEntry, ...]
    before: Totals
    after: Totals
    before_fleets: dict[str, Totals]
    after_fleets: dict[str, Totals]
    started: Totals
    touched: tuple[str, ...]
    owners_file: str = ""
    signers: Signers | None = None

    @property
    def uncovered(self) -> tuple[Need, ...]:
        """The keys that no added entry covers, or not in every scenario."""
        return tuple(need for need in self.needs if need.uncovered)


def compare(
    changes: Iterable[Change],
    before: Reader,
    after: Reader,
    touched: Iterable[str],
    hours: dict[str, float],
    limits: Limits = DEFAULT_LIMITS,
) -> Diff:
    """The difference that some changes make; `before` and `after` read files, `touched` are all changed paths."""
    listed = list(changes)
    keys: list[KeyDiff] = []
    recipes: list[RecipeDiff] = []
    needs: list[Need] = []
    entries: list[AddedEntry] = []
    started: list[Point] = []
    for change in listed:
        own = recipe_diffs(change, before, after, limits)
        recipes += own
        keys += _with_recipes(list(_key_diffs(change, after)), change, own)
        impact = list(impacts(change)) if change.base is not None else []
        added = added_entries(change.base.changelog if change.base else None, change.head.changelog)
        needs += [_need(item, added) for item in impact]
        entries += _entries(change.head, added, impact)
        started += _started(change.head, added)
    old = [point for change in listed if change.base for point in _points(change.base)]
    new = [point for change in listed for point in _points(change.head)]
    return Diff(
        keys=tuple(keys),
        recipes=tuple(recipes),
        restyled=sum(map(only_restyled, listed)),
        needs=tuple(needs),
        entries=tuple(entries),
        before=totals(old, hours),
        after=totals(new, hours),
        before_fleets=_by_fleet(old, hours),
        after_fleets=_by_fleet(new, hours),
        started=totals(started, hours),
        touched=tuple(sorted(set(touched))),
    )


def _points(project: Project) -> Iterator[Point]:
    return expand(project.masters, project.runners)


def _by_fleet(points: list[Point], hours: dict[str, float]) -> dict[str, Totals]:
    fleets: dict[str, list[Point]] = {}
    for point in points:
        fleets.setdefault(point.runner, []).append(point)
    return {runner: totals(own, hours) for runner, own in sorted(fleets.items())}


def _key_diffs(change: Change, after: Reader) -> Iterator[KeyDiff]:
    """Keys in the head's order, then the removed ones in the base's."""
    base, head = change.base, change.head
    old_keys = base.keys if base is not None else {}
    old_runners = base.runners if base is not None else None
    gone = {key: found for key, found in old_keys.items() if key not in head.keys}
    renamed = _renamed(gone.values(), (found for key, found in head.keys.items() if key not in old_keys))
    for key, (master, entry) in head.keys.items():
        side = Side(entry, head.runners)
        if key in old_keys:
            found = changed_key(key, master.path, Side(old_keys[key][1], old_runners), side)
            if found is not None:
                yield found
        else:
            yield msgspec.structs.replace(added_key(key, master.path, side), was=renamed.get(key, ""))
    archived = _archived(head, after) if gone else {}
    for key, (master, entry) in gone.items():
        found = removed_key(key, master.path, Side(entry, old_runners))
        yield msgspec.structs.replace(found, archive=archived.get(key, ""))


def _archived(head: Project, after: Reader) -> dict[str, str]:
    """Key → the archive where it stands. Facts hold an archive's keys only where they name a recipe, so it is read."""
    found = {}
    for path, data in after([master.path for master in head.archives]).items():
        found.update({name: path for _, name in _TOP_LEVEL_KEY.findall(data.decode("utf-8", "replace"))})
    return found


def _renamed(gone: Iterable[tuple[object, MasterEntry]], new: Iterable[tuple[object, MasterEntry]]) -> dict[str, str]:
    """Added key → the removed key with the same settings, where exactly one has them."""
    by_digest: dict[str, list[str]] = {}
    for _, entry in gone:
        by_digest.setdefault(entry.digest, []).append(entry.key)
    return {entry.key: found[0] for _, entry in new if len(found := by_digest.get(entry.digest, [])) == 1}


def _with_recipes(keys: list[KeyDiff], change: Change, recipes: list[RecipeDiff]) -> list[KeyDiff]:
    """The keys with the changed recipes that they run; keys of which nothing else changed come in as well."""
    ran: dict[str, dict[str, int]] = {}
    for recipe in recipes:
        if recipe.status == "changed" and change.base is not None:
            for use in users(change.head, recipe.path):
                if use.entry.key in recipe.keys and use.entry.key in change.base.keys:
                    counted = ran.setdefault(use.entry.key, {})
                    counted[recipe.path] = counted.get(recipe.path, 0) + len(use.row.concurrencies)
    known = {found.key: found for found in keys}
    result = [msgspec.structs.replace(found, recipes=ran.pop(found.key, {})) for found in known.values()]
    for key, counted in ran.items():
        master = change.head.keys[key][0]
        result.append(KeyDiff(key, master.path, "changed", recipes=counted))
    order = {key: index for index, key in enumerate(change.head.keys)}
    return sorted(result, key=lambda found: (order.get(found.key, len(order)), found.key))


def _need(impact: Impact, added: list[ChangelogEntry]) -> Need:
    key = impact.entry.key
    covering = [entry for entry in added if any(entry.covers(key, kind) for kind in impact.kinds)]
    uncovered = [kind for kind in impact.kinds if not any(entry.covers(key, kind) for entry in added)]
    lines = tuple(entry.span.line for entry in covering)
    return Need(key, impact.kinds, impact.reason, impact.is_metadata, lines, tuple(uncovered))


def _entries(head: Project, added: list[ChangelogEntry], impact: list[Impact]) -> Iterator[AddedEntry]:
    touched = {item.entry.key for item in impact}
    for entry in added:
        keys = [key for key, (_, found) in head.keys.items() if any(entry.covers(key, arm.kind) for arm in found.arms)]
        yield AddedEntry(
            changelog=head.changelog_path,
            line=entry.span.line,
            patterns=tuple(pattern.text for pattern in entry.keys),
            keys=tuple(keys),
            untouched=tuple(key for key in keys if key not in touched),
            scenario_types=entry.scenario_types,
            description=tuple(line.text for line in entry.description),
            pr_link=entry.pr_link.text if entry.pr_link else "",
        )


def _started(head: Project, added: list[ChangelogEntry]) -> Iterator[Point]:
    """The points that the added entries have benchmarked, each once."""
    covered: dict[tuple[str, str], bool] = {}
    for point in _points(head) if added else ():
        place = (point.key, point.kind)
        if place not in covered:
            covered[place] = any(entry.covers(*place) for entry in added)
        if covered[place]:
            yield point
