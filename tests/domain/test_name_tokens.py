"""The words of names, read."""

from __future__ import annotations

import pytest

from reciplint.domain.name_tokens import Token, read_name, says_more, words_of


def said(name: str) -> list[tuple[str, str]]:
    """Topic and usual spelling, numbers or sizes of each word."""

    def what(token: Token) -> str:
        if token.sizes:
            return "".join(f"{kind}{size}" for kind, size in token.sizes) + (f" {token.role}" if token.role else "")
        numbers = ",".join("-" if number is None else str(number) for number in token.numbers)
        return f"{token.word}{numbers}"

    return [(token.topic, what(token)) for token in read_name(name)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("2p4d", [("workers", "2,4")]),
        ("1p-tp4-5d-tp8", [("workers", "1,-"), ("shape", "tp4"), ("workers", "-,5"), ("shape", "tp8")]),
        ("ctx2_gen1_dep32", [("workers", "2,-"), ("workers", "-,1"), ("shape", "dep32")]),
        (
            "ctx1dep4_gen5tep8",
            [("workers", "1,-"), ("shape", "dep4 prefill"), ("workers", "-,5"), ("shape", "tep8 decode")],
        ),
        ("tp8pp2", [("shape", "tp8pp2")]),
        ("tp16dp2ep32", [("shape", "tp16dp2ep32")]),
        ("dep4tp4", [("shape", "dep4"), ("shape", "tp4")]),
        ("tp4p-tp8d", [("shape", "tp4 prefill"), ("shape", "tp8 decode")]),
        ("dcp8-pcp8", [("shape", "dcp8"), ("shape", "pcp8")]),
        ("mtp", [("draft", "mtp-")]),
        ("MTP3", [("draft", "mtp3")]),
        ("dspark7-eagle3", [("draft", "dspark7"), ("draft", "eagle3-")]),
        ("mtp0-stp-nospec-nomtp", [("draft", "nodraft0")] * 4),
        ("maxseq2-c64", [("sequences", "2"), ("concurrency", "64")]),
        ("GB300-h200-mi355x", [("gpu", "gb300"), ("gpu", "h200"), ("gpu", "mi355x")]),
        (
            "nvfp4-mxfp8-bf16-int4",
            [("precision", "fp4"), ("precision", "fp8"), ("precision", "bf16"), ("precision", "int4")],
        ),
        ("agg-disagg", [("serving", "agg"), ("serving", "disagg")]),
        ("8k1k", [("lengths", "8k1k")]),
        ("low-latency_mid-curve_maxtpt", [("tier", "low"), ("tier", "mid"), ("tier", "max")]),
    ],
)
def test_the_words_that_are_known(name: str, expected: list[tuple[str, str]]) -> None:
    assert said(name) == expected


@pytest.mark.parametrize(
    "name",
    [
        "qwen3.5",
        "cu130",
        "jid2530006",
        "-4-",
        "b128",
        "batch16",
        "eplb0",
        "max-tp",
        "k2.5",
        "v4",
        "2n",
        "low",
        "c",
        "x64",
    ],
)
def test_other_words_say_nothing(name: str) -> None:
    assert read_name(name) == ()


def test_only_a_known_word_that_is_new_says_more() -> None:
    known = words_of("tiny-1p2d-dep4-tp8-mtp")
    assert not says_more(words_of("run-1p2d_tp8-jid77"), known)
    assert says_more(words_of("tiny-1p2d-dep8"), known)
    assert says_more(words_of("tiny-low-latency"), known)
    assert says_more(words_of("tiny-1p2d-tp8-dep4"), known)
