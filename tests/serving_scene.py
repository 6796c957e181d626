"""What the tests of serve configurations share: sources read from text, a small library of vLLM recipes."""

from __future__ import annotations

from pathlib import Path

from reciplint.domain.serving.config import Deployment, ServeConfig
from reciplint.domain.serving.from_command import read_markdown_deployments, read_shell_deployments
from reciplint.domain.serving.from_recipe import read_recipe_deployments
from reciplint.domain.serving.vllm_sheets import Library, Sheet
from reciplint.yamltree.parse import parse

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "serving"

TAXONOMY = """\
hardware_profiles:
  h200: {brand: NVIDIA, generation: hopper, gpu_count: 8, vram_gb: 1128}
  gb200: {brand: NVIDIA, generation: blackwell, gpu_count: 4, vram_gb: 768}
  b300: {brand: NVIDIA, generation: blackwell, gpu_count: 8, vram_gb: 2144}
  mi355x: {brand: AMD, generation: amd, gpu_count: 8, vram_gb: 2304}
  desk: {brand: NVIDIA, generation: blackwell, gpu_count: 1, vram_gb: 96, scalable: false, restricted: true}
"""
STRATEGIES = {
    "single_node_tp": "name: single_node_tp\ndeploy_type: single_node\nparallel_flag: --tensor-parallel-size\n",
    "single_node_dep": (
        "name: single_node_dep\ndeploy_type: single_node\nvllm_args: [--enable-expert-parallel]\n"
        "parallel_flag: --data-parallel-size\n"
    ),
    "multi_node_tp": (
        "name: multi_node_tp\ndeploy_type: multi_node\nparallel_flag: --tensor-parallel-size\n"
        "env: {NCCL_SOCKET_IFNAME: $IFACE_NAME}\n"
    ),
    "pd_cluster": (
        "name: pd_cluster\ndeploy_type: pd_cluster\n"
        'prefill: {vllm_args: [--port, "8001"], env: {NCCL_MNNVL_ENABLE: "1", VLLM_SIDE_HOST: $PREFILL_NODE_1}}\n'
        'decode: {vllm_args: [--port, "8002"]}\n'
        "parallel_flag: --tensor-parallel-size\nrouter: {policy: round_robin}\n"
    ),
}
RECIPE = """\
meta:
  tasks: [text]
  hardware: {b300: verified, gb200: verified, h200: unsupported}
model:
  model_id: example-labs/Finch
  base_args: [--trust-remote-code, --gpu-memory-utilization, "0.95"]
features:
  tools: {args: [--tool-call-parser, finch]}
  drafts: {args: [--speculative-config, '{"method":"mtp"}']}
opt_in_features: [drafts]
variants:
  default: {precision: bf16, vram_minimum_gb: 900}
  nvfp4:
    model_id: example-labs/Finch-NVFP4
    precision: nvfp4
    vram_minimum_gb: 80
    extra_args: [--gpu-memory-utilization, "0.9"]
    docker_image: {nvidia: "vllm/vllm-openai:v0.20.1"}
compatible_strategies: [single_node_tp, single_node_dep, multi_node_tp, pd_cluster]
hardware_overrides:
  blackwell:
    extra_args: [--kv-cache-dtype, fp8]
    extra_env: {VLLM_ALLREDUCE_USE_FLASHINFER: "1"}
strategy_overrides:
  single_node_dep:
    hardware_overrides:
      blackwell: {extra_args: [--moe-backend, deep_gemm_mega_moe]}
  pd_cluster:
    decode: {parallelism: dep, tp: 1}
"""


def sheet(text: str, path: str = "models/example-labs/Finch.yaml") -> Sheet:
    """A YAML file from its text."""
    return Sheet(path, parse(text.encode()))


def library() -> Library:
    """The taxonomy and strategies above."""
    strategies = {name: sheet(text, f"strategies/{name}.yaml") for name, text in STRATEGIES.items()}
    return Library(sheet(TAXONOMY, "taxonomy.yaml"), strategies)


def shell(text: str) -> list[ServeConfig]:
    """The processes of a script."""
    return [process for found in read_shell_deployments(text, "run.sh") for process in found.processes]


def markdown(text: str) -> tuple[Deployment, ...]:
    """The deployments of a page."""
    return read_markdown_deployments(text, "page.md")


def recipe(text: str) -> list[ServeConfig]:
    """The processes of an srt-slurm recipe."""
    found = read_recipe_deployments(parse(text.encode()), "recipe.yaml")
    return [process for deployment in found for process in deployment.processes]


def written(config: ServeConfig) -> dict[str, str]:
    """The flags with their text."""
    return {flag.name: flag.text for flag in config.flags}
