"""The proof of an edit: what it lets through and what it refuses."""

from __future__ import annotations

import pytest

from reciplint.fix.apply import apply_operations
from reciplint.fix.prove import Unproved, prove
from reciplint.yamltree.edit import (
    AddComment,
    AppendItem,
    AppendNewline,
    DropComment,
    DropDuplicate,
    DropEntry,
    Edit,
    InsertEntry,
    MoveEntry,
    Operation,
    Quote,
    RenameKey,
    Respell,
    SetScalar,
    SplitItem,
)
from reciplint.yamltree.edit_lines import ReplaceLines
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Tree

RENAME = RenameKey("", ("flags", "max_len"), "max-len")


@pytest.mark.parametrize(
    ("before", "after", "operation"),
    [
        ("flags:\n  max_len: 8 # why\n", "flags:\n  max-len: 8 # why\n", RENAME),
        ("a: [{x_y: 1}, {x_y: 1}]\n", "a: [{x_y: 1}, {x-y: 1}]\n", RenameKey("", ("a", 1, "x_y"), "x-y")),
        ("a: 1", "a: 1\n", AppendNewline("")),
        ("a: |\n  x", "a: |\n  x\n", AppendNewline("")),
        ("a:\n- {b: 1}\n- >\n  x", "a:\n- {b: 1}\n- >\n  x\n", AppendNewline("")),
        ("a: 1\na: 1\n", "a: 1\n", DropDuplicate("", ("a",))),
        ("a: 010\n", "a: 8\n", Respell("", ("a",), "8")),
        ("a: 1e3\n", 'a: "1e3"\n', Respell("", ("a",), '"1e3"')),
        ("a: true\n", 'a: "true"\n', Respell("", ("a",), '"true"')),
        ("a: &x 010\nb: [*x]\n", "a: &x 8\nb: [*x]\n", Respell("", ("a",), "8")),
        ("a: &x {c: 010}\nb: {<<: *x}\n", "a: &x {c: 8}\nb: {<<: *x}\n", Respell("", ("a", "c"), "8")),
        ("a: 1 # x\n", "a: 1\n", DropComment("", Span(1, 6, 1, 9))),
        ("a: 1 # x, y\n", "a: 1 # y\n", DropComment("", Span(1, 6, 1, 12), "# y")),
        ("a: .nan\nb_c: 1\n", "a: .nan\nb-c: 1\n", RenameKey("", ("b_c",), "b-c")),
        ("a: {b: x}\n", "a: {b: y}\n", SetScalar("", ("a", "b"), "y")),
        ("a: ['1']\n", "a: [2]\n", SetScalar("", ("a", 0), 2)),
        ("a: [{b: 1, c: 2}]\n", "a: [{c: 2}]\n", DropEntry("", ("a", 0, "b"))),
        ("a: [z, x y]\n", "a: [z, x, y]\n", SplitItem("", ("a", 1), ("x", "y"))),
    ],
)
def test_what_an_operation_says_is_let_through(before: str, after: str, operation: Operation) -> None:
    prove(parse_text(before), after, operation)


@pytest.mark.parametrize(
    ("before", "after", "operation", "reason"),
    [
        ("flags:\n  max_len: 8\n", "flags:\n  max-len: 9\n", RENAME, "the loaded value would change elsewhere"),
        ("flags:\n  max_len: 8\n", "flags:\n  max-len: '8'\n", RENAME, "the loaded value would change elsewhere"),
        ("flags:\n  max_len: 8\n", "flags: {max-len: 8\n", RENAME, "the result would not parse (syntax)"),
        ("flags:\n  max_len: 8\nb: 1\n", "b: 1\nflags:\n  max-len: 8\n", RENAME, "the loaded value would change"),
        ("flags: {max_len: 8} # why\n", "flags: {max-len: 8}\n", RENAME, "a comment would be lost or changed"),
        ("flags: {max_len: 8}\n", "flags: {max-len: 8}\n---\n", RENAME, "the number of documents would change"),
        ("a: 010\n", "a: 9\n", Respell("", ("a",), "9"), "the loaded value would change elsewhere"),
        ("a: 1\nb: 2\n", "a: '1'\nb: '2'\n", Respell("", ("a",), "'1'"), "the loaded value would change elsewhere"),
        ("a: |+\n  x\nb: 1", "a: |+\n  x\n\nb: 1\n", AppendNewline(""), "the loaded value would change elsewhere"),
        ("a: 1\na: 2\n", "a: 1\n", DropDuplicate("", ("a",)), "the loaded value would change elsewhere"),
        ("a: 1 # x\nb: 1 # x\n", "a: 1\nb: 1\n", DropComment("", Span(1, 6, 1, 9)), "a comment would be lost"),
        # alike to PyYAML, but not to a reader of YAML 1.2
        ("a: 010\nb_c: 1\n", "a: 8\nb-c: 1\n", RenameKey("", ("b_c",), "b-c"), "the loaded value would change"),
        ("a: x\n", "a: 2\n", SetScalar("", ("a",), "2"), "the loaded value would change elsewhere"),
        ("a: x\nb: x\n", "a: y\nb: y\n", SetScalar("", ("a",), "y"), "the loaded value would change elsewhere"),
        ("a: &x 1\nb: *x\n", "a: &x 2\nb: *x\n", SetScalar("", ("a",), 2), "the loaded value would change"),
        ("a: &x {c: 1}\nb: {<<: *x}\n", "a: &x {c: 2}\nb: {<<: *x}\n", SetScalar("", ("a", "c"), 2), "the loaded"),
        ("a: x\n", "a: 1e3\n", SetScalar("", ("a",), "1e3"), "the loaded value would change elsewhere"),
        ("a: &x 010\nb: *x\n", 'a: &x "010"\nb: *x\n', Respell("", ("a",), '"010"'), "the loaded value would change"),
        ("a: x # c\n", "a: y\n", SetScalar("", ("a",), "y"), "a comment would be lost or changed"),
        ("a: [z, x y]\n", "a: [z, x]\n", SplitItem("", ("a", 1), ("x", "y")), "the loaded value would change"),
        ("a: [x 1]\n", "a: [x, 1]\n", SplitItem("", ("a", 0), ("x", "1")), "the loaded value would change"),
        ("a: 1\na: 2\nb: 3\n", "a: 1\nb: 3\n", DropEntry("", ("a",)), "the loaded value would change elsewhere"),
        ("a: 1\nb: 2\nc: 3\n", "c: 3\n", DropEntry("", ("a",)), "the loaded value would change elsewhere"),
    ],
)
def test_what_it_does_not_say_is_refused(before: str, after: str, operation: Operation, reason: str) -> None:
    with pytest.raises(Unproved) as refused:
        prove(parse_text(before), after, operation)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("before", "after", "operation"),
    [
        ("a: 1 \nb_c: 1\n", "a: 1\nb-c: 1\n", RenameKey("", ("b_c",), "b-c")),
        ("b_c: 1\na:  1\n", "b-c: 1\na: 1\n", RenameKey("", ("b_c",), "b-c")),
        ("b_c: 1\na: 1\r\n", "b-c: 1\na: 1\n", RenameKey("", ("b_c",), "b-c")),
        ("b: 1\r\na: 1\n", "b: 1\na: 2\n", SetScalar("", ("a",), 2)),
        ("\ufeffb: 1\na: 1\n", "b: 1\na: 2\n", SetScalar("", ("a",), 2)),
        ("a: x\nb: x\n", "a: 'x'\nb: 'x'\n", Quote("", ("a",), "'")),
        ("b: {c:  1}\na: 1\n", "b: {c: 1}\na: 1\nn: 2\n", InsertEntry("", ("n",), 2)),
        ("- [1,2]\n- 3\n", "- [1, 2]\n- 3\n- 4\n", AppendItem("", (), 4)),
        ("z:  0\na: 1\nb: 2\nc: 3\n", "z: 0\nb: 2\na: 1\nc: 3\n", MoveEntry("", ("a",), "b")),
        ("z:  0\ny: 1\na: 1\n", "z: 0\ny: 1\n", DropEntry("", ("a",))),
        ("- z\n-   y\n- x\n", "- z\n- y\n", DropEntry("", (2,))),
        ("a:  1\nb: 1", "a: 1\nb: 1\n", AppendNewline("")),
        ("a: 1 # x\nb:  1\n", "a: 1\nb: 1\n", DropComment("", Span(1, 6, 1, 9))),
        ("a: 1\nb:  1\n", "a: 1  # x\nb: 1\n", AddComment("", ("a",), "# x")),
        ("- a\n\n- b\n-  c\n", "- a\n- b\n- c\n", ReplaceLines("", 2, 2, "\n", "")),
    ],
)
def test_lines_elsewhere_stay_byte_for_byte(before: str, after: str, operation: Operation) -> None:
    """White space alone: neither a value nor a comment tells of it."""
    with pytest.raises(Unproved, match="a line would change that has nothing to do with it"):
        prove(parse_text(before), after, operation)


class Liar(SetScalar, frozen=True, tag="liar"):
    """Says that it sets `a`, and leaves behind whatever it likes."""

    left: str = ""

    def edits(self, tree: Tree) -> list[Edit]:
        return [Edit(0, len(tree.text), self.left)]


@pytest.mark.parametrize(
    ("left", "reason"),
    [
        ("a: 2 # x\nb: 3\n", "the loaded value would change elsewhere"),
        ("a: 2 # x\n", "the loaded value would change elsewhere"),
        ("a: 1 # x\nb: 2\n", "the loaded value would change elsewhere"),
        ("a: 2 # x\nb: 2\n---\n", "the number of documents would change"),
        ("a: 2\nb: 2\n", "a comment would be lost or changed"),
        ("a: 2 # y\nb: 2\n", "a comment would be lost or changed"),
        ("a: 2 # x\nb:  2\n", "a line would change that has nothing to do with it"),
        ("a: 2 # x\nb: 2", "a line would change that has nothing to do with it"),
        ("a: 2 # x\r\nb: 2\r\n", "a line would change that has nothing to do with it"),
        ("a: [", "the result would not parse (syntax)"),
        ("", "the number of documents would change"),
    ],
)
def test_a_kind_that_lies_about_its_edit_changes_nothing(left: str, reason: str) -> None:
    text = "a: 1 # x\nb: 2\n"
    applied = apply_operations(text, [Liar("", ("a",), 2, left)])  # type: ignore[list-item]
    assert (applied.text, list(applied.refused.values())) == (text, [reason])
    honest = "a: 2 # x\nb: 2\n"
    assert apply_operations(text, [Liar("", ("a",), 2, honest)]).text == honest  # type: ignore[list-item]
