"""The changelog entries that a change needs: keys grouped by scenario, and a first description drawn from the diff.

Every statement is read off the two revisions: what is written is true of the head's configs, and of the base's where
it says what was before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from reciplint.domain.changelog import matches
from reciplint.domain.changelog_entry import NewEntry
from reciplint.domain.impact import Impact
from reciplint.domain.listing import some_of
from reciplint.domain.master import MasterEntry
from reciplint.domain.matrix import Point, expand_entry
from reciplint.domain.project import Change, Project

_LISTED = 5
_PLAIN = (str, int, float, bool)
_SKIPPED = frozenset({"srt-recipe-dir"})


def new_entries(
    change: Change, missing: list[Impact], pr_link: str, description: tuple[str, ...] = ()
) -> list[NewEntry]:
    """One entry for each set of scenario kinds among the impacts; a filter only where a set is a single kind."""
    groups: dict[tuple[str, ...], list[Impact]] = {}
    for impact in missing:
        groups.setdefault(tuple(sorted(impact.kinds)), []).append(impact)
    known = tuple(change.head.keys)
    entries = []
    for kinds, group in groups.items():
        keys = tuple(impact.entry.key for impact in group)
        entries.append(
            NewEntry(
                keys=named(keys, known),
                description=description or tuple(draft(change, group)),
                pr_link=pr_link,
                scenario_types=kinds if len(kinds) == 1 else (),
            )
        )
    return entries


# ---- keys


def named(keys: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    """The keys, or one wildcard if it is shorter and matches exactly these among all known keys."""
    chosen = set(keys)
    for pattern in _wildcards(keys):
        if len(pattern) < sum(map(len, keys)) and {key for key in known if matches(pattern, key)} == chosen:
            return (pattern,)
    return keys


def _wildcards(keys: tuple[str, ...]) -> Iterator[str]:
    """Patterns that match all keys, the most readable first: a star for whole words between dashes."""
    if len(keys) < 2:
        return
    words = [key.split("-") for key in keys]
    if len({len(parts) for parts in words}) == 1:
        yield _collapsed([column[0] if len(set(column)) == 1 else "*" for column in zip(*words, strict=True)])
    head = _common(words)
    tail = _common([parts[len(head) :][::-1] for parts in words])[::-1]
    if head or tail:
        yield "-".join((*head, "*", *tail))
    if head:
        yield "-".join(head) + "*"


def _common(words: list[list[str]]) -> list[str]:
    found = []
    for column in zip(*words, strict=False):
        if len(set(column)) > 1:
            break
        found.append(column[0])
    return found


def _collapsed(words: list[str]) -> str:
    kept = [word for index, word in enumerate(words) if word != "*" or index == 0 or words[index - 1] != "*"]
    return "-".join(kept)


# ---- description


def draft(change: Change, group: list[Impact]) -> list[str]:
    """What happened to the keys of an entry, a statement an item; keys are named where it is not true of all."""
    told: dict[str, list[str]] = {}
    for impact in group:
        for statement in _statements(change, impact):
            told.setdefault(statement, []).append(impact.entry.key)
    return [
        statement if len(keys) == len(group) or keys[0] in statement else f"{statement} ({some_of(keys, _LISTED)})"
        for statement, keys in told.items()
    ]


def _statements(change: Change, impact: Impact) -> Iterator[str]:
    entry = impact.entry
    before = change.base.keys.get(entry.key) if change.base is not None else None
    if before is None:
        yield _new_key(change.head, entry)
        return
    told = False
    for statement in (*_settings(entry, before[1]), *_points(change, impact, before[1])):
        told = True
        yield statement
    if impact.recipes:
        told = True
        names = [path.rsplit("/", 1)[-1] for path in impact.recipes]
        yield f"Change {'recipe' if len(names) == 1 else 'recipes'} {some_of(names, _LISTED)}"
    if not told:
        yield impact.reason[:1].upper() + impact.reason[1:]


def _new_key(project: Project, entry: MasterEntry) -> str:
    counted = _counts(expand_entry(entry, project.runners))
    gpu = (entry.runner or "").removeprefix("cluster:").partition("-")[0].upper()
    facts = [
        entry.model or "",
        (entry.precision or "").upper(),
        f"on {gpu}" if gpu else "",
        f"with {entry.framework}" if entry.framework else "",
    ]
    points = f": {_scenarios(counted)}" if counted else ""
    return f"Add {entry.key}, {' '.join(filter(None, facts))}{points}"


def _settings(entry: MasterEntry, before: MasterEntry) -> Iterator[str]:
    names = dict.fromkeys((*entry.settings, *before.settings))
    for name in names:
        old, new = before.settings.get(name), entry.settings.get(name)
        if old == new or name in _SKIPPED:
            continue
        verb = "Bump" if name == "image" else "Change"
        if isinstance(old, _PLAIN) and isinstance(new, _PLAIN):
            yield f"{verb} {name} {_shown(old)} → {_shown(new)}"
        else:
            yield f"{'Add' if old is None else 'Remove' if new is None else 'Change'} {name}"


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _points(change: Change, impact: Impact, before: MasterEntry) -> Iterator[str]:
    """How many points came and went, told apart by scenario, shape and concurrency alone."""
    assert change.base is not None
    new = Counter(map(_bare, expand_entry(impact.entry, change.head.runners)))
    old = Counter(map(_bare, expand_entry(before, change.base.runners)))
    for verb, points in (("Add", new - old), ("Remove", old - new)):
        counted = _counts(point for point in points.elements() if point.kind in impact.kinds)
        if counted:
            yield f"{verb} {_scenarios(counted)}"


def _bare(point: Point) -> Point:
    """A point without what is told otherwise (settings of the key, recipes) and without its place."""
    return msgspec.structs.replace(
        point, image="", model="", prefix="", precision="", framework="", runner="", multinode=False, disagg=False,
        router="", kv_p2p_transfer="", recipe="", evaluation="", row="", dram_gb=None,
        roles=tuple(msgspec.structs.replace(role, hardware="", settings=()) for role in point.roles),
    )  # fmt: skip


def _counts(points: Iterable[Point]) -> dict[str, int]:
    return dict(Counter(point.scenario for point in points))


def _scenarios(counted: dict[str, int]) -> str:
    return ", ".join(f"{count} {scenario} {'point' if count == 1 else 'points'}" for scenario, count in counted.items())
