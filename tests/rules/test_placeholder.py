"""References that the launcher fills in, and sizes that have to be such references."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from fragment_scene import KEY, Fragment, several
from recipe_scene import Path, line_of, put
from variations import harmless

from reciplint.domain.placeholders import NAMES, SIZES
from reciplint.rules.finding import Finding
from support import MASTER, lint

RULE = "placeholder"
ARGS = ("roles", "agg", "args")
ENV = ("roles", "agg", "env")
FABRIC = {name: ["mlx5_0"] for name in NAMES["@fabric."]}


def found(scene: Fragment, **texts: str) -> list[Finding]:
    return lint(scene.files(**texts), select=[RULE])


def scene(offloading: bool = True, seed: int = 1) -> Fragment:
    built = several(random.Random(seed), agentic=True)
    for row in built.rows:
        row["kv-offloading"] = "dram" if offloading else "none"
    return built


def with_value(value: Any, path: Path = (*ENV, "SIZE"), body: str = "base", **options: Any) -> Fragment:
    built = scene(**options)
    put(built.recipe[body], path, value)
    return built


@pytest.mark.parametrize("name", [f"{mark}{name}" for mark, names in NAMES.items() for name in names])
def test_every_reference_may_stand_anywhere_as_a_whole_value(name: str) -> None:
    built = with_value(name)
    put(built.recipe["base"], (*ARGS, "kv-transfer-config"), json.dumps({"inner": {"size": name}}))
    put(built.recipe["base"], ("services",), [{"name": "store", "args": ["--size", name]}])
    assert found(built) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "@dram.per-rank-gb",
            "@dram.per-rank-gb is no reference that the launcher knows; did you mean @dram.per-gpu-gb?",
        ),
        (
            "@fabric.ucx-net-device",
            "@fabric.ucx-net-device is no reference that the launcher knows; did you mean @fabric.ucx-net-devices?",
        ),
        (
            "x@dram.total-gb",
            "@dram.… stands inside a longer text, where nothing fills it in: a reference is a whole value",
        ),
        (
            "IBDEVICES=@fabric.ib-devices run",
            "@fabric.… stands inside a longer text, where nothing fills it in: a reference is a whole value",
        ),
        (
            '["@dram.total-gb"]',
            "@dram.… stands inside a longer text, where nothing fills it in: a reference is a whole value",
        ),
    ],
)
def test_an_unknown_name_or_a_place_where_nothing_fills_it_in(text: str, message: str) -> None:
    built = with_value(text)
    findings = found(built)
    assert [finding.message for finding in findings] == [message]
    assert findings[0].severity == "error"
    assert findings[0].span.line == line_of(built.texts()[1], ("base", *ENV, "SIZE"))


def test_a_reference_within_a_list_is_pointed_at() -> None:
    built = scene()
    put(built.recipe["base"], ("services",), [{"name": "a"}, {"name": "b", "args": ["--size", "@dram.all"]}])
    (finding,) = found(built)
    assert finding.span.line == line_of(built.texts()[1], ("base", "services", 1, "args", 1))


def test_a_point_without_offloading_has_no_budget() -> None:
    built = with_value("@dram.total-gb", offloading=False)
    (finding,) = found(built)
    assert finding.message == (
        f"@dram.total-gb is filled in from the DRAM budget of a point, and {KEY} runs points.yaml:override_p0 in rows"
        " without kv-offloading: dram, which have none"
    )
    place = (*built.row_path(0), "srt-recipe")
    assert [(item.path, item.span.line) for item in finding.related] == [(MASTER, line_of(built.texts()[0], place))]


def test_a_variant_that_no_row_without_a_budget_runs_may_have_a_size() -> None:
    built = scene(offloading=False)
    built.rows[1]["kv-offloading"] = "dram"
    put(built.recipe["override_p1"], (*ENV, "SIZE"), "@dram.total-gb")
    assert found(built) == []


def test_a_reference_that_every_variant_replaces_is_run_by_none() -> None:
    built = with_value("@dram.total-gb", offloading=False)
    for name in built.recipe:
        if name.startswith("override_"):
            put(built.recipe[name], (*ENV, "SIZE"), None)
    assert found(built) == []


def test_a_fact_that_a_reached_cluster_does_not_set() -> None:
    built = with_value("@fabric.ib-devices")
    built.fabric = {"nccl-ib-hca": ["mlx5_0"]}
    (finding,) = found(built)
    assert finding.message == (
        f"@fabric.ib-devices is filled in from cluster:b200-a, which runner cluster:b200-a of {KEY} reaches, and that"
        " sets no ib-devices in its fabric"
    )
    built.entry["runner"] = "b200"
    assert [finding.arguments["runner"] for finding in found(built)] == ["b200"]
    built.fabric = {"ib-devices": ["mlx5_0"]}
    assert found(built) == []


def test_a_runners_file_that_knows_no_fabric_tells_nothing() -> None:
    assert found(with_value("@fabric.ib-devices")) == []


@pytest.mark.parametrize(("name", "reference"), SIZES.items())
def test_a_size_that_has_to_be_a_reference(name: str, reference: str) -> None:
    if name.startswith("--"):
        path: Path = ("services",)
        built = with_value([{"name": "lmcache", "args": [name, "1296"]}], path)
        place: Path = (*path, 0, "args", 1)
    else:
        built = with_value("1296", (*ENV, name))
        place = (*ENV, name)
    (finding,) = found(built)
    assert finding.message == (
        f"{name} is 1296, a size of host memory that the launcher takes from the point's DRAM budget alone:"
        f" it has to be a reference, as {reference}"
    )
    assert finding.span.line == line_of(built.texts()[1], ("base", *place))


def test_a_size_within_a_json_object_is_one_too() -> None:
    config = {
        "kv_connector": "SimpleCPUOffloadConnector",
        "kv_connector_extra_config": {"cpu_bytes_to_use": 5 * 10**11},
    }
    built = with_value(json.dumps(config), (*ARGS, "kv-transfer-config"))
    assert [finding.arguments["text"] for finding in found(built)] == ["500000000000"]


def test_measured_sizes_may_stand_as_numbers() -> None:
    built = with_value(200, (*ARGS, "hicache-size"))
    put(built.recipe["base"], (*ARGS, "kv_cache_config"), {"host_cache_size": 10**11})
    put(built.recipe["base"], ("services",), [{"options": {"store_config": {"global_segment_size": "200GB"}}}])
    assert found(built) == []


def test_a_recipe_of_another_era_is_not_judged() -> None:
    built = with_value("1296", (*ENV, "LMCACHE_MAX_LOCAL_CPU_SIZE"))
    assert len(found(built)) == 1
    del built.entry["srt-recipe-dir"]
    for row in built.rows:
        row["srt-recipe"] = f"benchmarks/multi_node/srt-slurm-recipes/finch/{row['srt-recipe']}"
    assert found(built) == []


def test_a_change_that_takes_a_row_off_offloading_is_charged() -> None:
    built = with_value("@dram.total-gb")
    base = built.files()
    built.rows[0]["kv-offloading"] = "none"
    (finding,) = lint(built.files(), base, select=[RULE])
    assert finding.message_id == "no-budget"


@pytest.mark.parametrize("seed", range(60))
def test_any_broken_reference_or_written_size_is_found_at_its_line(seed: int) -> None:
    chance = random.Random(seed)
    built = scene(seed=seed)
    built.fabric = {name: value for name, value in FABRIC.items() if name != "ib-devices"}
    body = chance.choice(("base", *(name for name in built.recipe if name.startswith("override_"))))
    holder = chance.choice((ARGS, ENV, ("benchmark", "env"), ("frontend", "args")))
    key, value, kind = chance.choice(
        [
            ("SIZE", f"@dram.{chance.choice(('gb', 'total', 'per-gpu-mib'))}", "unknown"),
            ("DEVICES", f"@fabric.{chance.choice(('devices', 'nccl', 'mori-tc'))}", "unknown"),
            ("SIZE", f"{chance.choice(('-', 'size=', ' '))}@dram.total-gb", "embedded"),
            ("DEVICES", "@fabric.nccl-ib-hca,mlx5_9", "embedded"),
            ("DEVICES", "@fabric.ib-devices", "unset"),
            (chance.choice([name for name in SIZES if name[0] != "-"]), chance.randint(1, 10**12), "literal"),
        ]
    )
    assert found(built) == []
    put(built.recipe[body], (*holder, key), value)
    (finding,) = found(built)
    assert (finding.message_id, finding.path) == (kind, built.path)
    assert finding.span.line == line_of(built.texts()[1], (body, *holder, key))


@pytest.mark.parametrize("seed", range(60))
def test_references_that_can_be_filled_in_stay_silent_in_any_spelling(seed: int) -> None:
    chance = random.Random(1000 + seed)
    built = scene(seed=seed)
    built.fabric = FABRIC
    for index in range(3):
        mark = chance.choice(tuple(NAMES))
        put(built.recipe["base"], (*ENV, f"V{index}"), f"{mark}{chance.choice(NAMES[mark])}")
    config = {"kv_connector_extra_config": {"cpu_bytes_to_use": "@dram.total-bytes"}}
    put(built.recipe["override_p0"], (*ARGS, "kv-transfer-config"), json.dumps(config))
    master, recipe = built.texts()
    assert found(built, master=harmless(master, seed), recipe=harmless(recipe, seed)) == []
