"""The parallel sizes of a role, by engine and by schema."""

from __future__ import annotations

from typing import Any

import pytest

from reciplint.domain.recipe_variant import RecipeRole, read_variant
from reciplint.domain.topology import Topology, read_topology


def sizes(engine: str, **flags: Any) -> Topology:
    """The topology of flags given with underscores, which every engine but TensorRT-LLM spells with dashes."""
    return read_topology(engine, flags if engine == "trtllm" else {key.replace("_", "-"): flags[key] for key in flags})


def plain(gpus: int, **changed: Any) -> Topology:
    listed = {"tp": 1, "pp": 1, "dp": 1, "ep": 1, "dcp": 1, "pcp": 1, "dp_attention": False, "stated": True}
    return Topology(**{**listed, "gpus": gpus, **changed})


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({"tensor_parallel_size": 8}, plain(8, tp=8)),
        ({"tensor_parallel_size": 8, "enable_expert_parallel": True}, plain(8, tp=8, ep=8)),
        (
            {"tensor_parallel_size": 1, "data_parallel_size": 16, "enable_expert_parallel": True},
            plain(16, dp=16, ep=16, dp_attention=True),
        ),
        (
            {"tensor_parallel_size": 4, "data_parallel_size": 4, "enable_expert_parallel": True},
            plain(16, tp=4, dp=4, ep=16, dp_attention=True),
        ),
        ({"tensor_parallel_size": 4, "data_parallel_size": 2}, plain(8, tp=4, dp=2, dp_attention=True)),
        ({"tensor_parallel_size": 8, "pipeline_parallel_size": 2}, plain(16, tp=8, pp=2)),
        ({"tensor_parallel_size": 8, "decode_context_parallel_size": 8}, plain(8, tp=8, dcp=8)),
        ({"tensor_parallel_size": 4, "prefill_context_parallel_size": 2}, plain(8, tp=4, pcp=2)),
        ({"tensor_parallel_size": 8, "enable_dp_attention": True}, plain(8, tp=8)),
        ({"enable_expert_parallel": True}, plain(1, stated=False)),
    ],
)
def test_vllm_gives_each_data_parallel_rank_gpus_of_its_own(flags: dict[str, Any], expected: Topology) -> None:
    assert sizes("vllm", **flags) == expected
    assert read_topology("vllm", flags) == expected


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({"tp_size": 8}, plain(8, tp=8)),
        ({"tensor_parallel_size": 8, "ep_size": 8}, plain(8, tp=8, ep=8)),
        ({"tp_size": 8, "expert_parallel_size": 4}, plain(8, tp=8, ep=4)),
        (
            {"tp_size": 16, "dp_size": 16, "ep_size": 16, "enable_dp_attention": True},
            plain(16, tp=16, dp=16, ep=16, dp_attention=True),
        ),
        ({"tp_size": 4, "dp_size": 2}, plain(8, tp=4, dp=2)),
        ({"tp_size": 4, "pp_size": 2}, plain(8, tp=4, pp=2)),
        ({"tp_size": 8, "attn_cp_size": 8}, plain(8, tp=8, pcp=8)),
        ({"tp_size": 8, "dcp_size": 4}, plain(8, tp=8, dcp=4)),
        ({"tp_size": 8, "enable_expert_parallel": True}, plain(8, tp=8)),
    ],
)
def test_sglang_lets_attention_ranks_share_gpus(flags: dict[str, Any], expected: Topology) -> None:
    assert sizes("sglang", **flags) == expected


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({"tensor_parallel_size": 8}, plain(8, tp=8)),
        ({"tensor_parallel_size": 8, "moe_expert_parallel_size": 8}, plain(8, tp=8, ep=8)),
        (
            {"tensor_parallel_size": 16, "moe_expert_parallel_size": 16, "enable_attention_dp": True},
            plain(16, tp=16, dp=16, ep=16, dp_attention=True),
        ),
        ({"tensor_parallel_size": 4, "pipeline_parallel_size": 2}, plain(8, tp=4, pp=2)),
        ({"tensor_parallel_size": 4, "context_parallel_size": 2}, plain(8, tp=4, pcp=2)),
        ({"tensor-parallel-size": 4}, plain(1, stated=False)),
    ],
)
def test_tensorrt_attention_ranks_are_its_tensor_parallel_ones(flags: dict[str, Any], expected: Topology) -> None:
    assert sizes("trtllm", **flags) == expected


@pytest.mark.parametrize("engine", ["atom", "tilert", "tokenspeed"])
def test_other_engines_are_read_as_vllm_and_may_name_sizes_that_vllm_does_not(engine: str) -> None:
    assert sizes(engine, tensor_parallel_size=4, data_parallel_size=2, enable_expert_parallel=True) == plain(
        8, tp=4, dp=2, ep=8, dp_attention=True
    )
    assert sizes(engine, tensor_parallel_size=4, ep_size=4) == plain(4, tp=4, ep=4)
    assert sizes(engine, tensor_parallel_size=4, enable_dp_attention=True) == plain(4, tp=4, dp_attention=True)


@pytest.mark.parametrize("value", ["8", 8])
def test_numbers_may_be_written_as_text(value: object) -> None:
    assert read_topology("vllm", {"tensor-parallel-size": value}).tp == 8


@pytest.mark.parametrize("value", ["{tp}", None, True, 0, -1, [8], "eight"])
def test_what_is_no_size_counts_as_one(value: object) -> None:
    assert read_topology("vllm", {"tensor-parallel-size": value}).tp == 1


@pytest.mark.parametrize("value", [True, "true", "True"])
def test_a_flag_may_be_on_as_text(value: object) -> None:
    assert read_topology("sglang", {"tp-size": 4, "enable-dp-attention": value}).dp_attention


@pytest.mark.parametrize("value", [False, "false", 1, None, ""])
def test_anything_else_is_off(value: object) -> None:
    assert not read_topology("sglang", {"tp-size": 4, "enable-dp-attention": value}).dp_attention


@pytest.mark.parametrize(("attention", "ranks"), [(True, 8), (False, 1)])
def test_ranks_schedule_for_themselves_only_with_attention_data_parallelism(attention: bool, ranks: int) -> None:
    assert sizes("sglang", tp_size=8, dp_size=8, enable_dp_attention=attention).ranks == ranks


FLAGS = {"tensor-parallel-size": 2, "data-parallel-size": 4, "max-num-seqs": 32}


def role(body: dict[str, Any], name: str) -> RecipeRole:
    found = read_variant("", body).role(name)
    assert found is not None
    return found


def test_a_role_of_either_schema_has_the_same_numbers() -> None:
    old = {
        "resources": {"gpus_per_node": 8, "decode_nodes": 2, "decode_workers": 2, "gpus_per_decode": 8},
        "backend": {"type": "vllm", "vllm_config": {"decode": FLAGS}},
    }
    new = {
        "schema": 2,
        "engine": "vllm",
        "resources": {"gpus_per_node": 8},
        "roles": {"decode": {"nodes": 2, "workers": 2, "gpus": 8, "args": FLAGS}},
    }
    for body in (old, new):
        found = role(body, "decode")
        assert (found.nodes, found.workers, found.gpus, found.max_sequences) == (2, 2, 8, 32)
        assert found.topology == plain(8, tp=2, dp=4, dp_attention=True)


def test_gpus_of_a_worker_are_the_share_of_its_nodes_where_they_are_left_out() -> None:
    old = {"resources": {"gpus_per_node": 8, "decode_nodes": 3, "decode_workers": 2}}
    new = {"schema": 2, "resources": {"gpus_per_node": 8}, "roles": {"decode": {"nodes": 3, "workers": 2}}}
    assert [role(body, "decode").gpus for body in (old, new)] == [12, 12]
    assert role({"resources": {"decode_nodes": 2, "decode_workers": 1}}, "decode").gpus == 8


def test_an_aggregated_role_has_its_own_name_in_the_first_schema() -> None:
    body = {
        "resources": {"agg_nodes": 1, "agg_workers": 1, "gpus_per_agg": 4},
        "backend": {"type": "sglang", "sglang_config": {"aggregated": {"tp-size": 4}}},
    }
    found = role(body, "agg")
    assert (found.topology.tp, found.args_path) == (4, ("backend", "sglang_config", "aggregated"))


def test_roles_of_one_recipe_may_have_engines_of_their_own() -> None:
    body = {
        "schema": 2,
        "roles": {
            "prefill": {"engine": "trtllm", "args": {"tensor_parallel_size": 4, "enable_attention_dp": True}},
            "decode": {"engine": {"type": "sglang"}, "args": {"tp-size": 8}},
        },
    }
    assert [(found.engine, found.topology.gpus) for found in read_variant("", body).roles] == [
        ("trtllm", 4),
        ("sglang", 8),
    ]


def test_a_decode_that_is_colocated_has_no_nodes_of_its_own() -> None:
    body = {"schema": 2, "roles": {"prefill": {"nodes": 1}, "decode": {"nodes": "colocate", "workers": 1}}}
    assert (role(body, "decode").nodes, read_variant("", body).shares_nodes) == (0, True)
