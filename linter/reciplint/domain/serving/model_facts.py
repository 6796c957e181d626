"""What is known of models and GPUs: `schemas/models.yaml`.

A model is recognised by a name that it is served as, or by the end of the path that it is loaded from.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

import msgspec

from reciplint.domain.schemas import table_text
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.scalars import load


class Model(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A family of checkpoints. `id` is its name in the table of constraints, `names` a pattern of their names,
    `context` the most tokens that they take, `parameters` are in billions (None where the family has several sizes),
    and `hybrid` ones keep a recurrent state in some layers instead of keys and values."""

    id: str
    names: str
    source: str
    context: int | None = None
    parameters: float | None = None
    hybrid: bool = False


class Gpu(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A GPU: its maker, its generation, its memory in GB as its maker counts them, how many of them a node has, and how
    many share one NVLink domain (None for those without NVLink)."""

    names: tuple[str, ...]
    brand: str
    generation: str
    memory: int
    per_node: int
    domain: int | None
    source: str

    @property
    def most_bytes(self) -> int:
        """The bytes of its memory at most: makers call GB what are nearly GiB (a B200 of 180 GB has 183,359 MiB)."""
        return self.memory * 1024**3


class Knowledge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file; `bits` are those of a parameter by what a checkpoint's name says of its precision."""

    models: tuple[Model, ...]
    gpus: tuple[Gpu, ...]
    bits: dict[str, float]


@cache
def knowledge() -> Knowledge:
    """What ships with reciplint. Raises `msgspec.ValidationError` where that is out of shape."""
    return msgspec.convert(load(parse_text(table_text("models.yaml")).root), Knowledge)


@lru_cache(maxsize=512)
def model_of(*names: str) -> Model | None:
    """The model that one of some names is of; None where no name tells."""
    for name in names:
        plain = name.rstrip("/").rpartition("/")[2].lower()
        for model in knowledge().models if plain else ():
            if re.fullmatch(model.names, plain):
                return model
    return None


@lru_cache(maxsize=64)
def gpu_of(hardware: str) -> Gpu | None:
    """The GPU of a name as recipes write it (`gb300`, `h200-sxm`, `mi355x`); None where it is not known."""
    name = re.split(r"[^a-z0-9]", hardware.lower(), maxsplit=1)[0]
    return next((gpu for gpu in knowledge().gpus if name in gpu.names), None)


@lru_cache(maxsize=512)
def least_bytes(model: Model | None, name: str) -> float | None:
    """The bytes that a checkpoint of a name has at least: its parameters in the precision that the name says; None
    where the name says none."""
    if model is None or model.parameters is None:
        return None
    words = re.split(r"[^a-z0-9]+", name.lower())
    found = [bits for word, bits in knowledge().bits.items() if word in words]
    return model.parameters * 1e9 * min(found) / 8 if found else None
