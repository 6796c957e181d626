"""Seeded mutations of a loaded value: one thing deleted, renamed, retyped, put out of range, swapped or added."""

from __future__ import annotations

import copy
import random
from typing import Any, NamedTuple


class Mutation(NamedTuple):
    """A mutated copy, and what was done to it in words."""

    value: Any
    done: str


NAMES = [
    "tp",
    "pp",
    "ep",
    "dcp-size",
    "pcp-size",
    "dp-attn",
    "num-worker",
    "hardware",
    "additional-settings",
    "conc-list",
    "conc-start",
    "conc-end",
    "router",
    "kv-p2p-transfer",
    "kv-offloading",
    "kv-offload-backend",
    "spec-decoding",
    "prefill",
    "decode",
    "disagg",
    "multinode",
    "dram-utilization",
    "worker",
    "num-nodes",
    "power",
    "srt-recipe",
    "eval-srt-recipe",
    "srt-recipe-dir",
    "require-power",
    "notes",
    "evals-only",
    "all-evals",
    "no-evals",
]
BLOCK = {"num-worker": 1, "tp": 4, "ep": 4, "dp-attn": False}
PLAUSIBLE: dict[str, Any] = {
    "router": {"name": "other", "version": "2"},
    "kv-p2p-transfer": "nixl",
    "kv-offloading": "dram",
    "kv-offload-backend": {"name": "other"},
    "spec-decoding": "mtp",
    "prefill": BLOCK,
    "decode": BLOCK,
    "worker": BLOCK,
    "disagg": True,
    "multinode": True,
    "dp-attn": True,
    "conc-list": [3, 5],
    "hardware": "h100",
    "additional-settings": ["CONFIG_FILE=recipes/x.yaml"],
    "dram-utilization": 0.7,
    "srt-recipe": "other.yaml",
    "eval-srt-recipe": "other.yaml",
    "srt-recipe-dir": "other/folder",
    "power": True,
    "require-power": False,
    "evals-only": True,
    "all-evals": False,
    "no-evals": True,
    "notes": "x",
}
NUMBERS: tuple[Any, ...] = (0, -1, 3, 7, 1.5, 8.0, 10**6)
TYPES: tuple[Any, ...] = (
    "some text",
    "8",
    "",
    None,
    True,
    4,
    2.5,
    [],
    {},
    [1],
    ["x"],
    {"name": "x"},
    "image:x",
    "../up",
    "a:b",
)


def mutations(value: Any, seed: int, count: int) -> list[Mutation]:
    """`count` mutations; the same seed gives the same ones."""
    chance = random.Random(seed)
    result: list[Mutation] = []
    while len(result) < count:
        mutated = copy.deepcopy(value)
        done = chance.choice(_KINDS)(mutated, chance)
        if done and mutated != value:
            result.append(Mutation(mutated, done))
    return result


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key or index) of a value."""
    result: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        node = stack.pop()
        keys: Any = node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            result.append((node, key))
            stack.append(node[key])
    return result


def _mappings(value: Any) -> list[dict[str, Any]]:
    inner = [node[key] for node, key in _places(value) if isinstance(node[key], dict)]
    return [value, *inner] if isinstance(value, dict) else inner


def _delete(value: Any, chance: random.Random) -> str:
    node, key = chance.choice(_places(value))
    del node[key]
    return f"delete {key}"


def _rename(value: Any, chance: random.Random) -> str:
    node = chance.choice(_mappings(value))
    if not node:
        return ""
    key = chance.choice(list(node))
    other = chance.choice([key[:-1], key + "s", key.upper(), chance.choice(NAMES), f"x-{key}"])
    if not other or other in node:
        return ""
    items = [(other if name == key else name, item) for name, item in node.items()]
    node.clear()
    node.update(items)
    return f"rename {key} to {other}"


def _retype(value: Any, chance: random.Random) -> str:
    node, key = chance.choice(_places(value))
    node[key] = copy.deepcopy(chance.choice(TYPES))
    return f"set {key} to {node[key]!r}"


def _range(value: Any, chance: random.Random) -> str:
    numbers = [(n, k) for n, k in _places(value) if isinstance(n[k], (int, float)) and not isinstance(n[k], bool)]
    if not numbers:
        return ""
    node, key = chance.choice(numbers)
    node[key] = chance.choice(NUMBERS)
    return f"set {key} to {node[key]!r}"


def _swap(value: Any, chance: random.Random) -> str:
    node = chance.choice(_mappings(value))
    if len(node) < 2:
        return ""
    one, two = chance.sample(list(node), 2)
    node[one], node[two] = node[two], node[one]
    return f"swap {one} and {two}"


def _flip(value: Any, chance: random.Random) -> str:
    flags = [(n, k) for n, k in _places(value) if isinstance(n[k], bool)]
    if not flags:
        return ""
    node, key = chance.choice(flags)
    node[key] = not node[key]
    return f"flip {key}"


def _add(value: Any, chance: random.Random) -> str:
    node = chance.choice(_mappings(value))
    name = chance.choice(NAMES)
    if name in node:
        return ""
    node[name] = copy.deepcopy(PLAUSIBLE.get(name, chance.choice((1, 2, 3))))
    return f"add {name}"


_KINDS = (_delete, _rename, _retype, _range, _swap, _flip, _add)
