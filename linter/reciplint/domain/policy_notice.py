"""The dated notices of a policy: from which day on their sentences and tables count, and what is enacted of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from reciplint.domain.policy import Deprecation, Doubt
from reciplint.domain.policy_markdown import Table, Words
from reciplint.domain.policy_table import check_columns, deprecations, prefixes, roles, row_date, rows
from reciplint.domain.policy_text import (
    NotUnderstood,
    Target,
    dates,
    day_after,
    effective_date,
    permits,
    permits_non_spec,
    read_targets,
    sentences,
    without_dates,
)

_PENDING = re.compile(r"^(?:status\s*[:—–-]\s*)?(?:not\s+(?:yet\s+)?(?:been\s+)?enacted|pending)\b", re.IGNORECASE)
_PARTIAL = re.compile(r"^(?:status\s*[:—–-]\s*)?part(?:ial)?ly\s+enacted\b", re.IGNORECASE)
_ENACTED = re.compile(r"^(?:status\s*[:—–-]\s*)?(?:fully\s+)?(?:enacted|carried out|in force|done)\b", re.IGNORECASE)
_OTHER_STATUS = re.compile(
    r"^(?:status\s*[:—–-]|(?:this\s+notice\s+(?:is|was)\s+)?(?:postponed|withdrawn|cancell?ed|reverted|rescinded|superseded)\b)",
    re.IGNORECASE,
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_NOT_ENACTED = re.compile(r"\bnot\s+(?:yet\s+)?(?:been\s+)?enacted\b|\bpending\b", re.IGNORECASE)
_LAST_DAY = re.compile(r"(?:\b(?:is|will\s+be|was)\s+)?(?:\bthe\s+)?\blast\s+day\b", re.IGNORECASE)
_RETIRES = re.compile(r"\b(?:is|are|was|were|will\s+be)?\s*(?:fully\s+)?(?:deprecated|retired)\b", re.IGNORECASE)
_WHOLE_MODEL = re.compile(r"\bfully\s+retired\b|\bmodel\s+(?:is|was|will\s+be)\s+retired\b", re.IGNORECASE)
_LISTED = re.compile(r"\b(?:below|following|listed|above)\b", re.IGNORECASE)
_MODEL = re.compile(
    r"\b(?:on|for|of)\s+(?:(?!\b(?:on|for|of)\b)[^`,;])*(?:`[^`]+`(?:\s*(?:,|and|/)\s*(?=`))?)+\s*\)?", re.IGNORECASE
)
_PREFIX = re.compile(r"[a-z][a-z0-9.]*[a-z0-9]")


class Notice(msgspec.Struct):
    """What one section has said so far; `table` 0 are the facts of its prose, then its tables from 1 on."""

    effective: str = ""
    facts: list[tuple[int, Deprecation]] = []
    doubts: list[Doubt] = []
    tables: int = 0
    pending: set[int] = set()
    pending_all: bool = False
    void: bool = False
    partial: Words | None = None
    permitted: set[str] = set()


def read_notice(heading: Words | None, blocks: Iterable[Table | Words], known: frozenset[str]) -> Notice:
    """One section of notices; `known` are the prefixes that tables of the document name."""
    notice = Notice()
    if heading:
        _read_heading(notice, heading)
    for block in blocks:
        if isinstance(block, Table):
            notice.tables += 1
            _read_table(notice, block)
        elif not _read_status(notice, block):
            _read_prose(notice, block, known)
    if notice.partial and not (notice.pending or notice.pending_all):
        notice.pending_all = True
        notice.doubts.append(Doubt(notice.partial.span, "which part of the notice is enacted"))
    return notice


def settled(notice: Notice) -> Iterator[Deprecation]:
    """The facts of a notice with its status applied."""
    for table, fact in () if notice.void else notice.facts:
        if notice.pending_all or table in notice.pending:
            yield msgspec.structs.replace(fact, enacted=False)
        else:
            yield fact


def _read_heading(notice: Notice, heading: Words) -> None:
    try:
        found = dates(heading.text)
        if not found:
            return
        starts = re.search(r"\b(?:effective|from|since|starting|as of)\b", heading.text, re.IGNORECASE)
        notice.effective = found[0].isoformat() if starts else day_after(found[0])
    except NotUnderstood as doubt:
        notice.doubts.append(Doubt(heading.span, str(doubt)))


def _read_table(notice: Notice, table: Table) -> None:
    found = roles(table)
    try:
        check_columns(table, found)
        if "gone" not in found:
            raise NotUnderstood("which column says what is deprecated")
    except NotUnderstood as doubt:
        notice.doubts.append(Doubt(table.head[0].span if table.head else table.span, str(doubt)))
        return
    for row in rows(table, found):
        cell = row.get("gone")
        if not cell:
            continue
        try:
            when = row_date(row) or notice.effective
            facts = list(deprecations(row, cell, read_targets(cell.text), effective=when))
            notice.facts.extend((notice.tables, fact) for fact in facts)
        except NotUnderstood as doubt:
            notice.doubts.append(Doubt(cell.span, f"“{cell.text}”: {doubt}"))


def _read_status(notice: Notice, words: Words) -> bool:
    """Takes in a paragraph that says how far the notice is enacted; False for any other paragraph."""
    text = words.text
    if _PARTIAL.match(text):
        notice.partial = words
        for sentence in sentences(text, clauses=True):
            if _NOT_ENACTED.search(sentence):
                notice.pending |= {
                    number for name, number in _ORDINALS.items() if re.search(rf"\b{name}\b", sentence, re.I)
                }
    elif _PENDING.match(text):
        if notice.tables:
            notice.pending.add(notice.tables)
        else:
            notice.pending_all = True
    elif _ENACTED.match(text):
        pass
    elif _OTHER_STATUS.match(text):
        notice.void = True
        notice.doubts.append(Doubt(words.span, f"the status “{sentences(text)[0]}”"))
    else:
        return False
    return True


def _read_prose(notice: Notice, words: Words, known: frozenset[str]) -> None:
    for sentence in sentences(words.text, clauses=True):
        try:
            if _LAST_DAY.search(sentence):
                _read_last_day(notice, words, sentence)
            elif permits_non_spec(sentence):
                notice.permitted |= _known(sentence, known) or {"*"}
            elif _RETIRES.search(sentence):
                _read_retirement(notice, words, sentence, known)
        except NotUnderstood as doubt:
            notice.doubts.append(Doubt(words.span, f"“{sentence}”: {doubt}"))


def _read_last_day(notice: Notice, words: Words, sentence: str) -> None:
    found = dates(sentence)
    when = day_after(found[0]) if found else notice.effective
    codes = [code for code in re.findall(r"`([^`]+)`", sentence) if _PREFIX.fullmatch(code)]
    if not codes:
        if not _LISTED.search(sentence):
            raise NotUnderstood("which models it speaks of")
        notice.effective = when
        return
    rest = _MODEL.sub(" ", _LAST_DAY.sub(" ", without_dates(sentence)))
    what = re.sub(r"^\s*(?:for|of)\b|\b(?:is|was)\s*$", "", rest.strip(" .;:,"))
    targets = read_targets(what) if what.strip() else (Target(),)
    _add(notice, words, sentence, codes, when, targets)


def _read_retirement(notice: Notice, words: Words, sentence: str, known: frozenset[str]) -> None:
    """A sentence that retires a whole model ("… is fully retired after …"); others about models are doubts."""
    named = _known(sentence, known)
    if dates(sentence) and not named:
        named = {code for code in words.codes if code in known}
    if not named or permits(sentence):
        return
    if len(named) > 1 or not _WHOLE_MODEL.search(sentence):
        raise NotUnderstood("what it retires")
    tail = _RETIRES.split(sentence, maxsplit=1)[1]
    _add(notice, words, sentence, sorted(named), effective_date(tail) or notice.effective, (Target(),))


def _known(sentence: str, known: frozenset[str]) -> set[str]:
    return {code for code in re.findall(r"`([^`]+)`", sentence) if code in known}


def _add(notice: Notice, words: Words, sentence: str, codes: list[str], when: str, targets: tuple[Target, ...]) -> None:
    for prefix in codes:
        text = sentence if f"`{prefix}`" in sentence else f"`{prefix}` | {sentence}"
        for target in targets:
            fact = Deprecation(
                prefix=prefix,
                scenario=target.scenario,
                precisions=target.precisions,
                non_spec_decode=target.non_spec_decode,
                effective=when,
                enacted=not target.pending,
                from_day_zero=target.day_zero,
                span=words.span,
                text=text,
            )
            notice.facts.append((0, fact))


def named_prefixes(tables: Iterable[Table]) -> frozenset[str]:
    """Every prefix that a table names in its prefix or model column."""
    names: set[str] = set()
    for table in tables:
        for row in rows(table, roles(table)):
            try:
                names.update(prefixes(row))
            except NotUnderstood:
                continue
    return frozenset(names)
