"""The container image that a vLLM recipe's variant runs in on some hardware.

Source: the site's own synthesis of commands (vllm-project/recipes, `command-synthesis.js`, August 2026): the variant's
pin for the GPU, the variant's image, the model's, else the engine's image of the brand.
"""

from __future__ import annotations

from reciplint.domain.serving.config import Place
from reciplint.domain.serving.vllm_sheets import Hardware, Sheet

_DEFAULTS = {
    "nvidia": "vllm/vllm-openai:latest",
    "amd": "vllm/vllm-openai-rocm:latest",
    "tpu": "vllm/vllm-tpu:latest",
    "intel": "vllm/vllm-openai-cpu:latest-x86_64",
    "xpu": "vllm/vllm-openai-xpu:latest",
}
_NIGHTLY = {
    "nvidia": "vllm/vllm-openai:nightly",
    "amd": "vllm/vllm-openai-rocm:nightly",
    "tpu": "vllm/vllm-tpu:nightly",
}
_CUDA = ("cu130", "cu129")


def image_of(recipe: Sheet, variant: str, hardware: Hardware) -> tuple[str, Place | None]:
    """The image, and where it is pinned; None where it is the brand's default, "" where there is none."""
    brand = _brand(hardware)
    exact = ("variants", variant, "hardware_overrides", hardware.id, "docker_image")
    if recipe.text(*exact):
        return recipe.text(*exact), recipe.place(*exact)
    for path in (("variants", variant, "docker_image"), ("model", "docker_image")):
        for candidate in _candidates(path, brand):
            if recipe.text(*candidate):
                return recipe.text(*candidate), recipe.place(*candidate)
    if hardware.generation == "xpu":
        return _DEFAULTS["xpu"], None
    defaults = _NIGHTLY if recipe.at("model", "nightly_required") is True else _DEFAULTS
    return defaults.get(brand, ""), None


def _candidates(path: tuple[str, ...], brand: str) -> list[tuple[str, ...]]:
    """Where an image for a brand may stand: by brand, by CUDA version, or bare, which is NVIDIA's."""
    found = [(*path, brand)]
    if brand == "nvidia":
        found += [(*path, brand, cuda) for cuda in _CUDA] + [(*path, cuda) for cuda in _CUDA] + [path]
    return found


def _brand(hardware: Hardware) -> str:
    if hardware.generation == "tpu":
        return "tpu"
    if hardware.brand == "AMD":
        return "amd"
    return "intel" if hardware.brand == "Intel" or hardware.generation in ("cpu", "xpu") else "nvidia"
