"""Harmless variations: the same YAML value written in another way, at random, to see that a rule reads values only.

`harmless(text, seed)` writes a text anew: keys in another order, other quotes, blocks as flow and flow as blocks,
another indentation, comments, mappings that repeat folded into anchors, aliases and merge keys. The text's own
comments are left out. One seed gives one text.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import yaml

from reciplint.yamltree.scalars import same_value

_STR = "tag:yaml.org,2002:str"
_MERGE = "tag:yaml.org,2002:merge"
_COMMENTS = (
    "# as agreed",
    "# see the note above",
    "# from the first sweep",
    "#",
    '# quoted: "text", [and] {brackets}',
    "# - no item: at all",
)


class _Leaf(NamedTuple):
    """A scalar: its tag, and its text as YAML spells the value."""

    tag: str
    text: str


_Node = _Leaf | dict[_Leaf, Any] | list[Any]


def harmless(text: str, seed: int) -> str:
    """Another text of the same loaded value. Raises AssertionError where it is not one, and on several documents."""
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    written = _Writer(random.Random(seed)).document(_plain(root)) if root is not None else text
    before, after = (yaml.load(item, Loader=yaml.CSafeLoader) for item in (text, written))
    assert same_value(before, after), f"seed {seed} changed the value:\n{written}"
    return written


def variations(text: str, count: int) -> Iterator[str]:
    """`count` harmless variations of a text, no two alike."""
    seen = {text}
    seed = 0
    while count:
        varied = harmless(text, seed)
        seed += 1
        assert seed < 10_000, "this text is too small to be varied so often"
        if varied not in seen:
            seen.add(varied)
            count -= 1
            yield varied


def _plain(node: yaml.Node) -> _Node:
    """A node with aliases and merge keys written out; of a key that stands twice the last value."""
    if isinstance(node, yaml.ScalarNode):
        return _Leaf(node.tag, node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    own: dict[_Leaf, Any] = {}
    merged: dict[_Leaf, Any] = {}
    for key, value in node.value:
        if key.tag == _MERGE:
            sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
            for source in reversed(sources):
                merged.update(_as_dict(_plain(source)))
        else:
            name = _plain(key)
            assert isinstance(name, _Leaf)
            own[name] = _plain(value)
    return {**merged, **own}


def _as_dict(node: _Node) -> dict[_Leaf, Any]:
    assert isinstance(node, dict)
    return node


class _Writer:
    """Writes one document. `_anchors` are the collections that carry a name so far: what comes later may refer to
    them."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._step = chance.choice((2, 2, 4))
        self._remarks = chance.choice((0.0, 0.1, 0.4))
        self._flows = chance.choice((0.0, 0.1, 0.3))
        self._names = chance.choice((0.0, 0.2, 0.6))
        self._anchors: list[tuple[str, _Node]] = []

    def document(self, root: _Node) -> str:
        if isinstance(root, _Leaf):
            return self._scalar(root) + "\n"
        if not root:
            return ("{}" if isinstance(root, dict) else "[]") + "\n"
        return "\n".join(self._block(root, 0)) + "\n"

    def _hit(self, probability: float) -> bool:
        return self._chance.random() < probability

    def _block(self, node: _Node, indent: int) -> list[str]:
        """The lines of a collection that is not empty."""
        pad = " " * indent
        lines: list[str] = []
        if isinstance(node, list):
            for item in node:
                lines += self._remark(pad)
                lines += self._child(f"{pad}-", item, indent, compact=True)
            return lines
        assert isinstance(node, dict)
        source, items = self._parts(node)
        if source:
            lines.append(f"{pad}<<: *{source}{self._trailing()}")
        for key, value in items:
            lines += self._remark(pad)
            lines += self._child(f"{pad}{self._scalar(key)}:", value, indent, compact=False)
        return lines

    def _child(self, head: str, value: _Node, indent: int, compact: bool) -> list[str]:
        """`head` (a key or a dash) and its value."""
        if isinstance(value, _Leaf):
            return self._leaf(head, value, indent)
        if alias := self._alias(value):
            return [f"{head} *{alias}{self._trailing()}"]
        if not value or self._hit(self._flows):
            return [f"{head} {self._flow(value)}{self._trailing()}"]
        anchor = self._anchor(value)
        inner = indent + self._step
        if isinstance(value, list) and not compact and self._hit(0.5):
            inner = indent  # a list may stand at the column of its key
        lines = self._block(value, inner)
        self._remember(anchor, value)
        if compact and not anchor and isinstance(value, dict) and not lines[0].lstrip().startswith("#"):
            return [head + lines[0][len(head) :], *lines[1:]]
        return [f"{head}{f' &{anchor}' if anchor else ''}{self._trailing()}", *lines]

    def _leaf(self, head: str, value: _Leaf, indent: int) -> list[str]:
        if value.tag == _STR and "\n" in value.text and self._hit(0.5):
            pad = " " * (indent + self._step)
            lines = [f"{head} |{'' if value.text.endswith(chr(10)) else '-'}"]
            lines += [pad + line if line else "" for line in value.text.removesuffix("\n").split("\n")]
            if yaml.load("- " + "\n".join(lines)[len(head) :], Loader=yaml.CSafeLoader) == [value.text]:
                return lines
        return [f"{head} {self._scalar(value)}".rstrip() + self._trailing()]

    def _flow(self, node: _Node) -> str:
        if isinstance(node, _Leaf):
            return self._scalar(node) or "null"
        if alias := self._alias(node):
            return f"*{alias} "
        anchor = self._anchor(node) if node else ""
        if isinstance(node, list):
            text = "[" + ", ".join(map(self._flow, node)) + "]"
        else:
            source, items = self._parts(node)
            parts = [f"<<: *{source} "] if source else []
            parts += [f"{self._scalar(key)}: {self._flow(value)}" for key, value in items]
            text = "{" + ", ".join(parts) + "}" if self._hit(0.5) else "{ " + ", ".join(parts) + " }"
        self._remember(anchor, node)
        return f"&{anchor} {text}" if anchor else text

    def _parts(self, node: dict[_Leaf, Any]) -> tuple[str, list[tuple[_Leaf, Any]]]:
        """The anchor that a mapping takes keys from ("" for none), and the pairs that it writes itself, shuffled."""
        items = list(node.items())
        self._chance.shuffle(items)
        for name, other in self._anchors:
            if isinstance(other, dict) and other and other.keys() <= node.keys() and self._hit(0.5):
                rest = [(key, value) for key, value in items if key not in other or other[key] != value]
                if len(rest) < len(items):
                    return name, rest
        return "", items

    def _alias(self, node: _Node) -> str:
        return next((name for name, other in self._anchors if node and other == node and self._hit(0.8)), "")

    def _anchor(self, node: _Node) -> str:
        return f"a{self._chance.getrandbits(20):05x}" if self._hit(self._names) else ""

    def _remember(self, anchor: str, node: _Node) -> None:
        """Name a collection once it is written whole: nothing inside it may refer to it."""
        if anchor:
            self._anchors.append((anchor, node))

    def _scalar(self, leaf: _Leaf) -> str:
        """A scalar that may stand in flow and in blocks alike."""
        if leaf.tag != _STR:
            return leaf.text
        spellings = [
            leaf.text,
            f"'{leaf.text.replace(chr(39), chr(39) * 2)}'",
            json.dumps(leaf.text, ensure_ascii=False),
        ]
        self._chance.shuffle(spellings)
        return next(spelling for spelling in spellings if _reads(spelling, leaf.text))

    def _remark(self, pad: str) -> list[str]:
        if not self._hit(self._remarks):
            return []
        return [pad + self._chance.choice(_COMMENTS)] if self._hit(0.8) else [""]

    def _trailing(self) -> str:
        return f"  {self._chance.choice(_COMMENTS)}" if self._hit(self._remarks) else ""


@lru_cache(maxsize=4096)
def _reads(spelling: str, value: str) -> bool:
    """Whether a spelling on one line is this text, as a value and as a key."""
    if "\n" in spelling:
        return False
    try:
        return bool(yaml.load(f"{{{spelling}: [{spelling}, 0]}}", Loader=yaml.CSafeLoader) == {value: [value, 0]})
    except yaml.YAMLError:
        return False
