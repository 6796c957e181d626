"""What a strategy's hardware override of a vLLM recipe leaves out of the recipe's own for the same hardware.

For a generation, or for nvidia, the strategy's block stands in the place of the recipe's: nothing is merged. A block
for one GPU is added instead. Source: the command synthesis of the public vLLM recipes site (August 2026).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from reciplint.domain.vllm_recipe import Said, VllmRecipeFile
from reciplint.domain.vllm_recipes import VllmRecipes

_BRAND = "nvidia"


class Dropped(NamedTuple):
    """A strategy's block, the recipe's block that it stands in for, and the flags and variables that are lost."""

    strategy: str
    said: Said
    baseline: Said
    lost: tuple[str, ...]


def dropped(repository: VllmRecipes, recipe: VllmRecipeFile) -> Iterator[Dropped]:
    """Every block that loses something; one that is empty was meant to."""
    baselines = {said.path[1]: said for said in recipe.at("hardware_overrides.*")}
    for said in recipe.at("strategy_overrides.*.hardware_overrides.*"):
        strategy, key = said.path[1], said.path[3]
        own = _names(recipe, f"strategy_overrides.{strategy}.hardware_overrides.{key}")
        kept = {*own, *_names(recipe, f"strategy_overrides.{strategy}"), *_of_both_pools(recipe, strategy)}
        siblings = {one.path[3] for one in recipe.at(f"strategy_overrides.{strategy}.hardware_overrides.*")}
        for other, baseline in baselines.items():
            stands_in = other == key or (
                key == _BRAND and other not in siblings and repository.generations.get(other) == _BRAND
            )
            lost = [name for name in _names(recipe, f"hardware_overrides.{other}") if name not in kept]
            if stands_in and own and lost:
                yield Dropped(strategy, said, baseline, tuple(lost))


def _of_both_pools(recipe: VllmRecipeFile, strategy: str) -> set[str]:
    """What prefill and decode both set for themselves."""
    pools = (_names(recipe, f"strategy_overrides.{strategy}.{role}") for role in ("prefill", "decode"))
    return set.intersection(*map(set, pools))


def _names(recipe: VllmRecipeFile, block: str) -> list[str]:
    """The flags and variables of a block."""
    tokens = [token for name in ("extra_args", "vllm_args") for token in recipe.texts(f"{block}.{name}.*")]
    flags = [token.partition("=")[0] for token in tokens if token.startswith("-")]
    return [*flags, *(said.path[-1] for name in ("extra_env", "env") for said in recipe.at(f"{block}.{name}.*"))]
