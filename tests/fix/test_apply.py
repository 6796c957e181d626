"""Fixes applied to texts and trees: in which order, how often, and what is left out."""

from __future__ import annotations

import pytest

from reciplint.fix.apply import apply_one, apply_operations, edits_of
from reciplint.fix.difference import unified_diff
from reciplint.fix.prove import Unproved
from reciplint.fix.session import fix_tree
from reciplint.yamltree.edit import AppendNewline, DropComment, Edit, Refused, RenameKey, Respell
from reciplint.yamltree.spans import Span
from support import lint, recipe

PATH = "recipes/finch.yaml"


def test_operations_go_in_one_after_another() -> None:
    applied = apply_operations(
        "a_b: 1 # one\nc_d: 2 # two",
        [
            RenameKey("", ("a_b",), "a-b"),
            DropComment("", Span(1, 8, 1, 13)),
            AppendNewline(""),
            DropComment("", Span(2, 8, 2, 13)),
            RenameKey("", ("c_d",), "c-d"),
        ],
    )
    assert applied.text == "a-b: 1\nc-d: 2\n"
    assert applied.refused == {}


def test_a_refused_operation_leaves_the_others_alone() -> None:
    applied = apply_operations(
        "a_b: 1\na-b: 2\nc_d: 3\n", [RenameKey("", ("a_b",), "a-b"), RenameKey("", ("c_d",), "c-d")]
    )
    assert applied.text == "a_b: 1\na-b: 2\nc-d: 3\n"
    assert list(applied.refused.values()) == ["a-b already stands in the same mapping"]


def test_an_unproved_operation_is_left_out() -> None:
    with pytest.raises(Unproved, match="the loaded value would change elsewhere"):
        apply_one("a: 1\n", Respell("", ("a",), "2"))
    assert apply_operations("a: 1\n", [Respell("", ("a",), "2")]).text == "a: 1\n"


def test_a_text_that_does_not_parse_is_refused() -> None:
    with pytest.raises(Refused, match=r"cannot be parsed \(syntax\)"):
        apply_one("a: [", AppendNewline(""))


def test_edits_are_offsets_in_code_points() -> None:
    assert edits_of("ü: 1\na_b: 2\n", RenameKey("", ("a_b",), "a-b")) == [Edit(5, 8, "a-b")]


def test_every_other_byte_stays() -> None:
    text = "\ufeff# ü\r\na_b:   [1,  2]   # keep\r\n\r\n\r\nlast: |\r\n   x\r\n"
    assert apply_one(text, RenameKey("", ("a_b",), "a-b")) == text.replace("a_b", "a-b")


def fixed(files: dict[str, str], unsafe: bool = False) -> tuple[dict[str, str], list[str]]:
    def again(replaced: dict[str, bytes]) -> list:  # type: ignore[type-arg]
        return lint({**files, **replaced})

    result = fix_tree(lint(files), lambda path: files[path].encode(), again, unsafe)
    return {path: data.decode() for path, data in result.files.items()}, result.refused


def test_unsafe_fixes_need_to_be_allowed() -> None:
    text = recipe().replace("  type: vllm\n", "  type: vllm\n  prefill_environment: {FINCH_SLOTS: 4}\n")
    files = {PATH: text}
    assert fixed(files) == ({}, [])
    assert fixed(files, unsafe=True) == ({PATH: text.replace("SLOTS: 4", 'SLOTS: "4"')}, [])


def test_a_fix_that_opens_the_way_for_another_is_followed_up() -> None:
    """The comment silences nothing once the key is renamed, and goes in the second round."""
    text = recipe(flag="max_num_seqs").replace("64\n", "64  # reciplint: ignore[env-value-type] -- tried\n")
    files, refused = fixed({PATH: text})
    assert files == {PATH: recipe()}
    assert refused == []


def test_a_block_scalar_at_the_end_gets_its_line_break_only_when_asked() -> None:
    files = {"values.yaml": "text: |\n  a\n  b"}
    assert fixed(files) == ({}, [])
    assert fixed(files, unsafe=True) == ({"values.yaml": "text: |\n  a\n  b\n"}, [])


def test_a_difference_names_a_missing_line_break() -> None:
    assert unified_diff("a.yaml", b"a: 1", b"a: 1\n") == (
        "--- a/a.yaml\n+++ b/a.yaml\n@@ -1 +1 @@\n-a: 1\n\\ No newline at end of file\n+a: 1\n"
    )
