"""Serving constraints as rules: each can be explained, switched off and silenced; what breaks one in a script, or in a
recipe of the corpus, is found at its line, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from variations import variations

from reciplint.domain.serving.constraint_table import constraint_table
from reciplint.engine.pages import sections
from reciplint.engine.settings import SETTINGS_FILE
from reciplint.rules.finding import Finding
from support import RULES, brief, lint, reciplint

ROWS = {row.id: row for row in constraint_table().constraints}
FIXTURE = Path(__file__).parents[2] / "fixtures" / "serving" / "disaggregated.sh"
RECIPES = "benchmarks/multi_node/srt-slurm-recipes/vllm"
K3 = f"{RECIPES}/kimi-k3/agentic/disagg-gb300-1p1d-dcp8-dcp8-dspark4-mooncake-agentic.yaml"
M3 = f"{RECIPES}/minimax-m3/b200-fp4/8k1k/2p2d-dep2-tp4-c128-8k1k.yaml"
WIDE = f"{RECIPES}/kimi-k3/agentic/agg-h200-tp8dp4ep32-balanced-agentic.yaml"

TOOLS = """\
name: tiny
model: {path: org/tiny, container: "vllm/vllm-openai:v0.33.0", precision: fp8}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1, gpus_per_agg: 8}
backend:
  type: vllm
  vllm_config:
    aggregated:
      tensor-parallel-size: 8
      enable-auto-tool-choice: true
"""


def changed(text: str, old: str, new: str) -> tuple[str, int]:
    """A text with its first `old` replaced, and the line of that place."""
    assert old in text, old
    before, _, after = text.partition(old)
    return before + new + after, before.count("\n") + 1


def constraints(found: list[Finding]) -> list[Finding]:
    return [finding for finding in found if finding.rule in ROWS]


def test_every_row_is_a_rule_with_a_page() -> None:
    for name, row in ROWS.items():
        page = sections(RULES[name].page)
        assert RULES[name].rule.severity in {case.severity for case in row.cases}
        assert all(evidence.url in page["Source"] for evidence in row.evidence)


def test_explain_prints_the_page_of_a_row(tmp_path: Path) -> None:
    ran = reciplint(tmp_path, "explain", "dcp-a2a")
    assert ran.status == 0
    assert ran.out.startswith("# dcp-a2a\n")
    assert "VLLM_USE_DIRECT_DCP_A2A" in ran.out


def test_a_row_can_be_switched_off_or_softened() -> None:
    assert brief(lint({"job.yaml": TOOLS})) == [("tool-parser", "job.yaml", 9)]
    assert lint({"job.yaml": TOOLS, SETTINGS_FILE: "rules: {tool-parser: off}\n"}) == []
    softened = lint({"job.yaml": TOOLS, SETTINGS_FILE: "rules: {tool-parser: info}\n"})
    assert [finding.severity for finding in softened] == ["info"]


def test_a_row_can_be_silenced_on_its_line() -> None:
    line = "      enable-auto-tool-choice: true\n"
    silenced = TOOLS.replace(line, f"{line[:-1]}  # reciplint: ignore[tool-parser] -- the proxy parses them\n")
    assert lint({"job.yaml": silenced}) == []


def test_a_finding_points_into_the_file() -> None:
    (found,) = lint({"job.yaml": TOOLS})
    assert found.pointer == "/backend/vllm_config/aggregated/enable-auto-tool-choice"
    assert found.message == "enable-auto-tool-choice without tool-call-parser; vLLM does not start"


def test_writing_a_recipe_otherwise_changes_nothing() -> None:
    """Neither what is found nor what is not."""
    sound = TOOLS + "      tool-call-parser: hermes\n"
    for text in variations(sound, 50):
        assert lint({"job.yaml": text}, select=ROWS) == [], text
    for text in variations(TOOLS, 50):
        lines = [number for number, line in enumerate(text.splitlines(), 1) if "enable-auto-tool-choice" in line]
        assert brief(lint({"job.yaml": text}, select=ROWS)) == [("tool-parser", "job.yaml", lines[0])], text


def test_a_python_script_is_no_shell_script() -> None:
    text = 'import subprocess\nsubprocess.run("vllm serve org/Tiny --enable-auto-tool-choice", shell=True)\n'
    assert lint({"benchmarks/run.sh": text}) == []


SYNTHETIC = "models/example/Tiny.yaml"
VLLM_RECIPES = {
    "taxonomy.yaml": """\
hardware_profiles:
  h200: {brand: NVIDIA, generation: hopper, gpu_count: 8, vram_gb: 1128}
tasks:
- {id: text}
strategies: [single_node_tp]
""",
    "strategies/single_node_tp.yaml": "name: single_node_tp\ndeploy_type: single_node\nvllm_args: []\n",
    SYNTHETIC: """\
meta:
  title: Tiny
  tasks: [text]
  hardware: {h200: verified}
model:
  model_id: example/Tiny
  base_args:
  - "--enable-auto-tool-choice"
variants:
  default:
    precision: bf16
    vram_minimum_gb: 40
compatible_strategies: [single_node_tp]
default_strategy: single_node_tp
""",
}


def test_the_commands_of_a_vllm_recipe_are_checked() -> None:
    (found,) = constraints(lint(VLLM_RECIPES))
    assert brief([found]) == [("tool-parser", SYNTHETIC, 8)]
    assert found.message.endswith("(default/single_node_tp/h200)")


BREAKS = [
    ("dcp-divides-tp", "--decode-context-parallel-size 8", "--decode-context-parallel-size 3", ""),
    ("dcp-a2a", "  --dcp-comm-backend a2a \\\n", "", "--decode-context-parallel-size"),
    ("dcp-a2a", "--decode-context-parallel-size 8", "--decode-context-parallel-size 1", "--dcp-comm-backend"),
    ("dcp-attention", "--attention-backend ROCM_AITER_MLA", "--attention-backend ROCM_ATTN", ""),
    ("fp8-kv-attention", '"mla_prefill_backend":"ROCM_AITER_FA"', '"mla_prefill_backend":"TRTLLM_RAGGED"', ""),
    ("fp8-kv-attention", '"mla_prefill_backend":"ROCM_AITER_FA",', "", ""),
    ("prefix-match-unit", "--prefix-match-unit 128", "--prefix-match-unit 96", ""),
    ("kv-role", "DIRECTION=kv_producer", "DIRECTION=kv_consumer", ""),
    ("ssm-layout", "VLLM_SSM_CONV_STATE_LAYOUT=DS", "VLLM_SSM_CONV_STATE_LAYOUT=SD", ""),
    ("hardware-backend", "--attention-backend ROCM_AITER_MLA", "--attention-backend TOKENSPEED_MLA", ""),
    ("capture-sizes", '\\"max_cudagraph_capture_size\\":160', '\\"max_cudagraph_capture_size\\":128', ""),
    ("capture-sizes", '\\"max_cudagraph_capture_size\\":0', '\\"max_cudagraph_capture_size\\":16', ""),
    ("context-length", "--max-model-len 262144", "--max-model-len 2M", ""),
    ("tool-parser", "--tool-call-parser kimi_k3 ", "", ""),
    ("ports", '\\"notify_port\\":\\"27100\\"', '\\"notify_port\\":\\"26107\\"', ""),
    ("ports", '\\"http_port\\":\\"6200\\"', '\\"http_port\\":\\"6300\\"', ""),
    ("ports", '\\"proxy_ping_port\\":\\"36400\\"', '\\"proxy_ping_port\\":\\"36401\\"', ""),
    ("router-discovery", "--host 0.0.0.0 --port 8080", "--port 8080 --prefill http://prefill:6200", ""),
    (
        "synthetic-acceptance",
        '"num_speculative_tokens":4,',
        '"num_speculative_tokens":4,"synthetic_acceptance_length":2.5,',
        "",
    ),
    ("moving-tag", "example/router:v1.4.0", "example/router:nightly", ""),
]
"""What breaks a constraint in the fixture: what is written instead of what, and what stands on the line of the finding
where that is another one."""


def test_the_fixture_breaks_nothing() -> None:
    assert lint({"serve.sh": FIXTURE.read_text(encoding="utf-8")}) == []


@pytest.mark.parametrize(("rule", "old", "new", "at"), BREAKS)
def test_what_breaks_a_constraint_in_a_script_is_found_alone(rule: str, old: str, new: str, at: str) -> None:
    text, line = changed(FIXTURE.read_text(encoding="utf-8"), old, new)
    if at:
        line = next(number for number, each in enumerate(text.splitlines(), 1) if at in each)
    assert brief(lint({"serve.sh": text})) == [(rule, "serve.sh", line)]


def test_prefill_and_decode_of_a_script_are_compared() -> None:
    text = FIXTURE.read_text(encoding="utf-8").replace("--kv-cache-dtype fp8", '--kv-cache-dtype "$CACHE"')
    text = text.replace("DIRECTION=kv_producer", "DIRECTION=kv_producer CACHE=fp8")
    text, line = changed(text, "DIRECTION=kv_consumer", "DIRECTION=kv_consumer CACHE=auto")
    assert brief(lint({"serve.sh": text})) == [("pd-parity", "serve.sh", line)]


NIXL = '{"kv_connector":"NixlConnector","kv_role":"kv_both"'
KIMI = 'container: "vllm/vllm-openai:kimi-k3"'
MUTANTS: list[tuple[str, str, tuple[tuple[str, str], ...]]] = [
    ("dcp-divides-tp", K3, (("decode-context-parallel-size: 8", "decode-context-parallel-size: 3"),)),
    ("dcp-env", WIDE, (('VLLM_USE_V2_MODEL_RUNNER: "1"', 'VLLM_USE_DIRECT_DCP_A2A: "1"'),)),
    ("dcp-attention", K3, (('attention-backend: "TOKENSPEED_MLA"', 'attention-backend: "TRITON_ATTN"'),)),
    ("fp8-kv-attention", K3, (('"mla_prefill_backend": "TRTLLM_RAGGED"', '"mla_prefill_backend": "ROCM_AITER_FA"'),)),
    ("prefix-match-unit", K3, (("prefix-match-unit: 128", "prefix-match-unit: 100"),)),
    ("kv-role", K3, ((NIXL, NIXL.replace("kv_both", "kv_consumer")),)),
    ("ssm-layout", K3, (('VLLM_SSM_CONV_STATE_LAYOUT: "DS"', 'VLLM_SSM_CONV_STATE_LAYOUT: "SD"'),)),
    ("hardware-backend", K3, (('attention-backend: "TOKENSPEED_MLA"', 'attention-backend: "ROCM_AITER_MLA"'),)),
    ("pd-parity", M3, (("      kv-cache-dtype: fp8\n      all2all", "      kv-cache-dtype: auto\n      all2all"),)),
    ("tool-parser", WIDE, (("      tool-call-parser: kimi_k3\n", ""), ("enable-auto-tool-choice: true",) * 2)),
    ("fabric", WIDE, (("moe-backend: marlin", "moe-backend: deep_gemm_mega_moe"),)),
    ("aiter-alias", WIDE, ((KIMI, KIMI.replace("kimi-k3", "v0.30.0")), ("NCCL_CUMEM_ENABLE", "AITER_SITUV2_A8W4"))),
    ("moving-tag", WIDE, ((KIMI, KIMI.replace("kimi-k3", "nightly")),)),
    ("context-length", M3, (("max-model-len: 9472", "max-model-len: 9472000"),)),
    ("ucx-transports", M3, (('UCX_TCP_AF_PRIO: "inet"', 'UCX_TLS: "tcp,cuda_copy"'),)),
    ("capture-sizes", M3, (('"FULL_DECODE_ONLY"', '"NONE","max_cudagraph_capture_size":64'),)),
    ("checkpoint-fits", M3, (("gpus_per_prefill: 2", "gpus_per_prefill: 1"), ("nvidia/MiniMax-M3-NVFP4",) * 2)),
]
"""What breaks a constraint in a recipe of the corpus; the finding stands where the last change is."""


@pytest.mark.corpus
@pytest.mark.parametrize(("rule", "path", "edits"), MUTANTS, ids=[item[0] for item in MUTANTS])
def test_what_breaks_a_constraint_in_a_real_recipe_is_found(
    rule: str, path: str, edits: tuple[tuple[str, str], ...], corpus_repo: Path
) -> None:
    text = (corpus_repo / path).read_text(encoding="utf-8")
    before = [finding for finding in lint({path: text}, select=ROWS) if finding.rule == rule]
    assert before == []
    for old, new in edits:
        text, line = changed(text, old, new)
    found = [finding for finding in lint({path: text}, select=ROWS) if finding.rule == rule]
    assert brief(found)[:1] == [(rule, path, line)]


VLLM_MUTANTS = [
    (
        "synthetic-acceptance",
        "models/moonshotai/Kimi-K2.5.yaml",
        '"num_speculative_tokens":',
        '"synthetic_acceptance_length":2.5,"num_speculative_tokens":',
    ),
    (
        "ports",
        "strategies/pd_cluster.yaml",
        'VLLM_NIXL_SIDE_CHANNEL_PORT: "5557"',
        'VLLM_NIXL_SIDE_CHANNEL_PORT: "8001"',
    ),
]


@pytest.mark.corpus
@pytest.mark.parametrize(("rule", "path", "old", "new"), VLLM_MUTANTS, ids=[item[0] for item in VLLM_MUTANTS])
def test_what_breaks_a_constraint_in_a_real_vllm_recipe_is_found(
    rule: str, path: str, old: str, new: str, corpus: Path
) -> None:
    top = corpus / "vllm-recipes"
    names = ["taxonomy.yaml", "models/moonshotai/Kimi-K2.5.yaml", *(f"strategies/{p.name}" for p in top.glob("str*/*"))]
    files = {name: (top / name).read_text(encoding="utf-8") for name in names}
    assert [finding for finding in lint(files, select=ROWS) if finding.rule == rule] == []
    files[path], line = changed(files[path], old, new)
    found = [finding for finding in lint(files, select=ROWS) if finding.rule == rule]
    assert {(finding.path, finding.span.line) for finding in found} == {(path, line)}


@pytest.mark.corpus
def test_discovery_beside_the_endpoints_of_a_real_router_is_found(corpus: Path) -> None:
    recipe = yaml.safe_load((corpus / "vllm-recipes/models/deepseek-ai/DeepSeek-V4-Flash.yaml").read_text("utf-8"))
    guide = recipe["guide"]
    assert [finding for finding in lint({"guide.md": guide}, select=ROWS) if finding.rule == "router-discovery"] == []
    endpoint = "--prefill http://localhost:8000"
    guide, line = changed(guide, endpoint, f"--vllm-discovery-address 0.0.0.0:30001 {endpoint}")
    found = [finding for finding in lint({"guide.md": guide}, select=ROWS) if finding.rule == "router-discovery"]
    assert brief(found) == [("router-discovery", "guide.md", line)]
