"""`reciplint compare`: tables, JSON, exit status, what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import RECIPES, git_repo, project, reciplint, single, write

KEY = "finch-fp8-gb200-dynamo-vllm"
PUBLISHED = """\
meta: {tasks: [text], hardware: {gb200: verified}}
model: {model_id: example/Finch}
variants: {default: {precision: fp8, vram_minimum_gb: 300}}
compatible_strategies: [pd_cluster]
strategy_overrides: {pd_cluster: {decode: {vllm_args: [--max-num-seqs, 64]}}}
"""
TAXONOMY = "hardware_profiles: {gb200: {brand: NVIDIA, generation: blackwell, gpu_count: 4, vram_gb: 768}}\n"
POOLS = "name: pd_cluster\ndeploy_type: pd_cluster\nparallel_flag: --tensor-parallel-size\n"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    write(
        tmp_path,
        {
            "published/models/example/Finch.yaml": PUBLISHED,
            "published/taxonomy.yaml": TAXONOMY,
            "published/strategies/pd_cluster.yaml": POOLS,
        },
    )
    return git_repo(tmp_path / "top", project())


FILE = "../published/models/example/Finch.yaml"


def model_of(top: Path) -> str:
    text = (top / "configs/nvidia-master.yaml").read_text()
    block = text[text.index(KEY) :]
    return block[block.index("model: ") + 7 :].split("\n")[0].strip()


def test_equal_settings_are_exit_status_0(top: Path) -> None:
    write(top.parent, {"published/models/example/Finch.yaml": PUBLISHED.replace("example/Finch", model_of(top))})
    ran = reciplint(top, "compare", KEY, FILE)
    assert ran.status == 0, ran.out
    assert ran.out.splitlines()[:2] == [
        f"{KEY} beside {FILE}: 0 major differences, 0 minor ones",
        "compared with default, pd_cluster, gb200, 1 + 1 nodes",
    ]


def test_a_major_difference_is_exit_status_1_and_both_sides_are_shown(top: Path) -> None:
    changed = PUBLISHED.replace("[--max-num-seqs, 64]", "[--max-num-seqs, 8, --moe-backend, marlin]")
    write(top.parent, {"published/models/example/Finch.yaml": changed.replace("example/Finch", model_of(top))})
    ran = reciplint(top, "compare", KEY, FILE, "--format", "json")
    assert ran.status == 1
    differing = [item for item in ran.report["settings"] if not item["matches"]]
    assert {(item["role"], item["setting"], item["key"], item["recipe"], item["major"]) for item in differing} >= {
        ("decode", "moe-backend", "engine's choice", "marlin", True),
        ("decode", "max-num-seqs", "64", "8", False),
    }
    text = reciplint(top, "compare", KEY, FILE).out
    (line,) = [line for line in text.splitlines() if "moe-backend" in line]
    assert line.split() == ["decode", "moe-backend", "engine's", "choice", "marlin", "differ", "all"]
    markdown = reciplint(top, "compare", KEY, FILE, "--format", "markdown").out
    assert "#### Harness (minor)" in markdown


@pytest.mark.parametrize(
    ("key", "file", "message"),
    [
        ("finch-fp8-gb200-dynamo-vlm", FILE, f"did you mean {KEY}?"),
        ("finch-fp8-b200-vllm", FILE, "runs no recipe and no script"),
        (KEY, f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml", "is no recipe of vLLM's"),
    ],
)
def test_what_cannot_be_compared_is_a_fault_of_usage(top: Path, key: str, file: str, message: str) -> None:
    ran = reciplint(top, "compare", key, file)
    assert (ran.status, message in ran.err) == (2, True), ran.err


def test_a_recipe_without_its_taxonomy_is_told(top: Path) -> None:
    write(top.parent, {"alone/models/example/Finch.yaml": PUBLISHED})
    ran = reciplint(top, "compare", KEY, "../alone/models/example/Finch.yaml")
    assert (ran.status, "no taxonomy.yaml lies above it" in ran.err) == (2, True)


SCRIPT = """\
ARGS=()
if [ "${EP_SIZE:-1}" -gt 1 ]; then ARGS=(--enable-expert-parallel); fi
if [ "$DP_ATTENTION" = true ]; then ARGS+=(--data-parallel-size "$TP"); else ARGS+=(--tensor-parallel-size "$TP"); fi
vllm serve "$MODEL" --port "$PORT" "${ARGS[@]}" --max-num-seqs "$CONC" --max-num-batched-tokens "$ISL"
"""


def test_a_key_without_recipes_is_read_from_its_script(top: Path) -> None:
    rows = "{ tp: 4, conc-list: [8] }", "{ tp: 8, ep: 8, dp-attn: true, conc-list: [8, 16] }"
    script = "benchmarks/single_node/fixed_seq_len/finch_fp8_b200_vllm.sh"
    master = single("finch-fp8-b200-vllm", *rows, runner="cluster:b200-x")
    write(top, {"configs/nvidia-master.yaml": master, script: SCRIPT})
    ran = reciplint(top, "compare", "finch-fp8-b200-vllm", FILE, "--format", "json")
    assert ran.status == 1, ran.err
    found = {(item["setting"], item["key"], item["deployments"]) for item in ran.report["settings"]}
    assert ran.report["deployments"] == 2
    assert found >= {
        ("tp", "4", 1),
        ("dp", "8", 1),
        ("max-num-seqs", "8", 1),
        ("max-num-seqs", "${CONC}", 1),
        ("max-num-batched-tokens", "8192", 2),
    }


AGENTIC = """\
OFFLOAD=()
case "${KV_OFFLOAD_BACKEND:-}" in
    "") ;;
    store) OFFLOAD=(--kv-transfer-config '{"kv_connector":"StoreConnector","kv_role":"kv_both"}') ;;
esac
if require_agentic_kv_offload_backend plain; then OFFLOAD=(--kv-offloading-size 8); fi
if agentic_kv_offload_enabled; then export OFFLOADS=1; fi
CP=()
if [ "${DCP_SIZE:-1}" -gt 1 ]; then CP=(--decode-context-parallel-size "$DCP_SIZE"); fi
if [ "$CONC" -le 8 ]; then DRAFTS=7; elif [ "$CONC" -le 16 ]; then DRAFTS=3; else DRAFTS=0; fi
if [ "$CONC" -ge 56 ]; then MEMORY=0.90; else MEMORY=0.92; fi
if [ "$CONC" = 64 ]; then MEMORY=0.88; fi
if [ -z "${CONC:-}" ]; then MEMORY=0.5; fi
vllm serve "$MODEL" --tensor-parallel-size "$TP" "${CP[@]}" "${OFFLOAD[@]}" --block-size "$DRAFTS" \\
  --gpu-memory-utilization "$MEMORY"
"""


def agentic(top: Path, row: str) -> set[tuple[str, str, str, int]]:
    """What a row of an agentic key comes to in the script above."""
    master = single("finch-fp8-b200-vllm", row, runner="cluster:b200-x")
    arm = "    fixed-seq-len:\n    - isl: 8192\n      osl: 1024\n      search-space:\n"
    files = {
        "configs/nvidia-master.yaml": master.replace(arm, "    agentic-coding:\n    - search-space:\n"),
        "benchmarks/single_node/agentic/finch_fp8_b200_vllm.sh": AGENTIC,
    }
    write(top, files)
    ran = reciplint(top, "compare", "finch-fp8-b200-vllm", FILE, "--format", "json")
    assert ran.status == 1, ran.err
    return {(item["setting"], item["key"], item["recipe"], item["deployments"]) for item in ran.report["settings"]}


def test_a_script_is_told_what_its_row_offloads_to(top: Path) -> None:
    row = "{{ tp: 4, dcp-size: 2, kv-offloading: {}, conc-list: [8] }}"
    stored = agentic(top, row.format("dram, kv-offload-backend: { name: store }"))
    unset = "engine's choice"
    assert stored >= {
        ("kv-transfer-config", '{"kv_connector": "StoreConnector", "kv_role": "kv_both"}', unset, 1),
        ("OFFLOADS", "1", unset, 1),
        ("dcp", "2", "1", 1),
    }
    assert "kv-offloading-size" not in {name for name, *_ in stored}
    plain = agentic(top, row.format("dram, kv-offload-backend: { name: plain }"))
    assert plain >= {("kv-offloading-size", "8", unset, 1), ("OFFLOADS", "1", unset, 1)}
    assert "kv-transfer-config" not in {name for name, *_ in plain}
    resident = {name for name, *_ in agentic(top, row.format("none"))}
    assert not resident & {"kv-transfer-config", "kv-offloading-size", "OFFLOADS"}


def test_the_concurrencies_of_a_row_take_no_way_that_none_of_them_takes(top: Path) -> None:
    found = agentic(top, "{ tp: 4, kv-offloading: none, conc-list: [1, 8, 16, 24, 56, 64] }")
    assert {item for item in found if item[0] in ("block-size", "gpu-memory-utilization")} == {
        ("block-size", "7", "engine's choice", 1),
        ("block-size", "3", "engine's choice", 1),
        ("block-size", "0", "engine's choice", 3),
        ("gpu-memory-utilization", "0.92", "engine's choice", 3),
        ("gpu-memory-utilization", "0.90", "engine's choice", 1),
        ("gpu-memory-utilization", "0.88", "engine's choice", 1),
    }


def test_a_router_before_an_engine_is_no_deployment(top: Path) -> None:
    script = (
        'vllm serve "$MODEL" --port 8001 --data-parallel-size "$TP" &\n'
        'vllm-router --worker-urls http://localhost:8001 --intra-node-data-parallel-size "$TP"\n'
    )
    master = single("finch-fp8-b200-vllm", "{ tp: 4, conc-list: [8] }", runner="cluster:b200-x")
    write(
        top,
        {
            "configs/nvidia-master.yaml": master,
            "benchmarks/single_node/fixed_seq_len/finch_fp8_b200_vllm.sh": script,
        },
    )
    report = reciplint(top, "compare", "finch-fp8-b200-vllm", FILE, "--format", "json").report
    found = [
        (item["setting"], item["key"], item["deployments"])
        for item in report["settings"]
        if item["setting"] in ("engine", "layout", "dp")
    ]
    assert (report["deployments"], found) == (1, [("engine", "vllm", 1), ("layout", "agg", 1), ("dp", "4", 1)])
    write(top, {"benchmarks/single_node/fixed_seq_len/finch_fp8_b200_vllm.sh": script.partition("\n")[2]})
    ran = reciplint(top, "compare", "finch-fp8-b200-vllm", FILE)
    assert (ran.status, "no script with serve commands" in ran.err) == (2, True), ran.err
