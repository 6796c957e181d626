"""The vocabulary of a deprecation policy: dates, scenarios, precisions, arms and the words around them.

A phrase that decides what is deprecated is understood only if every word of it is explained. One that has a word
left over ("on H100", "except …") raises `NotUnderstood`, because half of its meaning would be a guess.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from reciplint.domain.policy import AGENTIC, ANY, sequence_scenario

_LONGEST = 4000
"""Code points of the longest phrase that is read: a phrase, not an essay."""


def _vocabulary(words: str) -> frozenset[str]:
    return frozenset(words.split())


class NotUnderstood(Exception):
    """A phrase whose meaning is not certain; the argument says what about it."""


class Target(msgspec.Struct, frozen=True):
    """What one phrase retires; `names` limits it to some of the models that the row speaks of."""

    scenario: str = ANY
    precisions: tuple[str, ...] = ()
    non_spec_decode: bool = False
    effective: str = ""
    pending: bool = False
    day_zero: bool = False
    names: tuple[str, ...] = ()


# ---- dates

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]*\.?"
_DATE = re.compile(
    r"(?:\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+)?(?:"
    r"\b(?P<y1>\d{4})-(?P<m1>\d{2})-(?P<d1>\d{2})\b"
    rf"|\b(?P<m2>{_MONTH})\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y2>\d{{4}})\b"
    rf"|\b(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<m3>{_MONTH}),?\s+(?P<y3>\d{{4}})\b)",
    re.IGNORECASE,
)
_LAST_DAY = re.compile(r"\b(?:after|until|till|through)\s*(?:the\s+)?(?:end\s+of\s+)?$", re.IGNORECASE)
_FIRST_DAY = re.compile(
    r"\b(?:since|from|as\s+of|on|effective|starting|removed|retired|deprecated|archived|dropped)\s*:?\s*$",
    re.IGNORECASE,
)
_NOT_THE_DAY = re.compile(r"\b(?:added|launched|introduced|before|created|updated)\s*(?:on\s*)?:?\s*$", re.IGNORECASE)


def _date(match: re.Match[str]) -> datetime.date:
    year, month, day = (match["y1"], match["m1"], match["d1"])
    if not year:
        year, name, day = (match["y2"] or match["y3"], match["m2"] or match["m3"], match["d2"] or match["d3"])
        month = str(_MONTHS.index(name[:3].lower()) + 1)
    try:
        return datetime.date(int(year), int(month), int(day))
    except ValueError:
        raise NotUnderstood(f"no such date: {match.group()}") from None


def day_after(day: datetime.date) -> str:
    """The next day as ISO date."""
    return (day + datetime.timedelta(days=1)).isoformat()


def dates(text: str) -> list[datetime.date]:
    """Every date, in order; raises for one that does not exist."""
    return [_date(match) for match in _DATE.finditer(text)]


def without_dates(text: str) -> str:
    """The text with every date taken out."""
    return _DATE.sub(" ", text)


def effective_date(text: str) -> str:
    """The first day of the deprecation that a phrase speaks of, "" if it gives no date.

    "since X" and a bare X mean X; "after X" and "until X" the day after.
    """
    bare: list[str] = []
    for match in _DATE.finditer(text):
        before = text[max(0, match.start() - 40) : match.start()]
        if _LAST_DAY.search(before):
            return day_after(_date(match))
        if _FIRST_DAY.search(before):
            return _date(match).isoformat()
        if not _NOT_THE_DAY.search(before):
            bare.append(_date(match).isoformat())
    if len(set(bare)) > 1:
        raise NotUnderstood("several dates, and which one counts is not said")
    return bare[0] if bare else ""


# ---- scenarios, precisions, arms

_SCENARIO = re.compile(
    r"\b(?P<isl_k>\d{1,7})\s*k\s*[/x-]?\s*(?P<osl_k>\d{1,7})\s*k\b"
    r"|\b(?P<isl>\d{3,7})\s*/\s*(?P<osl>\d{3,7})\b"
    r"|\b(?P<agentic>agent(?:ic(?:[- ]coding)?|x))\b",
    re.IGNORECASE,
)
PRECISION = r"(?:bf16|fp16|fp8|fp6|fp4|nvfp4|mxfp8|mxfp6|mxfp4|int8|int4|w4a8|w8a8)"
_PRECISION = re.compile(rf"\b{PRECISION}\b", re.IGNORECASE)
_DRAFT = r"(?:mtp|eagle-?\d?|d-?spark|d-?flash|medusa|n-?gram|spec(?:ulative)?(?:[- ]?decod(?:e|ing))?)"
_NON_SPEC = re.compile(rf"\b(?:non[- ]?|no[- ]|without\s+|w/o\s+){_DRAFT}\b", re.IGNORECASE)


def scenarios(text: str) -> tuple[str, ...]:
    """The scenarios that a text names, by their canonical names, in order."""
    found: list[str] = []
    for match in _SCENARIO.finditer(text):
        if match["agentic"]:
            found.append(AGENTIC)
        elif match["isl_k"]:
            found.append(f"{int(match['isl_k'])}k{int(match['osl_k'])}k")
        else:
            found.append(sequence_scenario(int(match["isl"]), int(match["osl"])))
    return tuple(dict.fromkeys(found))


def precisions(text: str) -> tuple[str, ...]:
    """The precisions that a text names, in lower case, in order."""
    return tuple(dict.fromkeys(match.group().lower() for match in _PRECISION.finditer(text)))


_PERMITTED = re.compile(
    r"\bnot\s+required\b|\boptional\b|\b(?:remains?|stays?|(?:are|is)(?:\s+still)?)\s+(?:eligible|allowed|permitted)\b"
    r"|\bmay\s+(?:still\s+)?be\s+(?:enabled|disabled|omitted|run|submitted)\b|\bnot\s+deprecated\b",
    re.IGNORECASE,
)
_PENDING = re.compile(
    r"\bnot\s+yet\s+(?:enacted|in\s+force|removed|carried\s+out|effective)\b|\bpending\b|\bstill\s+runs?\b|\bplanned\b",
    re.IGNORECASE,
)
_DAY_ZERO = re.compile(r"\b(?:from|since|on|at|as\s+of)\s+day[- ]?(?:0|zero)\b", re.IGNORECASE)


def permits(text: str) -> bool:
    """Whether the text says that something is merely not required, or stays allowed."""
    return bool(_PERMITTED.search(text))


def permits_non_spec(text: str) -> bool:
    """Whether the text says that arms without speculative decoding stay allowed."""
    spoken = re.search(rf"\b{_DRAFT}\b", text, re.IGNORECASE)
    return bool(spoken) and permits(text)


def is_pending(text: str) -> bool:
    """Whether the text says that it is not in force yet."""
    return bool(_PENDING.search(text))


# ---- phrases

_ABBREVIATED = "".join(rf"(?<!\b{name}\.)" for name in (*_MONTHS, "sept", "e\\.g", "i\\.e"))
_SENTENCE_END = re.compile(rf"(?<=[.!?]){_ABBREVIATED}\s+", re.IGNORECASE)
_CLAUSE_END = re.compile(rf"(?<=[.;!?]){_ABBREVIATED}\s+", re.IGNORECASE)


def sentences(text: str, *, clauses: bool = False) -> list[str]:
    """The sentences of a text; with `clauses` also what semicolons part."""
    end = _CLAUSE_END if clauses else _SENTENCE_END
    return [part.strip() for part in end.split(text) if part.strip()]


_REFERENCE = re.compile(r"\[\^[^\]]*\]|#\w+|https?://\S+")
_EVERYWHERE = re.compile(
    r",?\s*\b(?:on|for|across)\s+(?:nvidia\s+and\s+amd|amd\s+and\s+nvidia|(?:all|every)\s+(?:hardware|platforms?|vendors?|skus?))\b"
    r"|,?\s*\b(?:in|for|across)\s+(?:every|all|any)\s+scenarios?\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"(?:all|every)\s+(?:active\s+|remaining\s+)?(?:scenarios?|recipes?|configs?|configurations?|arms?)"
    r"|everything|(?:the\s+)?(?:whole|entire)\s+model",
    re.IGNORECASE,
)
_NOTHING = re.compile(r"[-–—]*|none|nothing|n/a|tbd", re.IGNORECASE)
_ONLY = re.compile(r"\s*(?P<names>[^()]*\S)\s+only\s*", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|~~|[^\s\w.,;:()'\"’“”/&*_-]")
_BODY_WORDS = _vocabulary(
    "a an the all any every in with of for single-turn single turn scenario scenarios recipe recipes config configs "
    "configuration configurations arm arms variant variants point points precision precisions benchmark"
)
_NOTE_WORDS = _vocabulary(
    "a an the in on by of since from after as until till through at was were is are be been being and or it this that "
    "fully now removed retired deprecated archived dropped deleted effective enacted for all models before model "
    "added never run day last pr pull request see notice deprecation below above"
)


def split_top(text: str, separators: str = r",|;|\band\b|&") -> Iterator[str]:
    """The parts between separators that stand outside parentheses."""
    depth = start = 0
    for match in re.finditer(rf"[()]|{separators}", text, re.IGNORECASE):
        if match.group() in "()":
            depth = max(0, depth + (1 if match.group() == "(" else -1))
        elif depth == 0:
            yield text[start : match.start()].strip()
            start = match.end()
    yield text[start:].strip()


def _split_notes(piece: str) -> tuple[str, str]:
    """The phrase itself, and what parentheses or a dash add to it."""
    notes: list[str] = []

    def keep(match: re.Match[str]) -> str:
        notes.append(match.group(1))
        return " "

    body = re.sub(r"\(((?:[^()]|\([^()]*\))*)\)", keep, piece)
    body, *rest = re.split(r"\s+[-–—]+\s+", body.strip(), maxsplit=1)
    return body.strip(" .:"), "; ".join(notes + rest)


def _unexplained(text: str, known: frozenset[str]) -> list[str]:
    return [word for word in _WORD.findall(text) if word.lower() not in known]


def _read_note(target: Target, note: str) -> Target:
    """The target with what its note says about time and standing."""
    for part in filter(None, (part.strip() for part in re.split(r"[,;]", _DATE_COMMA.sub(r"\1 \2", note)))):
        if (only := _ONLY.fullmatch(part)) and not scenarios(part) and not precisions(part):
            target = replace(target, names=target.names + _names(only["names"]))
            continue
        rest = _PENDING.sub(" ", _DAY_ZERO.sub(" ", without_dates(part)))
        if left := _unexplained(rest, _NOTE_WORDS):
            raise NotUnderstood(f"what “{' '.join(left)}” means for it")
        target = replace(
            target,
            effective=target.effective or effective_date(part),
            pending=target.pending or is_pending(part),
            day_zero=target.day_zero or bool(_DAY_ZERO.search(part)),
        )
    return target


_DATE_COMMA = re.compile(rf"({_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?),\s+(\d{{4}})", re.IGNORECASE)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in re.split(r"\s*(?:/\s|,|\band\b)\s*", text) if name.strip())


def read_targets(text: str) -> tuple[Target, ...]:
    """What a phrase such as "Single-turn 1k1k, all bf16 recipes (removed 2026-08-04)" retires.

    Commas part targets, except before a qualifier ("Agentic coding, non-MTP"). What is merely "not required" is
    not retired. Raises `NotUnderstood`.
    """
    if len(text) > _LONGEST:
        raise NotUnderstood("what so long a text retires")
    cleaned = _EVERYWHERE.sub(" ", _REFERENCE.sub(" ", _DATE_COMMA.sub(r"\1 \2", text)))
    targets: list[Target] = []
    for piece in split_top(cleaned):
        body, note = _split_notes(piece)
        if permits(f"{body} {note}"):
            continue
        if _NOTHING.fullmatch(body) and not note:
            continue
        _add_piece(targets, body, note)
    return tuple(targets)


def _add_piece(targets: list[Target], body: str, note: str) -> None:
    named, kinds, non_spec = scenarios(body), precisions(body), bool(_NON_SPEC.search(body))
    if _WHOLE.fullmatch(body):
        targets.append(_read_note(Target(), note))
        return
    if not (named or kinds or non_spec):
        if len(targets) != 1:
            raise NotUnderstood(f"“{body or note}” is no scenario, precision or arm that is known")
        targets[0] = _read_note(_read_note(targets[0], body), note)
        return
    rest = _PRECISION.sub(" ", _NON_SPEC.sub(" ", _SCENARIO.sub(" ", body)))
    if left := _unexplained(rest, _BODY_WORDS):
        raise NotUnderstood(f"what “{' '.join(left)}” means for it")
    if non_spec and not named:
        if len(targets) != 1 or kinds:
            raise NotUnderstood(f"which scenario “{body}” belongs to")
        targets[0] = _read_note(replace(targets[0], non_spec_decode=True), note)
        return
    if kinds and not named and targets and not rest.split():
        raise NotUnderstood(f"whether “{body}” limits what stands before it")
    targets.extend(_read_note(Target(scenario, kinds, non_spec), note) for scenario in named or (ANY,))
