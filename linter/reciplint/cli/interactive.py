"""`fix --interactive`: show each fix, ask, and write in the end what was accepted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress

import click
import msgspec

from reciplint.cli.answers import EndOfAnswers, ask_key, ask_line
from reciplint.cli.fixing import Remembering, put, tell_done
from reciplint.cli.linting import Linting
from reciplint.cli.patching import shown_diff
from reciplint.cli.progress import say
from reciplint.cli.reporting import wants_color
from reciplint.cli.suppressing import fault_of_reason, silence_findings
from reciplint.engine.run import Outcome
from reciplint.engine.triage import Fingerprinted
from reciplint.fix.session import Fixed, fix_tree
from reciplint.report.escape import MESSAGE_LIMIT, shown
from reciplint.report.table import counted
from reciplint.report.text import headline
from reciplint.rules.finding import Applicability, Finding

_ANSWERS = ("y", "n", "a", "f", "s", "q")
_KEYS = ",".join((*_ANSWERS, "?"))
_HELP = """\
y - apply this fix
n - leave it
a - apply this and every further fix of this rule; those that change a value only if this one does
f - leave this file
s - silence the finding by a comment with a reason
q - ask no more; what was accepted is written
? - these lines"""
_HOW = {"safe": "safe", "unsafe": "changes a value"}

_Sort = tuple[str, Applicability]
"""A rule and how safe a fix of it is."""


def ask(linting: Linting, outcome: Outcome, show_diff: bool) -> int:
    """Ask about each fix of an outcome, then write; the exit status. Ctrl-C writes nothing."""
    session = _Session(linting, outcome)
    with suppress(EndOfAnswers):  # as `q`
        session.run()
    unwritten = put(linting, session.files, write=not show_diff)
    linting.cache.close()
    verb = "would fix" if show_diff else "fixed"
    silenced = f", silenced {session.silenced}" if session.silenced else ""
    tell_done(verb, session.fixed, len(session.files) - len(unwritten), silenced)
    return 2 if unwritten else 0


class _Session:
    """The files as they would be, what was found in them, and what was answered so far."""

    def __init__(self, linting: Linting, outcome: Outcome) -> None:
        self.files: dict[str, bytes] = {}
        self.fixed = 0
        self.silenced = 0
        self._linting = linting
        self._outcome = outcome
        self._left: set[str] = set()
        self._left_files: set[str] = set()
        self._always: set[_Sort | None] = set()
        self._color = wants_color(sys.stdout)
        self._states = [self.files]

    def run(self) -> None:
        """Ask until nothing is left to ask about, or no more is wanted. Raises `EndOfAnswers`."""
        while (items := self._open()) and self._settle(items):
            pass

    def _open(self) -> list[Fingerprinted]:
        """The findings with a fix about which nothing was said, in order of file and line."""
        return [item for item in self._outcome.findings if _sort(item) is not None and not self._is_left(item)]

    def _is_left(self, item: Fingerprinted) -> bool:
        return item.fingerprint in self._left or item.finding.path in self._left_files

    def _settle(self, items: list[Fingerprinted]) -> bool:
        """Settle the first of some findings; whether to go on."""
        item = items[0]
        if _sort(item) in self._always:
            self._apply_all(_sort(item))
            return True
        offer, after = self._repaired(lambda other: other is item, lambda other: False)
        self._show(item.finding, offer)
        if not offer.files:
            self._left.add(item.fingerprint)
            return True
        goes_on = self._answered(item, offer, after, len(items) - 1)
        click.echo()
        return goes_on

    def _answered(self, item: Fingerprinted, offer: Fixed, after: Outcome, others: int) -> bool:
        """Ask about a finding until there is an answer; whether to go on."""
        while True:
            key = ask_key(f"apply [{_KEYS}] ({others} more)?")
            if key == "s" and not self._silence(item.finding):
                continue
            if key in ("y", "a"):
                self.fixed += 1
                self._take(offer.files, after)
            if key == "a":
                self._always.add(_sort(item))
            elif key == "n":
                self._left.add(item.fingerprint)
            elif key == "f":
                self._left_files.add(item.finding.path)
            if key in _ANSWERS:
                return key != "q"
            click.echo(_HELP)

    def _apply_all(self, sort: _Sort | None) -> None:
        """Apply the fixes of a sort to every finding about which nothing was said."""

        def wanted(item: Fingerprinted) -> bool:
            return _sort(item) == sort and not self._is_left(item)

        before = [item for item in self._outcome.findings if wanted(item)]
        offer, after = self._repaired(wanted, wanted)
        if not offer.files or {**self.files, **offer.files} in self._states:  # or it would go in a circle
            self._left.update(item.fingerprint for item in before)
            for why in offer.refused:
                say(f"not fixed: {why}")
            return
        done = len(before) - sum(map(wanted, after.findings))
        click.echo(f"{counted(done, 'further finding')} of {before[0].finding.rule} fixed\n")
        self.fixed += done
        self._take(offer.files, after)

    def _repaired(
        self, first: Callable[[Fingerprinted], bool], later: Callable[[Fingerprinted], bool]
    ) -> tuple[Fixed, Outcome]:
        """What the fixes of some findings make of the files, and what is found then.

        `first` chooses among what is found now, `later` among what is found once those are fixed.
        """
        linting = self._linting.with_files(self.files)
        asked = Remembering(linting, self._outcome)

        def lint(files: dict[str, bytes]) -> list[Finding]:
            return [_only(later, item) for item in asked.outcome(files).findings]

        findings = [_only(first, item) for item in self._outcome.findings]
        fixed = fix_tree(findings, linting.read, lint, unsafe=True, watch=asked.standing)
        return fixed, asked.outcome(fixed.files)

    def _show(self, finding: Finding, offer: Fixed) -> None:
        self._echo(headline(finding, self._color))
        assert finding.fix is not None
        self._echo(f"  fix: {shown(finding.fix.title, MESSAGE_LIMIT)}, {_HOW[finding.fix.applicability]}")
        self._show_change(offer.files)
        if not offer.files:
            why = "; ".join(offer.refused) or "nothing would change"
            self._echo(f"  not fixed: {shown(why, MESSAGE_LIMIT)}\n")

    def _show_change(self, files: dict[str, bytes]) -> None:
        linting = self._linting.with_files(self.files)
        for path, data in sorted(files.items()):
            click.echo(shown_diff(path, linting.read(path), data, self._color), nl=False, color=self._color)

    def _echo(self, text: str) -> None:
        click.echo(text, color=self._color)

    def _take(self, files: dict[str, bytes], outcome: Outcome) -> None:
        self.files = {**self.files, **files}
        self._states.append(self.files)
        self._outcome = outcome

    def _silence(self, finding: Finding) -> bool:
        """Silence a finding with a reason that is asked for; whether that was done."""
        reason = ask_line("reason:")
        why = fault_of_reason(reason)
        if not why:
            linting = self._linting.with_files(self.files)
            silenced = silence_findings(linting, self._outcome, [finding], reason)
            why = "; ".join(silenced.refused)
        if why:
            self._echo(f"  not silenced: {shown(why, MESSAGE_LIMIT)}")
            return False
        self._show_change(silenced.files)
        self.silenced += silenced.done
        self._take(silenced.files, linting.with_files(silenced.files).run())
        return True


def _sort(item: Fingerprinted) -> _Sort | None:
    """The sort of a finding's fix; None where it has none that is applied."""
    fix = item.finding.fix
    return None if fix is None or fix.applicability == "display" else (item.finding.rule, fix.applicability)


def _only(wanted: Callable[[Fingerprinted], bool], item: Fingerprinted) -> Finding:
    """A finding, without its fix unless that is wanted."""
    return item.finding if wanted(item) else msgspec.structs.replace(item.finding, fix=None)
