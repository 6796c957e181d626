"""New entries and items stand where and as those beside them do, and move nothing; else they are refused."""

from __future__ import annotations

import pytest

from reciplint.fix.apply import apply_one
from reciplint.fix.prove import Unproved
from reciplint.yamltree.edit import AppendItem, InsertEntry, NewList, NewMap, NewValue, Refused


def insert(name: str, value: NewValue = 1, beside: str | None = None, before: bool = False) -> InsertEntry:
    return InsertEntry("", ("a", name), value, beside, before)


@pytest.mark.parametrize(
    ("text", "operation", "expected"),
    [
        ("a:\n  b: 1 # why\n  c: 2\n", insert("n", beside="b"), "a:\n  b: 1 # why\n  n: 1\n  c: 2\n"),
        ("a:\n  b: 1\n  c: 2\nd: 3\n", insert("n"), "a:\n  b: 1\n  c: 2\n  n: 1\nd: 3\n"),
        ("a:\n  b: 1\n", insert("n", before=True), "a:\n  n: 1\n  b: 1\n"),
        # comments stay with the key that they stand above, behind or, further in, under
        (
            "a:\n  b: 1\n  # of c\n  c: 2\n",
            insert("n", beside="c", before=True),
            "a:\n  b: 1\n  n: 1\n  # of c\n  c: 2\n",
        ),
        ("a:\n  b: 1\n  # of c\n  c: 2\n", insert("n", beside="b"), "a:\n  b: 1\n  n: 1\n  # of c\n  c: 2\n"),
        (
            "a:\n  b:\n  - 1\n    # of b\n  c: 2\n",
            insert("n", beside="b"),
            "a:\n  b:\n  - 1\n    # of b\n  n: 1\n  c: 2\n",
        ),
        # behind a value of one line it heads the next key, however far in; below the last key it has none to head
        ("a:\n  b: 1\n    # of c\n  c: 2\n", insert("n", beside="b"), "a:\n  b: 1\n  n: 1\n    # of c\n  c: 2\n"),
        ("a:\n  b: [1]\n    # of c\n  c: 2\n", insert("n", beside="b"), "a:\n  b: [1]\n  n: 1\n    # of c\n  c: 2\n"),
        ("a:\n  b: 1\n    # of b\nc: 2\n", insert("n", beside="b"), "a:\n  b: 1\n    # of b\n  n: 1\nc: 2\n"),
        (
            "a:\n  b: |\n    x\n    # text\n   # of b\n  c: 2\n",
            insert("n", beside="b"),
            "a:\n  b: |\n    x\n    # text\n   # of b\n  n: 1\n  c: 2\n",
        ),
        ("a:\n    # of b\n  b: 1\n", insert("n", before=True), "a:\n  n: 1\n    # of b\n  b: 1\n"),
        ("a:\n  b: 1\n  # c: 2\n# of d\nd: 3\n", insert("n"), "a:\n  b: 1\n  n: 1\n  # c: 2\n# of d\nd: 3\n"),
        # line ends, and none at the end
        ("a:\r\n  b: 1\r\n", insert("n"), "a:\r\n  b: 1\r\n  n: 1\r\n"),
        ("a:\r\n  b: 1", insert("n"), "a:\r\n  b: 1\r\n  n: 1"),
        ("a:\n  b: 1  # why", insert("n"), "a:\n  b: 1  # why\n  n: 1"),
        ("a:\n  b: |+\n    x\n\n\nc: 1\n", insert("n"), "a:\n  b: |+\n    x\n\n\n  n: 1\nc: 1\n"),
        ("a:\n  b: |-\n    x\n\nc: 1\n", insert("n"), "a:\n  b: |-\n    x\n  n: 1\n\nc: 1\n"),
        ("a:\n  b: 'x\n\n    y'\n  c: 1\n", insert("n", beside="b"), "a:\n  b: 'x\n\n    y'\n  n: 1\n  c: 1\n"),
        # habits
        ('a:\n  b: "1"\n', insert("n", "0"), 'a:\n  b: "1"\n  n: "0"\n'),
        ("a:\n  b: '1'\n", insert("n", "x"), "a:\n  b: '1'\n  n: 'x'\n"),
        ("a:\n  b: x\n  c: '1'\n", insert("n", "8"), "a:\n  b: x\n  c: '1'\n  n: '8'\n"),
        ("a:\n  b: x\n", insert("n", "2024-01-02"), 'a:\n  b: x\n  n: "2024-01-02"\n'),
        ("a:\n  b: '{x: 1}'\nc: y\n", insert("n", "z"), "a:\n  b: '{x: 1}'\n  n: z\nc: y\n"),
        ("a:\n  b: '{x: 1}'\nc: \"y\"\n", insert("n", "z"), 'a:\n  b: \'{x: 1}\'\n  n: "z"\nc: "y"\n'),
        ('a:\n  "b": x\n', insert("n", True), 'a:\n  "b": x\n  "n": true\n'),
        ("a:\n  b: x\n", insert("on", None), 'a:\n  b: x\n  "on": null\n'),
        # behind a dash, an anchor, before a merge key
        ("a:\n  &k b: 1\n  c: 2\n", insert("n", beside="c", before=True), "a:\n  &k b: 1\n  n: 1\n  c: 2\n"),
        (
            "z: &z {y: 0}\na:\n  <<: *z\n  c: 2\n",
            insert("n", before=True),
            "z: &z {y: 0}\na:\n  n: 1\n  <<: *z\n  c: 2\n",
        ),
        (
            "z: &z {c: 0, d: 1}\na:\n  <<: *z\n  c: 2\n",
            insert("n"),
            "z: &z {c: 0, d: 1}\na:\n  <<: *z\n  c: 2\n  n: 1\n",
        ),
        ("a: &x\n  b: &y\n    c: 1\n", insert("n", beside="b"), "a: &x\n  b: &y\n    c: 1\n  n: 1\n"),
        # flow
        ("a: {b: 1, c: 2} # w\n", insert("n", beside="b"), "a: {b: 1, n: 1, c: 2} # w\n"),
        ("a: { b: 1 }\n", insert("n", before=True), "a: { n: 1, b: 1 }\n"),
        ("a: {b: &x 1,}\n", insert("n"), "a: {b: &x 1, n: 1,}\n"),
        ("a: {}\n", insert("n", "x, y"), 'a: {n: "x, y"}\n'),
        ("a: { }\n", insert("n", "x"), "a: { n: x }\n"),
        ("a: {b: {c: 1}}\n", insert("n", NewMap((("x", NewList((1, "y"))),))), "a: {b: {c: 1}, n: {x: [1, y]}}\n"),
    ],
)
def test_an_entry_comes_in(text: str, operation: InsertEntry, expected: str) -> None:
    assert apply_one(text, operation) == expected


def test_collections_stand_as_others_in_the_file() -> None:
    value = NewMap(
        (("x", 1), ("y", NewList(("p", NewMap((("q", 2),))))), ("z", NewMap(())), ("w", NewMap((("v", 1),))))
    )
    assert apply_one("a:\n    b: 1\n    l:\n    - { c: 1 }\n", insert("n", value, beside="b")) == (
        "a:\n    b: 1\n    n:\n        x: 1\n        y:\n        - p\n        - { q: 2 }\n        z: {}\n        w:\n"
        "            v: 1\n    l:\n    - { c: 1 }\n"
    )
    assert apply_one("a: 1\n", InsertEntry("", ("n",), value)) == (
        "a: 1\nn:\n  x: 1\n  y:\n    - p\n    - {q: 2}\n  z: {}\n  w:\n    v: 1\n"
    )


def test_a_row_begins_behind_its_dash() -> None:
    text = "rows:\n  # first\n  - b: 1\n    c: 2\n  - - d: 1\n"
    first = InsertEntry("", ("rows", 0, "n"), NewMap((("x", 1),)), before=True)
    assert apply_one(text, first) == text.replace("- b", "- n:\n      x: 1\n    b")
    assert apply_one(text, InsertEntry("", ("rows", 0, "n"), 1, "b")) == text.replace("b: 1\n", "b: 1\n    n: 1\n")
    assert apply_one(text, InsertEntry("", ("rows", 1, 0, "n"), 1)) == f"{text}      n: 1\n"


def test_the_top_of_the_file_stays_at_the_top() -> None:
    text = "\ufeff# Apache-2.0\na: 1\n\n# of b\nb: 2\n"
    assert apply_one(text, InsertEntry("", ("n",), 1, before=True)) == text.replace("a: 1", "n: 1\na: 1")
    assert apply_one(text, InsertEntry("", ("n",), 1, "b", before=True)) == text.replace("# of b", "n: 1\n# of b")
    text = "---\n# Apache-2.0\na: 1\n"
    assert apply_one(text, InsertEntry("", ("n",), 1, before=True)) == text.replace("a: 1", "n: 1\na: 1")
    assert apply_one("\ufeffa: 1", InsertEntry("", ("n",), 1, before=True)) == "\ufeffn: 1\na: 1"


@pytest.mark.parametrize(
    ("text", "operation", "reason"),
    [
        ("a:\n  n: 1\n", insert("n"), "n already stands there"),
        ("z: &z {n: 1}\na:\n  <<: *z\n  b: 1\n", insert("n"), "n is merged in there"),
        ("a:\n  b: 1\n", insert("<<"), "<< already stands there"),
        ("a:\n  b: 1\n", insert("n", beside="c"), "c is not written there"),
        ("z: &z {b: 1}\na: *z\n", insert("n"), "it lies behind the alias *z"),
        ("a: 1\n", insert("n"), "no mapping there"),
        ("a: {b: 1,\n  c: 2}\n", insert("n"), "it lies in a flow collection over several lines"),
        ("a: {b: 1}\n---\nb: 1\n", insert("n"), "the file holds several documents"),
        ("a:\n  ? b\n  : 1\n", insert("n"), "something else stands before it on its line"),
        ("a:\n  &k b: 1\n  c: *k\n", insert("n", before=True), "something else stands before it on its line"),
        ("a:\n  b: 'x\u2028   y'\n", insert("n"), "a character ends a line for YAML that ends none in an editor"),
        ("a:\n  b: 1\n", insert("n", "x\ny"), "the new value holds a character that is written with an escape"),
        ("a:\n  b: 1\n", insert("n", float("inf")), "inf is not read alike by every YAML reader"),
        ("[{a: 1}, b: 2]", InsertEntry("", (1, "n"), 1), "it is a pair without braces"),
    ],
)
def test_an_entry_is_refused(text: str, operation: InsertEntry, reason: str) -> None:
    with pytest.raises(Refused) as caught:
        apply_one(text, operation)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    "text",
    [
        "a: &x\n  b: 1\nc: *x\n",
        "a: &x {b: 1}\nc: {<<: *x}\n",
        "a:\n  b: |\n    x",
    ],
)
def test_an_entry_that_would_change_more_is_left_out(text: str) -> None:
    with pytest.raises(Unproved, match="the loaded value would change elsewhere"):
        apply_one(text, insert("n"))


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("a:\n- 1 # why\nb: 2\n", 2, "a:\n- 1 # why\n- 2\nb: 2\n"),
        ("a:\n  -   x\n    # of x\n  # end\n", "y", "a:\n  -   x\n    # of x\n  -   y\n  # end\n"),
        ('a:\r\n  - "x"', "y", 'a:\r\n  - "x"\r\n  - "y"'),
        ("a:\n  - {tp: 1}\n", NewMap((("tp", 2), ("ep", 1))), "a:\n  - {tp: 1}\n  - {tp: 2, ep: 1}\n"),
        ("a:\n  - { tp: 1 }\n", NewMap((("tp", 2),)), "a:\n  - { tp: 1 }\n  - { tp: 2 }\n"),
        ("a:\n  - b: 1\n    c:\n    - 2\n", NewList((1, 2)), "a:\n  - b: 1\n    c:\n    - 2\n  - [1, 2]\n"),
        ("a:\n-\n  b: 1\n", 2, "a:\n-\n  b: 1\n- 2\n"),
        ("a:\n- &x\n  b: 1\n", 2, "a:\n- &x\n  b: 1\n- 2\n"),
        ("a:\n- |+\n  x\n\nb: 1\n", 2, "a:\n- |+\n  x\n\n- 2\nb: 1\n"),
        ("a: [1, 2] # w\n", 3, "a: [1, 2, 3] # w\n"),
        ("a: []\n", "x", "a: [x]\n"),
        ("a: ['x', ]\n", "y", "a: ['x', 'y', ]\n"),
        ("a: {b: [1]}\n", "p, q", "a: {b: [1]}\n"),
    ],
)
def test_an_item_comes_in(text: str, value: NewValue, expected: str) -> None:
    if text == expected:
        with pytest.raises(Refused, match="no list there"):
            apply_one(text, AppendItem("", ("a",), value))
    else:
        assert apply_one(text, AppendItem("", ("a",), value)) == expected


def test_an_item_comes_into_a_list_behind_a_dash() -> None:
    assert apply_one("- - a\n  - b\n- c\n", AppendItem("", (0,), "n")) == "- - a\n  - b\n  - n\n- c\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("z: &z [1]\na: *z\n", "it is written as the alias *z"),
        ("a: [1,\n  2]\n", "it lies in a flow collection over several lines"),
        ("a:\nb: 1\n", "no list there"),
        ("a: [1]\n---\n", "the file holds several documents"),
        ("a: !!seq\n? - 1\n", "no list there"),
    ],
)
def test_an_item_is_refused(text: str, reason: str) -> None:
    with pytest.raises(Refused) as caught:
        apply_one(text, AppendItem("", ("a",), 2))
    assert str(caught.value) == reason
