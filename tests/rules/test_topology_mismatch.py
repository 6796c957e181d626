"""A row's GPUs and parallel sizes beside those of the recipe that it runs."""

from __future__ import annotations

import random
from typing import Any

import pytest
from recipe_scene import KEY, RECIPE, Role, Scene, line_of, put, random_scene
from variations import harmless

from reciplint.rules.finding import Finding
from support import MASTER, lint

RULE = "topology-mismatch"


def found(scene: Scene, **texts: str) -> list[Finding]:
    return lint(scene.files(**texts), select=[RULE])


def disagg(prefill: dict[str, Any] | None = None, decode: dict[str, Any] | None = None, **scene: Any) -> Scene:
    roles = (Role("prefill", **(prefill or {})), Role("decode", **(decode or {})))
    return Scene(**{"engine": "vllm", "schema": 1, "era": "A", "roles": roles, **scene})


def test_a_row_that_counts_one_gpu_for_an_engine_on_eight() -> None:
    scene = disagg(prefill={"tp": 1, "dp": 8, "expert": True})
    scene.row["prefill"]["tp"] = 1
    (finding,) = found(scene)
    master, recipe = scene.texts()
    assert (finding.severity, finding.message_id) == ("warning", "gpus")
    assert finding.message == ("prefill counts 1 GPU (1 x tp 1), but disagg.yaml has 1 worker of 8 GPUs: 8 in all")
    assert (finding.path, finding.span.line) == (MASTER, line_of(master, scene.row_path("prefill")))
    assert finding.pointer == f"/{KEY}/scenarios/fixed-seq-len/0/search-space/0/prefill"
    (place,) = finding.related
    assert (place.path, place.span.line) == (RECIPE, line_of(recipe, scene.resource("prefill", "gpus")))


def test_published_throughput_of_agentic_rows_is_divided_by_their_gpus_so_there_it_is_an_error() -> None:
    scene = disagg(agentic=True)
    scene.row["decode"]["num-worker"] = 2
    assert [(finding.severity, finding.arguments["counted"]) for finding in found(scene)] == [("error", 8)]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("ep", 2, "decode has ep 2, but disagg.yaml comes to 8 (by enable-expert-parallel, tp 4 x dp 2)"),
        ("dp-attn", False, "decode has dp-attn false, but disagg.yaml comes to true (by data-parallel-size)"),
        ("dcp-size", 2, "decode has dcp-size 2, but disagg.yaml comes to 4 (by decode-context-parallel-size)"),
    ],
)
def test_each_parallel_size_is_compared_and_the_deciding_flag_is_named(field: str, value: object, said: str) -> None:
    scene = disagg(decode={"tp": 4, "dp": 2, "dcp": 4, "expert": True})
    scene.row["decode"][field] = value
    (finding,) = found(scene)
    assert finding.message == said
    flag = {"ep": "enable-expert-parallel", "dp-attn": "data-parallel-size"}.get(field, "decode-context-parallel-size")
    assert finding.related[0].span.line == line_of(scene.texts()[1], scene.flag("decode", flag))


def test_a_size_that_the_row_leaves_out_is_said_to_be_the_default() -> None:
    scene = disagg(decode={"dcp": 4})
    del scene.row["decode"]["dcp-size"]
    (finding,) = found(scene)
    assert "dcp-size 1 by default" in finding.message


def test_pipeline_stages_take_gpus_of_their_own() -> None:
    scene = disagg(decode={"pp": 2})
    scene.row["decode"]["pp"] = 1
    assert sorted(finding.message_id for finding in found(scene)) == ["gpus", "size"]


def test_a_role_that_only_the_row_has() -> None:
    scene = disagg()
    aggregated = Scene("vllm", 1, "A", (Role("agg"),))
    (finding,) = found(scene, recipe=aggregated.texts()[1])
    assert finding.message_id == "not-in-recipe"
    assert finding.message == "the row has workers for decode, and disagg.yaml has none: its roles are agg"
    assert finding.span.line == line_of(scene.texts()[0], scene.row_path("decode"))


def test_a_role_that_only_the_recipe_has() -> None:
    scene = disagg()
    scene.row["decode"]["num-worker"] = 0
    (finding,) = found(scene)
    assert finding.message_id == "not-in-row"
    assert finding.message == "disagg.yaml has 1 worker for decode, and the row counts none"
    assert finding.span.line == line_of(scene.texts()[0], scene.row_path())


def test_an_aggregated_recipe_belongs_to_a_prefill_block_beside_a_decode_of_no_workers() -> None:
    scene = Scene("vllm", 1, "A", (Role("agg", workers=2),))
    assert found(scene) == []
    scene.row["prefill"]["num-worker"] = 1
    assert [finding.arguments["role"] for finding in found(scene)] == ["prefill"]


def test_data_parallel_ranks_may_be_counted_as_workers() -> None:
    scene = disagg(decode={"workers": 2, "tp": 4, "dp": 4, "expert": True})
    scene.row["decode"].update({"num-worker": 8, "tp": 4, "ep": 4, "dp-attn": False})
    assert found(scene) == []
    scene.row["decode"]["num-worker"] = 4
    assert [finding.arguments.get("counted") for finding in found(scene) if finding.message_id == "gpus"] == [16]


def test_data_parallelism_that_the_later_layout_leaves_out_of_tp_is_no_fault_there() -> None:
    for era, findings in (("C", 0), ("A", 1)):
        scene = disagg(decode={"tp": 4, "dp": 4, "expert": True}, era=era)
        scene.row["decode"]["tp"] = 4
        assert len(found(scene)) == findings
    scene = disagg(engine="sglang", decode={"tp": 4, "dp": 4}, era="C")
    scene.row["decode"]["tp"] = 1
    assert [finding.message_id for finding in found(scene)] == ["gpus"]


def test_where_resources_and_flags_differ_a_row_that_agrees_with_either_is_right() -> None:
    scene = disagg()
    put(scene.recipe, scene.resource("decode", "gpus"), 8)
    assert found(scene) == []
    scene.row["decode"]["tp"] = 2
    assert [finding.message_id for finding in found(scene)] == ["gpus"]


def test_what_the_recipe_leaves_open_is_not_judged() -> None:
    scene = disagg()
    for role in ("prefill", "decode"):
        for what in ("nodes", "workers", "gpus"):
            del scene.recipe["resources"][scene.resource(role, what)[-1]]
    scene.row["decode"]["num-worker"] = 3
    assert found(scene) == []
    scene = disagg()
    del scene.recipe["backend"]["vllm_config"]
    scene.row["decode"]["ep"] = 4
    assert found(scene) == []


def test_a_row_that_may_run_several_variants_has_to_differ_from_each() -> None:
    scene = disagg(era="C", schema=2)
    other = disagg(era="C", schema=2, decode={"workers": 2})
    bundle = {"base": scene.recipe, "override_one": {}, "override_two": {"roles": other.recipe["roles"]}}
    scene.recipe = bundle
    assert found(scene) == []
    scene.row["decode"]["num-worker"] = 3
    assert [finding.arguments["recipe"] for finding in found(scene)] == ["disagg.yaml:override_one"]


def test_a_value_of_an_override_is_pointed_at_where_it_is_written() -> None:
    scene = disagg(era="C", schema=2)
    scene.recipe = {"base": scene.recipe, "zip_override_x": {"roles": {"decode": {"workers": [1, 2], "gpus": [4, 4]}}}}
    scene.row["srt-recipe"] = "disagg.yaml:zip_override_x[1]"
    (finding,) = found(scene)
    assert finding.arguments["used"] == 8
    path = ("zip_override_x", "roles", "decode", "gpus", 1)
    assert finding.related[0].span.line == line_of(scene.texts()[1], path)


def test_a_row_inserted_before_changes_no_subject_and_a_change_is_charged_with_its_own() -> None:
    scene = disagg()
    scene.row["decode"]["num-worker"] = 2
    (before,) = found(scene)
    base = scene.files()
    rows = scene.entry["scenarios"]["fixed-seq-len"][0]["search-space"]
    rows.insert(0, {**rows[0], "conc-list": [1], "decode": {**rows[0]["decode"], "num-worker": 3}})
    assert before.subject in {finding.subject for finding in found(scene)}
    charged = lint(scene.files(), base, select=[RULE])
    assert [finding.arguments["counted"] for finding in charged] == [12]


ROW_FAULTS = ("num-worker", "tp", "ep", "dp-attn", "pp", "dcp-size")


@pytest.mark.parametrize("seed", range(60))
def test_any_broken_number_of_a_row_is_found_at_its_block(seed: int) -> None:
    chance = random.Random(seed)
    scene = random_scene(chance)
    assert found(scene) == []
    role = chance.choice(scene.roles)
    block, field = scene.row[scene.block(role.name)], chance.choice(ROW_FAULTS)
    block[field] = not block[field] if field == "dp-attn" else block.get(field, 1) * chance.choice((3, 5))
    findings = found(scene)
    assert {finding.span.line for finding in findings} == {
        line_of(scene.texts()[0], scene.row_path(scene.block(role.name)))
    }
    fields = {finding.arguments.get("field", "gpus") for finding in findings}
    assert {"num-worker": "gpus", "tp": "gpus"}.get(field, field) in fields


@pytest.mark.parametrize("seed", range(30))
def test_any_broken_number_of_a_recipe_is_found(seed: int) -> None:
    chance = random.Random(1000 + seed)
    scene = random_scene(chance)
    role = chance.choice(scene.roles)
    if chance.random() < 0.5:
        put(scene.recipe, scene.resource(role.name, "workers"), role.workers * 3)
    else:
        flag = "tensor_parallel_size" if scene.engine == "trtllm" else "tensor-parallel-size"
        put(scene.recipe, scene.flag(role.name, flag), role.tp * 3)
        put(scene.recipe, scene.resource(role.name, "gpus"), role.gpus(scene.engine) * 3)
    findings = found(scene)
    lines = {finding.span.line for finding in findings}
    assert lines == {line_of(scene.texts()[0], scene.row_path(scene.block(role.name)))}
    assert "gpus" in {finding.message_id for finding in findings}


@pytest.mark.parametrize("seed", range(60))
def test_the_same_numbers_in_another_spelling_stay_silent(seed: int) -> None:
    chance = random.Random(2000 + seed)
    scene = random_scene(chance)
    for role in scene.roles:
        block = scene.row[scene.block(role.name)]
        if scene.engine == "vllm" and role.dp > 1 and chance.random() < 0.5:
            block |= {"num-worker": role.workers * role.dp, "tp": role.tp}
        if chance.random() < 0.5:
            block |= {"pp": role.pp, "dcp-size": role.dcp}
    master, recipe = scene.texts()
    assert found(scene, master=harmless(master, seed), recipe=harmless(recipe, seed)) == []
