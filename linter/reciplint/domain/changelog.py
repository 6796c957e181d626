"""The performance changelog: an append-only list whose added entries decide what is benchmarked again."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from reciplint.domain.reading import digest, items_of, scalars_of
from reciplint.yamltree.scalars import load
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Mapping, Scalar, Tree


class Located(msgspec.Struct, frozen=True, array_like=True):
    """A text with its place."""

    text: str
    span: Span


class ChangelogEntry(msgspec.Struct, frozen=True, array_like=True):
    """An entry: `keys` are exact or hold `*` wildcards; no `scenario_types` means all; `meaning` is a
    digest of its value."""

    span: Span
    keys: tuple[Located, ...]
    description: tuple[Located, ...]
    pr_link: Located | None
    scenario_types: tuple[str, ...]
    flags: dict[str, Any]
    meaning: str

    def covers(self, key: str, scenario_kind: str) -> bool:
        """Whether the entry has this key benchmarked again in scenarios of this kind."""
        if self.scenario_types and scenario_kind not in self.scenario_types:
            return False
        return any(matches(pattern.text, key) for pattern in self.keys)


class Changelog(msgspec.Struct, frozen=True, tag="changelog"):
    """The facts of a changelog."""

    entries: tuple[ChangelogEntry, ...]


def matches(pattern: str, key: str) -> bool:
    """Whether a changelog key, in which `*` stands for any text, matches a whole master key."""
    return pattern == key or ("*" in pattern and _wildcard(pattern).fullmatch(key) is not None)


@lru_cache(maxsize=1024)
def _wildcard(pattern: str) -> Any:
    import re

    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


def read_changelog(tree: Tree) -> Changelog:
    """The entries of a changelog."""
    return Changelog(tuple(_read_entry(tree, item) for item in items_of(tree.root) if isinstance(item, Mapping)))


def _read_entry(tree: Tree, node: Mapping) -> ChangelogEntry:
    def located(name: str) -> tuple[Located, ...]:
        return tuple(Located(item.value, tree.span(item)) for item in scalars_of(node.get(name)))

    link = node.get("pr-link")
    value: dict[str, Any] = load(node)
    plain = ("config-keys", "description", "pr-link", "scenario-type")
    return ChangelogEntry(
        span=tree.span(node),
        keys=located("config-keys"),
        description=located("description"),
        pr_link=Located(link.value, tree.span(link)) if isinstance(link, Scalar) else None,
        scenario_types=tuple(item.value for item in scalars_of(node.get("scenario-type"))),
        flags={name: item for name, item in value.items() if name not in plain},
        meaning=digest(value),
    )


def added_entries(base: Changelog | None, head: Changelog | None) -> list[ChangelogEntry]:
    """The entries of the head that the base lacks, however often each stands there."""
    left: dict[str, int] = {}
    for entry in base.entries if base else ():
        left[entry.meaning] = left.get(entry.meaning, 0) + 1
    added = []
    for entry in head.entries if head else ():
        if left.get(entry.meaning, 0):
            left[entry.meaning] -= 1
        else:
            added.append(entry)
    return added
