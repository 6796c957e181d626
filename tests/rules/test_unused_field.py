"""`dram-utilization` that no row reads."""

from __future__ import annotations

import random

import pytest
import yaml
from recipe_scene import KEY, Scene, dumped, line_of, random_scene
from variations import harmless

from reciplint.fix.session import fix_tree
from reciplint.rules.finding import Finding
from support import MASTER, encoded, lint

RULE = "unused-field"


def scene_of(seed: int) -> tuple[random.Random, Scene]:
    """An agentic scene with a utilisation that one of its rows reads."""
    chance = random.Random(seed)
    scene = random_scene(chance)
    while not scene.agentic:
        scene = random_scene(chance)
    (arm,) = scene.entry["scenarios"]["agentic-coding"]
    rows = [{**scene.row, "conc-list": [number + 1], "kv-offloading": "none"} for number in range(chance.randint(0, 3))]
    scene.row.update({"kv-offloading": "dram", "kv-offload-backend": {"name": "native"}})
    rows.insert(chance.randint(0, len(rows)), scene.row)
    settings = [("dram-utilization", chance.choice((0.5, 0.8, 1, 0.21429))), ("search-space", rows)]
    chance.shuffle(settings)
    arm.clear()
    arm.update(dict(settings))
    return chance, scene


def found(scene: Scene, **texts: str) -> list[Finding]:
    return lint(scene.files(**texts), select=[RULE])


def lay_idle(scene: Scene) -> None:
    """Let no row offload any more."""
    for row in scene.entry["scenarios"]["agentic-coding"][0]["search-space"]:
        row["kv-offloading"] = "none"
        row.pop("kv-offload-backend", None)


def test_the_message_names_scenario_and_value() -> None:
    _, scene = scene_of(1)
    scene.entry["scenarios"]["agentic-coding"][0]["dram-utilization"] = 0.8
    lay_idle(scene)
    (finding,) = found(scene)
    assert finding.severity == "info"
    assert finding.message == (
        f"no agentic-coding row of {KEY} says kv-offloading: dram, so that nothing reads dram-utilization 0.8"
    )
    assert finding.pointer == f"/{KEY}/scenarios/agentic-coding/0/dram-utilization"


def test_a_scenario_without_rows_is_the_schemas() -> None:
    _, scene = scene_of(1)
    scene.entry["scenarios"]["agentic-coding"][0]["search-space"].clear()
    master = dumped({KEY: scene.entry})
    assert found(scene, master=master, recipe="name: x\n") == []


def test_it_is_charged_to_the_change_that_removes_the_last_row() -> None:
    _, scene = scene_of(1)
    base = scene.files()
    lay_idle(scene)
    assert len(lint(scene.files(), base, select=[RULE])) == 1
    base = scene.files()
    scene.row["conc-list"] = [77]
    assert lint(scene.files(), base, select=[RULE]) == []


@pytest.mark.parametrize("seed", range(60))
def test_it_is_found_and_dropped_wherever_it_stands(seed: int) -> None:
    _, scene = scene_of(seed)
    assert found(scene) == []
    lay_idle(scene)
    text = scene.texts()[0]
    (finding,) = found(scene)
    path = (KEY, "scenarios", "agentic-coding", 0, "dram-utilization")
    assert (finding.path, finding.span.line) == (MASTER, line_of(text, path))
    files = encoded(scene.files())
    fixed = fix_tree([finding], files.__getitem__, lambda new: lint({**files, **new}, select=[RULE]), unsafe=True)
    del scene.entry["scenarios"]["agentic-coding"][0]["dram-utilization"]
    after = {path: data.decode() for path, data in fixed.files.items()}
    assert after == {MASTER: scene.texts()[0]}
    assert yaml.safe_load(after[MASTER]) == {KEY: scene.entry}


@pytest.mark.parametrize("seed", range(60))
def test_one_row_that_offloads_reads_it(seed: int) -> None:
    _, scene = scene_of(1000 + seed)
    master, recipe = scene.texts()
    assert found(scene, master=harmless(master, seed), recipe=harmless(recipe, seed)) == []
