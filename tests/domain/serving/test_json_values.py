"""JSON within flags: values, places, unknown variables, faults."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reciplint.domain.serving.json_values import JsonFault, Unknown, read_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 1]))
def test_whatever_json_writes_is_read_back_and_each_place_holds_its_value(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    found = read_json(text)
    assert found.value == value
    for place in found.places:
        inner = value
        for part in place.path:
            inner = inner[part]
        assert json.loads(text[slice(*place.value)]) == inner
        if place.path and isinstance(place.path[-1], str):
            assert json.loads(text[slice(*place.key)]) == place.path[-1]


def test_a_variable_may_stand_for_a_value() -> None:
    assert read_json('{"a":${N},"b":[$(date)]}').value == {"a": Unknown("${N}"), "b": [Unknown("$(date)")]}


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("{a:1}", 1),
        ("{'a':1}", 1),
        ('{"a":1,}', 7),
        ('{"a":1', 6),
        ("", 0),
        ("[1] x", 4),
        ('{"a":True}', 5),
        ("[01]", 2),
    ],
)
def test_what_is_no_json_is_told_with_its_place(text: str, position: int) -> None:
    with pytest.raises(JsonFault) as caught:
        read_json(text)
    assert caught.value.position == position


def test_deep_text_is_a_fault_and_no_crash() -> None:
    with pytest.raises(JsonFault):
        read_json("[" * 5000)
