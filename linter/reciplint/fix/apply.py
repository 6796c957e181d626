"""Apply the operations of fixes to a text, one after another, each proved before the next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reciplint.fix.prove import Unproved, prove
from reciplint.yamltree.edit import Edit, Operation, Refused, apply_edits, resolve
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.problem import Unreadable


@dataclass(frozen=True)
class Applied:
    """The text after the operations that went through, how many those were, and why others did not."""

    text: str
    done: int
    refused: tuple[str, ...]


def apply_operations(text: str, operations: Iterable[Operation]) -> Applied:
    """Carry out operations in an order in which none makes another one mean something else; one that is refused or that
    would change more than it says is left out."""
    done, refused = 0, []
    for operation in in_turn(operations):
        try:
            text = apply_one(text, operation)
            done += 1
        except (Refused, Unproved) as reason:
            refused.append(str(reason))
    return Applied(text, done, tuple(refused))


def in_turn(operations: Iterable[Operation]) -> list[Operation]:
    """Operations in an order in which each still finds what it was made for."""
    return sorted(operations, key=lambda operation: operation.turn)


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
