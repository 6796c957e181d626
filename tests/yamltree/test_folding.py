"""What two mappings share is written once, every value and comment staying."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from random import Random

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reciplint.fix.apply import apply_one
from reciplint.fix.prove import Unproved, prove
from reciplint.yamltree.edit import FoldMap, Refused
from reciplint.yamltree.parse import parse_text

MANY = os.environ.get("RECIPLINT_NIGHTLY") == "1"
"""Whether 2,000 random folds of either kind are made, instead of 100."""


def fold(*kept: str) -> FoldMap:
    return FoldMap("", ("p",), ("d",), "config", kept)


SHARED = "  a: 1\n  b: '2'\n  c: x\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"p:\n{SHARED}d:\n{SHARED}e: 1\n", f"p: &worker_config\n{SHARED}d: *worker_config\ne: 1\n"),
        (
            f"p: # why\n{SHARED}d: # where\n{SHARED}  e: 1\n",
            f"p: &worker_config # why\n{SHARED}d: # where\n  <<: *worker_config\n  e: 1\n",
        ),
        (f"p: &old\n{SHARED}d:\n{SHARED}  e: 1\n", f"p: &old\n{SHARED}d:\n  <<: *old\n  e: 1\n"),
        (
            f"v: &kimi-env {{}}\np:\n{SHARED}d:\n{SHARED}  e: 1\n",
            f"v: &kimi-env {{}}\np: &kimi-config\n{SHARED}d:\n  <<: *kimi-config\n  e: 1\n",
        ),
        (
            f"p:\n{SHARED}  e: 1\nd:\n  f: 2\n{SHARED}",
            "p:\n  <<: &worker_config\n    a: 1\n    b: '2'\n    c: x\n  e: 1\nd:\n  <<: *worker_config\n  f: 2\n",
        ),
        (
            f"p:\n  # of a\n  a: 1 # too\n{SHARED[7:]}  e: [1, 2]\nd:\n  # of a\n  a: 1 # too\n\n  # of b\n"
            f"{SHARED[7:]}  e: [1, 2]\n",
            f"p: &worker_config\n  # of a\n  a: 1 # too\n{SHARED[7:]}  e: [1, 2]\nd:\n  <<: *worker_config\n"
            "  # of b\n  b: '2'\n",
        ),
        (
            f"p:\n{SHARED}  e: 1\nd:\n{SHARED}  e: 1\n  # of e\nf: 1\n",
            f"p: &worker_config\n{SHARED}  e: 1\nd:\n  <<: *worker_config\n  e: 1\n  # of e\nf: 1\n",
        ),
    ],
)
def test_what_is_shared_is_written_once(text: str, expected: str) -> None:
    assert apply_one(text, fold()) == expected


def test_a_kept_key_stays_in_both_at_its_place() -> None:
    text = f"p:\n{SHARED}  e: 1\n  s: 7\nd:\n{SHARED}  s: 7\n"
    shared = "  <<: &worker_config\n    a: 1\n    b: '2'\n    c: x\n"
    expected = f"p:\n{shared}  e: 1\n  s: 7\nd:\n  <<: *worker_config\n  s: 7\n"
    assert apply_one(text, fold("s")) == expected


@pytest.mark.parametrize(
    ("comment", "is_idle"),
    [("# tp: 8", True), ("#- x: [1]", True), ("# NCCL_DEBUG: INFO", True), ("# why: x", True), ("# Why: x", False)],
)
def test_a_setting_that_was_commented_out_is_not_moved_to_what_both_share(comment: str, is_idle: bool) -> None:
    text = f"p:\n  f: 0\n  {comment}\n{SHARED}  e: 1\nd:\n  f: 0\n{SHARED}"
    moved = f"  <<: &worker_config\n    f: 0\n    {comment}\n    a: 1\n    b: '2'\n    c: x\n  e: 1\n"
    stayed = f"  <<: &worker_config\n    f: 0\n    b: '2'\n    c: x\n  {comment}\n  a: 1\n  e: 1\n"
    rest = "  <<: *worker_config\n  a: 1\n" if is_idle else "  <<: *worker_config\n"
    assert apply_one(text, fold()) == f"p:\n{stayed if is_idle else moved}d:\n{rest}"
    alone = text.replace("  e: 1\n", "")  # the first one's own lines stay where they are
    assert apply_one(alone, fold()) == f"p: &worker_config\n  f: 0\n  {comment}\n{SHARED}d: *worker_config\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("p: {a: 1, b: 2, c: 3}\nd: {a: 1, b: 2, c: 3}\n", "p is no mapping on lines of its own"),
        (f"x: &x {{}}\np:\n{SHARED}d:\n  <<: *x\n{SHARED}", "d merges another mapping already"),
        (f"p:\n{SHARED}d: &d\n{SHARED}e: *d\n", "d is anchored itself, as &d"),
        (f"p:\n{SHARED}d:\n{SHARED}  a: 2\n", "d has a key twice, or one that is no text"),
        (f"d:\n{SHARED}p:\n{SHARED}", "the first stands below the second"),
        (f"p:\n{SHARED}d:\n{SHARED[:-1]}", "the file ends without a line break"),
        (f"p: &p\n{SHARED}  e: 1\nd:\n{SHARED}q: *p\n", "the first is merged elsewhere, as &p, with keys that the"),
        ("p:\n  a: 1\n  b: yes\n  c: 3\nd:\n  a: 1\n  b: true\n  c: 3\n", "fewer than 3 of their keys can be written"),
        ("p:\n  a: &a 1\n  b: 2\n  c: *a\nd:\n  a: !!int 1\n  b: 2\n  c: 1\n", "fewer than 3 of their keys can be wri"),
    ],
)
def test_what_cannot_be_folded_stays(text: str, reason: str) -> None:
    with pytest.raises(Refused) as caught:
        apply_one(text, fold())
    assert str(caught.value).startswith(reason)


def test_a_value_that_came_out_otherwise_is_not_proved() -> None:
    tree = parse_text(f"p:\n{SHARED}d:\n{SHARED}  e: 1\n")
    with pytest.raises(Unproved):
        prove(tree, f"p: &x\n{SHARED}d:\n  <<: *x\n  e: 2\n", fold())
    with pytest.raises(Unproved):
        prove(tree, f"p: &x\n{SHARED}d:\n  <<: *x\n  e: 1\n  c: y\n", fold())


_VALUES = st.sampled_from(
    (
        "1",
        "yes",
        "'yes'",
        "0.90",
        "fp8",
        '"a # b"',
        "[1, 2]",
        "{x: 1}",
        "|\n    a\n\n    b",
        "\n    x: 1\n    y: [2]",
        "''",
    )
)
_COMMENTS = st.sampled_from(("", "", "", "  # one\n", "  # two\n", "\n", "\n  # one\n\n"))
_ENTRIES = st.dictionaries(st.sampled_from("abcdefghs"), st.tuples(_COMMENTS, _VALUES), min_size=1, max_size=9)


def _written(entries: dict[str, tuple[str, str]]) -> str:
    return "".join(f"{comment}  {key}: {value}\n" for key, (comment, value) in entries.items())


@settings(max_examples=2_000 if MANY else 100)
@given(_ENTRIES, _ENTRIES, st.sets(st.sampled_from("abcdefgh"), max_size=7), st.booleans())
def test_random_maps_keep_value_and_comments(
    first: dict[str, tuple[str, str]], second: dict[str, tuple[str, str]], same: set[str], dos: bool
) -> None:
    second = {key: first.get(key, value) if key in same else value for key, value in second.items()}
    second |= {key: first[key] for key in sorted(same & set(first))}
    text = f"# top\np:\n{_written(first)}d: # head\n{_written(second)}e: 1 # end\n"
    text = text.replace("\n", "\r\n") if dos else text
    try:
        after = apply_one(text, fold("s"))
    except Refused:
        assume(False)
    assert yaml.safe_load(after) == yaml.safe_load(text)
    before_comments, after_comments = (Counter(c.text for c in parse_text(one).comments) for one in (text, after))
    assert set(before_comments) == set(after_comments)
    assert after.count("\r\n") == (after.count("\n") if dos else 0)
    with pytest.raises(Refused):
        apply_one(after, fold("s"))


@pytest.mark.corpus
def test_random_maps_of_real_recipes_keep_value_and_comments(corpus_repo: Path) -> None:
    random, folds = Random(7), 0
    recipes = sorted(corpus_repo.glob("benchmarks/**/*.yaml"))
    while folds < (2_000 if MANY else 100):
        text = random.choice(recipes).read_bytes().decode()
        maps = [(path, node) for path, node in parse_text(text).mappings() if not node.flow and len(node.entries) > 2]
        if len(maps) < 2:
            continue
        (first, _), (second, node) = sorted(random.sample(maps, 2), key=lambda item: item[1].start)
        names = [entry.name or "" for entry in node.entries]
        operation = FoldMap("", first, second, "config", tuple(random.sample(names, random.choice((0, 0, 1)))))
        try:
            after = apply_one(text, operation)
        except Refused:
            continue
        folds += 1
        assert yaml.load(after, yaml.CSafeLoader) == yaml.load(text, yaml.CSafeLoader)
        assert {comment.text for comment in parse_text(after).comments} == {c.text for c in parse_text(text).comments}
        with pytest.raises(Refused):
            apply_one(after, operation)
