"""Whole lines replaced: in their place or where they moved to, with every other entry as it was, or not at all."""

from __future__ import annotations

import pytest

from reciplint.fix.apply import apply_one
from reciplint.fix.prove import Unproved
from reciplint.yamltree.edit import Refused, resolve
from reciplint.yamltree.edit_lines import ReplaceLines
from reciplint.yamltree.parse import parse_text

TEXT = "- a: 1\n\n# of b\n- b: 2  # two\n\n- c: 3\n"


def replaced(first: int, last: int, was: str, text: str) -> ReplaceLines:
    return ReplaceLines("", first, last, was, text)


def test_an_entry_is_put_before_another() -> None:
    operation = replaced(4, 5, "- b: 2  # two\n\n", "- new: 0\n\n- b: 2  # two\n\n")
    assert apply_one(TEXT, operation) == TEXT.replace("- b: 2", "- new: 0\n\n- b: 2")


def test_only_lines_that_differ_are_edited() -> None:
    operation = replaced(4, 6, "- b: 2  # two\n\n- c: 3\n", "- b: 2  # two\n\n- d: 4\n\n- c: 3\n")
    (edit,) = resolve(parse_text(TEXT), operation)
    assert (TEXT[edit.start : edit.end], edit.replacement) == ("", "- d: 4\n\n")


def test_entries_are_appended() -> None:
    assert apply_one(TEXT, replaced(6, 0, "- c: 3\n", "- c: 3\n\n- d: 4\n")) == f"{TEXT}\n- d: 4\n"


def test_what_was_appended_before_is_not_passed_over() -> None:
    operation = replaced(6, 0, "- c: 3\n", "- c: 3\n\n- d: 4\n")
    with pytest.raises(Refused, match="no longer the last ones"):
        apply_one(apply_one(TEXT, operation), operation)


def test_lines_are_found_where_they_moved_to() -> None:
    operation = replaced(4, 5, "- b: 2  # two\n\n", "- b: 4\n\n")
    assert apply_one(f"- z: 0\n{TEXT}", operation) == f"- z: 0\n{TEXT}".replace("- b: 2  # two", "- b: 4")


@pytest.mark.parametrize("text", [TEXT.replace("b: 2", "b: 5"), f"- z: 0\n{TEXT}{TEXT}"])
def test_lines_that_changed_or_stand_twice_are_left_alone(text: str) -> None:
    with pytest.raises(Refused, match="no longer what they were"):
        apply_one(text, replaced(4, 5, "- b: 2  # two\n\n", "- b: 4\n\n"))


def test_an_entry_is_replaced_whole() -> None:
    text = "- a: 1\n  b: 2\n- c: 3\n"
    with pytest.raises(Refused, match="begin and end with entries"):
        apply_one(text, replaced(2, 2, "  b: 2\n", "  b: 4\n"))


@pytest.mark.parametrize("text", ["a: 1\nb: 2\n", "[a, b]\n", "- &x a\n- *x\n"])
def test_only_a_list_of_entries_is_edited(text: str) -> None:
    lines = text.splitlines(keepends=True)
    operation = replaced(1, 1, lines[0], f"{lines[0]}- more\n")
    if text.startswith("- "):
        assert apply_one(text, operation) == "- &x a\n- more\n- *x\n"
    else:
        with pytest.raises(Refused):
            apply_one(text, operation)


def test_white_space_keeps_the_value() -> None:
    assert apply_one(TEXT, replaced(4, 6, "- b: 2  # two\n\n- c: 3\n", "- b: 2  # two\n- c: 3\n")) == TEXT.replace(
        "two\n\n", "two\n"
    )
    text = "- a: |\n    one\n\n    two\n- b: 2\n"
    with pytest.raises(Unproved, match="the loaded value would change"):
        apply_one(text, replaced(2, 4, "    one\n\n    two\n", "    one\n    two\n"))


def test_comments_of_other_entries_stay() -> None:
    operation = replaced(4, 5, "- b: 2  # two\n\n", "- b: 3\n\n")
    assert apply_one(TEXT, operation).count("#") == 1
    with pytest.raises(Unproved, match="comment"):
        apply_one(TEXT, replaced(3, 3, "# of b\n", "# of  b\n"))


def test_lines_that_are_no_yaml_are_not_written() -> None:
    with pytest.raises((Refused, Unproved)):
        apply_one(TEXT, replaced(6, 0, "- c: 3\n", "- c: 3\n\n- [\n"))


def test_lines_that_are_yaml_only_where_they_stand_are_not_written() -> None:
    text = "- a: 1\n-\n  b: 2\n"
    with pytest.raises(Unproved, match=r"would not parse by itself \(syntax\)"):
        apply_one(text, replaced(3, 3, "  b: 2\n", "  b: 2\n- c: 3\n"))


def test_a_file_of_several_documents_changes_in_the_first() -> None:
    text = "- a: 1\n- b: 2\n---\n- a: 1\n"
    assert apply_one(text, replaced(1, 1, "- a: 1\n", "- a: 1\n- x: 0\n")) == "- a: 1\n- x: 0\n- b: 2\n---\n- a: 1\n"
