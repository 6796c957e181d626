"""What the launcher writes into a fragment must not stand there."""

from __future__ import annotations

import random
from typing import Any

import pytest
from fragment_scene import KEY, Fragment, several, single
from recipe_scene import Path, line_of, put
from variations import harmless

from reciplint.rules.finding import Finding
from support import MASTER, lint

RULE = "bound-key"
POINT: list[tuple[Path, Any]] = [
    (("model", "path"), "hf:example/Finch"),
    (("model", "container"), "vllm/vllm-openai:v1"),
    (("model", "precision"), "fp4"),
    (("identity", "model", "repo"), "example/Finch"),
    (("identity", "container", "image"), "vllm/vllm-openai:v1"),
    (("benchmark", "concurrencies"), [8]),
    (("telemetry", "enabled"), True),
    (("telemetry", "dcgm_exporter", "port"), 9401),
]
FIXED = ("MODEL", "ISL", "OSL", "CONC_LIST", "RANDOM_RANGE_RATIO", "USE_CHAT_TEMPLATE")
AGENTIC = ("CONC_LIST", "TOTAL_CPU_DRAM_GB", "RESULT_DIR", "AGENTIC_OUTPUT_DIR", "HF_HUB_CACHE")


def found(scene: Fragment, **texts: str) -> list[Finding]:
    return lint(scene.files(**texts), select=[RULE])


def scene(agentic: bool, multinode: bool) -> Fragment:
    return (several if multinode else single)(random.Random(1), agentic=agentic)


@pytest.mark.parametrize("multinode", [False, True])
@pytest.mark.parametrize("agentic", [False, True])
@pytest.mark.parametrize(("path", "value"), POINT)
def test_a_key_of_every_point_is_refused_even_with_the_value_it_would_get(
    path: Path, value: Any, agentic: bool, multinode: bool
) -> None:
    built = scene(agentic, multinode)
    put(built.recipe["base"], path, value)
    (finding,) = found(built)
    holder = line_of(built.texts()[1], ("base", *path))
    assert (finding.path, finding.severity, finding.span.end_line) == (built.path, "error", holder)
    assert finding.arguments["name"] == ".".join(map(str, path))


def names(agentic: bool, multinode: bool, *variables: str) -> list[Any]:
    built = scene(agentic, multinode)
    for name in variables:
        put(built.recipe["base"], ("benchmark", "env", name), "1")
    return [finding.arguments["name"] for finding in found(built)]


@pytest.mark.parametrize(
    ("agentic", "multinode", "variables"),
    [
        (False, False, (*FIXED, "CONC")),
        (False, True, (*FIXED, "CONC")),
        (True, False, (*AGENTIC, "CONC", "KV_OFFLOADING", "MODEL")),
        (True, True, (*AGENTIC, "CONC", "KV_OFFLOADING", "AIPERF_DATASET_MMAP_CACHE_DIR")),
    ],
)
def test_the_variables_of_each_kind_of_point(agentic: bool, multinode: bool, variables: tuple[str, ...]) -> None:
    known = {f"benchmark.env.{name}" for name in variables}
    every = {*FIXED, *AGENTIC, "CONC", "KV_OFFLOADING", "AIPERF_DATASET_MMAP_CACHE_DIR", "HF_HOME"}
    assert set(names(agentic, multinode, *sorted(every))) == known


@pytest.mark.parametrize(("multinode", "expected"), [(False, []), (True, ["benchmark.env.CONC"])])
def test_only_a_variant_on_one_node_may_name_its_concurrency(multinode: bool, expected: list[str]) -> None:
    built = scene(False, multinode)
    variant = next(name for name in built.recipe if "override" in name)
    put(built.recipe[variant], ("benchmark", "env", "CONC"), ["4"] * len(built.rows[0]["conc-list"]))
    assert [finding.arguments["name"] for finding in found(built)] == expected


def test_the_message_says_what_is_written_and_from_where() -> None:
    built = scene(False, True)
    put(built.recipe["base"], ("identity", "container", "image"), "vllm/vllm-openai:v0")
    (finding,) = found(built)
    assert finding.message == (
        f"identity.container.image is set to vllm/vllm-openai:v0, but the launcher writes it (vllm/vllm-openai:v1, from"
        f" {KEY}) and refuses a recipe that does: leave it out"
    )
    master = built.texts()[0]
    place = (*built.row_path(0), "srt-recipe")
    assert [(item.path, item.span.line) for item in finding.related] == [(MASTER, line_of(master, place))]


def test_a_recipe_that_needs_no_shared_block_is_no_fragment() -> None:
    built = scene(False, True)
    base = built.recipe["base"]
    base["model"] = {"path": "example/Finch", "container": "vllm/vllm-openai:v1", "precision": "fp4"}
    assert [finding.arguments["name"] for finding in found(built)] == [
        "model.path",
        "model.container",
        "model.precision",
    ]
    put(base, ("benchmark", "type"), "custom")
    assert found(built) == []


def test_a_recipe_of_another_era_or_without_a_row_is_not_judged() -> None:
    built = scene(False, True)
    put(built.recipe["base"], ("telemetry", "enabled"), True)
    del built.entry["srt-recipe-dir"]
    for row in built.rows:
        row["srt-recipe"] = f"recipes/finch/{row['srt-recipe']}"
    assert found(built) == []


def test_a_change_is_charged_for_the_key_that_it_adds() -> None:
    built = scene(True, True)
    put(built.recipe["base"], ("telemetry", "enabled"), True)
    base = built.files()
    put(built.recipe["base"], ("benchmark", "env", "RESULT_DIR"), "/logs")
    built.recipe = {"schema": built.recipe.pop("schema"), "base": built.recipe.pop("base"), **built.recipe}
    (finding,) = lint(built.files(), base, select=[RULE])
    assert finding.subject == ("base", "benchmark.env.RESULT_DIR")


@pytest.mark.parametrize("seed", range(60))
def test_any_bound_key_is_found_at_its_line_in_any_body(seed: int) -> None:
    chance = random.Random(seed)
    built = chance.choice((single, several))(chance)
    assert found(built) == []
    body = chance.choice([name for name in built.recipe if name != "schema"])
    variables = AGENTIC if built.agentic else FIXED
    path, value = chance.choice([*POINT, *((("benchmark", "env", name), "1") for name in variables)])
    put(built.recipe[body], path, value)
    (finding,) = found(built)
    key = line_of(built.texts()[1], (body, *path))
    assert (finding.path, finding.span.end_line) == (built.path, key)
    assert finding.arguments["name"] == ".".join(map(str, path))


@pytest.mark.parametrize("seed", range(60))
def test_a_fragment_stays_silent_in_any_spelling(seed: int) -> None:
    chance = random.Random(1000 + seed)
    built = chance.choice((single, several))(chance)
    put(built.recipe["base"], ("identity", "container"), {})
    put(built.recipe["base"], ("telemetry", "collector_join_timeout_seconds"), 12)
    put(built.recipe["base"], ("benchmark", "env", "AIPERF_LIVE_FAILED_REQUEST_THRESHOLD"), "0.25")
    master, recipe = built.texts()
    assert found(built, master=harmless(master, seed), recipe=harmless(recipe, seed)) == []
