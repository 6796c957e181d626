"""A difference as lines that both the text and the Markdown show: words of ours, and values from the repository."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from posixpath import basename

from reciplint.domain.diff import Diff, Need
from reciplint.domain.matrix import Totals
from reciplint.domain.point_diff import FieldChange, KeyDiff, RowDiff
from reciplint.report.table import Cell, Column, counted, number

LONGEST_VALUE = 160
_MOST_PIECES = 2000
_CONTEXT = 2  # pieces around a difference
_RECIPES = 3
ABSENT = "nothing"

FLEETS = (
    Column("runner"),
    Column("points", right=True),
    Column("jobs", right=True),
    Column("GPU-hours", right=True),
    Column("change", right=True),
)


class Value(str):
    """Text from the repository: untrusted, and to be told from our own words."""

    __slots__ = ()


Line = list[str]
"""Words, some of them values."""


def cut(text: str) -> Value:
    """A value short enough to read; the JSON has it whole."""
    return Value(text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 20]}…{text[-19:]}")


def cut_pair(old: str, new: str) -> tuple[Value, Value]:
    """Two values short enough to read, cut to what differs where one is long."""
    if max(len(old), len(new)) <= LONGEST_VALUE or not old or not new:
        return cut(old), cut(new)
    before, after = _pieces(old), _pieces(new)
    if max(len(before), len(after)) > _MOST_PIECES:
        return cut(old), cut(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    parts: tuple[list[str], list[str]] = ([], [])
    for tag, start, end, begin, finish in matcher.get_opcodes():
        if tag == "equal":
            for side, run in zip(parts, (before[start:end], after[begin:finish]), strict=True):
                side.append("".join(run) if len(run) <= 2 * _CONTEXT else _ends(run))
        else:
            parts[0].append("".join(before[start:end]))
            parts[1].append("".join(after[begin:finish]))
    return cut("".join(parts[0]).strip()), cut("".join(parts[1]).strip())


def _pieces(text: str) -> list[str]:
    """Words, with the blanks and marks between them."""
    return re.findall(r"[\w.-]+|[^\w.-]+", text)


def _ends(run: list[str]) -> str:
    return f"{''.join(run[:_CONTEXT])}…{''.join(run[-_CONTEXT:])}"


def summary(diff: Diff) -> str:
    """One line of what a reviewer asks first."""
    points = [sum(getattr(key, name) for key in diff.keys) for name in ("added", "removed", "changed")]
    parts = [
        _counts("key", *_by_status(key.status for key in diff.keys)),
        _counts("point", *points),
        _counts("recipe", *_by_status(recipe.status for recipe in diff.recipes)),
    ]
    if not any(parts):
        parts = ["no key, point or recipe differs"]
    if diff.needs:
        covered = len(diff.needs) - len(diff.uncovered)
        parts.append(f"changelog names {covered} of {counted(len(diff.needs), 'key')} that need it")
    parts.append(f"GPU-hours {moved(diff.before.gpu_hours, diff.after.gpu_hours)}")
    return " · ".join(filter(None, parts))


def moved(before: float, after: float) -> str:
    """`31,345 → 31,056 (−289)`, or the one number that stayed."""
    if round(before, 1) == round(after, 1):
        return number(after)
    return f"{number(before)} → {number(after)} ({signed(after - before)})"


def signed(value: float) -> str:
    """With its sign, a minus as typographers set it; 0 without."""
    text = number(abs(value))
    return text if text == "0" else f"{'+' if value > 0 else '−'}{text}"


def points_of(key: KeyDiff) -> str:
    """`+32 −5 ~12`."""
    recipes = sum(key.recipes.values()) if not key.changed else 0
    counts = (("+", key.added), ("−", key.removed), ("~", key.changed or recipes))
    return " ".join(f"{sign}{count}" for sign, count in counts if count)


def key_lines(key: KeyDiff) -> Iterator[Line]:
    """What became of a key, the shared changes first."""
    if key.was:
        yield ["renamed from ", Value(key.was)]
    if key.archive:
        yield ["moved to ", Value(key.archive)]
    for field in key.fields:
        if not field.rows:
            yield [f"{field.name}: ", *arrow(field), f" ({counted(field.points, 'point')})" if field.points else ""]
    for rows, fields in _by_rows(key.fields):
        yield [*_listed(rows), ": ", *_joined(fields)]
    for row in key.rows:
        yield row_line(row)
    if key.recipes:
        yield _changed_recipes(key.recipes)


def row_line(row: RowDiff) -> Line:
    """A row that came, went, or runs other concurrencies."""
    before, after = (", ".join(map(str, values)) for values in (row.before, row.after))
    if row.status == "changed":
        return [Value(row.row), f": conc {before} → {after}"]
    recipe = [", recipe ", Value(basename(row.recipe))] if row.recipe else []
    sign = "+" if row.status == "added" else "−"
    return [f"{sign} ", Value(row.row), f" conc {before or after}", *recipe]


def _changed_recipes(recipes: dict[str, int]) -> Line:
    names = [basename(path) for path in recipes]
    more = f" and {len(names) - _RECIPES} more" if len(names) > _RECIPES else ""
    noun = "recipe" if len(names) == 1 else "recipes"
    return [
        f"{noun} ",
        *_listed(tuple(names[:_RECIPES])),
        f"{more} changed ({counted(sum(recipes.values()), 'point')})",
    ]


def arrow(change: FieldChange) -> Line:
    """Old and new."""
    old, new = cut_pair(change.old, change.new)
    return [old or ABSENT, " → ", new or ABSENT]


def need_kinds(need: Need) -> str:
    """The scenario kinds that no entry covers."""
    return ", ".join(need.uncovered)


def coverage(diff: Diff) -> dict[str, str]:
    """Key → the lines of the entries that cover it, or that one is missing; keys that need none are left out."""
    found = {}
    for need in diff.needs:
        noun = "line" if len(need.entries) == 1 else "lines"
        lines = f"{noun} {', '.join(map(str, need.entries))}" if need.entries else ""
        missing = f"missing for {need_kinds(need)}" if need.entries else "missing"
        found[need.key] = "; ".join(filter(None, [lines, missing if need.uncovered else ""]))
    return found


def owner_groups(files: dict[str, tuple[str, ...]]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Owners who own the same files, with the files."""
    grouped: dict[tuple[str, ...], list[str]] = {}
    for owner, owned in files.items():
        grouped.setdefault(owned, []).append(owner)
    return [(tuple(owners), owned) for owned, owners in grouped.items()]


def fleet_rows(diff: Diff) -> list[list[Cell]]:
    """The fleets of which something changes, before → after, and the sum."""
    nothing = Totals(0, 0, 0, {}, {})
    rows = []
    for runner in sorted({*diff.before_fleets, *diff.after_fleets}):
        before, after = diff.before_fleets.get(runner, nothing), diff.after_fleets.get(runner, nothing)
        if (before.points, before.jobs, before.gpu_hours) != (after.points, after.jobs, after.gpu_hours):
            rows.append(_fleet(Value(runner), before, after))
    return [*rows, _fleet("all", diff.before, diff.after)]


def _fleet(runner: str, before: Totals, after: Totals) -> list[Cell]:
    def pair(old: float, new: float) -> str:
        return number(new) if old == new else f"{number(old)} → {number(new)}"

    return [
        runner,
        pair(before.points, after.points),
        pair(before.jobs, after.jobs),
        pair(round(before.gpu_hours, 1), round(after.gpu_hours, 1)),
        signed(after.gpu_hours - before.gpu_hours),
    ]


def _by_status(found: Iterable[str]) -> tuple[int, int, int]:
    counts = Counter(found)
    return counts["added"], counts["removed"], counts["changed"]


def _counts(noun: str, added: int, removed: int, changed: int) -> str:
    """`keys: 3 added, 9 changed`; "" for none."""
    counts = [(added, "added"), (removed, "removed"), (changed, "changed")]
    told = [f"{number(count)} {verb}" for count, verb in counts if count]
    return f"{noun}s: {', '.join(told)}" if told else ""


def _listed(rows: tuple[str, ...]) -> Line:
    line: Line = []
    for index, row in enumerate(rows):
        line += [", "] if index else []
        line.append(Value(row))
    return line


def _joined(fields: list[FieldChange]) -> Line:
    line: Line = []
    for index, field in enumerate(fields):
        line += [", " if index else "", f"{field.name} ", *arrow(field)]
    return line


def _by_rows(fields: Iterable[FieldChange]) -> list[tuple[tuple[str, ...], list[FieldChange]]]:
    grouped: dict[tuple[str, ...], list[FieldChange]] = {}
    for field in fields:
        if field.rows:
            grouped.setdefault(field.rows, []).append(field)
    return list(grouped.items())
