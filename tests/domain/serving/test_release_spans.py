"""Whether a release certainly lacks a name."""

from __future__ import annotations

import pytest

from reciplint.domain.releases import Span, version
from reciplint.domain.serving.release_spans import lacking, told

VERSIONS = ("1.0.0", "1.1.0", "1.3.0")


@pytest.mark.parametrize(
    ("span", "release", "expected"),
    [
        ((), "1.0.0", ""),
        (("1.1.0",), "nightly", ""),
        (("1.1.0",), "1.0.0", "new"),
        (("1.1.0",), "0.9.0", "new"),
        (("1.1.0",), "1.1.0", ""),
        (("1.1.0",), "1.2.0", ""),
        (("1.3.0",), "1.1.0", "new"),
        (("1.3.0",), "1.2.0", ""),  # between two that differ
        (("1.3.0",), "2.0.0", ""),
        ((None, "1.1.0"), "1.3.0", "gone"),
        ((None, "1.1.0"), "1.2.0", ""),
        ((None, "1.0.0"), "1.2.0", "gone"),
        ((None, "1.0.0"), "2.0.0", "gone"),
        ((None, "1.0.0"), "0.9.0", ""),
        (("1.1.0", "1.1.0"), "1.0.0", "new"),
    ],
)
def test_what_a_release_lacks(span: Span, release: str, expected: str) -> None:
    assert lacking(span, version(release), VERSIONS) == expected


def test_spans_in_words() -> None:
    assert told(("1.1.0",)) == "since 1.1.0"
    assert told((None, "1.1.0")) == "until 1.1.0"
    assert told(("1.0.0", "1.1.0")) == "from 1.0.0 to 1.1.0"
