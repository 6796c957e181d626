"""The table of constraints: its shape, its language, and that the index overlooks nothing."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import msgspec
import pytest

from reciplint.domain.recipe_variant import recipe_variants
from reciplint.domain.schemas import explainer, table_text
from reciplint.domain.serving.config import Deployment
from reciplint.domain.serving.constraint_finders import FINDERS
from reciplint.domain.serving.constraint_index import index_of
from reciplint.domain.serving.constraint_settings import FACTS, Process
from reciplint.domain.serving.constraint_table import (
    Case,
    Constraint,
    Made,
    Table,
    Test,
    constraint_table,
    made_file,
    read_table,
)
from reciplint.domain.serving.constraint_tests import conditions
from reciplint.domain.serving.constraints import breaches
from reciplint.domain.serving.from_command import read_shell_deployments
from reciplint.domain.serving.from_recipe import read_recipe_deployments
from reciplint.domain.serving.model_facts import gpu_of, knowledge, least_bytes, model_of
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.scalars import load

TABLE = read_table(table_text("constraints.yaml"))
CASES = [(row, case) for row in TABLE.constraints for case in row.cases]


def test_the_form_that_ships_is_the_table() -> None:
    assert constraint_table() == TABLE
    assert msgspec.json.decode(made_file().read_bytes(), type=Made).table == TABLE


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b'{"digest": 1}', msgspec.json.encode(Made("another text's", Table({}, {}, {}, [], ())))],
)
def test_a_form_that_is_not_of_the_text_is_not_read(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "constraints.json"
    for write in (True, False):
        if write:
            file.write_bytes(data)
        else:
            file.unlink()
        monkeypatch.setattr("reciplint.domain.serving.constraint_table.made_file", lambda: file)
        assert constraint_table.__wrapped__() == TABLE


each_row = pytest.mark.parametrize("row", TABLE.constraints, ids=lambda row: row.id)


def deployments(files: dict[str, str]) -> list[Deployment]:
    """What the files of an example start."""
    found: list[Deployment] = []
    for path, marked in files.items():
        text = marked.replace("«", "").replace("»", "")
        if path.endswith(".sh"):
            found += read_shell_deployments(text, path)
        else:
            found += read_recipe_deployments(parse_text(text), path)
    return found


def process(command: str, table: Table = TABLE) -> Process:
    """The one process that a script starts."""
    (deployment,) = read_shell_deployments(command, "serve.sh")
    (config,) = deployment.processes
    return Process(config, deployment, table, "")


@pytest.mark.parametrize("name", ["constraints", "models"])
def test_the_tables_fulfil_their_schemas(name: str) -> None:
    value: Any = load(parse_text(table_text(f"{name}.yaml")).root)
    assert [f"{list(error.path)}: {error.message}" for error in explainer(name).iter_errors(value)] == []


def test_ids_and_cases_are_told_apart() -> None:
    ids = [row.id for row in TABLE.constraints]
    assert len(ids) == len(set(ids))
    for row in TABLE.constraints:
        names = [case.name for case in row.cases]
        assert len(names) == len(set(names)), row.id
        assert not row.cases[0].otherwise, row.id


def test_the_schema_knows_the_facts_and_the_finders() -> None:
    schema = explainer("constraints").schema["$defs"]
    assert set(schema["setting"]["anyOf"][2]["enum"]) == set(FACTS)
    assert set(schema["case"]["properties"]["find"]["enum"]) == set(FINDERS)


@pytest.mark.parametrize(("row", "case"), CASES, ids=lambda item: getattr(item, "id", getattr(item, "name", "")))
def test_every_case_fires_in_the_examples_of_its_row(row: Constraint, case: Case) -> None:
    fired = {(found.row, found.case) for found in breaches(deployments(row.fires))}
    assert (row.id, case.name) in fired


@each_row
def test_the_silent_examples_are_silent(row: Constraint) -> None:
    assert [(found.row, found.case) for found in breaches(deployments(row.silent))] == []


@each_row
def test_the_silent_examples_start_something(row: Constraint) -> None:
    assert deployments(row.silent)


@each_row
def test_evidence_is_public_and_in_our_words(row: Constraint) -> None:
    for evidence in row.evidence:
        assert evidence.url.startswith("https://")
        assert evidence.says
        assert not evidence.says.endswith(".")


@each_row
def test_the_index_overlooks_nothing(row: Constraint) -> None:
    """A case that applies is among those that a process sets enough for."""
    for deployment in deployments({**row.fires, **row.silent}):
        for config in deployment.processes:
            each = Process(config, deployment, TABLE, "")
            index = index_of(TABLE, config.engine)
            applying = {(ready.row.id, ready.case.name) for ready in index.single if ready.applies(each)}
            assert applying <= {(ready.row.id, ready.case.name) for ready in index.about(each)}


def test_a_process_without_settings_is_hardly_looked_at() -> None:
    each = process("vllm serve org/Tiny")
    assert {ready.row.id for ready in index_of(TABLE, "vllm").about(each)} == {"checkpoint-fits", "moving-tag"}


SERVE = """
export TOKENS=3 VLLM_FLAG=1
vllm serve org/Tiny --max-model-len 32k -tp 8 --no-enable-prefix-caching --enforce-eager --kv-cache-dtype FP8_E4M3 \
  --compilation-config.mode 3 --attention-config '{"backend": "FLASHMLA", "use_it": true}' --block-size "$UNKNOWN" \
  --speculative-config '{"method": "mtp", "num_speculative_tokens": '$OTHER'}'
"""


@pytest.mark.parametrize(
    ("setting", "test", "expected"),
    [
        ("--max-model-len", Test(above=31999, below=32001), True),
        ("--max-model-len", Test(above="--tensor-parallel-size"), True),
        ("--max-model-len", Test(multiple_of=1000), True),
        ("--tensor-parallel-size", Test(is_=8), True),
        ("--tensor-parallel-size", Test(divides=32), True),
        ("--tensor-parallel-size", Test(divides=12), False),
        ("--tensor-parallel-size", Test(divides="--decode-context-parallel-size"), False),
        ("--decode-context-parallel-size", Test(at_most=1), True),  # by default
        ("--decode-context-parallel-size", Test(set=False), True),  # a default is not set
        ("--enable-prefix-caching", Test(enabled=False), True),
        ("--enable-prefix-caching", Test(set=True), True),
        ("--enforce-eager", Test(enabled=True), True),
        ("--enable-expert-parallel", Test(enabled=True), False),
        ("--kv-cache-dtype", Test(is_="fp8"), True),
        ("--kv-cache-dtype", Test(matches="^fp8"), True),
        ("--kv-cache-dtype", Test(not_in=("auto", "bfloat16")), True),
        ("--compilation-config.mode", Test(is_="3"), True),
        ("--attention-config.backend", Test(in_=("flashmla", "flashinfer")), True),
        ("--attention-config.use_it", Test(enabled=True), True),
        ("--attention-config.other", Test(set=True), False),
        ("$VLLM_FLAG", Test(enabled=True), True),
        ("$OTHER_FLAG", Test(enabled=False), True),
        ("--block-size", Test(is_=64), None),
        ("--block-size", Test(set=True), True),
        ("--speculative-config.num_speculative_tokens", Test(above=1), None),
        ("--speculative-config.method", Test(is_="mtp"), True),
        ("version", Test(below="0.30.0"), None),
        ("engine", Test(is_="vllm"), True),
    ],
)
def test_tests_are_true_false_or_unknown(setting: str, test: Test, expected: bool | None) -> None:
    (condition,) = conditions({setting: test}, TABLE)
    assert condition.holds(process(SERVE)) is expected


@pytest.mark.parametrize(
    ("image", "test", "expected"),
    [
        ("vllm/vllm-openai:v0.28.0", Test(at_least="0.28.0"), True),
        ("vllm/vllm-openai:v0.28.0", Test(below="0.28.0"), False),
        ("vllm/vllm-openai-rocm:v0.9.2", Test(below="0.28.0"), True),
        ("vllm/vllm-openai:nightly", Test(below="0.28.0"), None),
        ("example/fork:v0.28.0", Test(below="0.28.0"), None),
    ],
)
def test_releases_are_compared_as_releases(image: str, test: Test, expected: bool | None) -> None:
    (condition,) = conditions({"version": test}, TABLE)
    assert condition.holds(process(f"docker run {image} vllm serve org/Tiny")) is expected


@pytest.mark.parametrize(
    ("command", "brand"),
    [
        ("docker run vllm/vllm-openai-rocm:nightly vllm serve org/Tiny", "amd"),
        ("docker run vllm/vllm-openai:v0.33.0 vllm serve org/Tiny", "nvidia"),
        ("vllm serve org/Tiny --attention-backend ROCM_AITER_MLA", "amd"),
        ("VLLM_ROCM_USE_AITER=1 vllm serve org/Tiny", "amd"),
        ("vllm serve org/Tiny", None),
    ],
)
def test_the_maker_follows_from_what_is_written(command: str, brand: str | None) -> None:
    assert process(command).read("brand").value == brand


def test_an_unknown_setting_says_nothing() -> None:
    """Neither what is required of it nor what it would cause."""
    script = """
    vllm serve org/Tiny --decode-context-parallel-size "$SIZE" --dcp-comm-backend a2a --tensor-parallel-size 8
    vllm serve org/Tiny --kv-transfer-config "$CONFIG" --enable-auto-tool-choice --tool-call-parser "$PARSER"
    vllm serve moonshotai/Kimi-K3 --kv-cache-dtype fp8 --attention-config "$CONFIG"
    vllm serve moonshotai/Kimi-K3 --kv-transfer-config "{\\"kv_connector\\": \\"$CONNECTOR\\"}"
    vllm serve "$MODEL" $MORE --enable-auto-tool-choice
    vllm serve org/Tiny --enable-auto-tool-choice --port 8000 "${MORE[@]}"
    """
    assert [(found.row, found.case) for found in breaches(deployments({"serve.sh": script}))] == []


def test_what_a_script_does_not_set_may_be_set_by_whoever_starts_it() -> None:
    transfer = '--kv-transfer-config \'{"kv_connector": "NixlConnector", "kv_role": "kv_both"}\''
    command = f"vllm serve moonshotai/Kimi-K3 {transfer}"
    (absent,) = breaches(deployments({"serve.sh": command}))
    (wrong,) = breaches(deployments({"serve.sh": f"VLLM_SSM_CONV_STATE_LAYOUT=SD {command}"}))
    assert (absent.row, absent.likely, wrong.row, wrong.likely) == ("ssm-layout", True, "ssm-layout", False)


def test_one_fault_is_told_once_where_several_variants_share_it() -> None:
    recipe = """
base:
  model: {path: org/tiny, container: "vllm/vllm-openai:v0.33.0", precision: fp8}
  resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1, gpus_per_agg: 8}
  backend: {type: vllm, vllm_config: {aggregated: {tensor-parallel-size: 8, enable-auto-tool-choice: true}}}
override_first: {benchmark: {type: manual}}
override_second: {benchmark: {type: custom}}
"""
    found = read_recipe_deployments(parse_text(recipe), "recipe.yaml")
    assert len(found) == 2
    assert [(item.row, item.place.span.line) for item in breaches(found)] == [("tool-parser", 5)]


def test_a_table_that_is_none_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        read_table(table_text("constraints.yaml").replace("divides:", "devides:"))


@pytest.mark.parametrize(
    ("names", "model"),
    [
        (("moonshotai/Kimi-K3",), "kimi-k3"),
        (("", "/models/Kimi-K3/"), "kimi-k3"),
        (("kimik3",), "kimi-k3"),
        (("RedHatAI/Kimi-K3-NVFP4",), "kimi-k3"),
        (("nvidia/Kimi-K2.5-NVFP4",), "kimi-k2.5"),
        (("deepseek-ai/DeepSeek-R1-0528",), "deepseek-r1"),
        (("deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",), None),
        (("dsr1-fp8",), "deepseek-r1"),
        (("nvidia/GLM-5.2-NVFP4",), "glm-5.2"),
        (("GLM-5-FP8",), "glm-5"),
        (("Qwen/Qwen3.5-397B-A17B-FP8",), "qwen3.5"),
        (("Qwen/Qwen3-32B",), None),
        (("$MODEL",), None),
    ],
)
def test_models_are_known_by_name(names: tuple[str, ...], model: str | None) -> None:
    found = model_of(*names)
    assert (found.id if found else None) == model


@pytest.mark.parametrize(
    ("hardware", "domain"), [("gb300", 72), ("GB200-NVL72", 72), ("b200", 8), ("h200-sxm", 8), ("dgx_station_gb300", 0)]
)
def test_gpus_are_known_by_name(hardware: str, domain: int) -> None:
    found = gpu_of(hardware)
    assert (found.domain if found else 0) == domain


def test_a_checkpoint_has_at_least_the_bits_of_its_name() -> None:
    model = model_of("nvidia/Kimi-K2.5-NVFP4")
    assert least_bytes(model, "nvidia/Kimi-K2.5-NVFP4") == 500e9
    assert least_bytes(model, "moonshotai/Kimi-K2.5") is None
    assert all(gpu.memory < 1000 for gpu in knowledge().gpus)


@pytest.mark.parametrize(("hardware", "mebibytes"), [("h100", 81_559), ("h200", 143_771), ("b200", 183_359)])
def test_a_gpu_has_no_more_memory_than_is_reckoned_with(hardware: str, mebibytes: int) -> None:
    """What drivers report is more than the maker's GB would be as 10^9 bytes."""
    gpu = gpu_of(hardware)
    assert gpu is not None
    assert gpu.memory * 10**9 < mebibytes * 1024**2 <= gpu.most_bytes


@each_row
def test_what_was_judged_is_let_go_without_a_collector(row: Constraint) -> None:
    for path, marked in row.fires.items():
        if path.endswith(".sh"):
            continue
        tree = parse_text(marked.replace("«", "").replace("»", ""))
        alive = weakref.ref(tree)
        gc.disable()
        try:
            breaches(read_recipe_deployments(tree, path))
            recipe_variants.cache_clear()
            del tree
            assert alive() is None
        finally:
            gc.enable()
