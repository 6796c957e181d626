"""`reciplint changelog`: append the entry that a change needs, check the file alone, merge two sides of it."""

from __future__ import annotations

import os
from pathlib import Path

import click

from reciplint.cli.appending import append_entries, changes_since
from reciplint.cli.merging import base_side, is_in_conflict, sides_of_conflict, sides_of_revisions, sides_with_base
from reciplint.cli.patching import echo_diff
from reciplint.cli.progress import say
from reciplint.cli.repository import Repository, open_repository
from reciplint.domain.changelog_merge import Merged, NotMerged, merge, merge_markers
from reciplint.engine.cache import Cache, cache_file
from reciplint.fix.write import write_file
from reciplint.repo.git import Git
from reciplint.repo.kinds import Kind
from reciplint.repo.layout import Layout
from reciplint.repo.snapshot import Memory
from reciplint.report import FORMATS
from reciplint.report.escape import shown

_TOLD = 10
_RULES = ("changelog", "yaml")
"""The categories of the rules that judge a changelog alone."""

_diff = click.option("--diff", "--dry-run", "show_diff", is_flag=True, help="Show the difference; write nothing.")
_no_cache = click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
_upstream = click.option(
    "--upstream",
    type=click.Choice(["auto", "ours", "theirs"]),
    default="auto",
    show_default=True,
    help="The side that is the base branch and stands byte for byte.",
)


@click.group("changelog", short_help="append to, check and merge the changelog")
def command() -> None:
    """Append to, check and merge the performance changelog."""


@command.command("add", short_help="append the entry that a change needs")
@click.option("--base", required=True, metavar="REV", help="What changed since the merge base with REV.")
@click.option("--pr", type=click.IntRange(1), metavar="N", help="The pull request's number, for `pr-link`.")
@click.option("--description", multiple=True, metavar="TEXT", help="What changed, instead of a draft; repeatable.")
@_diff
@_no_cache
def add(base: str, pr: int | None, description: tuple[str, ...], show_diff: bool, no_cache: bool) -> int:
    """Append an entry for the keys that changed since --base and that no entry names yet."""
    if not all(text.strip() for text in description):
        raise click.UsageError("--description is empty")
    cache = Cache(None if no_cache else cache_file())
    repository = open_repository(cache)
    found = append_entries(repository, changes_since(repository, base, cache), pr, description)
    cache.close()
    for item in found:
        _put(repository, item.path, item.before, item.after, show_diff)
        say(f"{'would append' if show_diff else 'appended'} to {item.path}: {item.told}")
    if not found:
        say("nothing to add: every key that changed has an entry")
    return 0


@command.command("check", short_help="check the changelog alone")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option("--format", "chosen", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@_no_cache
def check(file: str | None, chosen: str, no_cache: bool) -> int:
    """Check FILE (default: the repository's changelog) alone: YAML, schema, form. History is not compared."""
    from reciplint.cli.reporting import WITH_EDITS, Origin, Sources, build_report, emit
    from reciplint.engine.run import Request, run

    cache = Cache(None if no_cache else cache_file())
    repository = open_repository(cache)
    head = repository.snapshot(None)
    paths = _changelogs(repository)
    if file is not None:
        head, paths = _as_changelog(repository, file, paths)
    elif not paths:
        raise click.ClickException("no perf-changelog.yaml here")
    select = frozenset(name for name, rule in repository.rules.items() if rule.card.category in _RULES)
    request = Request(
        head=head,
        paths=tuple(paths),
        select=select,
        review_date=repository.review_date(None),
        baseline=repository.baseline(None),
    )
    outcome = run(request, repository.rules, repository.settings, cache)
    cache.close()
    origin = Origin(None, head.commit, None)
    report = build_report(outcome, origin, repository.settings.fail_on, head, with_edits=chosen in WITH_EDITS)
    emit(report, Sources(head, repository.rules), chosen, ())
    return report.exit_code


@command.command("merge", short_help="resolve a conflict in the changelog")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option("--base", metavar="REV", help="Merge with this base branch instead of resolving git's conflict.")
@click.option("--ours", metavar="REV", help="This branch, with --theirs.")
@click.option("--theirs", metavar="REV", help="The base branch, with --ours.")
@_upstream
@_diff
def merge_file(
    file: str | None, base: str | None, ours: str | None, theirs: str | None, upstream: str, show_diff: bool
) -> int:
    """Resolve a conflict in FILE (default: the repository's changelog) and write it; `git add` is left to you.

    The base branch's bytes stand exactly; the entries that only this branch has are appended, once each. What this
    branch did to older entries is dropped and said. Without options the sides are git's unfinished merge, or those
    between the conflict markers in the file.
    """
    if (ours is None) != (theirs is None) or (base is not None and ours is not None):
        raise click.UsageError("give --base, or --ours with --theirs, or neither")
    repository = open_repository()
    path = _one_changelog(repository, file)
    before = _bytes(repository, path)
    git, sides = repository.git, None
    is_pending = is_in_conflict(git, path)
    side = base_side(git, is_pending) if upstream == "auto" else upstream
    if base is not None:
        sides = sides_with_base(repository, path, base, before)
    elif ours is not None and theirs is not None:
        sides = sides_of_revisions(repository, path, ours, theirs)
    elif git is not None and is_pending:
        sides = sides_of_conflict(git, path, side)
    try:
        if sides is not None:
            merged = merge(*sides)
        elif b"<<<<<<<" in before:
            merged = merge_markers(before, side)
        else:
            say(f"{path}: no conflict, nothing to merge")
            return 0
    except NotMerged as error:
        raise click.ClickException(f"{path}: {error}") from None
    _put(repository, path, before, merged.data, show_diff)
    _tell(path, merged)
    return 0


@command.command("merge-driver", short_help="merge for git")
@click.argument("base", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("ours", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("theirs", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_upstream
def merge_driver(base: Path, ours: Path, theirs: Path, upstream: str) -> int:
    """Git's merge driver (%O %A %B): the result goes into OURS; exit status 1 leaves a conflict.

    Where this branch altered history, or a side cannot be read, git's own merge line by line is done instead.
    """
    side = upstream if upstream != "auto" else base_side(Git.find(Path.cwd()), "GIT_EXEC_PATH" in os.environ)
    mine, other = (ours, theirs) if side == "theirs" else (theirs, ours)
    try:
        merged = merge(base.read_bytes(), mine.read_bytes(), other.read_bytes())
        reason = "; ".join(merged.dropped[:_TOLD])
    except NotMerged as error:
        merged, reason = None, str(error)
    if merged is not None and not reason:
        ours.write_bytes(merged.data)
        return 0
    say(f"the changelog is merged line by line: {reason}")
    text, is_clean = Git.merge_text(ours, base, theirs)
    ours.write_bytes(text)
    return 0 if is_clean else 1


# ---- files


def _changelogs(repository: Repository) -> list[str]:
    """The changelogs of the working tree."""
    paths = repository.snapshot(None).paths()
    layout = Layout(paths, repository.settings.globs)
    return [path for path, kind in layout.kinds(paths).items() if kind is Kind.CHANGELOG]


def _one_changelog(repository: Repository, file: str | None) -> str:
    """The changelog to merge: as named, else the only one there is or the only one in conflict."""
    if file is not None:
        return repository.relative((file,))[0]
    paths = _changelogs(repository)
    if len(paths) > 1:
        paths = [
            path for path in paths if b"<<<<<<<" in _bytes(repository, path) or is_in_conflict(repository.git, path)
        ] or paths
    if len(paths) != 1:
        raise click.ClickException(
            f"several changelogs, name one: {', '.join(map(shown, paths))}" if paths else "no perf-changelog.yaml here"
        )
    return paths[0]


def _as_changelog(repository: Repository, file: str, paths: list[str]) -> tuple[Memory, list[str]]:
    """The working tree with a file in the place of the changelog, and that place."""
    data = Path(file).read_bytes()
    absolute = Path(file).resolve()
    path = absolute.relative_to(repository.top).as_posix() if absolute.is_relative_to(repository.top) else ""
    if path not in paths:
        if len(paths) > 1:
            raise click.ClickException(f"{file} is none of the changelogs {', '.join(map(shown, paths))}")
        path = paths[0] if paths else "perf-changelog.yaml"
    return Memory({path: data}, repository.snapshot(None)), [path]


def _bytes(repository: Repository, path: str) -> bytes:
    content = repository.snapshot(None).read([path]).get(path)
    if content is None:
        raise click.ClickException(f"{path} is not there, or is no file")
    if content.size != len(content.data):
        raise click.ClickException(f"{path} is larger than the settings' limits.file-bytes")
    return content.data


def _put(repository: Repository, path: str, before: bytes, after: bytes, show_diff: bool) -> None:
    if show_diff:
        echo_diff(path, before, after)
    elif before != after:
        write_file(repository.top, path, before, after)


# ---- words


def _tell(path: str, merged: Merged) -> None:
    count = len(merged.appended)
    own = f"{count} {'entry' if count == 1 else 'entries'} of this branch ({'; '.join(merged.appended)})"
    say(
        f"{path}: the base branch's text, then {own}" if count else f"{path}: the base branch's text; nothing to append"
    )
    for reason in merged.dropped[:_TOLD]:
        say(f"{path}: not taken over, for history is append-only: {reason}")
    if len(merged.dropped) > _TOLD:
        say(f"{path}: and {len(merged.dropped) - _TOLD} more changes of history")
