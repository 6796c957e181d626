"""The finding of a fault that the serving catalogues tell of a document's flags or variables."""

from __future__ import annotations

from bisect import bisect_right

from reciplint.domain.document import Document
from reciplint.domain.near_names import meant
from reciplint.domain.serving.flag_checks import Fault
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Rule
from reciplint.yamltree.edit import Path, Refused, RenameKey, SetScalar, locate
from reciplint.yamltree.tree import MERGE, Mapping, Node, Scalar, Sequence, Tree, key_path, pointer


def finding_of(rule: Rule, fault: Fault, document: Document) -> Finding:
    """The finding of a fault, with the path and the fix that its place in a YAML file gives."""
    tree = document.tree if document.kind.is_yaml else None
    path = written_path(tree, fault.holder.start) if tree is not None else ()
    return rule.finding(
        fault.message,
        fault.place.span,
        path=fault.place.path,
        severity="info" if fault.is_advice else None,
        subject=(*(part for part in key_path(path) if part != MERGE), *fault.subject),  # the same once it is merged in
        pointer=pointer(path),
        related=tuple(Related(place.path, place.span, words) for place, words in fault.related),
        fix=_fix(tree, path, fault) if tree is not None else None,
        **fault.values,
    )


def written_path(tree: Tree, start: int) -> Path:
    """The path of the key or item that begins at an offset, or after the quote there; () for none."""
    node: Node | None = tree.documents[0] if tree.documents else None
    path: Path = ()
    while isinstance(node, (Mapping, Sequence)):
        part, key, value = _child_at(node, start)
        if key is None or value is None:
            return ()
        path = (*path, part)
        if key.start in (start, start - 1):
            return path
        node = value if value.start <= start < value.end else None
    return ()


def _child_at(node: Mapping | Sequence, start: int) -> tuple[str | int, Node | None, Node | None]:
    """The last key or item that begins at an offset or before: its name or number, itself, its value."""
    if isinstance(node, Mapping):
        index = bisect_right(node.entries, start, key=lambda entry: entry[0].start) - 1
        entry = node.entries[index] if index >= 0 else None
        return ("", None, None) if entry is None else (entry.name or "", entry.key, entry.value)
    index = bisect_right(node.items, start, key=lambda item: item.start) - 1
    item = node.items[index] if index >= 0 else None
    return index, item, item


def _fix(tree: Tree, path: Path, fault: Fault) -> Fix | None:
    """The key spelled anew, or the value of which the written one is a slip; None where neither is known or can be
    written."""
    if fault.rename:
        return _renamed(tree, path, fault)
    written = _at(tree, path) if fault.value and path else None
    if not isinstance(written, Scalar) or meant(written.value, [fault.value]) is None:
        return None
    return Fix(f"write {fault.value}", "unsafe", (SetScalar("", path, fault.value),))


def _renamed(tree: Tree, path: Path, fault: Fault) -> Fix | None:
    """The key spelled anew; None for a word of a list, or where the name already stands beside it."""
    holder = _at(tree, path[:-1]) if path else None
    if not isinstance(holder, Mapping) or holder.entry(fault.rename) is not None:
        return None
    title = f"rename {path[-1]} to {fault.rename}"
    return Fix(title, "safe" if fault.keeps_meaning else "unsafe", (RenameKey("", path, fault.rename),))


def _at(tree: Tree, path: Path) -> Node | None:
    """The node that an operation reaches; None where it reaches none, or one that aliases share."""
    try:
        node = locate(tree, path)
    except Refused:
        return None
    return None if isinstance(node, Scalar) and node.anchor else node
