"""`reciplint check`: lint the repository, or what a change makes worse."""

from __future__ import annotations

import datetime
import sys
import time
from dataclasses import replace

import click

from reciplint.cli.options import IsoDate, split_rules
from reciplint.cli.progress import Progress
from reciplint.cli.reporting import WITH_EDITS, Origin, Sources, build_report, emit, parse_output
from reciplint.cli.repository import Repository, open_repository
from reciplint.engine.cache import Cache, cache_file
from reciplint.engine.parallel import processes
from reciplint.engine.run import Request, run
from reciplint.engine.settings import with_preset
from reciplint.repo.git import STAGED
from reciplint.repo.snapshot import Memory, Snapshot
from reciplint.report import FORMATS


@click.command("check", short_help="lint the repository")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--base", metavar="REV", help="Report only what the head makes worse than its merge base with REV.")
@click.option("--head", metavar="REV", help="Lint this revision instead of the working tree.")
@click.option("--staged", is_flag=True, help="Lint what is staged instead of the working tree.")
@click.option("--pr", type=click.IntRange(1), metavar="N", help="The pull request's number.")
@click.option("--date", "review_date", type=IsoDate(), help="The review date for deprecations (YYYY-MM-DD).")
@click.option("--select", multiple=True, metavar="RULE", help="Run only these rules.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Leave these rules out.")
@click.option(
    "--fail-on", type=click.Choice(["error", "warning", "info", "never"]), help="The least severity for exit status 1."
)
@click.option(
    "--preset", type=click.Choice(["advise", "enforce"]), help="advise: errors fail; enforce: warnings fail too."
)
@click.option(
    "--baseline",
    "baseline_file",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Hold back the findings that FILE accepts.",
)
@click.option("--format", "chosen", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@click.option(
    "--output",
    multiple=True,
    callback=parse_output,
    metavar="FORMAT:FILE",
    help="Also write a report to a file; repeatable.",
)
@click.option("--verbose", "-v", is_flag=True, help="Show information too, and how to silence each finding.")
@click.option("--statistics", is_flag=True, help="Count findings by rule.")
@click.option("--timing", is_flag=True, help="Say on standard error how long it took.")
@click.option("--fix", "apply_fixes", is_flag=True, help="Apply safe fixes, then report what is left.")
@click.option("--diff", "show_diff", is_flag=True, help="Show what --fix would change; write nothing.")
@click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if a fix was applied.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
@click.option(
    "--profile",
    type=click.Choice(["auto", "inferencex", "srt-slurm", "vllm-recipes"]),
    help="The kind of repository, where its files do not tell.",
)
@click.option("--config", type=click.Path(exists=True, dir_okay=False), help="Settings from another file.")
@click.option("--stdin-filename", metavar="FILE", help="Lint standard input as this file of the repository.")
def command(
    paths: tuple[str, ...],
    base: str | None,
    head: str | None,
    staged: bool,
    pr: int | None,
    review_date: datetime.date | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str | None,
    preset: str | None,
    baseline_file: str | None,
    chosen: str,
    output: tuple[tuple[str, str], ...],
    verbose: bool,
    statistics: bool,
    timing: bool,
    apply_fixes: bool,
    show_diff: bool,
    exit_non_zero_on_fix: bool,
    no_cache: bool,
    profile: str | None,
    config: str | None,
    stdin_filename: str | None,
) -> int:
    """Lint PATHS (default: everything).

    PATHS choose what is reported; the whole repository is always read. With --base, only what is worse than at the
    merge base is reported.
    """
    began = time.perf_counter()
    head = _judged(head, staged)
    if (apply_fixes or show_diff) and (head or stdin_filename):
        raise click.UsageError("fixes go into the working tree: leave --head and --stdin-filename out")
    cache = Cache(None if no_cache else cache_file())
    repository = open_repository(cache, head, config, profile)
    chosen_rules = split_rules(select, repository.rules, "--select") if select else None
    request = Request(
        head=_head(repository, head, stdin_filename),
        paths=_paths(repository, paths, stdin_filename),
        select=chosen_rules,
        ignore=split_rules(ignore, repository.rules, "--ignore"),
        review_date=review_date or repository.review_date(head),
        pull_request=pr,
        baseline=repository.baseline(head, baseline_file),
        processes=processes(),
    )
    base_commit = None
    base = base and repository.base_or_nothing(base)
    if base is not None:
        base_commit = repository.base_commit(base, head)
        assert repository.git is not None
        head_commit = head if head in (None, STAGED) else repository.git.commit(head)
        request = replace(
            request,
            base=repository.snapshot(base_commit),
            renames=repository.git.renames(base_commit, head_commit),
        )
    fixed = 0
    with Progress("reading") as progress:
        request = replace(request, progress=progress)
        outcome = run(request, repository.rules, repository.settings, cache)
        if apply_fixes or show_diff:
            from reciplint.cli.fixing import Fixing, fix_working_tree

            fixing = fix_working_tree(repository, request, outcome, cache, Fixing(unsafe=False, write=apply_fixes))
            fixed = fixing.done
            if apply_fixes and fixed:
                request = replace(request, head=_head(repository, None, None))
                outcome = run(request, repository.rules, repository.settings, cache)
    cache.close()
    if outcome.stale or (verbose and outcome.idle):
        from reciplint.cli.baseline import tell_accepted

        tell_accepted(outcome, verbose)
    threshold = fail_on or with_preset(repository.settings, preset).fail_on
    origin = Origin(base_commit, request.head.commit, pr)
    formats = {chosen, *(name for name, _ in output)}
    report = build_report(outcome, origin, threshold, request.head, with_edits=bool(formats & WITH_EDITS))
    if not show_diff:
        emit(report, Sources(request.head, repository.rules), chosen, output, verbose, statistics)
    if timing:
        click.echo(f"reciplint: {outcome.files} files in {time.perf_counter() - began:.2f} s", err=True)
    if fixed and exit_non_zero_on_fix and report.exit_code == 0:
        return 1
    return report.exit_code


def _judged(head: str | None, staged: bool) -> str | None:
    """The revision to lint: as named, what is staged, or None for the working tree."""
    if staged and head is not None:
        raise click.UsageError("--staged and --head exclude each other")
    return STAGED if staged else head


def _head(repository: Repository, head: str | None, stdin_filename: str | None) -> Snapshot:
    snapshot = repository.snapshot(head)
    if stdin_filename is None:
        return snapshot
    return Memory({repository.relative((stdin_filename,))[0]: sys.stdin.buffer.read()}, snapshot)


def _paths(repository: Repository, paths: tuple[str, ...], stdin_filename: str | None) -> tuple[str, ...]:
    return repository.relative(paths or ((stdin_filename,) if stdin_filename else ()))
