"""Flags that override the model's own configuration."""

from __future__ import annotations

import random

import pytest
import yaml
from recipe_scene import Role, Scene, dumped, line_of, put
from variations import harmless

from reciplint.rules.finding import Finding
from support import MASTER, lint, project, recipe

RULE = "architecture-override"
FILE = "jobs/tiny.yaml"


def with_flag(flag: str, value: object) -> str:
    loaded = yaml.safe_load(recipe())
    loaded["backend"]["vllm_config"]["decode"][flag] = value
    return dumped(loaded)


def found(text: str) -> list[Finding]:
    return lint({FILE: text}, select=[RULE])


def test_the_message_names_what_is_overridden_and_asks_for_the_reason() -> None:
    text = with_flag("hf-overrides", '{"num_hidden_layers": 12, "use_index_cache": true}')
    (finding,) = found(text)
    assert finding.severity == "warning"
    assert finding.message == (
        "hf-overrides overrides the model's own configuration (num_hidden_layers, use_index_cache):"
        " say why the model computes as much as before"
    )
    assert finding.span.line == line_of(text, ("backend", "vllm_config", "decode", "hf-overrides"))


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("hf-overrides", {"num_experts": 4}),
        ("hf_overrides", '{"num_experts": 4}'),
        ("hf-config-path", "org/other"),
        ("model-class-overrides", '{"A": "b:C"}'),
        ("json-model-override-args", '{"num_experts": 4}'),
        ("decrypted-config-file", "/models/config.json"),
        ("speculative-config", '{"method": "mtp", "hf_overrides": {"n_layers": 1}}'),
        ("extra-args", "serve org/tiny --hf-overrides '{\"n_layers\": 1}'"),
        ("hf-overrides", "${OVERRIDES}"),
    ],
)
def test_every_flag_and_spelling(flag: str, value: object) -> None:
    assert [finding.message_id for finding in found(with_flag(flag, value))] == ["overrides"]


@pytest.mark.parametrize("value", ["{}", "", None, {}, False])
def test_an_empty_override_changes_nothing(value: object) -> None:
    assert found(with_flag("hf-overrides", value)) == []


@pytest.mark.parametrize(
    "flag", ["num-gpu-blocks-override", "override-generation-config", "hf-token", "trust-remote-code"]
)
def test_other_flags_leave_the_model_as_it_is(flag: str) -> None:
    assert found(with_flag(flag, '{"n_layers": 1}')) == []


def test_a_stretched_context_is_advice() -> None:
    text = with_flag("hf-overrides", '{"rope_scaling": {"factor": 4}, "max_position_embeddings": 131072}')
    (finding,) = found(text)
    assert (finding.severity, finding.message_id) == ("info", "context")
    both = with_flag("hf-overrides", '{"rope_scaling": {"factor": 4}, "num_hidden_layers": 4}')
    assert [finding.severity for finding in found(both)] == ["warning"]


def test_the_keys_within_a_command_are_told() -> None:
    (finding,) = found(with_flag("extra-args", '--hf-overrides \'{"n_layers": 1, "n_heads": 2}\' --other'))
    assert finding.arguments["keys"] == "n_layers, n_heads"


def test_settings_of_a_row_are_seen_as_well() -> None:
    files = project()
    files[MASTER] = files[MASTER].replace('- "CONFIG', '- "EXTRA=--hf-overrides={}"\n          - "CONFIG')
    assert lint(files, select=[RULE]) == []
    files[MASTER] = files[MASTER].replace("overrides={}", "overrides=skip.json")
    assert [finding.path for finding in lint(files, select=[RULE])] == [MASTER]


@pytest.mark.parametrize("seed", range(60))
def test_a_new_override_is_found_in_any_role_and_schema(seed: int) -> None:
    chance = random.Random(seed)
    names = chance.choice((("agg",), ("prefill", "decode")))
    scene = Scene(chance.choice(("vllm", "sglang")), chance.choice((1, 2)), "A", tuple(map(Role, names)))
    files = scene.files()
    assert lint(files, select=[RULE]) == []
    flag = chance.choice(("hf-overrides", "hf_overrides", "json-model-override-args"))
    path = scene.flag(chance.choice(names), flag)
    put(scene.recipe, path, chance.choice(('{"num_hidden_layers": 3}', {"num_hidden_layers": 3})))
    (finding,) = lint(scene.files(), files, select=[RULE])
    line = line_of(scene.texts()[1], path)
    assert finding.span.line in (line, line - 1)  # a mapping begins below its key
    assert finding.arguments["keys"] == "num_hidden_layers"


@pytest.mark.parametrize("seed", range(60))
def test_harmless_variations_are_found_alike_and_stay_silent_alike(seed: int) -> None:
    assert len(found(harmless(with_flag("hf-overrides", '{"n_layers": 1}'), seed))) == 1
    assert found(harmless(with_flag("max-model-len", 4096), seed)) == []
