"""Which commands a vLLM recipe offers: variants on the hardware that they run on, by the strategies that fit it.

Source: the site's own synthesis of commands (vllm-project/recipes, `command-synthesis.js`, August 2026), whose choices
these are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from reciplint.domain.reading import amount
from reciplint.domain.serving.vllm_sheets import Hardware, Library, Sheet

_FP4 = {"brand": "NVIDIA", "generation": "blackwell"}
_BY_PRECISION: dict[str, dict[str, str]] = {"nvfp4": _FP4, "fp4": _FP4}
_MAX_NODES = 16
_MAX_POOL_NODES = 4
"""The site renders no pool of more nodes by itself."""


class Choice(NamedTuple):
    """A variant on a kind of hardware by a strategy. `nodes` is of the one engine; of `pools` (prefill, decode) 0 means
    that both share a node."""

    variant: str
    strategy: str
    hardware: Hardware
    nodes: int
    pools: tuple[int, int] = (0, 0)


def choices(recipe: Sheet, library: Library) -> Iterator[Choice]:
    """Everything that a recipe offers by itself, in the order of its variants, hardware and strategies."""
    for variant in recipe.mapping("variants"):
        for hardware in library.hardware():
            if runs_on(recipe, variant, hardware):
                for strategy in _shown(recipe, library, variant, hardware):
                    if (choice := sized(recipe, library, variant, strategy, hardware)) is not None:
                        yield choice


def _shown(recipe: Sheet, library: Library, variant: str, hardware: Hardware) -> list[str]:
    """The strategies that can be chosen for a variant: those of one node only where its weights fit, unless there are
    no others. The site crosses them out, by the memory that the variant says it takes."""
    offered = strategies_on(recipe, library, hardware)
    several = [name for name in offered if not name.startswith("single_node_")]
    is_tight = not _fits(recipe.mapping("variants", variant), hardware)
    return several if is_tight and any(name.startswith("multi_node_") for name in several) else offered


def is_omni(recipe: Sheet) -> bool:
    """Whether a recipe is for vllm-omni, which has no strategies."""
    return "omni" in recipe.texts("meta", "tasks")


def runs_on(recipe: Sheet, variant: str, hardware: Hardware) -> bool:
    """Whether a variant runs on some hardware, as far as the recipe says."""
    body = recipe.mapping("variants", variant)
    declared = recipe.mapping("meta", "hardware")
    supported = recipe.texts("variants", variant, "supported_hardware")
    if supported and hardware.id not in supported:
        return False
    if declared.get(hardware.id) == "unsupported" or (hardware.restricted and hardware.id not in declared):
        return False
    wanted = body.get("precision_hardware") or _BY_PRECISION.get(str(body.get("precision") or ""))
    if isinstance(wanted, dict):
        if wanted.get("brand") and wanted["brand"] != hardware.brand:
            return False
        if wanted.get("generation") and wanted["generation"] != hardware.generation:
            return False
    return hardware.scalable or _fits(body, hardware)


def strategies_on(recipe: Sheet, library: Library, hardware: Hardware) -> list[str]:
    """The strategies that a recipe offers on some hardware."""
    listed = recipe.texts("compatible_strategies")
    granted = recipe.mapping("strategy_hardware")
    opted = [name for name, gate in granted.items() if isinstance(gate, dict) and "supported" in gate.values()]
    found = []
    for name in dict.fromkeys((*listed, *opted)):
        strategy = library.strategies.get(name)
        gate = hardware.pick(granted.get(name))
        is_single = not name.startswith("multi_node_") and name != "pd_cluster"
        if (
            strategy is not None
            and strategy.at("deploy_type") != "kv_store_lb"
            and (gate != "unsupported" if gate is not None else name in listed)
            and (hardware.scalable or is_single)
            and _least_gpus(recipe, name, hardware) <= hardware.gpus * (1 if is_single else _MAX_NODES)
        ):
            found.append(name)
    return found


def sized(recipe: Sheet, library: Library, variant: str, strategy: str, hardware: Hardware) -> Choice | None:
    """A choice with the nodes that it takes; None for pools that the site holds to be too large."""
    sheet = library.strategies[strategy]
    body = recipe.mapping("variants", variant)
    if sheet.at("deploy_type") == "pd_cluster":
        pools = _pools(recipe, library, body, hardware)
        return None if pools is None else Choice(variant, strategy, hardware, 1, pools)
    least = 2 if sheet.at("deploy_type") == "multi_node" else 1
    return Choice(variant, strategy, hardware, max(least, _least_nodes(recipe, strategy, hardware)))


def pool_modes(recipe: Sheet) -> list[str]:
    """How the pools of a disaggregated deployment may be laid out: "tp", "tep", "dep"."""
    granted = recipe.mapping("strategy_hardware")
    opted = [name for name, gate in granted.items() if isinstance(gate, dict) and "supported" in gate.values()]
    names = [name for name in (*recipe.texts("compatible_strategies"), *opted) if name != "pd_cluster"]
    endings = {"dep": ("dep",), "tep": ("tep",), "tp": ("tp", "tp_pp", "tp_dp")}
    found = [
        mode
        for mode in ("tp", "tep", "dep")
        if any(name == end or name.endswith(f"_{end}") for name in names for end in endings[mode])
    ] or ["tp"]
    wanted = recipe.texts("strategy_overrides", "pd_cluster", "pool_modes")
    return [mode for mode in found if mode in wanted] or found


def pool_mode(recipe: Sheet, library: Library, role: str) -> str:
    """How one pool is laid out."""
    own = recipe.at("strategy_overrides", "pd_cluster", role, "parallelism")
    strategy = library.strategies.get("pd_cluster")
    mode = str(own or (strategy.at(role, "parallelism") if strategy is not None else "") or "tp")
    offered = pool_modes(recipe)
    return mode if mode in offered else offered[0]


def single_node_tp(recipe: Sheet, variant: str, strategy: str, hardware: Hardware) -> int:
    """The parallel size of a single-node strategy: all GPUs, but under tensor parallelism what the variant or the
    recipe declares, else 1 where the weights fit one GPU."""
    if strategy != "single_node_tp":
        return hardware.gpus
    body = recipe.mapping("variants", variant)
    for raw in (body.get("tp"), recipe.at("strategy_overrides", strategy, "tp")):
        declared = hardware.pick(raw) if isinstance(raw, dict) else raw
        if isinstance(declared, int) and declared > 0:
            return declared if hardware.generation == "cpu" else min(declared, hardware.gpus)
    least = _weights(body)
    each = hardware.memory / hardware.gpus
    return 1 if least and each and least <= each else hardware.gpus


def default_features(recipe: Sheet, variant: str, hardware: Hardware) -> list[str]:
    """The features that are on unless somebody turns them off."""
    left_out = {*recipe.texts("opt_in_features"), *recipe.texts("hardware_opt_in_features", hardware.id)}
    forced = recipe.mapping("variants", variant, "default_modes")
    return [name for name in recipe.mapping("features") if name in forced or name not in left_out]


def _pools(recipe: Sheet, library: Library, body: dict[str, Any], hardware: Hardware) -> tuple[int, int] | None:
    least = _weights(body)
    if (hardware.gpus >= 2 and hardware.memory >= 2 * least) or hardware.memory <= 0 or least <= 0:
        return (0, 0)
    nodes = math.ceil(least / hardware.memory)
    if nodes > _MAX_POOL_NODES:
        return None
    pools = []
    for role in ("prefill", "decode"):
        own = recipe.at("strategy_overrides", "pd_cluster", role, "parallelism")
        mode = own or library.strategies["pd_cluster"].at(role, "parallelism") or "tp"
        pools.append(max(nodes, _least_nodes(recipe, str(mode), hardware)))
    return pools[0], pools[1]


def _weights(body: dict[str, Any]) -> float:
    """The memory in GB that a variant takes at least; 0 where it does not say."""
    return amount(body.get("vram_minimum_gb"))


def _fits(body: dict[str, Any], hardware: Hardware) -> bool:
    least = _weights(body)
    return not least or not hardware.memory or least <= hardware.memory


def _least_nodes(recipe: Sheet, key: str, hardware: Hardware) -> int:
    return math.ceil(_least_gpus(recipe, key, hardware) / hardware.gpus) or 1


def _least_gpus(recipe: Sheet, key: str, hardware: Hardware) -> int:
    """The floor of GPUs that a recipe sets for a strategy or a pool's mode."""
    floor = recipe.at("strategy_min_gpus")
    if not isinstance(floor, dict):
        return _floor(floor, key)
    of_hardware = floor.get(hardware.id)
    return max(_floor(floor, key), _floor(of_hardware, key))


def _floor(block: Any, key: str) -> int:
    if isinstance(block, (int, float)):
        return int(amount(block))
    if not isinstance(block, dict):
        return 0
    found = (block.get(name) for name in (key, f"multi_node_{key}", f"single_node_{key}"))
    return next((int(amount(value)) for value in found if isinstance(value, (int, float))), 0)


def default_hardware(recipe: Sheet, library: Library, variant: str) -> Hardware | None:
    """Where a variant is shown first: on what the recipe names, else on a B200 or H200, else on the first that it runs
    on, NVIDIA's before AMD's; None where it runs nowhere."""
    found = [hardware for hardware in library.hardware() if runs_on(recipe, variant, hardware)]
    by_id = {hardware.id: hardware for hardware in found}
    is_fp4 = str(recipe.at("variants", variant, "precision") or "") in _BY_PRECISION
    for name in (recipe.text("meta", "default_hardware"), *(("b200", "gb200") if is_fp4 else ()), "h200"):
        if name in by_id:
            return by_id[name]
    order = {"NVIDIA": 0, "AMD": 1}
    return min(found, key=lambda hardware: (order.get(hardware.brand, 9), hardware.id), default=None)


def default_strategy(recipe: Sheet, library: Library, variant: str, hardware: Hardware) -> str | None:
    """The strategy that is shown first: the recipe's own, else tensor parallelism, on one node if the weights fit."""
    offered = strategies_on(recipe, library, hardware)
    own = recipe.text("default_strategy")
    several = not _fits(recipe.mapping("variants", variant), hardware) and any(
        name.startswith("multi_node_") for name in offered
    )
    wanted: tuple[str, ...] = (own, "single_node_tp")
    if several:
        wanted = (own.replace("single_node_", "multi_node_", 1), "multi_node_tp", "multi_node_dep", "multi_node_tep")
    return next((name for name in (*wanted, *offered) if name in offered), None)
