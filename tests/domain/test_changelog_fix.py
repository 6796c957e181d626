"""Repairs of a changelog: history restored, entries appended, other white space; and that nothing else is replaced."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reciplint.domain.changelog_bytes import split
from reciplint.domain.changelog_entry import NewEntry
from reciplint.domain.changelog_fix import appended, changed_lines, respaced, restoration, without
from reciplint.fix.apply import apply_one
from support import changed

A, B, C, D = (changed(f"finch-{name}", number) for number, name in enumerate("abcd", 1))
BASE = f"{A}\n{B}\n{C}"
PATH = "perf-changelog.yaml"
ENTRY = NewEntry(("finch-e",), ("Add a point",), "https://github.com/example/bench/pull/9")

entries = st.lists(st.sampled_from([A, B, C, D, "", "  \n", "# a remark\n"]), max_size=6).map("\n".join)


def restored(head: str, base: str = BASE) -> str:
    found = restoration(PATH, base.encode(), head.encode())
    assert found is not None
    return apply_one(head, found.operation)


@pytest.mark.parametrize(
    ("head", "result"),
    [
        (f"{A}\n{D}\n{B}\n{C}", f"{BASE}\n{D}"),
        (f"{D}\n{BASE}", f"{BASE}\n{D}"),
        (f"{A}\n{C}", BASE),
        (f"{A}\n{C}\n{D}", f"{BASE}\n{D}"),
        (f"{B}\n{A}\n{C}", BASE),
        (f"{A}\n{B}  \n{C}", BASE),
        (f"{A}{B}\n{C}\n{D}", f"{BASE}\n{D}"),
        (BASE.replace("pull/2", "pull/20") + f"\n{D}", f"{BASE}\n{D}"),
        (f"{BASE}\n{D}".replace("\n", "\r\n"), f"{BASE}\n{D}"),
    ],
)
def test_history_is_restored_and_new_entries_follow(head: str, result: str) -> None:
    assert restored(head) == result


def test_blank_lines_of_history_are_restored_with_their_spaces() -> None:
    base = f"{A}  \n{B}"
    assert restored(f"{A}\n{B}\n{D}", base) == f"{base}\n{D}"


def test_what_was_written_into_an_old_entry_is_not_thrown_away() -> None:
    head = BASE.replace("  - finch-b\n", "  - finch-b\n  - finch-x\n")
    assert restoration(PATH, BASE.encode(), head.encode()) is None


@pytest.mark.parametrize("head", [b"\xff", b"<<<<<<< ours\n- a: 1\n"])
def test_a_file_that_cannot_be_read_is_left_alone(head: bytes) -> None:
    assert restoration(PATH, BASE.encode(), head) is None
    assert appended(PATH, head, [ENTRY]) is None


def test_entries_are_appended_behind_a_line_that_is_not_ended() -> None:
    operation = appended(PATH, BASE.removesuffix("\n").encode(), [ENTRY])
    assert operation is not None
    assert operation.last == 0
    result = apply_one(BASE.removesuffix("\n"), operation)
    assert result.startswith(f"{BASE}\n- config-keys:\n")
    assert result.endswith("pull/9\n")


def test_other_white_space_between_two_entries() -> None:
    operation = respaced(PATH, f"{A}{B}".encode(), 6, 5, "\n")
    assert operation is not None
    assert apply_one(f"{A}{B}", operation) == f"{A}\n{B}"
    assert respaced(PATH, BASE.encode(), 6, 6, "\n") is None


@pytest.mark.parametrize("character", ["\r", "\t"])
def test_a_character_is_taken_out_of_an_entry_where_it_says_nothing(character: str) -> None:
    place = A.replace("\n", "\r\n") if character == "\r" else A.replace(":\n", ":\t\n")
    text = f"{place}\n{B}"
    operation = without(PATH, text.encode(), split(text.encode()).entries[0], character)
    assert operation is not None
    result = apply_one(text, operation)
    assert character not in result
    assert result.replace(" \n", "\n") == f"{A}\n{B}"
    said = A.replace("Measure ", f"Measure{character}")
    assert without(PATH, said.encode(), split(said.encode()).entries[0], character) is None


@given(entries, entries)
def test_the_lines_that_change_are_entries_and_nothing_else(before: str, after: str) -> None:
    operation = changed_lines(PATH, before.encode(), after.encode())
    if operation is None:
        assert before == after
        return
    lines = before.splitlines(keepends=True)
    first, last = operation.first - 1, operation.last or len(lines)
    assert "".join(lines[first:last]) == operation.was
    assert "".join((*lines[:first], operation.text, *lines[last:])) == after
    starts = {entry.line - 1 for entry in split(before.encode()).entries}
    assert first in starts | {0}
    assert last in starts | {len(lines)}
