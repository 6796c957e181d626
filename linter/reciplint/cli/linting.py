"""What `check` and `fix` share: the options of a lint, and the one place that makes a request of them."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any, TypedDict

import click
import msgspec
from msgspec.structs import replace

from reciplint.cli.editor import Editor
from reciplint.cli.options import IsoDate, split_rules
from reciplint.cli.progress import Progress
from reciplint.cli.repository import Repository, open_repository
from reciplint.engine.cache import Cache, cache_file
from reciplint.engine.parallel import processes
from reciplint.engine.run import Outcome, Request, run
from reciplint.repo.git import STAGED
from reciplint.repo.snapshot import Memory


class Asked(TypedDict):
    """The values of `lint_options`, by the names under which click hands them over."""

    base: str | None
    pr: int | None
    review_date: datetime.date | None
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    no_cache: bool
    profile: str | None
    config: str | None


_OPTIONS = (
    click.option("--base", metavar="REV", help="Only what the head makes worse than its merge base with REV."),
    click.option("--pr", type=click.IntRange(1), metavar="N", help="The pull request's number."),
    click.option("--date", "review_date", type=IsoDate(), help="The review date for deprecations (YYYY-MM-DD)."),
    click.option("--select", multiple=True, metavar="RULE", help="Only these rules."),
    click.option("--ignore", multiple=True, metavar="RULE", help="Leave these rules out."),
    click.option("--no-cache", is_flag=True, help="Neither read nor write the cache."),
    click.option(
        "--profile",
        type=click.Choice(["auto", "inferencex", "srt-slurm", "vllm-recipes"]),
        help="The kind of repository, where its files do not tell.",
    ),
    click.option("--config", type=click.Path(exists=True, dir_okay=False), help="Settings from another file."),
)


def lint_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of `Asked`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class Linting(msgspec.Struct, frozen=True):
    """A repository that was opened, and what is asked of it.

    `base_commit` is what it is compared with, `typed` the path of the file that an editor holds.
    """

    repository: Repository
    cache: Cache
    request: Request
    base_commit: str | None = None
    typed: str | None = None

    def run(self, progress: Progress | None = None) -> Outcome:
        """Lint."""
        request = self.request if progress is None else replace(self.request, progress=progress)
        return run(request, self.repository.rules, self.repository.settings, self.cache)

    def read(self, path: str) -> bytes:
        """A file of the head. Raises `UnreadableFile`."""
        return self.request.head.read([path])[path].data

    def accepting(self, baseline_file: str | None, head: str | None = None) -> Linting:
        """The same with a baseline: the one in a file, else the settings'. Raises `BaselineError`."""
        baseline = self.repository.baseline(head, baseline_file)
        return replace(self, request=replace(self.request, baseline=baseline))

    def with_files(self, files: dict[str, bytes]) -> Linting:
        """The same on a head in which some files were replaced."""
        return replace(self, request=replace(self.request, head=Memory(files, self.request.head)))

    def with_all_rules(self) -> Linting:
        """The same, selecting no rules."""
        return replace(self, request=replace(self.request, select=None))

    def with_fresh_tree(self) -> Linting:
        """The same on the working tree as it is now."""
        return replace(self, request=replace(self.request, head=self.repository.snapshot(None)))


def prepare(paths: tuple[str, ...], asked: Asked, head: str | None = None, editor: Editor | None = None) -> Linting:
    """Open the repository of the current directory and make the request. `editor` holds a file that is not saved."""
    cache = Cache(None if asked["no_cache"] else cache_file())
    repository = open_repository(cache, head, asked["config"], asked["profile"])
    snapshot = repository.snapshot(head)
    typed = repository.relative((editor.name,))[0] if editor else None
    if editor is not None and typed is not None:
        snapshot = Memory({typed: editor.text}, snapshot)
    request = Request(
        head=snapshot,
        paths=repository.relative(paths or ((editor.name,) if editor else ())),
        select=split_rules(asked["select"], repository.rules, "--select") if asked["select"] else None,
        ignore=split_rules(asked["ignore"], repository.rules, "--ignore"),
        review_date=asked["review_date"] or repository.review_date(head),
        pull_request=asked["pr"],
        processes=processes(),
    )
    linting = Linting(repository, cache, request, typed=typed)
    base = asked["base"] and repository.base_or_nothing(asked["base"])
    return linting if base is None else _compared(linting, base, head)


def _compared(linting: Linting, base: str, head: str | None) -> Linting:
    """The same against the merge base with a revision."""
    repository = linting.repository
    commit = repository.base_commit(base, head)
    assert repository.git is not None
    head_commit = head if head in (None, STAGED) else repository.git.commit(head)
    request = replace(
        linting.request,
        base=repository.snapshot(commit),
        renames=repository.git.renames(commit, head_commit),
    )
    return replace(linting, request=request, base_commit=commit)
