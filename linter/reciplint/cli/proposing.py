"""Edits to several files as one proposal: the changelog entry that they need, a lint of the result, a diff or a write.

What `bump` and `new` share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypedDict

import click

from reciplint.cli.appending import append_entries
from reciplint.cli.linting import Linting
from reciplint.cli.patching import echo_diff
from reciplint.cli.progress import say
from reciplint.cli.repository import open_repository
from reciplint.domain.project import Change, Project
from reciplint.engine.cache import Cache, cache_file
from reciplint.engine.parallel import processes
from reciplint.engine.run import Request, analyse_pair, run
from reciplint.fix.write import write_files
from reciplint.repo.snapshot import Memory
from reciplint.report.escape import MESSAGE_LIMIT, shown
from reciplint.report.table import counted
from reciplint.rules.finding import Finding, rank

Twin = Callable[[str, int], tuple[str, int] | None]
"""The path and line that a path and line of a proposal are a copy of; None for no copy."""


class Asked(TypedDict):
    """The values of `proposal_options`, by the names under which click hands them over."""

    pr: int | None
    description: tuple[str, ...]
    write: bool
    no_cache: bool


_OPTIONS = (
    click.option("--pr", type=click.IntRange(1), metavar="N", help="The pull request's number, for `pr-link`."),
    click.option("--description", multiple=True, metavar="TEXT", help="What changed, instead of a draft; repeatable."),
    click.option("--write", is_flag=True, help="Write the files; without it the difference is shown."),
    click.option("--no-cache", is_flag=True, help="Neither read nor write the cache."),
)


def proposal_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of `Asked`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Proposing:
    """The working tree, and what is asked of a proposal."""

    linting: Linting
    asked: Asked

    @property
    def projects(self) -> tuple[Project, ...]:
        """The projects of the working tree."""
        return tuple(change.head for change in self._changes({}))

    def read(self, path: str) -> bytes:
        """A file of the working tree. Raises `UnreadableFile`."""
        return self.linting.read(path)

    def conclude(self, files: dict[str, bytes], by_hand: Iterable[str], twin: Twin = lambda path, line: None) -> int:
        """Add the changelog entries that changed files need, show or write all, and say what is left; the exit status:
        1 where a check would then find what it does not find now, be it in the place itself or in its `twin`."""
        files = dict(files)
        entries = append_entries(
            self.linting.repository, self._changes(files), self.asked["pr"], self.asked["description"]
        )
        files.update({entry.path: entry.after for entry in entries})
        worse, inherited = self._worse(files, twin)
        self.linting.cache.close()
        self._put(files)
        verb = "changed" if self.asked["write"] else "would change"
        for entry in entries:
            say(f"{'appended' if self.asked['write'] else 'would append'} to {entry.path}: {entry.told}")
        for text in by_hand:
            say(f"to do by hand: {shown(text, MESSAGE_LIMIT)}")
        for rule, count in inherited.items():
            say(f"a check then finds {rule} {counted(count, 'time')} more, in copies of places where it finds it now")
        for finding in worse:
            place = f"{finding.path}:{finding.span.line}:{finding.span.column}"
            say(f"a check then finds: {shown(f'{place}: {finding.severity} {finding.rule}: {finding.message}')}")
        say(f"{verb} {counted(len(files), 'file')}{'' if self.asked['write'] else '; --write does it'}")
        return 1 if worse else 0

    def _changes(self, files: dict[str, bytes]) -> tuple[Change, ...]:
        """Each project with some files replaced or added, beside itself as it stands."""
        repository = self.linting.repository
        return analyse_pair(self._request(files), repository.rules, repository.settings, self.linting.cache).changes

    def _worse(self, files: dict[str, bytes], twin: Twin) -> tuple[list[Finding], Counter[str]]:
        """What a check would find more, and how often each rule only what it finds in the twin of the place, and finds
        as bad there: an arm that stands deprecated is one thing, to add another such arm is another."""
        repository, cache = self.linting.repository, self.linting.cache
        found = [
            item.finding for item in run(self._request(files), repository.rules, repository.settings, cache).findings
        ]
        if not found:
            return [], Counter()
        now: dict[tuple[str, str, str, int], int] = {}
        for item in self.linting.run().standing:
            place = _what(item.finding, (item.finding.path, item.finding.span.line))
            now[place] = max(now.get(place, 0), rank(item.finding.severity))
        copied = [
            each
            for each in found
            if (origin := twin(each.path, each.span.line)) is not None
            and now.get(_what(each, origin), -1) >= rank(each.severity)
        ]
        return [each for each in found if each not in copied], Counter(each.rule for each in copied)

    def _request(self, files: dict[str, bytes]) -> Request:
        request = self.linting.request
        return Request(
            head=Memory(files, request.head),
            base=request.head,
            review_date=request.review_date,
            pull_request=self.asked["pr"],
            baseline=request.baseline,
            processes=request.processes,
        )

    def _put(self, files: dict[str, bytes]) -> None:
        standing = self.linting.request.head.read(files)
        if self.asked["write"]:
            before = {path: content.data for path, content in standing.items()}
            write_files(self.linting.repository.top, files, before)
            return
        for path, data in sorted(files.items()):
            echo_diff(path, standing[path].data if path in standing else None, data)


def _what(finding: Finding, place: tuple[str, int]) -> tuple[str, str, str, int]:
    """What a finding says, without the names in it, and where."""
    return finding.rule, finding.message_id, *place


def propose(asked: Asked) -> Proposing:
    """Open the repository of the current directory for a proposal."""
    cache = Cache(None if asked["no_cache"] else cache_file())
    repository = open_repository(cache)
    request = Request(head=repository.snapshot(None), review_date=repository.review_date(None), processes=processes())
    return Proposing(Linting(repository, cache, request).accepting(None), asked)
