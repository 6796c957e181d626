"""Entries move with all that is theirs, and nothing else does."""

from __future__ import annotations

import pytest

from reciplint.fix.apply import apply_one
from reciplint.fix.prove import Unproved
from reciplint.yamltree.edit import MoveEntry, Refused


def move(name: str, beside: str, before: bool = False) -> MoveEntry:
    return MoveEntry("", ("a", name), beside, before)


@pytest.mark.parametrize(
    ("text", "operation", "expected"),
    [
        ("a:\n  b: 1 # b\n  # c\n  c: 2 # C\nd: 3\n", move("b", "c"), "a:\n  # c\n  c: 2 # C\n  b: 1 # b\nd: 3\n"),
        (
            "a:\n  b: 1\n  # c\n  # C\n  c:\n  - 2\n    # in\n",
            move("c", "b", True),
            "a:\n  # c\n  # C\n  c:\n  - 2\n    # in\n  b: 1\n",
        ),
        ("a:\n  b: 1\n  c: 2\n  d: 3", move("d", "b"), "a:\n  b: 1\n  d: 3\n  c: 2"),
        ("a:\n  b: 1\n\n  c: 2", move("c", "b", True), "a:\n  c: 2\n  b: 1"),
        ("a:\r\n  b: 1\r\n  c: 2\r\n  d: 3", move("b", "d"), "a:\r\n  c: 2\r\n  d: 3\r\n  b: 1"),
        ("a:\n  b: |+\n    x\n\n  c: 1\n", move("b", "c"), "a:\n  c: 1\n  b: |+\n    x\n\n"),
        ("a:\n  b: 1\n\n  c: 2\n\n  d: 3\n", move("d", "b", True), "a:\n  d: 3\n  b: 1\n\n  c: 2\n\n"),
        ("a:\n  b: 1\n  c: 2\n", move("c", "b"), "a:\n  b: 1\n  c: 2\n"),
        ("a: {b: 1, c: &x 2 , d: 3}\n", move("d", "b", True), "a: {d: 3, b: 1 , c: &x 2}\n"),
        ("a: { b: 1, c: [2], d: 3 }\n", move("b", "c"), "a: { c: [2], b: 1, d: 3 }\n"),
        ("a: { b: 1, c: [2], d: 3 }\n", move("b", "d"), "a: { c: [2], d: 3, b: 1 }\n"),
    ],
)
def test_an_entry_moves(text: str, operation: MoveEntry, expected: str) -> None:
    assert apply_one(text, operation) == expected


@pytest.mark.parametrize(
    ("text", "operation", "reason"),
    [
        ("a:\n  b: 1\n  b: 2\n  c: 3\n", move("b", "c"), "b stands there twice"),
        ("a:\n  b: 1\n  c: 3\n", move("b", "d"), "d is not written there"),
        ("a: {b: 1,\n  c: 3}\n", move("b", "c"), "it lies in a flow collection over several lines"),
        ("a: &x {b: 1}\nc: *x\n", MoveEntry("", ("c", "b"), "b"), "it lies behind the alias *x"),
        ("- b: 1\n  c: 2\n", MoveEntry("", (0, "b"), "c"), "the first entry stands behind a dash"),
        ("- b: 1\n  c: 2\n", MoveEntry("", (0, "c"), "b", before=True), "the first entry stands behind a dash"),
    ],
)
def test_an_entry_is_left_where_it_is(text: str, operation: MoveEntry, reason: str) -> None:
    with pytest.raises(Refused) as caught:
        apply_one(text, operation)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    "text",
    [
        "a:\n  b: &x 1\n  c: *x\n",
        "a:\n  d: &x 1\n  b: &x 2\n  c: *x\n",
        "a:\n  d: |+\n    x\n  b: 1\n\n  c: 1\n",
    ],
)
def test_an_entry_that_means_another_thing_elsewhere_does_not_move(text: str) -> None:
    with pytest.raises(Unproved):
        apply_one(text, move("b", "c"))
