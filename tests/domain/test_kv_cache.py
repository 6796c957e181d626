"""Where a role's cache goes: transports and stores in host memory, as every engine and both schemas spell them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reciplint.domain.kv_cache import KvCache, per_rank, size_of
from reciplint.domain.recipe_variant import RecipeRole, read_variant

GB = 10**9


def connector(name: str, **extra: Any) -> dict[str, Any]:
    return {"kv_connector": name, "kv_role": "kv_both", **({"kv_connector_extra_config": extra} if extra else {})}


def old(engine: str, args: dict[str, Any], env: dict[str, str] | None = None, **backend: Any) -> RecipeRole:
    """The aggregated role of a recipe of schema 1."""
    body = {
        "name": "finch",
        "backend": {
            "type": engine,
            f"{engine}_config": {"aggregated": args},
            "aggregated_environment": env or {},
            **backend,
        },
    }
    (role,) = read_variant("", body).roles
    return role


def new(engine: Any, args: dict[str, Any], **body: Any) -> RecipeRole:
    """The aggregated role of a recipe of schema 2."""
    (role,) = read_variant("", {"schema": 2, "engine": engine, "roles": {"agg": {"args": args}}, **body}).roles
    return role


def stores(cache: KvCache) -> list[tuple[str, int | None, str]]:
    return [(store.name, store.size, store.share) for store in cache.stores]


@pytest.mark.parametrize(
    ("name", "transfer"),
    [
        ("NixlConnector", "nixl"),
        ("MooncakeConnector", "mooncake"),
        ("MoRIIOConnector", "mori"),
        ("P2pNcclConnector", "nccl"),
    ],
)
def test_a_connector_that_hands_the_cache_on_is_no_store(name: str, transfer: str) -> None:
    for key in ("kv-transfer-config", "kv_transfer_config"):
        role = old("vllm", {key: json.dumps(connector(name))})
        assert role.kv_cache == KvCache((transfer,), ("backend", "vllm_config", "aggregated", key), (), True)


def test_stores_and_transports_within_a_multi_connector_are_found_however_deep() -> None:
    inner = connector(
        "MultiConnector", connectors=[connector("SimpleCPUOffloadConnector", cpu_bytes_to_use_per_rank=5)]
    )
    config = connector("MultiConnector", connectors=[connector("NixlConnector"), inner])
    role = new("vllm", {"kv-transfer-config": config})
    assert role.kv_cache.transfers == ("nixl",)
    assert stores(role.kv_cache) == [("SimpleCPUOffloadConnector", 5, "rank")]
    assert role.kv_cache.stores[0].place == ("roles", "agg", "args", "kv-transfer-config")
    assert role.kv_cache.whole


def test_sizes_of_offloading_connectors() -> None:
    def of(name: str, env: dict[str, str] | None = None, **extra: Any) -> list[tuple[str, int | None, str]]:
        return stores(old("vllm", {"kv-transfer-config": json.dumps(connector(name, **extra))}, env).kv_cache)

    assert of("SimpleCPUOffloadConnector", cpu_bytes_to_use=8, cpu_bytes_to_use_per_rank=2) == [
        ("SimpleCPUOffloadConnector", 2, "rank")
    ]
    assert of("SimpleCPUOffloadConnector", cpu_bytes_to_use=8) == [("SimpleCPUOffloadConnector", 8, "worker")]
    assert of("SimpleCPUOffloadConnector", cpu_bytes_to_use="@dram.total-bytes") == [
        ("SimpleCPUOffloadConnector", None, "worker")
    ]
    assert of("OffloadingConnector", num_cpu_blocks=100) == [("OffloadingConnector", None, "worker")]
    assert of("LMCacheConnectorV1", {"LMCACHE_MAX_LOCAL_CPU_SIZE": "20"}) == [("LMCacheConnectorV1", 20 * GB, "rank")]
    assert of("LMCacheConnectorV1") == [("LMCacheConnectorV1", None, "worker")]
    assert of("LMCacheConnectorV1", {"LMCACHE_LOCAL_CPU": "False"}) == []
    assert of("NixlConnector", {"LMCACHE_MAX_LOCAL_CPU_SIZE": "20"}) == []


def test_native_offloading_of_vllm() -> None:
    assert stores(old("vllm", {"kv-offloading-size": 4}).kv_cache) == [("native offloading", 4 * 2**30, "worker")]
    assert stores(old("vllm", {"kv_offloading_size": "@dram.total-gb"}).kv_cache) == [
        ("native offloading", None, "worker")
    ]
    assert stores(old("vllm", {"kv-offloading-size": 0}).kv_cache) == []
    assert stores(old("vllm", {"kv-offloading-size": "0.0"}).kv_cache) == []


def test_offloading_of_weights_is_none_of_the_cache() -> None:
    cache = old("vllm", {"cpu-offload-gb": 10, "offload-group-size": 3, "swap-space": 4}).kv_cache
    assert (cache.stores, cache.whole) == ((), True)


STORE = {"store_config": {"global_segment_size": "150GB", "mode": "embedded"}}
MOONCAKE = json.dumps(connector("MooncakeStoreConnector"))


def test_a_mooncake_store_takes_its_size_from_the_backend_or_a_service() -> None:
    expected = [("MooncakeStoreConnector", 150 * GB, "rank")]
    role = old("vllm", {"kv-transfer-config": MOONCAKE}, mooncake_kv_store=STORE)
    assert stores(role.kv_cache) == expected
    place = ("backend", "mooncake_kv_store", "store_config", "global_segment_size")
    assert role.kv_cache.stores[0].place == place
    service = {"name": "pool", "type": "mooncake-master", "options": STORE}
    role = new("vllm", {"kv-transfer-config": MOONCAKE}, services=["odd", {"name": "etcd", "type": "etcd"}, service])
    assert stores(role.kv_cache) == expected
    assert role.kv_cache.stores[0].place == ("services",)


def test_a_mooncake_store_without_a_size_is_one_and_a_size_without_the_connector_is_none() -> None:
    role = old("vllm", {"kv-transfer-config": MOONCAKE})
    assert stores(role.kv_cache) == [("MooncakeStoreConnector", None, "rank")]
    assert role.kv_cache.stores[0].place[-1] == "kv-transfer-config"
    assert stores(old("vllm", {}, mooncake_kv_store=STORE).kv_cache) == []


def test_the_shorthands_of_srt_slurm() -> None:
    role = old("vllm", {}, connector="nixl")
    assert (role.kv_cache.transfers, role.kv_cache.transfer_place) == (("nixl",), ("backend", "connector"))
    role = old("vllm", {"connector": "LMCache"}, connector="nixl")
    assert (role.kv_cache.transfers, [store.name for store in role.kv_cache.stores]) == ((), ["LMCacheConnectorV1"])
    role = new({"type": "vllm", "connector": "nixl"}, {})
    assert (role.kv_cache.transfers, role.kv_cache.transfer_place) == (("nixl",), ("engine", "connector"))
    assert old("vllm", {"kv-transfer-config": MOONCAKE}, connector="nixl").kv_cache.transfers == ()
    for off in ("null", "none", None):
        cache = old("vllm", {}, connector=off).kv_cache
        assert (cache.transfers, cache.stores, cache.whole) == ((), (), True)
    assert old("vllm", {}, connector=json.dumps(connector("NixlConnector"))).kv_cache.transfers == ("nixl",)


def test_sglang() -> None:
    role = old("sglang", {"disaggregation-transfer-backend": "mooncake"})
    assert (role.kv_cache.transfers, role.kv_cache.stores, role.kv_cache.whole) == (("mooncake",), (), True)
    assert role.kv_cache.transfer_place[-1] == "disaggregation-transfer-backend"
    assert old("sglang", {"disaggregation-transfer-backend": "mooncake_tcp"}).kv_cache.transfers == ("mooncake",)
    assert old("sglang", {"disaggregation-mode": "prefill"}).kv_cache.transfers == ()
    role = old("sglang", {"enable_hierarchical_cache": True, "hicache_size": 135})
    assert stores(role.kv_cache) == [("hierarchical cache", 135 * GB, "rank")]
    assert role.kv_cache.stores[0].place[-1] == "hicache_size"
    role = old("sglang", {"enable-hicache": "true", "hicache-size": 0, "hicache-ratio": 2})
    assert stores(role.kv_cache) == [("hierarchical cache", None, "rank")]
    assert role.kv_cache.stores[0].place[-1] == "enable-hicache"
    assert stores(old("sglang", {"enable-hierarchical-cache": False, "hicache-size": 135}).kv_cache) == []
    assert stores(old("sglang", {"enable-lmcache": True}).kv_cache) == [("LMCache", None, "rank")]


def test_tensorrt_llm() -> None:
    role = old("trtllm", {"cache_transceiver_config": {"backend": "UCX"}, "kv_cache_config": {"host_cache_size": 7}})
    assert (role.kv_cache.transfers, stores(role.kv_cache)) == (("ucx",), [("host cache", 7, "rank")])
    assert role.kv_cache.transfer_place[-2:] == ("cache_transceiver_config", "backend")
    assert role.kv_cache.stores[0].place[-2:] == ("kv_cache_config", "host_cache_size")
    role = old(
        "trtllm", {"cache_transceiver_config": {"backend": "DEFAULT"}, "kv_cache_config": {"host_cache_size": 0}}
    )
    assert (role.kv_cache.transfers, role.kv_cache.stores, role.kv_cache.whole) == ((), (), True)
    role = new("trtllm", {"kv_cache_config": {"host_cache_size": "@dram.per-gpu-bytes"}})
    assert stores(role.kv_cache) == [("host cache", None, "rank")]


@pytest.mark.parametrize(
    "role",
    [
        old("vllm", {"kv-transfer-config": json.dumps(connector("SomeNewConnector"))}),
        old("vllm", {"kv-transfer-config": "{broken"}),
        old("vllm", {"kv-transfer-config": "[" * 100_000}),
        old("vllm", {"config": "/etc/engine.yaml"}),
        old("vllm", {}, connector="some-new-one"),
        old("trtllm", {"kv_connector_config": {"connector_module": "m"}}),
        new("atom", {}),
        new("tilert", {"transport": "mooncake"}),
    ],
)
def test_what_is_not_known_may_be_a_store(role: RecipeRole) -> None:
    assert (role.kv_cache.transfers, role.kv_cache.stores, role.kv_cache.whole) == ((), (), False)


def test_values_of_another_shape_are_no_fault() -> None:
    for args in ({"kv_cache_config": 3, "cache_transceiver_config": [1]}, {"kv-transfer-config": 3}):
        for engine in ("vllm", "sglang", "trtllm"):
            assert old(engine, args).kv_cache.stores == ()
    extra = {"kv_connector": "MultiConnector", "kv_connector_extra_config": {"connectors": [3, None]}}
    assert old("vllm", {"kv-transfer-config": extra}, mooncake_kv_store=[1]).kv_cache.stores == ()


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (5, 5),
        (2.0, 2),
        ("200GB", 200 * GB),
        ("200 gb", 200 * GB),
        ("1.5TB", 1500 * GB),
        ("4GiB", 4 * 2**30),
        ("512M", 512 * 10**6),
        ("1024", 1024),
        ("8 KB", 8000),
        ("@dram.per-gpu-bytes", None),
        ("GB", None),
        ("", None),
        (-1, None),
        (True, None),
        (None, None),
        ([1], None),
        (float("inf"), None),
        (float("nan"), None),
        (10**400, None),
        ("9" * 400 + "GB", None),
    ],
)
def test_sizes(value: object, size: int | None) -> None:
    assert size_of(value) == size


def test_what_one_gpu_holds() -> None:
    flags = {"tensor-parallel-size": 2, "data-parallel-size": 4}
    (each,) = old("vllm", {**flags, "kv-transfer-config": MOONCAKE}, mooncake_kv_store=STORE).kv_cache.stores
    role = old("vllm", {**flags, "kv-offloading-size": 8})
    assert per_rank(each, role.topology) == 150 * GB
    assert per_rank(role.kv_cache.stores[0], role.topology) == 2**30
    (unknown,) = old("sglang", {"enable-lmcache": True}).kv_cache.stores
    assert per_rank(unknown, role.topology) is None
