"""What the planner reads and what it decides: plain values, nothing of GitHub's client."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Literal

import msgspec

from reciplint.bot.sentences import Language
from reciplint.rules.finding import Severity
from reciplint.rules.rule import Rule

Reason = Literal["unchanged-file", "outside-hunks", "severity-below", "limit", "same-line", "refused"]

REASONS: tuple[Reason, ...] = ("refused", "unchanged-file", "outside-hunks", "same-line", "limit", "severity-below")

BODY_LIMIT = 60_000
"""Characters of a comment; GitHub refuses one of more than 65,536."""

_SUMMARY = re.compile(r"<!-- reciplint:summary v1 head=([0-9a-f]{40,64}) -->\s*\Z")
_INLINE = re.compile(r"<!-- reciplint:inline v1 key=([0-9a-f]{32}) -->\s*\Z")
_FIXED = re.compile(r"<!-- reciplint:fixed v1 key=([0-9a-f]{32}) -->\s*\Z")


class Limits(msgspec.Struct, frozen=True):
    """How much is said: inline comments at a time, the least severity of those, and characters of the summary."""

    most_inline: int = 10
    least: Severity = "error"
    body: int = BODY_LIMIT
    languages: tuple[Language, ...] = ("en",)


class Impact(msgspec.Struct, frozen=True):
    """What the change does to the benchmark, as data: one line that tells it; fleets as rows of runner, points, jobs,
    GPU-hours and change, and their sum alike; uncovered keys as key, scenarios, reason; code owners."""

    headline: str = ""
    fleets: tuple[tuple[str, ...], ...] = ()
    total: tuple[str, ...] = ()
    uncovered: tuple[tuple[str, str, str], ...] = ()
    owners_alone: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()


class Page(msgspec.Struct, frozen=True):
    """What the texts refer to: the head that was checked, where its files can be seen, the rules, the impact.

    `is_vouched` is false where the findings come from a run that is not trusted: then their values are only quoted.
    """

    head: str
    web: str = ""
    rules: Mapping[str, Rule] = {}
    impact: Impact = Impact()
    is_vouched: bool = True


class Inline(msgspec.Struct, frozen=True):
    """A comment to be made on lines of the diff; `start_line` is `line` where it is one line."""

    key: str
    path: str
    start_line: int
    line: int
    body: str


class Note(msgspec.Struct, frozen=True):
    """A summary that the bot left."""

    id: int
    body: str

    @property
    def head(self) -> str:
        """The head that it speaks of."""
        found = _SUMMARY.search(self.body)
        return found[1] if found else ""


class Thread(msgspec.Struct, frozen=True):
    """An inline comment that the bot left, with what became of it. `is_answered` says that a person replied."""

    id: int
    node: str
    key: str
    is_minimised: bool = False
    is_told_fixed: bool = False
    is_answered: bool = False
    can_minimise: bool = True

    @property
    def is_open(self) -> bool:
        """Whether it still speaks of a finding."""
        return not self.is_minimised and not self.is_told_fixed


class Existing(msgspec.Struct, frozen=True):
    """What the bot left on the pull request, oldest first."""

    notes: tuple[Note, ...] = ()
    threads: tuple[Thread, ...] = ()


class Reply(msgspec.Struct, frozen=True):
    """An answer to a thread."""

    thread: Thread
    body: str


class Minimise(msgspec.Struct, frozen=True):
    """A comment to be folded away, and as what."""

    thread: Thread
    classifier: Literal["RESOLVED", "DUPLICATE"] = "RESOLVED"


class Plan(msgspec.Struct, frozen=True):
    """What to do, in this order. `note` None leaves the summary alone; `note_id` None makes a new one."""

    inline: tuple[Inline, ...] = ()
    note: str | None = None
    note_id: int | None = None
    replies: tuple[Reply, ...] = ()
    minimise: tuple[Minimise, ...] = ()
    duplicates: tuple[int, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is to be done."""
        return self == Plan()


def key_of(fingerprint: str) -> str:
    """A fingerprint as it stands in a marker: of fixed length, and nothing in it can end the marker."""
    return hashlib.sha256(fingerprint.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def summary_marker(head: str) -> str:
    """The hidden last line of a summary."""
    return f"<!-- reciplint:summary v1 head={head} -->"


def inline_marker(key: str) -> str:
    """The hidden last line of an inline comment."""
    return f"<!-- reciplint:inline v1 key={key} -->"


def fixed_marker(key: str) -> str:
    """The hidden last line of the reply that tells that a finding is fixed."""
    return f"<!-- reciplint:fixed v1 key={key} -->"


def is_summary(body: str) -> bool:
    """Whether a comment ends as a summary does (anyone can write that: ask who wrote it)."""
    return _SUMMARY.search(body) is not None


def inline_key(body: str) -> str:
    """The key in an inline comment's marker; "" without one."""
    found = _INLINE.search(body)
    return found[1] if found else ""


def fixed_key(body: str) -> str:
    """The key in the marker of a reply that tells of a fix; "" without one."""
    found = _FIXED.search(body)
    return found[1] if found else ""
