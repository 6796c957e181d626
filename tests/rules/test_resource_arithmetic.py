"""A recipe's nodes, workers, GPUs and parallel sizes, which have to fit together."""

from __future__ import annotations

import random

import pytest
from recipe_scene import RECIPE, Role, Scene, line_of, put, random_scene
from variations import harmless

from reciplint.rules.finding import Finding
from support import lint

RULE = "resource-arithmetic"


def found(scene: Scene, recipe: str = "") -> list[Finding]:
    return lint(scene.files(recipe=recipe), select=[RULE])


def disagg(prefill: Role | None = None, decode: Role | None = None, engine: str = "vllm", schema: int = 1) -> Scene:
    return Scene(engine, schema, "A", (prefill or Role("prefill"), decode or Role("decode")))


def only(scene: Scene, path: tuple[str, ...]) -> Finding:
    """The one finding there is, at the value of a path."""
    (finding,) = found(scene)
    assert finding.severity == "error"
    assert (finding.path, finding.span.line) == (RECIPE, line_of(scene.texts()[1], path))
    return finding


@pytest.mark.parametrize("schema", [1, 2])
def test_gpus_of_a_worker_that_are_not_what_its_flags_use(schema: int) -> None:
    scene = disagg(decode=Role("decode", tp=4, dp=2), schema=schema)
    put(scene.recipe, scene.resource("decode", "gpus"), 4)
    finding = only(scene, scene.resource("decode", "gpus"))
    assert finding.message == "each decode worker is given 4 GPUs, and its flags use 8 (tp 4 x dp 2)"
    (place,) = finding.related
    assert place.span.line == line_of(scene.texts()[1], scene.flag("decode", "tensor-parallel-size"))


@pytest.mark.parametrize("engine", ["sglang", "trtllm"])
def test_attention_ranks_of_other_engines_share_the_gpus_of_their_worker(engine: str) -> None:
    assert found(disagg(decode=Role("decode", tp=4, dp=4), engine=engine)) == []


def test_replicas_of_sglang_without_attention_data_parallelism_have_gpus_of_their_own() -> None:
    scene = disagg(engine="sglang")
    put(scene.recipe, scene.flag("decode", "data-parallel-size"), 2)
    assert only(scene, scene.resource("decode", "gpus")).arguments["how"] == "tp 4 x dp 2"


def test_a_worker_of_a_whole_node_may_leave_gpus_idle_where_no_one_says_how_many_it_gets() -> None:
    scene = disagg(decode=Role("decode", tp=2))
    del scene.recipe["resources"]["gpus_per_decode"]
    assert found(scene) == []
    scene = disagg(decode=Role("decode", tp=8))
    del scene.recipe["resources"]["gpus_per_decode"]
    scene.recipe["resources"]["decode_nodes"] = 1
    finding = only(scene, scene.flag("decode", "tensor-parallel-size"))
    assert (finding.arguments["given"], finding.arguments["needed"]) == (4, 8)


@pytest.mark.parametrize("schema", [1, 2])
def test_nodes_with_fewer_gpus_than_the_workers_need(schema: int) -> None:
    scene = disagg(decode=Role("decode", workers=3), schema=schema)
    put(scene.recipe, scene.resource("decode", "nodes"), 2)
    finding = only(scene, scene.resource("decode", "nodes"))
    assert finding.message == "the nodes of decode have 8 GPUs, and its workers need 12 (3 x 4)"
    assert finding.related[0].span.line == line_of(scene.texts()[1], scene.resource("decode", "gpus"))


def test_more_nodes_than_the_workers_can_fill() -> None:
    scene = disagg(decode=Role("decode", workers=2))
    put(scene.recipe, scene.resource("decode", "nodes"), 3)
    assert only(scene, scene.resource("decode", "nodes")).message == (
        "decode has 3 nodes, and its workers fill 2 at most (2 x 4)"
    )


def test_a_node_for_each_worker_is_fair() -> None:
    scene = disagg(decode=Role("decode", workers=3, tp=2))
    put(scene.recipe, scene.resource("decode", "nodes"), 3)
    assert found(scene) == []


@pytest.mark.parametrize(("decode", "findings"), [(1, 0), (2, 1)])
def test_roles_that_share_nodes_are_summed_up(decode: int, findings: int) -> None:
    scene = disagg(decode=Role("decode", workers=decode))
    scene.recipe["resources"] |= {"gpus_per_node": 8, "gpu_type": "b200", "decode_nodes": 0}
    scene.recipe["backend"]["allow_prefill_decode_colocation"] = True
    assert [finding.arguments["needed"] for finding in found(scene)] == [12] * findings


def test_decode_may_take_gpus_that_the_prefill_leaves_over() -> None:
    scene = disagg(decode=Role("decode", workers=3))
    scene.recipe["resources"] |= {"gpus_per_node": 8, "gpu_type": "b200", "decode_nodes": 1}
    scene.recipe["backend"]["allow_prefill_decode_colocation_across_nodes"] = True
    assert found(scene) == []


@pytest.mark.parametrize(
    ("gpu_type", "per_node", "is_fault"),
    [
        ("gb300", 8, True),
        ("gb200", 8, True),
        ("b200", 16, True),
        ("gb300", 2, False),
        ("b300", 1, False),
        ("h200", 8, False),
        ("some-next-gpu", 72, False),
    ],
)
def test_a_node_has_no_more_gpus_than_its_kind(gpu_type: str, per_node: int, is_fault: bool) -> None:
    scene = Scene("vllm", 1, "A", (Role("prefill", tp=1), Role("decode", tp=1)), gpu_type=gpu_type, per_node=per_node)
    lines = [line_of(scene.texts()[1], ("resources", "gpus_per_node"))] * is_fault
    assert [finding.span.line for finding in found(scene)] == lines


def test_a_fault_of_the_base_is_told_once_for_all_variants_and_an_unused_base_is_not_judged() -> None:
    scene = disagg(schema=2)
    put(scene.recipe, scene.resource("decode", "gpus"), 8)
    scene.recipe = {"base": scene.recipe}
    assert found(scene) == []
    scene.recipe |= {f"override_{name}": {"name": name} for name in ("one", "two")}
    finding = only(scene, ("base", *scene.resource("decode", "gpus")))
    assert finding.message.endswith(", in override_one")


def test_a_base_that_a_row_names_is_judged() -> None:
    scene = Scene("vllm", 2, "C", (Role("prefill"), Role("decode")))
    put(scene.recipe, scene.resource("decode", "gpus"), 8)
    scene.recipe = {"base": scene.recipe}
    scene.row["srt-recipe"] = "disagg.yaml:base"
    only(scene, ("base", *scene.resource("decode", "gpus")))


def test_placeholders_of_a_sweep_are_not_judged() -> None:
    scene = disagg()
    put(scene.recipe, scene.resource("decode", "nodes"), "{nodes}")
    put(scene.recipe, scene.flag("decode", "tensor-parallel-size"), "{tp}")
    put(scene.recipe, scene.resource("decode", "gpus"), "{tp}")
    assert found(scene) == []


def test_recipes_that_no_row_names_are_judged_and_a_mocker_has_no_gpus() -> None:
    scene = disagg(decode=Role("decode", tp=8))
    put(scene.recipe, scene.resource("decode", "gpus"), 4)
    assert [finding.path for finding in lint({"finch.yaml": scene.texts()[1]}, select=[RULE])] == ["finch.yaml"]
    scene.recipe["backend"] = {"type": "mocker", "mocker_config": scene.recipe["backend"]["vllm_config"]}
    put(scene.recipe, scene.resource("decode", "nodes"), 1)
    assert found(scene) == []


def fault(scene: Scene, chance: random.Random) -> tuple[str, ...]:
    """Break one number; the path of the value that is pointed at."""
    role = chance.choice(scene.roles)
    gpus = role.gpus(scene.engine)
    kind = chance.choice(("gpus", "few", "idle", "node"))
    if kind == "gpus":
        put(scene.recipe, scene.resource(role.name, "gpus"), gpus * chance.choice((2, 3)))
        return scene.resource(role.name, "gpus")
    if kind == "node":
        scene.recipe["resources"] |= {"gpus_per_node": 16, "gpu_type": chance.choice(("gb200", "gb300", "b300"))}
        return ("resources", "gpus_per_node")
    nodes = scene.resource(role.name, "nodes")
    spread = role.workers * -(-gpus // scene.per_node)
    if kind == "idle":
        put(scene.recipe, nodes, spread + 1)
    else:
        put(scene.recipe, scene.resource(role.name, "workers"), (spread + 1) * scene.per_node)
    return nodes


@pytest.mark.parametrize("seed", range(60))
def test_any_broken_number_is_found_at_its_line(seed: int) -> None:
    chance = random.Random(seed)
    scene = random_scene(chance)
    assert found(scene) == []
    path = fault(scene, chance)
    assert line_of(scene.texts()[1], path) in [finding.span.line for finding in found(scene)]


@pytest.mark.parametrize("seed", range(60))
def test_the_same_numbers_in_another_spelling_stay_silent(seed: int) -> None:
    chance = random.Random(1000 + seed)
    scene = random_scene(chance)
    for role in scene.roles:
        if chance.random() < 0.3:
            put(scene.recipe, scene.resource(role.name, "workers"), str(role.workers))
        if chance.random() < 0.3:
            spread = role.workers * -(-role.gpus(scene.engine) // scene.per_node)
            put(scene.recipe, scene.resource(role.name, "nodes"), spread)
    assert found(scene, recipe=harmless(scene.texts()[1], seed)) == []
