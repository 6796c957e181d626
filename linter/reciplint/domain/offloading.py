"""What a row says of offloading its cache to host memory, beside what its recipe reserves there.

Each GPU of a node may use the same part of its memory: the node's (at most 3 TB of it) divided by the node's GPUs, and
of that what the scenario's `dram-utilization` allows. How many GPUs a worker has does not matter for that.

Source: the offloading policy and the sweep generator of the public benchmark repository (August 2026).
"""

from __future__ import annotations

from typing import NamedTuple

from reciplint.domain.kv_cache import Store, per_rank
from reciplint.domain.matrix import DRAM_CAP_MIB
from reciplint.domain.pairing import Pair
from reciplint.domain.recipe_variant import RecipeRole
from reciplint.domain.runners import Hardware

_MIB = 1024 * 1024
_SLACK = 1.01
"""Budgets are rounded to whole GB, and authors round utilisations up to them."""


class Reserved(NamedTuple):
    """A store of a role with what one GPU of it reserves, in bytes."""

    role: RecipeRole
    store: Store
    size: int


class Budget(NamedTuple):
    """Host memory of a fleet's nodes, in bytes: of a `node` with `gpus`, `share` for each, and `allowed` of that by the
    scenario's utilisation (None where it has none)."""

    node: int
    gpus: int
    share: int
    allowed: int | None

    def exceeded_by(self, size: int) -> int | None:
        """What is exceeded by a GPU that reserves `size`: the share or what is allowed of it; None if nothing is."""
        limits = [self.share] if self.allowed is None else [self.share, self.allowed]
        return next((limit for limit in limits if size > limit * _SLACK), None)


def stores(pair: Pair) -> list[tuple[RecipeRole, Store]]:
    """Every store in host memory of a pair's recipe."""
    return [(role, store) for role in pair.variant.roles for store in role.kv_cache.stores]


def offloads(pair: Pair) -> bool | None:
    """Whether a pair's recipe offloads its cache; None where a store may have been overlooked."""
    if stores(pair):
        return True
    roles = pair.variant.roles
    return False if roles and all(role.kv_cache.whole for role in roles) else None


def largest(pair: Pair) -> Reserved | None:
    """The role whose GPUs reserve most, with its largest store; None where the recipe states no size."""
    found = []
    for role in pair.variant.roles:
        sized = [(size, store) for store in role.kv_cache.stores if (size := per_rank(store, role.topology))]
        if sized:
            total = sum(size for size, _ in sized)
            found.append(Reserved(role, max(sized, key=lambda item: item[0])[1], total))
    return max(found, key=lambda reserved: reserved.size, default=None)


def budget(hardware: Hardware, utilization: float | None) -> Budget | None:
    """What each GPU of a fleet may use for a scenario; None where the hardware does not say."""
    if not hardware.cpu_dram_mib or not hardware.gpus_per_node:
        return None
    node = min(hardware.cpu_dram_mib, DRAM_CAP_MIB) * _MIB
    share = node // hardware.gpus_per_node
    return Budget(node, hardware.gpus_per_node, share, None if utilization is None else int(share * utilization))
