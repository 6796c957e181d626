"""A key's configurations beside a published recipe: what counts as major, what as the harness's."""

from __future__ import annotations

from reciplint.domain.serving.comparing import UNSET, Comparison, Subject, compare
from reciplint.domain.serving.from_recipe import read_recipe_deployments
from reciplint.yamltree.parse import parse
from serving_scene import RECIPE, library, sheet

OURS = """\
name: finch
model: {path: finch, container: img, precision: fp4}
resources: {gpu_type: b300, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1, gpus_per_agg: 1}
backend:
  type: vllm
  vllm_config:
    aggregated:
      tensor-parallel-size: 1
      trust-remote-code: true
      kv-cache-dtype: fp8
      gpu-memory-utilization: 0.90
      tool-call-parser: finch
  aggregated_environment: {VLLM_ALLREDUCE_USE_FLASHINFER: "1"}
"""


def beside(text: str, model: str = "example-labs/Finch-NVFP4", published: str = RECIPE) -> Comparison:
    deployments = read_recipe_deployments(parse(text.encode()), "recipe.yaml")
    return compare(Subject(model, "vllm", "fp4", deployments), sheet(published), library())


def differing(found: Comparison) -> dict[tuple[str, str], tuple[str, str]]:
    return {(line.role, line.setting): (line.key, line.recipe) for line in found.lines if not line.matches}


def test_equal_settings_match_whatever_their_spelling() -> None:
    found = beside(OURS)
    assert (found.differs, differing(found)) == (False, {})
    assert found.choices == ("nvfp4, single_node_tp, b300",)
    matched = {line.setting for line in found.major}
    assert matched == {
        *("model", "engine", "hardware", "precision", "layout", "kv-cache-dtype", "VLLM_ALLREDUCE_USE_FLASHINFER")
    }


def test_kernels_sizes_and_the_caches_type_are_major() -> None:
    text = OURS.replace("tensor-parallel-size: 1", "tensor-parallel-size: 2\n      attention-backend: X_MLA").replace(
        "fp8\n", "auto\n"
    )
    found = beside(text)
    assert found.differs
    assert differing(found) == {
        ("agg", "tp"): ("2", "1"),
        ("agg", "kv-cache-dtype"): (UNSET, "fp8"),
        ("agg", "attention-backend"): ("X_MLA", UNSET),
    }


def test_the_harness_is_minor() -> None:
    found = beside(OURS.replace("0.90", "0.8\n      max-num-seqs: 4\n      grammar-backend: x"))
    assert not found.differs
    assert [(line.setting, line.key, line.recipe) for line in found.minor] == [
        ("gpu-memory-utilization", "0.8", "0.9"),
        ("grammar-backend", "x", UNSET),
        ("max-num-seqs", "4", UNSET),
    ]


def test_parts_of_a_json_flag_are_compared_however_they_are_given() -> None:
    ours = OURS.replace(
        "kv-cache-dtype", 'attention-config: \'{"mla_prefill_backend":"A","x":true}\'\n      kv-cache-dtype'
    )
    theirs = RECIPE.replace("--kv-cache-dtype, fp8", "--attention_config.mla_prefill_backend, a, --kv-cache-dtype, fp8")
    found = beside(ours, published=theirs)
    assert differing(found) == {("agg", "attention-config"): ('{"x": true}', UNSET)}
    assert not found.differs


def test_a_kernel_is_one_setting_whether_its_own_flag_or_a_json_part_gives_it() -> None:
    ours = OURS.replace(
        "kv-cache-dtype", "attention-backend: FLASHINFER\n      moe-backend: marlin\n      kv-cache-dtype"
    )
    parts = '--attention_config.backend, flashinfer, --kernel-config, \'{"moe_backend":"triton"}\''
    found = beside(ours, published=RECIPE.replace("--kv-cache-dtype, fp8", f"{parts}, --kv-cache-dtype, fp8"))
    assert differing(found) == {("agg", "moe-backend"): ("marlin", "triton")}
    assert ("attention-backend", True) in {(line.setting, line.matches) for line in found.major}


def test_a_type_of_the_cache_matches_under_either_name() -> None:
    assert differing(beside(OURS.replace("dtype: fp8", "dtype: fp8_e4m3"))) == {}
    assert differing(beside(OURS.replace("dtype: fp8", "dtype: fp8_e5m2"))) == {
        ("agg", "kv-cache-dtype"): ("fp8_e5m2", "fp8")
    }


def test_a_precision_is_minor_where_the_model_is_the_same() -> None:
    mixed = RECIPE.replace("precision: nvfp4", "precision: fp8")
    found = beside(OURS, published=mixed)
    assert not found.differs
    assert [(line.setting, line.key, line.recipe) for line in found.minor] == [("precision", "fp4", "fp8")]
    other = beside(OURS, model="example-labs/Wren", published=mixed)
    assert "precision" in {line.setting for line in other.major if not line.matches}


def test_another_model_or_hardware_is_major() -> None:
    found = beside(OURS.replace("b300", "h200"), model="example-labs/Wren")
    assert {"model", "hardware"} <= {setting for _, setting in differing(found)}


def test_pools_are_compared_role_by_role_with_the_nodes_of_the_key() -> None:
    text = """\
name: finch
model: {path: finch, container: img, precision: fp4}
resources:
  {gpu_type: b300, gpus_per_node: 8, prefill_nodes: 1, prefill_workers: 1, gpus_per_prefill: 8, decode_nodes: 2,
   decode_workers: 1, gpus_per_decode: 16}
backend:
  type: vllm
  vllm_config:
    prefill: {tensor-parallel-size: 8, kv-cache-dtype: fp8}
    decode: {tensor-parallel-size: 1, data-parallel-size: 16, enable-expert-parallel: true, kv-cache-dtype: fp8}
"""
    found = beside(text)
    assert found.choices == ("nvfp4, pd_cluster, b300, 1 + 2 nodes",)
    assert {key for key in differing(found) if key[1] in ("tp", "dp", "ep", "layout")} == set()
    assert ("prefill", "VLLM_ALLREDUCE_USE_FLASHINFER") in differing(found)


def test_lines_count_in_how_many_deployments_they_stand() -> None:
    bundle = (
        "base:\n"
        + "".join(f"  {line}\n" for line in OURS.splitlines())
        + ("override_a: {}\noverride_b: {backend: {vllm_config: {aggregated: {tensor-parallel-size: 4}}}}\n")
    )
    found = beside(bundle)
    assert found.deployments == 2
    assert [(line.key, line.recipe, line.rows) for line in found.major if line.setting == "tp"] == [("4", "1", 1)]
