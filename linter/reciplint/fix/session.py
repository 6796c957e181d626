"""Fix a tree: apply, lint again, apply what is left, until nothing changes. A fix goes in whole or not at all, and only
if its finding is then gone and nothing came up that is as bad."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from reciplint.fix.apply import Together, apply_together
from reciplint.rules.finding import Applicability, Finding, rank

ROUNDS = 10

Lint = Callable[[dict[str, bytes]], list[Finding]]
"""Findings of the tree with some files replaced."""


@dataclass
class Fixed:
    """Files with new contents, how many findings were fixed, and what could not be fixed and why."""

    files: dict[str, bytes] = field(default_factory=dict)
    done: int = 0
    refused: list[str] = field(default_factory=list)


def fix_tree(
    findings: Iterable[Finding],
    read: Callable[[str], bytes],
    lint: Lint,
    unsafe: bool,
    watch: Lint | None = None,
) -> Fixed:
    """Repair what can be repaired; `read` gives a file as it stands, nothing is written.

    `lint` gives what may be fixed next; `watch` all that is found in the tree alone, of which nothing may come up that
    is as bad as what is fixed. Without it, `lint` is watched.
    """
    work = _Work(list(findings), read, lint, watch or lint, {"safe", "unsafe"} if unsafe else {"safe"})
    for _ in range(ROUNDS):
        if not work.round():
            break
    return work.result()


@dataclass(frozen=True)
class _Outcome:
    """What some fixes come to: the files, what is found then, what went in at first and in their wake."""

    files: dict[str, bytes]
    lint: list[Finding]
    watched: list[Finding]
    fixed: list[Finding]
    wake: int


class _Work:
    """The files as they are so far, and what is found in them."""

    def __init__(
        self,
        findings: list[Finding],
        read: Callable[[str], bytes],
        lint: Lint,
        watch: Lint,
        allowed: set[Applicability],
    ) -> None:
        self._read = read
        self._lint = lint
        self._watch = watch
        self._allowed = allowed
        self._files: dict[str, bytes] = {}
        self._current = findings
        self._watched: list[Finding] | None = None
        self._done = 0
        self._refused: dict[str, None] = {}
        self._dropped: dict[tuple[str, ...], str] = {}

    def result(self) -> Fixed:
        """What it came to."""
        return Fixed(self._files, self._done, [*dict.fromkeys((*self._dropped.values(), *self._refused))])

    def round(self) -> bool:
        """Carry out all fixes there are, or else those that come last. Whether there is more to do: a file changed, or
        a fix was dropped that stood in the way of others."""
        self._refused = {}
        dropped = len(self._dropped)
        for last in (False, True):
            wanted = [item for item in self._current if self._is_open(item, last)]
            if wanted and (self._settle(wanted) or len(self._dropped) > dropped):
                return True
        return False

    def _is_open(self, finding: Finding, last: bool) -> bool:
        """Whether a finding has a fix that may be tried, among those that come last or the others."""
        fix = finding.fix
        if fix is None or fix.is_last is not last or fix.applicability not in self._allowed:
            return False
        return identity(finding) not in self._dropped

    def _settle(self, wanted: list[Finding]) -> bool:
        """Carry out some fixes together; where the proof fails, those of one part after the other. Whether a file
        changed."""
        if self._watched is None:
            self._watched = self._watch({})
        outcome = self._tried(wanted)
        if outcome is None:
            return False
        fault = self._fault(self._watched, outcome)
        if fault is None:
            self._files, self._current, self._watched = outcome.files, outcome.lint, outcome.watched
            self._done += len(outcome.fixed) + outcome.wake
            return True
        if len(outcome.fixed) == 1:
            (finding,) = outcome.fixed
            self._dropped[identity(finding)] = _said(finding, fault.why)
            return False
        changed = False
        for part in _parts(outcome.fixed, fault):
            now = list(_still(part, self._current))
            changed = (bool(now) and self._settle(now)) or changed
        return changed

    def _tried(self, wanted: list[Finding]) -> _Outcome | None:
        """What some fixes come to with those that they open the way for; None where nothing changes."""
        known = {identity(finding) for finding in self._current}
        together = self._together(wanted, self._files)
        if together.files == self._files:
            return None
        files, fixed, wake = together.files, together.done, 0
        for _ in range(ROUNDS):
            found = self._lint(files)
            further = [item for item in found if self._is_open(item, last=False) and identity(item) not in known]
            following = self._together(further, files)
            if following.files == files:
                break
            files, wake = following.files, wake + len(following.done)
        else:
            found = self._lint(files)
        watched = found if self._watch is self._lint else self._watch(files)
        return _Outcome(files, found, watched, fixed, wake)

    def _together(self, findings: list[Finding], files: dict[str, bytes]) -> Together:
        together = apply_together(findings, files, self._read)
        self._refused.update((_said(finding, why), None) for finding, why in together.refused)
        return together

    def _fault(self, before: list[Finding], outcome: _Outcome) -> _Fault | None:
        """What came up that is as bad as what was fixed, or is still there that should be gone."""
        least = min(rank(finding.severity) for finding in outcome.fixed)
        came = Counter(_levels(outcome.watched, least)) - Counter(_levels(before, least))
        if came:
            _, (rule, path, *_) = min(came)
            return _Fault(f"{rule} would come up in {path}", frozenset(path for _, (_, path, *_) in came))
        had, has = Counter(map(identity, self._current)), Counter(map(identity, outcome.lint))
        meant = Counter(map(identity, outcome.fixed))
        left = {fault for fault, count in meant.items() if has[fault] > had[fault] - count}
        return _Fault("it would be found as before", frozenset(path for _, path, *_ in left)) if left else None


@dataclass(frozen=True)
class _Fault:
    """What a second lint found amiss, and in which files."""

    why: str
    paths: frozenset[str]


def identity(finding: Finding) -> tuple[str, ...]:
    """What tells a finding from others, wherever its line is."""
    return (finding.rule, finding.path, *finding.subject)


def _levels(findings: Iterable[Finding], least: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Findings once for each severity from `least` up to theirs, so that one that gets worse is new."""
    for finding in findings:
        for level in range(least, rank(finding.severity) + 1):
            yield level, identity(finding)


def _said(finding: Finding, why: str) -> str:
    return f"{finding.path}:{finding.span.line}: {finding.rule}: {why}"


def _parts(findings: list[Finding], fault: _Fault) -> tuple[list[Finding], list[Finding]]:
    """Findings in two parts of which one should hold: those whose fixes keep to files in which nothing is amiss and the
    others, else halves."""
    sound: list[Finding] = []
    suspect: list[Finding] = []
    for finding in findings:
        assert finding.fix is not None
        touched = {finding.path, *(operation.path for operation in finding.fix.operations)}
        (suspect if touched & fault.paths else sound).append(finding)
    half = len(findings) // 2
    return (sound, suspect) if sound and suspect else (findings[:half], findings[half:])


def _still(findings: list[Finding], current: list[Finding]) -> Iterator[Finding]:
    """The findings as they stand now, where others moved what theirs point at."""
    wanted = Counter(map(identity, findings))
    for finding in current:
        if wanted[identity(finding)] and finding.fix is not None:
            wanted[identity(finding)] -= 1
            yield finding
