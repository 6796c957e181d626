"""Environment variables that nothing reads."""

from __future__ import annotations

import random
from typing import Any

import pytest
from recipe_scene import dumped, line_of
from variations import harmless

from reciplint.rules.finding import Finding
from support import lint

RULE = "unknown-env"
FILE = "jobs/tiny.yaml"
VLLM = "vllm/vllm-openai:v0.20.1"


def recipe_of(variables: dict[str, Any], image: str = VLLM, schema: int = 1) -> str:
    engine = "sglang" if "sglang" in image else "vllm"
    body: dict[str, Any] = {
        "name": "tiny-agg",
        "model": {"path": "org/tiny", "container": image, "precision": "fp4"},
        "resources": {"gpu_type": "b200"},
    }
    if schema == 2:
        role = {"nodes": 1, "workers": 1, "gpus": 8, "args": {"seed": 1}, "env": variables}
        return dumped({"schema": 2, **body, "engine": engine, "roles": {"agg": role}})
    backend = {"type": engine, "aggregated_environment": variables, f"{engine}_config": {"aggregated": {"seed": 1}}}
    return dumped({**body, "backend": backend})


def found(text: str, path: str = FILE) -> list[Finding]:
    return lint({path: text}, select=[RULE])


def told(name: str, image: str = VLLM) -> list[tuple[str, str]]:
    return [(finding.message_id, finding.severity) for finding in found(recipe_of({name: "1"}, image))]


def test_the_message_names_who_does_not_read_it_and_what_may_be_meant() -> None:
    text = recipe_of({"NCCL_DEBUG": "INFO", "VLLM_ATTENTION_BACKENDS": "x"})
    (finding,) = found(text)
    assert finding.message == (
        "VLLM_ATTENTION_BACKENDS is read by no known release of vllm (0.11.1 to 0.33.0), so it changes nothing;"
        " did you mean VLLM_ATTENTION_BACKEND?"
    )
    assert finding.span.line == line_of(text, ("backend", "aggregated_environment", "VLLM_ATTENTION_BACKENDS"))
    assert finding.pointer == "/backend/aggregated_environment/VLLM_ATTENTION_BACKENDS"


@pytest.mark.parametrize(
    "name",
    ["UCX_MEMTYPE_REG_WHOLE", "NCCL_TIMEOUT", "SGLANG_NO_SUCH_SWITCH", "DYN_NO_SUCH_SWITCH", "VLLM_NO_SUCH_SWITCH"],
)
def test_a_release_is_sure_and_any_other_image_may_read_it(name: str) -> None:
    assert told(name) == [("unread", "warning")]
    assert told(name, "vllm/vllm-openai:nightly") == [("unsure", "info")]
    assert told(name, "") == [("unsure", "info")]


@pytest.mark.parametrize(
    "name",
    [
        "VLLM_USE_DEEP_GEMM",
        "NCCL_IB_HCA",
        "NCCL_BLOCKING_WAIT",
        "NCCL_FASTRAK_IFNAME",
        "UCX_RC_MLX5_TM_ENABLE",
        "UCX_TLS",
        "DYN_LOG",
        "TLLM_ANYTHING",
        "MC_ANYTHING",
        "MY_OWN",
        "PYTHONUNBUFFERED",
        "VLLM_ASCEND_ANYTHING",
    ],
)
def test_what_somebody_reads_or_nobody_can_list_is_left_alone(name: str) -> None:
    assert [item for item in told(name, "vllm/vllm-openai:nightly") if item[0] == "unsure"] == []


def test_of_a_build_of_somebodys_own_no_more_is_said_than_is_known() -> None:
    (finding,) = found(recipe_of({"VLLM_NO_SUCH_SWITCH": "1"}, "team/vllm:main"))
    assert finding.message == (
        "VLLM_NO_SUCH_SWITCH is read by no known release of vllm (0.11.1 to 0.33.0), and whether this build reads it is"
        " not known"
    )


def test_the_beginning_of_one_variable_alone_is_taken_for_it() -> None:
    (finding,) = found(recipe_of({"UCX_MEMTYPE_REG_WHOLE": "n"}))
    assert finding.message.endswith("did you mean UCX_MEMTYPE_REG_WHOLE_ALLOC_TYPES?")


@pytest.mark.parametrize("tag", ["v0.9.0", "v9.0.0"])
def test_beside_the_releases_that_were_looked_at_nothing_is_sure(tag: str) -> None:
    assert told("VLLM_NO_SUCH_SWITCH", f"vllm/vllm-openai:{tag}") == [("unsure", "info")]


def test_a_variable_of_another_release_is_mentioned() -> None:
    (finding,) = found(recipe_of({"VLLM_USE_BREAKABLE_CUDAGRAPH": "1"}))
    assert finding.severity == "info"
    assert finding.message.startswith("vllm reads VLLM_USE_BREAKABLE_CUDAGRAPH only since 0.2")
    assert finding.message.endswith(f"and this is run by {VLLM}, where it changes nothing")
    assert told("VLLM_USE_FLASHINFER_MOE_FP4", "vllm/vllm-openai:v0.25.1") == [("gone", "info")]
    assert told("VLLM_USE_FLASHINFER_MOE_FP4") == []


def test_commands_and_vllm_recipes_set_variables_as_well() -> None:
    script = "#!/bin/bash\nexport UCX_MEMTYPE_REG_WHOLE=n\nvllm serve org/tiny -tp 8\n"
    assert [(finding.span.line, finding.severity) for finding in found(script, "benchmarks/serve.sh")] == [(2, "info")]
    model = (
        "meta: {title: Finch}\nmodel:\n  model_id: example/Finch\n  min_vllm_version: 0.20.0\n"
        "  base_env:\n    UCX_MEMTYPE_REG_WHOLE: n\nvariants:\n  default: {precision: bf16}\n"
    )
    files = {"taxonomy.yaml": "hardware_profiles: {}\nstrategies: []\n", "models/example/Finch.yaml": model}
    assert [(finding.span.line, finding.severity) for finding in lint(files, select=[RULE])] == [(6, "warning")]


@pytest.mark.parametrize("seed", range(60))
def test_planted_variables_are_found_whatever_the_text_looks_like(seed: int) -> None:
    chance = random.Random(seed)
    prefix = chance.choice(("VLLM", "SGLANG", "NCCL", "UCX", "DYN"))
    name = f"{prefix}_{chance.choice(('QUICKLY', 'ON_SUNDAYS', 'NO_SUCH_THING'))}_{seed}"
    good = {"NCCL_DEBUG": "INFO", "UCX_TLS": "all", "HF_HOME": "/models"}
    schema = chance.choice((1, 2))
    text = recipe_of({**good, name: "1"}, schema=schema)
    (finding,) = found(text)
    key = ("roles", "agg", "env", name) if schema == 2 else ("backend", "aggregated_environment", name)
    assert finding.span.line == line_of(text, key)
    assert len(found(harmless(text, seed))) == 1
    assert found(harmless(recipe_of(good, schema=schema), seed)) == []
