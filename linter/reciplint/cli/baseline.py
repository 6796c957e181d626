"""`reciplint baseline`: accept the findings that stand, take back what no longer does, or check that."""

from __future__ import annotations

from collections import Counter

import click

from reciplint.cli.placing import place, present
from reciplint.cli.progress import Progress, say
from reciplint.cli.repository import Repository, open_repository
from reciplint.engine.baseline import (
    BASELINE_FILE,
    Baseline,
    BaselineError,
    Entry,
    baseline_of,
    read_baseline,
    write_baseline,
)
from reciplint.engine.cache import Cache, cache_file
from reciplint.engine.run import Outcome, Request, run

_NAMED = 20


@click.command("baseline", short_help="accept the standing findings")
@click.option("--baseline", "file", type=click.Path(), metavar="FILE", help="Another file than the settings name.")
@click.option("--shrink", is_flag=True, help="Only remove or lower what is accepted, never add.")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit with 1 if --shrink would.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
def command(file: str | None, shrink: bool, only_check: bool, no_cache: bool) -> int:
    """Write every error and warning that stands into the baseline.

    `check` holds back what the baseline has and reports what exceeds it. Name the file in the settings (`baseline:`).
    """
    if shrink and only_check:
        raise click.UsageError("--check tells what --shrink would do: leave one of them out")
    cache = Cache(None if no_cache else cache_file())
    repository = open_repository(cache)
    path = repository.relative((file,))[0] if file else repository.settings.baseline or BASELINE_FILE
    before = present(repository.top, path)
    old = Baseline()
    if before is not None:
        old = read_baseline(before, path)
    elif shrink or only_check:
        raise BaselineError(f"there is no {path}; `reciplint baseline` writes it")
    standing = standing_findings(repository, cache)
    cache.close()
    if only_check:
        return _tell_stale(path, old.stale(baseline_of(standing.standing, "info")))
    new = old.shrunk(baseline_of(standing.standing, "info")) if shrink else baseline_of(standing.standing)
    data = write_baseline(new)
    if data != before:
        place(repository.top, path, before, data)
    say(f"{path}: {_told(old, new)}")
    if path != repository.settings.baseline:
        say(f"to use it, write `baseline: {path}` into .reciplint.yaml")
    return 0


def standing_findings(repository: Repository, cache: Cache) -> Outcome:
    """The outcome on the working tree; its `standing` is what a baseline accepts."""
    with Progress("reading") as progress:
        request = Request(head=repository.snapshot(None), review_date=repository.review_date(None), progress=progress)
        return run(request, repository.rules, repository.settings, cache)


def tell_accepted(outcome: Outcome, verbose: bool) -> None:
    """Say on standard error what is accepted and no longer there: stale entries, and ignores if wanted."""
    if outcome.stale:
        count = len(outcome.stale)
        entries = "1 entry of the baseline accepts" if count == 1 else f"{count} entries of the baseline accept"
        say(f"{entries} more than there is: `reciplint baseline --shrink`")
    if verbose:
        for fingerprint in outcome.idle:
            say(f"ignores: no finding has the fingerprint {fingerprint}")


def _tell_stale(path: str, stale: tuple[Entry, ...]) -> int:
    for entry in stale[:_NAMED]:
        say(f"{path}: accepts more than there is of {entry.rule} in {entry.path} ({entry.fingerprint})")
    if len(stale) > _NAMED:
        say(f"{path}: and {len(stale) - _NAMED} more entries")
    if stale:
        say("`reciplint baseline --shrink` takes them back")
    return int(bool(stale))


def _told(old: Baseline, new: Baseline) -> str:
    counted = Counter[str]()
    for entry in new.entries.values():
        counted[entry.severity] += entry.count
    parts = ", ".join(f"{counted[name]} {name}{'s' if counted[name] != 1 else ''}" for name in ("error", "warning"))
    difference = new.total - old.total
    return f"{parts} accepted" + (f" ({difference:+d})" if difference and old.entries else "")
