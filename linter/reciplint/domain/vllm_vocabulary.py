"""Where a vLLM recipe uses which vocabulary, and the words that are fixed by the site and not by a taxonomy.

Source: the contributing guide and the command synthesis of the public vLLM recipes repository (August 2026), and the
recipes of vLLM 0.33.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from reciplint.domain.vllm_recipe import Said, VllmRecipeFile
from reciplint.yamltree.spans import Span


class Use(NamedTuple):
    """A word that a recipe uses, as a key or as a value: `text` as the vocabulary spells it, `written` as it stands."""

    vocabulary: str
    text: str
    written: str
    said: Said
    span: Span


_KEYS = (
    ("hardware", "meta.hardware.*"),
    ("hardware", "hardware_opt_in_features.*"),
    ("hardware", "hardware_notes.*"),
    ("hardware", "kv_cache_strategy_hardware.*.*"),
    ("hardware", "omni.tasks.*.hardware_overrides.*"),
    ("hardware or generation", "hardware_overrides.*"),
    ("hardware or generation", "variants.*.hardware_overrides.*"),
    ("hardware or generation", "variants.*.tp.*"),
    ("hardware or generation", "strategy_overrides.*.tp.*"),
    ("hardware or generation", "strategy_overrides.*.hardware_overrides.*"),
    ("hardware or generation", "strategy_overrides.*.prefill.hardware_overrides.*"),
    ("hardware or generation", "strategy_overrides.*.decode.hardware_overrides.*"),
    ("hardware or generation", "strategy_overrides.*.prefill.nodes.*"),
    ("hardware or generation", "strategy_overrides.*.decode.nodes.*"),
    ("hardware or generation", "strategy_overrides.*.prefill.parallelism.*"),
    ("hardware or generation", "strategy_overrides.*.decode.parallelism.*"),
    ("hardware or generation", "strategy_hardware.*.*"),
    ("hardware or generation", "features.*.hardware.*"),
    ("hardware or generation", "features.*.hardware_overrides.*"),
    ("hardware or generation", "features.*.modes.*.hardware.*"),
    ("hardware or generation", "features.*.modes.*.hardware_overrides.*"),
    ("strategy", "strategy_overrides.*"),
    ("strategy", "strategy_hardware.*"),
    ("strategy or hardware", "strategy_min_gpus.*"),
    ("strategy or hardware", "strategy_min_gpus.*.*"),
    ("KV store", "kv_cache_strategy_hardware.*"),
    ("KV offloading", "kv_offload_support.*"),
)
_VALUES = (
    ("hardware", "meta.default_hardware"),
    ("hardware", "variants.*.supported_hardware.*"),
    ("hardware", "presets.*.hardware"),
    ("strategy", "compatible_strategies.*"),
    ("strategy", "default_strategy"),
    ("strategy", "features.*.strategies.*"),
    ("strategy", "presets.*.strategy"),
    ("KV offload choice", "presets.*.select.kv_offload"),
    ("KV offload choice", "presets.*.points.*.select.kv_offload"),
    ("task", "meta.tasks.*"),
    ("omni task", "omni.tasks.*"),
    ("omni task", "omni.tasks.*.id"),
    ("platform", "meta.platforms.*"),
    ("platform", "meta.platforms.*.id"),
    ("brand", "dependencies.*.brand"),
    ("brand", "dependencies.*.brand.*"),
    ("brand", "variants.*.precision_hardware.brand"),
    ("generation", "variants.*.precision_hardware.generation"),
    ("precision", "variants.*.precision"),
    ("hardware status", "meta.hardware.*"),
    ("strategy status", "strategy_hardware.*.*"),
    ("KV offload status", "kv_offload_support.*"),
    ("hardware gate", "kv_cache_strategy_hardware.*.*"),
    ("hardware gate", "features.*.hardware.*"),
    ("hardware gate", "features.*.modes.*.hardware.*"),
)

_GATES = ("unsupported", "supported", "verified")
FIXED = {
    "hardware status": ("verified", "unsupported"),
    "strategy status": ("supported", "unsupported"),
    "KV offload status": ("verified", "unsupported"),
    "hardware gate": _GATES,
    "omni task": ("t2i", "i2i", "t2v", "i2v", "ti2v", "t2a"),
    "precision": (
        "bf16", "fp16", "fp32", "fp8", "fp6", "fp4", "nvfp4", "mxfp8", "mxfp6", "mxfp4",
        "int8", "int4", "int3", "int2", "awq", "gptq",
    ),
}  # fmt: skip
"""Vocabularies of the site itself."""

_ANY_ARCHITECTURE = "arch:"
"""Hardware by compute architecture, `arch:sm90`, which later recipes write."""


def uses(recipe: VllmRecipeFile) -> Iterator[Use]:
    """Every word of a vocabulary that a recipe uses."""
    for vocabulary, pattern in _KEYS:
        for said in recipe.at(pattern):
            yield Use(vocabulary, said.path[-1], said.path[-1], said, said.key_span)
    for vocabulary, pattern in _VALUES:
        for said in recipe.at(pattern):
            if said.text and not said.text.startswith(_ANY_ARCHITECTURE):
                yield from _as_use(vocabulary, said, said.text)


def _as_use(vocabulary: str, said: Said, text: str) -> Iterator[Use]:
    """A value as a use. Brands are written in any case; a checkpoint may mix precisions, as `int2/4/8`."""
    if vocabulary == "precision":
        unknown = [part for part in _precisions(text) if part not in FIXED[vocabulary]]
        if not unknown:
            return
    yield Use(vocabulary, text.lower() if vocabulary == "brand" else text, text, said, said.span)


def _precisions(text: str) -> list[str]:
    first, *others = text.split("/")
    family = first.rstrip("0123456789")
    return [first, *(f"{family}{other}" if other.isdigit() else other for other in others)]
