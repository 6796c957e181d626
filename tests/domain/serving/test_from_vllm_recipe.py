"""Commands of vLLM recipes: layers, hardware, pools, followers, what is offered at all.

How the layers lie was checked once against the site's own synthesis over the whole public repository (10,681
renderings, argument by argument); these are the rules in small.
"""

from __future__ import annotations

from typing import Any

import pytest

from reciplint.domain.serving.config import Deployment
from reciplint.domain.serving.from_vllm_recipe import deduplicated, read_vllm_recipe_deployments, rendered
from reciplint.domain.serving.rendering import arguments, environment
from reciplint.domain.serving.vllm_choices import choices, default_hardware, default_strategy, sized
from serving_scene import RECIPE, library, sheet


def one(variant: str, strategy: str, hardware: str, text: str = RECIPE, **changed: Any) -> Deployment:
    recipe, shared = sheet(text), library()
    choice = sized(recipe, shared, variant, strategy, shared.profile(hardware))
    assert choice is not None
    return rendered(recipe, shared, choice._replace(**changed))


def argv(deployment: Deployment, index: int = 0) -> str:
    return " ".join(arguments(deployment.processes[index]))


def test_layers_lie_over_one_another_and_the_last_of_a_flag_counts() -> None:
    assert argv(one("nvfp4", "single_node_tp", "b300")) == (
        "vllm serve example-labs/Finch-NVFP4 --trust-remote-code --gpu-memory-utilization 0.9 "
        "--tensor-parallel-size 1 --kv-cache-dtype fp8 --tool-call-parser finch"
    )


def test_a_strategys_override_for_a_generation_replaces_the_recipes() -> None:
    text = argv(one("default", "single_node_dep", "b300"))
    assert "--moe-backend deep_gemm_mega_moe" in text
    assert "--kv-cache-dtype" not in text
    assert environment(one("default", "single_node_dep", "b300").processes[0]) == {}


def test_nodes_of_one_engine_differ_by_rank() -> None:
    deployment = one("default", "multi_node_tp", "gb200", nodes=3)
    assert [process.selected("node") for process in deployment.processes] == ["", "1", "2"]
    assert "--tensor-parallel-size 12 --nnodes 3 --node-rank 0 --master-addr $HEAD_IP --kv" in argv(deployment)
    assert "--node-rank 2 --master-addr $HEAD_IP --headless" in argv(deployment, 2)
    assert deployment.processes[0].env[0].argument.variables == ("IFACE_NAME",)


def test_pools_have_a_router_and_their_own_layout() -> None:
    deployment = one("default", "pd_cluster", "b300", pools=(1, 2))
    _, prefill, decode = deployment.processes
    assert [process.role for process in deployment.processes] == ["router", "prefill", "decode"]
    assert argv(deployment) == (
        "vllm-router --policy round_robin --vllm-pd-disaggregation --prefill http://$PREFILL_NODE_1:8001 "
        "--decode http://$DECODE_NODE_1:8002 --decode http://$DECODE_NODE_2:8002 --host $ROUTER_HOST "
        "--port $ROUTER_PORT --intra-node-data-parallel-size 8"
    )
    assert (prefill.gpus, prefill.text("tensor-parallel-size"), decode.text("data-parallel-size")) == (8, "8", "16")
    assert decode.has("enable-expert-parallel", "data-parallel-hybrid-lb")
    assert environment(prefill) == {
        "VLLM_SIDE_HOST": "$PREFILL_NODE_1",
        "CUDA_VISIBLE_DEVICES": "0,1,2,3,4,5,6,7",
        "VLLM_ALLREDUCE_USE_FLASHINFER": "1",
    }


def test_what_a_rack_alone_understands_stays_on_racks() -> None:
    on_rack = environment(one("default", "pd_cluster", "gb200").processes[1])
    assert on_rack["NCCL_MNNVL_ENABLE"] == "1"


def test_every_argument_leads_to_the_file_that_says_it() -> None:
    process = one("nvfp4", "single_node_dep", "b300").processes[0]
    found = {flag.name: (flag.place.path, flag.span.line) for flag in process.flags}
    assert found["--trust-remote-code"] == ("models/example-labs/Finch.yaml", 6)
    assert found["--gpu-memory-utilization"] == ("models/example-labs/Finch.yaml", 17)
    assert found["--enable-expert-parallel"] == ("strategies/single_node_dep.yaml", 3)
    assert found["--data-parallel-size"] == ("strategies/single_node_dep.yaml", 4)


@pytest.mark.parametrize(
    ("variant", "hardware", "image"),
    [
        ("nvfp4", "b300", "vllm/vllm-openai:v0.20.1"),
        ("default", "b300", "vllm/vllm-openai:latest"),
        ("default", "mi355x", "vllm/vllm-openai-rocm:latest"),
    ],
)
def test_the_image_is_the_pinned_one_else_the_brands(variant: str, hardware: str, image: str) -> None:
    process = one(variant, "single_node_tp", hardware).processes[0]
    assert process.image == image
    assert (process.image_place is not None) == (variant == "nvfp4")


def test_what_is_offered() -> None:
    found = {(choice.variant, choice.hardware.id) for choice in choices(sheet(RECIPE), library())}
    assert found == {
        ("default", "gb200"),
        ("default", "b300"),
        ("default", "mi355x"),
        ("nvfp4", "gb200"),
        ("nvfp4", "b300"),
    }, "h200 is unsupported, desk restricted, NVFP4 for Blackwell alone"


def test_one_node_is_not_offered_to_weights_that_need_several() -> None:
    """GLM-5 says that it takes 893 GB, and was told that it does not fit the 640 GB of a node of H100."""

    def offered(text: str) -> set[str]:
        found = choices(sheet(text), library())
        return {item.strategy for item in found if (item.variant, item.hardware.id) == ("default", "gb200")}

    assert offered(RECIPE) == {"multi_node_tp", "pd_cluster"}
    assert "single_node_tp" in offered(RECIPE.replace("multi_node_tp, pd_cluster]", "pd_cluster]")), "no other way"


def test_strategies_are_opted_in_and_out_by_hardware() -> None:
    text = RECIPE.replace("[single_node_tp, single_node_dep, multi_node_tp, pd_cluster]", "[single_node_tp]") + (
        "strategy_hardware: {multi_node_tp: {gb200: supported}, single_node_tp: {amd: unsupported}}\n"
    )
    found = {(choice.hardware.id, choice.strategy) for choice in choices(sheet(text), library())}
    assert found == {("gb200", "single_node_tp"), ("b300", "single_node_tp"), ("gb200", "multi_node_tp")}


def test_a_floor_of_gpus_decides_the_nodes() -> None:
    text = RECIPE + "strategy_min_gpus: {multi_node_tp: 16, single_node_tp: 8}\n"
    shared = library()
    choice = sized(sheet(text), shared, "default", "multi_node_tp", shared.profile("gb200"))
    assert choice is not None
    assert choice.nodes == 4
    offered = {item.strategy for item in choices(sheet(text), shared) if item.hardware.id == "gb200"}
    assert offered == {"single_node_dep", "multi_node_tp", "pd_cluster"}


def test_what_is_shown_first() -> None:
    recipe, shared = sheet(RECIPE), library()
    hardware = default_hardware(recipe, shared, "nvfp4")
    assert hardware is not None
    assert hardware.id == "gb200"
    assert default_strategy(recipe, shared, "nvfp4", hardware) == "single_node_tp"
    assert default_strategy(recipe, shared, "default", hardware) == "multi_node_tp"


def test_modes_of_a_feature_exclude_one_another() -> None:
    text = RECIPE.replace(
        "  tools: {args: [--tool-call-parser, finch]}\n",
        "  drafts2:\n    default_mode: b\n    modes:\n"
        "      a: {args: [--mode, a]}\n"
        "      b: {args: [--mode, b], hardware: {amd: unsupported}}\n"
        "      c: {args: [--mode, c], variants: [nvfp4]}\n",
    ).replace("    precision: nvfp4\n", "    precision: nvfp4\n    default_modes: {drafts2: c}\n")
    assert "--mode b" in argv(one("default", "single_node_tp", "b300", text))
    assert "--mode a" in argv(one("default", "single_node_tp", "mi355x", text))
    assert "--mode c" in argv(one("nvfp4", "single_node_tp", "b300", text))


def test_an_omni_recipe_has_a_command_a_task() -> None:
    text = RECIPE.replace("tasks: [text]", "tasks: [omni]") + (
        "omni: {port: 9000, tasks: [{id: t2v, extra_args: [--steps, 4]}, {id: i2v, model_id: example-labs/I2V}]}\n"
    )
    found = [
        deployment.processes[0]
        for deployment in read_vllm_recipe_deployments(sheet(text), library())
        if deployment.processes[0].selected("variant") == "default" and deployment.processes[0].hardware == "b300"
    ]
    assert [(process.engine, process.selected("task"), process.model) for process in found] == [
        ("vllm-omni", "t2v", "example-labs/Finch"),
        ("vllm-omni", "i2v", "example-labs/I2V"),
    ]
    assert " ".join(arguments(found[0])).endswith("--steps 4 --kv-cache-dtype fp8 --port 9000 --omni")


def test_the_last_of_a_flag_is_kept_with_its_one_value() -> None:
    recipe = sheet("a: [--x, 1, --y, --x, 2, --sizes, 1, 2]\n")
    assert [value.text for value in deduplicated(recipe.arguments("a"))] == ["--y", "--x", "2", "--sizes", "1", "2"]


@pytest.mark.parametrize("put", ["null", "3", "[1, a]", "{a: {b: 1}}", "text"])
def test_a_recipe_of_any_shape_is_read_without_a_fault(put: str) -> None:
    """Each value replaced by each other sort of value: what a rule runs on need not fit any schema."""
    shared = library()
    lines = RECIPE.splitlines()
    for number, line in enumerate(lines):
        key, colon, _ = line.partition(": ")
        if not colon:
            key = line.rstrip(":")
        below = next((n for n in range(number + 1, len(lines)) if _depth(lines[n]) <= _depth(line)), len(lines))
        text = "\n".join([*lines[:number], f"{key}: {put}", *lines[below:]])
        for deployment in read_vllm_recipe_deployments(sheet(text), shared):
            assert deployment.processes


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
