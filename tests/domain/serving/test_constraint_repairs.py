"""What a constraint's fix writes, where, and when it is left to the author."""

from __future__ import annotations

import pytest

from reciplint.domain.serving.constraints import breaches
from reciplint.domain.serving.from_command import read_shell_deployments
from reciplint.domain.serving.from_recipe import read_recipe_deployments
from reciplint.fix.apply import apply_one
from reciplint.yamltree.parse import parse_text

TOP = """\
name: finch
model: {path: moonshotai/Kimi-K3, container: "vllm/vllm-openai:kimi-k3", precision: fp4}
resources: {gpu_type: gb300, gpus_per_node: 4, prefill_nodes: 2, prefill_workers: 1, decode_nodes: 2, decode_workers: 1}
backend:
  type: vllm
"""
NIXL = 'kv-transfer-config: \'{"kv_connector": "NixlConnector", "kv_role": "kv_both"}\''
STORE = 'kv-transfer-config: \'{"kv_connector": "MooncakeStoreConnector", "kv_role": "kv_both"}\''


def roles(prefill: str, decode: str, flag: str = NIXL) -> str:
    """A recipe whose roles have some environment."""
    envs = "".join(f"  {role}_environment: {env}\n" for role, env in (("prefill", prefill), ("decode", decode)) if env)
    return f"{TOP}{envs}  vllm_config:\n    prefill:\n      {flag}\n    decode:\n      {flag}\n"


def repaired(text: str, row: str) -> list[str | None]:
    """For each breach of a row what its fix makes of the recipe; None where there is none."""
    found = [item for item in breaches(read_recipe_deployments(parse_text(text), "finch.yaml")) if item.row == row]
    results: list[str | None] = []
    for item in found:
        after = text
        for operation in item.repair.operations if item.repair else ():
            after = apply_one(after, operation)
        results.append(after if item.repair else None)
    return results


def test_roles_that_are_broken_alike_are_set_alike() -> None:
    whole = roles("{A: b, VLLM_SSM_CONV_STATE_LAYOUT: DS}", "{A: b, VLLM_SSM_CONV_STATE_LAYOUT: DS}")
    assert repaired(roles("{A: b}", "{A: b}"), "ssm-layout") == [whole, whole]
    assert repaired(roles("{A: b}", "{A: b, VLLM_SSM_CONV_STATE_LAYOUT: SD}"), "ssm-layout") == [whole, whole]
    assert repaired(roles("{A: b}", "{A: b, VLLM_SSM_CONV_STATE_LAYOUT: DS}"), "ssm-layout") == [whole]


@pytest.mark.parametrize(
    ("prefill", "decode"),
    [
        ("{A: b}", ""),
        ("&env {A: b}", "*env"),
        ("&env {A: b}", "{<<: *env}"),
        ("{A: b}", "{VLLM_SSM_CONV_STATE_LAYOUT: &layout SD}"),
    ],
)
def test_where_not_every_role_has_an_environment_of_its_own_nothing_is_written(prefill: str, decode: str) -> None:
    assert set(repaired(roles(prefill, decode), "ssm-layout")) == {None}


def test_which_of_two_seeds_was_meant_the_author_knows() -> None:
    assert repaired(roles('{PYTHONHASHSEED: "7"}', "{A: b}", STORE), "hash-seed") == [None]
    (fixed,) = repaired(roles('{PYTHONHASHSEED: "0"}', "{A: b}", STORE), "hash-seed")
    assert fixed == roles('{PYTHONHASHSEED: "0"}', '{A: b, PYTHONHASHSEED: "0"}', STORE)


def test_a_flag_stands_behind_the_one_it_belongs_to_and_is_written_as_that() -> None:
    text = roles("", "", "decode_context_parallel_size: 8 # ranks\n      served-model-name: finch")
    (prefill, decode) = repaired(text, "dcp-a2a")
    assert prefill == decode == text.replace("# ranks\n", "# ranks\n      dcp_comm_backend: a2a\n")


def test_a_flag_that_has_another_value_gets_the_right_one() -> None:
    text = roles("", "", 'dcp: 8\n      dcp-comm-backend: "ag_rs"')
    assert set(repaired(text, "dcp-a2a")) == {text.replace("ag_rs", "a2a")}


def test_what_an_override_sets_is_repaired_there() -> None:
    base = "".join(f"  {line}\n" for line in roles("", "", "tensor-parallel-size: 8").splitlines()).replace(
        "  name", "name"
    )
    text = (
        f"base:\n  {base}override_wide:\n  backend: {{vllm_config: {{decode: {{decode-context-parallel-size: 8}}}}}}\n"
    )
    expected = text.replace("parallel-size: 8}", "parallel-size: 8, dcp-comm-backend: a2a}")
    assert repaired(text, "dcp-a2a") == [expected]


def test_a_command_is_left_to_its_author() -> None:
    found = breaches(read_shell_deployments("vllm serve org/Tiny -tp 8 --decode-context-parallel-size 8\n", "serve.sh"))
    assert [(item.row, item.repair) for item in found] == [("dcp-a2a", None)]
