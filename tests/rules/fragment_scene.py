"""A fragment of the later layout and the rows that run it: one node with chosen variants, or several with a selector.

`single(chance)` and `several(chance)` are right in everything; tests break one value of `entry` or `recipe`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from recipe_scene import Path, dumped

from support import CHANGELOG, MASTER, RUNNERS

KEY = "finch-fp4-b200"
_SINGLE = "benchmarks/single_node/srt-slurm-recipes/finch/points.yaml"
_MULTI = "benchmarks/multi_node/srt-slurm-recipes/finch/points.yaml"
_CLUSTER: dict[str, Any] = {
    "gpus-per-node": 8,
    "arch": "x86_64",
    "scheduler": "slurm",
    "slurm": {"partition": "main", "exclusive": True, "srt-slurm": {"network-interface": ""}},
}


@dataclass
class Fragment:
    """A key, the fragment that its rows name, and the fabric of each cluster (None: the file knows of none)."""

    entry: dict[str, Any]
    recipe: dict[str, Any]
    agentic: bool
    fabric: dict[str, list[str]] | None = None

    @property
    def path(self) -> str:
        """Where the fragment stands."""
        return _MULTI if self.entry["multinode"] else _SINGLE

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the one scenario."""
        (listed,) = self.entry["scenarios"].values()
        rows: list[dict[str, Any]] = listed[0]["search-space"]
        return rows

    def row_path(self, index: int) -> Path:
        """The path of a row in the master config."""
        return (KEY, "scenarios", "agentic-coding" if self.agentic else "fixed-seq-len", 0, "search-space", index)

    def texts(self) -> tuple[str, str]:
        """The master config and the recipe."""
        return dumped({KEY: self.entry}), dumped(self.recipe)

    def files(self, master: str = "", recipe: str = "") -> dict[str, str]:
        """The project, with other texts for its two files if given."""
        own = self.texts()
        cluster = {**_CLUSTER, "slurm": {**_CLUSTER["slurm"], "srt-slurm": {"network-interface": ""}}}
        if self.fabric is not None:
            cluster["slurm"]["srt-slurm"]["fabric"] = self.fabric
        labels = {"b200": ["b200-a_0"], "cluster:b200-a": ["b200-a_0"]}
        return {
            MASTER: master or own[0],
            self.path: recipe or own[1],
            RUNNERS: dumped({"labels": labels, "clusters": {"b200-a": cluster}}),
            CHANGELOG: "[]\n",
        }


def single(chance: random.Random, engine: str = "", agentic: bool | None = None) -> Fragment:
    """A bundle whose variants differ in size, experts, attention and concurrency, with a row for each of its groups."""
    engine = engine or chance.choice(("sglang", "trtllm", "vllm"))
    agentic = chance.random() < 0.5 if agentic is None else agentic
    groups = chance.sample([(4, 1, False), (4, 4, False), (4, 4, True), (8, 1, False), (8, 8, False), (8, 8, True)], 3)
    recipe: dict[str, Any] = {
        "base": {
            "schema": 2,
            "name": "finch-points",
            "resources": {"gpu_type": "b200", "gpus_per_node": 8},
            "engine": engine,
            "roles": {"agg": {"nodes": 1, "workers": 1, "gpus": 8, "env": {"OMP_NUM_THREADS": "1"}}},
        }
    }
    rows = []
    for index, (tp, ep, attention) in enumerate(groups):
        concurrencies = sorted(chance.sample((4, 8, 16, 32, 64, 128), chance.randint(1, 4)))
        role = {"gpus": tp, "args": _flags(engine, tp, ep, attention)}
        env: dict[str, Any] = {"CONC": [str(value) for value in concurrencies]}
        row: dict[str, Any] = {"tp": tp, "ep": ep, "dp-attn": attention, "conc-list": concurrencies}
        if agentic:
            env["KV_OFFLOADING"] = row["kv-offloading"] = "none"
        recipe[f"zip_override_g{index}"] = {"roles": {"agg": role}, "benchmark": {"env": env}}
        rows.append({**row, "srt-recipe": "points.yaml"})
    framework = {"trtllm": "trt"}.get(engine, engine)
    return Fragment(_entry(framework, False, agentic, rows), recipe, agentic)


def several(chance: random.Random, agentic: bool | None = None) -> Fragment:
    """An aggregated bundle on several nodes of which a row selects each override."""
    agentic = chance.random() < 0.5 if agentic is None else agentic
    role = {"nodes": 1, "workers": 1, "gpus": 8, "args": {"tensor-parallel-size": 8}, "env": {"OMP_NUM_THREADS": "1"}}
    recipe: dict[str, Any] = {
        "schema": 2,
        "base": {
            "name": "finch-points",
            "resources": {"gpu_type": "b200", "gpus_per_node": 8},
            "engine": "vllm",
            "roles": {"agg": role},
            "identity": {"frameworks": {"vllm": "0.11.0"}},
        },
    }
    rows = []
    for index in range(chance.randint(2, 3)):
        recipe[f"override_p{index}"] = {"roles": {"agg": {"args": {"max-num-seqs": 64 << index}}}}
        row: dict[str, Any] = {"conc-list": [4 << index], "num-nodes": 1}
        row["worker"] = {"num-worker": 1, "tp": 8, "ep": 1, "dp-attn": False}
        row |= {"kv-offloading": "none"} if agentic else {}
        rows.append({**row, "srt-recipe": f"points.yaml:override_p{index}"})
    return Fragment(_entry("dynamo-vllm", True, agentic, rows), recipe, agentic)


def _entry(framework: str, multinode: bool, agentic: bool, rows: list[dict[str, Any]]) -> dict[str, Any]:
    scenario: dict[str, Any] = {"search-space": rows}
    if not agentic:
        scenario = {"isl": 8192, "osl": 1024, **scenario}
    return {
        "image": "vllm/vllm-openai:v1",
        "model": "example/Finch",
        "model-prefix": "finch",
        "runner": "cluster:b200-a",
        "precision": "fp4",
        "framework": framework,
        "multinode": multinode,
        **({"disagg": False} if multinode else {}),
        "srt-recipe-dir": "finch",
        "scenarios": {"agentic-coding" if agentic else "fixed-seq-len": [scenario]},
    }


def _flags(engine: str, tp: int, ep: int, attention: bool) -> dict[str, Any]:
    if engine == "trtllm":
        return {"tensor_parallel_size": tp, "moe_expert_parallel_size": ep, "enable_attention_dp": attention}
    if engine == "sglang":
        flags: dict[str, Any] = {"tensor-parallel-size": tp, "expert-parallel-size": ep}
        return flags | ({"enable-dp-attention": True, "data-parallel-size": tp} if attention else {})
    flags = {"tensor-parallel-size": 1, "data-parallel-size": tp} if attention else {"tensor-parallel-size": tp}
    return flags | {"enable-expert-parallel": ep > 1}
