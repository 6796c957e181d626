"""Ways in which a recipe of `recipe_scene` moves its key-value cache, or keeps it in host memory."""

from __future__ import annotations

import json
import random
from typing import Any

from recipe_scene import Path, Scene, put

NAMES = {
    "nixl": "NixlConnector",
    "mooncake": "MooncakeConnector",
    "mori": "MoRIIOConnector",
    "nccl": "P2pNcclConnector",
}


def connector(name: str, **extra: Any) -> dict[str, Any]:
    """A vLLM connector."""
    return {"kv_connector": name, "kv_role": "kv_both", **({"kv_connector_extra_config": extra} if extra else {})}


def several(*connectors: dict[str, Any]) -> dict[str, Any]:
    """One vLLM connector, or several in one."""
    return connectors[0] if len(connectors) == 1 else connector("MultiConnector", connectors=list(connectors))


def transfer(scene: Scene, role: str, backend: str, *stores: dict[str, Any]) -> Path:
    """Let a role hand its cache on by `backend`; where that is written. vLLM may keep it in `stores` too."""
    if scene.engine == "trtllm":
        path = (*scene.flag(role, "cache_transceiver_config"), "backend")
        put(scene.recipe, path, backend.upper())
        return path
    if scene.engine == "sglang":
        path = scene.flag(role, "disaggregation-transfer-backend")
        put(scene.recipe, path, backend)
        return path
    path = scene.flag(role, "kv-transfer-config")
    put(scene.recipe, path, json.dumps(several(connector(NAMES[backend]), *stores)))
    return path


def keep(scene: Scene, chance: random.Random, role: str, size: int | None = None) -> Path:
    """Let a role keep its cache in host memory, `size` GB for each GPU; where the size, or else the store, is set."""
    if scene.engine == "trtllm":
        path = (*scene.flag(role, "kv_cache_config"), "host_cache_size")
        put(scene.recipe, path, "@dram.per-gpu-bytes" if size is None else size * 10**9)
        return path
    if scene.engine == "sglang":
        path = scene.flag(role, "enable-hierarchical-cache")
        put(scene.recipe, path, True)
        if size is None:
            put(scene.recipe, scene.flag(role, "hicache-ratio"), 2)
            return path
        put(scene.recipe, scene.flag(role, "hicache-size"), size)
        return scene.flag(role, "hicache-size")
    path = scene.flag(role, "kv-transfer-config")
    if chance.random() < 0.5:
        put(scene.recipe, path, json.dumps(several(connector("NixlConnector"), connector("MooncakeStoreConnector"))))
        return path if size is None else _segment(scene, size)
    extra = {} if size is None else {"cpu_bytes_to_use_per_rank": size * 10**9}
    put(scene.recipe, path, json.dumps(several(connector("NixlConnector"), connector("OffloadingConnector", **extra))))
    return path


def _segment(scene: Scene, size: int) -> Path:
    config = {"mode": "embedded", "global_segment_size": f"{size}GB"}
    if scene.schema == 1:
        put(scene.recipe, ("backend", "mooncake_kv_store", "store_config"), config)
        return ("backend", "mooncake_kv_store", "store_config", "global_segment_size")
    service = {"name": "pool", "type": "mooncake-master", "options": {"store_config": config}}
    put(scene.recipe, ("services",), [service])
    return ("services",)
