"""Slips of names, told from names that only look alike."""

from __future__ import annotations

import pytest

from reciplint.domain.near_names import meant

LABELS = ["b200", "b200-north", "cluster:b200-south", "cluster:mi300x-east", "cluster:mi325x-west"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("b200-nort", "b200-north"),
        ("b200-nroth", "b200-north"),
        ("b200-northe", "b200-north"),
        ("b200-norsh", "b200-north"),
        ("b200_North", "b200-north"),
        ("b200-south", "cluster:b200-south"),
        ("cluster:b200-north", "b200-north"),
    ],
)
def test_a_slip(text: str, name: str) -> None:
    assert meant(text, LABELS) == name


@pytest.mark.parametrize(
    "text", ["cluster:mi325x-east", "b300-north", "b200-so", "mi300x", "north-b200", "b200-nrt", "", "*"]
)
def test_another_name(text: str) -> None:
    """Numbers, words that are missing, short words and two letters are no slip."""
    assert meant(text, LABELS) is None


def test_short_words_are_other_words() -> None:
    assert meant("disagg-1p1d-tp4.yaml", ["disagg-1p1d-tep4.yaml", "disagg-1p1d-dep4.yaml"]) is None


def test_two_that_may_be_meant_are_none() -> None:
    assert meant("finch-fp8-vlln", ["finch-fp8-vllm", "finch-fp8-vllx"]) is None
    assert meant("finch-fp8-vlln", ["finch-fp8-vllm", "finch-fp4-vllm"]) == "finch-fp8-vllm"


def test_a_name_is_no_slip_of_itself() -> None:
    assert meant("b200", LABELS) is None
