"""The claims of a description: what is stated plainly is found with its place, what may mean something else is not."""

from __future__ import annotations

import pytest

from reciplint.domain.claims import ConcurrencyClaim, ImageClaim, SettingClaim, claims


def images(text: str) -> list[tuple[str, str]]:
    return [(claim.side, claim.image) for claim in claims(text) if isinstance(claim, ImageClaim)]


def settings(text: str) -> list[tuple[str, str, str]]:
    return [(claim.side, claim.name, claim.value) for claim in claims(text) if isinstance(claim, SettingClaim)]


def concurrencies(text: str) -> list[tuple[int, ...]]:
    return [claim.values for claim in claims(text) if isinstance(claim, ConcurrencyClaim)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Image: example/engine:v1.2.", [("head", "example/engine:v1.2")]),
        ("Run docker://example/engine:v1.2", [("head", "docker://example/engine:v1.2")]),
        ("Container registry.example.com#team/engine:1.2-dev", [("head", "registry.example.com#team/engine:1.2-dev")]),
        (
            "Bump image from example/engine:v1 to example/engine:v2 for speed",
            [("base", "example/engine:v1"), ("head", "example/engine:v2")],
        ),
        (
            "Bump image from example/engine:v1 to the latest nightly example/engine:nightly-0123abc.",
            [("base", "example/engine:v1"), ("head", "example/engine:nightly-0123abc")],
        ),
        ("Update the engine image from v0.21.0 to v0.22.0", [("base", "v0.21.0"), ("head", "v0.22.0")]),
        ("Bump image engine0.23 -> engine0.26 (strips flags)", [("base", "engine0.23"), ("head", "engine0.26")]),
    ],
)
def test_images_that_are_claims(text: str, expected: list[tuple[str, str]]) -> None:
    assert images(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Move off example/engine:v1, which was broken",
        "The recipe was built for example/engine:v1",
        "Same image as the sibling, example/engine:v1",
        "Start from first-key: example/engine:v1 / second-key: example/engine:v2",
        "See recipes/engine/agentic/disagg.yaml:override_low[0]",
        "Raise the limit from v1-5 to v2-6",
        "Bump image (ROCm 7.0 → 7.2)",
        "Bump image from engine1.2_..._x20260511 to engine1.2_..._x20260601",
        "Image example/engine:nightly-0123abc...",
        "Image example/engine:nightly-0123abc…",
        "Search space 1k/1k: tp4",
    ],
)
def test_images_that_are_none(text: str) -> None:
    assert images(text) == []


def test_the_image_of_another_component_is_not_named_as_the_image() -> None:
    (claim,) = claims("Re-pin the router image to example/router:v3")
    assert isinstance(claim, ImageClaim)
    assert not claim.is_named


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Decode: max-num-seqs 512->1024, disable x", [("max-num-seqs", "512", "1024")]),
        ("Set `--max-num-seqs` 512 → 1024.", [("max-num-seqs", "512", "1024")]),
        ("raise mem_fraction_static from 0.72 to 0.85", [("mem-fraction-static", "0.72", "0.85")]),
        ("SOME_RATIO: 4 => 3", [("some-ratio", "4", "3")]),
        ("attention-backend TRITON_ATTN -> FLASH_ATTN", [("attention-backend", "TRITON_ATTN", "FLASH_ATTN")]),
    ],
)
def test_settings_that_change(text: str, expected: list[tuple[str, str, str]]) -> None:
    found = [(side, name, value) for name, old, new in expected for side, value in (("base", old), ("head", new))]
    assert settings(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "max-num-seqs 128 -> 256 -> 512",
        "left ep unset -> EP_SIZE=1",
        "moves from 4 to many workers",
        "image example/engine:v1 -> example/engine:v2",
    ],
)
def test_what_is_no_change_of_a_setting(text: str) -> None:
    assert settings(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("concurrency list [1, 4, 8, 14]", [(1, 4, 8, 14)]),
        ("conc 8/16/32", [(8, 16, 32)]),
        ("TP4 conc 1-512 sweep", [(1, 512)]),
        ("TP4 (conc 32–2048) and TP8 (conc 4..64)", [(32, 2048), (4, 64)]),
        ("conc=4-64", [(4, 64)]),
        ("at conc [1,2,4] and {8, 16}", [(1, 2, 4)]),
        ("at concurrency 1, 2, 4, and 6 for both", [(1, 2, 4, 6)]),
        ("from concurrency 1 through 64", [(1, 64)]),
        ("Extend the concurrency sweep from 64 to 128", [(128,)]),
        ("Replace the concurrency list [1, 4] with [1, 8], dropping 4", [(1, 4), (1, 8)]),
        ("TP4 conc 4-64 -> 1-128", [(4, 64), (1, 128)]),
        ("Add TP4 (conc 8, previously conc 4)", [(8,)]),
    ],
)
def test_concurrencies_that_are_claims(text: str, expected: list[tuple[int, ...]]) -> None:
    assert concurrencies(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Drop the TP8 sweep (conc 128/256)",
        "latency rows start at 1 (was conc 4)",
        "conc >= 64 overflows",
        "at conc ~64",
        "around concurrency 64",
        "validated at concurrency 64",
        "unlike concurrency 16",
        "below concurrency 8",
        "the conc-500 straggler",
        "lift conc-end 64 to 128",
        "concurrency 1,024",
        "concurrency 64%",
        "MTP3 at conc 4, 8, 3 draft tokens",
        "at concurrency 8 and 2 nodes",
        "maxconc 5",
    ],
)
def test_concurrencies_that_are_none(text: str) -> None:
    assert concurrencies(text) == []


def test_a_limit_is_claimed_only_by_a_sentence_that_says_nothing_else() -> None:
    (claim,) = claims("Bump it. Concurrency sweep up to 1024.")
    assert isinstance(claim, ConcurrencyClaim)
    assert claim.is_limit
    assert claim.values == (1024,)
    assert concurrencies("TP8 low latency, conc up to 512") == []


@pytest.mark.parametrize(
    ("text", "sizes", "dp_attn"),
    [
        ("TP4 dp-attn sweep (conc 32-64)", {4}, True),
        ("TP4 TP-only sweep (conc 1-32)", {4}, False),
        ("DEP8 at conc [64]", {8}, True),
        ("TP4/TP8 at conc [1]", {4, 8}, False),
        ("TP4 and DEP8 at conc [1]", {4, 8}, False),
        ("TP4/EP4 conc 1-128", {4}, False),
        ("TP8 (non-dp-attn) at conc 1-8", {8}, False),
        ("Sweep concurrency 4 for TP8", set(), False),
        ("conc 4", set(), False),
    ],
)
def test_the_rows_that_a_claim_speaks_of(text: str, sizes: set[int], dp_attn: bool) -> None:
    (claim,) = (item for item in claims(text) if isinstance(item, ConcurrencyClaim))
    assert (set(claim.sizes), claim.dp_attn) == (sizes, dp_attn)


def test_places_count_from_the_beginning_of_the_text() -> None:
    text = "First. Then image example/engine:v2; conc 8-16"
    assert [text[claim.start : claim.end] for claim in claims(text)] == ["example/engine:v2", "8-16"]


def test_a_text_without_figures_claims_nothing() -> None:
    assert claims("") == []
    assert claims("Refresh the recipe") == []
