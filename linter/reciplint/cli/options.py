"""Options that several commands take, and the checks on their values."""

from __future__ import annotations

import datetime

import click

from reciplint.engine.registry import Registered
from reciplint.engine.settings import SettingsError, check_rule_names


def split_rules(values: tuple[str, ...], rules: dict[str, Registered], option: str) -> frozenset[str]:
    """Rule names given several times or with commas. Raises `UsageError` for an unknown one, or if there are none."""
    names = [name.strip() for value in values for name in value.split(",") if name.strip()]
    try:
        check_rule_names(names, rules, option)
    except SettingsError as error:
        raise click.UsageError(str(error)) from None
    if values and not names:
        raise click.UsageError(f"{option} names no rule")
    return frozenset(names)


class IsoDate(click.ParamType[datetime.date]):
    """A date as YYYY-MM-DD."""

    name = "date"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime.date:
        """The date. Fails for anything else."""
        if isinstance(value, datetime.date):
            return value
        try:
            return datetime.date.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is not a date like 2026-08-20", param, ctx)
