"""A benchmark point in the field's words: its topology, its offloading, its components."""

from __future__ import annotations

import msgspec

from reciplint.domain.matrix import Point, Role


def topology(point: Point) -> str:
    """`1P2D tp4/tp8 ep8` for separate roles (`1P0D tp8` where one has no worker), `tp4 ep4` or `2x tp8` for one."""
    prefill = next((role for role in point.roles if role.name == "prefill"), None)
    decode = next((role for role in point.roles if role.name == "decode"), None)
    if prefill and decode:
        sizes = [size(role) for role in (prefill, decode) if role.workers]
        return f"{prefill.workers}P{decode.workers}D {'/'.join(sizes)}".rstrip()
    return " + ".join(f"{role.workers}x {size(role)}" if role.workers != 1 else size(role) for role in point.roles)


def size(role: Role) -> str:
    """The parallelism of a worker; what is 1 goes without saying, but for tp."""
    named = (("pp", role.pp), ("ep", role.ep), ("dcp", role.dcp), ("pcp", role.pcp))
    parts = [f"tp{role.tp}", *(f"{name}{value}" for name, value in named if value != 1)]
    return " ".join([*parts, *(["dp-attn"] if role.dp_attn else [])])


def offloading(point: Point) -> str:
    """`dram lmcache`; "" without offloading."""
    if point.kv_offloading == "none":
        return ""
    return " ".join([point.kv_offloading, *filter(None, [component(point.kv_offload_backend)])])


def component(text: str) -> str:
    """The name and version of a component that is a name alone or JSON with both."""
    if not text.startswith("{"):
        return text
    value = msgspec.json.decode(text)
    return " ".join(str(value[name]) for name in ("name", "version") if value.get(name)) or text


def row_words(point: Point) -> str:
    """What tells a row from its siblings: `8k1k 1P1D tp4/tp8 mtp dram mooncake`."""
    spec = "" if point.spec_decoding == "none" else point.spec_decoding
    return " ".join(filter(None, [point.scenario, topology(point), spec, offloading(point)]))
