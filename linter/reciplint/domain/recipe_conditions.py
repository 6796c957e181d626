"""What the schema of a recipe cannot state: conditions between fields, as srt-slurm and llm-d enforce them on loading.

Conditions of schema 1 are those of srt-slurm in August 2026; those of schema 2 stand in its reference. A field of the
wrong type is the schema's business and passes here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from reciplint.domain.faults import Fault, Path, boolean, integer, show

Recipe = Mapping[str, Any]
Arguments = dict[str, str | int | float | tuple[str, ...]]

_DIRECT = {"vllm": "vllm", "trtllm_serve": "trtllm"}
"""Frontends of schema 1 that serve the workers of one engine only."""

_PHASES = ("prefill", "decode")
_COLOCATE = "colocate"


def at(value: Any, *path: str | int, default: Any = None) -> Any:
    """A loaded value below another; the default where there is none, or null."""
    for part in path:
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int):
            value = value[part] if part < len(value) else None
        else:
            return default
    return default if value is None else value


def conditions_1(recipe: Recipe) -> Iterator[Fault]:
    """Faults of a variant of schema 1."""
    yield from _frontend(recipe)
    yield from _dynamo(at(recipe, "dynamo", default={}))
    yield from _profiling(recipe)
    yield from _het_jobs(recipe)
    yield from _dedicated_nodes(recipe)
    yield from _mooncake(recipe)
    yield from _power(at(recipe, "telemetry", default={}))
    yield from _tachometer(recipe)


def conditions_2(recipe: Recipe) -> Iterator[Fault]:
    """Faults of a variant of schema 2."""
    yield from _engines(recipe)
    yield from _roles(recipe)
    yield from _dynamo_source(at(recipe, "dynamo", "source", default={}))
    yield from _services(at(recipe, "services", default=[]))


def conditions_llmd(recipe: Recipe) -> Iterator[Fault]:
    """Faults of an llm-d recipe: what refers to a plugin names one."""
    plugins = [plugin for plugin in at(recipe, "plugins", default=[]) if isinstance(plugin, dict)]
    known = tuple(dict.fromkeys(str(plugin.get("name") or plugin.get("type")) for plugin in plugins))
    for index, profile in enumerate(at(recipe, "schedulingProfiles", default=[])):
        for number in range(len(at(profile, "plugins", default=[]))):
            yield from _plugin(recipe, ("schedulingProfiles", index, "plugins", number, "pluginRef"), known)
    for path in (("discovery", "pluginRef"), ("discovery", "endpoints", "pluginRef")):
        yield from _plugin(recipe, ("dataLayer", *path), known)


def _plugin(recipe: Recipe, path: Path, known: tuple[str, ...]) -> Iterator[Fault]:
    found = at(recipe, *path)
    if isinstance(found, str) and found not in known:
        yield Fault(path, "value", "unknown-plugin", {"found": show(found), "known": known})


def _disaggregated(recipe: Recipe) -> bool:
    return any(at(recipe, "resources", f"{role}_nodes") is not None for role in _PHASES)


def _workers(recipe: Recipe, role: str) -> int:
    return integer(at(recipe, "resources", f"{role}_workers")) or 0


def _engine(recipe: Recipe) -> Any:
    return at(recipe, "backend", "type", default="sglang")


def _is_on(recipe: Recipe, *path: str) -> bool:
    return bool(boolean(at(recipe, *path)))


def _needs(recipe: Recipe, path: Path, expected: Any, because: str, default: Any = None) -> Iterator[Fault]:
    """A fault unless a field has its expected value; an absent one has the default."""
    value = at(recipe, *path)
    told = boolean(value) if isinstance(expected, bool) else value
    arguments = {"expected": show(expected).strip('"'), "because": because}
    if value is None:
        if default != expected:
            yield Fault(path[:-1], "owner", "missing-for", {"key": str(path[-1]), **arguments})
    elif told != expected:
        yield Fault(path, "value", "not-for", {"found": show(value), **arguments})


def _needs_workers(recipe: Recipe, role: str, because: str) -> Iterator[Fault]:
    if _workers(recipe, role) <= 0:
        key = f"{role}_workers"
        found = at(recipe, "resources", key)
        arguments: dict[str, str] = {"expected": "at least 1", "because": because}
        if found is None:
            yield Fault(("resources",), "owner", "missing-for", {"key": key, **arguments})
        else:
            yield Fault(("resources", key), "value", "not-for", {"found": show(found), **arguments})


def _only(key: str, because: str, *others: str) -> Arguments:
    return {"key": key, "because": because, "others": others}


def _missing(path: Path, key: str) -> Fault:
    return Fault(path, "owner", "missing-key", {"key": key})


def _frontend(recipe: Recipe) -> Iterator[Fault]:
    """Frontends that are a worker itself: one endpoint, one engine."""
    kind = at(recipe, "frontend", "type", default="dynamo")
    if not isinstance(kind, str) or kind not in _DIRECT:
        return
    because = f"frontend.type {kind}"
    yield from _needs(recipe, ("backend", "type"), _DIRECT[kind], because, default="sglang")
    yield from _needs(recipe, ("frontend", "enable_multiple_frontends"), False, because, default=True)
    if _disaggregated(recipe):
        if kind == "vllm":
            key = next(f"{role}_nodes" for role in _PHASES if at(recipe, "resources", f"{role}_nodes") is not None)
            yield Fault(("resources", key), "key", "of-other-job", _only(key, because, "agg_nodes"))
    elif _workers(recipe, "agg") != 1:
        yield from _needs(recipe, ("resources", "agg_workers"), 1, because)


def _dynamo(dynamo: Recipe) -> Iterator[Fault]:
    sources = [key for key in ("hash", "wheel") if at(dynamo, key) is not None]
    sources += ["top_of_tree"] if _is_on(dynamo, "top_of_tree") else []
    if len(sources) > 1:
        yield Fault(("dynamo", sources[1]), "key", "exclusive", {"keys": tuple(sources)})
    wheel = at(dynamo, "wheel")
    if isinstance(wheel, str) and (not wheel.strip() or "/" in wheel or wheel.endswith(".whl")):
        yield Fault(("dynamo", "wheel"), "value", "not-a-version", {"found": show(wheel)})
    if at(dynamo, "cargo_patches") and at(dynamo, "hash") is None:
        yield Fault(("dynamo", "cargo_patches"), "key", "half-pair", {"key": "cargo_patches", "missing": "hash"})


def _profiling(recipe: Recipe) -> Iterator[Fault]:
    kind = at(recipe, "profiling", "type", default="none")
    if kind not in ("nsys", "nsys-time", "torch"):
        return
    if kind == "torch" and _engine(recipe) == "trtllm":
        yield from _needs(recipe, ("profiling", "type"), "nsys", "backend.type trtllm")
    if kind == "nsys-time":
        for key in ("delay_secs", "duration_secs"):
            if at(recipe, "profiling", key) is None:
                yield _missing(("profiling",), key)
        return
    yield from _profiled_roles(recipe, kind)
    if kind == "nsys" and _engine(recipe) == "vllm":
        yield from _derived_flags(recipe)


def _profiled_roles(recipe: Recipe, kind: str) -> Iterator[Fault]:
    """Steps are given for exactly the roles that the job has, and each of them has workers."""
    split = _disaggregated(recipe)
    roles = {role: role for role in _PHASES} if split else {"aggregated": "agg"}
    for phase in (*_PHASES, "aggregated"):
        given = at(recipe, "profiling", phase) is not None
        if given and phase not in roles:
            because = f"resources.{'prefill_nodes' if split else 'agg_nodes'}"
            yield Fault(("profiling", phase), "key", "of-other-job", _only(phase, because, *roles))
        elif phase in roles and not given:
            yield _missing(("profiling",), phase)
    for role in roles.values():
        yield from _needs_workers(recipe, role, f"profiling.type {kind}")


def _derived_flags(recipe: Recipe) -> Iterator[Fault]:
    for role in (*_PHASES, "aggregated"):
        flags = at(recipe, "backend", "vllm_config", role, default={})
        for flag in flags if isinstance(flags, dict) else ():
            if flag.replace("_", "-").startswith("profiler-config"):
                yield Fault(("backend", "vllm_config", role, flag), "key", "derived-flag", {"key": flag})


def _het_jobs(recipe: Recipe) -> Iterator[Fault]:
    if not _is_on(recipe, "resources", "het_jobs"):
        return
    because = "resources.het_jobs"
    for role in _PHASES:
        nodes = at(recipe, "resources", f"{role}_nodes")
        if nodes is None:
            yield _missing(("resources",), f"{role}_nodes")
        elif (integer(nodes) or 0) < 1:
            arguments = {"found": show(nodes), "expected": "at least 1", "because": because}
            yield Fault(("resources", f"{role}_nodes"), "value", "not-for", arguments)
    yield from _needs(recipe, ("backend", "type"), "sglang", because, default="sglang")
    for path in (("frontend", "dedicated_node"), ("benchmark", "client_dedicated_node")):
        yield from _needs(recipe, path, False, because, default=False)


def _dedicated_nodes(recipe: Recipe) -> Iterator[Fault]:
    for section, switch, place in (
        ("frontend", "dedicated_node", "orchestrator_placement"),
        ("benchmark", "client_dedicated_node", "client_placement"),
    ):
        if _is_on(recipe, section, switch):
            yield from _needs(recipe, (section, place), "head", switch, default="head")


def _mooncake(recipe: Recipe) -> Iterator[Fault]:
    """A Mooncake master that no worker is told to use."""
    engine = _engine(recipe)
    if at(recipe, "backend", "mooncake_kv_store") is None or not _disaggregated(recipe):
        return
    if engine not in ("sglang", "vllm"):
        return
    flags = [at(recipe, "backend", f"{engine}_config", role, default={}) for role in _PHASES]
    flag = "disaggregation-transfer-backend" if engine == "sglang" else "kv-transfer-config"
    values = [role.get(name) for role in flags if isinstance(role, dict) for name in (flag, flag.replace("-", "_"))]
    if not any(isinstance(value, str) and "mooncake" in value.lower() for value in values):
        yield Fault(("backend", "mooncake_kv_store"), "key", "unused-mooncake", {"flag": flag})


def _power(telemetry: Recipe) -> Iterator[Fault]:
    """What no release takes; which benchmarks power can be measured of differs between them."""
    if _is_on(telemetry, "enabled"):
        yield from _exporter(telemetry, ("telemetry", "dcgm_exporter"))
        for key in ("default_frequency", "startup_timeout_seconds", "request_timeout_seconds"):
            yield from _above(telemetry, ("telemetry", key), 0)
        yield from _safe_path(telemetry, ("telemetry", "storage_subdir"))


def _tachometer(recipe: Recipe) -> Iterator[Fault]:
    place = ("observability", "tachometer")
    settings = at(recipe, *place, default={})
    if not _is_on(settings, "enabled"):
        return
    yield from _needs(recipe, ("observability", "enabled"), True, "observability.tachometer", default=False)
    if _is_on(recipe, "telemetry", "enabled"):
        if at(settings, "dcgm_exporter") is not None:
            yield Fault((*place, "dcgm_exporter"), "key", "exporter-twice")
        here = at(settings, "storage_subdir", default="tachometer")
        if here == at(recipe, "telemetry", "storage_subdir", default="power"):
            yield Fault((*place, "storage_subdir"), "key", "same-directory", {"found": show(here)})
    for key in ("dcgm_exporter", "node_exporter"):
        yield from _exporter(settings, (*place, key))
    if at(settings, "binary_path") == "":
        yield Fault((*place, "binary_path"), "value", "empty-value")
    yield from _above(settings, (*place, "default_frequency"), 0)
    for key in ("sync_interval_secs", "compaction_threads"):
        value = integer(at(settings, key))
        if value is not None and value < 0:
            yield Fault((*place, key), "value", "below-minimum", {"found": str(value), "limit": 0})
    yield from _safe_path(settings, (*place, "storage_subdir"))


def _exporter(settings: Recipe, path: Path) -> Iterator[Fault]:
    exporter = at(settings, path[-1], default={})
    if at(exporter, "container_image") == "":
        yield Fault((*path, "container_image"), "value", "empty-value")
    port = integer(at(exporter, "port"))
    if port is not None and not 1 <= port <= 65535:
        name, limit = ("below-minimum", 1) if port < 1 else ("above-maximum", 65535)
        yield Fault((*path, "port"), "value", name, {"found": str(port), "limit": limit})


def _above(settings: Recipe, path: Path, limit: float) -> Iterator[Fault]:
    value = at(settings, str(path[-1]))
    if isinstance(value, (int, float)) and not isinstance(value, bool) and not (math.isfinite(value) and value > limit):
        yield Fault(path, "value", "not-above", {"found": show(value), "limit": limit})


def _safe_path(settings: Recipe, path: Path) -> Iterator[Fault]:
    value = at(settings, str(path[-1]))
    if isinstance(value, str) and (not value or value.startswith(("/", "~")) or ".." in PurePosixPath(value).parts):
        yield Fault(path, "value", "not-below-logs", {"found": show(value)})


def _engines(recipe: Recipe) -> Iterator[Fault]:
    """One engine at the top, or one on every role."""
    roles = at(recipe, "roles", default={})
    roles = roles if isinstance(roles, dict) else {}
    having = [name for name in roles if at(roles, name, "engine") is not None]
    if at(recipe, "engine") is not None:
        if having:
            yield Fault(("engine",), "key", "engine-twice", {"roles": tuple(having)})
    elif having:
        for name in roles:
            if name not in having:
                yield _missing(("roles", name), "engine")
    elif roles:
        yield _missing((), "engine")
    for name in roles:
        engine = _type_of(at(roles, name, "engine", default=at(recipe, "engine")))
        if at(roles, name, "extra_args") and engine not in (None, "trtllm"):
            only = _only("extra_args", f"engine {engine}", "args")
            yield Fault(("roles", name, "extra_args"), "key", "of-other-job", only)


def _type_of(engine: Any) -> Any:
    return at(engine, "type") if isinstance(engine, dict) else engine


def _roles(recipe: Recipe) -> Iterator[Fault]:
    nodes = at(recipe, "roles", "decode", "nodes")
    if isinstance(nodes, str) and nodes.strip().lower() == _COLOCATE:
        for role in _PHASES:
            if at(recipe, "roles", role, "gpus") is None:
                arguments = {"key": "gpus", "expected": "it", "because": "roles.decode.nodes colocate"}
                yield Fault(("roles", role), "owner", "missing-for", arguments)
    if at(recipe, "frontend", "type") == "none" and at(recipe, "roles"):
        yield Fault(("roles",), "key", "roles-without-frontend")


def _dynamo_source(source: Recipe) -> Iterator[Fault]:
    path = ("dynamo", "source")
    if not isinstance(source, dict):
        return
    builds = [key for key in ("git", "rev") if at(source, key) is not None]
    chosen = builds[:1] + [key for key in ("pypi", "wheel") if at(source, key) is not None]
    if len(chosen) > 1:
        yield Fault((*path, chosen[1]), "key", "exclusive", {"keys": tuple(chosen)})
    elif builds == ["git"]:
        yield _missing(path, "rev")
    elif source and not chosen:
        yield _missing(path, "pypi")


def _services(services: Any) -> Iterator[Fault]:
    listed = services if isinstance(services, list) else []
    entries = [(index, one) for index, one in enumerate(listed) if isinstance(one, dict)]
    names = [one.get("name") for _, one in entries]
    owners = {one.get("name") for _, one in entries if at(one, "nodes") is not None}
    for position, (index, service) in enumerate(entries):
        path: Path = ("services", index)
        name = service.get("name")
        if isinstance(name, str) and name in names[:position]:
            yield Fault((*path, "name"), "value", "repeated", {"found": name})
        runs = boolean(service.get("enabled")) is not False and at(service, "external") is None
        if runs and at(service, "type", default="generic") == "generic" and at(service, "command") is None:
            yield _missing(path, "command")
        pool = at(service, "placement", "pool")
        if isinstance(pool, str) and pool not in owners:
            yield Fault((*path, "placement", "pool"), "value", "unknown-pool", {"found": show(pool)})
        probes = [key for key in ("port", "tcp", "http", "log") if at(service, "readiness", key) is not None]
        if len(probes) > 1:
            yield Fault((*path, "readiness", probes[1]), "key", "exclusive", {"keys": tuple(probes)})
