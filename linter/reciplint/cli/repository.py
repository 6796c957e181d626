"""The repository that a command works on: its top, its settings, its snapshots."""

from __future__ import annotations

import datetime
import os
from contextlib import suppress
from pathlib import Path

import click
import msgspec

from reciplint.cli.checkout import with_checkout
from reciplint.engine.baseline import Baseline, BaselineError, read_baseline
from reciplint.engine.cache import Cache
from reciplint.engine.registry import Registered, all_rules
from reciplint.engine.settings import SETTINGS_FILE, Settings, read_settings
from reciplint.repo.git import STAGED, Git
from reciplint.repo.snapshot import Directory, Revision, Snapshot
from reciplint.report.escape import shown

_LARGEST = 64 << 20
"""Bytes of settings or a baseline."""


class Repository(msgspec.Struct, frozen=True):
    """The top directory, its git (None outside of any), the settings and the rules."""

    top: Path
    git: Git | None
    settings: Settings
    rules: dict[str, Registered]

    def snapshot(self, revision: str | None) -> Snapshot:
        """The working tree, what is staged, or a revision. Raises `GitError`."""
        limit = self.settings.limits.file_bytes
        if revision is None:
            return Directory.working_tree(self.git, limit) if self.git else Directory.plain(self.top, limit)
        if self.git is None:
            asked = "nothing is staged" if revision == STAGED else f"there is no revision {revision}"
            raise click.UsageError(f"{self.top} is in no git repository, so {asked}")
        return Revision(self.git, revision if revision == STAGED else self.git.commit(revision), limit)

    def base_or_nothing(self, base: str) -> str | None:
        """The base; None, and said, for HEAD before the first commit."""
        if base == "HEAD" and self.git is not None and self.git.head() is None:
            click.echo("reciplint: nothing is committed yet: everything is new", err=True)
            return None
        return base

    def base_commit(self, base: str, head: str | None) -> str:
        """The merge base of two revisions (the head None or `STAGED` is what is checked out); without one, the base
        itself."""
        if self.git is None:
            raise click.UsageError("--base needs a git repository")
        commit = self.git.commit(base)
        other = self.git.head() if head in (None, STAGED) else self.git.commit(head)
        if other is None or other == commit:
            return commit
        found = self.git.merge_base(commit, other)
        if found is None:
            why = "the clone is shallow" if self.git.is_shallow() else "they share no history"
            click.echo(
                f"reciplint: no merge base of {shown(base)} and the head ({why}); comparing with {shown(base)} itself",
                err=True,
            )
        return found or commit

    def review_date(self, head: str | None) -> datetime.date:
        """The committer date of a revision in UTC; today for the working tree."""
        if head in (None, STAGED) or self.git is None:
            return datetime.datetime.now(datetime.UTC).date()
        return datetime.date.fromisoformat(self.git.committed_on(self.git.commit(head)))

    def baseline(self, head: str | None, file: str | None = None) -> Baseline:
        """The baseline in a file as named on the command line, else the one of the settings, as the head has it.

        Empty where there is neither. Raises `BaselineError`.
        """
        if file is not None:
            return read_baseline(Path(file).read_bytes(), file)
        name = self.settings.baseline
        if not name:
            return Baseline()
        data = _file_of_head(self.top, self.git, head, name)
        if data is None:
            raise BaselineError(f"{name}, the settings' baseline, is not there: `reciplint baseline` writes it")
        return read_baseline(data, name)

    def relative(self, paths: tuple[str, ...]) -> tuple[str, ...]:
        """Paths as given on the command line, relative to the top. Raises `UsageError` for one outside."""
        return tuple(map(self._relative, paths))

    def _relative(self, path: str) -> str:
        """As it is spelled; with its links followed where that is not below the top, which is told without links."""
        spelled = Path(os.path.normpath(Path.cwd() / path))
        followed: tuple[Path, ...] = ()
        with suppress(OSError, RuntimeError):  # a link that leads to itself
            followed = (spelled.parent.resolve() / spelled.name, spelled.resolve())
        for absolute in (spelled, *followed):
            if absolute.is_relative_to(self.top):
                inside = absolute.relative_to(self.top)
                return "" if inside == Path() else inside.as_posix()
        raise click.UsageError(f"{path} lies outside of {self.top}")


def open_repository(
    cache: Cache | None = None, head: str | None = None, config: str | None = None, profile: str | None = None
) -> Repository:
    """The repository around the current directory, with the settings of the head."""
    try:
        here = Path.cwd().resolve()
    except FileNotFoundError:
        raise click.ClickException("the current directory is gone") from None
    git = Git.find(here)
    top = git.top.resolve() if git else _top_without_git(here)
    rules = all_rules(cache)
    data = _settings_bytes(top, git, head, config)
    settings = with_checkout(read_settings(data, rules, config or SETTINGS_FILE), top)
    if profile is not None:
        settings = msgspec.structs.replace(settings, profile=profile)
    return Repository(top, git, settings, rules)


def _top_without_git(here: Path) -> Path:
    """The nearest directory that holds a settings file, else the current one."""
    return next((directory for directory in (here, *here.parents) if (directory / SETTINGS_FILE).is_file()), here)


def _settings_bytes(top: Path, git: Git | None, head: str | None, config: str | None) -> bytes | None:
    return Path(config).read_bytes() if config is not None else _file_of_head(top, git, head, SETTINGS_FILE)


def _file_of_head(top: Path, git: Git | None, head: str | None, path: str) -> bytes | None:
    """A file of the head (None: of the working tree, through no link); None where there is none."""
    if head is None or git is None:
        file = top / path
        is_own = file.is_file() and not file.is_symlink() and file.resolve().is_relative_to(top)
        return file.read_bytes() if is_own else None
    content = Revision(git, head if head == STAGED else git.commit(head), _LARGEST).read([path]).get(path)
    return content.data if content else None
