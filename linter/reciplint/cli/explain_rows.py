"""A row beside a variant of its recipe, as lines of a table: what either says, and what a number is made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from reciplint.domain.acceptance import AGENTIC, RowPin, drafts, expected, generating_role, simulated
from reciplint.domain.components import is_alias
from reciplint.domain.matrix import Point
from reciplint.domain.offloading import budget, largest, offloads, stores
from reciplint.domain.pairing import Pair
from reciplint.domain.point_words import component, offloading
from reciplint.domain.project import Project
from reciplint.domain.recipe_variant import RecipeRole, Variant
from reciplint.domain.row_concurrency import Capacity, capacity
from reciplint.domain.row_topology import Comparison, compare, unpaired
from reciplint.report.text import counted
from reciplint.rules.finding import Finding

_GB = 10**9
_FROM_ROW = "from the row"
_DEFAULTS = {"ep": 1, "dp-attn": False, "pp": 1, "dcp-size": 1}


OF_KEY = frozenset({"image", "model", "precision", "engine", "runner", "kv-p2p-transfer", "router"})
"""What the rows of a key mostly share."""


class Line(NamedTuple):
    """One thing that a row and its recipe both tell, "" where one does not. `topic` is what findings speak of: the name
    of the line without its role."""

    what: str
    row: str
    recipe: str
    topic: str
    role: str = ""


def lines(project: Project, pair: Pair, point: Point) -> list[Line]:
    """What a row says beside a variant that it runs; `point` is one of the row's."""
    return [
        *_named(pair),
        *_topology(pair),
        *_concurrency(pair),
        *_drafting(project, pair),
        *_caches(project, pair, point),
        *_components(pair, point),
    ]


def _named(pair: Pair) -> Iterator[Line]:
    entry, variant = pair.use.entry, pair.variant
    written = _FROM_ROW if pair.use.reference.era == "C" else ""  # by the launcher, into a fragment
    yield Line("image", entry.image or "", _container(variant) or written, "image")
    yield Line("model", entry.model or "", variant.model or variant.repository or written, "model")
    yield Line("precision", entry.precision or "", variant.precision or written, "precision")
    engines = dict.fromkeys(role.engine for role in variant.roles if role.engine)
    yield Line("engine", entry.framework or "", ", ".join(engines), "engine")
    hardware = f"{variant.gpu_type}, {variant.gpus_per_node} GPUs a node" if variant.gpu_type else ""
    yield Line("fleet", entry.runner or "", hardware, "runner")


def _container(variant: Variant) -> str:
    if variant.container and is_alias(variant.container) and variant.image:
        return f"{variant.container}, said to be {variant.image}"
    return variant.container


def _topology(pair: Pair) -> Iterator[Line]:
    for item in compare(pair):
        if item.field == "gpus":
            row, recipe = f"{item.row} = {item.row_how}", f"{item.recipe} = {_product(item)}"
            yield Line(f"{item.workers.role} GPUs", row, recipe, "gpus", item.workers.role)
        elif item.is_stated or item.recipe != _DEFAULTS[item.field]:
            row = f"{item.row}".lower() + ("" if item.is_stated else " by default")
            recipe = f"{item.recipe}".lower() + f" by {item.recipe_how}"
            yield Line(f"{item.workers.role} {item.field}", row, recipe, item.field, item.workers.role)
    for found in unpaired(pair):
        name = found.workers.role if found.workers else found.role.name if found.role else ""
        counted = str(found.workers.count or 1) if found.workers else "none"
        given = str(found.role.workers or 0) if found.role else "none"
        yield Line(f"{name} workers", counted, given, "workers", name)


def _product(item: Comparison) -> str:
    """The recipe's GPUs: workers × GPUs of each, and what its flags make of one."""
    role = item.role
    each = item.recipe // role.workers if role.workers else 0
    given = f"{role.workers or 0} x {counted(each, 'GPU')}"
    return f"{given} ({_flags(role, each)})" if role.topology.stated else given


def _flags(role: RecipeRole, each: int) -> str:
    sizes = role.topology
    parts = [("tp", sizes.tp), ("dp", sizes.dp), ("pp", sizes.pp), ("pcp", sizes.pcp)]
    own = [(name, size) for name, size in parts if name != "dp" or sizes.tp * sizes.pp * sizes.pcp < sizes.gpus]
    product = " x ".join(f"{name} {size}" for name, size in own if size > 1 or name == "tp")
    return product if sizes.gpus == each else f"{product} = {sizes.gpus}"


def _concurrency(pair: Pair) -> Iterator[Line]:
    variant = pair.variant
    stated = ", ".join(map(str, variant.concurrencies)) or (
        f"CONC {variant.concurrency}" if variant.concurrency else ""
    )
    yield Line("conc", ", ".join(map(str, pair.concurrencies)), stated or _FROM_ROW, "conc")
    held = capacity(variant)
    if held is not None and pair.concurrencies:
        row = f"up to {max(pair.concurrencies)}"
        yield Line(f"{held.role.name} capacity", row, _held(held), "capacity", held.role.name)


def _held(held: Capacity) -> str:
    limit = "max-num-seqs" if held.role.engine == "vllm" else "max-running-requests"
    parts = [counted(held.workers, "worker"), *([f"dp {held.ranks}"] if held.ranks > 1 else []), f"{limit} {held.each}"]
    return f"{held.total} = {' x '.join(parts)}"


def _drafting(project: Project, pair: Pair) -> Iterator[Line]:
    role = generating_role(pair)
    found = role.speculation if role is not None else None
    recipe = "none" if role is not None else ""
    if found is not None:
        tokens = "" if found.tokens is None else f", {counted(found.tokens, 'token')}"
        recipe = f"{found.method or found.key}{tokens}{f', draft {found.model}' if found.model else ''}"
    yield Line("spec-decoding", pair.use.row.spec_decoding or "none", recipe, "spec-decoding")
    if pair.use.arm.kind != AGENTIC or found is None:
        return
    pins = simulated(pair)
    row = ", ".join(pin.text for pin in pins if isinstance(pin, RowPin))
    own = ", ".join(f"{pin.name} {pin.text}" for pin in pins if not isinstance(pin, RowPin))
    speculation = drafts(pair)
    wanted = expected(project.curves, pair, speculation) if speculation is not None else None
    if row or own or wanted is not None:
        yield Line("acceptance", row, own, "acceptance")
    if wanted is not None and wanted.cell is not None:
        yield Line("golden length", "", f"{wanted.cell.length} by {wanted.curve.name}", "acceptance")


def _caches(project: Project, pair: Pair, point: Point) -> Iterator[Line]:
    found = [_sized(role.name, store.name, store.size, store.share) for role, store in stores(pair)]
    if pair.use.arm.kind == AGENTIC or found:
        unknown = "unknown" if offloads(pair) is None else "none"
        yield Line("kv-offloading", offloading(point) or "none", "; ".join(found) or unknown, "kv-offloading")
    runner = project.runners.hardware_of(point.runner) if project.runners is not None else None
    reserved = largest(pair)
    if point.kv_offloading != "dram" or reserved is None or runner is None:
        return
    known = budget(runner, pair.use.arm.dram_utilization)
    if known is not None:
        share = f"{known.node / _GB:.0f} GB a node / {counted(known.gpus, 'GPU')}"
        used = pair.use.arm.settings.get("dram-utilization")
        limit = known.share if known.allowed is None else known.allowed
        row = f"{limit / _GB:.0f} GB a GPU = {share}{'' if known.allowed is None else f' x {used}'}"
        topic = "host DRAM" if known.exceeded_by(reserved.size) is None else "exceeded DRAM"
        yield Line("host DRAM", row, f"{reserved.size / _GB:.0f} GB a GPU by {reserved.role.name}", topic)


def _sized(role: str, store: str, size: int | None, share: str) -> str:
    amount = "" if size is None else f" {size / _GB:.0f} GB a {share}"
    return f"{role}: {store}{amount}"


def _components(pair: Pair, point: Point) -> Iterator[Line]:
    variant = pair.variant
    transports = dict.fromkeys(name for role in variant.roles for name in role.kv_cache.transfers)
    transfer = component(point.kv_p2p_transfer)
    if transfer or transports:
        yield Line("kv-p2p-transfer", transfer, ", ".join(transports), "kv-p2p-transfer")
    installed = variant.dynamo or variant.dynamo_hash
    router = component(point.router)
    if router or installed:
        yield Line("router", router, f"dynamo {installed}" if installed else "", "router")


_TOPICS: dict[str, tuple[str, ...]] = {
    "capacity-below-concurrency": ("capacity",),
    "component-mismatch": ("router", "kv-p2p-transfer"),
    "concurrency-mismatch": ("conc",),
    "container-mismatch": ("image",),
    "dram-budget": ("exceeded DRAM",),
    "golden-acceptance-length": ("acceptance",),
    "identity-mismatch": ("image", "model", "router"),
    "image-source": ("image",),
    "kv-offload-mismatch": ("kv-offloading",),
    "resource-arithmetic": ("gpus",),
    "topology-mismatch": ("gpus", "ep", "dp-attn", "pp", "dcp-size", "workers"),
    "unknown-runner": ("runner",),
}
"""Which lines a rule speaks of."""

_CLAIMS = {"row": "model", "image": "image", "dynamo": "router", "model": "model"}
"""The line that a message of `identity-mismatch` speaks of."""


def disputes(finding: Finding, line: Line) -> bool:
    """Whether a finding about a row or its recipe speaks of a line."""
    if line.topic not in _TOPICS.get(finding.rule, ()):
        return False
    told, role = finding.arguments, finding.arguments.get("role")
    if finding.rule == "identity-mismatch":
        return _CLAIMS.get(finding.message_id) == line.topic
    if finding.rule == "component-mismatch":
        return finding.message_id == line.topic and str(told["actual"]) in line.recipe
    if finding.rule == "topology-mismatch":
        field = {"gpus": "gpus", "size": told.get("field")}.get(finding.message_id, "workers")
        return field == line.topic and role == line.role
    if finding.rule == "resource-arithmetic":
        return role in ("", line.role) or (role == "agg" and line.role in ("prefill", "worker"))
    return True
