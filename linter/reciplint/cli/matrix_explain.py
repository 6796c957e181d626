"""Keys explained: each row beside its recipe, with the findings of a run that speak of either.

What disagrees is not judged here: a line is marked where a finding speaks of it, so that this and `check` say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from posixpath import basename

from reciplint.cli.explain_rows import Line, disputes, lines
from reciplint.cli.matrix_rows import by_row
from reciplint.cli.progress import Progress
from reciplint.cli.repository import Repository
from reciplint.domain.master import MasterEntry, MasterFile
from reciplint.domain.matrix import Point
from reciplint.domain.pairing import Pair, is_matched, pairs
from reciplint.domain.project import Project
from reciplint.domain.recipe_arithmetic import resource_faults
from reciplint.domain.references import Resolved, Use
from reciplint.domain.variant_places import locate
from reciplint.engine.analysis import Analysis
from reciplint.engine.cache import Cache
from reciplint.engine.run import Request, run
from reciplint.rules.finding import Finding
from reciplint.yamltree.spans import Span

_OF_ONE_KEY = frozenset({"container-mismatch", "identity-mismatch"})
"""Rules that hold a recipe against one key, and say another finding for another."""

_FAMILIES = frozenset({"consistency", "policy", "references"})
"""Rules that speak of a row, its recipe, or the two."""


@dataclass(frozen=True)
class Marked:
    """A line with the rules that report it."""

    line: Line
    rules: tuple[str, ...]


@dataclass(frozen=True)
class RecipeTold:
    """A recipe of a row. `standing` says why there is nothing to compare ("" where there is); `place` is its line."""

    path: str
    selector: str
    place: int
    standing: str
    concurrencies: tuple[int, ...]
    lines: tuple[Marked, ...] = ()


@dataclass(frozen=True)
class RowTold:
    """A row: its points, its place, its recipes, and the findings that speak of it."""

    points: tuple[Point, ...]
    path: str
    place: int
    recipes: tuple[RecipeTold, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class KeyTold:
    """A key with the rows that were asked for, and the findings that speak of it and of no single row."""

    entry: MasterEntry
    path: str
    rows: tuple[RowTold, ...]
    findings: tuple[Finding, ...]


def judged(repository: Repository, head: str | None, cache: Cache) -> tuple[Analysis, list[Finding]]:
    """The head, and what the rules that compare rows, recipes and policy find there."""
    chosen = frozenset(name for name, found in repository.rules.items() if found.card.category in _FAMILIES)
    with Progress("reading") as progress:
        request = Request(
            head=repository.snapshot(head),
            select=chosen,
            review_date=repository.review_date(head),
            progress=progress,
        )
        outcome = run(request, repository.rules, repository.settings, cache)
    return outcome.head, [item.finding for item in outcome.findings]


def explain(project: Project, points: Iterable[Point], findings: list[Finding]) -> Iterator[KeyTold]:
    """The keys of some points of a project, each with the rows that have any of them."""
    wanted: dict[str, dict[str, list[Point]]] = {}
    for group in by_row(list(points)):
        wanted.setdefault(group[0].key, {})[group[0].row] = group
    for master in project.masters:
        for entry, following in zip(master.entries, [*master.entries[1:], None], strict=True):
            if entry.key in wanted:
                end = following.key_span.line if following is not None else None
                yield _key(project, master, entry, end, wanted[entry.key], findings)


def _key(
    project: Project,
    master: MasterFile,
    entry: MasterEntry,
    end: int | None,
    wanted: Mapping[str, list[Point]],
    findings: list[Finding],
) -> KeyTold:
    spans = [row.span for arm in entry.arms for row in arm.rows]
    own = [item for item in findings if item.path == master.path and item.span.line >= entry.key_span.line]
    own = [item for item in own if end is None or item.span.line < end]
    shared = [item for item in own if not any(_inside(item.span, span) for span in spans)]
    rows = [
        _row(project, master, entry, row.pointer, row.span, wanted[row.pointer], shared, findings)
        for arm in entry.arms
        for row in arm.rows
        if row.pointer in wanted
    ]
    return KeyTold(entry, master.path, tuple(rows), tuple(shared))


def _row(
    project: Project,
    master: MasterFile,
    entry: MasterEntry,
    pointer: str,
    span: Span,
    points: list[Point],
    shared: list[Finding],
    findings: list[Finding],
) -> RowTold:
    uses = [
        (use, resolved)
        for use, resolved in project.resolver.resolved
        if use.entry is entry and use.row.pointer == pointer and use.reference.purpose == "recipe"
    ]
    own = [item for item in findings if _speaks_of_row(item, master.path, span)]
    told: list[RecipeTold] = []
    said = list(own)
    for use, resolved in uses:
        for recipe, about in _recipes(project, use, resolved, points, own, shared, findings):
            told.append(recipe)
            said += [item for item in about if item not in said]
    return RowTold(tuple(points), master.path, span.line, tuple(told), tuple(said))


def _recipes(
    project: Project,
    use: Use,
    resolved: Resolved,
    points: list[Point],
    own: list[Finding],
    shared: list[Finding],
    findings: list[Finding],
) -> Iterator[tuple[RecipeTold, list[Finding]]]:
    """Each variant of each file that a reference may mean, with the findings about it."""
    if not resolved.files:
        is_elsewhere = resolved.standing == "external" and use.reference.era == "A"
        standing = "kept outside of this repository" if is_elsewhere else "not in this tree"
        yield RecipeTold(resolved.expected, use.reference.selector, 0, standing, use.row.concurrencies), []
    for path in resolved.files:
        recipe = project.recipes.get(path)
        found = list(pairs(use, recipe)) if recipe is not None else []
        for pair in found:
            about = [item for item in findings if _speaks_of_recipe(project, item, pair)]
            marks = [*own, *shared, *about]
            marked = tuple(
                Marked(line, tuple(dict.fromkeys(item.rule for item in marks if disputes(item, line))))
                for line in lines(project, pair, points[0])
            )
            place = _place(project, pair)
            yield RecipeTold(path, pair.variant.selector, place, "", pair.concurrencies, marked), about
        left = tuple(set(use.row.concurrencies) - {value for pair in found for value in pair.concurrencies})
        if recipe is None or not found or (is_matched(use, recipe) and left):
            standing = "no recipe that can be read" if recipe is None else "no variant, or several, are the row's"
            yield RecipeTold(path, use.reference.selector, 1, standing, tuple(sorted(left))), []


def _place(project: Project, pair: Pair) -> int:
    """The line of a variant's key; of the recipe's name for a plain one."""
    tree = project.tree(pair.path)
    group = pair.variant.selector.partition("[")[0]
    place = locate(tree, "", (group,)) if tree is not None and group else None
    return tree.span(place.key).line if tree is not None and place else project.recipe_span(pair.path).line


def _inside(span: Span, outer: Span) -> bool:
    return (outer.line, outer.column) <= (span.line, span.column) <= (outer.end_line, outer.end_column)


def _speaks_of_row(finding: Finding, master: str, span: Span) -> bool:
    places = [(finding.path, finding.span), *((item.path, item.span) for item in finding.related)]
    return any(path == master and _inside(place, span) for path, place in places)


def _speaks_of_recipe(project: Project, finding: Finding, pair: Pair) -> bool:
    """Whether a finding in a pair's recipe is about its variant: in its body or the base, and not said of another."""
    if finding.path != pair.path:
        return False
    selector, told = pair.variant.selector, finding.arguments
    if finding.rule in _OF_ONE_KEY and told.get("key", pair.use.entry.key) != pair.use.entry.key:
        return False
    named = str(told.get("recipe", ""))
    if named.startswith(f"{basename(pair.path)}:") and named != f"{basename(pair.path)}:{selector}":
        return False
    if finding.rule == "resource-arithmetic":
        roles = [(fault.kind, fault.role.name if fault.role else "") for fault in resource_faults(pair.variant)]
        return (finding.message_id, told.get("role")) in roles
    bodies = ("base", selector.partition("[")[0]) if selector else ()
    tree = project.tree(pair.path)
    if tree is None or not bodies:
        return True
    found = [locate(tree, "", (body,)) for body in bodies]
    within = [tree.lines.span(place.key.start, place.value.end) for place in found if place is not None]
    top = [tree.span(place.key) for place in found if place is not None]
    is_above = all(finding.span.line < span.line for span in top)
    return is_above or any(_inside(finding.span, span) for span in within)
