"""`reciplint fix`: apply the safe fixes, ask about each, or silence what a rule finds with a reason."""

from __future__ import annotations

from typing import Unpack

import click

from reciplint.cli.fixing import put, repair, tell_done
from reciplint.cli.linting import Asked, lint_options, prepare
from reciplint.cli.progress import Progress


@click.command("fix", short_help="apply the safe fixes")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--unsafe", is_flag=True, help="Also apply fixes that change a loaded value.")
@click.option("--diff", "show_diff", is_flag=True, help="Show the difference; write nothing.")
@click.option("--interactive", "-i", is_flag=True, help="Show each fix, unsafe ones too, and ask.")
@click.option("--suppress", multiple=True, metavar="RULE", help="Silence by comments what this rule finds; repeatable.")
@click.option("--reason", metavar="TEXT", help="The reason in these comments.")
@lint_options
def command(
    paths: tuple[str, ...],
    unsafe: bool,
    show_diff: bool,
    interactive: bool,
    suppress: tuple[str, ...],
    reason: str | None,
    **asked: Unpack[Asked],
) -> int:
    """Apply the safe fixes to PATHS (default: everything); with --base, only to what the head makes worse.

    With --suppress nothing is fixed: each finding of the rule gets a comment that silences it and says why.
    """
    if suppress and (interactive or unsafe or asked["select"]):
        raise click.UsageError("--suppress fixes nothing: leave --interactive, --unsafe and --select out")
    if bool(suppress) != (reason is not None):
        raise click.UsageError("--suppress and --reason go together")
    linting = prepare(paths, asked)
    if reason is not None:
        from reciplint.cli import suppressing

        return suppressing.suppress(linting.accepting(None), suppress, reason, show_diff)
    with Progress("reading") as progress:
        outcome = linting.run(progress)
    if interactive:
        from reciplint.cli.interactive import ask

        return ask(linting, outcome, show_diff)
    fixed = repair(linting, outcome, unsafe)
    unwritten = put(linting, fixed.files, write=not show_diff)
    linting.cache.close()
    tell_done("would fix" if show_diff else "fixed", fixed.done, len(fixed.files) - len(unwritten))
    return 2 if unwritten else 0
