"""`reciplint diff`: what a change does to keys, points, recipes and costs, and who may sign."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping

import click
import msgspec

from reciplint.cli.progress import Progress
from reciplint.cli.repository import Repository, open_repository
from reciplint.cli.unread import tell_unread
from reciplint.domain.diff import Diff, compare
from reciplint.domain.owners import LARGEST, PLACES, read_owners, signers
from reciplint.domain.project import Change, Project
from reciplint.engine.cache import Cache, cache_file
from reciplint.engine.run import Pair, Request, analyse_pair
from reciplint.engine.settings import SETTINGS_FILE, Settings
from reciplint.repo.kinds import Kind
from reciplint.repo.layout import Layout
from reciplint.repo.snapshot import Snapshot


@click.command("diff", short_help="what a change does to keys, points, recipes and costs")
@click.argument("base", metavar="BASE")
@click.argument("head", metavar="[HEAD]", required=False)
@click.option("--direct", is_flag=True, help="Compare with BASE itself, not with the merge base of the two.")
@click.option("--format", "chosen", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
@click.option("--config", type=click.Path(exists=True, dir_okay=False), help="Settings from another file.")
def command(base: str, head: str | None, direct: bool, chosen: str, no_cache: bool, config: str | None) -> int:
    """Tell what HEAD (default: the working tree) changes against its merge base with BASE.

    Keys and points that come, go or change, each field old and new; recipes whose meaning changed and who runs them;
    the keys that a changelog entry must name; the code owners of the touched files; jobs and GPU-hours by fleet.
    """
    cache = Cache(None if no_cache else cache_file())
    repository = open_repository(cache, head, config)
    commit = _base_commit(repository, base, head, direct)
    diff, request = compare_revisions(repository, commit, head, cache)
    cache.close()
    click.echo(_render(chosen, diff, commit, request.head.commit).encode("utf-8", "backslashreplace"), nl=False)
    return 0


def _base_commit(repository: Repository, base: str, head: str | None, direct: bool) -> str:
    if repository.git is None:
        raise click.UsageError("diff needs a git repository")
    return repository.git.commit(base) if direct else repository.base_commit(base, head)


def compare_revisions(repository: Repository, commit: str, head: str | None, cache: Cache) -> tuple[Diff, Request]:
    """What changed between a commit and a head (None: the working tree), and the request that was analysed."""
    git, settings = repository.git, repository.settings
    assert git is not None
    with Progress("reading") as progress:
        request = Request(
            head=repository.snapshot(head),
            base=repository.snapshot(commit),
            renames=git.renames(commit, git.commit(head) if head is not None else None),
            progress=progress,
        )
        pair = analyse_pair(request, repository.rules, settings, cache)
    assert request.base is not None
    assert pair.base is not None
    tell_unread(pair.base.projects, "the base")
    tell_unread(pair.head.projects, "the head")
    touched = _touched(request.base, request.head)
    diff = compare(
        _all_changes(pair), _reader(request.base), _reader(request.head), touched, settings.hours, settings.limits
    )
    return _signed(diff, request.base, settings), request


def _all_changes(pair: Pair) -> list[Change]:
    """The changes of the head's projects, and one for each project that is gone."""
    compared = {id(change.base) for change in pair.changes}
    gone = [project for project in (pair.base.projects if pair.base else ()) if id(project) not in compared]
    return [*pair.changes, *(Change(project, Project(project.root), pair.renames) for project in gone)]


def _reader(snapshot: Snapshot) -> Callable[[Iterable[str]], Mapping[str, bytes]]:
    def read(paths: Iterable[str]) -> Mapping[str, bytes]:
        return {path: content.data for path, content in snapshot.read(paths).items()}

    return read


def _touched(base: Snapshot, head: Snapshot) -> list[str]:
    """Every path that came, went or changed, whatever it holds."""
    before, after = base.blob_ids(base.paths()), head.blob_ids(head.paths())
    return [path for path in {**before, **after} if before.get(path) != after.get(path)]


def _signed(diff: Diff, base: Snapshot, settings: Settings) -> Diff:
    """The difference with its code owners: those of the base, as on GitHub, so that no change names its own; without a
    file, those of the settings."""
    paths, globs = base.paths(), settings.globs
    place = next((place for place in PLACES if place in set(paths)), None)
    if Kind.OWNERS in globs:
        layout = Layout(paths, globs)
        place = next((path for path in paths if layout.kind_of(path) is Kind.OWNERS), place)
    content = base.read([place]).get(place) if place else None
    if place is None and settings.owners is not None:
        signed = signers(settings.owners, diff.touched)
        return msgspec.structs.replace(diff, owners_file=SETTINGS_FILE, signers=signed)
    if place is None or content is None or content.size > LARGEST:
        return diff
    found = signers(read_owners(content.data), diff.touched)
    return msgspec.structs.replace(diff, owners_file=place, signers=found)


def _render(chosen: str, diff: Diff, base: str, head: str | None) -> str:
    render: Callable[[Diff, str, str | None], str]
    render = importlib.import_module(f"reciplint.cli.diff_{chosen}").render
    return render(diff, base, head)
