"""The lists of arguments and mappings of variables that a vLLM recipe or strategy writes, which a site puts together.

Each stands for itself, as a process of its own, so that what is wrong in it is told once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from reciplint.domain.releases import Version, engine_of, engine_version, version
from reciplint.domain.serving.config import Places, Program, ServeConfig
from reciplint.domain.serving.from_command import made_flags
from reciplint.domain.serving.model_facts import knowledge
from reciplint.domain.serving.vllm_sheets import Sheet
from reciplint.domain.serving.written_arguments import Written
from reciplint.domain.vllm_recipe import ARGUMENTS, PROSE
from reciplint.yamltree.tree import Mapping, Sequence, Tree, target

Path = tuple[str | int, ...]

_VARIABLES = frozenset(("base_env", "extra_env", "env"))
_MINIMUM = "min_vllm_version"
_IMAGE = "docker_image"
_OVERRIDES = "hardware_overrides"
_SHARED = ("features", _OVERRIDES, "strategy_overrides")


def written_lists(path: str, tree: Tree) -> Iterator[Written]:
    """Every list and every mapping, with the release that runs it."""
    sheet = Sheet(path, tree)
    tasks = sheet.at("meta", "tasks")
    engine = "vllm-omni" if isinstance(tasks, list) and "omni" in tasks else "vllm"
    for place, mapping in tree.mappings():
        for entry in mapping.entries if PROSE.isdisjoint(place) else ():
            name, value = entry.name or "", target(entry.value)
            is_list = name in ARGUMENTS and isinstance(value, Sequence)
            if is_list or (name in _VARIABLES and isinstance(value, Mapping)):
                yield _of_list(sheet, engine, (*place, name), is_list)


def _of_list(sheet: Sheet, engine: str, path: Path, is_list: bool) -> Written:
    """A list of arguments or a mapping of variables, and the release that runs it: that of the image beside it, else
    the least one that the recipe asks for."""
    beside = _image(sheet, path)
    image = sheet.text(*beside) if beside else ""
    words = [word for word in sheet.arguments(*path) if not re.search(r"\s", word.text) or word.text[0] != "-"]
    process = ServeConfig(
        engine=engine,
        role="",
        carrier="vllm-recipe",
        program=Program(()),
        selectors=(),
        written=Places(sheet.key_place(*path)),
        image=image,
        flags=tuple(made_flags(words)) if is_list else (),
        env=() if is_list else tuple(sheet.variables(*path).values()),
    )
    if beside:
        return Written(process, engine_version(image, engine), image, sheet.place(*beside))
    least = _least(sheet, path) if engine == "vllm" else None
    if least is None:
        return Written(process, None)
    return Written(process, version(sheet.text(*least)), f"{_MINIMUM} {sheet.text(*least)}", sheet.place(*least))


def _image(sheet: Sheet, path: Path) -> Path | None:
    """Where the image stands that runs a list: beside it, on the preset that it belongs to, or on the model for the
    brand of its overrides. What variants share may be for hardware that has an image of another project, if any has."""
    places: list[Path] = [(*path[:-1], _IMAGE)]
    places += [(*path[:depth], "image", *more) for depth in range(len(path) - 1, 0, -1) for more in ((), ("vllm",))]
    holders: list[Path] = [path[:2], ("model",)] if path[0] == "variants" else [("model",)]
    places += [(*holder, _IMAGE, brand) for holder in holders for brand in _brands(path)]
    found = next((place for place in places if sheet.text(*place)), None)
    if found is not None or path[0] not in _SHARED:
        return found
    for variant in sheet.mapping("variants"):
        for hardware in sheet.mapping("variants", variant, _OVERRIDES):
            other = ("variants", variant, _OVERRIDES, hardware, _IMAGE)
            if sheet.text(*other) and not engine_of(sheet.text(*other)):
                return other
    return None


def _brands(path: Path) -> Iterator[str]:
    """The makers whose GPUs a list is for, as far as it stands in overrides for some hardware: for a maker, a
    generation or a GPU."""
    for part, key in pairwise(map(str, path)):
        if part == _OVERRIDES:
            gpus = (gpu.brand for gpu in knowledge().gpus if key == gpu.generation or key in gpu.names)
            yield next(gpus, key)


def _least(sheet: Sheet, path: Path) -> Path | None:
    """Where the least release for a list stands: on its variant, else on the model. What features add may be for the
    variant that asks for most. None where only a later build than any release will do."""
    if sheet.at("model", "nightly_required") is True:
        return None
    own = ("variants", path[1], _MINIMUM) if path[0] == "variants" else ("model", _MINIMUM)
    stated: list[Path] = [where for where in (own, ("model", _MINIMUM)) if sheet.text(*where)]
    if path[0] != "features" or not stated:
        return stated[0] if stated else None
    variants = (("variants", name, _MINIMUM) for name in sheet.mapping("variants"))
    known = {where: version(sheet.text(*where)) for where in (*stated, *variants)}
    return max((where for where in known if known[where]), key=lambda where: known[where] or Version(()), default=None)
