"""A difference for a pull request: one line that says it all, tables, and long things folded.

Whatever comes from the repository is a code span, so that nothing in it is a mention, a link or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from html import escape
from posixpath import basename, dirname

from reciplint.cli.diff_view import (
    FLEETS,
    Line,
    Value,
    coverage,
    cut_pair,
    fleet_rows,
    key_lines,
    need_kinds,
    owner_groups,
    points_of,
    summary,
)
from reciplint.domain.diff import Diff
from reciplint.domain.point_diff import KeyDiff
from reciplint.domain.recipe_diff import RecipeDiff, SettingChange
from reciplint.report.escape import shown
from reciplint.report.markdown import as_text
from reciplint.report.table import Cell, Column, Markup, code, counted, markdown_table, number

_OPEN_ROWS = 12
_OPEN_BLOCKS = 6
_LISTED = 20
_KEY_LINES = 6
_SETTINGS = 40
_NAMES = 3
_STATUSES = (("changed", "Changed keys"), ("added", "Added keys"), ("removed", "Removed keys"))


def render(diff: Diff, base: str, head: str | None) -> str:
    """The blocks that have something to say, the summary first."""
    ends = f"{code(base[:12])} → {code(head[:12]) if head else 'the working tree'}"
    blocks = [
        f"**{summary(diff)}**",
        f"<sub>{ends}, GPU-hours estimated</sub>",
        *_uncovered(diff),
        *_keys(diff),
        *_recipes(diff),
        *_entries(diff),
        *_signers(diff),
        *_cost(diff),
    ]
    return "\n\n".join(block.strip("\n") for block in blocks if block) + "\n"


def _uncovered(diff: Diff) -> Iterator[str]:
    if diff.uncovered:
        yield "### Not covered by a changelog entry"
        columns = (Column("key"), Column("scenarios"), Column("because"))
        rows: list[list[Cell]] = [
            [need.key, need_kinds(need), need.reason + (" (metadata)" if need.is_metadata else "")]
            for need in diff.uncovered
        ]
        yield _folded(f"{counted(len(rows), 'key')}", columns, rows)


def _keys(diff: Diff) -> Iterator[str]:
    covered = coverage(diff)
    for status, title in _STATUSES:
        keys = [key for key in diff.keys if key.status == status]
        if not keys:
            continue
        yield f"### {title}"
        columns = (Column("key"), Column("points"), Column("what"), Column("changelog"))
        rows: list[list[Cell]] = [
            [key.key, Markup(points_of(key) or "-"), _what(key), _told(covered.get(key.key, ""))] for key in keys
        ]
        yield _folded(counted(len(keys), f"{status} key"), columns, rows)
        yield from _rest(keys)


def _what(key: KeyDiff) -> Markup:
    lines = [_marked(line) for line in key_lines(key)]
    if len(lines) > _KEY_LINES + 1:
        lines = [*lines[:_KEY_LINES], f"and {len(lines) - _KEY_LINES} more below"]
    return Markup("<br>".join(lines) or "-")


def _rest(keys: list[KeyDiff]) -> Iterator[str]:
    """The lines that found no room in the table, folded."""
    blocks = []
    for key in keys:
        lines = [_marked(line, in_table=False) for line in key_lines(key)]
        if len(lines) > _KEY_LINES + 1:
            blocks.append("\n".join([f"{code(key.key, in_table=False)}\n", *(f"- {line}" for line in lines)]))
    if blocks:
        yield _details(f"every change of {counted(len(blocks), 'key')} with many", "\n\n".join(blocks))


def _told(text: str) -> Markup:
    told = as_text(text)
    return Markup(f"**{told}**" if "missing" in text else told or "-")


def _recipes(diff: Diff) -> Iterator[str]:
    if not diff.recipes and not diff.restyled:
        return
    yield "### Recipes"
    columns = (Column("where"), Column("recipes"), Column("status"), Column("run by"))
    rows = [_recipe_row(group) for group in _alike(diff.recipes, lambda found: (dirname(found.path), _status(found)))]
    if rows:
        yield _folded(counted(len(diff.recipes), "recipe"), columns, rows)
    if diff.restyled:
        yield f"{counted(diff.restyled, 'recipe')} changed in text, not in meaning."
    changed = [recipe for recipe in diff.recipes if recipe.changes or recipe.added or recipe.removed]
    blocks = [_settings(group) for group in _alike(changed, lambda found: (found.changes, found.added, found.removed))]
    if len(blocks) > _OPEN_BLOCKS:
        yield _details(f"the settings of {counted(len(changed), 'recipe')}", "\n\n".join(blocks))
    else:
        yield from blocks


def _alike(recipes: Iterable[RecipeDiff], same: Callable[[RecipeDiff], object]) -> list[list[RecipeDiff]]:
    grouped: dict[object, list[RecipeDiff]] = {}
    for recipe in recipes:
        grouped.setdefault(same(recipe), []).append(recipe)
    return list(grouped.values())


def _recipe_row(group: list[RecipeDiff]) -> list[Cell]:
    keys = dict.fromkeys(key for recipe in group for key in recipe.keys)
    names = tuple(basename(recipe.path) for recipe in group)
    return [dirname(group[0].path), _names(names), Markup(_status(group[0])), _names(tuple(keys))]


def _status(recipe: RecipeDiff) -> str:
    if not recipe.is_readable:
        return "changed, cannot be compared"
    return f"moved from {code(recipe.was)}" if recipe.was else recipe.status


def _settings(group: list[RecipeDiff]) -> str:
    """The settings of recipes that changed alike, old and new, folded."""
    recipe = group[0]
    has_variants = bool(recipe.variants)
    columns = [Column("setting"), Column("old"), Column("new"), *([Column("variants")] if has_variants else [])]
    rows: list[list[Cell]] = [
        [change.place, *cut_pair(change.old, change.new), *([_variants(change, recipe)] if has_variants else [])]
        for change in recipe.changes[:_SETTINGS]
    ]
    more = len(recipe.changes) - _SETTINGS
    notes = [f"Variants {verb}: {_names(names)}" for verb, names in _variant_notes(recipe)]
    notes += [f"And {counted(more, 'more setting')}: `--format json` has all."] if more > 0 else []
    others = f" and {counted(len(group) - 1, 'other')} alike" if len(group) > 1 else ""
    listed = [f"Alike: {_names(tuple(basename(found.path) for found in group[1:]), _LISTED)}"] if others else []
    title = f"<code>{_html(basename(recipe.path))}</code>{others}: {counted(len(recipe.changes), 'setting')}"
    body = [markdown_table(columns, rows), *notes, *listed]
    return _details(title, "\n\n".join(part.strip("\n") for part in body if part))


def _variant_notes(recipe: RecipeDiff) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield from (item for item in (("added", recipe.added), ("removed", recipe.removed)) if item[1])


def _variants(change: SettingChange, recipe: RecipeDiff) -> Markup:
    if len(change.variants) == recipe.variants:
        return Markup("all")
    if len(change.variants) <= _NAMES:
        return _names(change.variants)
    return Markup(f"{len(change.variants)} of {recipe.variants}")


def _entries(diff: Diff) -> Iterator[str]:
    if not diff.entries:
        return
    yield "### Added changelog entries"
    yield (
        f"Together they start {counted(diff.started.points, 'point')} in {counted(diff.started.jobs, 'job')}, "
        f"about {number(diff.started.gpu_hours)} GPU-hours."
    )
    columns = (Column("line", right=True), Column("names"), Column("keys", right=True), Column("no point changed of"))
    rows: list[list[Cell]] = [
        [Markup(str(entry.line)), _names(entry.patterns), len(entry.keys), _names(entry.untouched)]
        for entry in diff.entries
    ]
    yield _folded(counted(len(rows), "entry").replace("entrys", "entries"), columns, rows)


def _signers(diff: Diff) -> Iterator[str]:
    if not diff.touched:
        return
    yield "### Who may sign"
    found = diff.signers
    if found is None:
        yield f"The base has no CODEOWNERS; {counted(len(diff.touched), 'file')} touched."
        return
    owned = counted(len(found.owned), "owned file")
    told = (
        f"Any of {_names(found.alone, _LISTED)} for all {owned}." if found.alone else f"Nobody alone for all {owned}."
    )
    unowned = f" {counted(len(found.unowned), 'file')} without an owner." if found.unowned else ""
    yield (told if found.owned else "No touched file has an owner.") + unowned
    columns = (Column("owners"), Column("files", right=True), Column("which"))
    rows: list[list[Cell]] = [
        [_names(owners, _LISTED), len(files), _names(files)] for owners, files in owner_groups(found.files)
    ]
    yield _folded(counted(len(found.files), "owner"), columns, rows)


def _cost(diff: Diff) -> Iterator[str]:
    yield "### Cost of a full sweep"
    *fleets, total = [[_runner(row[0]), *map(_number, row[1:])] for row in fleet_rows(diff)]
    if len(fleets) <= _OPEN_ROWS:
        yield markdown_table(FLEETS, [*fleets, total])
    else:
        yield markdown_table(FLEETS, [total])
        yield _folded(counted(len(fleets), "fleet"), FLEETS, fleets)


def _folded(title: str, columns: Iterable[Column], rows: list[list[Cell]]) -> str:
    """A table, folded if it is long."""
    table = markdown_table(list(columns), rows)
    return table if len(rows) <= _OPEN_ROWS else _details(title, table.strip("\n"))


def _details(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


def _names(names: tuple[str, ...], most: int = _NAMES) -> Markup:
    listed = [code(name) for name in names[:most]]
    more = [f"{len(names) - most} more"] if len(names) > most else []
    return Markup(", ".join([*listed, *more]) or "-")


def _marked(line: Line, in_table: bool = True) -> str:
    return "".join(code(part, in_table) if isinstance(part, Value) else _words(part) for part in line)


_EMOJI = re.compile(r":\S")


def _words(part: str) -> str:
    """Words of ours with names of fields, which a repository may choose: those that could be more than words are
    code."""
    safe = all(char.isalnum() or char in " .,:()+−→-" for char in part)
    return part if safe and "www." not in part and not _EMOJI.search(part) else code(part)


def _runner(cell: Cell) -> Cell:
    return cell if isinstance(cell, Value) else Markup(f"**{cell}**")


def _number(cell: Cell) -> Markup:
    return Markup(str(cell))


def _html(text: str) -> str:
    return escape(shown(text))
