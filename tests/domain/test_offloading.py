"""The host memory that GPUs reserve, and what they may: shares of a node, utilisations, unknown sizes."""

from __future__ import annotations

from msgspec.structs import force_setattr

from reciplint.domain.kv_cache import KvCache, Store
from reciplint.domain.offloading import budget, largest, offloads, stores
from reciplint.domain.pairing import Pair
from reciplint.domain.recipe import RecipeFile, read_recipe
from reciplint.domain.runners import Hardware
from reciplint.yamltree.parse import parse_text

MIB = 1024 * 1024


def pair(*roles: tuple[str, str]) -> Pair:
    """A pair of which only the variant matters: SGLang roles with flags as YAML text."""
    maps = "".join(f"    {name}: {{{flags}}}\n" for name, flags in roles)
    facts = read_recipe(parse_text(f"name: x\nresources: {{}}\nbackend:\n  type: sglang\n  sglang_config:\n{maps}"))
    file = RecipeFile("finch.yaml", facts)
    return Pair(None, file.path, file.facts.variants[0], ())  # type: ignore[arg-type]


def test_the_role_that_reserves_most_decides() -> None:
    small, large = "enable-hicache: true, hicache-size: 10", "enable-hicache: true, hicache-size: 30"
    reserved = largest(pair(("prefill", small), ("decode", large)))
    assert reserved is not None
    assert (reserved.role.name, reserved.size) == ("decode", 30 * 10**9)
    assert largest(pair(("prefill", "enable-hicache: true"), ("decode", ""))) is None


def test_whether_a_recipe_offloads() -> None:
    assert offloads(pair(("prefill", "enable-hicache: true"), ("decode", "tp-size: 4"))) is True
    assert offloads(pair(("prefill", "tp-size: 4"), ("decode", "tp-size: 4"))) is False
    assert [store.name for _, store in stores(pair(("aggregated", "enable-lmcache: true")))] == ["LMCache"]
    unknown = pair(("aggregated", "tp-size: 4"))
    role = unknown.variant.roles[0]
    force_setattr(role, "kv_cache", KvCache((), (), (), whole=False))
    assert offloads(unknown) is None
    force_setattr(role, "kv_cache", KvCache((), (), (Store("any", None, "rank", ()),), whole=False))
    assert offloads(unknown) is True


def test_shares_of_a_node() -> None:
    found = budget(Hardware(gpus_per_node=4, cpu_dram_mib=800_000), 0.5)
    assert found is not None
    assert (found.node, found.gpus, found.share, found.allowed) == (
        *(800_000 * MIB, 4),
        *(200_000 * MIB, 100_000 * MIB),
    )
    assert found.exceeded_by(100_500 * MIB) is None  # within the rounding
    assert found.exceeded_by(102_000 * MIB) == found.allowed
    assert found.exceeded_by(203_000 * MIB) == found.share


def test_no_node_counts_for_more_than_3_tb() -> None:
    found = budget(Hardware(gpus_per_node=8, cpu_dram_mib=6_000_000), None)
    assert found is not None
    assert found.node // 10**9 == 2999
    assert found.exceeded_by(376 * 10**9) is None
    assert found.exceeded_by(380 * 10**9) == found.share


def test_unknown_hardware_has_no_budget() -> None:
    assert budget(Hardware(gpus_per_node=None, cpu_dram_mib=8), 0.5) is None
    assert budget(Hardware(gpus_per_node=4, cpu_dram_mib=None), 0.5) is None
