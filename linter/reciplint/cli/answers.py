"""Answers to questions: single keys on a terminal, lines of a pipe."""

from __future__ import annotations

import sys

import click

from reciplint.report.escape import shown


class EndOfAnswers(Exception):
    """Standard input is at its end."""


def ask_key(question: str) -> str:
    """Ask for one key, in lower case; "" for an empty line. Ctrl-C is a `KeyboardInterrupt`. Raises `EndOfAnswers`."""
    click.echo(f"{question} ", nl=False)
    if not sys.stdin.isatty():
        return _line().strip()[:1].lower()
    try:
        key = click.getchar()
    except EOFError:
        raise EndOfAnswers from None
    if not key:  # the terminal is gone: click tells by nothing at all
        raise KeyboardInterrupt
    click.echo(shown(key))
    return key.strip().lower()


def ask_line(question: str) -> str:
    """Ask for a line. Ctrl-C is a `KeyboardInterrupt`. Raises `EndOfAnswers`."""
    click.echo(f"{question} ", nl=False)
    return _line().strip()


def _line() -> str:
    """The next line of standard input; where no terminal shows what is typed, it is shown here."""
    data = sys.stdin.buffer.readline()
    if not data:
        click.echo()
        raise EndOfAnswers
    line = data.decode("utf-8", "surrogateescape").rstrip("\r\n")
    if not sys.stdin.isatty():
        click.echo(shown(line))
    return line
