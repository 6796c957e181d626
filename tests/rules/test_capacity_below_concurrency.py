"""What the decode workers of a recipe hold at once, beside the concurrency that rows ask for."""

from __future__ import annotations

import random

import pytest
from recipe_scene import RECIPE, Role, Scene, line_of, put, random_scene
from variations import harmless

from reciplint.rules.finding import Finding
from support import MASTER, lint

RULE = "capacity-below-concurrency"


def found(scene: Scene, **texts: str) -> list[Finding]:
    return lint(scene.files(**texts), select=[RULE])


def disagg(decode: Role, engine: str = "vllm", conc: tuple[int, ...] = (512, 4096), **scene: object) -> Scene:
    return Scene(engine, 1, "A", (Role("prefill"), decode), conc, **scene)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "decode",
    [
        Role("decode", workers=16, tp=1, dp=16, limit=64),
        Role("decode", workers=16, tp=1, dp=4, limit=64),
        Role("decode", workers=4, tp=1, dp=16, limit=64),
        Role("decode", workers=1, tp=1, dp=64, limit=64),
    ],
)
def test_the_limit_of_vllm_is_of_each_data_parallel_rank(decode: Role) -> None:
    assert found(disagg(decode)) == []


def test_a_row_that_asks_for_more_than_all_ranks_hold() -> None:
    scene = disagg(Role("decode", workers=2, tp=1, dp=16, limit=64))
    (finding,) = found(scene)
    assert finding.severity == "warning"
    assert finding.message == (
        "decode of disagg.yaml runs at most 2048 requests at once (2 x dp 16 x max-num-seqs 64),"
        " and concurrency goes up to 4096"
    )
    master, recipe = scene.texts()
    assert (finding.path, finding.span.line) == (RECIPE, line_of(recipe, scene.limit("decode")))
    assert [(place.path, place.span.line) for place in finding.related] == [
        (MASTER, line_of(master, scene.row_path())),
        (RECIPE, line_of(recipe, ("benchmark", "concurrencies"))),
    ]


@pytest.mark.parametrize(("workers", "findings"), [(1, 1), (2, 0)])
def test_the_limit_of_sglang_is_of_a_worker_whose_ranks_share_it(workers: int, findings: int) -> None:
    scene = disagg(Role("decode", workers=workers, tp=16, dp=16, limit=2048), "sglang")
    assert [finding.arguments["total"] for finding in found(scene)] == [2048] * findings


def test_replicas_of_sglang_without_attention_data_parallelism_each_have_it() -> None:
    scene = disagg(Role("decode", limit=2048), "sglang")
    put(scene.recipe, scene.flag("decode", "data-parallel-size"), 2)
    assert found(scene) == []


def test_the_batch_size_of_tensorrt_is_no_such_limit() -> None:
    assert found(disagg(Role("decode", limit=64), "trtllm")) == []


def test_a_limit_that_is_left_to_the_engine_is_not_judged_nor_is_that_of_the_prefill() -> None:
    assert found(disagg(Role("decode"))) == []
    scene = Scene("vllm", 1, "A", (Role("prefill", limit=2), Role("decode", limit=4096)), (4096,))
    assert found(scene) == []


def test_an_aggregated_recipe_holds_what_its_workers_hold() -> None:
    scene = Scene("vllm", 2, "C", (Role("agg", workers=2, limit=16),), (32, 64))
    assert [finding.arguments["total"] for finding in found(scene)] == [32]


def test_a_variant_is_told_once_with_every_row_that_asks_too_much() -> None:
    scene = disagg(Role("decode", limit=64), conc=(32,))
    rows = scene.entry["scenarios"]["fixed-seq-len"][0]["search-space"]
    rows += [{**scene.row, "conc-list": [128]}, {**scene.row, "conc-list": [256]}]
    (finding,) = found(scene)
    master = scene.texts()[0]
    path = scene.row_path()[:-1]
    assert [place.span.line for place in finding.related][:2] == [line_of(master, (*path, index)) for index in (1, 2)]
    assert finding.arguments["concurrency"] == 256


def test_a_change_is_charged_where_it_raises_the_concurrency() -> None:
    scene = disagg(Role("decode", limit=64), conc=(32,))
    base = scene.files()
    scene.row["conc-list"] = [32, 65]
    (finding,) = lint(scene.files(), base, select=[RULE])
    assert finding.subject == ("", "decode", "64", "65")


@pytest.mark.parametrize("seed", range(60))
def test_any_limit_below_the_highest_concurrency_is_found_at_its_line(seed: int) -> None:
    chance = random.Random(seed)
    scene = random_scene(chance, ("vllm", "sglang"))
    assert found(scene) == []
    role = scene.roles[-1]
    schedulers = role.workers * (role.dp if scene.engine == "vllm" else 1)
    held = max(1, (scene.concurrencies[-1] - 1) // schedulers)
    scene.row["conc-list"].append(held * schedulers + 1)
    put(scene.recipe, scene.limit(role.name), held)
    (finding,) = found(scene)
    assert finding.span.line == line_of(scene.texts()[1], scene.limit(role.name))
    assert finding.arguments["total"] == held * schedulers


@pytest.mark.parametrize("seed", range(60))
def test_a_limit_that_just_holds_it_stays_silent_in_any_spelling(seed: int) -> None:
    scene = random_scene(random.Random(1000 + seed), ("vllm", "sglang"))
    master, recipe = scene.texts()
    assert found(scene, master=harmless(master, seed), recipe=harmless(recipe, seed)) == []
