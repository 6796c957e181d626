"""Symbolic operations on a YAML text, and the one place that turns them into replaced spans.

A rule says *rename this key*; only this module knows offsets. Nothing is ever dumped: every byte outside the
replaced spans stays as it was.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from reciplint.yamltree.scalars import scalar_value
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Alias, Mapping, Node, Scalar, Sequence, Tree, target

Path = tuple[str | int, ...]


class RenameKey(msgspec.Struct, frozen=True, tag="rename-key"):
    """Spell a key anew: the key at the end of `pointer`, its last occurrence if it stands there twice."""

    path: str
    pointer: Path
    new: str


class AppendNewline(msgspec.Struct, frozen=True, tag="append-newline"):
    """End the file with a line break of the kind that the file uses."""

    path: str


class DropComment(msgspec.Struct, frozen=True, tag="drop-comment"):
    """Remove a comment: its whole line if nothing else stands there. `replacement` keeps a part of it."""

    path: str
    span: Span
    replacement: str = ""


class DropDuplicate(msgspec.Struct, frozen=True, tag="drop-duplicate"):
    """Remove every occurrence of the key at the end of `pointer` but the last, which is the one that counts."""

    path: str
    pointer: Path


class Respell(msgspec.Struct, frozen=True, tag="respell"):
    """Write a plain scalar in another form (quoted, or its value spelled plainly)."""

    path: str
    pointer: Path
    text: str


Operation = RenameKey | AppendNewline | DropComment | DropDuplicate | Respell


class Edit(NamedTuple):
    """Replace the text between two offsets in code points."""

    start: int
    end: int
    replacement: str


class Refused(Exception):
    """An operation that cannot be carried out safely; the text says why."""


def resolve(tree: Tree, operation: Operation) -> list[Edit]:
    """The replaced spans that carry out an operation. Raises `Refused`."""
    if isinstance(operation, RenameKey):
        return [_rename(tree, operation)]
    if isinstance(operation, AppendNewline):
        return [] if tree.text.endswith("\n") or not tree.text else [_newline(tree)]
    if isinstance(operation, DropComment):
        return [_drop_comment(tree, operation)]
    if isinstance(operation, DropDuplicate):
        return _drop_duplicates(tree, operation)
    return [_respell(tree, operation)]


def apply_edits(text: str, edits: list[Edit]) -> str:
    """The text with every span replaced. Raises `Refused` if two overlap."""
    result = text
    following = len(text) + 1
    for edit in sorted(edits, reverse=True):
        if edit.end > following or (edit.end == following and edit.start == following):
            raise Refused("two edits touch the same text")
        result = result[: edit.start] + edit.replacement + result[edit.end :]
        following = edit.start
    return result


def locate(tree: Tree, path: Path) -> Node:
    """The node at a path of the first document, entering no alias and no merge key. Raises `Refused`."""
    node: Node | None = tree.documents[0] if tree.documents else None
    if node is None:
        raise Refused("the document is empty")
    for part in path:
        if isinstance(node, Alias):
            raise Refused(f"it lies behind the alias *{node.name}")
        if isinstance(node, Mapping) and isinstance(part, str):
            node = next((entry.value for entry in reversed(node.entries) if entry.name == part), None)
        elif isinstance(node, Sequence) and isinstance(part, int) and part < len(node.items):
            node = node.items[part]
        else:
            node = None
        if node is None:
            raise Refused(f"nothing stands at {'/'.join(map(str, path))}")
    return node


def addressable(tree: Tree, path: Path, node: Node) -> bool:
    """Whether an operation on that path reaches exactly that node (and not, say, the same path of a later document)."""
    try:
        return locate(tree, path) is node
    except Refused:
        return False


def _parent(tree: Tree, path: Path) -> tuple[Mapping, str]:
    if not path or not isinstance(path[-1], str):
        raise Refused("it is not a key")
    parent = locate(tree, path[:-1])
    if not isinstance(parent, Mapping):
        raise Refused(f"it lies behind the alias *{parent.name}" if isinstance(parent, Alias) else "no mapping there")
    return parent, path[-1]


_PLAIN_KEY = re.compile(r"[A-Za-z_][\w.-]*\Z", re.ASCII)


def _rename(tree: Tree, operation: RenameKey) -> Edit:
    parent, old = _parent(tree, operation.pointer)
    if any(entry.name == operation.new for entry in parent.entries):
        raise Refused(f"{operation.new} already stands in the same mapping")
    key = next((entry.key for entry in reversed(parent.entries) if entry.name == old), None)
    if not isinstance(key, Scalar) or key.style not in ("", "'", '"'):
        raise Refused(f"{old} is not written as a plain key")
    if not _PLAIN_KEY.match(operation.new):
        raise Refused(f"{operation.new} would need quotes")
    return Edit(key.start, key.end, f"{key.style}{operation.new}{key.style}")


def _newline(tree: Tree) -> Edit:
    end = len(tree.text)
    return Edit(end, end, "\r\n" if "\r\n" in tree.text else "\n")


def _drop_comment(tree: Tree, operation: DropComment) -> Edit:
    start = tree.lines.offset(operation.span.line, operation.span.column)
    comment = next((comment for comment in tree.comments if comment.start == start), None)
    if comment is None:
        raise Refused("no comment stands there")
    if operation.replacement:
        return Edit(comment.start, comment.end, operation.replacement)
    line_start = tree.text.rfind("\n", 0, comment.start) + 1
    if comment.own_line:
        line_end = tree.text.find("\n", comment.end)
        line_start += tree.text.startswith("\ufeff", line_start)
        return Edit(line_start, len(tree.text) if line_end < 0 else line_end + 1, "")
    return Edit(line_start + len(tree.text[line_start : comment.start].rstrip()), comment.end, "")


def _drop_duplicates(tree: Tree, operation: DropDuplicate) -> list[Edit]:
    parent, name = _parent(tree, operation.pointer)
    entries = [entry for entry in parent.entries if entry.name == name and not entry.is_merge]
    if len(entries) < 2:
        raise Refused(f"{name} stands there once")
    if parent.flow:
        raise Refused("a flow mapping is edited by hand")
    if len({type(scalar_value(key)) for entry in entries if isinstance(key := target(entry.key), Scalar)}) > 1:
        raise Refused(f"{name} is text once and a value another time")
    edits = []
    for entry in entries[:-1]:
        if isinstance(entry.value, (Mapping, Sequence)) or getattr(entry.value, "anchor", None):
            raise Refused(f"the first {name} is a collection or holds an anchor")
        line_start = tree.text.rfind("\n", 0, entry.key.start) + 1
        line_end = tree.text.find("\n", entry.value.end)
        line_end = len(tree.text) if line_end < 0 else line_end + 1
        rest = tree.text[entry.value.end : line_end].strip()
        commented = any(line_start <= comment.start < line_end for comment in tree.comments)
        if tree.text[line_start : entry.key.start].strip() or rest or commented:
            raise Refused("something else stands on its line")
        edits.append(Edit(line_start, line_end, ""))
    return edits


def _respell(tree: Tree, operation: Respell) -> Edit:
    node = locate(tree, operation.pointer)
    if not isinstance(node, Scalar) or node.style or node.start == node.end:
        raise Refused("it is not a plain scalar")
    return Edit(node.start, node.end, operation.text)
