"""A set of edits to several files that is carried out whole or refused: every operation proved, none left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

from reciplint.domain.sibling_copy import Copy
from reciplint.fix.apply import apply_operations
from reciplint.fix.prove import is_equal
from reciplint.yamltree.edit import Operation, Refused
from reciplint.yamltree.edit_blocks import entry_block
from reciplint.yamltree.edit_places import line_break, position_of
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.problem import Unreadable
from reciplint.yamltree.scalars import load, load_12
from reciplint.yamltree.tree import Mapping, Tree


class NotProposed(Exception):
    """A set of edits of which one cannot be made; the text says which and why."""


def carried_out(operations: Iterable[Operation], read: Callable[[str], bytes]) -> dict[str, bytes]:
    """The files that operations change, with their new contents; `read` gives a file as it stands. Raises
    `NotProposed`."""
    by_path: dict[str, list[Operation]] = {}
    for operation in operations:
        by_path.setdefault(operation.path, []).append(operation)
    files = {}
    for path, wanted in sorted(by_path.items()):
        before = read(path)
        applied = apply_operations(before.decode("utf-8"), wanted)
        if applied.refused:
            raise NotProposed("; ".join(f"{path}: {reason}" for reason in applied.refused.values()))
        after = applied.text.encode("utf-8")
        if after != before:
            files[path] = after
    return files


def copied_files(copy: Copy, read: Callable[[str], bytes]) -> dict[str, bytes]:
    """The master config with the copied key in it, and the recipes that are made. Raises `NotProposed`."""
    master = copied_entry(read(copy.master).decode("utf-8"), copy)
    files = {copy.master: master.encode("utf-8")}
    for recipe in copy.recipes:
        made = read(recipe.source)
        files |= {recipe.path: made, **carried_out(recipe.operations, {recipe.path: made}.__getitem__)}
    return files


def copied_entry(text: str, copy: Copy) -> str:
    """A master config with the block of a key once more behind it, under another name and with other values. Proved to
    hold all that it held, in order, and the block as it is by itself. Raises `NotProposed`."""
    tree = _parsed(text, copy.master)
    root = tree.root
    if not isinstance(root, Mapping) or root.flow or len(tree.documents) > 1:
        raise NotProposed(f"{copy.master}: it is no list of keys, one below another")
    try:
        index = position_of(root, copy.sibling)
        start, end, *_ = entry_block(tree, root, index)
    except Refused as reason:
        raise NotProposed(f"{copy.master}: {reason}") from None
    block = text[start:end] if text[start:end].endswith("\n") else f"{text[start:end]}{line_break(tree)}"
    _parsed(block, f"{copy.master}: {copy.sibling} alone")
    applied = apply_operations(block, copy.operations)
    if applied.refused:
        raise NotProposed("; ".join(f"{copy.master}: {reason}" for reason in applied.refused.values()))
    before = text[:end] if text[:end].endswith("\n") else f"{text[:end]}{line_break(tree)}"
    gap = line_break(tree) if re.search(r"\n\r?\n\Z", text[:start]) or not index else ""
    after = f"{before}{gap}{applied.text}{text[end:]}"
    _prove_copied(tree, after, applied.text, copy)
    return after


def _prove_copied(before: Tree, text: str, block: str, copy: Copy) -> None:
    after, alone = _parsed(text, copy.master), _parsed(block, copy.master)
    for view in (load, load_12):
        wanted = {}
        for name, value in view(before.root).items():
            wanted[name] = value
            if name == copy.sibling:
                wanted |= view(alone.root)
        if not is_equal(wanted, view(after.root)):
            raise NotProposed(f"{copy.master}: {copy.sibling} cannot be copied as it stands, other keys would change")
    if Counter(each.text for each in (*before.comments, *alone.comments)) != Counter(c.text for c in after.comments):
        raise NotProposed(f"{copy.master}: a comment of {copy.sibling} would be lost or changed")


def _parsed(text: str, what: str) -> Tree:
    try:
        return parse_text(text)
    except Unreadable as unreadable:
        raise NotProposed(f"{what} cannot be read ({unreadable.problem.kind})") from None
