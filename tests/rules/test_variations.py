"""The helper that varies a text: each of its ways is taken, and the value never changes (it asserts that itself)."""

from __future__ import annotations

import re

import pytest
from variations import harmless, variations

TEXT = """\
name: 'a: b'  # said
sizes: [1, 2, 3]
prefill: {tensor-parallel-size: 4, flag: true, env: {A: "1", B: 'x y'}}
decode: {tensor-parallel-size: 4, flag: true, env: {A: "1", B: 'x y'}}
wide: {tensor-parallel-size: 4, flag: true, env: {A: "1", B: 'x y'}, more: null, text: "one\\ntwo"}
numbers: {octal: 0o10, big: 1_000, version: "1.10", day: 2026-08-20, off: "off", not: off}
"""


def test_a_seed_gives_one_text_and_seeds_give_different_ones() -> None:
    assert harmless(TEXT, 3) == harmless(TEXT, 3)
    assert len(set(variations(TEXT, 200))) == 200


@pytest.mark.parametrize(
    "pattern",
    [
        r"^\s*# ",
        r"\S  # ",
        r"&a[0-9a-f]+",
        r": \*a[0-9a-f]+",
        r"<<: \*a",
        r"sizes: \[1, 2, 3\]",
        r"\n\s*- 1\n",
        r"name: \"a: b\"",
        r"name: 'a: b'",
        r"prefill: *\n",
        r"prefill: \{",
        r"\A(?!name)",
        r"text: \|-\n",
        r"\n    \S",
    ],
)
def test_every_way_of_writing_is_taken(pattern: str) -> None:
    assert any(re.search(pattern, text.replace("'name'", "name"), re.MULTILINE) for text in variations(TEXT, 200))


def test_merge_keys_and_aliases_of_the_text_are_written_out_or_folded_anew() -> None:
    text = "a: &x {one: 1, two: 2}\nb: {<<: *x, two: 3}\nc: *x\n"
    assert any("<<" not in varied and "*" not in varied for varied in variations(text, 20))
