"""An invented repository of vLLM recipes without a finding."""

from __future__ import annotations

TAXONOMY = """\
hardware_profiles:
  h100: { brand: NVIDIA, generation: hopper, display_name: H100, gpu_count: 8, vram_gb: 640, multi_node: false }
  h200: { brand: NVIDIA, generation: hopper, display_name: H200, gpu_count: 8, vram_gb: 1128, multi_node: false }
  b200: { brand: NVIDIA, generation: blackwell, display_name: B200, gpu_count: 8, vram_gb: 1440, multi_node: false }
  mi355x: { brand: AMD, generation: amd, display_name: MI355X, gpu_count: 8, vram_gb: 2304, multi_node: false }
  deskbox: { brand: NVIDIA, generation: blackwell, gpu_count: 1, vram_gb: 96, scalable: false, restricted: true }

tasks:
  - id: text
    display_name: Text
  - id: multimodal
    display_name: Pictures
  - id: omni
    display_name: Anything

strategies:
  - single_node_tp
  - single_node_tep
  - multi_node_tp
  - multi_node_tep
  - pd_cluster

kv_offload:
  simple:
    display_name: Host memory
    args: ["--kv-transfer-config", '{"kv_connector":"TinyOffload"}']
  offloading_cpu:
    display_name: Tiers
    brands: [NVIDIA, AMD]
    strategies:
      - single_node_tp
    args: ["--kv-transfer-config", '{"kv_connector":"TinyTiers"}']
"""

PLATFORMS = """\
platforms:
  - id: nest
    name: Nest
    url: https://nest.example.com/vllm
"""


def _strategy(name: str, deploy_type: str, flag: str = "--tensor-parallel-size", more: str = "") -> str:
    return f'name: {name}\ndeploy_type: {deploy_type}\ndisplay_name: "{name}"\nparallel_flag: "{flag}"\n{more}'


_ROLE = """\
{role}:
  vllm_args:
    - "--port"
    - "{port}"
  env:
    TINY_SIDE_PORT: "{port}9"
"""

STORE = """\
name: kv_store_tiny
deploy_type: kv_store_lb
display_name: Tiny store
vllm:
  vllm_args: ["--kv-transfer-config", '{"kv_connector":"TinyStore"}']
min_vllm_version: "0.21.0"
default_instances: 2
"""

FINCH = """\
# A small dense model with a fused draft head.
meta:
  title: "Finch 7B"
  slug: "finch-7b"
  provider: "Example"
  description: "A small dense model"
  date_added: 2026-05-04
  date_updated: 2026-07-09
  difficulty: beginner
  tasks:
    - text
  performance_headline: "Fits one GPU"
  related_recipes:
    - "example/Heron-VL"
  hardware:
    h200: verified
    mi355x: unsupported
  platforms:
    - id: nest
      blurb: "One command"

model:
  model_id: "example/Finch-7B"
  min_vllm_version: "0.20.0"
  architecture: dense
  parameter_count: "7B"
  active_parameters: "7B"
  context_length: 131072
  base_args:
    - "--trust-remote-code"
  base_env: {}

dependencies:
  - note: "Kernels of the draft head"
    command: "uv pip install tiny-kernels"
    brand: NVIDIA

features:
  tool_calling:
    description: "Calls tools"
    args:
      - "--enable-auto-tool-choice"
      - "--tool-call-parser"
      - "finch"
  spec_decoding:
    description: "Drafts tokens"
    default_mode: mtp
    modes:
      mtp:
        label: MTP
        args: ["--speculative-config", '{"method":"mtp","num_speculative_tokens":2}']
        variants: [default, fp8]
      eagle3:
        label: EAGLE3
        args: ["--speculative-config", '{"method":"eagle3","num_speculative_tokens":4}']
        hardware: { hopper: unsupported }

opt_in_features:
  - spec_decoding

variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
    description: "As published"
  fp8:
    model_id: "example/Finch-7B-FP8"
    precision: fp8
    vram_minimum_gb: 9
    description: "Half the memory"
    supported_hardware: [h100, h200, deskbox]
    extra_args:
      - "--kv-cache-dtype"
      - "fp8"
    extra_env:
      TINY_FP8_PATH: "1"
    default_modes:
      spec_decoding: mtp
    hardware_overrides:
      deskbox:
        docker_image: "example/finch-desk:v2"
        extra_args:
          - "--gpu-memory-utilization"
          - "0.8"

compatible_strategies:
  - single_node_tp
  - multi_node_tp

kv_offload_support:
  offloading_cpu: verified

hardware_overrides:
  hopper:
    extra_args:
      - "--max-num-seqs"
      - "256"
    extra_env:
      TINY_HOPPER_GEMM: "1"

strategy_overrides:
  single_node_tp:
    tp: 1

guide: |
  ## Overview
  Finch is small.
"""

HERON = """\
meta:
  title: "Heron VL"
  slug: "heron-vl"
  provider: "Example"
  description: "A mixture of experts that sees"
  date_added: 2026-06-01
  date_updated: 2026-08-02
  tasks: [text, multimodal]
  related_recipes: ["example/Finch-7B"]
  default_hardware: b200
  hardware:
    b200: verified

model:
  model_id: "example/Heron-VL"
  min_vllm_version: "0.22.0"
  docker_image:
    nvidia: "vllm/vllm-openai:v0.22.1"
    amd: "vllm/vllm-openai-rocm:v0.22.0"
  install:
    docker:
      note: "The image has everything"
    pip: false
  architecture: moe
  parameter_count: "400B"
  active_parameters: "20B"
  context_length: 262144
  base_args: []
  base_env:
    TINY_WARMUP: "1"

features: {}
opt_in_features: []

variants:
  default:
    precision: nvfp4
    vram_minimum_gb: 240
    supported_hardware: [b200, deskbox]
    min_vllm_version: "0.23.0"

compatible_strategies:
  - single_node_tep
  - multi_node_tep
  - pd_cluster

default_strategy: single_node_tep

strategy_hardware:
  multi_node_tep:
    amd: unsupported
  single_node_tp:
    mi355x: supported

hardware_overrides: {}

strategy_overrides:
  pd_cluster:
    prefill:
      nodes: 1
      parallelism: tep
    decode:
      nodes: 2
      parallelism: dep
      vllm_args: ["--max-num-seqs", "512"]

presets:
  b200_chat:
    label: "Chat"
    hardware: b200
    strategy: single_node_tep
    source: { label: "Bench #12", href: "https://github.com/example/bench/pull/12", key: "heron-fp4-b200-vllm" }
    args: ["--max-num-seqs", "64"]

guide: |
  ## Overview
  Heron sees.
"""

WREN = """\
meta:
  title: "Wren Paint"
  slug: "wren-paint"
  provider: "Example"
  description: "Paints"
  date_updated: 2026-07-20
  tasks: [omni]

model:
  model_id: "example/Wren-Paint"
  min_vllm_version: nightly
  nightly_required: true
  architecture: dense
  parameter_count: "12B"
  context_length: 0
  base_args: ["--tensor-parallel-size", "2"]

variants:
  default:
    precision: bf16
    vram_minimum_gb: 40

compatible_strategies: []

omni:
  tasks:
    - t2i
    - id: i2i
      extra_args: ["--enforce-eager"]

guide: |
  ## Overview
  Wren paints.
"""

ROBIN = """\
meta:
  title: "Robin 1B"
  slug: "robin-1b"
  provider: "Example"
  description: "A tiny model"
  date_updated: 2026-07-21
  tasks: [text]

model:
  model_id: "example/Robin-1B"
  min_vllm_version: "0.20.0"
  architecture: dense
  parameter_count: "1B"
  context_length: 8192

variants:
  default:
    precision: bf16
    vram_minimum_gb: 3

compatible_strategies: [single_node_tp]

guide: Serve it.
"""

FILES = {
    "taxonomy.yaml": TAXONOMY,
    "platforms.yaml": PLATFORMS,
    "strategies/single_node_tp.yaml": _strategy("single_node_tp", "single_node"),
    "strategies/single_node_tep.yaml": _strategy(
        "single_node_tep", "single_node", more='vllm_args:\n  - "--enable-expert-parallel"\n'
    ),
    "strategies/multi_node_tp.yaml": _strategy("multi_node_tp", "multi_node"),
    "strategies/multi_node_tep.yaml": _strategy("multi_node_tep", "multi_node"),
    "strategies/pd_cluster.yaml": _strategy(
        "pd_cluster",
        "pd_cluster",
        more=_ROLE.format(role="prefill", port=8001) + _ROLE.format(role="decode", port=8002),
    ),
    "kv_store/kv_store_tiny.yaml": STORE,
    "models/example/Finch-7B.yaml": FINCH,
    "models/example/Heron-VL.yaml": HERON,
    "models/example/Robin-1B.yaml": ROBIN,
    "models/example/Wren-Paint.yaml": WREN,
}
