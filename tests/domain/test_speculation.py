"""Draft lengths are whole numbers, however they are written; what is none is left to the engine's default."""

from __future__ import annotations

import pytest

from reciplint.domain.speculation import read_speculation


@pytest.mark.parametrize(
    ("written", "tokens"),
    [(3, 3), ("3", 3), ("²", None), ("٣", None), ("9" * 5000, None), (True, None), (None, None), ("three", None)],
)
def test_a_draft_length_is_a_whole_number_or_not_told(written: object, tokens: int | None) -> None:
    flags = {"speculative-algorithm": "EAGLE", "speculative-num-steps": written}
    found = read_speculation("sglang", flags)
    assert found is not None
    assert found.tokens == tokens
