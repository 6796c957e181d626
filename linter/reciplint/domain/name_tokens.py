"""What the names of recipes and master keys say in short words: shapes, draft lengths, hardware, sequence lengths.

`disagg-gb300-2p4d-dep8-tp4-mtp3` says two prefill workers (or nodes) of eight GPUs in data and expert parallel, four
decode workers of tensor parallel 4, and three drafted tokens. A word that is not known says nothing, and a number
counts only with its letter: `c64` is a concurrency, the `4` of `-4-c1` is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

Topic = Literal[
    "workers", "shape", "draft", "sequences", "concurrency", "gpu", "precision", "serving", "lengths", "tier"
]


class Token(NamedTuple):
    """A word of a name, `text` as written in lower case. `word` is its usual spelling: `nodraft`, `mtp`, `dspark` or
    `eagle3` for drafting, `agg` or `disagg`, the GPU, the bits of a precision, `8k1k`, `low`, `mid`, `high` or `max`.
    `numbers` are prefill and decode counts (None where not said), tokens drafted, sequences or a concurrency; `sizes`
    are those of one worker. `role` is the role that the word itself names."""

    topic: Topic
    text: str
    word: str = ""
    numbers: tuple[int | None, ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()
    role: str = ""


_SIZE = r"(?:dep|tep|dcp|pcp|tp|ep|dp|pp)[0-9]{1,6}"
_WORDS = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("workers", r"(?P<prefill>[0-9]{1,6})p(?P<decode>[0-9]{1,6})d"),
        ("workers", r"(?P<prefill>[0-9]{1,6})p"),
        ("workers", r"(?P<decode>[0-9]{1,6})d"),
        ("roled", rf"(?P<role>ctx|gen)(?P<count>[0-9]{{1,6}})(?P<sizes>(?:{_SIZE})*)"),
        ("shape", rf"(?P<sizes>(?:{_SIZE})+)(?P<role>[pd]?)"),
        ("draft", r"(?P<method>mtp|dspark)(?P<tokens>[0-9]{0,6})"),
        ("draft", r"(?P<method>eagle3|nospec|stp|nomtp)"),
        ("sequences", r"maxseqs?(?P<number>[0-9]{1,6})"),
        ("concurrency", r"c(?P<number>[0-9]{1,6})"),
        ("gpu", r"(?P<word>gb200|gb300|b200|b300|h100|h200|mi300x|mi325x|mi355x)"),
        ("precision", r"(?P<kind>nvfp|mxfp|fp|bf|int)(?P<bits>4|8|16)"),
        ("serving", r"(?P<word>agg|disagg)"),
        ("lengths", r"(?P<word>[0-9]{1,6}k[0-9]{1,6}k)"),
        ("tier", r"(?P<word>low|mid|high|max)(?:lat|latency|curve|tpt|tput|throughput)"),
    )
)
_TIERS = frozenset({"low", "mid", "high", "max"})
_TIER_ENDS = frozenset({"lat", "latency", "curve", "tpt", "tput", "throughput"})
_FAMILY = {"int": "int", "bf": "bf"}
_WHOLE = frozenset({"dep", "tep", "tp"})
"""Kinds that say a worker's size: a second one in a word begins another worker, as in `dep4tp4`."""


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, known or not, in lower case."""
    return tuple(name.lower().replace("_", "-").replace("/", "-").replace(" ", "-").split("-"))


def says_more(words: Iterable[str], others: Iterable[str]) -> bool:
    """Whether the known words are others, or stand in another order, than those of another name."""
    rest = iter(others)
    return any((word in _TIERS or _read_word(word)) and word not in rest for word in words)


@lru_cache(maxsize=8192)
def read_name(name: str) -> tuple[Token, ...]:
    """The words of a name that are known, in order."""
    words = words_of(name)
    found: list[Token] = []
    for word, after in zip(words, [*words[1:], ""], strict=True):
        found.extend(_read_word(word))
        if word in _TIERS and after in _TIER_ENDS:
            found.append(Token("tier", f"{word}-{after}", word))
    return tuple(found)


@lru_cache(maxsize=4096)
def _read_word(word: str) -> tuple[Token, ...]:
    for kind, pattern in _WORDS:
        match = pattern.fullmatch(word)
        if match is not None:
            return tuple(_tokens(kind, word, match.groupdict()))
    return ()


def _tokens(kind: str, text: str, parts: dict[str, str | None]) -> list[Token]:
    word = parts.get("word") or ""
    if kind == "workers":
        return [Token("workers", text, numbers=(_number(parts.get("prefill")), _number(parts.get("decode"))))]
    if kind == "roled":
        role = "prefill" if parts["role"] == "ctx" else "decode"
        count = _number(parts["count"])
        numbers = (count, None) if role == "prefill" else (None, count)
        return [Token("workers", text, numbers=numbers), *_shapes(text, parts["sizes"] or "", role)]
    if kind == "shape":
        return _shapes(text, parts["sizes"] or "", {"p": "prefill", "d": "decode"}.get(parts["role"] or "", ""))
    if kind == "draft":
        return [_draft(text, parts["method"] or "", _number(parts.get("tokens")))]
    if kind == "precision":
        return [Token("precision", text, f"{_FAMILY.get(parts['kind'] or '', 'fp')}{parts['bits']}")]
    if kind in ("sequences", "concurrency"):
        return [Token("sequences" if kind == "sequences" else "concurrency", text, numbers=(_number(parts["number"]),))]
    topics: dict[str, Topic] = {"gpu": "gpu", "serving": "serving", "lengths": "lengths", "tier": "tier"}
    return [Token(topics[kind], text, word)]


def _draft(text: str, method: str, tokens: int | None) -> Token:
    if method in ("nospec", "stp", "nomtp") or tokens == 0:
        return Token("draft", text, "nodraft", (0,))
    return Token("draft", text, method, (tokens,))


def _shapes(text: str, sizes: str, role: str) -> list[Token]:
    workers: list[list[tuple[str, int]]] = []
    for part in re.findall(_SIZE, sizes):
        kind = part.rstrip("0123456789")
        if not workers or (kind in _WHOLE and any(other in _WHOLE for other, _ in workers[-1])):
            workers.append([])
        workers[-1].append((kind, int(part[len(kind) :])))
    return [Token("shape", text, sizes=tuple(worker), role=role) for worker in workers]


def _number(text: str | None) -> int | None:
    return int(text) if text else None
