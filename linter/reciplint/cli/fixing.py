"""Repair files and write them: what `check --fix` and `fix` share."""

from __future__ import annotations

from collections.abc import Mapping

from reciplint.cli.linting import Linting
from reciplint.cli.patching import echo_diff
from reciplint.cli.progress import say
from reciplint.engine.run import Outcome
from reciplint.fix.session import Fixed, fix_tree
from reciplint.fix.write import NotWritten, write_file
from reciplint.report.table import counted
from reciplint.rules.finding import Finding


def repair(linting: Linting, outcome: Outcome, unsafe: bool) -> Fixed:
    """What the fixes of an outcome make of the files; nothing is written, and what is refused is said.

    For an editor, fixes that reach any other file than its own are left out.
    """

    asked = Remembering(linting, outcome)
    whole = asked if linting.request.select is None else Remembering(linting.with_all_rules())

    def lint(files: dict[str, bytes]) -> list[Finding]:
        return _within(linting.typed, asked.outcome(files))

    fixed = fix_tree(_within(linting.typed, outcome), linting.read, lint, unsafe, whole.standing)
    for reason in fixed.refused:
        say(f"not fixed: {reason}")
    return fixed


class Remembering:
    """Lints a tree with some files replaced; the last outcome is remembered."""

    def __init__(self, linting: Linting, outcome: Outcome | None = None) -> None:
        self._linting = linting
        self._last: tuple[dict[str, bytes], Outcome] | None = None if outcome is None else ({}, outcome)

    def outcome(self, files: dict[str, bytes]) -> Outcome:
        """What is found then."""
        if self._last is None or self._last[0] != files:
            self._last = dict(files), self._linting.with_files(files).run()
        return self._last[1]

    def standing(self, files: dict[str, bytes]) -> list[Finding]:
        """Everything that is found in the tree alone, before it is compared with another."""
        return [item.finding for item in self.outcome(files).standing]


def _within(only: str | None, outcome: Outcome) -> list[Finding]:
    """The findings of an outcome but those whose fix reaches another file than `only`."""
    findings = [item.finding for item in outcome.findings]
    if only is None:
        return findings
    return [
        finding
        for finding in findings
        if finding.fix is None or all(operation.path == only for operation in finding.fix.operations)
    ]


def put(linting: Linting, files: Mapping[str, bytes], write: bool) -> list[str]:
    """Write files with new contents, or print what would change; the paths of those that could not be written, which
    is said."""
    unwritten = []
    for path, data in sorted(files.items()):
        before = linting.read(path)
        if not write:
            echo_diff(path, before, data)
            continue
        try:
            write_file(linting.repository.top, path, before, data)
        except NotWritten as reason:
            say(f"not written: {reason}")
            unwritten.append(path)
    return unwritten


def tell_done(verb: str, done: int, files: int, besides: str = "") -> None:
    """Say in the end how much was done, and what besides."""
    say(f"{verb} {counted(done, 'finding')}{besides} in {counted(files, 'file')}")
