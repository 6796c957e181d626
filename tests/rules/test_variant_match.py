"""A single-node row and the one variant that the launcher takes for each of its concurrencies."""

from __future__ import annotations

import random
from typing import Any

import pytest
from fragment_scene import Fragment, single
from recipe_scene import line_of, put
from variations import harmless

from reciplint.rules.finding import Finding
from support import MASTER, lint

RULE = "variant-match"


def found(scene: Fragment, **texts: str) -> list[Finding]:
    return lint(scene.files(**texts), select=[RULE])


def two_groups(engine: str = "sglang") -> Fragment:
    """A row of tp 4, and a variant for each of ep 1 and ep 4 at concurrency 32."""
    scene = single(random.Random(3), engine, agentic=False)
    groups = {"zip_override_ep1": 1, "zip_override_ep4": 4}
    scene.recipe = {"base": scene.recipe["base"]}
    for name, ep in groups.items():
        args = {"tensor-parallel-size": 4, "expert-parallel-size": ep}
        scene.recipe[name] = {"roles": {"agg": {"gpus": 4, "args": args}}, "benchmark": {"env": {"CONC": ["32"]}}}
    scene.rows[:] = [{"tp": 4, "ep": 4, "conc-list": [32], "srt-recipe": "points.yaml"}]
    return scene


def test_two_variants_that_differ_in_their_experts_alone_are_told_apart() -> None:
    assert found(two_groups()) == []


def test_a_concurrency_that_no_variant_has_names_the_nearest() -> None:
    scene = two_groups()
    scene.rows[0]["conc-list"] = [32, 64, 128]
    (finding,) = found(scene)
    assert finding.severity == "error"
    assert finding.message == (
        "no variant of points.yaml is this row's at concurrency 64, 128; zip_override_ep4[0] comes nearest, with"
        " CONC 32 for 64"
    )
    master, recipe = scene.texts()
    assert (finding.path, finding.span.line) == (MASTER, line_of(master, scene.row_path(0)))
    place = ("zip_override_ep4", "benchmark", "env", "CONC", 0)
    assert [(item.path, item.span.line) for item in finding.related] == [(scene.path, line_of(recipe, place))]


def test_two_variants_alike_are_named() -> None:
    scene = two_groups()
    put(scene.recipe, ("zip_override_ep1", "roles", "agg", "args", "expert-parallel-size"), 4)
    (finding,) = found(scene)
    assert finding.message == (
        "at concurrency 32 this row may be zip_override_ep1[0], zip_override_ep4[0] of points.yaml alike, and the"
        " launcher asks for exactly one"
    )


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("gpus",), 8, "GPUs 8 for 4"),
        (("workers",), 2, "workers 2 for 1"),
        (("nodes",), 2, "nodes 2 for 1"),
        (("args", "tensor-parallel-size"), 2, "tp 2 for 4"),
        (("args", "enable-dp-attention"), True, "dp-attn true for false"),
        (("args", "pipeline-parallel-size"), 2, "pp 2 for 1"),
        (("args", "speculative-algorithm"), "NEXTN", "spec-decoding on for none"),
    ],
)
def test_whatever_the_launcher_compares(path: tuple[str, ...], value: Any, said: str) -> None:
    scene = two_groups()
    put(scene.recipe, ("zip_override_ep4", "roles", "agg", *path), value)
    del scene.recipe["zip_override_ep1"]
    (finding,) = found(scene)
    assert finding.arguments["differences"] == (said,)


def test_offloading_and_the_engine_are_compared_too() -> None:
    scene = two_groups()
    del scene.recipe["zip_override_ep1"]
    put(scene.recipe, ("zip_override_ep4", "benchmark", "env", "KV_OFFLOADING"), "dram")
    assert [finding.arguments["differences"] for finding in found(scene)] == [("KV_OFFLOADING dram for none",)]
    scene = two_groups()
    scene.entry["framework"] = "vllm"
    del scene.recipe["zip_override_ep1"]
    assert [finding.arguments["differences"] for finding in found(scene)] == [("engine sglang for vllm",)]


def atom(*variants: dict[str, Any]) -> Fragment:
    scene = two_groups()
    scene.entry["framework"] = scene.recipe["base"]["engine"] = "atom"
    scene.recipe = {"base": scene.recipe["base"]}
    for index, args in enumerate(variants):
        role = {"gpus": 4, "args": {"max-model-len": 10240, **args}}
        scene.recipe[f"override_v{index}"] = {"roles": {"agg": role}, "benchmark": {"env": {"CONC": "32"}}}
    return scene


def test_what_cannot_be_told_is_left_alone() -> None:
    """ATOM's flags give no tensor size, so that experts on or off look alike."""
    assert found(atom({"enable-expert-parallel": True}, {})) == []
    assert [finding.message_id for finding in found(atom({"enable-dp-attention": True}))] == ["none"]


def test_a_variant_that_does_not_draft_may_keep_the_label_of_a_row_that_does() -> None:
    scene = two_groups()
    scene.rows[0]["spec-decoding"] = "mtp"
    assert found(scene) == []


def test_a_row_that_names_its_variant_and_a_recipe_without_variants_are_not_matched() -> None:
    scene = two_groups()
    scene.rows[0] |= {"conc-list": [64], "srt-recipe": "points.yaml:zip_override_ep4[0]"}
    assert found(scene) == []
    scene.rows[0]["srt-recipe"] = "points.yaml"
    scene.recipe = scene.recipe["base"]
    assert found(scene) == []


def test_a_change_is_charged_for_the_concurrency_that_it_adds() -> None:
    scene = two_groups()
    base = scene.files()
    scene.rows[0]["conc-list"] = [32, 256]
    (finding,) = lint(scene.files(), base, select=[RULE])
    assert finding.subject[-2:] == ("none", "256")


@pytest.mark.parametrize("seed", range(60))
def test_any_row_that_no_variant_or_several_fit_is_found_at_its_line(seed: int) -> None:
    chance = random.Random(seed)
    scene = single(chance)
    assert found(scene) == []
    index = chance.randrange(3)
    row, group = scene.rows[index], f"zip_override_g{index}"
    if chance.random() < 0.5:
        field, value = chance.choice([("conc-list", [*row["conc-list"], 512]), ("tp", 2), ("dcp-size", 2), ("pp", 2)])
        row[field] = value
        kind = "none"
    else:
        concurrency = str(chance.choice(row["conc-list"]))
        role = scene.recipe[group]["roles"]["agg"]
        env = {**scene.recipe[group]["benchmark"]["env"], "CONC": concurrency}
        scene.recipe["override_again"] = {"roles": {"agg": role}, "benchmark": {"env": env}}
        kind = "several"
    (finding,) = found(scene)
    assert (finding.message_id, finding.path) == (kind, MASTER)
    assert finding.span.line == line_of(scene.texts()[0], scene.row_path(index))


@pytest.mark.parametrize("seed", range(60))
def test_rows_with_one_variant_each_stay_silent_in_any_spelling(seed: int) -> None:
    scene = single(random.Random(1000 + seed))
    master, recipe = scene.texts()
    assert found(scene, master=harmless(master, seed), recipe=harmless(recipe, seed)) == []
