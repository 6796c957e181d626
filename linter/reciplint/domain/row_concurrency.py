"""The concurrencies that rows ask of a recipe's variant, beside those that it runs and those that it can hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from reciplint.domain.pairing import Pair
from reciplint.domain.recipe_variant import RecipeRole, Variant


class Demand(NamedTuple):
    """A variant with every row that runs it, and no other row that may."""

    path: str
    variant: Variant
    pairs: tuple[Pair, ...]

    @property
    def concurrencies(self) -> tuple[int, ...]:
        """What the rows ask for together, sorted."""
        return tuple(sorted({value for pair in self.pairs for value in pair.concurrencies}))


def demands(pairs: Iterable[Pair]) -> Iterator[Demand]:
    """Every variant that rows run. One that a row only may run, as one of several variants or files, is left out;
    `pairs` of one row and variant chosen by concurrency stand together."""
    grouped: dict[tuple[str, str], list[Pair]] = {}
    doubtful: set[tuple[str, str]] = set()
    for _, group in groupby(pairs, key=lambda pair: id(pair.use)):
        found = list(group)
        shared = [value for pair in found for value in pair.concurrencies]
        is_clear = len(found) == 1 or len(shared) == len(set(shared))
        for pair in found:
            key = (pair.path, pair.variant.selector)
            grouped.setdefault(key, []).append(pair)
            if not is_clear:
                doubtful.add(key)
    for key, listed in grouped.items():
        if key not in doubtful:
            yield Demand(key[0], listed[0].variant, tuple(listed))


def takes_from_recipe(demand: Demand) -> bool:
    """Whether the variant's own list of concurrencies is what runs: with sa-bench (a custom benchmark takes it from
    its caller), and in the later layout where rows measure power (else the row's is written into the recipe)."""
    variant = demand.variant
    if variant.benchmark != "sa-bench" or not variant.concurrencies:
        return False
    return all(pair.concurrencies and (pair.use.reference.era != "C" or _has_power(pair)) for pair in demand.pairs)


def _has_power(pair: Pair) -> bool:
    return pair.use.row.settings.get("power", pair.use.arm.settings.get("require-power")) is True


class Capacity(NamedTuple):
    """How many requests a role runs at once: `workers` × `ranks` × `each`, the limit of one scheduler."""

    role: RecipeRole
    workers: int
    ranks: int
    each: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.workers * self.ranks * self.each


def capacity(variant: Variant) -> Capacity | None:
    """What the decode (or aggregated) workers can run at once; None where it is left to the engine.

    vLLM's `max-num-seqs` is of each data-parallel rank. SGLang's `max-running-requests` is of a worker, whose
    attention ranks share it; replicas without attention data parallelism each have it. TensorRT-LLM's batch size is no
    such limit: its recipes queue requests on purpose.
    """
    role = variant.role("decode") or variant.role("agg")
    if role is None or not role.workers or not role.max_sequences or role.engine not in ("vllm", "sglang"):
        return None
    shares = role.engine == "sglang" and role.topology.dp_attention
    return Capacity(role, role.workers, 1 if shares else role.topology.dp, role.max_sequences)
