"""The command line: one module a command, imported when it is called."""

from __future__ import annotations

import importlib
import os
import sys

import click

from reciplint import __version__

_COMMANDS = {
    "check": "lint the repository, or what a change makes worse",
    "fix": "apply the safe fixes",
    "matrix": "the benchmark points of the master configs, and what they cost",
    "diff": "what a change does to keys, points, recipes and costs",
    "serve": "the serve commands that a recipe comes to, checked",
    "compare": "a master key's serve settings beside a published recipe",
    "explain": "a rule's page",
    "rules": "the table of rules",
    "bump": "another image for keys and what they run, with the entry",
    "new": "a key made after a sibling, with its recipes and the entry",
    "changelog": "append the entry that a change needs; check and merge the changelog",
    "bot": "comment on the pull request of the current Actions event",
    "init": "set up a repository: settings, baseline, hook, workflow",
    "baseline": "accept the standing findings; shrink or check what is accepted",
    "schema": "print a JSON Schema, or list them",
    "settings": "the effective settings",
    "cache": "where the cache is; clear it",
    "completion": "the completion script of a shell",
}


class _Group(click.Group):
    """Commands by name, each imported only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"reciplint.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            import difflib

            close = difflib.get_close_matches(args[0], _COMMANDS, 1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", message="reciplint %(version)s")
def cli() -> None:
    """Lint repositories of LLM inference recipes and benchmark master configs.

    Exit status: 0 nothing to fail on, 1 findings, 2 reciplint could not do its job, 130 interrupted.
    """


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status. Faults that a user can meet are one line on standard error."""
    _open_missing()
    try:
        status = cli.main(arguments, prog_name="reciplint", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as error:
        from reciplint.report.escape import shown

        vars(error)["message"] = shown(error.message)  # it may quote what a repository holds; click calls it final
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("reciplint: interrupted", err=True)
        return 130
    except (BrokenPipeError, SystemExit):  # nobody reads the output any more: click leaves then
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        from reciplint.cli.faults import FAULTS
        from reciplint.report.escape import shown

        if not isinstance(error, FAULTS):
            _tell_crash()
            return 2
        click.echo(f"reciplint: {shown(_told(error))}", err=True)
        return 2
    return status if isinstance(status, int) else 0


def _open_missing() -> None:
    """Give a process that was started with closed streams ones that lead nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 (for the whole run)


def _told(error: Exception) -> str:
    """A fault in words, without Python's own for one of the system."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _tell_crash() -> None:
    """The traceback of a fault of reciplint; what it quotes may come from a repository."""
    import traceback

    from reciplint.report.escape import shown_line

    click.echo("\n".join(map(shown_line, traceback.format_exc().split("\n"))), err=True, nl=False)
    click.echo("reciplint: this is a fault of reciplint, please report it", err=True)
