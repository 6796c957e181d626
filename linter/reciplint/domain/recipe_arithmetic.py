"""Whether a recipe's nodes, workers, GPUs and parallel sizes fit together: what a scheduler or engine would refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from reciplint.domain.recipe_variant import RecipeRole, Variant

GPUS_PER_NODE = {
    **dict.fromkeys(("gb200", "gb300"), 4),
    **dict.fromkeys(("h100", "h200", "b200", "b300", "mi300x", "mi325x", "mi355x"), 8),
}
"""GPUs of a node by `gpu_type`; a recipe may use fewer. Types that are not listed are not judged."""

_WITHOUT_GPUS = frozenset({"mocker"})

ResourceFaultKind = Literal["flags", "nodes", "idle", "shared", "node-size"]


class ResourceFault(NamedTuple):
    """Numbers of a variant that do not fit: of `role` (None where they are of the whole).

    - `flags`: a worker is given `given` GPUs and its flags use `needed`,
    - `nodes`: the role's nodes have `given` GPUs and its workers need `needed`,
    - `idle`: the role has `given` nodes and its workers fill `needed`, a node for each worker being fair,
    - `shared`: all nodes have `given` GPUs and the workers of all roles, which share them, need `needed`,
    - `node-size`: a node is said to have `given` GPUs and has `needed`.
    """

    kind: ResourceFaultKind
    role: RecipeRole | None
    given: int
    needed: int


def resource_faults(variant: Variant) -> Iterator[ResourceFault]:
    """What does not fit in a variant; what it leaves out is not judged, and nodes only where a worker's GPUs are
    agreed on."""
    most = GPUS_PER_NODE.get(variant.gpu_type.lower())
    if most is not None and variant.gpus_per_node > most:
        yield ResourceFault("node-size", None, variant.gpus_per_node, most)
    roles = [role for role in variant.roles if role.workers]
    fitting = []
    for role in roles:
        used = role.topology.gpus
        is_known = role.topology.stated and role.engine not in _WITHOUT_GPUS
        if is_known and role.gpus is not None and role.gpus != used:
            yield ResourceFault("flags", role, role.gpus, used)
        else:
            fitting.append(role)
    if variant.shares_nodes or any(role.nodes == 0 for role in roles):
        if len(fitting) == len(roles):
            yield from _shared(variant, roles)
        return
    for role in fitting:
        yield from _own(variant, role)


def _shared(variant: Variant, roles: list[RecipeRole]) -> Iterator[ResourceFault]:
    if any(role.gpus is None or role.nodes is None for role in roles):
        return
    given = sum(role.nodes or 0 for role in roles) * variant.gpus_per_node
    needed = sum((role.workers or 0) * (role.gpus or 0) for role in roles)
    if needed > given:
        yield ResourceFault("shared", None, given, needed)


def _own(variant: Variant, role: RecipeRole) -> Iterator[ResourceFault]:
    if not role.workers or not role.gpus or role.nodes is None:
        return
    given, needed = role.nodes * variant.gpus_per_node, role.workers * role.gpus
    if needed > given:
        yield ResourceFault("nodes", role, given, needed)
    spread = role.workers * -(-role.gpus // variant.gpus_per_node)
    if role.nodes > spread:
        yield ResourceFault("idle", role, role.nodes, spread)
