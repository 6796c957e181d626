"""A session of fixes: whole or not at all, gone and nothing as bad come up, or left out and said; nothing lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reciplint.fix.session import Fixed, fix_tree
from reciplint.rules.finding import Finding, Fix, Severity
from reciplint.yamltree import tree as yamltree
from reciplint.yamltree.edit import AppendNewline, DropComment, Edit, InsertEntry, Operation, RenameKey, SetScalar
from reciplint.yamltree.spans import Span

A, B = "a.yaml", "b.yaml"

Rule = Callable[[dict[str, str]], list[Finding]]


def found(
    rule: str,
    path: str,
    *operations: Operation,
    severity: Severity = "warning",
    subject: str = "it",
    is_last: bool = False,
) -> Finding:
    fix = Fix("repair", "safe", operations, is_last) if operations else None
    return Finding(rule, severity, path, Span(1, 1, 1, 2), "", "", {}, (subject,), fix=fix)


def wherever(text: str, *findings: Finding) -> Rule:
    """Finds something in every tree that holds a text somewhere."""
    return lambda files: list(findings) if any(text in written for written in files.values()) else []


class Tree:
    """Files and what is found in them; counts the lints."""

    def __init__(self, files: dict[str, str], *rules: Rule) -> None:
        self.files = files
        self.rules = rules
        self.lints = 0

    def lint(self, replaced: dict[str, bytes]) -> list[Finding]:
        self.lints += 1
        files = {**self.files, **{path: data.decode() for path, data in replaced.items()}}
        return [finding for rule in self.rules for finding in rule(files)]

    def fixed(self) -> Fixed:
        findings = self.lint({})
        self.lints = 0
        return fix_tree(findings, lambda path: self.files[path].encode(), self.lint, unsafe=False)


def test_a_fix_goes_in() -> None:
    tree = Tree({A: "x: 1\n"}, wherever("x: 1", found("one", A, SetScalar(A, ("x",), 2))))
    assert tree.fixed() == Fixed({A: b"x: 2\n"}, 1, [])
    assert tree.lints == 2, "the tree as it was, and as it is"


def test_a_rule_whose_finding_is_still_there_is_left_out_and_said() -> None:
    tree = Tree({A: "x: 1\n"}, wherever("x: ", found("liar", A, SetScalar(A, ("x",), 2))))
    assert tree.fixed() == Fixed({}, 0, ["a.yaml:1: liar: it would be found as before"])


@pytest.mark.parametrize(("severity", "is_left"), [("error", True), ("warning", True), ("info", False)])
def test_a_rule_whose_fix_brings_up_what_is_as_bad_is_left_out_and_said(severity: Severity, is_left: bool) -> None:
    tree = Tree(
        {A: "x: 1\n"},
        wherever("x: 1", found("liar", A, SetScalar(A, ("x",), 2))),
        wherever("x: 2", found("other", B, severity=severity)),
    )
    left = Fixed({}, 0, ["a.yaml:1: liar: other would come up in b.yaml"])
    assert tree.fixed() == (left if is_left else Fixed({A: b"x: 2\n"}, 1, []))


def test_a_finding_that_gets_worse_came_up() -> None:
    tree = Tree(
        {A: "x: 1\n"},
        wherever("x: 1", found("liar", A, SetScalar(A, ("x",), 2)), found("other", A, severity="info")),
        wherever("x: 2", found("other", A, severity="error")),
    )
    assert tree.fixed().refused == ["a.yaml:1: liar: other would come up in a.yaml"]


def test_a_finding_that_gets_less_bad_did_not_come_up() -> None:
    tree = Tree(
        {A: "x: 1\n"},
        wherever("x: 1", found("one", A, SetScalar(A, ("x",), 2)), found("other", A, severity="error")),
        wherever("x: 2", found("other", A, severity="warning")),
    )
    assert tree.fixed().done == 1


def test_only_the_fix_that_is_wrong_is_left_out() -> None:
    """Of three in one file and one in another; each is tried with what the others left."""
    tree = Tree(
        {A: "x: 1\ny: 1\nz: 1\n", B: "w: 1\n"},
        wherever("x: 1", found("one", A, SetScalar(A, ("x",), 2))),
        wherever("y: 1", found("liar", A, SetScalar(A, ("y",), 2))),
        wherever("z: 1", found("three", A, SetScalar(A, ("z",), 2))),
        wherever("w: 1", found("four", B, SetScalar(B, ("w",), 2))),
        wherever("y: 2", found("other", A)),
    )
    fixed = tree.fixed()
    assert fixed == Fixed(
        {A: b"x: 2\ny: 1\nz: 2\n", B: b"w: 2\n"}, 3, ["a.yaml:1: liar: other would come up in a.yaml"]
    )
    assert tree.lints <= 8


def test_a_fix_that_was_dropped_does_not_stand_in_the_way_of_another() -> None:
    """Both would write the same key; the first does, and turns out to be wrong."""
    tree = Tree(
        {A: "x: 1\ny: 1\n"},
        wherever("x: 1", found("liar", A, RenameKey(A, ("x",), "z"))),
        wherever("y: 1", found("two", A, RenameKey(A, ("y",), "z"))),
        wherever("z: 1\ny: 1", found("other", A)),
    )
    assert tree.fixed() == Fixed({A: b"x: 1\nz: 1\n"}, 1, ["a.yaml:1: liar: other would come up in a.yaml"])


def test_where_nothing_is_wrong_the_number_of_fixes_costs_no_lints() -> None:
    text = "".join(f"x{number}: 1\n" for number in range(50))
    rules = [
        wherever(f"x{number}: 1", found(f"r{number}", A, SetScalar(A, (f"x{number}",), 2))) for number in range(50)
    ]
    tree = Tree({A: text}, *rules)
    assert tree.fixed().done == 50
    assert tree.lints == 2


def test_what_comes_up_and_is_fixed_in_its_turn_is_no_harm() -> None:
    tree = Tree(
        {A: "x: 1\n"},
        wherever("x: 1", found("one", A, SetScalar(A, ("x",), 2))),
        wherever("x: 2", found("two", A, SetScalar(A, ("x",), 3))),
    )
    assert tree.fixed() == Fixed({A: b"x: 3\n"}, 2, [])


def test_fixes_in_a_circle_end_and_change_nothing() -> None:
    tree = Tree(
        {A: "x: 1\n"},
        wherever("x: 1", found("one", A, SetScalar(A, ("x",), 2))),
        wherever("x: 2", found("two", A, SetScalar(A, ("x",), 1))),
    )
    assert tree.fixed() == Fixed({}, 0, ["a.yaml:1: one: it would be found as before"])


def test_a_fix_of_several_operations_goes_in_whole_or_not_at_all() -> None:
    both = SetScalar(A, ("x",), 2), RenameKey(B, ("y",), "z")
    rule = wherever("x: 1", found("both", A, *both))
    assert Tree({A: "x: 1\n", B: "y: 1\n"}, rule).fixed() == Fixed({A: b"x: 2\n", B: b"z: 1\n"}, 1, [])
    stuck = Tree({A: "x: 1\nw: 1\n", B: "y: 1\nz: 1\n"}, rule, wherever("w: 1", found("w", A, SetScalar(A, ("w",), 2))))
    assert stuck.fixed() == Fixed({A: b"x: 1\nw: 2\n"}, 1, ["a.yaml:1: both: z already stands in the same mapping"])


def test_an_operation_that_two_fixes_share_is_carried_out_once() -> None:
    insert = InsertEntry(A, ("n",), 1)
    rule = wherever("x: 1", found("one", A, insert), found("two", A, insert, SetScalar(A, ("x",), 2)))
    assert Tree({A: "x: 1\n"}, rule).fixed() == Fixed({A: b"x: 2\nn: 1\n"}, 2, [])


def test_a_refusal_is_said_once() -> None:
    rule = wherever("x", found("one", A, RenameKey(A, ("x",), "y")))
    assert Tree({A: "x: 1\ny: 1\n"}, rule).fixed() == Fixed(
        {}, 0, ["a.yaml:1: one: y already stands in the same mapping"]
    )


def test_what_is_last_waits_for_the_others() -> None:
    def last(files: dict[str, str]) -> list[Finding]:
        """Copies into `y` what `x` is by then."""
        x, y = (line.split(": ")[1] for line in files[A].splitlines())
        return [] if x == y else [found("last", A, SetScalar(A, ("y",), int(x)), is_last=True)]

    tree = Tree({A: "x: 1\ny: 0\n"}, wherever("x: 1", found("one", A, SetScalar(A, ("x",), 2))), last)
    assert tree.fixed() == Fixed({A: b"x: 2\ny: 2\n"}, 2, [])


def test_a_file_that_became_empty_is_not_read_again() -> None:
    tree = Tree(
        {A: "# c"},
        wherever("#", found("one", A, DropComment(A, Span(1, 1, 1, 4)))),
        lambda files: [] if files[A] else [found("two", A, AppendNewline(A), severity="info")],
    )
    assert tree.fixed() == Fixed({A: b""}, 1, [])


class Liar(SetScalar, frozen=True, tag="session-liar"):
    """Says that it sets a value, and leaves behind whatever it likes."""

    left: str = ""

    def edits(self, tree: yamltree.Tree) -> list[Edit]:
        return [Edit(0, len(tree.text), self.left)]


@pytest.mark.parametrize(
    ("left", "why"),
    [
        ("x: 2 # c\ny: 2\n", "the loaded value would change elsewhere"),
        ("x: 2\ny: 1\n", "a comment would be lost or changed"),
        ("x: 2 # c\ny:   1\n", "a line would change that has nothing to do with it"),
        ("x: 2 # c\ny: 1\n\n", "a line would change that has nothing to do with it"),
        ("x: {", "the result would not parse (syntax)"),
        ("", "the number of documents would change"),
    ],
)
def test_a_rule_that_lies_about_its_edit_loses_nothing(left: str, why: str) -> None:
    """Nor does what it names besides go in, and the others' fixes do."""
    lie = Liar(A, ("x",), 2, left)
    tree = Tree(
        {A: "x: 1 # c\ny: 1\n", B: "z: 1\n"},
        wherever("x: 1", found("liar", A, SetScalar(B, ("z",), 9), lie)),  # type: ignore[arg-type]
        wherever("z: 1", found("one", B, SetScalar(B, ("z",), 2))),
    )
    assert tree.fixed() == Fixed({B: b"z: 2\n"}, 1, [f"a.yaml:1: liar: {why}"])
