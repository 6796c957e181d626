"""`reciplint fix`: apply the safe fixes."""

from __future__ import annotations

import click

from reciplint.cli.fixing import Fixing, fix_working_tree
from reciplint.cli.options import split_rules
from reciplint.cli.progress import Progress
from reciplint.cli.repository import open_repository
from reciplint.engine.cache import Cache, cache_file
from reciplint.engine.run import Request, run


@click.command("fix", short_help="apply the safe fixes")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--unsafe", is_flag=True, help="Also apply fixes that change a loaded value.")
@click.option("--diff", "show_diff", is_flag=True, help="Show the difference; write nothing.")
@click.option("--select", multiple=True, metavar="RULE", help="Fix only what these rules find.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
def command(paths: tuple[str, ...], unsafe: bool, show_diff: bool, select: tuple[str, ...], no_cache: bool) -> int:
    """Apply the safe fixes to PATHS (default: everything)."""
    cache = Cache(None if no_cache else cache_file())
    repository = open_repository(cache)
    with Progress("reading") as progress:
        request = Request(
            head=repository.snapshot(None),
            paths=repository.relative(paths),
            select=split_rules(select, repository.rules, "--select") if select else None,
            review_date=repository.review_date(None),
            progress=progress,
        )
        outcome = run(request, repository.rules, repository.settings, cache)
        fixed = fix_working_tree(repository, request, outcome, cache, Fixing(unsafe, not show_diff))
    cache.close()
    verb = "would fix" if show_diff else "fixed"
    click.echo(
        f"reciplint: {verb} {fixed.done} {'finding' if fixed.done == 1 else 'findings'} in {len(fixed.files)} "
        f"{'file' if len(fixed.files) == 1 else 'files'}",
        err=True,
    )
    return 0
