"""What a row says of offloading beside what its recipe does."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from cache_scene import connector, keep, transfer
from recipe_scene import KEY, RECIPE, Role, Scene, line_of, put, random_scene
from variations import harmless

from reciplint.rules.finding import Finding
from support import MASTER, lint

RULE = "kv-offload-mismatch"
DRAM: dict[str, Any] = {"kv-offloading": "dram", "kv-offload-backend": {"name": "native"}}


def agentic(engine: str = "vllm", **scene: Any) -> Scene:
    return Scene(**{"engine": engine, "schema": 1, "era": "A", "roles": (Role("agg"),), "agentic": True, **scene})


def found(scene: Scene, **texts: str) -> list[Finding]:
    return lint(scene.files(**texts), select=[RULE])


def test_a_store_that_the_row_does_not_say() -> None:
    scene = agentic("sglang")
    place = keep(scene, random.Random(0), "agg", 100)
    (finding,) = found(scene)
    master, recipe = scene.texts()
    assert finding.severity == "warning"
    assert finding.message == (
        "the agg role of the recipe keeps KV cache in host memory (hierarchical cache), but this row of"
        f" {KEY} does not say kv-offloading: dram"
    )
    assert (finding.path, finding.span.line) == (MASTER, line_of(master, scene.row_path()))
    assert [(item.path, item.span.line) for item in finding.related] == [(RECIPE, line_of(recipe, place))]
    scene.row["kv-offloading"] = "none"
    assert found(scene)[0].message.endswith(f"this row of {KEY} says kv-offloading: none")
    scene.row.update(DRAM)
    assert found(scene) == []


def test_a_row_that_says_what_no_role_does() -> None:
    scene = agentic("trtllm")
    scene.row.update(DRAM)
    (finding,) = found(scene)
    assert finding.message == (
        f"this row of {KEY} says kv-offloading: dram, but no role of its recipe keeps KV cache in host memory"
    )
    assert finding.span.line == line_of(scene.texts()[0], scene.row_path())
    assert [(item.path, item.span.line) for item in finding.related] == [(RECIPE, line_of(scene.texts()[1], ("name",)))]


def test_handing_the_cache_on_is_no_offloading() -> None:
    scene = agentic(roles=(Role("prefill"), Role("decode")))
    for role in ("prefill", "decode"):
        transfer(scene, role, "nixl")
    assert found(scene) == []
    scene.row.update(DRAM)
    assert [finding.message_id for finding in found(scene)] == ["undone"]


@pytest.mark.parametrize("engine", ["atom", "tilert", "mocker"])
def test_an_engine_that_is_not_known_may_offload_by_itself(engine: str) -> None:
    scene = agentic(schema=2, era="C")
    scene.row.update(DRAM)
    scene.recipe["engine"] = engine
    assert found(scene) == []


def test_a_connector_that_is_not_known_may_be_a_store() -> None:
    scene = agentic()
    scene.row.update(DRAM)
    put(scene.recipe, scene.flag("agg", "kv-transfer-config"), json.dumps(connector("SomeNewConnector")))
    assert found(scene) == []


def test_rows_of_fixed_sequences_have_nothing_to_say() -> None:
    scene = agentic("sglang", agentic=False)
    keep(scene, random.Random(0), "agg")
    assert found(scene) == []


def test_a_row_that_may_run_several_variants_has_to_differ_from_each() -> None:
    scene = agentic("sglang", schema=2, era="C")
    keep(scene, random.Random(0), "agg")
    override = {"roles": {"agg": {"args": {"enable-hierarchical-cache": False}}}}
    scene.recipe = {"base": scene.recipe, "override_on": {}, "override_off": override}
    assert found(scene) == []
    scene.row["srt-recipe"] = "disagg.yaml:override_on"
    assert [finding.message_id for finding in found(scene)] == ["unsaid"]
    scene.row.update({**DRAM, "srt-recipe": "disagg.yaml:override_off"})
    assert [finding.message_id for finding in found(scene)] == ["undone"]


def test_only_what_a_change_makes_worse_is_charged() -> None:
    scene = agentic("sglang")
    keep(scene, random.Random(0), "agg")
    base = scene.files()
    rows = scene.entry["scenarios"]["agentic-coding"][0]["search-space"]
    rows.insert(0, {**rows[0], **DRAM, "conc-list": [1]})
    assert lint(scene.files(), base, select=[RULE]) == []
    rows[0]["kv-offloading"] = "none"
    assert [finding.pointer[-1] for finding in lint(scene.files(), base, select=[RULE])] == ["0"]


def scene_of(seed: int) -> tuple[random.Random, Scene]:
    """An agentic scene in which row and recipe agree."""
    chance = random.Random(seed)
    scene = random_scene(chance)
    while not scene.agentic:
        scene = random_scene(chance)
    for role in scene.roles:
        transfer(scene, role.name, "nixl")
    if chance.random() < 0.5:
        scene.row.update(DRAM)
        keep(scene, chance, scene.roles[0].name, chance.choice((None, 100)))
    elif chance.random() < 0.5:
        scene.row["kv-offloading"] = "none"
    return chance, scene


@pytest.mark.parametrize("seed", range(60))
def test_either_side_alone_is_found_at_the_row(seed: int) -> None:
    chance, scene = scene_of(seed)
    assert found(scene) == []
    if scene.row.get("kv-offloading") == "dram":
        if chance.random() < 0.5:
            scene.row["kv-offloading"] = "none"
        else:
            del scene.row["kv-offloading"]
        expected = "unsaid"
    elif chance.random() < 0.5:
        keep(scene, chance, chance.choice(scene.roles).name, chance.choice((None, 100)))
        expected = "unsaid"
    else:
        scene.row.update(DRAM)
        expected = "undone"
    (finding,) = found(scene)
    assert (finding.message_id, finding.path) == (expected, MASTER)
    assert finding.span.line == line_of(scene.texts()[0], scene.row_path())


@pytest.mark.parametrize("seed", range(60))
def test_the_same_in_another_spelling_stays_silent(seed: int) -> None:
    _, scene = scene_of(1000 + seed)
    master, recipe = scene.texts()
    assert found(scene, master=harmless(master, seed), recipe=harmless(recipe, seed)) == []
