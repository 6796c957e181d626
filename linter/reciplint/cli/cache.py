"""`reciplint cache`: where the cache is, and how to be rid of it."""

from __future__ import annotations

import click

from reciplint.engine.cache import cache_file, clear_cache


@click.group("cache", invoke_without_command=True, short_help="where the cache is; clear it")
@click.pass_context
def command(context: click.Context) -> None:
    """Print where the cache is and how large."""
    if context.invoked_subcommand is None:
        path = cache_file()
        size = path.stat().st_size if path.is_file() else 0
        click.echo(f"{path} ({size / 1024:.0f} KiB)")


@command.command("clear")
def clear() -> None:
    """Remove the cache."""
    removed = clear_cache()
    click.echo("\n".join(f"removed {path}" for path in removed) or "there was no cache")
