"""Silence findings with a reason: the comment that a person would write, proved to silence them and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec

from reciplint.domain.suppression import Suppression, read_suppressions, spelled
from reciplint.fix.apply import apply_one
from reciplint.fix.prove import Unproved
from reciplint.fix.session import Lint, identity
from reciplint.rules.finding import Finding
from reciplint.yamltree.edit import AddComment, DropComment, Operation, Refused
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.problem import Unreadable
from reciplint.yamltree.tree import Tree

LONGEST_LINE = 120
"""Code points up to which a comment goes to the end of a line; else it stands alone on the line above."""

VOID = "missing-reason"
"""The rule that speaks of a suppression without a reason: it may fall silent where one is completed."""


class Silenced(msgspec.Struct):
    """Files with new contents, how many findings they silence, and what could not be silenced and why."""

    files: dict[str, bytes] = {}
    done: int = 0
    refused: list[str] = []


class _Place(NamedTuple):
    """A line of a file, and the rules to silence there."""

    path: str
    line: int
    rules: tuple[str, ...]

    def holds(self, finding: Finding) -> bool:
        """Whether a comment at this place silences a finding."""
        return (finding.path, finding.span.line) == (self.path, self.line) and finding.rule in self.rules


def silence(findings: Iterable[Finding], reason: str, read: Callable[[str], bytes], lint: Lint) -> Silenced:
    """Silence findings by comments that give a reason; nothing is written.

    `read` gives a file as it stands, `lint` every finding of the tree with some files replaced. A comment speaks of a
    line: it silences all that its rules find there. Lines are taken from the end of a file, so that those that are
    left keep their numbers.
    """
    by_line: dict[tuple[str, int], set[str]] = {}
    for finding in findings:
        by_line.setdefault((finding.path, finding.span.line), set()).add(finding.rule)
    places = [_Place(path, line, tuple(sorted(rules))) for (path, line), rules in by_line.items()]
    work = _Work(reason, read, lint)
    work.settle(sorted(places, reverse=True))
    work.result.refused.sort()
    return work.result


class _Work:
    """Comments being written, and the findings of the tree as it is so far."""

    def __init__(self, reason: str, read: Callable[[str], bytes], lint: Lint) -> None:
        self.result = Silenced()
        self._reason = reason
        self._read = read
        self._lint = lint
        self._standing = lint({})

    def settle(self, places: list[_Place]) -> None:
        """Write the comments of some places together; where the proof fails, of one half after the other."""
        files = dict(self.result.files)
        written = []
        for place in places:
            try:
                text = (files.get(place.path) or self._read(place.path)).decode("utf-8")
                files[place.path] = _with_comment(text, place, self._reason).encode("utf-8")
                written.append(place)
            except (Refused, Unproved) as why:
                self._refuse(place, str(why))
        if not written:
            return
        after = self._lint(files)
        fault = _fault(self._standing, after, written)
        if fault is None:
            self.result.done += sum(any(place.holds(finding) for place in written) for finding in self._standing)
            self.result.files, self._standing = files, after
        elif len(written) == 1:
            self._refuse(written[0], fault.why)
        else:
            for part in _parts(written, fault):
                self.settle(part)

    def _refuse(self, place: _Place, why: str) -> None:
        self.result.refused.append(f"{place.path}:{place.line}: {', '.join(place.rules)}: {why}")


class _Fault(NamedTuple):
    """What a proof found amiss, and in which files."""

    why: str
    paths: frozenset[str]


def _fault(before: list[Finding], after: list[Finding], places: list[_Place]) -> _Fault | None:
    """What else than the findings at these places came or went; None if nothing did and those are gone."""
    old, new = Counter(map(identity, before)), Counter(map(identity, after))
    meant = Counter(identity(finding) for finding in before if any(place.holds(finding) for place in places))
    gone = old - new
    others = {fault for fault in gone - meant if fault[0] != VOID}
    for identities, why in (
        ({*(new - old)}, "would come up"),
        ({*(meant - gone)}, "would not fall silent"),
        (others, "would fall silent too"),
    ):
        if identities:
            rule, path, *_ = min(identities)
            return _Fault(f"{rule} in {path} {why}", frozenset(path for _, path, *_ in identities))
    return None


def _parts(places: list[_Place], fault: _Fault) -> tuple[list[_Place], list[_Place]]:
    """The places in two parts of which one should hold: those of files in which nothing is amiss and the others, else
    halves."""
    sound = [place for place in places if place.path not in fault.paths]
    suspect = [place for place in places if place.path in fault.paths]
    half = len(places) // 2
    return (sound, suspect) if sound and suspect else (places[:half], places[half:])


def _with_comment(text: str, place: _Place, reason: str) -> str:
    """A text with the comment. Raises `Refused` or `Unproved`, in the words for the place that would be best."""
    try:
        tree = parse_text(text)
    except Unreadable:
        raise Refused("the file cannot be parsed") from None
    refusal: Refused | Unproved | None = None
    for operation in _ways(tree, place, reason):
        try:
            return apply_one(text, operation)
        except (Refused, Unproved) as why:
            refusal = refusal or why
    assert refusal is not None
    raise refusal


def _ways(tree: Tree, place: _Place, reason: str) -> Iterator[Operation]:
    """How the comment could be written, best first."""
    for suppression in read_suppressions(tree):
        if place.line in suppression.lines and _takes(suppression, place):
            yield DropComment(place.path, suppression.span, _joined(suppression, place, reason))
            return
    comment = spelled(place.rules, reason)
    beside = AddComment(place.path, (), comment, line=place.line)
    above = AddComment(place.path, (), comment, own_line=True, line=place.line)
    fits = len(tree.lines.line_text(place.line)) + len(f"  {comment}") <= LONGEST_LINE
    yield from (beside, above) if fits else (above, beside)


def _takes(suppression: Suppression, place: _Place) -> bool:
    """Whether the rules can join a comment that is there: a sound one, or one that lacks the reason for just them."""
    return not suppression.fault or (suppression.fault == "reason" and {*suppression.rules} <= {*place.rules})


def _joined(suppression: Suppression, place: _Place, reason: str) -> str:
    """The comment that is there with the rules in its list, and the reason behind its own."""
    rules = dict.fromkeys((*suppression.rules, *place.rules))
    reasons = dict.fromkeys((*filter(None, suppression.reason.split("; ")), reason))
    return spelled(tuple(rules), "; ".join(reasons))
