"""`reciplint completion`: the completion script of a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command("completion", short_help="the completion script of a shell")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of SHELL; evaluate it in the shell's start-up file."""
    from reciplint.cli import cli

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(cli, {}, "reciplint", "_RECIPLINT_COMPLETE").source())
