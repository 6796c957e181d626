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

from reciplint.yamltree.light_events import (
    LightMappingEnd,
    LightMappingStart,
    LightScalar,
    LightSequenceEnd,
    LightSequenceStart,
    light_events,
)
from reciplint.yamltree.problem import DEFAULT_LIMITS, Limits, Problem, Unreadable
from reciplint.yamltree.spans import LineIndex
from reciplint.yamltree.tree import Alias, Concrete, Entry, Mapping, Node, Scalar, Sequence, Tree

_PROPERTIES = re.compile(
    r"(?:(?:&[\w-]+|!<[^>]*>|![^\s,\[\]{}]*)(?:[ \t\r\n\x85\u2028\u2029]|#[^\r\n\x85\u2028\u2029]*)*)+"
)
"""Anchor and tag of a node, in either order, with the blanks, breaks and comments up to the node itself."""

_Stack = list[tuple[Mapping | Sequence, Node | None, int, int]]
"""Open collections, each with what was open around it: the key that waits, nodes counted, deepest level."""

_STARTS: dict[type, bool] = {
    LightMappingStart: True,
    MappingStartEvent: True,
    LightSequenceStart: False,
    SequenceStartEvent: False,
}
"""Events that open a collection: whether it is a mapping."""
_ENDS = frozenset((LightMappingEnd, MappingEndEvent, LightSequenceEnd, SequenceEndEvent))

_LINE_END = re.compile(r"[\r\n\x85\u2028\u2029]|\Z")


def parse(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Tree:
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


def parse_text(text: str, limits: Limits = DEFAULT_LIMITS) -> Tree:
    """Parse a text; see `parse`."""
    shift = 1 if text.startswith("\ufeff") else 0  # libyaml skips one BOM and does not count it
    builder = _Builder(text, shift, limits)
    try:
        with _paused_gc(), light_events() as parser:
            builder.run(parser(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        offset = min(len(text), mark.index + shift) if mark is not None else 0
        problem = error.problem or "cannot be parsed"
        if "nesting depth" in problem:  # libyaml counts brackets before it gives an event
            raise builder.fault("too-deep", offset, limit=limits.depth) from None
        raise Unreadable(_syntax(text, offset, problem, error.context)) from None
    except yaml.reader.ReaderError as error:
        reason = f"character U+{_code(error):04X} is not allowed in YAML"
        raise Unreadable(_syntax(text, _reader_offset(text, error), reason, None)) from None
    return Tree(text, builder.documents, builder.scalars, builder.mapping_nodes)


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
        self.mapping_nodes: list[Mapping] = []
        self._anchors: dict[str, Concrete] = {}
        self._sizes: dict[int, tuple[int, int]] = {}
        """Nodes and levels of every anchored collection, its own aliases expanded."""

    def run(self, parser: Any) -> None:  # noqa: C901 (one loop, for speed)
        shift, scalars, limit, most = self.shift, self.scalars, self.limits.depth, self.limits.expanded_nodes
        next_event = parser.get_event
        new = tuple.__new__  # what a named tuple calls, without the call of its own in between
        stack: _Stack = []
        current: Mapping | Sequence | None = None
        key: Node | None = None
        weight = deepest = 0
        root: Node | None = None
        node: Node
        while (event := next_event()) is not None:
            kind = type(event)
            if kind is LightScalar or kind is ScalarEvent:
                style, tag, anchor = event.style or "", event.tag, event.anchor
                start, end = event.start_mark.index + shift, event.end_mark.index + shift
                node = Scalar(start, end, event.value, style, tag, anchor)
                if anchor or tag or style == "|" or style == ">":
                    self._finish(node)
                scalars.append(node)
                weight += 1
            elif kind in _STARTS:
                opened = self._open(event, _STARTS[kind])
                stack.append((opened, key, weight, deepest))
                current, key, weight, deepest = opened, None, 1, len(stack)
                if deepest > limit:
                    raise self.fault("too-deep", opened.start, limit=limit)
                continue
            elif kind in _ENDS:
                assert current is not None
                if current.flow:
                    current.end = event.end_mark.index + shift
                else:
                    _close_block(current)
                node = current
                _, key, outer, outer_deepest = stack.pop()
                if node.anchor:
                    self._sizes[id(node)] = weight, deepest - len(stack)
                weight += outer
                deepest = max(deepest, outer_deepest)
                current = stack[-1][0] if stack else None
            elif kind is AliasEvent:
                node, cost, depth = self._alias(event, stack)
                weight += cost
                deepest = max(deepest, len(stack) + depth)
                if deepest > limit:
                    raise self.fault("too-deep", node.start, limit=limit)
            elif kind is DocumentStartEvent:
                self._anchors, root, weight, deepest = {}, None, 0, 0
                continue
            elif kind is DocumentEndEvent:
                empty = isinstance(root, Scalar) and root.start == root.end and root.tag is None
                self.documents.append(None if empty else root)
                continue
            else:
                continue
            if weight > most:
                raise self.fault("alias-expansion", node.start, limit=most)
            if current is None:
                root = node
            elif type(current) is Sequence:
                current.items.append(node)
            elif key is None:
                key = node
            else:
                entry = new(Entry, (key, node))
                current.entries.append(entry)  # type: ignore[union-attr]
                if type(key) is Alias:
                    key = key.target
                if type(key) is Scalar:
                    current.named[key.value] = entry  # type: ignore[union-attr]
                key = None

    def _finish(self, scalar: Scalar) -> None:
        """Take properties and what follows a block from the span that libyaml gives a scalar, and note its anchor."""
        if scalar.anchor or scalar.tag:
            scalar.start = self._after_properties(scalar.start, scalar.end)
        if scalar.style and scalar.style in "|>":
            scalar.end = self._block_end(scalar.start, scalar.end)
        if scalar.anchor:
            self._anchors[scalar.anchor] = scalar

    def _block_end(self, start: int, end: int) -> int:
        """The end of the last line that is not blank: libyaml's own mark is where the next token may begin."""
        last = start + len(self.text[start:end].rstrip(" \t\r\n\x85\u2028\u2029"))
        match = _LINE_END.search(self.text, last)
        return min(end, match.start()) if match else end

    def _open(self, event: Any, mapping: bool) -> Mapping | Sequence:
        start = event.start_mark.index + self.shift
        if event.anchor or event.tag:
            start = self._after_properties(start, len(self.text))
        opened: Mapping | Sequence
        if mapping:
            opened = Mapping(start, bool(event.flow_style), event.tag, event.anchor)
            self.mapping_nodes.append(opened)
        else:
            opened = Sequence(start, bool(event.flow_style), event.tag, event.anchor)
        if event.anchor:
            self._anchors[event.anchor] = opened
        return opened

    def _after_properties(self, start: int, end: int) -> int:
        match = _PROPERTIES.match(self.text, start)
        return min(match.end(), end) if match else start

    def _alias(self, event: Any, stack: _Stack) -> tuple[Alias, int, int]:
        start = event.start_mark.index + self.shift
        node = self._anchors.get(event.anchor)
        if node is None:
            raise self.fault("unknown-alias", start, name=event.anchor)
        if any(node is opened for opened, *_ in stack):
            raise self.fault("alias-cycle", start, name=event.anchor)
        alias = Alias(start, event.end_mark.index + self.shift, event.anchor, node)
        return alias, *self._sizes.get(id(node), (1, 0))

    def fault(self, kind: str, offset: int, **arguments: str | int) -> Unreadable:
        """A problem at an offset, to be raised."""
        return Unreadable(Problem(kind, LineIndex(self.text).span(offset, offset), dict(arguments)))


def _close_block(node: Mapping | Sequence) -> None:
    """A block collection's own marks run on to the next token: it begins and ends with its children."""
    if type(node) is Mapping and node.entries:
        node.start = node.entries[0][0].start
        key, value = node.entries[-1]
        node.end = max(key.end, value.end)
    elif type(node) is Sequence and node.items:
        node.end = node.items[-1].end  # `start` stays at the first dash
    else:
        node.end = node.start
