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
