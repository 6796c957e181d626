"""Small invented values, valid in their layout: what the mutations start from."""

from __future__ import annotations

from typing import Any

COMMON: dict[str, Any] = {
    "image": "registry.example/tiny:v1",
    "model": "example/tiny",
    "model-prefix": "tiny",
    "runner": "cluster:h100-lab",
    "precision": "fp8",
    "framework": "vllm",
}
ROUTER = {"name": "example-router", "version": "1.2.0"}
PREFILL: dict[str, Any] = {"num-worker": 2, "tp": 4, "ep": 4, "dp-attn": True, "dcp-size": 2, "hardware": "h100"}
DECODE: dict[str, Any] = {"num-worker": 1, "tp": 8, "pp": 1, "ep": 8, "dp-attn": False, "hardware": "h200"}
SETTINGS = ["CONFIG_FILE=recipes/tiny/agg.yaml", "EXTRA=1"]
DRAM: dict[str, Any] = {"kv-offloading": "dram", "kv-offload-backend": {"name": "lmcache", "version": "0.3"}}


def fixed(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"fixed-seq-len": [{"isl": 1024, "osl": 128, **more, "search-space": list(rows)}]}


def agentic(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"agentic-coding": [{"dram-utilization": 0.5, "search-space": list(rows)}]}


def entry(multinode: bool, scenarios: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**COMMON, "multinode": multinode, **more, "scenarios": scenarios}


SINGLE_ROWS: tuple[dict[str, Any], ...] = (
    {"tp": 8, "ep": 8, "dp-attn": True, "dcp-size": 2, "spec-decoding": "mtp", "conc-list": [1, 4, 16]},
    {"tp": 4, "pp": 2, "conc-start": 4, "conc-end": 64, "router": ROUTER},
)
AGENTIC_SINGLE: tuple[dict[str, Any], ...] = (
    {"tp": 8, "ep": 1, "kv-offloading": "none", "conc-list": [1, 2]},
    {"tp": 4, "pcp-size": 1, **DRAM, "conc-start": 1, "conc-end": 8},
)

AUGUST: dict[str, dict[str, Any]] = {
    "single": entry(False, fixed(*SINGLE_ROWS), disagg=False),
    "single-agentic": entry(False, {**fixed(SINGLE_ROWS[0]), **agentic(*AGENTIC_SINGLE)}, router=ROUTER),
    "multi": entry(
        True,
        fixed(
            {"prefill": {**PREFILL, "additional-settings": SETTINGS}, "decode": DECODE, "conc-list": [64]},
            {"spec-decoding": "none", "prefill": PREFILL, "decode": DECODE, "conc-start": 1, "conc-end": 2},
        ),
        disagg=True,
        router=ROUTER,
        **{"kv-p2p-transfer": "nixl"},
    ),
    "multi-agentic": entry(
        True,
        agentic(
            {"prefill": {**PREFILL, "additional-settings": SETTINGS}, "decode": DECODE, "conc-list": [8], **DRAM}
            | {"kv-p2p-transfer": "mooncake"},
        ),
        disagg=True,
    ),
}

WORKER: dict[str, Any] = {"num-worker": 1, "tp": 8, "ep": 8, "dp-attn": True}
AGGREGATE: dict[str, Any] = {"worker": WORKER, "num-nodes": 2, "conc-list": [4, 8]}
FOLDER = {"srt-recipe-dir": "tiny/vllm/h100-fp8/agentx"}


def _recipe(row: dict[str, Any], recipe: str = "agg.yaml", **more: Any) -> dict[str, Any]:
    return {**row, "srt-recipe": recipe, **more}


FOLDER_ERA: dict[str, dict[str, Any]] = {
    "single": entry(False, fixed(*map(_recipe, SINGLE_ROWS)), **FOLDER),
    "single-agentic": entry(False, agentic(*map(_recipe, AGENTIC_SINGLE)), router=ROUTER, **FOLDER),
    "aggregate": entry(
        True,
        {
            **fixed(_recipe(AGGREGATE, "agg.yaml:override_big", power=True), **{"require-power": True}),
            **agentic(_recipe({**AGGREGATE, **DRAM}, "agg.yaml:zip_override_conc[2]")),
        },
        **FOLDER,
    ),
    "disaggregated": entry(
        True,
        {
            **fixed(
                _recipe(
                    {"prefill": PREFILL, "decode": DECODE, "conc-list": [64]}, **{"eval-srt-recipe": "eval.yaml:base"}
                )
            ),
            **agentic(_recipe({"prefill": PREFILL, "decode": DECODE, "conc-list": [8], "kv-offloading": "none"})),
        },
        disagg=True,
        **{"kv-p2p-transfer": "nixl"},
        **FOLDER,
    ),
    "llm-d": {
        **entry(
            True, agentic({**AGGREGATE, "worker": {**WORKER, "additional-settings": ["CONFIG_FILE=agg.yaml"]}, **DRAM})
        ),
        "framework": "llmd-vllm",
    },
}

PATH_ERA: dict[str, dict[str, Any]] = {
    "single": entry(
        False, fixed(_recipe(SINGLE_ROWS[0], "benchmarks/single_node/srt-slurm-recipes/tiny/8k1k.yaml")), router=ROUTER
    ),
    "aggregate": entry(True, agentic(_recipe({**AGGREGATE, **DRAM}, "recipes/tiny/agg.yaml"))),
}

RUNNERS_AUGUST: dict[str, Any] = {
    "labels": {"h100": ["h100-a_00", "h100-a_01"], "cluster:h100-lab": ["h100-a_00"]},
    "hardware": {"cluster:h100-lab": {"available-cpu-dram-mib": 2_000_000, "gpus-per-node": 8}},
}
RUNNERS_OCTOBER: dict[str, Any] = {
    "labels": {"h100": ["a_00", "a_01"], "cluster:lab": ["a_00"], "cluster:annex": ["a_01"]},
    "clusters": {
        "lab": {
            "gpus-per-node": 8,
            "available-cpu-dram-mib": 2_000_000,
            "arch": "x86_64",
            "env": {"EXAMPLE": "1"},
            "models": {"download-root": "store", "entries": {"tiny": {"root": "store", "dir": "models/tiny"}}},
            "scheduler": "slurm",
            "slurm": {"partition": "main", "exclusive": True, "volumes": {"store": {"path": "/store"}}},
        },
        "annex": {
            "gpus-per-node": 4,
            "arch": "aarch64",
            "scheduler": "slurm",
            "slurm": {"partition": "annex", "exclusive": False},
        },
    },
}
CHANGELOG: tuple[dict[str, Any], ...] = (
    {
        "config-keys": ["tiny-fp8-*", "tiny-fp4-h100-vllm"],
        "description": ["Raise the batch size"],
        "pr-link": "https://github.com/example/bench/pull/7",
        "scenario-type": ["agentic-coding"],
        "append-only": True,
    },
    {
        "config-keys": ["tiny-fp8-h100-vllm"],
        "description": ["Evaluate again"],
        "pr-link": "https://github.com/example/bench/pull/8",
        "evals-only": True,
        "eval-min-prefill-ep": 8,
    },
)
