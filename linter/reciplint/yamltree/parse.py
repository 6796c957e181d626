"""Text to tree through libyaml's events: one pass, no recursion, no alias ever expanded.

Events and not nodes, because composing gives an alias the position of its anchor (and is slower).
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from reciplint.yamltree.problem import Limits, Problem, Unreadable
from reciplint.yamltree.spans import LineIndex
from reciplint.yamltree.tree import Alias, Concrete, Entry, Mapping, Node, Scalar, Sequence, Tree

_PROPERTIES = re.compile(r"(?:[&!][^\s,\[\]{}]*(?:[ \t]*(?:#[^\n]*)?\r?\n?[ \t]*))+")


def parse(data: bytes, limits: Limits = Limits()) -> Tree:  # noqa: B008 (frozen)
    """Parse the bytes of a file.

    Raises `Unreadable` for bad bytes, syntax errors, files over the limits and alias cycles.
    """
    if len(data) > limits.file_bytes:
        raise Unreadable(Problem.at_start("too-large", size=len(data), limit=limits.file_bytes))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(_bad_bytes(data, error)) from None
    return parse_text(text, limits)


def parse_text(text: str, limits: Limits = Limits()) -> Tree:  # noqa: B008 (frozen)
    """Parse a text; see `parse`."""
    shift = 1 if text.startswith("\ufeff") else 0  # libyaml does not count a BOM
    body = text[shift:]
    builder = _Builder(text, shift, limits)
    try:
        with _paused_gc():
            builder.run(_parser(body))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        offset = min(len(text), mark.index + shift) if mark is not None else 0
        raise Unreadable(_syntax(text, offset, error.problem or "cannot be parsed", error.context)) from None
    except yaml.reader.ReaderError as error:
        offset = min(len(text), _reader_offset(body, error) + shift)
        raise Unreadable(_syntax(text, offset, f"character U+{_code(error):04X} is not allowed in YAML", None)) from None
    return Tree(text, builder.documents, builder.scalars)


def _parser(text: str) -> Any:
    from yaml._yaml import CParser  # type: ignore[import-not-found, unused-ignore]

    return CParser(text)


@contextmanager
def _paused_gc() -> Iterator[None]:
    """Collection doubles to triples the time of building a tree, and a tree has no garbage."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _bad_bytes(data: bytes, error: UnicodeDecodeError) -> Problem:
    before = data[: error.start].decode("utf-8")
    span = LineIndex(before).span(len(before), len(before))
    return Problem("bad-bytes", span, {"byte": f"0x{data[error.start]:02X}"})


def _syntax(text: str, offset: int, problem: str, context: str | None) -> Problem:
    reason = problem if not context else f"{problem} ({context})"
    return Problem("syntax", LineIndex(text).span(offset, offset), {"reason": " ".join(reason.split())})


def _code(error: yaml.reader.ReaderError) -> int:
    return ord(error.character) if isinstance(error.character, str) else int(error.character)


def _reader_offset(text: str, error: yaml.reader.ReaderError) -> int:
    """The code point that libyaml refused; it reports its place in encoded bytes."""
    found = text.find(chr(_code(error)))
    return found if found >= 0 else 0


class _Builder:
    """Takes events, keeps a stack of open collections, and counts depth and what aliases would expand to."""

    def __init__(self, text: str, shift: int, limits: Limits) -> None:
        self.text = text
        self.shift = shift
        self.limits = limits
        self.documents: list[Node | None] = []
        self.scalars: list[Scalar] = []
        self._anchors: dict[str, Concrete] = {}
        self._weights: dict[int, int] = {}

    def run(self, parser: Any) -> None:
        shift, scalars, limit = self.shift, self.scalars, self.limits.depth
        next_event = parser.get_event
        stack: list[tuple[Mapping | Sequence, Node | None, int]] = []
        current: Mapping | Sequence | None = None
        key: Node | None = None
        weight = 0
        root: Node | None = None
        node: Node
        while (event := next_event()) is not None:
            kind = type(event)
            if kind is ScalarEvent:
                node = self._scalar(event)
                scalars.append(node)
                weight += 1
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                opened = self._open(event, kind is MappingStartEvent)
                if len(stack) >= limit:
                    raise self._fault("too-deep", opened.start, limit=limit)
                stack.append((opened, key, weight))
                current, key, weight = opened, None, 1
                continue
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                assert current is not None
                _close(current, event.end_mark.index + shift)
                if current.anchor:
                    self._weights[id(current)] = weight
                node = current
                _, key, outer = stack.pop()
                weight += outer
                current = stack[-1][0] if stack else None
            elif kind is AliasEvent:
                node, cost = self._alias(event, stack)
                weight += cost
            elif kind is DocumentStartEvent:
                self._anchors, root, weight = {}, None, 0
                continue
            elif kind is DocumentEndEvent:
                empty = isinstance(root, Scalar) and not root.value and root.start == root.end
                self.documents.append(None if empty else root)
                continue
            else:
                continue
            if weight > self.limits.expanded_nodes:
                raise self._fault("alias-expansion", node.start, limit=self.limits.expanded_nodes)
            if current is None:
                root = node
            elif type(current) is Sequence:
                current.items.append(node)
            elif key is None:
                key = node
            else:
                current.entries.append(Entry(key, node))  # type: ignore[union-attr]
                key = None

    def _scalar(self, event: ScalarEvent) -> Scalar:
        start = event.start_mark.index + self.shift
        end = event.end_mark.index + self.shift
        style = event.style or ""
        tag = event.tag
        anchor = event.anchor
        if anchor or (tag is not None and tag != "!"):
            start = self._after_properties(start, end)
        if style and style in "|>":
            end = max(start + 1, len(self.text[start:end].rstrip()) + start)
        scalar = Scalar(start, end, event.value, style, tag, anchor)
        if anchor:
            self._anchors[anchor] = scalar
            self._weights[id(scalar)] = 1
        return scalar

    def _open(self, event: Any, mapping: bool) -> Mapping | Sequence:
        start = event.start_mark.index + self.shift
        if event.anchor or event.tag:
            start = self._after_properties(start, len(self.text))
        opened = (Mapping if mapping else Sequence)(start, bool(event.flow_style), event.tag, event.anchor)
        if event.anchor:
            self._anchors[event.anchor] = opened
        return opened

    def _after_properties(self, start: int, end: int) -> int:
        match = _PROPERTIES.match(self.text, start)
        return min(match.end(), end) if match else start

    def _alias(self, event: Any, stack: list[tuple[Mapping | Sequence, Node | None, int]]) -> tuple[Alias, int]:
        start = event.start_mark.index + self.shift
        node = self._anchors.get(event.anchor)
        if node is None:
            raise self._fault("unknown-alias", start, name=event.anchor)
        if any(node is opened for opened, _, _ in stack):
            raise self._fault("alias-cycle", start, name=event.anchor)
        return Alias(start, event.end_mark.index + self.shift, event.anchor, node), self._weights.get(id(node), 1)

    def _fault(self, name: str, offset: int, **arguments: str | int) -> Unreadable:
        return Unreadable(Problem(name, LineIndex(self.text).span(offset, offset), dict(arguments)))


def _close(node: Mapping | Sequence, mark: int) -> None:
    """A block collection's own marks run on to the next token: it begins and ends with its children."""
    if node.flow:
        node.end = mark
        return
    if isinstance(node, Mapping) and node.entries:
        node.start = node.entries[0].key.start
        last = node.entries[-1]
        node.end = max(last.key.end, last.value.end)
    elif isinstance(node, Sequence) and node.items:
        node.end = node.items[-1].end  # `start` stays at the first dash
    else:
        node.end = node.start
