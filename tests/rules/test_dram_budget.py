"""Host memory that a recipe reserves beside what its row and the policy allow."""

from __future__ import annotations

import random
from typing import Any

import pytest
from cache_scene import keep
from recipe_scene import KEY, RECIPE, Role, Scene, line_of, random_scene
from variations import harmless

from reciplint.rules.finding import Finding
from support import MASTER, RUNNERS, lint

RULE = "dram-budget"
DRAM: dict[str, Any] = {"kv-offloading": "dram", "kv-offload-backend": {"name": "native"}}


def fleet(gpus: int = 4, mib: int = 860_160) -> str:
    """A fleet's nodes: 902 GB for 4 GPUs, 225 each, unless said otherwise."""
    return (
        "labels:\n  gb300: [gb300-node_0]\n"
        f"hardware:\n  gb300: {{available-cpu-dram-mib: {mib}, gpus-per-node: {gpus}}}\n"
    )


def agentic(utilization: float | None = 0.8, **scene: Any) -> Scene:
    made = Scene(**{"engine": "sglang", "schema": 1, "era": "A", "roles": (Role("agg"),), "agentic": True, **scene})
    made.row.update(DRAM)
    if utilization is not None:
        made.entry["scenarios"]["agentic-coding"][0]["dram-utilization"] = utilization
    return made


def found(scene: Scene, hardware: str = "", **texts: str) -> list[Finding]:
    return lint({**scene.files(**texts), RUNNERS: hardware or fleet()}, select=[RULE])


UTILIZATION = (KEY, "scenarios", "agentic-coding", 0, "dram-utilization")


def test_more_than_the_utilisation_allows() -> None:
    scene = agentic()
    place = keep(scene, random.Random(0), "agg", 200)
    (finding,) = found(scene)
    assert finding.severity == "warning"
    assert finding.message == (
        f"each GPU of the agg role reserves 200 GB of host memory (hierarchical cache) in 1 recipe of {KEY},"
        " 800 GB for a node of 4 GPUs, but dram-utilization 0.8 allows 180 GB a GPU, 722 GB of the node's 902 GB"
    )
    assert (finding.path, finding.span.line) == (MASTER, line_of(scene.texts()[0], UTILIZATION))
    assert [(item.path, item.span.line) for item in finding.related] == [(RECIPE, line_of(scene.texts()[1], place))]


def test_more_than_the_share_of_a_gpu() -> None:
    scene = agentic(utilization=1)
    keep(scene, random.Random(0), "agg", 300)
    (finding,) = found(scene)
    assert finding.message.endswith("1200 GB for a node of 4 GPUs, but a GPU's share of the node's 902 GB is 225 GB")
    assert finding.span.line == line_of(scene.texts()[0], scene.row_path())
    del scene.row["kv-offloading"]
    assert [finding.message_id for finding in found(scene)] == ["share"]


def test_no_server_counts_for_more_than_3_tb() -> None:
    scene = agentic(utilization=1)
    keep(scene, random.Random(0), "agg", 370)
    assert found(scene, fleet(8, 4_000_000)) == []
    keep(scene, random.Random(0), "agg", 400)
    (finding,) = found(scene, fleet(8, 4_000_000))
    assert finding.message.endswith("3200 GB for a node of 8 GPUs, but a GPU's share of the node's 3000 GB is 375 GB")


def test_a_worker_of_any_size_may_use_the_same_for_each_gpu() -> None:
    for tp in (1, 4, 16):
        scene = agentic(roles=(Role("agg", tp=tp, workers=3),))
        keep(scene, random.Random(0), "agg", 180)
        assert found(scene) == []


def test_a_size_that_all_gpus_of_a_worker_share_is_divided() -> None:
    scene = agentic(engine="vllm", roles=(Role("agg", tp=2, dp=4),))
    scene.recipe["backend"]["vllm_config"]["aggregated"]["kv-offloading-size"] = 1300
    assert found(scene) == []
    scene.recipe["backend"]["vllm_config"]["aggregated"]["kv-offloading-size"] = 1400
    assert [finding.arguments["size"] for finding in found(scene)] == ["188"]


def test_what_is_not_known_stays_silent() -> None:
    scene = agentic()
    keep(scene, random.Random(0), "agg")
    assert found(scene) == []
    keep(scene, random.Random(0), "agg", 900)
    assert found(scene, "labels:\n  gb300: [gb300-node_0]\n") == []
    assert found(scene, fleet().replace("  gb300: {", "  other: {")) == []


def test_recipes_of_one_scenario_are_told_at_once() -> None:
    scene = agentic()
    keep(scene, random.Random(0), "agg", 190)
    files = scene.files()
    rows = scene.entry["scenarios"]["agentic-coding"][0]["search-space"]
    other = {**rows[0], "prefill": {**rows[0]["prefill"], "additional-settings": ["CONFIG_FILE=recipes/finch/b.yaml"]}}
    rows.append(other)
    second = RECIPE.replace("disagg.yaml", "b.yaml")
    files |= {MASTER: scene.texts()[0], RUNNERS: fleet(), second: files[RECIPE].replace("190", "200")}
    (finding,) = lint(files, select=[RULE])
    assert (finding.arguments["count"], finding.arguments["size"]) == (2, "200")
    assert [item.message for item in finding.related] == ["190 GB for each GPU", "200 GB for each GPU"]


def test_only_what_a_change_makes_worse_is_charged() -> None:
    scene = agentic()
    keep(scene, random.Random(0), "agg", 200)
    base = {**scene.files(), RUNNERS: fleet()}
    scene.row["conc-list"] = [1]
    assert lint({**scene.files(), RUNNERS: fleet()}, base, select=[RULE]) == []
    scene.entry["scenarios"]["agentic-coding"][0]["dram-utilization"] = 0.5
    assert len(lint({**scene.files(), RUNNERS: fleet()}, base, select=[RULE])) == 1


def scene_of(seed: int) -> tuple[random.Random, Scene, float]:
    """An agentic scene that offloads, and the GB that each GPU may use there."""
    chance = random.Random(seed)
    scene = random_scene(chance)
    while not scene.agentic:
        scene = random_scene(chance)
    utilization = chance.choice((0.3, 0.5, 0.8, 0.95))
    scene.row.update(DRAM)
    (arm,) = scene.entry["scenarios"]["agentic-coding"]
    arm["dram-utilization"] = utilization
    return chance, scene, utilization * 860_160 * 1024 * 1024 / 4 / 10**9


@pytest.mark.parametrize("seed", range(60))
def test_any_excess_is_found(seed: int) -> None:
    chance, scene, allowed = scene_of(seed)
    role = chance.choice(scene.roles).name
    keep(scene, chance, role, int(allowed * chance.uniform(1.05, 4)) + 1)
    (finding,) = found(scene)
    is_share = finding.message_id == "share"
    path = scene.row_path() if is_share else UTILIZATION
    assert (finding.path, finding.span.line) == (MASTER, line_of(scene.texts()[0], path))
    assert is_share == (int(str(finding.arguments["size"])) > 227)
    assert finding.arguments["role"] == role


@pytest.mark.parametrize("seed", range(60))
def test_what_fits_stays_silent_in_any_spelling(seed: int) -> None:
    chance, scene, allowed = scene_of(1000 + seed)
    for role in scene.roles:
        keep(scene, chance, role.name, chance.choice((None, int(allowed), int(allowed / 2))))
    master, recipe = scene.texts()
    assert found(scene, master=harmless(master, seed), recipe=harmless(recipe, seed)) == []
