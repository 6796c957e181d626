"""What an operation points at: the node at a path, the mapping or list around it, and whether it can be written to."""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.yamltree.replacing import Edit, Path, Reach, Refused
from reciplint.yamltree.tree import Alias, Mapping, Node, Scalar, Sequence, Tree, children, target


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


def paths_to(tree: Tree, wanted: Node) -> Iterator[Path]:
    """Every path of the first document that leads to a node, through aliases too; merge keys are keys as written."""
    stack: list[tuple[Path, Node]] = [((), tree.documents[0])] if tree.documents and tree.documents[0] else []
    while stack:
        path, node = stack.pop()
        reached = target(node)
        if reached is wanted:
            yield path
        elif not isinstance(reached, Scalar):
            stack.extend(((*path, part), value) for part, _, value in children(reached))


def parent_of(tree: Tree, path: Path) -> tuple[Mapping, str]:
    """The mapping around the key at the end of a path, and that key's name. Raises `Refused`."""
    if not path or not isinstance(path[-1], str):
        raise Refused("it is not a key")
    parent = locate(tree, path[:-1])
    if not isinstance(parent, Mapping):
        raise Refused(f"it lies behind the alias *{parent.name}" if isinstance(parent, Alias) else "no mapping there")
    return parent, path[-1]


def position_of(parent: Mapping, name: str) -> int:
    """The number of the entry that a key names: its last occurrence. Raises `Refused`."""
    index = next((i for i in reversed(range(len(parent.entries))) if parent.entries[i].name == name), None)
    if index is None:
        raise Refused(f"{name} is not written there")
    return index


def one_document(tree: Tree) -> None:
    """Raise `Refused` where a file holds several documents, whose ends nothing may come upon."""
    if len(tree.documents) > 1:
        raise Refused("the file holds several documents")


def line_of(tree: Tree, path: Path) -> int:
    """The line on which an entry or item begins. Raises `Refused`."""
    node = locate(tree, path)
    if path and isinstance(path[-1], str):
        parent, name = parent_of(tree, path)
        node = next(entry.key for entry in reversed(parent.entries) if entry.name == name)
    return tree.lines.span(node.start, node.start).line


def writable(tree: Tree, path: Path) -> Scalar:
    """The scalar at a path that may be written anew. Raises `Refused`."""
    node = locate(tree, path)
    if isinstance(node, Alias):
        raise Refused(f"it is written as the alias *{node.name}")
    if not isinstance(node, Scalar) or node.style in ("|", ">") or node.start == node.end:
        raise Refused("it is no scalar that can be written anew")
    if node.tag is not None:
        raise Refused(f"it carries the tag {node.tag}")
    return node


def in_flow(tree: Tree, path: Path) -> bool:
    """Whether what stands at a path stands in a flow collection."""
    return any(getattr(locate(tree, path[:depth]), "flow", False) for depth in range(len(path)))


def ends_at(tree: Tree, path: Path) -> tuple[int, int]:
    """Begin and end of the node at a path. Raises `Refused`."""
    node = locate(tree, path)
    return node.start, node.end


def extent(collection: Mapping | Sequence, first: int, last: int) -> tuple[int, int]:
    """Begin and end of what stands in a collection between two of its numbers, which may lie outside."""
    if isinstance(collection, Mapping):
        ends = [(entry.key.start, max(entry.key.end, entry.value.end)) for entry in collection.entries]
    else:
        ends = [(item.start, item.end) for item in collection.items]
    inside = ends[max(first, 0) : last + 1]
    return (inside[0][0], inside[-1][1]) if inside else (collection.start, collection.end)


def lines_of(tree: Tree, start: int, end: int) -> Reach:
    """The lines between two offsets."""
    span = tree.lines.span(start, end)
    return Reach(span.line, span.end_line)


def lines_around(tree: Tree, start: int, end: int) -> Reach:
    """The lines between two offsets, with the blank ones and the comments around them."""
    first, last = lines_of(tree, start, end)
    while first > 1 and _is_aside(tree, first - 1):
        first -= 1
    while last < len(tree.lines.starts) and _is_aside(tree, last + 1):
        last += 1
    return Reach(first, last)


def _is_aside(tree: Tree, line: int) -> bool:
    written = tree.lines.line_text(line).strip("\ufeff \t")
    return not written or written.startswith("#")


def line_break(tree: Tree) -> str:
    """The line break that the file uses."""
    return "\r\n" if "\r\n" in tree.text else "\n"


def whole_lines(tree: Tree, start: int, end: int, mark: str = "") -> Edit:
    """Removes the lines of what stands between two offsets, behind `mark` alone. Raises `Refused` where something else
    or a comment stands on them."""
    line_start = tree.text.rfind("\n", 0, start) + 1
    line_end = tree.text.find("\n", end)
    line_end = len(tree.text) if line_end < 0 else line_end + 1
    commented = any(line_start <= comment.start < line_end for comment in tree.comments)
    if tree.text[line_start:start].strip() != mark or tree.text[end:line_end].strip() or commented:
        raise Refused("something else stands on its line")
    return Edit(line_start, line_end, "")
