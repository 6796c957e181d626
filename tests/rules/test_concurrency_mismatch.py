"""The concurrencies of a recipe beside those of the rows that run it."""

from __future__ import annotations

import random

import pytest
from recipe_scene import RECIPE, Role, Scene, line_of, random_scene
from variations import harmless

from reciplint.rules.finding import Finding
from support import MASTER, lint

RULE = "concurrency-mismatch"
PLACE = ("benchmark", "concurrencies")


def found(scene: Scene, **texts: str) -> list[Finding]:
    return lint(scene.files(**texts), select=[RULE])


def disagg(era: str = "A") -> Scene:
    return Scene("vllm", 1, era, (Role("prefill"), Role("decode")))


def rows(scene: Scene) -> list[dict[str, object]]:
    listed: list[dict[str, object]] = scene.entry["scenarios"]["fixed-seq-len"][0]["search-space"]
    return listed


def test_both_lists_are_told_with_both_places() -> None:
    scene = disagg()
    scene.recipe["benchmark"]["concurrencies"] = "8x16x64"
    (finding,) = found(scene)
    assert finding.severity == "warning"
    assert finding.message == (
        "disagg.yaml differs from its rows in concurrency; it alone runs 16, 64; only its rows have 32"
    )
    master, recipe = scene.texts()
    assert (finding.path, finding.span.line) == (RECIPE, line_of(recipe, PLACE))
    assert [(place.path, place.span.line) for place in finding.related] == [(MASTER, line_of(master, scene.row_path()))]


@pytest.mark.parametrize("value", ["32x8", ["8", 32], [32, 8, 8]])
def test_a_list_is_compared_as_a_set_in_any_spelling(value: object) -> None:
    scene = disagg()
    scene.recipe["benchmark"]["concurrencies"] = value
    assert found(scene) == []


def test_one_number_is_a_list_of_one() -> None:
    scene = disagg()
    scene.row["conc-list"] = [8]
    scene.recipe["benchmark"]["concurrencies"] = 8
    assert found(scene) == []


def test_rows_that_run_one_recipe_count_together() -> None:
    scene = disagg()
    scene.row["conc-list"] = [8]
    assert len(found(scene)) == 1
    rows(scene).append({**scene.row, "conc-list": [32]})
    assert found(scene) == []


def test_a_custom_benchmark_and_a_recipe_without_a_list_take_it_from_the_caller() -> None:
    scene = disagg()
    scene.recipe["benchmark"] |= {"concurrencies": "64", "type": "custom"}
    assert found(scene) == []
    scene.recipe["benchmark"] = {"type": "sa-bench"}
    assert found(scene) == []


@pytest.mark.parametrize(("power", "findings"), [(True, 1), (False, 0), (None, 0)])
def test_in_the_later_layout_the_list_counts_where_power_is_measured(power: bool | None, findings: int) -> None:
    scene = disagg("C")
    scene.recipe["benchmark"]["concurrencies"] = "64"
    scene.row.update({} if power is None else {"power": power})
    assert len(found(scene)) == findings


def test_variants_that_a_row_only_may_run_are_not_judged() -> None:
    scene = disagg()
    scene.recipe["benchmark"]["concurrencies"] = "64"
    scene.recipe = {"base": scene.recipe, "override_one": {}, "override_two": {}}
    assert found(scene) == []
    scene.row["prefill"]["additional-settings"] = ["CONFIG_FILE=recipes/finch/disagg.yaml:override_two"]
    assert [finding.arguments["recipe"] for finding in found(scene)] == ["disagg.yaml:override_two"]


def test_a_change_is_charged_with_the_difference_that_it_makes() -> None:
    scene = disagg()
    base = scene.files()
    scene.row["conc-list"] = [8, 32, 128]
    (finding,) = lint(scene.files(), base, select=[RULE])
    assert finding.subject == ("", "", "128")


def sa_bench_scene(chance: random.Random) -> Scene:
    """A random scene whose recipe's list is what runs."""
    scene = random_scene(chance)
    scene = Scene(scene.engine, scene.schema, scene.era, scene.roles, scene.concurrencies, per_node=scene.per_node)
    if scene.era == "C":
        scene.row["power"] = True
    return scene


@pytest.mark.parametrize("seed", range(60))
def test_any_other_number_is_found_at_the_list(seed: int) -> None:
    chance = random.Random(seed)
    scene = sa_bench_scene(chance)
    assert found(scene) == []
    other = chance.choice((3, 48, 2048))
    if chance.random() < 0.5:
        scene.row["conc-list"][chance.randrange(len(scene.concurrencies))] = other
    else:
        scene.recipe["benchmark"]["concurrencies"] += f"x{other}"
    (finding,) = found(scene)
    assert finding.span.line == line_of(scene.texts()[1], PLACE)
    assert str(other) in finding.message


@pytest.mark.parametrize("seed", range(60))
def test_the_same_numbers_in_another_spelling_stay_silent(seed: int) -> None:
    chance = random.Random(1000 + seed)
    scene = sa_bench_scene(chance)
    listed = list(scene.concurrencies)
    chance.shuffle(listed)
    scene.recipe["benchmark"]["concurrencies"] = chance.choice((listed, "x".join(map(str, listed))))
    if len(listed) > 1 and chance.random() < 0.5:
        scene.row["conc-list"] = listed[:1]
        rows(scene).append({**scene.row, "conc-list": listed[1:]})
    master, recipe = scene.texts()
    assert found(scene, master=harmless(master, seed), recipe=harmless(recipe, seed)) == []
