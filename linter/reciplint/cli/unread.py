"""A word about master configs that cannot be read, whose keys a table or a difference lacks."""

from __future__ import annotations

from collections.abc import Iterable

import click

from reciplint.domain.project import Project
from reciplint.repo.kinds import Kind


def tell_unread(projects: Iterable[Project], where: str) -> None:
    """Say on standard error that keys are missing, if they are; `where` names the revision."""
    if any(Kind.MASTER in project.unread for project in projects):
        click.echo(
            f"reciplint: a master config of {where} cannot be read, and its keys are left out: "
            "`reciplint check` says why",
            err=True,
        )
