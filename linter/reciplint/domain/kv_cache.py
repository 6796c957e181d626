"""Where a role's key-value cache goes besides its GPUs: over which transport it reaches another worker, and into which
stores in host memory it is offloaded; for every engine and both schemas.

| | transfer | store |
|---|---|---|
| vLLM | `kv-transfer-config` (`MultiConnector` nests), else `connector` | offloading connectors, `kv-offloading-size` |
| SGLang | `disaggregation-transfer-backend` | `enable-hierarchical-cache`, `enable-lmcache` |
| TensorRT-LLM | `cache_transceiver_config.backend` | `kv_cache_config.host_cache_size` |

A Mooncake store's size stands in `backend.mooncake_kv_store`, or in the options of a `mooncake-*` service (schema 2).
Offloading of weights (`cpu-offload-gb`, `offload-group-size`) is no store of the cache.

Source: vLLM's, SGLang's and TensorRT-LLM's options, and srt-slurm's connector shorthands (August 2026).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from reciplint.domain.speculation import json_object
from reciplint.domain.topology import Topology

Share = Literal["rank", "worker"]


class Store(msgspec.Struct, frozen=True, array_like=True):
    """A store in host memory. `size` is in bytes, None where the recipe leaves it to a ratio, a default or a reference;
    each `rank` (a GPU) has one of that size, or all GPUs of a `worker` share one. `place` leads from the variant's
    top to what sets the size, else to what turns the store on."""

    name: str
    size: int | None
    share: Share
    place: tuple[str, ...]


class KvCache(msgspec.Struct, frozen=True, array_like=True):
    """A role's transports (in lower case, "nixl", "mooncake", …), where they are set, and its stores. No transport
    means that the recipe names none that is known. `whole` says that no store can have been overlooked: the engine and
    every connector are known."""

    transfers: tuple[str, ...]
    transfer_place: tuple[str, ...]
    stores: tuple[Store, ...]
    whole: bool


_TRANSPORTS = {
    "nixlconnector": "nixl",
    "mooncakeconnector": "mooncake",
    "moriioconnector": "mori",
    "p2pncclconnector": "nccl",
}
"""vLLM's connectors that hand a cache from one worker to another, and keep nothing."""

_STORES = {
    "simplecpuoffloadconnector",
    "offloadingconnector",
    "lmcacheconnectorv1",
    "lmcachempconnector",
    "mooncakestoreconnector",
    "dynamoconnector",
    "flexkvconnectorv1",
}
"""vLLM's connectors that keep a cache in host memory."""

SHORTHANDS = {"nixl": "NixlConnector", "lmcache": "LMCacheConnectorV1", "kvbm": "DynamoConnector"}
"""What srt-slurm makes of `connector`."""

_TRANSCEIVERS = frozenset({"nixl", "ucx", "mpi", "mooncake"})
"""TensorRT-LLM's transceivers; `DEFAULT` depends on its release."""

_MOST = 2**60

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?\s*\Z", re.IGNORECASE)


def read_kv_cache(
    engine: str,
    args: Mapping[str, Any],
    env: Mapping[str, Any],
    body: Mapping[str, Any],
    args_path: tuple[str, ...],
    env_path: tuple[str, ...],
) -> KvCache:
    """The transports and stores of a role of the variant `body`."""
    if engine == "trtllm":
        return _trtllm(args, args_path)
    flags = {key.replace("_", "-"): key for key in args}
    if engine == "sglang":
        return _sglang(args, flags, args_path)
    found = _vllm(args, flags, env, body, args_path, env_path)
    return found if engine == "vllm" else msgspec.structs.replace(found, whole=False)


def _trtllm(args: Mapping[str, Any], path: tuple[str, ...]) -> KvCache:
    backend = str(json_object(args.get("cache_transceiver_config")).get("backend") or "").lower()
    place = (*path, "cache_transceiver_config", "backend")
    host = json_object(args.get("kv_cache_config")).get("host_cache_size")
    host_place = (*path, "kv_cache_config", "host_cache_size")
    stores = (Store("host cache", size_of(host), "rank", host_place),) if host and size_of(host) != 0 else ()
    whole = args.get("kv_connector_config") is None
    return KvCache((backend,) if backend in _TRANSCEIVERS else (), place, stores, whole)


def _sglang(args: Mapping[str, Any], flags: Mapping[str, str], path: tuple[str, ...]) -> KvCache:
    key = flags.get("disaggregation-transfer-backend", "")
    transfer = str(args[key] or "").lower().removesuffix("_tcp") if key else ""
    return KvCache((transfer,) if transfer else (), (*path, key), tuple(_sglang_stores(args, flags, path)), True)


def _sglang_stores(args: Mapping[str, Any], flags: Mapping[str, str], path: tuple[str, ...]) -> Iterator[Store]:
    for name in ("enable-hierarchical-cache", "enable-hicache"):
        key = flags.get(name)
        if key is not None and _is_true(args[key]):
            size_key = flags.get("hicache-size")
            size = _times(args[size_key], 10**9) if size_key else None
            yield Store("hierarchical cache", size or None, "rank", (*path, size_key if size and size_key else key))
            break
    key = flags.get("enable-lmcache")
    if key is not None and _is_true(args[key]):
        yield Store("LMCache", None, "rank", (*path, key))


def _vllm(
    args: Mapping[str, Any],
    flags: Mapping[str, str],
    env: Mapping[str, Any],
    body: Mapping[str, Any],
    path: tuple[str, ...],
    env_path: tuple[str, ...],
) -> KvCache:
    config, place = _transfer_config(args, flags, body, path)
    found = list(connectors(config))
    names = [str(connector.get("kv_connector") or "").lower() for connector in found]
    transfers = tuple(dict.fromkeys(_TRANSPORTS[name] for name in names if name in _TRANSPORTS))
    stores = [
        _store(connector, body, env, place, env_path)
        for connector, name in zip(found, names, strict=True)
        if name in _STORES and not (name.startswith("lmcache") and _is_off(env.get("LMCACHE_LOCAL_CPU")))
    ]
    key = flags.get("kv-offloading-size")
    if key is not None and args[key] and (size := _times(args[key], 2**30)) != 0:
        stores.append(Store("native offloading", size, "worker", (*path, key)))
    whole = all(name in _STORES or name in _TRANSPORTS for name in names) and "config" not in flags
    return KvCache(transfers, place, tuple(stores), whole)


def _transfer_config(
    args: Mapping[str, Any], flags: Mapping[str, str], body: Mapping[str, Any], path: tuple[str, ...]
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The role's transfer configuration and where it is set: the flag, else the nearest of srt-slurm's shorthands."""
    key = flags.get("kv-transfer-config")
    if key is not None:
        return _configured(args[key]), (*path, key)
    for holder in (path, (*path[:-1], "engine"), ("engine",), ("backend",)):
        shorthand = _at(body, holder).get("connector")
        if shorthand is not None:
            return _configured(SHORTHANDS.get(str(shorthand).lower(), shorthand)), (*holder, "connector")
    return {}, path


def _configured(value: object) -> Mapping[str, Any]:
    """A transfer configuration; what cannot be read as one counts as a connector of that name."""
    if value is None or value in ("null", "none"):
        return {}
    return json_object(value) or {"kv_connector": str(value)}


def _at(body: Mapping[str, Any], path: tuple[str, ...]) -> Mapping[str, Any]:
    for name in path:
        inner = body.get(name)
        body = inner if isinstance(inner, dict) else {}
    return body


def connectors(config: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Each connector of a vLLM transfer configuration; a `MultiConnector` stands for those within it."""
    extra = json_object(config.get("kv_connector_extra_config"))
    inner = extra.get("connectors")
    if isinstance(inner, list):
        for connector in inner:
            if isinstance(connector, dict):
                yield from connectors(connector)
    elif config:
        yield config


def _store(
    connector: Mapping[str, Any],
    body: Mapping[str, Any],
    env: Mapping[str, Any],
    place: tuple[str, ...],
    env_path: tuple[str, ...],
) -> Store:
    name = str(connector["kv_connector"])
    extra = json_object(connector.get("kv_connector_extra_config"))
    if name.lower() == "mooncakestoreconnector":
        return _mooncake(name, body, place)
    if name.lower().startswith("lmcache") and (gigabytes := env.get("LMCACHE_MAX_LOCAL_CPU_SIZE")) is not None:
        return Store(name, _times(gigabytes, 10**9), "rank", (*env_path, "LMCACHE_MAX_LOCAL_CPU_SIZE"))
    if "cpu_bytes_to_use_per_rank" in extra:
        return Store(name, size_of(extra["cpu_bytes_to_use_per_rank"]), "rank", place)
    size = size_of(extra.get("cpu_bytes_to_use"))
    return Store(name, size, "worker", place)


def _mooncake(name: str, body: Mapping[str, Any], place: tuple[str, ...]) -> Store:
    """Each rank brings a segment of this size to the pool; of a service in a list, the place is the list."""
    holder = _at(body, ("backend", "mooncake_kv_store"))
    path: tuple[str, ...] = ("backend", "mooncake_kv_store", "store_config", "global_segment_size")
    services = body.get("services")
    for service in services if isinstance(services, list) else ():
        options = json_object(service).get("options")
        if str(json_object(service).get("type", "")).startswith("mooncake") and "store_config" in json_object(options):
            holder, path = json_object(options), ("services",)
    size = size_of(json_object(holder.get("store_config")).get("global_segment_size"))
    return Store(name, size, "rank", path if size is not None else place)


def per_rank(store: Store, topology: Topology) -> int | None:
    """The bytes of a store that one GPU holds, at least; None where the recipe does not say."""
    if store.size is None or store.share == "rank":
        return store.size
    return store.size // topology.gpus


def size_of(value: object) -> int | None:
    """Bytes: a number, or text such as `200GB`. Without `i`, the unit is taken as decimal, the smaller of its readings;
    None for anything else, such as a reference that the launcher fills in."""
    match = _SIZE.match(value) if isinstance(value, str) else None
    if match is not None:
        return _times(match[1], (1024 if match[3] else 1000) ** " KMGT".index(match[2].upper() or " "))
    return _times(value, 1) if isinstance(value, (int, float)) else None


def _times(value: object, unit: int) -> int | None:
    """A number of some unit in bytes; None for what is no number, or none that memory can have."""
    try:
        size = -1.0 if isinstance(value, bool) else float(str(value)) * unit
    except ValueError:
        return None
    return int(size) if 0 <= size < _MOST else None


def _is_true(value: object) -> bool:
    return value is True or value in ("true", "True")


def _is_off(value: object) -> bool:
    return value is False or str(value).lower() in ("false", "0")
