"""`changelog add`: which entries a change needs, and where their link points."""

from __future__ import annotations

import re
from dataclasses import dataclass

import click

from reciplint.cli.repository import Repository
from reciplint.domain.changelog import Changelog
from reciplint.domain.changelog_draft import new_entries
from reciplint.domain.changelog_entry import NewEntry, NotAppended, with_entries
from reciplint.domain.changelog_links import PLACEHOLDER, link_to, linked_repository
from reciplint.domain.coverage import uncovered
from reciplint.domain.project import Change
from reciplint.engine.cache import Cache
from reciplint.engine.run import Request, analyse_pair
from reciplint.repo.git import Git
from reciplint.repo.kinds import Kind
from reciplint.yamltree.problem import Unreadable

_REMOTE = re.compile(r"(?:https://(?:[^@/]*@)?|git@|ssh://git@)github\.com[/:](?P<name>[\w.-]+/[\w.-]+?)(?:\.git)?/?")


@dataclass(frozen=True)
class Appended:
    """A changelog before and after, and what was added in words."""

    path: str
    before: bytes
    after: bytes
    told: str


def changes_since(repository: Repository, base: str, cache: Cache) -> tuple[Change, ...]:
    """Each project of the working tree with its state at the merge base."""
    commit = repository.base_commit(base, None)
    assert repository.git is not None
    request = Request(
        head=repository.snapshot(None),
        base=repository.snapshot(commit),
        renames=repository.git.renames(commit, None),
        review_date=repository.review_date(None),
    )
    return analyse_pair(request, repository.rules, repository.settings, cache).changes


def append_entries(
    repository: Repository, changes: tuple[Change, ...], pr: int | None, description: tuple[str, ...]
) -> list[Appended]:
    """What to append to each changelog. Raises `ClickException` where one cannot be appended to."""
    found = []
    for change in changes:
        if change.base is None or not (change.base.changelog_path or change.head.changelog_path):
            continue
        _refuse_unreadable(change)
        missing = uncovered(change)
        if not missing:
            continue
        path = change.head.changelog_path
        before = change.head.read(path) if path else None
        if before is None:
            raise click.ClickException(f"{change.base.changelog_path} is gone; restore it before adding to it")
        link = _pr_link(repository, change.base.changelog or change.head.changelog, pr)
        entries = new_entries(change, missing, link, description)
        found.append(Appended(path, before, _with(path, before, entries), _told(entries)))
    return found


def _with(path: str, before: bytes, entries: list[NewEntry]) -> bytes:
    try:
        return with_entries(before, entries)
    except (NotAppended, Unreadable, UnicodeDecodeError) as error:
        raise click.ClickException(f"{path}: nothing can be appended: {error}") from None


def _told(entries: list[NewEntry]) -> str:
    parts = [
        ", ".join(entry.keys) + (f" ({', '.join(entry.scenario_types)})" if entry.scenario_types else "")
        for entry in entries
    ]
    return "; ".join(parts)


def _refuse_unreadable(change: Change) -> None:
    assert change.base is not None
    sides = (("the base", change.base), ("the working tree", change.head))
    for name, project in sides:
        for kind, word in ((Kind.CHANGELOG, "changelog"), (Kind.MASTER, "a master config")):
            if kind in project.unread:
                hint = "; `reciplint check` says why" if project is change.head else ""
                raise click.ClickException(f"{word} of {name} cannot be read, so what is missing cannot be told{hint}")


def _pr_link(repository: Repository, changelog: Changelog | None, pr: int | None) -> str:
    name = repository.settings.repository or linked_repository(changelog) or _remote(repository.git)
    if not name:
        click.echo(
            f"reciplint: pr-link is {PLACEHOLDER}: neither the settings, the changelog nor `origin` name the "
            "repository on GitHub",
            err=True,
        )
    elif pr is None:
        click.echo(f"reciplint: pr-link ends in {PLACEHOLDER}: give --pr once the pull request has a number", err=True)
    return link_to(name, pr)


def _remote(git: Git | None) -> str:
    """The repository on GitHub that the remote `origin` is."""
    match = _REMOTE.fullmatch(git.remote_url("origin") or "") if git else None
    return match["name"] if match else ""
