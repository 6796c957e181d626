"""A difference for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.cli.diff_view import (
    ABSENT,
    FLEETS,
    Line,
    coverage,
    cut,
    cut_pair,
    fleet_rows,
    key_lines,
    need_kinds,
    owner_groups,
    points_of,
    summary,
)
from reciplint.domain.diff import Diff
from reciplint.domain.recipe_diff import RecipeDiff, SettingChange
from reciplint.report.escape import shown, shown_first, shown_path
from reciplint.report.table import Cell, Column, counted, number, text_table

_SETTINGS = 8
_VARIANTS = 4
_SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def render(diff: Diff, base: str, head: str | None) -> str:
    """The sections that have something to say, the summary first."""
    sections = [
        [f"{base[:12]} -> {head[:12] if head else 'working tree'}", summary(diff)],
        list(_uncovered(diff)),
        list(_keys(diff)),
        list(_recipes(diff)),
        list(_entries(diff)),
        list(_signers(diff)),
        ["Cost of a full sweep", *text_table(FLEETS, fleet_rows(diff), "  ").splitlines()],
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def _uncovered(diff: Diff) -> Iterator[str]:
    if diff.uncovered:
        yield "Not covered by an added changelog entry"
        rows = [
            [need.key, need_kinds(need), need.reason + (" (metadata)" if need.is_metadata else "")]
            for need in diff.uncovered
        ]
        yield from text_table((Column("key"), Column("scenarios"), Column("because")), rows, "  ").splitlines()


def _keys(diff: Diff) -> Iterator[str]:
    covered = coverage(diff)
    if diff.keys:
        yield "Keys"
    for key in diff.keys:
        told = covered.get(key.key)
        yield "  " + "  ".join(
            filter(
                None,
                [
                    f"{_SIGNS[key.status]} {shown(key.key)}",
                    f"points {points_of(key)}" if points_of(key) else "",
                    f"changelog: {shown(told)}" if told else "",
                ],
            )
        )
        for line in key_lines(key):
            yield f"      {_plain(line)}"


def _recipes(diff: Diff) -> Iterator[str]:
    if diff.recipes or diff.restyled:
        yield "Recipes"
    for recipe in diff.recipes:
        used = ", ".join(recipe.keys) or "no key"
        yield f"  {_SIGNS[recipe.status]} {shown(recipe.path)}  run by {shown(used)}"
        yield from (f"      {line}" for line in _recipe_lines(recipe))
    if diff.restyled:
        yield f"  {counted(diff.restyled, 'recipe')} changed in text, not in meaning"


def _recipe_lines(recipe: RecipeDiff) -> Iterator[str]:
    if recipe.was:
        yield f"moved from {shown(recipe.was)}"
    if not recipe.is_readable:
        yield "one side cannot be read: settings were not compared"
    for verb, names in (("added", recipe.added), ("removed", recipe.removed)):
        if names:
            yield f"variants {verb}: {shown(', '.join(names))}"
    for change in recipe.changes[:_SETTINGS]:
        yield f"{shown_first(change.place)}: {_old_new(change)}{_variants(change, recipe)}"
    if len(recipe.changes) > _SETTINGS:
        yield f"and {counted(len(recipe.changes) - _SETTINGS, 'more setting')} (--format json has all)"


def _old_new(change: SettingChange) -> str:
    old, new = cut_pair(change.old, change.new)
    return f"{shown(old) or ABSENT} → {shown(new) or ABSENT}"


def _variants(change: SettingChange, recipe: RecipeDiff) -> str:
    if not change.variants or len(change.variants) == recipe.variants:
        return ""
    if len(change.variants) <= _VARIANTS:
        return f" ({shown(', '.join(change.variants))})"
    return f" ({len(change.variants)} of {recipe.variants} variants)"


def _entries(diff: Diff) -> Iterator[str]:
    if not diff.entries:
        return
    yield (
        f"Added changelog entries (together {counted(diff.started.points, 'point')}, "
        f"{counted(diff.started.jobs, 'job')}, about {number(diff.started.gpu_hours)} GPU-hours)"
    )
    for entry in diff.entries:
        kinds = f" in {', '.join(entry.scenario_types)}" if entry.scenario_types else ""
        yield (
            f"  {shown_path(entry.changelog)}:{entry.line}  {shown(', '.join(entry.patterns))}: "
            f"{counted(len(entry.keys), 'key')}{shown(kinds)}"
        )
        for line in entry.description[:1]:
            yield f"      {shown_first(cut(line))}"
        if entry.untouched:
            yield f"      no point changed of {shown(', '.join(entry.untouched))}"


def _signers(diff: Diff) -> Iterator[str]:
    if not diff.touched:
        return
    yield "Who may sign"
    if diff.signers is None:
        yield f"  the base has no CODEOWNERS; {counted(len(diff.touched), 'file')} touched"
        return
    found = diff.signers
    if found.alone:
        yield f"  any of {shown(', '.join(found.alone))} for all {counted(len(found.owned), 'owned file')}"
    elif found.owned:
        yield f"  nobody alone for all {counted(len(found.owned), 'owned file')}"
    rows: list[list[Cell]] = [
        [", ".join(owners), len(files), _few(files)] for owners, files in owner_groups(found.files)
    ]
    yield from text_table((Column("owners"), Column("files", right=True), Column("which")), rows, "  ").splitlines()
    if found.unowned:
        yield f"  {counted(len(found.unowned), 'file')} without an owner: {shown(_few(found.unowned))}"


def _few(names: tuple[str, ...]) -> str:
    return ", ".join([*names[:3], *(["…"] if len(names) > 3 else [])])


def _plain(line: Line) -> str:
    return shown_first("".join(line))
