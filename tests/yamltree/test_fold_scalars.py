"""A scalar written once, at an anchor: what comes of it, and what stays as it is."""

from __future__ import annotations

import os
import re
from collections import Counter

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from reciplint.fix.apply import apply_one
from reciplint.yamltree.edit import FoldScalar
from reciplint.yamltree.parse import parse_text

MANY = os.environ.get("RECIPLINT_NIGHTLY") == "1"
FOLD = FoldScalar("", ("p", "long-text"), ("d", "long-text"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "p:\n  long-text: '{a: 1}'  # why\nd:\n  long-text: '{a: 1}'  # here\n  e: 1\n",
            "p:\n  long-text: &worker_long_text '{a: 1}'  # why\nd:\n  long-text: *worker_long_text  # here\n  e: 1\n",
        ),
        # one pair of quotes is as good as another; the anchor that stands there is taken
        (
            "p:\n  long-text: &t \"x\"\nd:\n  long-text: 'x'\n",
            'p:\n  long-text: &t "x"\nd:\n  long-text: *t\n',
        ),
        # over several lines, on a line of its own, beside other anchors
        (
            "p:\n  long-text: 'a\n    b'\nd:\n  long-text: 'a\n     b'\n",
            "p:\n  long-text: &worker_long_text 'a\n    b'\nd:\n  long-text: *worker_long_text\n",
        ),
        (
            "x: &kimi_env {}\np:\r\n  long-text:\r\n    x y\r\nd:\r\n  long-text: x y",
            "x: &kimi_env {}\np:\r\n  long-text:\r\n    &kimi_long_text x y\r\nd:\r\n  long-text: *kimi_long_text",
        ),
        # the lines of a block go, the comments around it stay, and so do the blank lines below
        (
            "p:\n  long-text: |  # why\n    a # b\n\n    c\n"
            "d:\n  long-text: |2  # here\n    a # b\n\n    c\n\n  # of e\n  e: 1\n",
            "p:\n  long-text: &worker_long_text |  # why\n    a # b\n\n    c\n"
            "d:\n  long-text: *worker_long_text  # here\n\n  # of e\n  e: 1\n",
        ),
        # as it is loaded a block is as good as quotes
        (
            "p:\r\n  long-text: 'a b'\r\nd:\r\n  long-text:\r\n    >-\r\n    a\r\n    b",
            "p:\r\n  long-text: &worker_long_text 'a b'\r\nd:\r\n  long-text:\r\n    *worker_long_text",
        ),
        (
            "p:\n  long-text: |+\n    a\n\nd:\n  long-text: |+\n    a\n\nq: 1\n",
            "p:\n  long-text: &worker_long_text |+\n    a\n\nd:\n  long-text: *worker_long_text\n\nq: 1\n",
        ),
        # behind a merge key of the first, an alias, in a mapping of several documents
        (
            "p:\n  <<:\n    long-text: x\nd:\n  long-text: x\n",
            "p:\n  <<:\n    long-text: &worker_long_text x\nd:\n  long-text: *worker_long_text\n",
        ),
        (
            "b: &b\n  long-text: x\np: *b\nd:\n  long-text: x\n---\np: 1\n",
            "b: &b\n  long-text: &worker_long_text x\np: *b\nd:\n  long-text: *worker_long_text\n---\np: 1\n",
        ),
    ],
)
def test_a_text_is_written_once(text: str, expected: str) -> None:
    assert apply_one(text, FOLD) == expected
    assert apply_one(expected, FOLD) == expected


@pytest.mark.parametrize(
    "text",
    [
        "p: &p\n  long-text: x\nd: *p\n",
        "p: &p\n  long-text: x\nd:\n  <<: *p\n  e: 1\n",
        "p:\n  <<: &p\n    long-text: x\nd:\n  <<: *p\n",
    ],
)
def test_what_is_one_text_already_stays(text: str) -> None:
    assert apply_one(text, FOLD) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("p: {long-text: x}\nd:\n  long-text: x\n", "long-text stands in a flow collection"),
        ("d:\n  long-text: x\np:\n  long-text: x\n", "the first does not stand above the second"),
        ("p:\n  long-text: x\nd:\n  long-text: 'x'\n", "they are not spelled alike"),
        ("p:\n  long-text: x\nd:\n  long-text: y\n", "they are not spelled alike"),
        ("p:\n  long-text: x\nd:\n  long-text: &d x\n", "long-text is anchored itself, as &d"),
        ("p:\n  long-text: &t x\nq: &t y\nd:\n  long-text: x\n", "another value is called &t as well"),
        ("p:\n  long-text: !!str x\nd:\n  long-text: x\n", "it carries the tag tag:yaml.org,2002:str"),
        ("p:\n  long-text: |\n    x\nd:\n  long-text: |-\n    x\n", "they are not spelled alike"),
        ("p:\n  long-text: x\nd:\n  long-text: |-\n    x\n", "they are not spelled alike"),
        ("p:\n  long-text: |\n    x\nd:\n  long-text: !t |\n    x\n", "it carries the tag !t"),
        ("p:\n  long-text:\nd:\n  long-text:\n", "it is no scalar that can be written anew"),
        ("p:\n  long-text: x\nb: &b\n  long-text: x\nd: *b\n", "long-text lies behind an alias or a merge key"),
        ("p:\n  long-text: x\nb: &b\n  long-text: x\nd:\n  <<: *b\n", "lies behind an alias or a merge key"),
        ("p:\n  long-text: [x]\nd:\n  long-text: [x]\n", "it is no scalar that can be written anew"),
        ("p:\n  long-text: x\nd: *t\n", "alias"),
        ("p:\n  long-text: x\nd:\n  e: 1\n", "nothing stands at d/long-text"),
        ("p:\n- long-text\nd: x\n", "nothing stands at p/long-text"),
        ("", "nothing stands at p/long-text"),
    ],
)
def test_what_cannot_be_folded_stays(text: str, reason: str) -> None:
    with pytest.raises(Exception, match=reason) as caught:
        apply_one(text, FOLD)
    assert type(caught.value).__name__ in ("Refused", "Unreadable")


_BLOCK, _FOLDED, _KEPT = "|\n    a # b\n\n      c", ">-\n      x\n      y", "|+\n    a\n\n"
_TEXTS = st.sampled_from(
    ("x", "8", "yes", "0.90", "'x'", '"x"', "'8'", '"a # b"', "a\n      b", "''", "é", _BLOCK, _FOLDED, _KEPT)
)
_ALIKE = st.sampled_from(
    (
        *(("x y", "x y"), ("'a # b'", '"a # b"'), ("&t x", "x"), ("8", "8"), ("yes", "yes"), ("''", '""')),
        *((_BLOCK, _BLOCK.replace("|", "|2")), (_FOLDED, "'x y'"), ('"x y"', _FOLDED), (f"&t {_KEPT}", _KEPT)),
    )
)
_COMMENTS = st.sampled_from(("", "", " # why", "\n  # below"))


def _written(value: str, comment: str) -> str:
    """A value with a comment: on its last line or below, but behind the head of a block."""
    if not comment.startswith(" ") or not re.match(r"(?:&t )?[|>]", value):
        return f"{value}{comment}"
    return value.replace("\n", f"{comment}\n", 1)


@settings(max_examples=2_000 if MANY else 100)
@given(st.lists(st.tuples(_TEXTS, _COMMENTS), min_size=2, max_size=6), _ALIKE, st.data(), st.booleans())
def test_random_folds_keep_value_and_comments(
    entries: list[tuple[str, str]], alike: tuple[str, str], data: st.DataObject, dos: bool
) -> None:
    first, second = sorted(
        data.draw(st.lists(st.sampled_from(range(len(entries))), min_size=2, max_size=2, unique=True))
    )
    for number, value in zip((first, second), alike, strict=True):
        entries[number] = (value, entries[number][1])
    text = "".join(f"k{number}:\n  a: {_written(*entry)}\n" for number, entry in enumerate(entries))
    text = text.replace("\n", "\r\n") if dos else text
    operation = FoldScalar("", (f"k{first}", "a"), (f"k{second}", "a"))
    after = apply_one(text, operation)
    assert yaml.safe_load(after) == yaml.safe_load(text)
    assert Counter(c.text for c in parse_text(after).comments) == Counter(c.text for c in parse_text(text).comments)
    assert after.count("\n") <= text.count("\n")
    assert apply_one(after, operation) == after


@pytest.mark.parametrize(
    ("above", "key", "anchor"),
    [
        ("", "UCX_INTERFACE", "worker_ucx_interface"),
        ("x: &kimi-env {}\n", "long_text", "kimi-long-text"),
        ("x: &worker_a_b {}\n", "a.b", "p_a_b"),
        ("", "é", "worker_text"),
    ],
)
def test_an_anchor_is_called_by_the_key_as_others_are(above: str, key: str, anchor: str) -> None:
    text = f"{above}p:\n  {key}: x\nd:\n  {key}: x\n"
    expected = f"{above}p:\n  {key}: &{anchor} x\nd:\n  {key}: *{anchor}\n"
    assert apply_one(text, FoldScalar("", ("p", key), ("d", key))) == expected
