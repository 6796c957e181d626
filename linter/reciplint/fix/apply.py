"""Apply the operations of fixes to a text, one after another, each proved before the next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reciplint.fix.prove import Unproved, prove
from reciplint.yamltree.edit import DropComment, Edit, Operation, Refused, apply_edits, resolve
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.problem import Unreadable


@dataclass(frozen=True)
class Applied:
    """The text after the operations that went through, how many those were, and why others did not."""

    text: str
    done: int
    refused: tuple[str, ...]


def apply_operations(text: str, operations: Iterable[Operation]) -> Applied:
    """Carry out operations; one that is refused or that would change more than it says is left out.

    Comments are dropped from the end backwards, since they are told by their place.
    """
    done, refused = 0, []
    ordered = sorted(
        operations, key=lambda op: (-op.span.line, -op.span.column) if isinstance(op, DropComment) else (-(1 << 60), 0)
    )
    comments = [operation for operation in ordered if isinstance(operation, DropComment)]
    others = [operation for operation in ordered if not isinstance(operation, DropComment)]
    for operation in (*comments, *others):
        try:
            text = apply_one(text, operation)
            done += 1
        except (Refused, Unproved) as reason:
            refused.append(str(reason))
    return Applied(text, done, tuple(refused))


def apply_one(text: str, operation: Operation) -> str:
    """The text after one operation. Raises `Refused` or `Unproved`."""
    try:
        tree = parse_text(text)
    except Unreadable as unreadable:
        raise Refused(f"the file cannot be parsed ({unreadable.problem.kind})") from None
    edits = resolve(tree, operation)
    after = apply_edits(text, edits)
    prove(tree, after, operation)
    return after


def edits_of(text: str, operation: Operation) -> list[Edit]:
    """The proved edits of one operation on a text. Raises `Refused` or `Unproved`."""
    tree = parse_text(text)
    edits = resolve(tree, operation)
    prove(tree, apply_edits(text, edits), operation)
    return edits
