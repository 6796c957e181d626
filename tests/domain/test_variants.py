"""Variants of a recipe file, merged as srt-slurm merges them."""

from __future__ import annotations

import pytest

from reciplint.domain.variants import MAX_POINTS, expand, is_bundle, merge


def variants(recipe: dict[str, object]) -> dict[str, dict[str, object]]:
    return dict(expand(recipe))


def test_a_plain_recipe_is_one_variant() -> None:
    assert not is_bundle({"name": "x"})
    assert not is_bundle({"base": "x"})
    assert variants({"name": "x"}) == {"": {"name": "x"}}


def test_overrides_lie_over_the_base() -> None:
    found = variants(
        {"schema": 2, "base": {"a": 1, "b": {"c": 1, "d": 2}}, "override_x": {"b": {"c": 9}}, "note": "no variant"}
    )
    assert found == {
        "base": {"schema": 2, "a": 1, "b": {"c": 1, "d": 2}},
        "override_x": {"schema": 2, "a": 1, "b": {"c": 9, "d": 2}},
    }


@pytest.mark.parametrize(
    ("below", "above", "expected"),
    [
        ({"a": 1}, {"a": None}, {}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": None}}, {"a": {"c": 2}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": {"b": 1}}, {"a": 2}, {"a": 2}),
        ({"a": 1}, {"a": {"b": 2}}, {"a": {"b": 2}}),
        ({}, {"a": {"b": None, "c": 1}}, {"a": {"c": 1}}),
        ({"a": 1}, {"b": None}, {"a": 1}),
    ],
)
def test_merging(below: dict[str, object], above: dict[str, object], expected: dict[str, object]) -> None:
    before = repr((below, above))
    assert merge(below, above) == expected
    assert repr((below, above)) == before


def test_lists_of_a_zip_group_are_its_axes() -> None:
    found = variants({"base": {"a": 0}, "zip_override_x": {"a": [1, 2, 3], "b": {"c": [7]}, "d": 5}})
    assert {name: value for name, value in found.items() if name != "base"} == {
        "zip_override_x[0]": {"a": 1, "b": {"c": 7}, "d": 5},
        "zip_override_x[1]": {"a": 2, "b": {"c": 7}, "d": 5},
        "zip_override_x[2]": {"a": 3, "b": {"c": 7}, "d": 5},
    }


def test_a_list_in_a_list_is_a_value() -> None:
    found = variants({"base": {}, "zip_override_x": {"sizes": [[1, 2], [3]], "same": [[4, 5]]}})
    assert found["zip_override_x[0]"] == {"sizes": [1, 2], "same": [4, 5]}
    assert found["zip_override_x[1]"] == {"sizes": [3], "same": [4, 5]}


def test_a_null_at_a_point_deletes_there_only() -> None:
    found = variants({"base": {"a": 1}, "zip_override_x": {"a": [None, 2]}})
    assert (found["zip_override_x[0]"], found["zip_override_x[1]"]) == ({}, {"a": 2})


def test_a_group_of_too_many_points_is_cut() -> None:
    assert len(variants({"base": {}, "zip_override_x": {"a": list(range(MAX_POINTS * 10))}})) == MAX_POINTS + 1


@pytest.mark.parametrize("group", [1, None, [1], {}, {"a": []}, {"a": {}}])
def test_odd_groups(group: object) -> None:
    assert "base" in variants({"base": {"a": 1}, "zip_override_x": group, "override_y": group})
