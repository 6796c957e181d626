"""`reciplint check`: lint the repository, or what a change makes worse."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from typing import Unpack

import click
import msgspec
from msgspec.structs import replace

from reciplint.cli.editor import Editor
from reciplint.cli.linting import Asked, Linting, lint_options, prepare
from reciplint.cli.progress import Progress
from reciplint.cli.reporting import WITH_EDITS, Origin, Sources, build_report, emit, parse_output
from reciplint.engine.run import Outcome
from reciplint.engine.settings import with_preset
from reciplint.repo.git import STAGED
from reciplint.report import FORMATS


@click.command("check", short_help="lint the repository")
@click.argument("paths", nargs=-1, type=click.Path())
@lint_options
@click.option("--head", metavar="REV", help="Lint this revision instead of the working tree.")
@click.option("--staged", is_flag=True, help="Lint what is staged instead of the working tree.")
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
@click.option(
    "--stdin-filename",
    metavar="FILE",
    help="Lint standard input as this file of the repository; with --fix, give it back on standard output.",
)
def command(
    paths: tuple[str, ...],
    head: str | None,
    staged: bool,
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
    stdin_filename: str | None,
    **asked: Unpack[Asked],
) -> int:
    """Lint PATHS (default: everything).

    PATHS choose what is reported; the whole repository is always read. With --base, only what is worse than at the
    merge base is reported.
    """
    began = time.perf_counter()
    head = _judged(head, staged)
    if (apply_fixes or show_diff) and head:
        raise click.UsageError("fixes go into the working tree: leave --head and --staged out")
    gives_back = apply_fixes and not show_diff
    with ExitStack() as stack:
        editor = stack.enter_context(Editor(stdin_filename, gives_back)) if stdin_filename is not None else None
        linting = prepare(paths, asked, head, editor).accepting(baseline_file, head)
        with Progress("reading") as progress:
            state = _State(linting, linting.run(progress))
        if apply_fixes or show_diff:
            state = _repaired(state, editor, show_diff)
    linting.cache.close()
    outcome = state.outcome
    if outcome.stale or (verbose and outcome.idle):
        from reciplint.cli.baseline import tell_accepted

        tell_accepted(outcome, verbose)
    head_of = state.linting.request.head
    threshold = fail_on or with_preset(linting.repository.settings, preset).fail_on
    formats = {chosen, *(name for name, _ in output)}
    origin = Origin(linting.base_commit, head_of.commit, linting.request.pull_request)
    report = build_report(outcome, origin, threshold, head_of, with_edits=bool(formats & WITH_EDITS))
    sources = Sources(head_of, linting.repository.rules)
    if editor is not None and gives_back:
        emit(report, sources, chosen if report.findings else None, output, verbose, statistics, sys.stderr)
    elif not show_diff:
        emit(report, sources, chosen, output, verbose, statistics)
    if timing:
        click.echo(f"reciplint: {outcome.files} files in {time.perf_counter() - began:.2f} s", err=True)
    if state.unwritten:
        return 2
    return report.exit_code or int(state.done > 0 and exit_non_zero_on_fix)


def _judged(head: str | None, staged: bool) -> str | None:
    """The revision to lint: as named, what is staged, or None for the working tree."""
    if staged and head is not None:
        raise click.UsageError("--staged and --head exclude each other")
    return STAGED if staged else head


class _State(msgspec.Struct, frozen=True):
    """A head and what was found there, after `done` fixes, of which some could perhaps not be written."""

    linting: Linting
    outcome: Outcome
    done: int = 0
    unwritten: bool = False


def _repaired(state: _State, editor: Editor | None, show_diff: bool) -> _State:
    """The state after the safe fixes, written or given back; for a difference, the state as it is."""
    from reciplint.cli.fixing import put, repair

    linting = state.linting
    fixed = repair(linting, state.outcome, unsafe=False)
    if show_diff:
        put(linting, fixed.files, write=False)
        return replace(state, done=fixed.done)
    if editor is not None:
        assert linting.typed is not None
        editor.give(fixed.files.get(linting.typed, editor.text))
        unwritten, after = False, linting.with_files(fixed.files)
    else:
        unwritten, after = bool(put(linting, fixed.files, write=True)), linting.with_fresh_tree()
    outcome = after.run() if fixed.files else state.outcome
    return _State(after, outcome, fixed.done, unwritten)
