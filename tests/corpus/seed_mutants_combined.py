"""Seeded combinations of independent changes to the seed: what is expected is the sum of what each one says."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable

from seed_mutants_changelog import append, entry
from seed_mutants_policy import ARM, enacted, no_day_zero
from seed_mutants_recipes import FLAG, folded, in_decode
from seed_mutants_references import wire
from seed_scene import (
    IDLE,
    KEYS,
    NOSPEC,
    NVIDIA,
    RECIPES,
    REVIEW,
    SNAKE,
    Found,
    Mutants,
    Scene,
    deprecated,
    idle,
    repeated,
    snake,
    unlisted,
)

MUTANTS = Mutants()
KEBAB = SNAKE.replace("_", "-")
LAST_DAY = datetime.date(2026, 8, 3)
NUMBER = 40

SPELLINGS: dict[str, tuple[Callable[[str], str], tuple[tuple[str, int], ...]]] = {
    "as it is": (lambda text: text, ((SNAKE, 1),)),
    "dashed": (lambda text: text.replace(SNAKE, KEBAB), ()),
    "camel": (lambda text: text.replace(SNAKE, "maxNumBatchedTokens"), (("maxNumBatchedTokens", 1),)),
    "decode": (lambda text: in_decode(text.replace(FLAG, ""), FLAG), ((SNAKE, 1),)),
    "both roles": (lambda text: in_decode(text, FLAG.replace("16384", "512")), ((SNAKE, 1), (SNAKE, 2))),
    "both spellings": (lambda text: text.replace(FLAG, f"{FLAG}      {KEBAB}: 8192\n"), ((SNAKE, 1),)),
}
"""How the flag is spelled, and which of its occurrences are reported then."""


def _combined(seed: int) -> Callable[[Scene], set[Found]]:
    def mutant(scene: Scene) -> set[Found]:
        chance = random.Random(seed)
        parts = [_recipes(scene, chance), _wiring(scene, chance), _arm(scene, chance), _changelog(scene, chance)]
        for path in (*RECIPES, NVIDIA):
            _shift(scene, chance, path)
        return {found for part in parts for found in part()}

    return mutant


Part = Callable[[], set[Found]]


def _recipes(scene: Scene, chance: random.Random) -> Part:
    reported: list[tuple[str, str, int]] = []
    anchored: list[str] = []
    for path in RECIPES:
        change, places = SPELLINGS[chance.choice(list(SPELLINGS))]
        scene.head[path] = change(scene.head[path])
        reported.extend((path, key, nth) for key, nth in places)
        if chance.random() < 0.3:
            scene.head[path] = folded(scene.head[path])
        else:
            anchored.append(path)
    return lambda: {
        *(snake(scene, path, key, nth) for path, key, nth in reported),
        *(repeated(scene, path) for path in anchored),
    }


def _wiring(scene: Scene, chance: random.Random) -> Part:
    if chance.random() < 0.5:
        wire(scene)
        return set
    return lambda: {idle(scene, IDLE)}


def _arm(scene: Scene, chance: random.Random) -> Part:
    method = chance.choice(["", "none", "mtp"])
    if method:
        scene.edit(NVIDIA, ARM, ARM.replace("      - kv", f"      - spec-decoding: {method}\n        kv", 1))
    day_zero, done = chance.random() < 0.4, chance.random() < 0.5
    if not day_zero:
        no_day_zero(scene)
    if done:
        enacted(scene)
    scene.review = chance.choice([LAST_DAY, LAST_DAY + datetime.timedelta(days=1), REVIEW])
    counts = day_zero or scene.review > LAST_DAY
    severity = "error" if day_zero or done else "warning"
    if method == "mtp" or not counts:
        return set
    return lambda: {deprecated(scene, NOSPEC, severity=severity)}


def _changelog(scene: Scene, chance: random.Random) -> Part:
    left = set(KEYS)
    for key in KEYS:
        how = chance.choice(["not", "exact", "scenario", "other scenario", "in the base", "wildcard"])
        if how == "not":
            continue
        scenarios = {"scenario": ("agentic-coding",), "other scenario": ("fixed-seq-len",)}.get(how, ())
        named = key.replace("gb300", "*") if how == "wildcard" else key
        append(scene, f"\n{entry(named, scenarios=scenarios)}", base=how == "in the base")
        left -= {key} if how in ("exact", "scenario", "wildcard") else set()
    uncovered = tuple(key for key in KEYS if key in left)
    return lambda: {unlisted(scene, *uncovered)} if uncovered else set()


def _shift(scene: Scene, chance: random.Random, path: str) -> None:
    """Comment lines at the top, so that no line is where it was."""
    scene.head[path] = f"# note {chance.randrange(99)}\n" * chance.randrange(4) + scene.head[path]


for _seed in range(NUMBER):
    MUTANTS.put(f"{_seed:02}", _combined(_seed))
