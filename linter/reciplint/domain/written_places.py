"""Where the thing that a fault speaks of is written: aliases and merge keys are followed to their source."""

from __future__ import annotations

from reciplint.domain.faults import Fault, Path, dashed
from reciplint.yamltree.edit import addressable
from reciplint.yamltree.scalars import key_text
from reciplint.yamltree.spans import FILE_START, Span
from reciplint.yamltree.tree import Alias, Concrete, Entry, Mapping, Node, Scalar, Sequence, Tree, children, target


def span_of(tree: Tree, fault: Fault) -> Span:
    """The span of a fault: of a key, of a value, or of the key of the mapping in which something is missing."""
    entry, node = _walk(tree, fault.path)
    if node is None:
        return FILE_START
    if fault.place == "owner" or (entry is not None and not _is_compact(tree, node)):
        return _own_key(tree, entry, node)
    if fault.place == "key" and entry is not None:
        return tree.span(entry.key)
    return tree.span(node)


def scalar_path(tree: Tree | None, span: Span) -> Path | None:
    """The path by which an edit reaches the scalar at the beginning of a span; None where none stands there, and for
    one with an anchor, which other places share."""
    if tree is None or not tree.documents:
        return None
    offset = tree.lines.offset(span.line, span.column)
    path: Path = ()
    node: Node | None = tree.documents[0]
    while isinstance(node, (Mapping, Sequence)):
        inner = ((part, value) for part, _, value in children(node) if value.start <= offset < value.end)
        part, node = next(inner, ("", None))
        path = (*path, part)
    if not isinstance(node, Scalar) or node.anchor:
        return None
    return path if addressable(tree, path, node) else None


def _walk(tree: Tree, path: Path) -> tuple[Entry | None, Node | None]:
    """The node at a path with its own entry, if it is a mapping's; as far as the path leads."""
    entry: Entry | None = None
    node: Node | None = tree.documents[0] if tree.documents else None
    for part in path:
        concrete = None if node is None else target(node)
        if isinstance(concrete, Mapping) and isinstance(part, str):
            found = find_entry(concrete, part)
            if found is None:
                return entry, node
            entry, node = found, found.value
        elif isinstance(concrete, Sequence) and isinstance(part, int) and part < len(concrete.items):
            entry, node = None, concrete.items[part]
        else:
            return entry, node
    return entry, node


def find_entry(mapping: Mapping, key: str) -> Entry | None:
    """The entry of a key as loaded, in whichever case it is written."""
    found = mapping.entry(key)
    if found is not None:
        return found
    entries = list(mapping.effective().values())
    exact = next((entry for entry in entries if key_text(entry.key) == key), None)
    return exact or next((entry for entry in entries if dashed(entry.name or "") == key), None)


def _is_compact(tree: Tree, node: Node) -> bool:
    """Whether a value is short enough to mark: not empty, and no collection over several lines."""
    if isinstance(node, Alias):
        return True
    span = tree.span(node)
    return node.end > node.start and (isinstance(node, Scalar) or span.line == span.end_line)


def _own_key(tree: Tree, entry: Entry | None, node: Node) -> Span:
    if entry is not None:
        return tree.span(entry.key)
    concrete: Concrete = target(node)
    if isinstance(concrete, Mapping) and concrete.entries:
        return tree.span(concrete.entries[0].key)
    return tree.span(node)
