"""The tree of a YAML text: nodes with exact offsets, every duplicate key, aliases with a place of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

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
        key = self.key
        if type(key) is Alias:
            key = key.target
        return key.value if type(key) is Scalar else None

    @property
    def is_merge(self) -> bool:
        """Whether this is a merge key, `<<:` unquoted."""
        key = self.key
        return type(key) is Scalar and key.value == MERGE and not key.style


class Mapping:
    """A mapping; `entries` keeps source order and every duplicate key, `named` the last one of each text."""

    __slots__ = ("_effective", "anchor", "end", "entries", "flow", "named", "start", "tag")

    def __init__(self, start: int, flow: bool, tag: str | None, anchor: str | None) -> None:
        self.start = start
        self.end = start
        self.entries: list[Entry] = []
        self.named: dict[str, Entry] = {}
        self.flow = flow
        self.tag = tag
        self.anchor = anchor
        self._effective: dict[str, Entry] | None = None

    def entry(self, name: str) -> Entry | None:
        """The entry that PyYAML lets win: the last explicit one, else the first one merged in."""
        return self.effective().get(name)

    def get(self, name: str) -> Concrete | None:
        """The winning value of a key, aliases followed; None where there is none."""
        entry = self.entry(name)
        return None if entry is None else target(entry.value)

    @property
    def is_merging(self) -> bool:
        """Whether the mapping holds a merge key."""
        return MERGE in self.named and any(entry.is_merge for entry in self.entries)

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
        """Every key with the entry that wins, merge keys resolved: merged keys first, as PyYAML orders them.

        Computed once, after the mapping was read whole; do not change it.
        """
        if self._effective is None:
            self._effective = self._effective_merged() if self.is_merging else self.named
        return self._effective

    def _effective_merged(self) -> dict[str, Entry]:
        result: dict[str, Entry] = {}
        for source in reversed(list(self.merged())):
            result.update(source.effective())
        for entry in self.entries:
            name = entry.name
            if name is not None and not entry.is_merge:
                result[name] = entry
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

    def __init__(
        self, text: str, documents: list[Node | None], scalars: list[Scalar], mapping_nodes: list[Mapping]
    ) -> None:
        self.text = text
        self.documents = documents
        self.scalars = scalars
        self.mapping_nodes = mapping_nodes
        self._loaded: dict[Callable[[Node | None], Any], Any] = {}

    @cached_property
    def plain(self) -> Any:
        """The first document as PyYAML loads it (`scalars.load`), made once: do not change it."""
        from reciplint.yamltree.scalars import load  # which knows this module

        return self.loaded(load)

    def loaded(self, view: Callable[[Node | None], Any]) -> Any:
        """The first document as a way of loading has it, made once: do not change it."""
        if view not in self._loaded:
            self._loaded[view] = view(self.root)
        return self._loaded[view]

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

    @property
    def key_names(self) -> frozenset[str]:
        """The text of every scalar key, once."""
        return self._keys[0]

    @property
    def may_repeat_keys(self) -> bool:
        """Whether some mapping has two keys of the same text, or one that is no scalar."""
        return self._keys[1]

    @cached_property
    def _keys(self) -> tuple[frozenset[str], bool]:
        names: set[str] = set()
        may_repeat = False
        for mapping in self.mapping_nodes:
            names.update(mapping.named)
            may_repeat = may_repeat or len(mapping.named) < len(mapping.entries)
        return frozenset(names), may_repeat

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


def children(node: Mapping | Sequence) -> Iterator[tuple[str | int, Node, Node]]:
    """What stands in a collection: its name or index, its key (an item itself) and its value."""
    if isinstance(node, Mapping):
        yield from ((entry.name or "", entry.key, entry.value) for entry in node.entries)
    else:
        yield from ((index, item, item) for index, item in enumerate(node.items))


def pointer(path: tuple[str | int, ...]) -> str:
    """A path as an RFC 6901 JSON Pointer."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def key_path(path: tuple[str | int, ...]) -> tuple[str, ...]:
    """The keys of a path without list indexes: what stays the same when an item is inserted above."""
    return tuple(part for part in path if isinstance(part, str))
