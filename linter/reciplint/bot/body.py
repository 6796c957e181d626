"""The texts that the bot leaves: the summary, cut by whole rows, and the inline comments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from reciplint.bot import markdown
from reciplint.bot.model import REASONS, Limits, Page, Reason, fixed_marker, inline_marker, summary_marker
from reciplint.bot.quoting import quoted
from reciplint.bot.sentences import NAMES, Language, say
from reciplint.bot.suggest import Suggestion
from reciplint.report.escape import shown
from reciplint.report.model import Reported
from reciplint.report.table import code
from reciplint.rules.finding import SEVERITIES, Finding, rank, render
from reciplint.rules.rule import rule_url

STEP_SUMMARY_LIMIT = 250_000
"""Characters; GitHub takes a mebibyte."""

_SIGNS = {"error": "❌", "warning": "⚠️", "info": "ℹ️"}
_ROW_MESSAGE = 400
_PATH = 300
_RELATED = 5
_RELATED_WORDS = 200
_EVIDENCE = 40
_LISTED = 20


def ordered(findings: Sequence[Reported]) -> list[Reported]:
    """The findings, the most severe first."""
    return sorted(findings, key=lambda item: (-rank(item.finding.severity), item.finding.path, item.finding.span))


def verdict(findings: Sequence[Reported], language: Language) -> str:
    """The first line: `❌ reciplint: 2 errors, 3 warnings`."""
    counts = Counter(item.finding.severity for item in findings)
    parts = [say(language, f"{severity}s", n=counts[severity]) for severity in SEVERITIES if counts[severity]]
    sign = next((_SIGNS[severity] for severity in SEVERITIES[:2] if counts[severity]), "✅")
    listed = parts if counts["error"] or counts["warning"] else [say(language, "nothing-new"), *parts]
    return f"{sign} reciplint: {say(language, 'and').join(listed)}"


def summary(
    findings: Sequence[Reported], reasons: Mapping[str, Reason], page: Page, limits: Limits, marked: bool = True
) -> str:
    """The sticky summary; `reasons` tells by fingerprint why a finding has no inline comment."""
    marker = summary_marker(page.head) if marked else ""
    room = limits.body - len(marker) - 200
    first, *others = limits.languages
    share = room if not others else room // (1 + len(others))
    text = _told(findings, reasons, page, limits, first, share)
    for language in others:
        own = _told(findings, reasons, page, limits, language, share - 100)
        text += f"\n\n{markdown.details(NAMES[language], own)}"
    return f"{text}\n\n{marker}" if marker else f"{text}\n"


def _told(
    findings: Sequence[Reported],
    reasons: Mapping[str, Reason],
    page: Page,
    limits: Limits,
    language: Language,
    room: int,
) -> str:
    """One language's summary in at most `room` characters: what is short first has its place, rows get the rest.

    Evidence and impact are much the same in every language: they stand in the first.
    """
    is_first = language == limits.languages[0]
    head = verdict(findings, language)
    checked = say(language, "checked", head=code(page.head[:12]))
    source = "" if page.is_vouched else f" {say(language, 'not-vouched')}"
    ends = [_not_inline(reasons, limits, language), f"<sub>{checked}{source}</sub>"]
    impact = _impact(page, language, room // 3) if is_first else ""
    room -= len(head) + len(impact) + sum(map(len, ends)) + 200
    rows = _table([_row(item, page, language) for item in ordered(findings)], language, room * 2 // 3)
    evidence = _evidence(findings, language, room - len(rows)) if is_first else ""
    return "\n\n".join(part for part in (head, rows, evidence, impact, *ends) if part)


def _table(rows: list[str], language: Language, room: int) -> str:
    """Two columns, of which the first is a sign: a phone shows it without scrolling."""
    if not rows:
        return ""
    head = f"| | {say(language, 'finding')} |\n| :-: | :-- |\n"
    fitting = _fitting(rows, room - len(head) - 150)
    text = head + "\n".join(fitting)
    hidden = len(rows) - len(fitting)
    return f"{text}\n\n{say(language, 'more-rows', n=hidden)}" if hidden else text


def _fitting(rows: list[str], room: int) -> list[str]:
    """As many rows as there is room for, whole, in order."""
    used, kept = 0, []
    for row in rows:
        used += len(row) + 1
        if used > room:
            break
        kept.append(row)
    return kept


def _row(item: Reported, page: Page, language: Language) -> str:
    """What is wrong, and on a line of its own where it is: paths are long."""
    finding = item.finding
    message = markdown.words(message_in(language, finding, page), _ROW_MESSAGE, in_table=True)
    told = f"**{say(language, finding.severity)}** {_rule_link(finding.rule)}: {message}"
    return f"| {_SIGNS[finding.severity]} | {told}<br>{_place(finding.path, finding.span.line, page)} |"


def _place(path: str, line: int, page: Page) -> str:
    address = markdown.address_of(page.web, page.head, path, line) if len(path) <= _PATH else ""
    return markdown.link(code(_at(path, line)), address)


def _at(path: str, line: int) -> str:
    return f"{path if len(path) <= _PATH else '…' + path[-_PATH:]}:{line}"


def _rule_link(rule: str) -> str:
    return markdown.link(code(rule), rule_url(rule))


def message_in(language: Language, finding: Finding, page: Page) -> str:
    """A finding's message in a language; in English where the rule has none in it."""
    rule = page.rules.get(finding.rule)
    template = rule.messages_zh.get(finding.message_id) if rule is not None and language == "zh" else None
    if template is None:
        return finding.message
    try:
        return (render if page.is_vouched else quoted)(template, finding.arguments)
    except (KeyError, ValueError, TypeError, IndexError, AttributeError):
        return finding.message  # the fields of an untrusted report fit the English only


def _evidence(findings: Sequence[Reported], language: Language, room: int) -> str:
    """The places that findings speak of, folded: a finding with its places is kept or left out whole."""
    entries = [
        "\n".join(
            [
                f"- {code(item.finding.rule)} {code(_at(item.finding.path, item.finding.span.line), in_table=False)}",
                *(f"  {line}" for line in _related(item.finding)),
            ]
        )
        for item in ordered(findings)
        if item.finding.related
    ]
    kept = _fitting(entries[:_EVIDENCE], room - 100)
    return markdown.details(say(language, "evidence"), "\n".join(kept)) if kept else ""


def _related(finding: Finding) -> list[str]:
    """A line for each place; one in the finding's own file needs no path, one beside it no folder."""
    lines = []
    for related in finding.related[:_RELATED]:
        folder, slash, name = related.path.rpartition("/")
        is_beside = slash and folder == finding.path.rpartition("/")[0]
        place = _at(f"…/{name}" if is_beside else related.path, related.span.line)
        if related.path == finding.path:
            place = f"L{related.span.line}"
        told = f" {markdown.words(related.message, _RELATED_WORDS)}" if related.message else ""
        lines.append(f"- {code(place, in_table=False)}{told}")
    more = len(finding.related) - _RELATED
    return [*lines, *([f"- +{more}"] if more > 0 else [])]


def _not_inline(reasons: Mapping[str, Reason], limits: Limits, language: Language) -> str:
    counts = Counter(reasons.values())
    fields: dict[str, str | int] = {"most": limits.most_inline, "least": say(language, limits.least)}
    lines = [f"- {say(language, reason, n=counts[reason], **fields)}" for reason in REASONS if counts[reason]]
    return "\n".join([f"**{say(language, 'not-inline')}**\n", *lines]) if lines else ""


def _impact(page: Page, language: Language, room: int) -> str:
    impact = page.impact
    if not impact.headline:
        return ""
    parts = [f"**{say(language, 'benchmark')}**: {impact.headline}"]
    uncovered = [_uncovered(*row) for row in impact.uncovered]
    kept = _fitting(uncovered[:_LISTED], room // 3)
    if kept:
        more = f"\n- +{len(uncovered) - len(kept)}" if len(kept) < len(uncovered) else ""
        parts.append(f"{say(language, 'uncovered')}:\n\n" + "\n".join(kept) + more)
    owners = impact.owners_alone or impact.owners
    if owners:
        told = "signers" if impact.owners_alone else "no-single-signer"
        listed = _fitting([code(owner, in_table=False) for owner in owners[:_LISTED]], room // 4)
        parts.append(f"{say(language, told)}: {', '.join(listed)}")
    fleets = [_fleet(code(runner), *cells) for runner, *cells in impact.fleets]
    fleets += [_fleet(*impact.total)] if impact.total else []
    kept = _fitting(fleets, room // 3)
    if kept:
        head = "| runner | change | GPU-hours | points | jobs |\n| :-- | --: | --: | --: | --: |\n"
        parts.append(markdown.details(say(language, "by-fleet"), head + "\n".join(kept)))
    return "\n\n".join(parts)


def _fleet(runner: str, points: str, jobs: str, hours: str, change: str) -> str:
    """What counts most first: a phone shows the first columns."""
    return f"| {' | '.join((runner, change, hours, points, jobs))} |"


def _uncovered(key: str, kinds: str, why: str) -> str:
    reason = f": {markdown.words(why, _RELATED_WORDS)}" if why else ""
    return f"- {code(key, in_table=False)} ({markdown.words(kinds, 100)}){reason}"


def inline(item: Reported, key: str, page: Page, limits: Limits, change: Suggestion | None) -> str:
    """An inline comment: severity, message, evidence, suggestion; how to silence it, folded."""
    finding = item.finding
    first, *others = limits.languages
    blocks = [_inline_head(finding, page, first)]
    if finding.related:
        blocks.append("\n".join([f"{say(first, 'evidence')}:\n", *_related(finding)]))
    if change is not None:
        blocks.append(markdown.fenced(change.text, "suggestion"))
    elif finding.fix is not None and finding.fix.applicability == "safe":
        blocks.append(say(first, "fixable"))
    blocks.append(markdown.details(say(first, "how-to-silence"), _silence(finding, page, first)))
    for language in others:
        told = "\n\n".join([_inline_head(finding, page, language), _silence(finding, page, language)])
        blocks.append(markdown.details(NAMES[language], told))
    return "\n\n".join([*blocks, inline_marker(key)])


def _inline_head(finding: Finding, page: Page, language: Language) -> str:
    severity = f"{_SIGNS[finding.severity]} **{say(language, finding.severity)}**"
    return f"{severity} {_rule_link(finding.rule)}: {markdown.words(message_in(language, finding, page))}"


def _silence(finding: Finding, page: Page, language: Language) -> str:
    rule = page.rules.get(finding.rule)
    if rule is not None and not rule.suppressible:
        return say(language, "cannot-silence")
    comment = f"# reciplint: ignore[{shown(finding.rule)}] -- reason"
    return f"{say(language, 'silence')}\n\n{markdown.fenced(comment, 'yaml')}"


def fixed(key: str, page: Page, limits: Limits) -> str:
    """The one reply to a thread in which people spoke."""
    told = " / ".join(say(language, "fixed", head=page.head) for language in limits.languages)
    return f"{told}\n\n{fixed_marker(key)}"
