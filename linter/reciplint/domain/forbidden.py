"""Settings that a policy bans: an environment variable, a flag or a key, in any file that sets it.

Bans are values: those of the settings, and those that a profile ships. A ban may hold from a day on, and for some
values only; what holds on a review date is chosen before files are read, so that findings can be cached.
"""

from __future__ import annotations

import datetime
import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from reciplint.domain.reading import scalars_of
from reciplint.domain.speculation import json_object
from reciplint.repo.kinds import Kind
from reciplint.yamltree.scalars import load
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Entry, Node, Scalar, Sequence, Tree, target
from reciplint.yamltree.tree import Mapping as MappingNode

SCOPES: dict[str, frozenset[Kind]] = {
    "recipe": frozenset({Kind.RECIPE, Kind.LLMD_RECIPE, Kind.SHARED_BLOCK}),
    "master": frozenset({Kind.MASTER}),
}
"""What a ban may be limited to; without a scope it holds for all of these."""

MOST_STARS = 2
"""Of a pattern; each one more multiplies the time that a match may take."""

KINDS = frozenset().union(*SCOPES.values())


class Ban(msgspec.Struct, frozen=True):
    """A setting that is banned. `pattern` is its name, `*` and `?` standing for letters, dashes and underscores being
    one; `values` are the banned ones in lower case, all of them if empty; `beside` is the name of a key that the file
    has to have as well. `since` is the first day as ISO date, "" for always; `profile` is the one that ships the ban,
    "" for the settings."""

    pattern: str
    values: tuple[str, ...] = ()
    scope: str = ""
    beside: str = ""
    reason: str = ""
    link: str = ""
    since: str = ""
    profile: str = ""

    def is_for(self, kind: Kind, profile: str) -> bool:
        """Whether a file of this kind, in a repository of this profile, is judged by the ban."""
        return self.profile in ("", profile) and kind in SCOPES.get(self.scope, KINDS)


_ON, _OFF = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_CHECKLIST = "https://github.com/SemiAnalysisAI/InferenceX/blob/main/"

SHIPPED = (
    *(
        Ban(
            pattern=name,
            values=_ON,
            scope="recipe",
            beside="speculative*",
            reason="drafts run at the precision in which their checkpoint ships",
            link=f"{_CHECKLIST}CONTRIBUTING.md#draft-model-precision",
            since="2026-09-19",
            profile="inferencex",
        )
        for name in ("SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE", "SGLANG_GLM_NEXTN_MOE_PTPC")
    ),
    Ban(
        pattern="publish_events_and_metrics",
        values=_OFF,
        scope="recipe",
        reason="benchmarks are measured with events and metrics being published",
        link=f"{_CHECKLIST}.github/codeowner-signoff-verify-prompt.md",
        since="2026-10-01",
        profile="inferencex",
    ),
)
"""What the public checklist of a profile's own repository names, as of October 2026."""


class Setting(NamedTuple):
    """A setting as a file has it: `path` leads to its key, or to the text within which it stands; `value` is a scalar
    as written (of a list the first that is banned), "" for another collection; `loaded` is the value as a consumer sees
    it, JSON text read as the object that it is."""

    ban: Ban
    name: str
    value: str
    loaded: Any
    path: tuple[str | int, ...]
    span: Span


def bans_from_settings(items: Iterable[Mapping[str, Any]]) -> tuple[Ban, ...]:
    """Bans from items of the settings: `pattern`, `value` (one or a list), `scope`, `beside`, `reason`, `link` and
    `since`."""
    return tuple(_from_item(item) for item in items)


def in_force(bans: Iterable[Ban], day: datetime.date) -> tuple[Ban, ...]:
    """The bans that hold on a day."""
    return tuple(ban for ban in bans if ban.since <= day.isoformat())


def may_hold(bans: Iterable[Ban], text: str) -> tuple[Ban, ...]:
    """The bans whose names occur in a text at all: a quick look before anything is walked."""
    return tuple(ban for ban in bans if _fragment(ban.pattern) in text and _mention(ban.pattern).search(text))


def banned(tree: Tree, bans: Iterable[Ban]) -> Iterator[Setting]:
    """Every setting that one of the bans forbids: as a key, or within a text as `NAME=value`, as a flag, or as a key of
    JSON. What an alias repeats is told where it is written."""
    wanted = tuple(ban for ban in may_hold(bans, tree.text) if not ban.beside or _has_key(tree, ban.beside))
    if not wanted:
        return
    mentions = sorted({match.start() for ban in wanted for match in _mention(ban.pattern).finditer(tree.text)})
    for path, node in _around(tree, mentions):
        if isinstance(node, MappingNode):
            for entry in node.entries:
                yield from _in_entry(tree, wanted, path, entry)
        elif isinstance(node, Scalar):
            yield from _in_text(tree, wanted, path, node)


def _around(tree: Tree, mentions: list[int]) -> Iterator[tuple[tuple[str | int, ...], Node]]:
    """Every node that encloses one of some offsets, with its path, in source order."""
    stack: list[tuple[tuple[str | int, ...], Node]] = [((), root) for root in reversed(tree.documents) if root]
    while stack:
        path, node = stack.pop()
        following = bisect_left(mentions, node.start)
        if following == len(mentions) or mentions[following] > node.end:
            continue
        yield path, node
        if isinstance(node, MappingNode):
            stack.extend(((*path, entry.name or ""), entry.value) for entry in reversed(node.entries))
        elif isinstance(node, Sequence):
            stack.extend(((*path, index), item) for index, item in reversed(list(enumerate(node.items))))


def _has_key(tree: Tree, pattern: str) -> bool:
    return any(_name(pattern).fullmatch(name) for name in tree.key_names)


def _in_entry(tree: Tree, bans: tuple[Ban, ...], path: tuple[str | int, ...], entry: Entry) -> Iterator[Setting]:
    name, node = entry.name or "", target(entry.value)
    for ban in bans:
        loaded = load(node) if _name(ban.pattern).fullmatch(name) else None
        texts = [item.value for item in scalars_of(node)] or [""]
        text = next((text for text in texts if _is_banned(ban, text)), None)
        if loaded is not None and text is not None:  # null sets nothing
            yield Setting(ban, name, text, json_object(loaded) or loaded, (*path, name), _span(tree, entry))


def _in_text(tree: Tree, bans: tuple[Ban, ...], path: tuple[str | int, ...], node: Scalar) -> Iterator[Setting]:
    for ban in bans:
        for pattern in _inside(ban.pattern):
            for match in pattern.finditer(node.value):
                text = (match["value"] or "true").strip("\"'")
                if text != "null" and _is_banned(ban, text):
                    found = _object_at(node.value, match.start("value"))
                    loaded = text if found is None else found
                    yield Setting(ban, match["name"], text, loaded, path, tree.span(node))


def _span(tree: Tree, entry: Entry) -> Span:
    """A key with its value, or alone where the value is a collection."""
    value = entry.value
    return tree.span(entry.key) if isinstance(value, (MappingNode, Sequence)) else tree.entry_span(entry)


def _object_at(text: str, start: int) -> dict[str, Any] | None:
    """The JSON object that begins within a text, in quotes or not; None where none does."""
    begin = start + (text[start : start + 1] in ("'", '"'))
    if start < 0 or not text.startswith("{", begin):
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(text, begin)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _is_banned(ban: Ban, value: str) -> bool:
    return not ban.values or value.lower() in ban.values


def _from_item(item: Mapping[str, Any]) -> Ban:
    value = item.get("value", ())
    values = value if isinstance(value, list) else [] if value == () else [value]
    since = item.get("since") or ""
    return Ban(
        pattern=str(item["pattern"]),
        values=tuple(str(each).lower() for each in values),
        scope=str(item.get("scope") or ""),
        beside=str(item.get("beside") or ""),
        reason=" ".join(str(item["reason"]).split()),
        link=str(item.get("link") or ""),
        since=since.isoformat()[:10] if isinstance(since, datetime.date) else str(since),
    )


@lru_cache(maxsize=256)
def _fragment(pattern: str) -> str:
    """The longest part of a pattern that stands in every name as it is."""
    return max(re.split(r"[-_*?]", pattern), key=len)


@lru_cache(maxsize=256)
def _name(pattern: str) -> re.Pattern[str]:
    """The names that a pattern stands for. A star is bounded, or a hostile text could take for ever to match."""
    wild = {"*": r"[\w.-]{0,60}", "?": r"[\w.-]", "-": "[-_]", "_": "[-_]"}
    parts = (wild.get(char) or re.escape(char) for char in pattern.removeprefix("--"))
    return re.compile("".join(parts))


@lru_cache(maxsize=256)
def _mention(pattern: str) -> re.Pattern[str]:
    """A name anywhere in a text: from the beginning of a word if it begins with a star, else wherever its first letters
    stand, which is found far sooner."""
    name = _name(pattern).pattern
    return re.compile(rf"(?<!\w){name}" if pattern[0] in "*?" else name)


@lru_cache(maxsize=256)
def _inside(pattern: str) -> tuple[re.Pattern[str], ...]:
    """A name within a text, with its value: as a flag, an assignment, or a member of a JSON object."""
    name = f"(?P<name>{_name(pattern).pattern})"
    value = r"(?P<value>\"[^\"]*\"|'[^']*'|[^\s,}\]]+)"
    flag = rf"(?<![\w-])--{name}(?![\w-])(?:(?:=|\s+)(?!--){value})?"
    return tuple(map(re.compile, (flag, rf"(?<![\w-]){name}={value}", rf"\"{name}\"\s*:\s*{value}")))
