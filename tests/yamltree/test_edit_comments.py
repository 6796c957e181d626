"""Comments added to a file: where one can stand, behind a line or alone above it, and that nothing else moves."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reciplint.fix.apply import apply_one
from reciplint.fix.prove import Unproved
from reciplint.yamltree.edit import AddComment, Refused
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.scalars import load

BEHIND = [
    ("a: 1\n", 1, "a: 1  # c\n"),
    ("a: 1", 1, "a: 1  # c"),
    ("a: 1 \t\r\nb: 2\r\n", 1, "a: 1  # c\r\nb: 2\r\n"),
    ("\ufeffa: 1\n", 1, "\ufeffa: 1  # c\n"),
    ("a: |\n  text\n", 1, "a: |  # c\n  text\n"),
    ("a:\n  - |\n    text\nb: 2\n", 4, "a:\n  - |\n    text\nb: 2  # c\n"),
    ("a: [1,\n  2]\n", 1, "a: [1,  # c\n  2]\n"),
    ("a: one\n  two\n", 2, "a: one\n  two  # c\n"),
    ("a: '\n  two'\n", 2, "a: '\n  two'  # c\n"),
    ("---\na: 1\n", 1, "---  # c\na: 1\n"),
]
ABOVE = [
    ("a: 1\n", 1, "# c\na: 1\n"),
    ("a:\n  b: 1  # d\n", 2, "a:\n  # c\n  b: 1  # d\n"),
    ("a:\n- b: 1\n  c: 2\n", 3, "a:\n- b: 1\n  # c\n  c: 2\n"),
    ("a: 1\r\nb: 2\r\n", 2, "a: 1\r\n# c\r\nb: 2\r\n"),
    ("\ufeffa: 1\n", 1, "\ufeff# c\na: 1\n"),
    ("a: |\n  text\nb: 2\n", 3, "a: |\n  text\n# c\nb: 2\n"),
    ("a: '\n  two'\n", 1, "# c\na: '\n  two'\n"),
]


@pytest.mark.parametrize(("text", "line", "after"), BEHIND)
def test_behind_a_line(text: str, line: int, after: str) -> None:
    assert apply_one(text, AddComment("", (), "# c", line=line)) == after


@pytest.mark.parametrize(("text", "line", "after"), ABOVE)
def test_alone_above_a_line(text: str, line: int, after: str) -> None:
    assert apply_one(text, AddComment("", (), "# c", own_line=True, line=line)) == after


@pytest.mark.parametrize(
    ("pointer", "line"), [(("a",), 1), (("a", "b"), 2), (("a", "b", 1), 4), (("a", "b", 1, "c"), 4), (("d",), 5)]
)
def test_the_line_is_the_one_on_which_an_entry_begins(pointer: tuple[str | int, ...], line: int) -> None:
    text = "a:\n  b:\n  - 1\n  - c: 2\nd: 3\n"
    lines = text.split("\n")
    lines[line - 1] += "  # c"
    assert apply_one(text, AddComment("", pointer, "# c")) == "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "line", "own_line", "why"),
    [
        ("a: 1  # b\n", 1, False, "a comment stands there"),
        ("# b\na: 1\n", 1, False, "a comment stands there"),
        ("a: 1\n\nb: 2\n", 2, False, "nothing stands on the line"),
        ("a: |\n  one\n  two\n", 2, False, "the line is part of a text of several lines"),
        ("a: |\n  one\n  two", 3, False, "the line is part of a text of several lines"),
        ("a: '\n  two'\n", 1, False, "the line is part of a text of several lines"),
        ("a: one\n  two\n", 1, False, "the line is part of a text of several lines"),
        ("a: |\n  one\n  two\n", 3, True, "the line is part of a text of several lines"),
        ("a: one\n  two\n", 2, True, "the line is part of a text of several lines"),
        ("a: 1\n", 3, True, "there is no line 3"),
    ],
)
def test_where_none_can_stand(text: str, line: int, own_line: bool, why: str) -> None:
    with pytest.raises(Refused) as error:
        apply_one(text, AddComment("", (), "# c", own_line, line))
    assert str(error.value) == why


@pytest.mark.parametrize("comment", ["c", "# a\nb: 1", "# a\u2028b: 1", "# \x00", ""])
def test_what_is_no_comment(comment: str) -> None:
    with pytest.raises(Refused, match="it is no comment of one line"):
        apply_one("a: 1\n", AddComment("", (), comment, line=1))


PARTS = st.lists(
    st.sampled_from(["a: 1\n", "b: |\n  x\n\n", "c: 'y\n  z'\n", "d: u\n  v\n", "e: [1,\n  2]\n", "\n", "# k\n"])
)


@given(PARTS, st.integers(1, 20), st.booleans())
def test_a_comment_is_added_and_nothing_else_changes(parts: list[str], line: int, own_line: bool) -> None:
    text = "".join(dict.fromkeys(parts))
    try:
        after = apply_one(text, AddComment("", (), "# new", own_line, line))
    except (Refused, Unproved):
        return
    old, new = parse_text(text), parse_text(after)
    assert load(new.root) == load(old.root)
    assert sorted(comment.text for comment in new.comments) == sorted([*(c.text for c in old.comments), "# new"])
    assert re.sub(" *# new\n" if own_line else "  # new", "", after) == text
