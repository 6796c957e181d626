"""Comments are found where libyaml drops them, and a `#` in a text is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yaml_documents import DOCUMENTS

from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.problem import Unreadable


def comments(text: str) -> list[tuple[str, bool]]:
    return [(comment.text, comment.own_line) for comment in parse_text(text).comments]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# top\na: 1 # side\n  # below\n", [("# top", True), ("# side", False), ("# below", True)]),
        ("a: x#y\nb: 'x # y'\nc: \"# z\"\nd: http://h/#f\n", []),
        ("a: 'x\n  # y\n  z'\n", []),
        ("a: | # why\n  # text\n  x\n# after\nb: 1\n", [("# why", False), ("# after", True)]),
        ("a: |\n  x\n # less indented\nb: 1\n", [("# less indented", True)]),
        ("a: |\n  x\n\n  # still text\n\n# after\n", [("# after", True)]),
        ("a: >- # why\n", [("# why", False)]),
        ("- &x # anchor\n  1\n- !!str # tag\n  2\n", [("# anchor", False), ("# tag", False)]),
        ("a: # no value\nb: [1, # one\n  2] # two\n", [("# no value", False), ("# one", False), ("# two", False)]),
        ("# a\r\nb: 1 # c\r\n", [("# a", True), ("# c", False)]),
        ("\ufeff# first\na: 1\n", [("# first", True)]),
        ("%YAML 1.1 # v\n--- # d\na: 1\n... # e\n", [("# v", False), ("# d", False), ("# e", False)]),
        ("a: plain # one\n  # two\nb: 1\n", [("# one", False), ("# two", True)]),
        ("#\n##\n#a\n", [("#", True), ("##", True), ("#a", True)]),
        ("a: &x 1 # q\nb: *x # r\n", [("# q", False), ("# r", False)]),
    ],
)
def test_comments(text: str, expected: list[tuple[str, bool]]) -> None:
    assert comments(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [('a: "b"#c\n', "#c"), ("a: [b,#c\n  d]\n", "#c"), ("a: |#c\n  x\n", "#c")],
)
def test_libyaml_asks_for_no_blank_before_a_comment(text: str, expected: str) -> None:
    assert comments(text) == [(expected, False)]


@pytest.mark.parametrize("line_break", ["\x85", "\u2028", "\u2029", "\r"])
def test_a_comment_ends_where_libyaml_ends_the_line(line_break: str) -> None:
    tree = parse_text(f"# c{line_break}b: 2 # d\n")
    assert [comment.text for comment in tree.comments] == ["# c", "# d"]
    assert [scalar.value for scalar in tree.scalars] == ["b", "2"]


def check_no_overlap(text: str) -> None:
    tree = parse_text(text)
    scalars = {position: scalar for scalar in tree.scalars for position in range(scalar.start, scalar.end)}
    for comment in tree.comments:
        assert text[comment.start : comment.end] == comment.text
        assert comment.text.startswith("#")
        for position in range(comment.start, comment.end):
            scalar = scalars.get(position)
            assert scalar is None or (scalar.style in ("|", ">") and "\n" not in text[scalar.start : position])


@given(DOCUMENTS)
def test_comments_and_scalars_never_overlap(text: str) -> None:
    check_no_overlap(text)


@given(st.text(alphabet="ab:-#&!|>'\"[], \t\n\x85\u2028", max_size=40))
def test_they_do_not_in_odd_texts_either(text: str) -> None:
    try:
        parse_text(text)
    except Unreadable:
        return
    check_no_overlap(text)


@given(DOCUMENTS)
def test_the_text_of_a_comment_does_not_matter(text: str) -> None:
    """Whatever was taken for a comment was no content."""
    tree = parse_text(text)
    other = text
    for comment in reversed(tree.comments):
        other = other[: comment.start] + "#".ljust(len(comment.text), "~") + other[comment.end :]
    assert [scalar.value for scalar in parse_text(other).scalars] == [scalar.value for scalar in tree.scalars]
