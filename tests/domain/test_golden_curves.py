"""Golden curves: which values a file holds, and which curve a model's way of drafting means."""

from __future__ import annotations

import pytest

from reciplint.domain.golden_curves import (
    Cell,
    Curve,
    GoldenCurve,
    as_number,
    curves_from_settings,
    golden_curves,
    named_curve,
    read_curve,
)
from reciplint.domain.speculation import Speculation
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.spans import FILE_START, Span

FILES = (
    "heron2_mtp.yaml",
    "finch-pro-0813-dspark.yaml",
    "finch_mtp.yaml",
    "wren3_dspark.yaml",
    "wren3_dspark_probabilistic_sample_method.yaml",
    "owl_eagle3.yaml",
    "owl_eagle3_gqa.yaml",
    "dsv4_0813_dspark_probabilistic.yaml",
)
CURVES = golden_curves({f"curves/{name}": Curve((Cell("thinking_on", 2, "2.2", FILE_START),)) for name in FILES})


def drafts(method: str, model: str = "", sampling: str = "") -> Speculation:
    return Speculation(method, 2, model, sampling, "speculative-config")


def found(prefix: str, speculation: Speculation) -> str | None:
    curve = CURVES.find(prefix, speculation)
    return curve if curve is None or curve == "unknown" else curve.name.removesuffix(".yaml")


def test_the_values_of_a_file_keep_their_text_and_place() -> None:
    tree = parse_text("# measured\nheron-2:\n  thinking_on:\n    1: 1.70\n    2: 2.2\n  thinking_off: {1: 1.9}\n")
    assert read_curve(tree).cells == (
        Cell("thinking_on", 1, "1.70", Span(4, 8, 4, 12)),
        Cell("thinking_on", 2, "2.2", Span(5, 8, 5, 11)),
        Cell("thinking_off", 1, "1.9", Span(6, 21, 6, 24)),
    )


@pytest.mark.parametrize(
    "text", ["", "[]\n", "heron: 1\n", "heron: {thinking_on: [1]}\n", "heron: {on: {x: 1, 2: {}}}\n"]
)
def test_what_has_not_the_shape_of_a_curve_is_left_out(text: str) -> None:
    assert read_curve(parse_text(text)).cells == ()


def test_only_thinking_on_is_what_agentic_runs_are_compared_with() -> None:
    cells = (Cell("thinking_off", 2, "9", FILE_START), Cell("thinking_on", 3, "3", FILE_START))
    curve = named_curve("x_mtp.yaml", Curve(cells))
    assert curve is not None
    assert (curve.at(2), curve.at(3), curve.measured) == (None, cells[1], (3,))


@pytest.mark.parametrize(
    ("prefix", "speculation", "name"),
    [
        ("heron2", drafts("mtp"), "heron2_mtp"),
        ("heron2", drafts("nextn"), "heron2_mtp"),
        ("heron2", drafts("eagle"), "heron2_mtp"),
        ("heron2", drafts("deepseek_mtp"), "heron2_mtp"),
        ("heron2", drafts("eagle3"), None),
        ("heron2", drafts("ngram"), "unknown"),
        ("heron", drafts("mtp"), None),
        ("finch", drafts("dspark"), "finch-pro-0813-dspark"),
        ("finch", drafts("mtp"), "finch_mtp"),
        ("wren3", drafts("dspark"), "wren3_dspark"),
        ("wren3", drafts("dspark", sampling="greedy"), "wren3_dspark"),
        ("wren3", drafts("dspark", sampling="probabilistic"), "wren3_dspark_probabilistic_sample_method"),
        ("owl", drafts("eagle3", "org/Owl-EAGLE3"), "owl_eagle3"),
        ("owl", drafts("eagle3", "org/Owl-EAGLE3-GQA"), "owl_eagle3_gqa"),
        ("owl", drafts("eagle", "/tmp/owl-eagle3-gqa"), "owl_eagle3_gqa"),
        ("owl", drafts("eagle"), "owl_eagle3"),
        ("dsv4dsparkprob", drafts("dspark"), "dsv4_0813_dspark_probabilistic"),
        ("dsv4", drafts("dspark", sampling="greedy"), None),
    ],
)
def test_the_curve_of_a_model_and_its_way_of_drafting(prefix: str, speculation: Speculation, name: str | None) -> None:
    assert found(prefix, speculation) == name


def test_two_curves_for_the_same_are_not_told_apart() -> None:
    twice = golden_curves({"a/heron_mtp.yaml": Curve(()), "a/heron-2026_mtp.yaml": Curve(())})
    assert twice.find("heron", drafts("mtp")) == "unknown"


def test_curves_of_the_settings() -> None:
    (curve,) = curves_from_settings(
        [{"model-prefix": "Heron", "method": "eagle3", "draft-head": "gqa", "lengths": {1: 1.5, "2": 2}}]
    )
    assert curve == GoldenCurve(
        "",
        "heron",
        "eagle3",
        frozenset({"gqa"}),
        (Cell("thinking_on", 1, "1.5", FILE_START), Cell("thinking_on", 2, "2", FILE_START)),
    )
    assert curve.name == "heron eagle3 gqa of the settings"
    assert golden_curves({}, [curve]).find("heron", drafts("eagle3", "org/x-GQA")) == curve


def test_a_file_whose_name_tells_no_method_is_left_out() -> None:
    assert not golden_curves({"curves/readme.yaml": Curve(())})


@pytest.mark.parametrize(("text", "number"), [("2.50", "2.5"), (" 3 ", "3"), ("x", None), ("nan", None), ("", None)])
def test_a_length_is_a_finite_number(text: str, number: str | None) -> None:
    assert str(as_number(text)).rstrip("0") == str(number) if number else as_number(text) is None
