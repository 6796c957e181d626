"""A row's worker blocks beside the roles of the recipe that it runs: what either side counts, and where they differ.

GPUs are compared as totals of a role, since data-parallel ranks stand in rows in several ways: within `tp` (tp 8, one
worker), or as workers of their own (8 workers of tp 1). Rows of the later layout also leave data parallelism out of
their count (tp 1 or tp 4 for a worker of 16), so there a vLLM row may count tensor-parallel GPUs alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from reciplint.domain.master import Workers
from reciplint.domain.pairing import Pair
from reciplint.domain.recipe_variant import RecipeRole
from reciplint.domain.topology import Topology


class Comparison(NamedTuple):
    """One size of a role on both sides. `field` is `gpus` (all workers of the role) or the row's key (`ep`, `dp-attn`,
    `pp`, `dcp-size`), which it may leave to its default; `row_how` and `recipe_how` say what a count is made of, or the
    flags that decide a size."""

    field: str
    row: int
    recipe: int
    row_how: str
    recipe_how: str
    agrees: bool
    is_stated: bool
    workers: Workers
    role: RecipeRole


class Unpaired(NamedTuple):
    """A role that only one side has: the row's `workers`, or the recipe's `role`."""

    workers: Workers | None
    role: RecipeRole | None


class RowDifference(NamedTuple):
    """A row and a variant that it runs, with everything in which they differ."""

    pair: Pair
    sizes: tuple[Comparison, ...]
    unpaired: tuple[Unpaired, ...]


def differences(pairs: Iterable[Pair]) -> Iterator[RowDifference]:
    """The rows that differ from what they run. One that may run several variants or files has to differ from each,
    and is told beside the first; `pairs` of one row stand together."""
    for _, group in groupby(pairs, key=lambda pair: id(pair.use)):
        found = [difference(pair) for pair in group]
        if all(item.sizes or item.unpaired for item in found):
            yield found[0]


def difference(pair: Pair) -> RowDifference:
    """Everything in which a row and one variant differ."""
    sizes = tuple(item for item in compare(pair) if not item.agrees)
    return RowDifference(pair, sizes, tuple(unpaired(pair)))


def unpaired(pair: Pair) -> Iterator[Unpaired]:
    """The roles that have workers on one side alone; none where a recipe's roles are not known."""
    roles = [role for role in pair.variant.roles if role.workers != 0]
    if not roles or not pair.use.row.workers:
        return
    paired = list(pair.roles())
    matched = [workers for workers, _ in paired]
    names = {role.name for _, role in paired}
    for workers in pair.use.row.workers:
        if workers.count != 0 and workers not in matched:
            yield Unpaired(workers, None)
    for role in roles:
        if role.workers and role.name not in names:
            yield Unpaired(None, role)


def compare(pair: Pair) -> Iterator[Comparison]:
    """Every size that both sides state, role by role."""
    for workers, role in pair.roles():
        yield from _gpus(pair, workers, role)
        if role.topology.stated:
            yield from _sizes(workers, role)


def _gpus(pair: Pair, workers: Workers, role: RecipeRole) -> Iterator[Comparison]:
    """The role's GPUs. A row that agrees with the recipe's resources or with its flags is right: where these two
    differ, the recipe is at fault."""
    topology = role.topology
    per_worker = role.gpus if role.gpus is not None else topology.gpus if topology.stated else None
    if workers.tp is None or role.workers is None or (per_worker is None and role.workers):
        return
    counted, used = counted_gpus(workers), role.workers * (per_worker or 0)
    accepted = {used}
    if topology.stated:
        accepted.add(role.workers * topology.gpus)
        if pair.use.reference.era != "A" and _has_own_ranks(role):
            accepted.add((workers.count or 1) * topology.gpus // topology.dp)
    yield Comparison(
        field="gpus",
        row=counted,
        recipe=used,
        row_how=_product(workers),
        recipe_how=f"{role.workers} x {per_worker or 0}",
        agrees=counted in accepted,
        is_stated=True,
        workers=workers,
        role=role,
    )


def counted_gpus(workers: Workers) -> int:
    """GPUs of a worker block as the row counts them; sizes left out are 1."""
    return (workers.count or 1) * (workers.tp or 1) * (workers.pp or 1) * (workers.pcp or 1)


def _product(workers: Workers) -> str:
    parts = [f"{workers.count or 1}", f"tp {workers.tp}"]
    parts += [f"{name} {size}" for name, size in (("pp", workers.pp), ("pcp-size", workers.pcp)) if (size or 1) > 1]
    return " x ".join(parts)


def _sizes(workers: Workers, role: RecipeRole) -> Iterator[Comparison]:
    topology = role.topology
    replicas = _counts_ranks(workers, role)
    listed: tuple[tuple[str, int | None, int, int, bool], ...] = (
        ("ep", workers.ep, 1, topology.ep, replicas and (workers.ep or 1) * topology.dp == topology.ep),
        ("dp-attn", workers.dp_attn, False, topology.dp_attention, replicas),
        ("pp", workers.pp, 1, topology.pp, False),
        ("dcp-size", workers.dcp, 1, topology.dcp, False),
    )
    for field, stated, default, found, is_other_spelling in listed:
        size = default if stated is None else stated
        yield Comparison(
            field=field,
            row=size,
            recipe=found,
            row_how="",
            recipe_how=_deciding(role.engine, topology, field),
            agrees=size == found or is_other_spelling,
            is_stated=stated is not None,
            workers=workers,
            role=role,
        )


def _counts_ranks(workers: Workers, role: RecipeRole) -> bool:
    """Whether the row counts each data-parallel rank as a worker."""
    ranks = (role.workers or 0) * role.topology.dp
    return role.topology.dp > 1 and (workers.count or 1) == ranks and _has_own_ranks(role)


def _has_own_ranks(role: RecipeRole) -> bool:
    """Whether each data-parallel rank has GPUs of its own, as in vLLM."""
    return role.topology.dp > 1 and role.engine not in ("sglang", "trtllm")


_DECIDING = {
    "ep": {"sglang": "ep-size", "trtllm": "moe_expert_parallel_size"},
    "dp-attn": {"vllm": "data-parallel-size", "sglang": "enable-dp-attention", "trtllm": "enable_attention_dp"},
    "pp": {"trtllm": "pipeline_parallel_size"},
}


def _deciding(engine: str, topology: Topology, field: str) -> str:
    """The flags that decide a size."""
    known = {"ep": "enable-expert-parallel", "dp-attn": "data-parallel-size", "pp": "pipeline-parallel-size"}
    flag = _DECIDING.get(field, {}).get(engine) or known.get(field, "decode-context-parallel-size")
    if flag == "enable-expert-parallel" and topology.ep > 1:
        return f"{flag}, tp {topology.tp} x dp {topology.dp}"
    return flag
