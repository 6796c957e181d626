"""The 1.1 and 1.2 views of scalars, and loading as PyYAML loads."""

from __future__ import annotations

import math
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from yaml_documents import DOCUMENTS, as_json

from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.scalars import contains_alias, load, resolve_11, same_value, value_11, value_12
from reciplint.yamltree.tree import Concrete, Mapping


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("yes", True, "yes"),
        ("Off", False, "Off"),
        ("y", "y", "y"),
        ("true", True, True),
        ("1:30", 90, "1:30"),
        ("1:30.5", 90.5, "1:30.5"),
        ("04:00:00", "04:00:00", "04:00:00"),
        ("010", 8, 10),
        ("08", "08", 8),
        ("0o10", "0o10", 8),
        ("1e3", "1e3", 1000.0),
        ("1.5e+3", 1500.0, 1500.0),
        ("0x1F", 31, 31),
        ("+1", 1, 1),
        ("~", None, None),
        ("", None, None),
        ("2026-01-02", "2026-01-02", "2026-01-02"),
        ("2026-13-45", "2026-13-45", "2026-13-45"),
        ("=", "=", "="),
        ("<<", "<<", "<<"),
    ],
)
def test_two_views_of_a_plain_scalar(text: str, old: Any, new: Any) -> None:
    assert (type(value_11(text)), value_11(text)) == (type(old), old)
    assert (type(value_12(text)), value_12(text)) == (type(new), new)


def test_nan_and_infinity() -> None:
    assert math.isnan(value_11(".nan"))
    assert value_11("-.INF") == value_12("-.INF") == -math.inf


@given(st.text(alphabet="0123456789.:_+-eExobynsaftru~", max_size=8))
def test_the_1_1_view_is_that_of_pyyaml(text: str) -> None:
    try:
        expected = yaml.load(f"[{text}]", yaml.CSafeLoader)
        if len(expected) != 1 or isinstance(expected[0], dict):
            return
    except (yaml.YAMLError, ValueError):
        return
    scalar = parse_text(f"[{text}]").scalars[0]
    assert not scalar.style
    assert same_value(value_11(scalar.value), as_json(expected[0]))


def test_resolve_gives_the_short_tag() -> None:
    assert [resolve_11(text) for text in ("1", "a", "2026-01-02", "<<")] == ["int", "str", "timestamp", "merge"]


@given(DOCUMENTS)
def test_load_is_what_pyyaml_loads(text: str) -> None:
    tree = parse_text(text)
    expected = [as_json(value) for value in yaml.load_all(text, yaml.CSafeLoader)]
    assert [repr(load(document)) for document in tree.documents] == [repr(value) for value in expected]


MERGES = [
    "a: &a {xx: 1, yy: 1}\nb: {<<: *a, xx: 2}\n",
    "a: &a {xx: 1, yy: 1}\nb: {xx: 2, <<: *a}\n",
    "a: &a {xx: 1}\nb: &b {xx: 2, zz: 3}\nc: {<<: *a, <<: *b}\n",
    "a: &a {xx: 1}\nb: &b {<<: *a, yy: 2}\nc: {<<: *b, zz: 3}\n",
    "a: &a {xx: 1, xx: 2}\nb: {<<: *a}\n",
    "a: {<<: {xx: 1}, yy: 2}\n",
    "a: {<<: [], yy: 2}\n",
    'a: {"<<": {xx: 1}}\n',
    "a: &a {xx: 1}\nb: {<<: *a, xx: 2, xx: 3}\n",
]


@pytest.mark.parametrize("text", MERGES)
def test_merge_precedence_is_that_of_pyyaml(text: str) -> None:
    root = parse_text(text).root
    expected = yaml.safe_load(text)
    assert load(root) == expected
    assert isinstance(root, Mapping)
    for name, value in expected.items():
        node = root.get(name)
        assert isinstance(node, Mapping)
        assert list(node.effective()) == list(value)
        assert {key: load(entry.value) for key, entry in node.effective().items()} == value
        for key in value:
            assert load(node.get(key)) == value[key]


def test_the_first_of_a_merge_list_wins() -> None:
    """As the merge key's text has it, and PyYAML up to 6.0.2 at least; 6.0.4 lets the last win, by accident."""
    root = parse_text("a: &a {xx: 1}\nb: &b {xx: 2, yy: 2}\nc: {<<: [*a, *b]}\n").root
    assert load(root)["c"] == {"xx": 1, "yy": 2}


def test_keys_load_as_json_text() -> None:
    assert load(parse_text("1: a\nyes: b\n~: c\n'2': d\n1.50: e\n").root) == {
        "1": "a",
        "true": "b",
        "null": "c",
        "2": "d",
        "1.50": "e",
    }


def test_same_value_tells_types_apart() -> None:
    assert same_value({"a": [1, math.nan]}, {"a": [1, math.nan]})
    assert same_value({"a": 1, "b": 2}, {"b": 2, "a": 1})
    for left, right in ((1, True), (1, 1.0), ("1", 1), ([1], [1, 1]), ({"a": 1}, {"b": 1}), (None, "null"), ([1], [2])):
        assert not same_value(left, right)


def root_of(text: str) -> Concrete:
    root = parse_text(text).root
    assert root is not None
    return root


def test_the_deepest_readable_text_loads_within_the_stack() -> None:
    lines = ["a0: &a0 [1]"] + [f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 99)]
    value = load(root_of("\n".join(lines)))["a98"]
    for _ in range(99):
        [value] = value
    assert value == 1


def test_contains_alias() -> None:
    assert not contains_alias(root_of("a: &x [1, {b: 2}]\n"))
    assert contains_alias(root_of("a: &x 1\nb: [{c: *x}]\n"))
    assert contains_alias(root_of("a: &x 1\n? *x\n: 2\n"))
