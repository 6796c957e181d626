"""Tables for a terminal, for Markdown and as CSV."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reciplint.report.table import (
    Column,
    Markup,
    code,
    counted,
    csv_table,
    display_width,
    markdown_table,
    number,
    text_table,
)

COLUMNS = (Column("key"), Column("n", right=True), Column("note"))


def test_text() -> None:
    rows = [["a", 1, ""], ["long-key", 1200, "x"], ["b", None, "y"]]
    assert text_table(COLUMNS, rows, "  ") == (
        "  key          n  note\n  a            1  -\n  long-key  1200  x\n  b            -  y\n"
    )


def test_wide_and_combining_characters_are_aligned() -> None:
    rows = [["模型", 1, "x"], ["e\u0301", 2, "y"]]
    lines = text_table(COLUMNS, rows).splitlines()
    assert {display_width(line[: -len("x")]) for line in lines[1:]} == {display_width("模型  1  ")}
    assert [display_width(text) for text in ("模型", "e\u0301", "abc", "\u200b")] == [4, 1, 3, 0]


def test_text_is_safe_for_a_terminal() -> None:
    assert text_table((Column("k"),), [["a\x1b[31m\n\u202eb"]]) == "k\na\\x1b[31m\\n\\u202eb\n"


def test_markdown() -> None:
    rows = [["a|b", 1200, Markup("**x**")], ["", 0.5, None]]
    assert markdown_table(COLUMNS, rows) == (
        "| key | n | note |\n| :-- | --: | :-- |\n| `a\\|b` | 1,200 | **x** |\n| - | 0.5 | - |\n"
    )


def test_csv_is_read_back() -> None:
    rows = [["a,b", 1, 'say "x"'], ["c\nd", 2.5, None]]
    assert list(csv.reader(io.StringIO(csv_table(COLUMNS, rows)))) == [
        ["key", "n", "note"],
        ["a,b", "1", 'say "x"'],
        ["c\\nd", "2.5", ""],
    ]


def test_no_rows() -> None:
    assert text_table(COLUMNS, []) == markdown_table(COLUMNS, []) == ""
    assert csv_table(COLUMNS, []) == "key,n,note\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "`plain`"),
        ("a`b", "``a`b``"),
        ("`a``b`", "``` `a``b` ```"),
        ("a\\|b", "`a\\\\x7cb`"),
        ("", "-"),
        ("  ", "(blank)"),
        ("@org/team", "`@org/team`"),
    ],
)
def test_code(text: str, expected: str) -> None:
    assert code(text) == expected


def test_numbers() -> None:
    assert [number(value) for value in (0, 999, 1234, 0.25, 2.0, 1234.56)] == [
        "0",
        "999",
        "1,234",
        "0.2",
        "2",
        "1,234.6",
    ]
    assert [counted(1, "point"), counted(2, "point"), counted(0, "job")] == ["1 point", "2 points", "0 jobs"]


HOSTILE = st.text(st.sampled_from("`|\\<>@#[]()!*_~&:/ \nahtps.w") | st.characters(), max_size=30)


@given(HOSTILE, HOSTILE)
@example("`", "|")
@example("a\\", "b")
@example("<img src=x>", "@everyone https://example.com #1")
def test_untrusted_text_stays_text_in_its_cell(one: str, other: str) -> None:
    """Whatever a cell holds, the table has its two cells, and in them nothing but code."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown_table(COLUMNS[:2], [[one, other]]))
    cells = [tokens[index + 1] for index, token in enumerate(tokens) if token.type == "td_open"]
    assert len(cells) == 2
    for cell in cells:
        kinds = {child.type for child in cell.children or []}
        assert kinds <= {"code_inline"} or cell.content in ("-", "(blank)")
