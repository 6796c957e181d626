"""Writes an invented repository of any size: master configs, recipes that they name, runners, changelog, policy.

    python benchmarks/generate.py DIRECTORY --recipes 500

The proportions are those of a real one: two recipes a key, two master configs, recipes of about 70 lines. With
`--history` it becomes a git repository of two commits, `base` and `head`, of which the second adds a key and edits
a recipe of every hundredth.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Iterator
from pathlib import Path

MODELS = ("tiny", "cedar", "basalt", "heron", "alder", "quartz", "osprey", "linden")
MACHINES = ("b200", "gb300", "mi355x")
ENGINES = ("vllm", "sglang")
RECIPES = "benchmarks/multi_node/srt-slurm-recipes"
PER_KEY = 2

_FLAGS = {
    "vllm": """\
      served-model-name: example/{model}
      kv-cache-dtype: fp8
      tensor-parallel-size: 4
      block-size: 128
      trust-remote-code: true
      stream-interval: 10
      load-format: fastsafetensors
      gpu-memory-utilization: 0.{memory}
      max-model-len: 131072
      kv-transfer-config: '{{"kv_connector": "NixlConnector", "kv_role": "kv_both"}}'
""",
    "sglang": """\
      served-model-name: example/{model}
      kv-cache-dtype: fp8_e4m3
      tensor-parallel-size: 4
      page-size: 64
      trust-remote-code: true
      stream-interval: 10
      mem-fraction-static: 0.{memory}
      context-length: 131072
      disaggregation-transfer-backend: nixl
      chunked-prefill-size: 16384
""",
}

_RECIPE = """\
# {model} on {machine}: {prefill} prefill and {decode} decode workers.
name: {name}
model:
  path: {model}
  container: vllm/vllm-openai:v0.20.0
  precision: fp4
resources:
  gpu_type: {machine}
  gpus_per_node: 4
  prefill_nodes: {prefill}
  prefill_workers: {prefill}
  gpus_per_prefill: 4
  decode_nodes: {decode}
  decode_workers: {decode}
  gpus_per_decode: 4
slurm:
  time_limit: "04:00:00"
frontend:
  type: dynamo
  args:
    router-mode: kv
    router-temperature: 0.0
backend:
  type: {engine}
  prefill_environment:
    UCX_TLS: "cuda_ipc,rc"
    HF_HUB_OFFLINE: "1"
    VLLM_LOG_STATS: "1"
    NCCL_DEBUG: "WARN"
  decode_environment:
    UCX_TLS: "cuda_ipc,rc"
    HF_HUB_OFFLINE: "1"
    VLLM_LOG_STATS: "1"
    NCCL_DEBUG: "WARN"
  {engine}_config:
    prefill:  # long prompts
{flags}    decode:  # many users
{flags}      cuda-graph-max-bs: {batch}
benchmark:
  type: sa-bench
  isl: 8192
  osl: 1024
  concurrencies: "{batch}"
  req_rate: "inf"
"""

_KEY = """\
{key}:
  image: vllm/vllm-openai:v0.20.0
  model: example/{model}
  model-prefix: {model}
  runner: {machine}-multinode
  precision: fp4
  framework: dynamo-{engine}
  router: {{ name: dynamo-router, version: "1.0.0" }}
  kv-p2p-transfer: nixl
  multinode: true
  disagg: true
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
"""

_ROW = """\
      # {prefill} prefill, {decode} decode
      - spec-decoding: none
        conc-list: [{batch}]
        prefill:
          num-worker: {prefill}
          tp: 4
          ep: 1
          dp-attn: false
          additional-settings:
          - "CONFIG_FILE={written}"
        decode:
          num-worker: {decode}
          tp: 4
          ep: 1
          dp-attn: false
"""

_ENTRY = """\
- config-keys:
  - {key}
  description:
  - "Add {model} on {machine}"
  pr-link: https://github.com/example/bench/pull/{number}

"""


def _family(number: int) -> dict[str, str]:
    """What the key of this number is about."""
    model = MODELS[number % len(MODELS)]
    machine = MACHINES[number // len(MODELS) % len(MACHINES)]
    engine = ENGINES[number // len(MODELS) // len(MACHINES) % len(ENGINES)]
    return {
        "model": model,
        "machine": machine,
        "engine": engine,
        "key": f"{model}-fp4-{machine}-dynamo-{engine}-{number}",
    }


def _points(number: int) -> Iterator[dict[str, str]]:
    """The recipes of a key."""
    family = _family(number)
    folder = f"{family['engine']}/{family['model']}/8k1k-{number // 48}"
    for turn in range(PER_KEY):
        name = f"disagg-{family['machine']}-{turn + 1}p{number % 4 + 1}d-{number}"
        yield {
            **family,
            "name": name,
            "prefill": str(turn + 1),
            "decode": str(number % 4 + 1),
            "memory": str(80 + number % 15),
            "batch": str(2 ** (number % 8)),
            "written": f"recipes/{folder}/{name}.yaml",
            "path": f"{RECIPES}/{folder}/{name}.yaml",
        }


def files(recipes: int) -> Iterator[tuple[str, str]]:
    """Path and text of every file of a repository with so many recipes."""
    masters: dict[str, list[str]] = {"nvidia": [], "amd": []}
    changelog = []
    for number in range(recipes // PER_KEY):
        family = _family(number)
        master = masters["amd" if family["machine"].startswith("mi") else "nvidia"]
        master.append(_KEY.format(**family))
        for point in _points(number):
            master.append(_ROW.format(**point))
            flags = _FLAGS[point["engine"]].format(**point)
            yield point["path"], _RECIPE.format(**point, flags=flags)
        changelog.append(_ENTRY.format(**family, number=number + 1))
    for name, parts in masters.items():
        yield f"configs/{name}-master.yaml", "".join(parts) or "{}\n"
    yield "perf-changelog.yaml", "".join(changelog)
    yield "configs/runners.yaml", "labels:\n" + "".join(f"  {m}-multinode:\n  - {m}_0\n" for m in MACHINES)
    table = "".join(f"| {model.title()} | `{model}` | 8k1k | None |\n" for model in MODELS)
    yield "MODELS.md", f"# Models\n\n| Model | Prefix | Active | Deprecated |\n|---|---|---|---|\n{table}"


def generate(top: Path, recipes: int) -> int:
    """Write the repository; the number of its bytes."""
    size = 0
    for path, text in files(recipes):
        file = top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        size += file.write_text(text, encoding="utf-8")
    return size


def commit_twice(top: Path) -> None:
    """Make it a git repository whose branch `head` is a small change of `base`."""
    _git(top, "init", "-q", "-b", "base")
    _commit(top, "base")
    _git(top, "checkout", "-q", "-b", "head")
    for file in sorted(top.glob(f"{RECIPES}/**/*.yaml"))[::100]:
        file.write_text(
            file.read_text(encoding="utf-8").replace("stream-interval: 10", "stream-interval: 20"), encoding="utf-8"
        )
    master = top / "configs/nvidia-master.yaml"
    added = _KEY.format(**{**_family(0), "key": "tiny-fp4-b200-dynamo-vllm-new"}) + _ROW.format(**next(_points(0)))
    master.write_text(master.read_text(encoding="utf-8") + added, encoding="utf-8")
    _commit(top, "head")


def _commit(top: Path, message: str) -> None:
    _git(top, "add", "-A")
    _git(top, "-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "-q", "-m", message)


def _git(top: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(top), *arguments], check=True, capture_output=True)


def main() -> None:
    """Write one repository."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--recipes", type=int, default=500)
    parser.add_argument("--history", action="store_true", help="commit it, as base and head")
    options = parser.parse_args()
    size = generate(options.directory, options.recipes)
    if options.history:
        commit_twice(options.directory)
    print(f"{options.recipes} recipes, {size / 1e6:.1f} MB in {options.directory}")


if __name__ == "__main__":
    main()
