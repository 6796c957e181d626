"""The plan: what a report makes the bot do, given the diff and what it left before. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from reciplint.bot import body
from reciplint.bot.diffmap import DiffMap
from reciplint.bot.model import (
    Existing,
    Inline,
    Limits,
    Minimise,
    Note,
    Page,
    Plan,
    Reason,
    Reply,
    Thread,
    key_of,
)
from reciplint.bot.suggest import suggestion
from reciplint.report.model import Report, Reported, last_line
from reciplint.rules.finding import rank


class Placement(msgspec.Struct, frozen=True):
    """The new inline comments, and for each finding without one why (by fingerprint)."""

    inline: tuple[Inline, ...]
    reasons: dict[str, Reason]


def plan(
    report: Report,
    diff: DiffMap,
    existing: Existing,
    limits: Limits,
    page: Page,
    refused: frozenset[str] = frozenset(),
    may_add: bool = True,
) -> Plan:
    """What is to be done. `refused` are the keys of comments that GitHub did not take; without `may_add` no inline
    comment is new."""
    placed = place(report, diff, existing, limits, page, refused, may_add)
    replies, minimise = _ended(report, existing, page, limits)
    note, note_id = _note(report, placed, existing, limits, page)
    return Plan(
        inline=placed.inline,
        note=note,
        note_id=note_id,
        replies=replies,
        minimise=minimise,
        duplicates=tuple(found.id for found in existing.notes[1:]),
    )


def place(
    report: Report,
    diff: DiffMap,
    existing: Existing,
    limits: Limits,
    page: Page,
    refused: frozenset[str] = frozenset(),
    may_add: bool = True,
) -> Placement:
    """Where each finding is shown: the ones that have their comment keep it, the most severe of the others follow."""
    kept = {thread.key for thread in existing.threads if thread.is_open}
    findings = body.ordered(report.findings)
    spoken = [item for item in findings if key_of(item.fingerprint) in kept]
    taken = {(item.finding.path, line) for item in spoken if (line := _anchor(item, diff)) is not None}
    left = limits.most_inline - len(spoken) if may_add else 0
    inline: list[Inline] = []
    reasons: dict[str, Reason] = {}
    for item in findings:
        key = key_of(item.fingerprint)
        if key in kept:
            continue
        reason = _reason(item, diff, limits, taken, left - len(inline))
        if key in refused:
            reason = "refused"
        if reason is None:
            made = _inline(item, key, diff, limits, page)
            taken |= {(made.path, line) for line in range(made.start_line, made.line + 1)}
            inline.append(made)
        else:
            reasons[item.fingerprint] = reason
    return Placement(tuple(inline), reasons)


def _reason(item: Reported, diff: DiffMap, limits: Limits, taken: set[tuple[str, int]], left: int) -> Reason | None:
    """Why a finding gets no inline comment; None if it gets one."""
    path = item.finding.path
    if not diff.touches(path):
        return "unchanged-file"
    line = _anchor(item, diff)
    if line is None:
        return "outside-hunks"
    if item.finding.severity == "info" or rank(item.finding.severity) < rank(limits.least):
        return "severity-below"
    if (path, line) in taken:
        return "same-line"
    return "limit" if left <= 0 else None


def _anchor(item: Reported, diff: DiffMap) -> int | None:
    span = item.finding.span
    return diff.line_within(item.finding.path, span.line, last_line(span))


def _inline(item: Reported, key: str, diff: DiffMap, limits: Limits, page: Page) -> Inline:
    change = suggestion(item, diff)
    line = _anchor(item, diff)
    assert line is not None
    first, last = (change.start_line, change.line) if change else (line, line)
    return Inline(key, item.finding.path, first, last, body.inline(item, key, page, limits, change))


def _ended(
    report: Report, existing: Existing, page: Page, limits: Limits
) -> tuple[tuple[Reply, ...], tuple[Minimise, ...]]:
    """What becomes of the comments whose finding is gone, and of a second comment on one finding."""
    present = {key_of(item.fingerprint) for item in report.findings}
    replies: list[Reply] = []
    minimise: list[Minimise] = []
    seen: set[str] = set()
    for thread in _open(existing.threads):
        if thread.key in present and thread.key not in seen:
            seen.add(thread.key)
        elif thread.key in present:
            if thread.can_minimise and not thread.is_answered:
                minimise.append(Minimise(thread, "DUPLICATE"))
        elif thread.is_answered or not thread.can_minimise:
            replies.append(Reply(thread, body.fixed(thread.key, page, limits)))
        else:
            minimise.append(Minimise(thread))
    return tuple(replies), tuple(minimise)


def _open(threads: Iterable[Thread]) -> list[Thread]:
    return [thread for thread in threads if thread.is_open]


def _note(
    report: Report, placed: Placement, existing: Existing, limits: Limits, page: Page
) -> tuple[str | None, int | None]:
    """The summary to be written and over which; nothing where it would say what it says already."""
    oldest: Note | None = next(iter(existing.notes), None)
    if oldest is None and not any(item.finding.severity != "info" for item in report.findings):
        return None, None
    text = body.summary(report.findings, placed.reasons, page, limits)
    if oldest is None:
        return text, None
    return (None, None) if is_same(oldest.body, text) else (text, oldest.id)


def is_same(stored: str, text: str) -> bool:
    """Whether a stored body is this text: a server may have other line ends, and trim."""
    return stored.replace("\r\n", "\n").strip() == text.replace("\r\n", "\n").strip()
