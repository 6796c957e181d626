"""The changelog: its entries, which of them are new, and what they cover."""

from __future__ import annotations

import pytest

from reciplint.domain.changelog import Changelog, added_entries, matches, read_changelog
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.spans import Span
from support import changed


def read(text: str) -> Changelog:
    return read_changelog(parse_text(text))


ENTRY = """\
- config-keys: [finch-fp8-b200-vllm, "wren-*"]
  description:
  - Bump the image
  scenario-type: [agentic-coding]
  append-only: true
  pr-link: https://github.com/example/bench/pull/7
"""


def test_an_entry_with_its_places() -> None:
    (entry,) = read(ENTRY).entries
    assert [(key.text, key.span) for key in entry.keys] == [
        ("finch-fp8-b200-vllm", Span(1, 17, 1, 36)),
        ("wren-*", Span(1, 38, 1, 46)),
    ]
    assert entry.span.line == 1
    assert [text.text for text in entry.description] == ["Bump the image"]
    assert entry.scenario_types == ("agentic-coding",)
    assert entry.flags == {"append-only": True}
    assert entry.pr_link is not None
    assert entry.pr_link.span.line == 6


@pytest.mark.parametrize(
    ("pattern", "key", "expected"),
    [
        ("a-b", "a-b", True),
        ("a-b", "a-bc", False),
        ("a-*", "a-bc", True),
        ("*-vllm", "a-vllm", True),
        ("*-vllm", "a-vllm-mtp", False),
        ("a*c*e", "abcde", True),
        ("*", "anything", True),
        ("a.c", "abc", False),
        ("a[bc]", "ab", False),
    ],
)
def test_wildcards_match_the_whole_key(pattern: str, key: str, expected: bool) -> None:
    assert matches(pattern, key) is expected


@pytest.mark.parametrize(
    ("key", "kind", "expected"),
    [
        ("finch-fp8-b200-vllm", "agentic-coding", True),
        ("finch-fp8-b200-vllm", "fixed-seq-len", False),
        ("wren-fp4", "agentic-coding", True),
        ("owl", "agentic-coding", False),
    ],
)
def test_an_entry_covers_its_keys_in_its_scenarios(key: str, kind: str, expected: bool) -> None:
    assert read(ENTRY).entries[0].covers(key, kind) is expected


def test_an_entry_without_scenarios_covers_them_all() -> None:
    (entry,) = read(changed("finch")).entries
    assert all(entry.covers("finch", kind) for kind in ("fixed-seq-len", "agentic-coding"))


def added(base: str, head: str) -> list[list[str]]:
    return [[key.text for key in entry.keys] for entry in added_entries(read(base), read(head))]


def test_what_is_new_is_told_by_meaning() -> None:
    base = changed("one") + "\n" + changed("two")
    assert added(base, base) == []
    assert added(base, base + "\n" + changed("three")) == [["three"]]
    assert added(base, changed("three") + base) == [["three"]]
    assert added(base, base.replace('"', "'") + "# end\n") == []
    assert added(base, changed("two") + changed("one")) == []
    assert added(base, changed("one")) == []


def test_the_same_entry_once_more_is_new() -> None:
    base = changed("one")
    assert added(base, base + base + base) == [["one"], ["one"]]


def test_against_no_changelog_everything_is_new() -> None:
    assert len(added_entries(None, read(changed("one")))) == 1
    assert added_entries(read(changed("one")), None) == []


@pytest.mark.parametrize("text", ["", "{}\n", "x\n", "- 1\n- [a]\n- null\n"])
def test_what_has_not_the_shape_is_left_out(text: str) -> None:
    assert read(text).entries == ()


def test_single_values_stand_for_lists() -> None:
    (entry,) = read("- config-keys: one\n  description: text\n  pr-link: [1]\n").entries
    assert ([key.text for key in entry.keys], [text.text for text in entry.description]) == (["one"], ["text"])
    assert entry.pr_link is None
