"""Symbolic operations on a YAML text, and the one place that turns them into replaced spans.

A rule says *rename this key*; only this module knows offsets. Nothing is ever dumped: every byte outside the
replaced spans stays as it was.
"""

from __future__ import annotations

import re
from contextlib import suppress

import msgspec

from reciplint.yamltree.edit_comments import AddComment as AddComment
from reciplint.yamltree.edit_comments import comment_edit
from reciplint.yamltree.edit_lines import ReplaceLines, line_edit
from reciplint.yamltree.problem import Unreadable
from reciplint.yamltree.replacing import Edit as Edit
from reciplint.yamltree.replacing import Path as Path
from reciplint.yamltree.replacing import Refused as Refused
from reciplint.yamltree.scalars import scalar_value, value_11, value_12
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Alias, Mapping, Node, Scalar, Sequence, Tree, target


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


class SetScalar(msgspec.Struct, frozen=True, tag="set-scalar"):
    """Give a scalar another value. Text keeps the quotes that stand there and gets them where it needs them to stay
    text; a number or a boolean is written plainly."""

    path: str
    pointer: Path
    value: str | int | float | bool


class DropEntry(msgspec.Struct, frozen=True, tag="drop-entry"):
    """Remove a key with its value, or an item of a list; others stay beside it."""

    path: str
    pointer: Path


class SplitItem(msgspec.Struct, frozen=True, tag="split-item"):
    """Put several items of text in the place of one item of a list, each in the quotes that stand there."""

    path: str
    pointer: Path
    items: tuple[str, ...]


Operation = (
    RenameKey
    | AppendNewline
    | AddComment
    | DropComment
    | DropDuplicate
    | Respell
    | SetScalar
    | DropEntry
    | SplitItem
    | ReplaceLines
)


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
    if isinstance(operation, SetScalar):
        return [_set_scalar(tree, operation)]
    if isinstance(operation, DropEntry):
        return [_drop_entry(tree, operation)]
    if isinstance(operation, SplitItem):
        return [_split_item(tree, operation)]
    if isinstance(operation, ReplaceLines):
        return [line_edit(tree, operation)]
    if isinstance(operation, AddComment):
        line = operation.line or _line_of(tree, operation.pointer)
        return [comment_edit(tree, operation, line)]
    return [_respell(tree, operation)]


def _line_of(tree: Tree, path: Path) -> int:
    """The line on which an entry or item begins. Raises `Refused`."""
    node = locate(tree, path)
    if path and isinstance(path[-1], str):
        parent, name = _parent(tree, path)
        node = next(entry.key for entry in reversed(parent.entries) if entry.name == name)
    return tree.lines.span(node.start, node.start).line


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
        edits.append(_whole_lines(tree, entry.key.start, entry.value.end))
    return edits


def _whole_lines(tree: Tree, start: int, end: int, mark: str = "") -> Edit:
    """Removes the lines of what stands between two offsets, behind `mark` alone. Raises `Refused` where something else
    or a comment stands on them."""
    line_start = tree.text.rfind("\n", 0, start) + 1
    line_end = tree.text.find("\n", end)
    line_end = len(tree.text) if line_end < 0 else line_end + 1
    commented = any(line_start <= comment.start < line_end for comment in tree.comments)
    if tree.text[line_start:start].strip() != mark or tree.text[end:line_end].strip() or commented:
        raise Refused("something else stands on its line")
    return Edit(line_start, line_end, "")


def _drop_item(tree: Tree, path: Path) -> Edit:
    """Removes the lines of a block list's item; other items stay."""
    parent, node = locate(tree, path[:-1]), locate(tree, path)
    if not isinstance(parent, Sequence) or parent.flow or len(parent.items) == 1:
        raise Refused("it is no item that can be taken out")
    if getattr(node, "anchor", None):
        raise Refused("something else stands on its line")
    return _whole_lines(tree, node.start, node.end, mark="-")


def _drop_entry(tree: Tree, operation: DropEntry) -> Edit:
    if operation.pointer and isinstance(operation.pointer[-1], int):
        return _drop_item(tree, operation.pointer)
    parent, name = _parent(tree, operation.pointer)
    index = next((i for i in reversed(range(len(parent.entries))) if parent.entries[i].name == name), None)
    if index is None:
        raise Refused(f"{name} is not written there")
    if len(parent.entries) == 1:
        raise Refused(f"{name} is the only entry")
    entry = parent.entries[index]
    if not parent.flow:
        with suppress(Refused):
            return _whole_lines(tree, entry.key.start, entry.value.end)
    around = parent.entries[max(index - 1, 0) : index + 2]
    if any(getattr(node, "anchor", None) for beside in around for node in beside):
        raise Refused("an anchor stands there")
    if index + 1 < len(parent.entries):
        following = parent.entries[index + 1]
        return _drop_up_to(tree, entry.key.start, entry.value.end, following.key.start, following.key.start)
    before = parent.entries[index - 1]
    if not parent.flow:
        raise Refused("something else stands on its line")
    return _drop_up_to(tree, before.value.end, before.value.end, entry.key.start, entry.value.end)


def _drop_up_to(tree: Tree, start: int, gap_start: int, gap_end: int, end: int) -> Edit:
    """Removes a stretch in which the gap holds nothing but the comma and blanks between two entries."""
    if tree.text[gap_start:gap_end].strip() not in ("", ","):
        raise Refused("something else stands beside it")
    return Edit(start, end, "")


def _respell(tree: Tree, operation: Respell) -> Edit:
    node = locate(tree, operation.pointer)
    if not isinstance(node, Scalar) or node.style or node.start == node.end:
        raise Refused("it is not a plain scalar")
    return Edit(node.start, node.end, operation.text)


def _writable(tree: Tree, path: Path) -> Scalar:
    """The scalar at a path that may be written anew."""
    node = locate(tree, path)
    if isinstance(node, Alias):
        raise Refused(f"it is written as the alias *{node.name}")
    if not isinstance(node, Scalar) or node.style in ("|", ">") or node.start == node.end:
        raise Refused("it is no scalar that can be written anew")
    if node.tag is not None:
        raise Refused(f"it carries the tag {node.tag}")
    return node


_DASH = re.compile(r"[ \t]*-[ \t]+\Z")


def _split_item(tree: Tree, operation: SplitItem) -> Edit:
    node = _writable(tree, operation.pointer)
    parent = locate(tree, operation.pointer[:-1])
    if not isinstance(parent, Sequence) or node.anchor is not None:
        raise Refused("it is no item of its own")
    in_flow = _in_flow(tree, operation.pointer)
    texts = [_spell_text(item, node.style, in_flow) for item in operation.items]
    if in_flow:
        return Edit(node.start, node.end, ", ".join(texts))
    dash = tree.text[tree.text.rfind("\n", 0, node.start) + 1 : node.start]
    if not _DASH.match(dash):
        raise Refused("something else stands on its line")
    line_break = "\r\n" if "\r\n" in tree.text else "\n"
    return Edit(node.start, node.end, f"{line_break}{dash}".join(texts))


def _set_scalar(tree: Tree, operation: SetScalar) -> Edit:
    node = _writable(tree, operation.pointer)
    value = operation.value
    if not isinstance(value, str):
        return Edit(node.start, node.end, _spell_number(value))
    return Edit(node.start, node.end, _spell_text(value, node.style, _in_flow(tree, operation.pointer)))


def _in_flow(tree: Tree, path: Path) -> bool:
    return any(getattr(locate(tree, path[:depth]), "flow", False) for depth in range(len(path)))


def _spell_text(value: str, style: str, in_flow: bool) -> str:
    """A text in the quotes that stood there, or plainly where every reader then reads this very text."""
    if not value.isprintable():
        raise Refused("the new value holds a character that is written with an escape")
    if style == "'":
        return "'" + value.replace("'", "''") + "'"
    if not style and _is_plain(value, in_flow):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _is_plain(value: str, in_flow: bool) -> bool:
    from reciplint.yamltree.parse import parse_text  # brings in PyYAML, which a run from the cache can do without

    try:
        root = parse_text(f"[{value}]" if in_flow else f"- {value}").root
    except Unreadable:
        return False
    only = root.items[0] if isinstance(root, Sequence) and len(root.items) == 1 else None
    if not isinstance(only, Scalar) or only.style or only.tag is not None or only.anchor is not None:
        return False
    return bool(only.value == value == value_11(value) == value_12(value))


def _spell_number(value: float) -> str:
    """A number or boolean as PyYAML and a 1.2 reader both read it."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    if any(type(read) is not type(value) or read != value for read in (value_11(text), value_12(text))):
        raise Refused(f"{text} is not read alike by every YAML reader")
    return text
