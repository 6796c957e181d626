"""Scripts and workflows: read only for the YAML files that they name."""

from __future__ import annotations

import re

import msgspec

_NAMED = re.compile(rb"[\w./+{}$*-]*[\w*}]\.ya?ml\b")


class Mentions(msgspec.Struct, frozen=True, tag="mentions"):
    """The paths of YAML files that a text names, variables and all."""

    paths: tuple[str, ...]


def read_mentions(data: bytes) -> Mentions:
    """Every word of a script that ends like a YAML file."""
    return Mentions(tuple(sorted({word.decode("utf-8", "replace") for word in _NAMED.findall(data)})))
