"""The text of new entries: whatever is said, valid YAML that says it, after untouched bytes, in the file's manner."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from reciplint.domain.changelog_draft import named
from reciplint.domain.changelog_entry import (
    Manner,
    NewEntry,
    NotAppended,
    entry_text,
    manner_of,
    quoted,
    with_entries,
)
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.problem import Unreadable
from reciplint.yamltree.scalars import value_12

NEW = NewEntry(("finch-fp8",), ("Change image",), "https://github.com/example/bench/pull/7", ("agentic-coding",))

BASES = st.sampled_from(
    [
        b"",
        b"\xef\xbb\xbf",
        b"# only a comment\n",
        b"---\n",
        b"- config-keys: [a]\n  description: [b]\n  pr-link: c\n",
        b"- config-keys: [a]\n  description: [b]\n  pr-link: c",
        b"- config-keys:\n  - a\n  description:\n  - 'b'\n  pr-link: c\n\n",
        b'- config-keys:\n    - a\n  description:\n    - "b"\n  pr-link: c\n  \n',
        b'- config-keys:\n    - a\n  description:\n    - "b"\n  pr-link: c\n  ',
        b"- config-keys:\r\n    - a\r\n  description:\r\n    - b\r\n  pr-link: c\r\n",
        b"  - config-keys:\n    - a\n    description: [b]\n    pr-link: c\n# the end\n",
    ]
)


@given(
    BASES,
    st.lists(st.text(min_size=1), min_size=1, max_size=3),
    st.lists(st.text(min_size=1), min_size=1, max_size=3),
    st.text(min_size=1),
)
@example(b"", ["*-fp8"], ["1:30", "yes", "# no comment", "- x: y", "a\u2028b\x85c\x00d\x7f\ufeff😀"], "no")
def test_whatever_is_said_stands_there_after_untouched_bytes(
    base: bytes, keys: list[str], description: list[str], link: str
) -> None:
    after = with_entries(base, [NewEntry(tuple(keys), tuple(description), link)])
    assert after.startswith(base)
    assert after.endswith(b"\n")
    assert not after.endswith(b"\n\n")
    items = yaml.safe_load(after)
    assert items[-1] == {"config-keys": keys, "description": description, "pr-link": link}
    assert len(items) == len(yaml.safe_load(base) or []) + 1


@given(st.text(), st.sampled_from(["", "'", '"']))
@example("=", "")
@example("<<", "")
def test_a_scalar_is_one_line_and_text_for_both_yamls(text: str, quote: str) -> None:
    written = quoted(text, quote)
    assert "\n" not in written
    assert yaml.safe_load(f"- {written}\n") == [text]
    if written[0] not in "\"'":
        assert value_12(written) == text


@pytest.mark.parametrize(
    ("base", "between"),
    [
        (b"- config-keys: [a]\n", b"\n"),
        (b"- config-keys: [a]", b"\n\n"),
        (b"- config-keys: [a]\n\n", b""),
        (b"- config-keys: [a]\n\n\n", b""),
        (b"- config-keys: [a]\n  \n", b"\n"),
        (b"- config-keys: [a]\n  ", b"\n\n"),
        (b"- config-keys: [a]\r\n", b"\n"),
        (b"- config-keys: [a]\r\n\r\n", b""),
        (b"", b""),
    ],
)
def test_the_separator_is_what_the_tail_demands(base: bytes, between: bytes) -> None:
    text = entry_text(NEW, manner_of(parse_text(base.decode()))).encode()
    assert with_entries(base, [NEW, NEW]) == base + between + text + b"\n\n" + text + b"\n"


def test_the_manner_is_that_of_the_last_entries() -> None:
    old = '- config-keys:\n    - a\n  description:\n    - "b"\n  pr-link: c\n'
    new = "- config-keys:\n  - 'a'\n  description:\n  - 'b'\n  pr-link: \"c\"\n"
    assert manner_of(parse_text(old)) == Manner(0, 2, "", '"', "")
    assert manner_of(parse_text(old + 5 * new)) == Manner(0, 0, "'", "'", '"')
    assert manner_of(parse_text("- {config-keys: [a]}\n")) == Manner()
    assert entry_text(NEW, manner_of(parse_text(new))) == (
        "- config-keys:\n  - 'finch-fp8'\n  scenario-type:\n  - agentic-coding\n  description:\n  - 'Change image'\n"
        '  pr-link: "https://github.com/example/bench/pull/7"'
    )


@pytest.mark.parametrize("base", [b"[]\n", b"a: 1\n", b"- a\n---\n- b\n", b"- a\n...\n"])
def test_what_is_no_open_list_is_refused(base: bytes) -> None:
    with pytest.raises((NotAppended, Unreadable)):
        with_entries(base, [NEW])


KNOWN = ("finch-fp4-b200-vllm", "finch-fp8-b200-vllm", "finch-fp8-b300-vllm", "wren-fp8-b200-vllm", "finch-fp8-b200")


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("finch-fp8-b200-vllm", "finch-fp8-b300-vllm"), ("finch-fp8-*-vllm",)),
        (("finch-fp8-b200-vllm", "wren-fp8-b200-vllm"), ("*-fp8-b200-vllm",)),
        (("finch-fp4-b200-vllm", "finch-fp8-b300-vllm"), ("finch-fp4-b200-vllm", "finch-fp8-b300-vllm")),
        (("finch-fp8-b200-vllm",), ("finch-fp8-b200-vllm",)),
        (("finch-fp8-b200-vllm", "finch-fp8-b300-vllm", "finch-fp8-b200"), ("finch-fp8-*",)),
    ],
)
def test_a_wildcard_names_exactly_the_changed_keys(keys: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert named(keys, KNOWN) == expected
