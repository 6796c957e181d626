"""A repository of vLLM recipes as a whole: its recipes by the ids that they have, and the vocabulary they share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from posixpath import basename, splitext

import msgspec

from reciplint.domain.vllm_recipe import VllmRecipeFile
from reciplint.domain.vllm_taxonomy import Platforms, Profile, Strategy, Taxonomy
from reciplint.yamltree.spans import FILE_START, Span

_MODELS = "models/"

GENERATIONS = {
    **dict.fromkeys(("ampere", "ada", "hopper", "blackwell", "rubin"), "nvidia"),
    "amd": "amd",
    "tpu": "google",
    "cpu": "intel",
    "xpu": "intel",
    "npu": "huawei",
}
"""Hardware generations and their brands, for recipes whose taxonomy is kept elsewhere (October 2026)."""

DEFAULT = "default"
"""The key of a map by hardware that holds for what no other key names."""


class VllmRecipes(msgspec.Struct, frozen=True, dict=True):
    """The recipes of a project by path, with its vocabulary; `taxonomy` is None where it is kept elsewhere."""

    recipes: Mapping[str, VllmRecipeFile] = {}
    strategies: Mapping[str, Strategy] = {}
    taxonomy: Taxonomy | None = None
    taxonomy_path: str = ""
    platforms: Platforms | None = None
    platforms_path: str = ""
    root: str = ""

    def id_of(self, path: str) -> str:
        """The `<org>/<repo>` that a recipe's path stands for; "" for a path of another depth."""
        inside = path[len(self.root) + 1 :] if self.root else path
        name = splitext(inside.removeprefix(_MODELS))[0]
        return name if name.count("/") == 1 else ""

    @cached_property
    def ids(self) -> dict[str, VllmRecipeFile]:
        """The recipes by id."""
        return {name: recipe for path, recipe in self.recipes.items() if (name := self.id_of(path))}

    @cached_property
    def slugs(self) -> dict[str, list[VllmRecipeFile]]:
        """The recipes by slug."""
        found: dict[str, list[VllmRecipeFile]] = {}
        for recipe in self.recipes.values():
            if slug := recipe.text("meta.slug"):
                found.setdefault(slug, []).append(recipe)
        return found

    @cached_property
    def by_name(self) -> dict[str, tuple[str, Strategy]]:
        """Strategies and stores by name, with their paths."""
        return {strategy.name: (path, strategy) for path, strategy in self.strategies.items()}

    @cached_property
    def profiles(self) -> dict[str, Profile]:
        """The hardware profiles by id; none where the taxonomy is kept elsewhere."""
        return {profile.id: profile for profile in self.taxonomy.hardware} if self.taxonomy is not None else {}

    @cached_property
    def generations(self) -> Mapping[str, str]:
        """Hardware generations with the brand of each."""
        if self.taxonomy is None:
            return GENERATIONS
        return {name: profile.brand for profile in self.taxonomy.hardware for name in profile.generations}

    @cached_property
    def brands(self) -> frozenset[str]:
        """The brands of hardware."""
        return frozenset(self.generations.values())

    def is_group(self, key: str) -> bool:
        """Whether a key of a map by hardware is a generation, a brand or the default, not one GPU."""
        return key in self.generations or key in self.brands or key == DEFAULT

    def knows(self, vocabulary: str) -> dict[str, Span] | None:
        """The words of a vocabulary and where they are defined; None where it is kept elsewhere."""
        return self._vocabularies.get(vocabulary)

    @cached_property
    def _vocabularies(self) -> dict[str, dict[str, Span]]:
        if self.taxonomy is None:
            return {}
        taxonomy = self.taxonomy
        profiles = {profile.id: profile.span for profile in taxonomy.hardware}
        stores = {strategy.name: FILE_START for strategy in self.strategies.values() if strategy.is_store}
        offloading = {word.text: word.span for word in taxonomy.offloading}
        groups = dict.fromkeys((*self.generations, *self.brands, DEFAULT), FILE_START)
        strategies = {word.text: word.span for word in taxonomy.strategies}
        found = {
            "hardware": profiles,
            "hardware or generation": {**groups, **profiles},
            "generation": dict.fromkeys(self.generations, FILE_START),
            "brand": dict.fromkeys(self.brands, FILE_START),
            "task": {word.text: word.span for word in taxonomy.tasks},
            "strategy": strategies,
            "strategy or hardware": {**dict.fromkeys(_POOLS, FILE_START), **profiles, **strategies},
            "KV offloading": offloading,
            "KV offload choice": {"off": FILE_START, **offloading, **stores},
            "KV store": stores,
        }
        if self.platforms is not None:
            found["platform"] = {word.text: word.span for word in self.platforms.words}
        return found

    def home_of(self, vocabulary: str) -> str:
        """The file that defines a vocabulary."""
        return self.platforms_path if vocabulary == "platform" else self.taxonomy_path

    def emits(self, strategy: str) -> frozenset[str]:
        """The parallel flags that a strategy adds to every command, by their long names."""
        known = self.by_name.get(strategy)
        if known is not None and known[1].parallel_flag and known[1].deploy_type == "single_node":
            return frozenset((known[1].parallel_flag,))
        return _EMITTED.get(strategy.partition("_node_")[2], frozenset())


_POOLS = ("tp", "tep", "dep")
_TENSOR, _DATA, _PIPELINE = "--tensor-parallel-size", "--data-parallel-size", "--pipeline-parallel-size"
_EMITTED = {
    "tp": frozenset((_TENSOR,)),
    "tep": frozenset((_TENSOR,)),
    "dep": frozenset((_DATA,)),
    "tp_pp": frozenset((_TENSOR, _PIPELINE)),
    "tp_dp": frozenset((_TENSOR, _DATA)),
}
"""What the strategies of these names add, by the command synthesis of the public vLLM recipes site (August 2026)."""


_SHORT = {"-tp": _TENSOR, "-dp": _DATA, "-pp": _PIPELINE}


def parallel_flag(token: str) -> str:
    """The long name of the parallel flag that a token is, in whichever spelling; "" for any other token."""
    name = token.partition("=")[0].replace("_", "-")
    long = _SHORT.get(name, name)
    return long if long in _SHORT.values() else ""


def stem(path: str) -> str:
    """A file's name without its suffix."""
    return splitext(basename(path))[0]
