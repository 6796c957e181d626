"""What a vLLM recipe overrides in places that command synthesis never reads.

Source: the command synthesis of the public vLLM recipes site (August 2026). Later releases may read more, so what
depends on how hardware is named is only judged beside the site's own taxonomy, and what later recipes use is left
alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from reciplint.domain.reading import whole
from reciplint.domain.vllm_docker import release
from reciplint.domain.vllm_recipe import Said, VllmRecipeFile
from reciplint.domain.vllm_recipes import VllmRecipes

POOLS = "pd_cluster"
"""The strategy that runs prefill and decode apart."""

_OF_POOLS = ("prefill", "decode", "router", "pool_modes")
_OF_ONE_ENGINE = ("vllm_args", "extra_args", "extra_env", "tp")
_BRAND = "nvidia"
"""The one brand that stands for all its generations in an override."""

_BLACKWELL = "blackwell"
_BLACKWELL_ONLY = ("nvfp4", "fp4")
"""Precisions that the site offers on NVIDIA Blackwell alone, unless `precision_hardware` says otherwise."""

_IMAGE_KEYS = frozenset(("nvidia", "amd", "tpu", "intel", "xpu", "npu"))


class Unread(NamedTuple):
    """Something that is never read: which message says why, what was found, and what is read in its place."""

    name: str
    said: Said
    instead: tuple[str, ...] = ()


def unread(repository: VllmRecipes, recipe: VllmRecipeFile) -> Iterator[Unread]:
    """Everything that a recipe overrides in vain."""
    yield from _strategies(repository, recipe)
    yield from _hardware(repository, recipe)
    yield from _versions(recipe)
    if repository.taxonomy is not None:
        yield from _beside_the_site(repository, recipe)


def _strategies(repository: VllmRecipes, recipe: VllmRecipeFile) -> Iterator[Unread]:
    offered = (*recipe.offered, *recipe.texts("presets.*.strategy"))
    known = repository.knows("strategy")
    for said in recipe.at("strategy_overrides.*"):
        name = said.path[1]
        if offered and name not in offered and (known is None or name in known):
            yield Unread("not-offered", said, tuple(recipe.offered))
    for said in recipe.at("strategy_overrides.*.*"):
        name, key = said.path[1:]
        if name not in offered:
            continue
        if name == POOLS and key in _OF_ONE_ENGINE:
            yield Unread("pools-only", said, ("prefill", "decode"))
        elif name != POOLS and key in _OF_POOLS:
            yield Unread("one-engine", said, (POOLS,))
        elif key == "tp" and (name.startswith("multi_node_") or name == "single_node_dep"):
            yield Unread("size-of-one-node", said, ("single_node_tp",))
    for said in recipe.at("features.*.strategies"):
        listed = recipe.texts(f"features.{said.path[1]}.strategies.*")
        if listed and not set(listed) & set(offered):
            yield Unread("no-such-strategy", said, tuple(recipe.offered))


def _hardware(repository: VllmRecipes, recipe: VllmRecipeFile) -> Iterator[Unread]:
    """Overrides for hardware on which the variant, or the recipe, is not offered."""
    standing = {said.path[2]: said.text for said in recipe.at("meta.hardware.*")}
    for said in recipe.at("variants.*.hardware_overrides.*"):
        variant, hardware = said.path[1], said.path[3]
        supported = recipe.texts(f"variants.{variant}.supported_hardware.*")
        known = repository.knows("hardware")
        is_one = not repository.is_group(hardware) if known is None else hardware in known
        if is_one and supported and hardware not in supported and not any(":" in name for name in supported):
            yield Unread("not-supported", said, tuple(supported))
        elif standing.get(hardware) == "unsupported":
            yield Unread("ruled-out", said)


def _versions(recipe: VllmRecipeFile) -> Iterator[Unread]:
    """A variant's minimum release below the recipe's: the higher one counts."""
    general = recipe.text("model.min_vllm_version")
    lowest = release(general)
    for said in recipe.at("variants.*.min_vllm_version"):
        own = release(said.text or "")
        if own is not None and lowest is not None and own < lowest:
            yield Unread("lower-minimum", said, (general,))


def _beside_the_site(repository: VllmRecipes, recipe: VllmRecipeFile) -> Iterator[Unread]:
    """What depends on how hardware is named; a word that the taxonomy does not define is reported elsewhere."""
    yield from _by_hardware(repository, recipe)
    yield from _sizes(repository, recipe)
    yield from _precisions(repository, recipe)
    yield from (Unread("no-reader", said) for said in recipe.at("hardware_overrides.*.install_note"))
    yield from (Unread("modes-only", said) for said in recipe.at("features.*.hardware"))
    for pattern in ("model.docker_image.*", "variants.*.docker_image.*"):
        for said in recipe.at(pattern):
            if said.path[-1] not in _IMAGE_KEYS and not said.path[-1].startswith("cu"):
                yield Unread("image-brand", said, ("nvidia", "amd", "tpu", "intel"))


def _sizes(repository: VllmRecipes, recipe: VllmRecipeFile) -> Iterator[Unread]:
    """Tensor-parallel sizes above what a node has: the site takes the node's GPUs."""
    counted = {name: profile.gpus for name, profile in repository.profiles.items() if "cpu" not in profile.generations}
    most = max(counted.values(), default=0)
    for pattern in ("variants.*.tp", "variants.*.tp.*", "strategy_overrides.single_node_tp.tp"):
        for said in recipe.at(pattern):
            limit = counted.get(said.path[-1], most if pattern.endswith("tp") else 0)
            if limit and (whole(said.text) or 0) > limit:
                yield Unread("above-node", said, (str(limit),))


def _precisions(repository: VllmRecipes, recipe: VllmRecipeFile) -> Iterator[Unread]:
    """Hardware that a variant lists, and that its precision rules out."""
    for said in recipe.at("variants.*.precision"):
        variant = said.path[1]
        if said.text not in _BLACKWELL_ONLY or recipe.one(f"variants.{variant}.precision_hardware") is not None:
            continue
        for one in recipe.at(f"variants.{variant}.supported_hardware.*"):
            profile = repository.profiles.get(one.text or "")
            if profile is not None and (profile.brand != _BRAND or _BLACKWELL not in profile.generations):
                yield Unread("ruled-out-by-precision", one, (said.text,))


def _by_hardware(repository: VllmRecipes, recipe: VllmRecipeFile) -> Iterator[Unread]:
    profiles = repository.knows("hardware") or {}
    generations = (*repository.generations, _BRAND)

    def is_other_group(said: Said) -> bool:
        """Whether a key is a brand or the default, which no override is looked up by."""
        return repository.is_group(said.path[-1]) and said.path[-1] not in generations

    for said in recipe.at("hardware_overrides.*"):
        if said.path[-1] in profiles or is_other_group(said):
            yield Unread("generation-only", said, generations)
    for pattern in ("variants.*.hardware_overrides.*", "strategy_overrides.*.hardware_overrides.*"):
        yield from (Unread("no-brand", said, generations) for said in recipe.at(pattern) if is_other_group(said))
    for role in ("prefill", "decode"):
        keyed = recipe.at(f"strategy_overrides.*.{role}.hardware_overrides.*")
        yield from (Unread("exact-only", said) for said in keyed if repository.is_group(said.path[-1]))
