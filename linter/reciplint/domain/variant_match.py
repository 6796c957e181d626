"""Whether a variant of a single-node recipe is the one that a row means, as the launcher decides it.

A row of one node names a file, and the launcher runs the one variant whose engine, GPUs, parallel sizes, speculation,
offloading and concurrency are the row's; with none, or several, nothing is planned. What a variant leaves out
(concurrency, offloading) fits every row. Sizes are compared engine by engine:

| | SGLang | TensorRT-LLM | vLLM | ATOM |
|---|---|---|---|---|
| `tp` | tensor | tensor | tensor × data | the role's GPUs |
| `ep` | the expert size | the expert size | over 1 = expert parallelism on | the same |

ATOM takes its tensor size from its GPUs; where no flag gives one, its expert size cannot be told, and a variant may fit
without it being certain. So may one that does not draft, beside a row that does: its benchmark may keep the label.

Source: the public launchers' selection of single-node recipes (October 2026).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from reciplint.domain.master import Workers
from reciplint.domain.reading import whole
from reciplint.domain.recipe_variant import RecipeRole, Variant
from reciplint.domain.references import Use

_ENGINES = {"sglang": "sglang", "trt": "trtllm", "atom": "atom", "vllm": "vllm"}
"""The engine that a framework of one node means."""

_DRAFTS_KNOWN = frozenset({"sglang", "trtllm", "vllm"})


class Unlike(NamedTuple):
    """A setting in which a variant is not the row's, with what either has."""

    field: str
    row: str
    variant: str


class Fit(NamedTuple):
    """What speaks against a variant for a row, whatever the concurrency. `is_certain` is false where something that
    decides is not known, so that a variant with nothing against it may still be another row's."""

    unlike: tuple[Unlike, ...]
    is_certain: bool


def fit(use: Use, variant: Variant) -> Fit:
    """How a variant suits a row in all but its concurrency."""
    role, workers = variant.role("agg"), next(iter(use.row.workers), None)
    if role is None or workers is None:
        return Fit((Unlike("roles", "agg", ", ".join(found.name for found in variant.roles) or "none"),), True)
    found = [*_resources(workers, role), *_sizes(workers, role), *_engine(use, role), *_offloading(use, variant)]
    drafts, row_drafts = role.speculation is not None, (use.row.spec_decoding or "none") != "none"
    if drafts and not row_drafts:
        found.append(Unlike("spec-decoding", "none", "on"))
    knows_drafts = drafts == row_drafts or drafts
    has_sizes = role.topology.stated or role.engine == "vllm"
    return Fit(tuple(found), has_sizes and knows_drafts)


def runs_at(variant: Variant, concurrency: int) -> bool:
    """Whether a variant may run at a concurrency."""
    return not variant.concurrency or whole(variant.concurrency) == concurrency


def _resources(workers: Workers, role: RecipeRole) -> Iterator[Unlike]:
    gpus = (workers.tp or 1) * (workers.pp or 1) * (workers.pcp or 1)
    per_worker = role.gpus if role.gpus is not None else role.topology.gpus
    for field, wanted, found in (("GPUs", gpus, per_worker), ("workers", 1, role.workers), ("nodes", 1, role.nodes)):
        if found is not None and found != wanted:
            yield Unlike(field, str(wanted), str(found))


def _sizes(workers: Workers, role: RecipeRole) -> Iterator[Unlike]:
    topology = role.topology
    ep = workers.ep or 1
    attention = bool(workers.dp_attn)
    if topology.dp_attention != attention:
        yield Unlike("dp-attn", str(attention).lower(), str(topology.dp_attention).lower())
    if not topology.stated and role.engine != "vllm":
        return
    has_own_ranks = role.engine not in ("sglang", "trtllm")
    tp = topology.tp * topology.dp if has_own_ranks else topology.tp
    if tp != (workers.tp or 1):
        yield Unlike("tp", str(workers.tp or 1), str(tp))
    if (ep > 1) != (topology.ep > 1) if has_own_ranks else ep != topology.ep:
        yield Unlike("ep", str(ep), str(topology.ep))
    for field, stated, size in (("pp", workers.pp, topology.pp), ("dcp-size", workers.dcp, topology.dcp)):
        if (stated or 1) != size:
            yield Unlike(field, str(stated or 1), str(size))


def _engine(use: Use, role: RecipeRole) -> Iterator[Unlike]:
    wanted = _ENGINES.get(use.entry.framework or "")
    if wanted and role.engine and role.engine != wanted:
        yield Unlike("engine", wanted, role.engine)


def _offloading(use: Use, variant: Variant) -> Iterator[Unlike]:
    stated = use.row.kv_offloading or "none"
    if variant.offloading and variant.offloading != stated:
        yield Unlike("KV_OFFLOADING", stated, variant.offloading)
