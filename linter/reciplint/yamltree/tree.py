"""The tree of a YAML text: nodes with exact offsets, every duplicate key, aliases with a place of their own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import msgspec

from reciplint.yamltree.comments import Comment, scan_comments
from reciplint.yamltree.spans import LineIndex, Span

MERGE = "<<"


class Scalar(msgspec.Struct, eq=False, gc=False):
    """A scalar. `style` is "" (plain), "'", '"', "|" or ">"; the span covers quotes but no anchor or tag."""

    start: int
    end: int
    value: str
    style: str
    tag: str | None
    anchor: str | None


class Entry(NamedTuple):
    """A key with its value, as written."""

    key: Node
    value: Node

    @property
    def name(self) -> str | None:
        """The key's text; None where the key is no scalar."""
        key = target(self.key)
        return key.value if isinstance(key, Scalar) else None

    @property
    def is_merge(self) -> bool:
        """Whether this is a merge key, `<<:` unquoted."""
        return isinstance(self.key, Scalar) and self.key.value == MERGE and not self.key.style


class Mapping:
    """A mapping; `entries` keeps source order and every duplicate key."""

    __slots__ = ("anchor", "end", "entries", "flow", "start", "tag")

    def __init__(self, start: int, flow: bool, tag: str | None, anchor: str | None) -> None:
        self.start = start
        self.end = start
        self.entries: list[Entry] = []
        self.flow = flow
        self.tag = tag
        self.anchor = anchor

    def entry(self, name: str) -> Entry | None:
        """The entry that PyYAML lets win: the last explicit one, else the first one merged in."""
        merges = False
        for entry in reversed(self.entries):
            if entry.is_merge:
                merges = True
            elif entry.name == name:
                return entry
        if merges:
            for source in self.merged():
                found = source.entry(name)
                if found is not None:
                    return found
        return None

    def get(self, name: str) -> Node | None:
        """The winning value of a key, aliases followed; None where there is none."""
        entry = self.entry(name)
        return None if entry is None else target(entry.value)

    def merged(self) -> Iterator[Mapping]:
        """The mappings that `<<` brings in, strongest first (PyYAML lets a later merge key win)."""
        for entry in reversed(self.entries):
            if not entry.is_merge:
                continue
            value = target(entry.value)
            candidates = [target(item) for item in value.items] if isinstance(value, Sequence) else [value]
            for candidate in candidates:
                if isinstance(candidate, Mapping):
                    yield candidate

    def effective(self) -> dict[str, Entry]:
        """Every key with the entry that wins, merge keys resolved: merged keys first, as PyYAML orders them."""
        result: dict[str, Entry] = {}
        for source in reversed(list(self.merged())):
            result.update(source.effective())
        for entry in self.entries:
            if not entry.is_merge and entry.name is not None:
                result[entry.name] = entry
        return result


class Sequence:
    """A sequence."""

    __slots__ = ("anchor", "end", "flow", "items", "start", "tag")

    def __init__(self, start: int, flow: bool, tag: str | None, anchor: str | None) -> None:
        self.start = start
        self.end = start
        self.items: list[Node] = []
        self.flow = flow
        self.tag = tag
        self.anchor = anchor


class Alias:
    """`*name`, at its own place; `target` is the anchored node (never an alias)."""

    __slots__ = ("end", "name", "start", "target")

    def __init__(self, start: int, end: int, name: str, node: Scalar | Mapping | Sequence) -> None:
        self.start = start
        self.end = end
        self.name = name
        self.target = node


Node = Scalar | Mapping | Sequence | Alias
Concrete = Scalar | Mapping | Sequence


def target(node: Node) -> Concrete:
    """The node itself, or what an alias stands for."""
    return node.target if isinstance(node, Alias) else node


class Tree:
    """A parsed text.

    `documents` are the root nodes (None for an empty document); `scalars` are the offsets of every scalar in
    source order; the text has its BOM stripped only if `bom`, in which case offset 0 is the BOM itself.
    """

    def __init__(self, text: str, documents: list[Node | None], scalars: list[Scalar]) -> None:
        self.text = text
        self.documents = documents
        self.scalars = scalars

    @property
    def root(self) -> Concrete | None:
        """The first document's root."""
        first = self.documents[0] if self.documents else None
        return None if first is None else target(first)

    @cached_property
    def lines(self) -> LineIndex:
        """The line table of the text."""
        return LineIndex(self.text)

    @cached_property
    def comments(self) -> list[Comment]:
        """Every comment in source order."""
        return scan_comments(self.text, self.scalars)

    def span(self, node: Node) -> Span:
        """Where a node stands."""
        return self.lines.span(node.start, node.end)

    def entry_span(self, entry: Entry) -> Span:
        """From the beginning of a key to the end of its value."""
        return self.lines.span(entry.key.start, max(entry.key.end, entry.value.end))

    def walk(self) -> Iterator[tuple[tuple[str | int, ...], Node]]:
        """Every node once with its path, in source order; aliases are yielded and never entered."""
        stack: list[tuple[tuple[str | int, ...], Node]] = [((), root) for root in reversed(self.documents) if root]
        while stack:
            path, node = stack.pop()
            yield path, node
            if isinstance(node, Mapping):
                stack.extend(((*path, entry.name or ""), entry.value) for entry in reversed(node.entries))
            elif isinstance(node, Sequence):
                stack.extend(((*path, index), item) for index, item in reversed(list(enumerate(node.items))))

    def mappings(self) -> Iterator[tuple[tuple[str | int, ...], Mapping]]:
        """Every mapping once with its path, in source order."""
        for path, node in self.walk():
            if isinstance(node, Mapping):
                yield path, node


def pointer(path: tuple[str | int, ...]) -> str:
    """A path as an RFC 6901 JSON Pointer."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def key_path(path: tuple[str | int, ...]) -> tuple[str, ...]:
    """The keys of a path without list indexes: what stays the same when an item is inserted above."""
    return tuple(part for part in path if isinstance(part, str))
