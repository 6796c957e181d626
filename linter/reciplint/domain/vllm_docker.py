"""The Docker images that a vLLM recipe names: whether they are image references, and which vLLM release they hold.

Source: the grammar of the `distribution` reference library; the tags of the images that vLLM publishes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from reciplint.yamltree.tree import Concrete, Mapping, Node, Scalar, Tree, target

Path = tuple[str | int, ...]
Release = tuple[int, ...]

_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_HOST = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_REFERENCE = re.compile(
    rf"(?:{_HOST}(?:\.{_HOST})*(?::\d+)?/)?{_PART}(?:/{_PART})*(?::\w[\w.-]{{0,127}})?(?:@[A-Za-z0-9+._-]+:[0-9a-f]{{32,}})?\Z",
    re.ASCII,
)
_COMMAND = re.compile(r"(?:sudo\s+)?(?:docker|podman|nerdctl)\s+(?:image\s+)?(?:pull|run)\s+(?P<rest>\S.*)\Z")
_SCHEME = re.compile(r"(?:https?|docker|oci)://(?P<rest>.+)\Z")
_RELEASED = re.compile(r"vllm/vllm-openai(?:-rocm|-cpu|-xpu)?:v(?P<release>\d+(?:\.\d+)+)(?:$|-|\.post)")
_OWN = re.compile(r"vllm/vllm-openai(?P<build>-rocm|-cpu|-xpu)?(?:[:@]|$)")
_BRANDS = {"": "nvidia", "-rocm": "amd", "-cpu": "intel", "-xpu": "intel"}
_KEY = "docker_image"
_RELEASE = re.compile(r"\d+(?:\.\d+)+\Z")


class Image(NamedTuple):
    """An image with its path, its node, and the paths of the minimum releases that it has to reach."""

    path: Path
    node: Node
    text: str
    minimums: tuple[Path, ...]


def images(tree: Tree) -> Iterator[Image]:
    """Every image that a recipe names: of the model, of variants, of their hardware, of presets."""
    root = tree.root
    if not isinstance(root, Mapping):
        return
    own = (("model", "min_vllm_version"),)
    for path, node in tree.walk():
        if path in (("model", "docker_image"),) or (len(path) == 3 and (path[0], path[2]) == ("presets", "image")):
            yield from _leaves(path, node, own)
        elif len(path) in (3, 5) and path[0] == "variants" and path[-1] == "docker_image":
            yield from _leaves(path, node, (*own, ("variants", path[1], "min_vllm_version")))


def _leaves(path: Path, node: Node, minimums: tuple[Path, ...]) -> Iterator[Image]:
    """The images of a value that is one image, or images by brand and CUDA version."""
    concrete: Concrete = target(node)
    if isinstance(concrete, Scalar):
        yield Image(path, node, concrete.value, minimums)
    elif isinstance(concrete, Mapping):
        for entry in concrete.entries:
            yield from _leaves((*path, entry.name or ""), entry.value, minimums)


def belongs_to(image: Image) -> tuple[str, str]:
    """The brand that an image is looked up for, and the one that it is built for; "" where either cannot be told."""
    asked = image.path[-1] if image.path[-1] in _BRANDS.values() else "nvidia" if image.path[-1] == _KEY else ""
    own = _OWN.match(image.text)
    per_hardware = "hardware_overrides" in image.path
    return ("", "") if own is None or per_hardware else (str(asked), _BRANDS.get(own["build"] or "", ""))


def is_reference(text: str) -> bool:
    """Whether a text is an image reference, or holds a variable and cannot be told."""
    return "$" in text or _REFERENCE.match(text) is not None


def meant_reference(text: str) -> str:
    """The image reference that a text probably means; "" where that cannot be told."""
    rest = text.strip()
    for pattern in (_COMMAND, _SCHEME):
        if match := pattern.match(rest):
            rest = match["rest"].strip()
    name, colon, tag = rest.rpartition(":")
    candidates = (rest, f"{name.lower()}{colon}{tag}" if colon else rest.lower())
    return next((one for one in candidates if one != text and _REFERENCE.match(one)), "")


def release_in(image: str) -> str:
    """The vLLM release in one of vLLM's own images; "" where the tag names none."""
    match = _RELEASED.match(image)
    return match["release"] if match else ""


def release(text: str) -> Release | None:
    """A release as numbers, to compare; None for what is none, as nightly."""
    return tuple(map(int, text.split("."))) if _RELEASE.match(text) else None
