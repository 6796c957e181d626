"""The text of one recipe file with a `base` and overrides, made of plain recipes that differ in little.

The base is the first recipe's text as it stands, moved in by two columns; an override has what differs of another one,
spelled as that one spells it. srt-slurm merges mappings, replaces lists and scalars, and deletes what is null, so a
null that only another one has cannot be said: `one_file` proves that each variant loads as its recipe did.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from reciplint.domain.near_copies import Copy, Group, in_order
from reciplint.domain.variants import expand
from reciplint.yamltree.problem import Unreadable
from reciplint.yamltree.scalars import contains_alias, key_text, same_value
from reciplint.yamltree.tree import Mapping as MappingNode
from reciplint.yamltree.tree import Node, Scalar, Tree, target
from reciplint.yamltree.tree import Sequence as SequenceNode

PREFIX = "override_"
_INDENT = "  "
_SEPARATOR = re.compile(r"([-_])")
_BREAK = re.compile("[\r\x85\u2028\u2029]")
"""What ends a line to YAML beside LF: a line after it is not moved in."""
_MARKER = re.compile(r"^(?:---|\.\.\.|%)", re.MULTILINE)


class OneFile(NamedTuple):
    """The file that stands for a group: its name, its text, the override's name by the path of each recipe, and how
    many comments of the others it does not have."""

    name: str
    text: str
    overrides: Mapping[str, str]
    lost: int


def one_file(group: Group, taken: Sequence[str]) -> OneFile | None:
    """The file for a group, whose name is none of the `taken` ones; None where one of its variants would not load as
    its recipe did."""
    copies = sorted(group.copies, key=in_order)
    named = _named([_stem(copy.path) for copy in copies])
    overrides = {copy.path: name for copy, name in zip(copies, named.overrides, strict=True)}
    first = group.first.tree
    text = base_text(first)
    if text is None:
        return None
    for copy in copies:
        lines = override_lines(first, copy.tree)
        if lines is None:
            return None
        text += "\n".join(("", f"{overrides[copy.path]}:", *lines, ""))
    if not _is_proved(text, copies, overrides):
        return None
    own = [_base_name(copy.path) for copy in copies]
    name = f"{named.shared}.yaml"
    is_free = bool(named.shared) and (name in own or name not in taken)
    return OneFile(name if is_free else _base_name(group.first.path), text, overrides, _lost(group))


def sayable(group: Group) -> Group:
    """A group without the recipes that no override of its first one can give again."""
    first = group.first
    return Group(first, tuple(copy for copy in group.others if one_file(Group(first, (copy,)), ()) is not None))


def base_text(tree: Tree) -> str | None:
    """The text of a plain recipe as a `base`; None where the marks of a document stand in it."""
    if _MARKER.search(tree.text):
        return None
    text = tree.text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n")
    return "\n".join(("base:", *(f"{_INDENT}{line}" if line else "" for line in text.split("\n")), ""))


def override_lines(base: Tree, other: Tree) -> list[str] | None:
    """What differs of another recipe, its name always, as the lines of an override's body; None where it cannot be
    written."""
    try:
        return list(_override(_Side(base, base.root), _Side(other, other.root), 1, is_top=True))
    except _Unwritable:
        return None


class _Named(NamedTuple):
    """What the names of some files have in common, and the name of each one's override."""

    shared: str
    overrides: list[str]


def _named(stems: Sequence[str]) -> _Named:
    """`override_<name>` is what tells a file from the others, in words between dashes and underscores; a number keeps
    the word before it."""
    words = [_SEPARATOR.split(stem) for stem in stems]
    start = _shared(words)
    end = _shared([each[start:][::-1] for each in words])
    shared = "".join((*words[0][:start], *words[0][len(words[0]) - end :]))
    inner = [each[start : len(each) - end] for each in words]
    if start >= 2 and any("".join(each).strip("-_").isdigit() for each in inner):
        inner = [each[start - 2 : len(each) - end] for each in words]
    told = ["".join(each).strip("-_") for each in inner]
    names = [re.sub(r"[^A-Za-z0-9_]+", "_", name) for name in (told if all(told) else stems)]
    if len(set(names)) < len(names):
        names = [f"{name}_{number}" for number, name in enumerate(names)]
    return _Named(re.sub(r"([-_])[-_]+", r"\1", shared).strip("-_"), [f"{PREFIX}{name}" for name in names])


def _shared(words: Sequence[Sequence[str]]) -> int:
    """How many words all begin with."""
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False)))


def _base_name(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(path: str) -> str:
    return _base_name(path).rpartition(".")[0]


def _is_proved(text: str, copies: Sequence[Copy], overrides: Mapping[str, str]) -> bool:
    from reciplint.yamltree.parse import parse_text  # brings in PyYAML, which a run from the cache can do without

    try:
        variants = dict(expand(parse_text(text).plain))
    except Unreadable:
        return False
    return all(same_value(variants.get(overrides[copy.path]), copy.plain) for copy in copies)


def _lost(group: Group) -> int:
    kept = {comment.text for comment in group.first.tree.comments}
    return sum(comment.text not in kept for copy in group.others for comment in copy.tree.comments)


class _Unwritable(Exception):
    """A key that is no text on one line."""


class _Side:
    """A mapping of one of two recipes: its entries by their loaded names, merge keys resolved."""

    def __init__(self, tree: Tree, node: object) -> None:
        assert isinstance(node, MappingNode)
        self.tree = tree
        self.entries = {key_text(entry.key): entry for entry in node.effective().values()}

    def key(self, name: str) -> str:
        """A key as it is written here."""
        return _on_one_line(self.tree, target(self.entries[name].key))

    def value(self, name: str) -> Node:
        """The value of a key."""
        return target(self.entries[name].value)

    def plain(self, name: str) -> Any:
        """The loaded value of a key."""
        from reciplint.yamltree.scalars import load

        return load(self.value(name))


def _override(base: _Side, other: _Side, depth: int, is_top: bool = False) -> Iterator[str]:
    """Lines that turn one mapping into another: what differs, then what is deleted."""
    for name in other.entries:
        lead = f"{_INDENT * depth}{other.key(name)}:"
        known = name in base.entries
        value = other.value(name)
        if known and same_value(base.plain(name), other.plain(name)) and not (is_top and name == "name"):
            continue
        if known and isinstance(value, MappingNode) and isinstance(base.value(name), MappingNode):
            yield lead
            yield from _override(_Side(base.tree, base.value(name)), _Side(other.tree, value), depth + 1)
        else:
            yield from _written(other.tree, value, lead, depth)
    yield from (f"{_INDENT * depth}{base.key(name)}: null" for name in base.entries if name not in other.entries)


def _written(tree: Tree, node: Node, lead: str, depth: int) -> Iterator[str]:
    """A value behind its key or dash, on the same line where it stands on one."""
    value = target(node)
    if isinstance(value, Scalar):
        yield from _scalar(tree, value, lead, depth)
        return
    source = tree.text[value.start : value.end]
    if value.flow and "\n" not in source and not contains_alias(value):
        yield f"{lead} {source}"
    elif isinstance(value, SequenceNode):
        yield f"{lead}{'' if value.items else ' []'}"
        for item in value.items:
            yield from _written(tree, item, f"{_INDENT * (depth + 1)}-", depth + 1)
    else:
        side = _Side(tree, value)
        yield f"{lead}{'' if side.entries else ' {}'}"
        for name in side.entries:
            yield from _written(tree, side.value(name), f"{_INDENT * (depth + 1)}{side.key(name)}:", depth + 1)


def _scalar(tree: Tree, scalar: Scalar, lead: str, depth: int) -> Iterator[str]:
    source = tree.text[scalar.start : scalar.end].replace("\r\n", "\n")
    header, *lines = source.rstrip("\n").split("\n")
    if scalar.style in ("|", ">"):
        header = header.split("#")[0].rstrip()
        if header in ("|", ">", "|-", ">-") and not _BREAK.search(source):
            least = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip(" ")), default=0)
            yield f"{lead} {header}"
            yield from (f"{_INDENT * (depth + 1)}{line[least:]}" if line[least:] else "" for line in lines)
            return
    elif not lines and not _BREAK.search(source):
        yield f"{lead} {source}" if source else lead
        return
    yield f"{lead} {_quoted(scalar.value)}"


def _quoted(text: str) -> str:
    """A text on one line in double quotes, what is not printable as an escape: JSON's are YAML's too."""
    written = json.dumps(text, ensure_ascii=False)
    return "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in written)


def _on_one_line(tree: Tree, key: Node) -> str:
    source = tree.text[key.start : key.end]
    if not isinstance(key, Scalar) or "\n" in source:
        raise _Unwritable
    return source
