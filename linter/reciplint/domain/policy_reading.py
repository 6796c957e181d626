"""MODELS.md as a policy: the table of scenarios, the matrix of models, the dated notices, and how they agree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from reciplint.domain.policy import AGENTIC, ANY, Deprecation, Doubt, Policy
from reciplint.domain.policy_markdown import Block, Heading, Table, Words, read_blocks
from reciplint.domain.policy_notice import named_prefixes, read_notice, settled
from reciplint.domain.policy_table import MENTIONS, Row, check_columns, deprecations, prefixes, roles, rows
from reciplint.domain.policy_text import (
    PRECISION,
    NotUnderstood,
    Target,
    dates,
    effective_date,
    permits_non_spec,
    precisions,
    read_targets,
    scenarios,
    sentences,
    split_top,
)
from reciplint.yamltree.spans import FILE_START

_GONE = re.compile(
    r"^(?:status\s*:\s*)?(?:(?:is|was|now|fully|will be|to be)\s+)*(?:deprecated|retired|removed|discontinued)\b", re.I
)
_NOT_GONE = re.compile(r"^(?:active|not\s+(?:yet\s+)?deprecated)\b", re.IGNORECASE)
_EXCEPTION = re.compile(r"\b(?:except|excepting|excluding|unless|other than|apart from|but|only)\b|`", re.IGNORECASE)
_NONE = re.compile(r"^(?:none\b|no active\b|nothing\b|n/a\b|[-–—]+(?=$|\s*\())", re.IGNORECASE)
_RETIRED = re.compile(r"\bfully\s+retired\b", re.IGNORECASE)
_LIST = rf"{PRECISION}(?:\s*(?:/|,|and|or)\s*{PRECISION})*"
_LIMIT = re.compile(rf"\b(?:limited|restricted)\s+to\s+(?P<a>{_LIST})\b|\b(?P<b>{_LIST})\s+only\b", re.IGNORECASE)


class _Reading(msgspec.Struct):
    """What has been read so far; `permitted` are the (prefix, scenario) whose non-spec-decode arms stay allowed."""

    table_facts: list[Deprecation] = []
    notice_facts: list[Deprecation] = []
    doubts: list[Doubt] = []
    permitted: set[str] = set()
    understood: int = 0


def read(text: str) -> Policy:
    """The policy that a MODELS.md states."""
    reading = _Reading()
    blocks = read_blocks(text)
    known = named_prefixes(block for block in blocks if isinstance(block, Table))
    for heading, in_notice, section in _sections(blocks):
        rest: list[Table | Words] = []
        for block in section:
            reader = _reader(block) if isinstance(block, Table) else None
            if reader and isinstance(block, Table):
                reader(reading, block)
            elif in_notice or (isinstance(block, Table) and _mentions(block)):
                rest.append(block)
        if rest:
            notice = read_notice(heading, rest, known)
            reading.notice_facts.extend(settled(notice))
            reading.doubts.extend(notice.doubts)
            reading.permitted.update(notice.permitted)
            reading.understood += notice.tables
    if not (reading.understood or reading.notice_facts or reading.doubts) and MENTIONS.search(text):
        reading.doubts.append(Doubt(FILE_START, "no table of models or scenarios was recognised"))
    return _policy(reading)


def _sections(blocks: Iterable[Block]) -> Iterator[tuple[Words | None, bool, list[Table | Words]]]:
    """Each heading with the blocks right under it, and whether it or a heading above it speaks of deprecation."""
    path: list[tuple[int, bool]] = []
    heading: Words | None = None
    section: list[Table | Words] = []
    for block in blocks:
        if not isinstance(block, Heading):
            section.append(block)
            continue
        yield heading, any(notice for _, notice in path), section
        heading, section = block.words, []
        path = [(level, notice) for level, notice in path if level < block.level]
        path.append((block.level, block.level > 1 and _speaks(block.words.text)))
    yield heading, any(notice for _, notice in path), section


def _speaks(title: str) -> bool:
    try:
        return bool(MENTIONS.search(title) or re.search(r"\bdeprecations?\b", title, re.I) or dates(title))
    except NotUnderstood:
        return True


def _mentions(table: Table) -> bool:
    return any(MENTIONS.search(cell.text) for cell in table.head)


def _reader(table: Table) -> Callable[[_Reading, Table], None] | None:
    found = roles(table)
    if "scenario" in found and "status" in found and "gone" not in found:
        return _read_scenarios
    if "active" in found and ("prefix" in found or "gone" in found):
        return _read_matrix
    return None


# ---- the table of scenarios


def _read_scenarios(reading: _Reading, table: Table) -> None:
    reading.understood += 1
    for row in rows(table, roles(table)):
        status = row.get("status")
        if not status:
            continue
        try:
            reading.table_facts.extend(_scenario_row(row, status))
        except NotUnderstood as doubt:
            reading.doubts.append(Doubt(status.span, f"the scenario's status: {doubt}"))
        if AGENTIC in scenarios(_text(row, "scenario")) and permits_non_spec(status.text):
            reading.permitted.add(ANY)


def _scenario_row(row: Row, status: Words) -> Iterator[Deprecation]:
    first = next(iter(sentences(status.text)), "")
    gone, until = bool(_GONE.match(first)), bool(re.search(r"^active\s+(?:until|through)\b", first, re.IGNORECASE))
    if not gone and not until:
        if not _NOT_GONE.match(first) and MENTIONS.search(first):
            raise NotUnderstood(f"whether “{first}” means deprecated")
        return
    named, lengths = scenarios(_text(row, "scenario")), scenarios(_text(row, "lengths"))
    if not (named or lengths) or (named and lengths and named != lengths):
        raise NotUnderstood("which scenario it is")
    if exception := _EXCEPTION.search(re.sub(r"\([^()]*\)", " ", first)):
        raise NotUnderstood(f"what “{exception.group()}” leaves out")
    when, text = effective_date(first), f"{_text(row, 'scenario')} | {first}"
    for scenario in named or lengths:
        yield Deprecation(prefix=ANY, scenario=scenario, effective=when, span=status.span, text=text)


def _text(row: Row, role: str) -> str:
    cell = row.get(role)
    return cell.text if cell else ""


# ---- the matrix of models


def _read_matrix(reading: _Reading, table: Table) -> None:
    reading.understood += 1
    found = roles(table)
    try:
        check_columns(table, found)
    except NotUnderstood as doubt:
        reading.doubts.append(Doubt(table.head[0].span, str(doubt)))
        return
    for row in rows(table, found):
        for role, reader in (("active", _active_cell), ("gone", _gone_cell)):
            if cell := row.get(role):
                try:
                    reading.table_facts.extend(reader(row, cell))
                    if permits_non_spec(cell.text):
                        reading.permitted.update(prefixes(row))
                except NotUnderstood as doubt:
                    reading.doubts.append(Doubt(cell.span, f"{row.span_of_row.text}, “{cell.text}”: {doubt}"))


def _is_retired(row: Row) -> bool:
    return bool(_NONE.match(_text(row, "active")))


def _gone_cell(row: Row, cell: Words) -> Iterator[Deprecation]:
    try:
        yield from deprecations(row, cell, read_targets(cell.text))
    except NotUnderstood:
        if not _is_retired(row):  # of a retired model every scenario is gone, whatever the story says
            raise


def _active_cell(row: Row, cell: Words) -> Iterator[Deprecation]:
    if _is_retired(row):
        yield from deprecations(row, cell, [Target(effective=effective_date(cell.text))])
        return
    if not cell.text and _text(row, "gone"):
        raise NotUnderstood("whether the model is retired: no active scenario stands there")
    if retired := _RETIRED.search(cell.text):
        when = effective_date(cell.text[retired.start() :])
        yield from deprecations(row, cell, [Target(effective=when)])
    for piece in split_top(cell.text):
        if re.search(r"\b(?:until|through)\s", piece, re.IGNORECASE) and len(named := scenarios(piece)) == 1:
            until = re.split(r"\b(?=(?:until|through)\s)", piece, maxsplit=1, flags=re.IGNORECASE)[1]
            if when := effective_date(until):
                yield from deprecations(row, cell, [Target(scenario=named[0], effective=when)])
    yield from _limits(row, cell)


def _limits(row: Row, cell: Words) -> Iterator[Deprecation]:
    """What "limited to fp8/fp4" leaves."""
    everything = scenarios(cell.text)
    for segment in split_top(cell.text, ";"):
        for match in _LIMIT.finditer(segment):
            piece = next((p for p in split_top(segment) if match.group() in p and "(" in p), "")
            inside = piece and piece.find("(") < piece.find(match.group())
            named = scenarios(piece) if inside else scenarios(segment)
            if not inside and (not named or re.search(r"\b(?:both|all|each)\b", segment, re.IGNORECASE)):
                named = (ANY,)
            if len(named) != 1 and everything != named[:1]:
                raise NotUnderstood(f"which scenarios “{match.group()}” limits")
            target = Target(scenario=named[0], effective=effective_date(segment[match.start() :]))
            kept = precisions(match["a"] or match["b"])
            yield from deprecations(row, cell, [target], kept=kept)


# ---- how they agree


def _policy(reading: _Reading) -> Policy:
    facts = [*reading.notice_facts, *_agreed(reading.table_facts, reading.notice_facts)]
    kept = [fact for fact in facts if not (fact.non_spec_decode and {fact.prefix, ANY} & reading.permitted)]
    order = sorted(dict.fromkeys(kept), key=lambda fact: (fact.span, kept.index(fact)))
    return Policy(tuple(order), tuple(sorted(reading.doubts, key=lambda doubt: doubt.span)))


def _agreed(facts: list[Deprecation], notices: list[Deprecation]) -> Iterator[Deprecation]:
    """The tables' facts, with the day and the standing of the notice that announced the same: tables sum up."""
    announced = {fact.target: fact for fact in notices}
    by_precision = {fact.prefix: fact for fact in notices if fact.precisions}
    for fact in facts:
        notice = announced.get(fact.target) or (by_precision.get(fact.prefix) if fact.kept_precisions else None)
        if notice:
            effective, enacted = notice.effective or fact.effective, fact.enacted and notice.enacted
            yield msgspec.structs.replace(fact, effective=effective, enacted=enacted)
        else:
            yield msgspec.structs.replace(fact, effective=fact.effective or _wider_date(fact, facts))


def _wider_date(fact: Deprecation, facts: list[Deprecation]) -> str:
    """For a fact without a date: since when its scenario is gone for all models, or its whole model."""
    if fact.precisions or fact.kept_precisions or fact.non_spec_decode or ANY in (fact.prefix, fact.scenario):
        return ""
    wider = ((ANY, fact.scenario), (fact.prefix, ANY))
    found = [
        other.effective
        for other in facts
        if (other.prefix, other.scenario) in wider
        and other.effective
        and not (other.precisions or other.kept_precisions or other.non_spec_decode)
    ]
    return min(found, default="")
