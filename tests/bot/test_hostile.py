"""Hostile text in a pull request shows as text in every comment and summary that the bot leaves."""

from __future__ import annotations

import re

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from hostile import (
    ANY_TEXT,
    HEAD,
    MARKUP,
    ChangeOfFiles,
    Gfm,
    assert_harmless,
    assert_only_ours,
    changes,
    commands,
    compared,
    hostile,
    letters,
    linted,
    megabyte,
    read_gfm,
)
from reciplint.bot import body
from reciplint.bot.diffmap import DiffMap, Hunk
from reciplint.bot.markdown import address_of, fenced, words
from reciplint.bot.model import Existing, Limits, Page, inline_key, inline_marker, summary_marker
from reciplint.bot.plan import place, plan
from reciplint.cli.bot_impact import impact_of
from reciplint.report.escape import MESSAGE_LIMIT, shown
from reciplint.report.model import Report
from support import RULES

WEB = "https://github.com/fork/bench"
LIMITS = Limits(languages=("en", "zh"), least="warning")
TAGS = {
    "p", "strong", "sub", "table", "thead", "tbody", "tr", "th", "td", "a", "code", "pre", "details", "summary", "ul",
    "li", "br",
}  # fmt: skip
LINKS = ("https://reciplint.github.io/reciplint/rules/", f"{WEB}/blob/{HEAD}/")
LARGEST = 65_536


def page_of(change: ChangeOfFiles) -> Page:
    """What the comments refer to, the impact as the bot makes it."""
    impact = impact_of(compared(change))
    return Page(HEAD, WEB, {name: registered.rule for name, registered in RULES.items()}, impact)


def whole(change: ChangeOfFiles) -> DiffMap:
    """A diff that shows every line of the head."""
    texts = {path: data.decode("utf-8", "replace").split("\n") for path, data in change[0].items()}
    return DiffMap({path: (Hunk(1, tuple(lines)),) for path, lines in texts.items()}, frozenset(texts))


def read(text: str, comments: list[str]) -> Gfm:
    """A comment, of which the hidden ones are these."""
    assert len(text) <= LARGEST
    assert commands(text) == []
    assert_harmless(text)
    page = read_gfm(text)
    assert_only_ours(page, TAGS, LINKS)
    assert [f"<!--{comment}-->" for comment in page.comments] == comments
    return page


@given(changes())
@settings(max_examples=50)
def test_comments_hold_only_our_own_markup(change: ChangeOfFiles) -> None:
    report, _ = linted(change)
    page = page_of(change)
    made = plan(report, whole(change), Existing(), LIMITS, page)
    for comment in made.inline:
        read(comment.body, [inline_marker(comment.key)])
        assert comment.body.endswith(inline_marker(comment.key))
        assert inline_key(comment.body) == comment.key
    if made.note is not None:
        told = read(made.note, [summary_marker(HEAD)])
        assert made.note.endswith(summary_marker(HEAD))
        assert_a_row_a_finding(told, report)


@given(changes(), st.booleans())
@settings(max_examples=25)
def test_the_step_summary_holds_only_our_own_markup(change: ChangeOfFiles, is_shown_inline: bool) -> None:
    report, _ = linted(change)
    page = page_of(change)
    reasons = place(report, whole(change), Existing(), LIMITS, page).reasons if is_shown_inline else {}
    limits = msgspec.structs.replace(LIMITS, body=body.STEP_SUMMARY_LIMIT)
    text = body.summary(report.findings, reasons, page, limits, marked=False)
    assert_a_row_a_finding(read(text, []), report)


def assert_a_row_a_finding(page: Gfm, report: Report) -> None:
    """A table a language with a row for each finding, each with its rule's link; fleets have five cells."""
    wide = {len(row) for row in page.rows}
    assert wide <= {2, 5}
    rows = [row for row in page.rows if len(row) == 2]
    assert len(rows) == (len(report.findings) + 1) * len(LIMITS.languages) * bool(report.findings)
    assert sum(link.startswith(LINKS[0]) for link in page.links) == len(report.findings) * len(LIMITS.languages)


@given(ANY_TEXT | hostile(*MARKUP, size=20), st.booleans())
@settings(max_examples=120)
def test_words_show_a_text_as_it_is(text: str, in_table: bool) -> None:
    made = words(text, in_table=in_table)
    page = read_gfm(f"| a | b |\n| - | - |\n| x {made} | x |\n" if in_table else f"x {made}")
    assert_only_ours(page, TAGS - {"a"}, ())
    assert [len(row) for row in page.rows] == [2, 2] * in_table
    told = page.rows[1][0] if in_table else page.text
    assert letters(told) == letters(f"x{shown(text, MESSAGE_LIMIT)}")


@given(ANY_TEXT.map(lambda text: re.sub("[^\n]+", lambda line: shown(line[0]), text)), st.sampled_from(["", "yaml"]))
@settings(max_examples=50)
def test_a_suggestion_is_committed_as_it_is(text: str, language: str) -> None:
    page = read_gfm(f"{fenced(text, language)}\n\nafter")
    assert [tag for tag, _ in page.elements] == ["pre", "code", "p"]
    assert page.text == (f"{text}\n" if text else "") + "\nafter\n"


@given(ANY_TEXT)
@settings(max_examples=50)
def test_an_address_holds_no_markup_and_the_very_bytes_of_the_path(path: str) -> None:
    address = address_of(WEB, HEAD, path, 3)
    assert re.fullmatch(r"[\w:/.~%-]+#L3", address, re.ASCII)


def test_an_address_has_the_bytes_of_a_name_that_is_no_unicode() -> None:
    assert address_of(WEB, HEAD, "caf\udce9/ü.yaml", 1) == f"{WEB}/blob/{HEAD}/caf%E9/%C3%BC.yaml#L1"


def test_a_megabyte_stays_short_in_every_comment() -> None:
    change = megabyte()
    report, _ = linted(change)
    assert len(report.findings) > 5
    made = plan(report, whole(change), Existing(), LIMITS, page_of(change))
    assert made.note is not None
    for text in (made.note, *(comment.body for comment in made.inline)):
        read_gfm(text)
        assert len(text) < 20_000
