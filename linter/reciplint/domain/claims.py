"""What the text of a changelog entry claims in figures: images, settings that change, and concurrencies.

Only what is stated plainly is a claim. Text about the past, about other keys, about measurements or failures, and
numbers that may mean something else, give none: a claim that is missed costs less than one that nobody made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, Self

import msgspec

Side = Literal["base", "head"]


class _Claim(msgspec.Struct, frozen=True):
    """Where in the text a claim stands, and of which side of the change it speaks."""

    start: int
    end: int
    side: Side

    def moved(self, by: int) -> Self:
        """The same claim further into the text."""
        return msgspec.structs.replace(self, start=self.start + by, end=self.end + by)


class ImageClaim(_Claim, frozen=True):
    """An image reference, or a tag alone, that the keys run at the head (or ran at the base). Unless `is_named`, the
    text does not call it the image: it may be that of another component."""

    image: str
    is_named: bool = False


class SettingClaim(_Claim, frozen=True):
    """The value of a setting before (base) or after (head) the change; the name is in kebab case."""

    name: str
    value: str


class ConcurrencyClaim(_Claim, frozen=True):
    """Concurrencies that the keys run (at the base: ran). `sizes` and `dp_attn` narrow the rows that are meant, where
    the text says so; `is_limit` means that nothing above the one value runs."""

    values: tuple[int, ...]
    sizes: frozenset[int] = frozenset()
    dp_attn: bool = False
    is_limit: bool = False


Claim = ImageClaim | SettingClaim | ConcurrencyClaim

_SENTENCE_END = re.compile(r"[;\n]|\.(?=\s|$)|\s(?:--|—)\s")
_HEDGE = re.compile(
    r"(?i)\b(?:was|were|previous(?:ly)?|prior|earlier|before|former(?:ly)?|old|original(?:ly)?|legacy|instead|rather"
    r"|no|not|never|without|except|exclud\w*|drop\w*|remov\w*|delet\w*|skip\w*|trim\w*|prun\w*|retir\w*|cuts?|cutting"
    r"|avoid\w*|fail\w*|crash\w*|hang\w*|oom\w*|thrash\w*|overflow\w*|regress\w*|collaps\w*|measur\w*|validat\w*"
    r"|verif\w*|test\w*|tried|observ\w*|reproduc\w*|smoke|evals?|eval-\w+|evaluat\w*|gsm8k|accuracy|tok/s|ttft|tpot"
    r"|throughput|uplift|default\w*|siblings?|mirror\w*|match\w*|same|like|unlike|vs|versus|about|around|approx\w*"
    r"|roughly|if|when|unless|would|could|should|may|might|replac\w*|supersed\w*|disabl\w*|revert\w*|restor\w*"
    r"|below|above|past|beyond|until|follow\w*|based|built|contain(?:s|ed|ing)?|future|todo)\b|n't\b|[~≈<>≥≤]"
)
_COMMA = re.compile(r",\s(?!which\b|that\b)")
_ARROW = r"\s*(?:->|→|=>)\s*"


def claims(text: str) -> list[Claim]:
    """Every claim of a description item, in the order of the text."""
    found: list[Claim] = []
    for start, sentence in _sentences(text):
        found.extend(claim.moved(start) for claim in _image_claims(sentence))
        found.extend(claim.moved(start) for claim in _setting_claims(sentence))
        found.extend(claim.moved(start) for claim in _concurrency_claims(sentence))
    return sorted(found, key=lambda claim: claim.start)


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for match in _SENTENCE_END.finditer(text):
        yield start, text[start : match.start()]
        start = match.end()
    yield start, text[start:]


def _is_hedged(sentence: str, start: int, end: int) -> bool:
    """Whether doubt stands between the beginning of a sentence and the first comma after a claim, parentheses that
    the claim is not in left out."""
    comma = _COMMA.search(sentence, end)
    stop = comma.start() if comma else len(sentence)
    window = _without_parentheses(sentence[:start]) + " # " + _without_parentheses(sentence[end:stop])
    return _HEDGE.search(window) is not None


def _without_parentheses(text: str) -> str:
    return re.sub(r"\([^()]*\)", " ", text)


# Images

_REPOSITORY = r"(?<![\w/.:@-])(?:docker://)?(?:[a-z0-9][a-z0-9._-]*(?::\d+)?[/#])+[a-z0-9][a-z0-9._-]*"
_REFERENCE = rf"{_REPOSITORY}:[A-Za-z0-9_][\w.-]*[A-Za-z0-9_]"
_TAG = r"(?:v\d+\.\d[\w.-]*\w|nightly[\w.-]*\w|[a-z]+\d+\.\d+[\w.-]*|[\w.]+-[\w.-]*\d[\w.-]*\w)"
_DIGEST = r"(?:@sha256:[0-9a-f]+)?"
_IMAGE = re.compile(_REFERENCE)
_IMAGE_CHANGE = re.compile(
    rf"(?P<from>\bfrom\s+)?(?P<a>{_REFERENCE}|{_TAG}){_DIGEST}(?(from)(?:{_ARROW}|\s+to\s+)|{_ARROW})"
    rf"(?:(?:the|latest|mainline|nightly)\s+)*(?P<b>{_REFERENCE}|{_TAG})(?!{_DIGEST}{_ARROW})"
)
_IMAGE_WORD = re.compile(r"(?i)\b(?:image|container)s?\b")
_FILE = re.compile(r"\.(?:ya?ml|sh|py|json|md):")


_COMPONENT = re.compile(r"(?i)router|proxy|gateway|client|sidecar|frontend|lmcache|mooncake|etcd|nats|exporter")


def _image_claims(sentence: str) -> Iterator[ImageClaim]:
    covered: list[tuple[int, int]] = []
    for match in _IMAGE_CHANGE.finditer(sentence):
        covered.append(match.span())
        is_whole = _IMAGE.fullmatch(match["a"]) is not None or _IMAGE.fullmatch(match["b"]) is not None
        is_named = _is_named(sentence[: match.start()])
        if (is_whole or is_named) and not _is_shortened(match[0], sentence[match.end() :]):
            yield ImageClaim(match.start("a"), match.end("a"), "base", match["a"], is_named)
            yield ImageClaim(match.start("b"), match.end("b"), "head", match["b"], is_named)
    for match in _IMAGE.finditer(sentence):
        start, end = match.span()
        if any(low <= start < high for low, high in covered) or _FILE.search(match[0]):
            continue
        if _is_shortened(match[0], sentence[end:]):
            continue
        if not _is_hedged(sentence, start, end) and not _is_former(sentence[:start]):
            yield ImageClaim(start, end, "head", match[0], _is_named(sentence[:start]))


def _is_shortened(text: str, after: str) -> bool:
    """Whether dots stand for a part of an image's name that is left out."""
    return ".." in text or "…" in text or after.startswith(("..", "…"))


def _is_named(text: str) -> bool:
    """Whether a text says just at its end that an image follows, and not one of another component."""
    found = [match.end() for match in _IMAGE_WORD.finditer(text)]
    if not found or _COMPONENT.search(text):
        return False
    return "(" not in text[found[-1] :] and len(text) - found[-1] <= 40


def _is_former(text: str) -> bool:
    """Whether "from" stands before a reference with no "to" between them."""
    words = re.findall(r"(?i)\b(?:from|to)\b", text)
    return bool(words) and words[-1].lower() == "from"


# Settings

_VALUE = r"[\w][\w./+-]*(?![=:]\w)"
_SETTING_CHANGE = re.compile(
    rf"(?<![\w-])(?:--)?(?P<name>[A-Za-z][\w-]*[A-Za-z0-9])[`'\"]*(?:\s*[:=]\s*|\s+)(?P<from>from\s+)?"
    rf"[`'\"]*(?P<a>{_VALUE})[`'\"]*(?(from)(?:{_ARROW}|\s+to\s+)|{_ARROW})[`'\"]*(?P<b>{_VALUE})"
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?\Z")
_WORDY = re.compile(r"(?:true|false|[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+)\Z", re.IGNORECASE)


def _setting_claims(sentence: str) -> Iterator[SettingClaim]:
    for match in _SETTING_CHANGE.finditer(sentence):
        if re.match(_ARROW, sentence[match.end() :]) or _IMAGE_WORD.fullmatch(match["name"]):
            continue
        old, new = (match[group].rstrip(".-+/") for group in ("a", "b"))
        if not any(form.match(old) and form.match(new) for form in (_NUMBER, _WORDY)):
            continue
        name = match["name"].lower().replace("_", "-")
        yield SettingClaim(match.start("a"), match.start("a") + len(old), "base", name, old)
        yield SettingClaim(match.start("b"), match.start("b") + len(new), "head", name, new)


# Concurrencies

_ITEM = r"\d{1,5}(?:\s*(?:-|–|\.\.)\s*\d{1,5}|\s+(?:to|through)\s+\d{1,5})?"
_SEPARATOR = r"(?:\s*,\s*and\s+|\s+and\s+|\s*,\s*|\s*/\s*|\s*&\s*)"
_ITEMS = rf"{_ITEM}(?:{_SEPARATOR}{_ITEM})*"
_LIST = rf"(?:\[\s*{_ITEMS}\s*\]|\{{\s*{_ITEMS}\s*\}}|{_ITEMS})"
_FILLERS = r"(?:\s*(?:-list|lists?|sweeps?|range|points?|levels?|grid|of|at|from|in|values?|=|:))*"
_CONCURRENCY = re.compile(
    rf"(?i)(?<![\w-])conc(?:urrenc(?:y|ies))?(?!-\d|-start|-end){_FILLERS}\s*(?P<a>{_LIST})(?![\w%+*]|\.\d|-\w)"
    rf"(?:(?:{_ARROW}|\s+with\s+)(?P<b>{_LIST})(?![\w%+*]|\.\d))?"
)
_REPLACE = re.compile(r"(?i)\b(?:replac\w+|chang\w+|switch\w*|updat\w+)\b[^,()]*$")
_AFTER_LIST = re.compile(
    r"\s+(?!(?:points?|for|with|at|on|in|to|across|as|is|are|uses?|using|adds?|add|per|via|sweeps?|only|both|while|and"
    r"|all|single|each|now|under|over)\b)[A-Za-z]"
)
_SIZE = re.compile(r"(?i)(?<![a-z0-9])(?P<kind>D?T?EP|TP)(?P<size>\d{1,2})(?!\d)")
_DP_ATTN = re.compile(r"(?i)(?<![\w-])(?:dp[- ]attn|dp[- ]attention|attention[- ]dp|dpa)(?![\w-])|\bDEP\d")
_NO_DP = re.compile(r"(?i)\b(?:no|non|without|w/o|off)\b|\bdp-attn[:=]?\s*(?:false|off)")
_LIMIT = re.compile(
    r"(?i)^\s*(?:(?:extend(?:s|ed)?|run(?:s)?|the|now|search|space|goes|sweeps?|range)\s+)*"
    r"conc(?:urrency)?\s+(?:(?:sweeps?|range|now|goes|runs|points)\s+)*up\s+to\s+(?P<a>\d{1,5})\s*$"
)


def _concurrency_claims(sentence: str) -> Iterator[ConcurrencyClaim]:
    limit = _LIMIT.match(sentence)
    if limit is not None:
        yield ConcurrencyClaim(limit.start("a"), limit.end("a"), "head", (int(limit["a"]),), is_limit=True)
        return
    scope_start = 0
    for match in _CONCURRENCY.finditer(sentence):
        before = sentence[scope_start : match.start()]
        scope_start = match.end()
        after = re.split(r"[,)]", sentence[match.end() :])[0]
        sizes, dp_attn = _scope(before, after)
        if match["b"] is not None:
            if " with " in sentence[match.end("a") : match.start("b")] and not _REPLACE.search(before):
                continue
            yield from _pair(match, sizes, dp_attn)
            continue
        values = _values(match["a"])
        if not values or _is_hedged(sentence, match.start(), match.end()) or _AFTER_LIST.match(sentence, match.end()):
            continue
        if re.search(r"(?i)from\s*$", sentence[match.start() : match.start("a")]):
            values = values[-1:]  # "from 64 to 128" may be a range, or what changed
        yield ConcurrencyClaim(match.start("a"), match.end("a"), "head", values, sizes, dp_attn)


def _pair(match: re.Match[str], sizes: frozenset[int], dp_attn: bool) -> Iterator[ConcurrencyClaim]:
    old, new = _values(match["a"]), _values(match["b"])
    if old and new:
        yield ConcurrencyClaim(match.start("a"), match.end("a"), "base", old, sizes, dp_attn)
        yield ConcurrencyClaim(match.start("b"), match.end("b"), "head", new, sizes, dp_attn)


def _values(listed: str) -> tuple[int, ...]:
    """The numbers of a list, ends of ranges included; none where a comma may group digits, as in 1,024."""
    numbers = re.findall(r"\d+", listed)
    if any(number.startswith("0") for number in numbers):
        return ()
    grouped = re.fullmatch(r"(\d{1,2}),(\d{3})", listed)
    return () if grouped else tuple(map(int, numbers))


def _scope(before: str, after: str) -> tuple[frozenset[int], bool]:
    """The sizes of parallelism and whether attention runs data-parallel, if the words before a claim say so alone."""
    if _SIZE.search(after) or _DP_ATTN.search(after):
        return frozenset(), False
    found = {match[0].upper(): int(match["size"]) for match in _SIZE.finditer(before) if match["kind"].upper() != "EP"}
    is_dp = len(found) == 1 and _DP_ATTN.search(before) is not None and _NO_DP.search(before) is None
    return frozenset(found.values()), is_dp
