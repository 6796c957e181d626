"""The router version and cache transfer that a key names, beside those of its recipes."""

from __future__ import annotations

import json
import random

import pytest
from cache_scene import connector, several, transfer
from recipe_scene import KEY, RECIPE, Role, Scene, line_of, put, random_scene
from variations import harmless

from reciplint.rules.finding import Finding
from support import MASTER, RECIPES, lint

RULE = "component-mismatch"
COMMIT = "5a638087d82c990d35c69cb8e41c2c2582e9ef9a"
ROUTER = {"name": "dynamo-router", "version": "1.3.0"}


def disagg(engine: str = "vllm") -> Scene:
    scene = Scene(engine, 1, "A", (Role("prefill"), Role("decode")))
    scene.entry |= {"router": dict(ROUTER), "kv-p2p-transfer": "nixl"}
    scene.recipe["dynamo"] = {"version": "1.3.0"}
    for role in ("prefill", "decode"):
        transfer(scene, role, "nixl")
    return scene


def found(scene: Scene, **texts: str) -> list[Finding]:
    return lint(scene.files(**texts), select=[RULE])


def test_a_router_of_another_release() -> None:
    scene = disagg()
    scene.recipe["dynamo"] = {"wheel": "1.4.0.dev2"}
    (finding,) = found(scene)
    master, recipe = scene.texts()
    assert finding.severity == "warning"
    assert finding.message == (
        f"router.version of {KEY} is 1.3.0, but 1 recipe that it runs installs Dynamo 1.4.0.dev2"
    )
    assert (finding.path, finding.span.line) == (MASTER, line_of(master, (KEY, "router")))
    (place,) = finding.related
    assert (place.path, place.span.line) == (RECIPE, line_of(recipe, ("dynamo", "wheel")))


@pytest.mark.parametrize("engine", ["vllm", "sglang", "trtllm"])
def test_another_transfer(engine: str) -> None:
    scene = disagg(engine)
    scene.entry["kv-p2p-transfer"] = "mooncake"
    (finding,) = found(scene)
    master, recipe = scene.texts()
    assert finding.message == (
        f"kv-p2p-transfer of {KEY} is mooncake, but 1 recipe that it runs transfers the cache by nixl"
    )
    assert finding.span.line == line_of(master, (KEY, "kv-p2p-transfer"))
    key = {
        "vllm": ("kv-transfer-config",),
        "sglang": ("disaggregation-transfer-backend",),
        "trtllm": ("cache_transceiver_config", "backend"),
    }[engine]
    path = (*scene.flag("prefill", key[0]), *key[1:])
    assert [place.span.line for place in finding.related] == [line_of(recipe, path)]


def test_one_finding_for_all_recipes_of_a_key_that_have_the_same() -> None:
    scene = disagg()
    scene.recipe["dynamo"] = {"version": "1.4.0"}
    rows = scene.entry["scenarios"]["fixed-seq-len"][0]["search-space"]
    files = scene.files()
    for number in range(5):
        row = json.loads(json.dumps(rows[0]))
        row["conc-list"] = [number + 1]
        row["prefill"]["additional-settings"] = [f"CONFIG_FILE=recipes/finch/more-{number}.yaml"]
        rows.append(row)
        files[f"{RECIPES}/finch/more-{number}.yaml"] = scene.texts()[1]
    (finding,) = lint({**files, MASTER: scene.texts()[0]}, select=[RULE])
    assert (finding.arguments["count"], len(finding.related)) == (6, 3)
    assert "6 recipes that it runs install Dynamo 1.4.0" in finding.message


def test_a_setting_of_the_row_is_reported_there() -> None:
    scene = disagg()
    for name in ("router", "kv-p2p-transfer"):
        scene.row[name] = scene.entry.pop(name)
    assert found(scene) == []
    scene.row["router"]["version"] = "1.2.0"
    scene.row["kv-p2p-transfer"] = "mooncake"
    findings = found(scene)
    line = line_of(scene.texts()[0], scene.row_path())
    assert sorted((finding.message_id, finding.span.line) for finding in findings) == [
        ("kv-p2p-transfer", line),
        ("router", line),
    ]


def test_what_cannot_be_compared_stays_silent() -> None:
    scene = disagg()
    for dynamo in ({"hash": COMMIT}, {"version": "1.4.0", "hash": COMMIT}, {"wheel": "main"}, {}, None):
        scene.recipe["dynamo"] = dynamo
        assert found(scene) == []
    scene.recipe["dynamo"] = {"version": "1.4.0"}
    for router in ({"name": "vllm-router", "version": "0.1.14"}, {"name": "dynamo-router", "version": COMMIT}, None):
        scene.entry["router"] = router
        assert found(scene) == []
    scene = disagg("trtllm")
    scene.entry["kv-p2p-transfer"] = "mooncake"
    for role in ("prefill", "decode"):
        transfer(scene, role, "default")
    assert found(scene) == []


def test_a_store_beside_the_transfer_is_none() -> None:
    scene = disagg()
    stored = connector("MooncakeStoreConnector")
    for role in ("prefill", "decode"):
        transfer(scene, role, "nixl", stored)
    assert found(scene) == []
    for role in ("prefill", "decode"):
        put(scene.recipe, scene.flag(role, "kv-transfer-config"), json.dumps(several(stored)))
    scene.entry["kv-p2p-transfer"] = "mooncake"
    assert found(scene) == []


def test_only_what_a_change_makes_worse_is_charged() -> None:
    scene = disagg()
    scene.recipe["dynamo"] = {"version": "1.4.0"}
    base = scene.files()
    scene.row["conc-list"] = [1]
    assert lint(scene.files(), base, select=[RULE]) == []
    scene.entry["kv-p2p-transfer"] = "mooncake"
    assert [finding.message_id for finding in lint(scene.files(), base, select=[RULE])] == ["kv-p2p-transfer"]


TRANSFERS = {
    "vllm": ("nixl", "mooncake", "mori", "nccl"),
    "sglang": ("nixl", "mooncake", "mori"),
    "trtllm": ("nixl", "ucx", "mpi"),
}


def scene_of(seed: int) -> tuple[random.Random, Scene]:
    """A scene of several roles whose router and transfer are right."""
    chance = random.Random(seed)
    scene = random_scene(chance)
    while len(scene.roles) == 1:
        scene = random_scene(chance)
    backend = chance.choice(TRANSFERS[scene.engine])
    for role in scene.roles:
        transfer(scene, role.name, backend)
    place = chance.choice((("version",), ("wheel",), ("source", "pypi"), ("hash",), ("source", "rev")))
    version = COMMIT if place[-1] in ("hash", "rev") else "1.3.0"
    put(scene.recipe, ("dynamo", *place), version)
    holder = scene.entry if chance.random() < 0.5 else scene.row
    holder |= {"router": {"name": "dynamo-router", "version": version}, "kv-p2p-transfer": backend}
    return chance, scene


@pytest.mark.parametrize("seed", range(60))
def test_any_other_name_is_found_where_it_stands(seed: int) -> None:
    chance, scene = scene_of(seed)
    assert found(scene) == []
    in_row = "router" in scene.row
    holder = scene.row if in_row else scene.entry
    setting = chance.choice(("router", "kv-p2p-transfer"))
    if setting == "router":
        stated = holder["router"]["version"]
        holder["router"]["version"] = stated[::-1] if stated == COMMIT else chance.choice(("1.2.0", "1.3.0.dev1"))
    else:
        holder[setting] = chance.choice(
            [name for name in ("nixl", "mooncake", "mori", "ucx", "nccl", "mpi") if name != holder[setting]]
        )
    (finding,) = found(scene)
    path = scene.row_path() if in_row else (KEY, setting)
    assert (finding.message_id, finding.path) == (setting, MASTER)
    assert finding.span.line == line_of(scene.texts()[0], path)


@pytest.mark.parametrize("seed", range(60))
def test_the_same_names_in_another_spelling_stay_silent(seed: int) -> None:
    chance, scene = scene_of(1000 + seed)
    holder = scene.row if "router" in scene.row else scene.entry
    stated = holder["router"]["version"]
    holder["router"]["version"] = stated[:10] if stated == COMMIT else chance.choice(("v1.3.0", "1.3"))
    holder["kv-p2p-transfer"] = chance.choice((str.upper, str.title, str))(holder["kv-p2p-transfer"])
    master, recipe = scene.texts()
    assert found(scene, master=harmless(master, seed), recipe=harmless(recipe, seed)) == []
