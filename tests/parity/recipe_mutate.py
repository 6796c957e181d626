"""Seeded mutations of a recipe: blocks dropped, keys misspelt, deleted or added, values of another type or range.

Engine flags and environments stay as they are: other rules judge them.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

from mutate import Mutation

from reciplint.domain.schemas import vocabulary

FREE = frozenset(("args", "prefill", "decode", "aggregated", "environment", "env", "store_config", "kv_events_config"))
FREE_PARENTS = frozenset(("sglang_config", "vllm_config", "trtllm_config", "mocker_config"))
VALUES: tuple[Any, ...] = (
    *("some text", "8", "", "true", "none", "nsys", "nsys-time", "torch", "head", "last_decode", "first_decode"),
    *("vllm", "sglang", "trtllm", "trtllm_serve", "dynamo", "mocker", "atomic", "sa-bench", "custom", "nats", "4x8"),
    *(None, True, False, 0, -1, 1, 2, 8, 2.5, 8.0, 70000),
    *([], {}, [1], ["x"], [1, 1], ["4", 8], {"name": "x"}, {"enabled": True}, {"start_step": 1, "stop_step": 9}),
)


def recipe_mutations(recipe: dict[str, Any], seed: int, count: int) -> list[Mutation]:
    """`count` mutations of a loaded recipe; the same seed gives the same ones."""
    chance = random.Random(seed)
    names = sorted(vocabulary("recipe-1"))
    result: list[Mutation] = []
    while len(result) < count:
        mutated = copy.deepcopy(recipe)
        holder, key = chance.choice(list(_places(mutated)))
        done = _mutate(holder, key, names, chance)
        if mutated != recipe:
            result.append(Mutation(mutated, done))
    return result


def _places(recipe: Any) -> Iterator[tuple[Any, Any]]:
    stack: list[tuple[str, Any]] = [("", recipe)]
    while stack:
        parent, node = stack.pop()
        keys: Any = node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            yield node, key
            name = str(key)
            free = name.endswith("_environment") or (
                name in FREE and (parent in FREE_PARENTS or name not in ("prefill", "decode", "aggregated"))
            )
            if not free:
                stack.append((name, node[key]))


def _mutate(holder: Any, key: Any, names: list[str], chance: random.Random) -> str:
    kind = chance.choice(("delete", "misspell", "retype", "retype", "add", "add"))
    if kind == "delete":
        del holder[key]
    elif kind == "misspell" and isinstance(holder, dict):
        position = chance.randrange(len(key))
        holder[key[:position] + key[position + 1 :] or "x"] = holder.pop(key)
    elif kind == "add" and isinstance(holder, dict):
        added = chance.choice(names)
        holder[added] = copy.deepcopy(chance.choice(VALUES))
        return f"{added} = {holder[added]!r} added beside {key}"
    else:
        holder[key] = copy.deepcopy(chance.choice(VALUES))
        return f"{key} set to {holder[key]!r}"
    return f"{kind} {key}"
