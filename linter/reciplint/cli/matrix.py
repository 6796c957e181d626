"""`reciplint matrix`: master configs expanded to benchmark points, and what they cost."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

import click

from reciplint.cli.matrix_rows import COLUMNS, FLEETS, Fleet, as_json, by_row, cells, fleet_cells, fleets
from reciplint.cli.progress import Progress
from reciplint.cli.repository import Repository, open_repository
from reciplint.cli.unread import tell_unread
from reciplint.domain.matrix import Point, expand, totals
from reciplint.engine.analysis import Analysis
from reciplint.engine.cache import Cache, cache_file
from reciplint.engine.run import Request, analyse_pair
from reciplint.report.escape import shown
from reciplint.report.table import code, counted, csv_table, markdown_table, number, text_table
from reciplint.rules.finding import Finding

_FILTERS: dict[str, Callable[[Point], tuple[str, ...]]] = {
    "scenario": lambda point: (point.scenario, point.kind),
    "runner": lambda point: (point.runner,),
    "framework": lambda point: (point.framework,),
    "precision": lambda point: (point.precision,),
    "model-prefix": lambda point: (point.prefix,),
}


class ConcurrencyRange(click.ParamType[tuple[int, int]]):
    """A concurrency, or a range of them as 8-64, both ends included."""

    name = "concurrency"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """First and last. Fails for anything else."""
        first, dash, last = str(value).partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            self.fail(f"{value!r} is neither a concurrency like 64 nor a range like 8-64", param, ctx)
        return int(first), int(last or first)


@click.command("matrix", short_help="the benchmark points of the master configs")
@click.argument("keys", nargs=-1, metavar="[KEY]...")
@click.option("--head", metavar="REV", help="Expand this revision instead of the working tree.")
@click.option("--format", "chosen", type=click.Choice(["text", "json", "csv", "markdown"]), default="text")
@click.option(
    "--explain", "explained", is_flag=True, help="Each row of KEY beside its recipe, and where they disagree."
)
@click.option("--group/--no-group", default=None, help="One line a row with its concurrencies (text: the default).")
@click.option("--scenario", multiple=True, metavar="NAME", help="8k1k, fixed-seq-len, agentic-coding; a glob.")
@click.option("--runner", multiple=True, metavar="LABEL", help="Only this runner label; a glob.")
@click.option("--framework", multiple=True, metavar="NAME", help="Only this framework; a glob.")
@click.option("--precision", multiple=True, metavar="NAME", help="Only this precision; a glob.")
@click.option("--model-prefix", multiple=True, metavar="NAME", help="Only this model prefix; a glob.")
@click.option("--conc", type=ConcurrencyRange(), multiple=True, metavar="N|N-M", help="Only these concurrencies.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
@click.option("--config", type=click.Path(exists=True, dir_okay=False), help="Settings from another file.")
def command(
    keys: tuple[str, ...],
    head: str | None,
    chosen: str,
    explained: bool,
    group: bool | None,
    conc: tuple[tuple[int, int], ...],
    no_cache: bool,
    config: str | None,
    **filters: tuple[str, ...],
) -> int:
    """Expand the master configs to benchmark points, all or those of KEY (a key or a glob).

    The totals say what a sweep over them costs. GPU-hours are an estimate: GPUs times the hours that the settings
    give a point of its scenario (matrix.hours, 1 h unless set).

    With --explain, each row of KEY stands beside the recipe that it runs: what either says, what a number is made of,
    and the rule that reports a disagreement.
    """
    if explained:
        _require_explainable(keys, chosen, group)
    cache = Cache(None if no_cache else cache_file())
    repository = open_repository(cache, head, config)
    findings: list[Finding] = []
    if explained:
        from reciplint.cli.matrix_explain import judged

        analysis, findings = judged(repository, head, cache)
    else:
        analysis = _analyse(repository, head, cache)
    cache.close()
    tell_unread(analysis.projects, "the head" if head else "the working tree")
    points = [point for project in analysis.projects for point in expand(project.masters, project.runners)]
    known = {entry.key for project in analysis.projects for master in project.masters for entry in master.entries}
    points = _of_keys(points, keys, known)
    points = _filtered(points, {name.replace("_", "-"): values for name, values in filters.items()})
    if conc:
        points = [point for point in points if any(first <= point.concurrency <= last for first, last in conc)]
    if explained:
        _tell(_explanation(analysis, points, findings, chosen))
        return 0
    hours = repository.settings.hours
    runners = [project.runners for project in analysis.projects if project.runners is not None]
    found = fleets(points, hours, runners)
    grouped = chosen in ("text", "markdown") if group is None else group
    _tell(_RENDERERS[chosen](points, found, hours, grouped))
    return 0


def _tell(text: str) -> None:
    click.echo(text.encode("utf-8", "backslashreplace"), nl=False)


def _require_explainable(keys: tuple[str, ...], chosen: str, group: bool | None) -> None:
    """Raises `UsageError` for what an explanation cannot do."""
    if not keys:
        raise click.UsageError("--explain needs a key, or a glob of keys")
    if chosen == "csv" or group is not None:
        other = "--format csv" if chosen == "csv" else "--group"
        raise click.UsageError(f"--explain and {other} exclude each other")


def _explanation(analysis: Analysis, points: list[Point], findings: list[Finding], chosen: str) -> str:
    """The keys of some points explained, in a format."""
    from reciplint.cli.explain_text import RENDERERS
    from reciplint.cli.matrix_explain import explain

    return RENDERERS[chosen]([key for project in analysis.projects for key in explain(project, points, findings)])


def _analyse(repository: Repository, head: str | None, cache: Cache) -> Analysis:
    with Progress("reading") as progress:
        request = Request(head=repository.snapshot(head), progress=progress)
        return analyse_pair(request, repository.rules, repository.settings, cache).head


def _of_keys(points: list[Point], keys: tuple[str, ...], known: set[str]) -> list[Point]:
    """The points of the keys that were asked for. Raises `UsageError` for one that matches none."""
    if not keys:
        return points
    for key in keys:
        _require_match(key, known, "key")
    return [point for point in points if any(fnmatchcase(point.key, key) for key in keys)]


def _filtered(points: list[Point], filters: dict[str, tuple[str, ...]]) -> list[Point]:
    """The points that every filter lets through. Raises `UsageError` for a value that no point has."""
    for name, wanted in filters.items():
        values = _FILTERS[name]
        for pattern in wanted:
            _require_match(pattern, {value for point in points for value in values(point)}, name)
    return [
        point
        for point in points
        if all(
            any(fnmatchcase(value, pattern) for value in _FILTERS[name](point) for pattern in wanted)
            for name, wanted in filters.items()
            if wanted
        )
    ]


def _require_match(pattern: str, known: Iterable[str], what: str) -> None:
    names = sorted(known)
    if any(fnmatchcase(name, pattern) for name in names):
        return
    close = difflib.get_close_matches(pattern, names, 1)
    listed = f"; there are {', '.join(names)}" if 0 < len(names) <= 8 else ""
    hint = f"; did you mean {close[0]}?" if close else listed
    raise click.UsageError(f"no point has the {what} {pattern!r}{hint}" if what != "key" else _no_key(pattern, hint))


def _no_key(pattern: str, hint: str) -> str:
    if any(char in pattern for char in "*?["):
        return f"no key of the master configs matches {pattern!r}{hint}"
    return f"no key of the master configs is called {pattern!r}{hint}"


def _rows(points: list[Point], grouped: bool) -> list[list[Any]]:
    return [cells(group) for group in (by_row(points) if grouped else [[point] for point in points])]


def _text(points: list[Point], found: list[Fleet], hours: dict[str, float], grouped: bool) -> str:
    if not points:
        return "no points\n"
    table = text_table(COLUMNS, _rows(points, grouped))
    return f"{table}\n{text_table(FLEETS, list(map(fleet_cells, found)))}\n{_summary(points, hours, shown)}\n"


def _markdown(points: list[Point], found: list[Fleet], hours: dict[str, float], grouped: bool) -> str:
    if not points:
        return "No points.\n"
    table = markdown_table(COLUMNS, _rows(points, grouped))
    summary = _summary(points, hours, partial(code, in_table=False))
    return f"{summary}\n\n{markdown_table(FLEETS, list(map(fleet_cells, found)))}\n{table}"


def _csv(points: list[Point], found: list[Fleet], hours: dict[str, float], grouped: bool) -> str:
    return csv_table(COLUMNS, _rows(points, grouped))


def _json(points: list[Point], found: list[Fleet], hours: dict[str, float], grouped: bool) -> str:
    from reciplint.report.jsontext import dumps

    total = totals(points, hours)
    if grouped:
        listed = [
            {**as_json(group[0]), "concurrency": [point.concurrency for point in group]} for group in by_row(points)
        ]
    else:
        listed = [as_json(point) for point in points]
    return dumps(
        {
            "schema": "reciplint/matrix-v1",
            "points": listed,
            "totals": {
                "points": total.points,
                "jobs": total.jobs,
                "gpus": total.gpus,
                "gpu-hours": round(total.gpu_hours, 2),
                "hours-per-point": hours,
                "fleets": [
                    {
                        "runner": item.runner,
                        "runners": item.runners,
                        "points": item.points,
                        "jobs": item.jobs,
                        "gpus": item.gpus,
                        "gpu-hours": item.gpu_hours,
                    }
                    for item in found
                ],
            },
        }
    )


def _summary(points: list[Point], hours: dict[str, float], named: Callable[[str], str]) -> str:
    total = totals(points, hours)
    keys = len({point.key for point in points})
    used = [
        f"{hours.get(kind, 0.0):g} h for each {named(kind)} point" for kind in sorted({point.kind for point in points})
    ]
    return (
        f"{counted(total.points, 'point')} of {counted(keys, 'key')}, {counted(total.jobs, 'job')}, "
        f"{number(total.gpus)} GPUs if all ran at once, about {number(total.gpu_hours)} GPU-hours "
        f"(an estimate: {', '.join(used)})"
    )


_RENDERERS: dict[str, Callable[[list[Point], list[Fleet], dict[str, float], bool], str]] = {
    "text": _text,
    "markdown": _markdown,
    "csv": _csv,
    "json": _json,
}
