"""Symbolic operations on a YAML text, and the one place that turns them into replaced spans.

A rule says *rename this key*; only the `edit` modules know offsets. Nothing is ever dumped: every byte outside the
replaced spans stays as it was.
"""

from __future__ import annotations

from reciplint.yamltree.edit_comments import AddComment as AddComment
from reciplint.yamltree.edit_comments import DropComment as DropComment
from reciplint.yamltree.edit_entries import DropDuplicate as DropDuplicate
from reciplint.yamltree.edit_entries import DropEntry as DropEntry
from reciplint.yamltree.edit_entries import RenameKey as RenameKey
from reciplint.yamltree.edit_habits import NewList as NewList
from reciplint.yamltree.edit_habits import NewMap as NewMap
from reciplint.yamltree.edit_habits import NewValue as NewValue
from reciplint.yamltree.edit_insert import AppendItem as AppendItem
from reciplint.yamltree.edit_insert import InsertEntry as InsertEntry
from reciplint.yamltree.edit_items import SplitItem as SplitItem
from reciplint.yamltree.edit_lines import AppendNewline as AppendNewline
from reciplint.yamltree.edit_lines import ReplaceLines
from reciplint.yamltree.edit_move import MoveEntry as MoveEntry
from reciplint.yamltree.edit_places import addressable as addressable
from reciplint.yamltree.edit_places import locate as locate
from reciplint.yamltree.edit_scalars import Quote as Quote
from reciplint.yamltree.edit_scalars import Respell as Respell
from reciplint.yamltree.edit_scalars import SetScalar as SetScalar
from reciplint.yamltree.edit_scalars import Unquote as Unquote
from reciplint.yamltree.fold_scalars import FoldScalar as FoldScalar
from reciplint.yamltree.folding import FoldMap as FoldMap
from reciplint.yamltree.replacing import Edit as Edit
from reciplint.yamltree.replacing import Path as Path
from reciplint.yamltree.replacing import Refused as Refused
from reciplint.yamltree.tree import Tree

Operation = (
    RenameKey
    | AppendNewline
    | AddComment
    | DropComment
    | DropDuplicate
    | Respell
    | SetScalar
    | Quote
    | Unquote
    | InsertEntry
    | MoveEntry
    | DropEntry
    | AppendItem
    | SplitItem
    | FoldMap
    | FoldScalar
    | ReplaceLines
)
"""Every kind there is. Each says in its own module how it is carried out and what it may leave behind."""


def resolve(tree: Tree, operation: Operation) -> list[Edit]:
    """The replaced spans that carry out an operation. Raises `Refused`."""
    return operation.edits(tree)


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
