"""Serve configurations of srt-slurm recipes: both schemas, bundles, the launcher's own rules, exact places."""

from __future__ import annotations

from reciplint.domain.serving.config import ServeConfig
from serving_scene import recipe, written

ONE = """\
name: finch
model: {path: finch-fp8, container: "vllm/vllm-openai:v0.11.0", precision: fp8}
resources: {gpu_type: GB200, gpus_per_node: 4, prefill_nodes: 1, prefill_workers: 1, decode_nodes: 2, decode_workers: 1}
environment: {NCCL_DEBUG: WARN, SHARED: top}
backend:
  type: vllm
  connector: nixl
  prefill_environment: {SHARED: role}
  vllm_config:
    prefill:
      tensor_parallel_size: 4
      no-enable-prefix-caching: true
      async-scheduling: false
      seed: null
      cuda-graph-sizes: [1, 2]
      attention-config: '{"mla_prefill_backend":"flashinfer"}'
    decode:
      tensor-parallel-size: 8
      kv-transfer-config: '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'
"""


def of_role(found: list[ServeConfig], role: str) -> ServeConfig:
    return next(config for config in found if config.role == role)


def test_a_role_of_schema_1_has_what_srt_slurm_makes_of_it() -> None:
    config = of_role(recipe(ONE), "prefill")
    assert (config.engine, config.model, config.image) == ("vllm", "finch-fp8", "vllm/vllm-openai:v0.11.0")
    assert (config.hardware, config.workers, config.nodes, config.gpus) == ("gb200", 1, 1, 4)
    assert config.program.words == ("python3", "-m", "dynamo.vllm")
    sent = {flag.normal: (flag.text, flag.negated) for flag in config.flags if flag.is_sent}
    assert sent == {
        "tensor-parallel-size": ("4", False),
        "enable-prefix-caching": ("", True),
        "cuda-graph-sizes": ("1 2", False),
        "attention-config": ('{"mla_prefill_backend":"flashinfer"}', False),
        "kv-transfer-config": ('{"kv_connector": "NixlConnector", "kv_role": "kv_both"}', False),
    }
    assert [flag.normal for flag in config.flags if not flag.is_sent] == ["async-scheduling", "seed"]
    assert {variable.name: variable.text for variable in config.env} == {"SHARED": "top", "NCCL_DEBUG": "WARN"}


def test_the_connector_shorthand_is_told_only_where_the_role_sets_no_flag() -> None:
    found = recipe(ONE)
    made = of_role(found, "prefill").flag("kv-transfer-config")
    own = of_role(found, "decode").flag("kv-transfer-config")
    assert made is not None
    assert own is not None
    assert (made.derived, made.span.line) == (True, 7)
    assert (own.derived, own.span.line) == (False, 19)


def test_places_are_those_of_the_key_and_of_the_text_within_quotes() -> None:
    config = of_role(recipe(ONE), "prefill")
    flag = config.flag("attention-config")
    assert flag is not None
    assert (flag.span.line, flag.span.column, flag.span.end_column) == (16, 7, 23)
    assert (flag.value_span.column, flag.value_span.end_column) == (26, 62)
    size = config.flag("tensor-parallel-size")
    assert size is not None
    assert (size.name, size.path) == (
        "tensor_parallel_size",
        ("backend", "vllm_config", "prefill", "tensor_parallel_size"),
    )


BUNDLE = """\
base:
  name: finch
  model: {path: finch, container: img, precision: fp8}
  resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
  frontend: {type: sglang}
  backend:
    sglang_config:
      aggregated:
        tp-size: 8
        max-running-requests: 16
override_wide:
  backend: {sglang_config: {aggregated: {max-running-requests: 64}}}
zip_override_points:
  backend:
    sglang_config:
      aggregated:
        max-running-requests: [1, 2]
        tp-size: [4]
"""


def test_each_variant_has_its_own_values_at_their_own_places() -> None:
    found = recipe(BUNDLE)
    said = []
    for config in found:
        flag = config.flag("max-running-requests")
        assert flag is not None
        said.append((config.selected("variant"), flag.text, flag.value_span.line, flag.value_span.column))
    assert said == [
        ("override_wide", "64", 12, 64),
        ("zip_override_points[0]", "1", 17, 32),
        ("zip_override_points[1]", "2", 17, 35),
    ]
    assert found[0].text("tp-size") == "8"
    assert found[2].text("tp-size") == "4"
    assert found[0].program.words == ("python3", "-m", "sglang.launch_server")


TWO = """\
schema: 2
name: finch
model: {path: finch, container: img, precision: fp4}
resources: {gpu_type: gb300, gpus_per_node: 4}
engine: vllm
roles:
  agg:
    nodes: 1
    workers: 1
    gpus: 4
    args: {tensor-parallel-size: 4, trust-remote-code: true}
    env: {VLLM_LOG: "1"}
"""


def test_a_role_of_schema_2_is_in_the_same_form() -> None:
    (config,) = recipe(TWO)
    assert (config.role, config.engine, config.gpus) == ("agg", "vllm", 4)
    assert written(config) == {"tensor-parallel-size": "4", "trust-remote-code": ""}
    assert config.env[0].span.line == 12


def test_roles_without_workers_and_files_that_are_no_mapping_have_no_process() -> None:
    text = ONE.replace("decode_workers: 1", "decode_workers: 0")
    assert [config.role for config in recipe(text)] == ["prefill"]
    assert recipe("- a\n") == []
