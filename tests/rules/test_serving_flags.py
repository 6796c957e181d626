"""Flags of processes held against the engines' catalogues: what is found, where, and what is left alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from recipe_scene import RECIPE, Scene, dumped, line_of, put, random_scene
from variations import harmless

from reciplint.fix.session import fix_tree
from reciplint.rules.finding import Finding
from support import encoded, lint

RULES = ("unknown-flag", "flag-abbreviation", "flag-version", "flag-value", "repeated-flag")
FILE = "jobs/tiny.yaml"
SGLANG = "lmsysorg/sglang:v0.5.12"
VLLM = "vllm/vllm-openai:v0.20.1"
NIGHTLY = "vllm/vllm-openai:nightly"


def recipe_of(flags: dict[str, Any], image: str = VLLM, **variants: dict[str, Any]) -> str:
    engine = "sglang" if "sglang" in image else "trtllm" if "tensorrt" in image else "vllm"

    def backend(some: dict[str, Any]) -> dict[str, Any]:
        return {"backend": {f"{engine}_config": {"aggregated": some}}}

    body: dict[str, Any] = {
        "name": "tiny-agg",
        "model": {"path": "org/tiny", "container": image, "precision": "fp4"},
        "resources": {"gpu_type": "b200"},
        **backend(flags),
    }
    body["backend"]["type"] = engine
    made = {"base": body, **{name: backend(own) for name, own in variants.items()}} if variants else body
    return dumped(made)


def found(text: str, path: str = FILE) -> list[Finding]:
    return lint({path: text}, select=RULES)


def told(flags: dict[str, Any], image: str = VLLM) -> list[tuple[str, str, str]]:
    return [(finding.rule, finding.message_id, finding.severity) for finding in found(recipe_of(flags, image))]


def flag_path(name: str, engine: str = "vllm") -> tuple[str, ...]:
    return ("backend", f"{engine}_config", "aggregated", name)


def test_an_unknown_flag_is_told_with_the_nearest_one() -> None:
    text = recipe_of({"tensor-parallel-size": 8, "max_num_batch_tokens": 8192})
    (finding,) = found(text)
    assert finding.message == (
        "max_num_batch_tokens is a flag of no vllm release from 0.11.1 to 0.33.0, so the engine refuses to start;"
        " did you mean max-num-batched-tokens?"
    )
    assert finding.span.line == line_of(text, flag_path("max_num_batch_tokens"))
    assert finding.pointer == "/backend/vllm_config/aggregated/max_num_batch_tokens"


@pytest.mark.parametrize(
    ("flags", "image"),
    [
        ({"tensor_parallel_size": 8, "max-num-seqs": 64}, VLLM),
        ({"no-enable-prefix-caching": True}, VLLM),
        ({"compilation-config.pass_config.fuse_norm_quant": True}, VLLM),
        ({"max-model-len": "10k", "max-num-batched-tokens": "2K"}, VLLM),
        ({"max-model-len": "auto"}, VLLM),
        ({"kv-transfer-config": '{"kv_connector": "NixlConnector", "kv_role": "kv_both"}'}, VLLM),
        ({"tp-size": 8, "mem-fraction-static": 0.9}, SGLANG),
        ({"cuda-graph-bs": [1, 2, 4]}, SGLANG),
        ({"trust-remote-code": True, "disaggregation-mode": "decode"}, SGLANG),
        ({"is-decode-worker": True}, VLLM),
        ({"linear-backend": "auto"}, NIGHTLY),
        ({"linear-backend": "auto"}, "vllm/vllm-openai:v0.25.1"),
        ({"linear-backend": "auto"}, "someone/vllm:v0.20.1"),
        ({"linear-backend": "auto"}, "vllm/vllm-openai:v0.21.1"),  # between the last without it and the first with it
        ({"kv-transfer-config": '{"kv_connector_extra_config": {"cpu_bytes_to_use": 80m, "name": "x4k"}}'}, VLLM),
        (
            {"max_num_tokens": 8192, "kv_cache_config": {"dtype": "fp8"}},
            "nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc18",
        ),
    ],
)
def test_what_engines_take_is_left_alone(flags: dict[str, Any], image: str) -> None:
    assert told(flags, image) == []


def test_of_an_open_world_an_unseen_setting_is_only_mentioned() -> None:
    image = "nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc18"
    assert told({"max_num_tokns": 8192}, image) == [("unknown-flag", "open", "info")]


@pytest.mark.parametrize("image", [NIGHTLY, "team/vllm:main", "vllm/vllm-openai:v9.0.0"])
def test_of_a_build_that_is_no_known_release_no_more_is_said_than_is_known(image: str) -> None:
    (finding,) = found(recipe_of({"max-num-batch-tokens": 8192}, image))
    assert (finding.message_id, finding.severity) == ("unsure", "warning")
    assert finding.message.endswith("refuses to start; did you mean max-num-batched-tokens?")
    assert told({"moe-backend": "deep_gemmm"}, image) == [("flag-value", "choice", "info")]


def test_an_abbreviation_is_written_out_and_nothing_else_changes() -> None:
    text = recipe_of({"tp-size": 8, "speculative-algo": "EAGLE"}, SGLANG)
    (finding,) = found(text)
    assert finding.message == (
        "speculative-algo is short for speculative-algorithm, which works only until another flag begins alike;"
        " write speculative-algorithm"
    )
    assert finding.fix is not None
    assert finding.fix.applicability == "safe"
    files = encoded({FILE: text})

    def again(replaced: dict[str, bytes] | None = None) -> list[Finding]:
        return lint({**files, **(replaced or {})}, select=RULES)

    fixed = fix_tree([finding], lambda path: files[path], again, unsafe=False)
    assert fixed.files[FILE].decode() == text.replace("speculative-algo:", "speculative-algorithm:")


@pytest.mark.parametrize(
    "image", ["lmsysorg/sglang:nightly-dev-20260801", "team/sglang:v0.5.12", "lmsysorg/sglang:v9.0.0"]
)
def test_an_abbreviation_is_no_safe_fix_on_a_build_whose_flags_are_not_known(image: str) -> None:
    """A branch, or a release after those that were looked at, may have a flag of the short name."""
    (finding,) = found(recipe_of({"tp-size": 8, "speculative-algo": "EAGLE"}, image))

    assert finding.rule == "flag-abbreviation"
    assert finding.fix is not None
    assert finding.fix.applicability == "unsafe"


def test_an_abbreviation_keeps_the_manner_of_its_spelling_and_may_be_anchored() -> None:
    text = recipe_of({"tp-size": 8}, SGLANG) + "shared: &more\n  speculative_algo: EAGLE\n"
    text = text.replace("      tp-size: 8", "      tp-size: 8\n      speculative_algo: EAGLE")
    (finding,) = found(text)
    assert finding.fix is not None
    assert finding.fix.title == "rename speculative_algo to speculative_algorithm"


def test_a_beginning_of_several_flags_is_refused_by_the_engine() -> None:
    assert told({"speculative": 3}, SGLANG) == [("flag-abbreviation", "several", "warning")]


def test_the_release_of_the_image_decides_what_exists() -> None:
    text = recipe_of({"linear-backend": "auto"})
    (finding,) = found(text)
    assert finding.message == (
        f"vllm has linear-backend only since 0.22.0, and this is run by {VLLM}, which refuses to start"
    )
    (related,) = finding.related
    assert related.span.line == line_of(text, ("model", "container"))


@pytest.mark.parametrize(
    ("flags", "image", "message", "severity"),
    [
        ({"kv-cache-dtype": "fp8_e4m4"}, VLLM, "choice", "warning"),
        ({"kv-cache-dtype": "fp8_e4m4"}, "lmsysorg/sglang:dev", "choice", "info"),
        ({"moe-backend": "b12x"}, VLLM, "choice-version", "warning"),
        ({"tensor-parallel-size": "eight"}, VLLM, "number", "warning"),
        ({"gpu-memory-utilization": "most"}, VLLM, "number", "warning"),
        ({"max-num-seqs": 1.5}, VLLM, "number", "warning"),
        ({"speculative-config": '{"method": "mtp",}'}, VLLM, "json", "warning"),
        ({"speculative-config": '{"methd": "mtp"}'}, VLLM, "key", "warning"),
        ({"speculative-config": '{"method": "mtpp"}'}, VLLM, "key-choice", "warning"),
        ({"speculative-config": '{"method": "dspark"}'}, VLLM, "key-choice-version", "warning"),
        ({"compilation-config.no_such_key": 1}, VLLM, "key", "warning"),
        ({"speculative-config": {"method": "mtp"}}, VLLM, "mapping", "warning"),
        ({"trust-remote-code": "yes"}, SGLANG, "takes-none", "warning"),
        ({"tensor-parallel-size": True}, VLLM, "no-value", "warning"),
        ({"tensor-parallel-size": [4, 8]}, VLLM, "several", "warning"),
        ({"enable-prefix-caching": False}, VLLM, "false-on", "warning"),
        ({"enforce-eager": False}, VLLM, "false", "info"),
        ({"trust-remote-code": False}, SGLANG, "false", "info"),
        ({"max-model-len": None}, VLLM, "dropped", "info"),
        ({"max-model-len": False}, VLLM, "dropped", "info"),
    ],
)
def test_values_that_are_refused_dropped_or_mangled(
    flags: dict[str, Any], image: str, message: str, severity: str
) -> None:
    assert told(flags, image) == [("flag-value", message, severity)]


def test_a_slip_of_a_choice_is_replaced_where_it_is_written_once() -> None:
    text = recipe_of({"kv-cache-dtype": "bflaot16"})
    (finding,) = found(text)
    assert finding.fix is not None
    assert (finding.fix.applicability, finding.fix.title) == ("unsafe", "write bfloat16")
    (shared,) = found(text.replace("bflaot16", "&dtype bflaot16"))
    assert shared.fix is None


@pytest.mark.parametrize(
    "flags",
    [{"kv-cache-dtype": "nothing"}, {"kv-cache-dtype": "fp8_e4m4"}, {"moe-backend": "deep_gemm_own_mega_moe"}],
)
def test_a_value_that_only_looks_like_a_choice_is_left_alone(flags: dict[str, str]) -> None:
    """A build of its own may take it; another number is another value."""
    (finding,) = found(recipe_of(flags))
    assert (finding.message_id, finding.fix) == ("choice", None)


def test_a_fault_within_json_is_marked_there() -> None:
    text = recipe_of({"speculative-config": '{"method": "mtp", "num_tokens": 3}'})
    (finding,) = found(text)
    line = text.splitlines()[finding.span.line - 1]
    assert line[finding.span.column - 1 : finding.span.end_column - 1] == "num_tokens"


@pytest.mark.parametrize("value", ["${LENGTH}", "{max_len}", "<length>"])
def test_a_value_that_something_fills_in_is_left_alone(value: str) -> None:
    assert told({"max-model-len": value}) == []


def test_two_spellings_of_one_flag() -> None:
    text = recipe_of({"tp-size": 4, "tensor-parallel-size": 8}, SGLANG)
    (finding,) = found(text)
    assert finding.message == (
        "tensor-parallel-size (8) gives again what tp-size (4) gives: the last one counts; leave one out"
    )
    assert [related.span.line for related in finding.related] == [finding.span.line - 1]
    assert told({"tp-size": 8, "tensor_parallel_size": 8}, SGLANG) == [("repeated-flag", "same", "info")]


def test_what_all_variants_take_from_the_base_is_told_once() -> None:
    text = recipe_of({"max-num-seq": 4}, override_a={"seed": 1}, override_b={"seed": 2})
    assert [(finding.rule, finding.span.line) for finding in found(text)] == [
        ("flag-abbreviation", line_of(text, ("base", *flag_path("max-num-seq"))))
    ]


def test_a_variant_may_take_back_what_the_base_sets() -> None:
    text = recipe_of(
        {"enable-prefix-caching": True, "seed": 1}, override_off={"enable-prefix-caching": False, "seed": None}
    )
    assert found(text) == []
    assert len(found(recipe_of({"seed": 1}, override_off={"enable-prefix-caching": False}))) == 1


SCRIPT = "benchmarks/serve.sh"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("vllm serve org/tiny -tp 8 --max-num-seqs 64", []),
        ("vllm serve org/tiny --max_num_seqs=64 --trust-remote-code", []),
        ('vllm serve org/tiny --max-model-len "$LENGTH"', []),
        ("vllm serve org/tiny --max-num-sequences 64", ["unknown-flag"]),
        ("vllm serve org/tiny -tp 8 --tensor-parallel-size 4", ["repeated-flag"]),
        ("vllm serve org/tiny --seed 1 --seed 2", ["repeated-flag"]),
        ("vllm serve org/tiny --lora-modules a=b --lora-modules c=d", []),
        ("vllm serve org/tiny --port http", ["flag-value"]),
        ("vllm serve --trust-remote-code org/tiny", []),
        ("python3 -m sglang.launch_server --model-path org/tiny --speculative-algo EAGLE", ["flag-abbreviation"]),
        ("python3 -m sglang.launch_server --model-path org/tiny --tp_size 8", ["unknown-flag"]),
        ("docker run vllm/vllm-openai:v0.20.1 --model org/tiny --linear-backend auto", ["flag-version"]),
    ],
)
def test_commands_in_scripts(command: str, expected: list[str]) -> None:
    text = f"#!/bin/bash\nset -e\n{command}\n"
    assert [(finding.rule, finding.span.line) for finding in found(text, SCRIPT)] == [(rule, 3) for rule in expected]


@pytest.mark.parametrize("order", [1, -1])
def test_one_word_and_two_words_of_the_same_text_are_judged_apart(order: int) -> None:
    commands = ['vllm serve org/tiny --port "1 2"', "vllm serve org/tiny --port 1 2"][::order]
    findings = lint({SCRIPT: "".join(f"{command}\n" for command in commands)}, select=RULES)
    assert [(finding.rule, finding.span.line) for finding in findings] == [("flag-value", 1 if order > 0 else 2)]


def test_what_a_script_appends_from_a_variable_is_meant_to_win() -> None:
    text = '#!/bin/bash\nMORE="--seed 2"\nvllm serve org/tiny --seed 1 $MORE\n'
    (finding,) = found(text, SCRIPT)
    assert (finding.rule, finding.severity) == ("repeated-flag", "info")


def test_the_shortest_beginnings_are_an_idiom() -> None:
    text = "#!/bin/bash\npython3 -m sglang.launch_server --model-path org/tiny --tp 8\n"
    assert [(finding.rule, finding.severity) for finding in found(text, SCRIPT)] == [("flag-abbreviation", "info")]


TAXONOMY = """\
hardware_profiles:
  h200: {brand: NVIDIA, generation: hopper, gpu_count: 8, vram_gb: 1128}
tasks:
- id: text
strategies: [single_node_tp]
"""


def vllm_recipe(*arguments: str, least: str = "0.20.0", more: str = "") -> str:
    listed = ", ".join(f'"{argument}"' for argument in arguments)
    return f"""\
meta:
  title: Finch
  tasks: [text]
model:
  model_id: example/Finch
  min_vllm_version: "{least}"
  base_args: [{listed}]
variants:
  default:
    precision: bf16
{more}"""


def of_vllm_recipe(text: str) -> list[tuple[str, str]]:
    files = {"taxonomy.yaml": TAXONOMY, "models/example/Finch.yaml": text}
    return [(finding.rule, finding.message_id) for finding in lint(files, select=RULES)]


def test_arguments_of_vllm_recipes() -> None:
    assert of_vllm_recipe(vllm_recipe("--max-num-seqs", "64", "-tp", "8")) == []
    assert of_vllm_recipe(vllm_recipe("--linear-backend", "auto")) == [("flag-version", "new")]
    assert of_vllm_recipe(vllm_recipe("--linear-backend", "auto", least="0.22.0")) == []
    assert of_vllm_recipe(vllm_recipe("--linear-backend", "auto", least="nightly")) == []
    assert of_vllm_recipe(vllm_recipe("--max-num-sequences", "64")) == [("unknown-flag", "unknown")]
    assert of_vllm_recipe(vllm_recipe("-tp", "8", "--tensor-parallel-size", "4")) == [("repeated-flag", "differs")]


def test_a_variant_has_its_own_least_release_and_hardware_its_own_image() -> None:
    own = '    min_vllm_version: "0.25.0"\n    extra_args: ["--linear-backend", "auto"]\n'
    assert of_vllm_recipe(vllm_recipe(more=own)) == []
    foreign = (
        "    hardware_overrides:\n      h200:\n        docker_image: someone/vllm:latest\n"
        '        extra_args: ["--linear-backend", "other"]\n'
    )
    (only,) = of_vllm_recipe(vllm_recipe(more=foreign))
    assert only == ("flag-value", "choice")
    feature = 'features:\n  fast:\n    args: ["--linear-backend", "auto"]\n'
    assert of_vllm_recipe(vllm_recipe(more=feature)) == [("flag-version", "new")]
    assert of_vllm_recipe(vllm_recipe(more='    min_vllm_version: "0.25.0"\n' + feature)) == []


@pytest.mark.parametrize("hardware", ["amd", "mi325x", "cdna4"])
def test_overrides_are_run_by_the_image_of_their_gpus_maker(hardware: str) -> None:
    """DeepSeek-V4.1-Flash pins a nightly for AMD, and gives MI325X a flag that no release of its least one has."""
    overrides = f'hardware_overrides:\n  {hardware}:\n    extra_args: ["--linear-backend", "auto"]\n'

    def pinned(brand: str, image: str) -> list[tuple[str, str]]:
        text = vllm_recipe(more=overrides)
        return of_vllm_recipe(text.replace("model:\n", f"model:\n  docker_image: {{{brand}: {image}}}\n"))

    assert pinned("amd", "vllm/vllm-openai-rocm:nightly") == []
    assert pinned("amd", "vllm/vllm-openai-rocm:v0.21.0") == [("flag-version", "new")]
    assert pinned("nvidia", "vllm/vllm-openai:nightly") == [("flag-version", "new")]


def test_a_preset_may_bring_an_image_and_a_recipe_ask_for_a_nightly() -> None:
    preset = 'presets:\n- image: vllm/vllm-openai:IMAGE\n  cases:\n  - args: ["--linear-backend", "auto"]\n'
    assert of_vllm_recipe(vllm_recipe(more=preset.replace("IMAGE", "nightly"))) == []
    assert of_vllm_recipe(vllm_recipe(more=preset.replace("IMAGE", "v0.21.0"))) == [("flag-version", "new")]
    several = preset.replace("image: ", "image:\n    vllm: ") + "  dynamo: abc\n"
    assert of_vllm_recipe(vllm_recipe(more=several.replace("IMAGE", "nightly"))) == []
    assert of_vllm_recipe(vllm_recipe(more=several.replace("IMAGE", "v0.21.0"))) == [("flag-version", "new")]
    nightly = vllm_recipe("--linear-backend", "auto").replace("model:\n", "model:\n  nightly_required: true\n")
    assert of_vllm_recipe(nightly) == []


Planter = Callable[[random.Random, Scene, str], tuple[str, tuple[str, ...]]]


def _misspelt(chance: random.Random, scene: Scene, role: str) -> tuple[str, tuple[str, ...]]:
    path = scene.flag(role, chance.choice(("chunked-prefil-sized", "max-model-lenth", "trust_remote_codes")))
    put(scene.recipe, path, chance.choice((1, "x", True)))
    return "unknown-flag", path


def _shortened(chance: random.Random, scene: Scene, role: str) -> tuple[str, tuple[str, ...]]:
    names = (
        ("speculative-algo", "chunked-prefill-si") if scene.engine == "sglang" else ("gpu-memory-util", "served-model")
    )
    path = scene.flag(role, chance.choice(names))
    put(scene.recipe, path, "x")
    return "flag-abbreviation", path


def _untimely(chance: random.Random, scene: Scene, role: str) -> tuple[str, tuple[str, ...]]:
    scene.recipe["model"]["container"] = VLLM if scene.engine == "vllm" else "lmsysorg/sglang:v0.5.8"
    path = scene.flag(role, "linear-backend" if scene.engine == "vllm" else "batch-notify-size")
    put(scene.recipe, path, "auto" if scene.engine == "vllm" else 8)
    return "flag-version", path


def _wrong(chance: random.Random, scene: Scene, role: str) -> tuple[str, tuple[str, ...]]:
    flags: dict[str, Any] = {"port": "http", "seed": True, "gpu-memory-utilization": "most"}
    if scene.engine == "sglang":
        flags = {"kv-cache-dtype": "fp9", "port": "http", "mem-fraction-static": "most", "trust-remote-code": "yes"}
    name = chance.choice(list(flags))
    path = scene.flag(role, name)
    put(scene.recipe, path, flags[name])
    return "flag-value", path


def _twice(chance: random.Random, scene: Scene, role: str) -> tuple[str, tuple[str, ...]]:
    path = scene.flag(role, "tensor_parallel_size" if scene.engine == "vllm" else "tp-size")
    put(scene.recipe, path, 64)
    return "repeated-flag", path


@pytest.mark.parametrize("planter", [_misspelt, _shortened, _untimely, _wrong, _twice])
@pytest.mark.parametrize("seed", range(50))
def test_planted_faults_are_found_at_their_line(planter: Planter, seed: int) -> None:
    chance = random.Random(seed)
    scene = random_scene(chance, ("vllm", "sglang"))
    files = scene.files()
    role = chance.choice(scene.roles).name
    rule, path = planter(chance, scene, role)
    (finding,) = lint(scene.files(), files, select=RULES)
    assert (finding.rule, finding.path) == (rule, RECIPE)
    assert finding.span.line == line_of(scene.texts()[1], path)


@pytest.mark.parametrize("seed", range(60))
def test_harmless_variations_are_found_alike_and_stay_silent_alike(seed: int) -> None:
    clean = recipe_of({"tensor-parallel-size": 8, "kv-cache-dtype": "fp8", "no-enable-chunked-prefill": True})
    assert found(harmless(clean, seed)) == []
    faulty = yaml.safe_load(clean)
    faulty["backend"]["vllm_config"]["aggregated"] |= {"max-num-seq": 4, "kv-cache-dtype": "fp9", "no-such-flag": 1}
    rules = sorted(finding.rule for finding in found(harmless(dumped(faulty), seed)))
    assert rules == ["flag-abbreviation", "flag-value", "unknown-flag"]


@pytest.mark.parametrize("seed", range(30))
def test_scenes_in_which_everything_agrees_have_no_warning(seed: int) -> None:
    scene = random_scene(random.Random(seed))
    assert [finding for finding in lint(scene.files(), select=RULES) if finding.severity != "info"] == []
