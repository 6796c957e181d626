"""Mutants of the seed's deprecated arm and of the policy that retires it, around the review date."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from seed_scene import (
    AGG_RECIPES,
    KEYS,
    NOSPEC,
    NVIDIA,
    POLICY,
    Found,
    Mutants,
    Scene,
    deprecated,
    idle,
    of_recipes,
    standard,
    unlisted,
)

MUTANTS = Mutants()
DAY_ZERO = " (deprecated from day 0)"
STATUS = "**Status: not yet enacted.** Every non-spec-decode agentic arm above still runs."
PARTIAL = "The speculative-decoding A/B retirements in the second table are **not yet enacted**."
ARM = """      - kv-offloading: dram
        kv-offload-backend: { name: mooncake, version: "0.3.12.post1" }
        conc-list: [48, 64]
        prefill:
          num-worker: 1
          tp: 8
"""
LAST_DAY = datetime.date(2026, 8, 3)
FIRST_DAY = LAST_DAY + datetime.timedelta(days=1)
SECOND_TABLE = ("dsv4", "qwen3.5", "minimaxm3", "glm5.2", "kimik3")


def no_day_zero(scene: Scene, *, base: bool = True) -> None:
    scene.edit(POLICY, DAY_ZERO, "", count=2, base=base)


def enacted(scene: Scene) -> None:
    """The status notes say that the second table was carried out."""
    scene.edit(POLICY, STATUS, "**Status: enacted.** No non-spec-decode agentic arm above runs.", base=True)
    scene.edit(POLICY, PARTIAL, "", base=True)
    scene.edit(POLICY, "**Partially enacted on 2026-08-04**", "**Enacted on 2026-08-04**", base=True)


def without_arm(scene: Scene) -> set[Found]:
    return standard(scene) - {deprecated(scene)}


def _policy(
    severity: str, *changes: Callable[[Scene], None], review: datetime.date | None = None
) -> Callable[[Scene], set[Found]]:
    def mutant(scene: Scene) -> set[Found]:
        for change in changes:
            change(scene)
        scene.review = review or scene.review
        return {*without_arm(scene), *({deprecated(scene, severity=severity)} if severity else set())}

    return mutant


def _heading(day: str, number: int) -> Callable[[Scene], None]:
    """Move the notice's last day."""

    def change(scene: Scene) -> None:
        scene.edit(POLICY, "Monday, August 3, 2026", f"{day}, August {number}, 2026", count=2, base=True)

    return change


def _renamed_prefix(scene: Scene) -> None:
    scene.edit(POLICY, "`kimik3`", "`kimik3x`", count=3, base=True)


def _first_table_row(scene: Scene) -> None:
    row = "| Kimi-K3 (`{}`) | Agentic coding, non-DSpark"
    scene.edit(POLICY, row.format("kimik3"), row.format("kimik4"), base=True)


def _second_table_row(scene: Scene) -> None:
    scene.edit(POLICY, " | Agentic coding non-DSpark arm (deprecated from day 0) |", " | |", base=True)


for _name, _mutant in {
    "day-zero-long-before-the-notice": _policy("error", review=datetime.date(2026, 7, 1)),
    "day-zero-on-the-last-day": _policy("error", review=LAST_DAY),
    "announced": _policy("warning", no_day_zero),
    "announced-on-its-first-day": _policy("warning", no_day_zero, review=FIRST_DAY),
    "announced-on-the-last-day": _policy("", no_day_zero, review=LAST_DAY),
    "enacted": _policy("error", no_day_zero, enacted),
    "enacted-on-its-first-day": _policy("error", no_day_zero, enacted, review=FIRST_DAY),
    "enacted-on-the-last-day": _policy("", no_day_zero, enacted, review=LAST_DAY),
    "enacted-day-zero-on-the-last-day": _policy("error", enacted, review=LAST_DAY),
    "notice-of-the-day-before": _policy("error", no_day_zero, enacted, _heading("Monday", 17)),
    "notice-of-the-review-day": _policy("", no_day_zero, enacted, _heading("Tuesday", 18)),
    "notice-of-the-day-after": _policy("", no_day_zero, enacted, _heading("Wednesday", 19)),
    "announced-for-the-day-after": _policy("", no_day_zero, _heading("Wednesday", 19)),
    "day-zero-in-a-later-notice": _policy("error", _heading("Wednesday", 19)),
    "prefix-of-the-policy-renamed": _policy("", _renamed_prefix),
    "only-the-matrix-row-is-left": _policy("error", _first_table_row),
    "only-the-notice-row-is-left": _policy("error", _second_table_row),
    "both-rows-gone": _policy("", _first_table_row, _second_table_row),
}.items():
    MUTANTS.put(_name, _mutant)


@MUTANTS.add
def no_policy_at_all(scene: Scene) -> set[Found]:
    for tree in (scene.base, scene.head):
        del tree[POLICY]
    return without_arm(scene)


@MUTANTS.add
def policy_relaxed_by_the_change(scene: Scene) -> set[Found]:
    """The head's policy holds: the change itself may take the words "from day 0" out."""
    no_day_zero(scene, base=False)
    return {*without_arm(scene), deprecated(scene, severity="warning")}


# ---- the arm


def _arm(new: str, review: datetime.date | None = None) -> Callable[[Scene], set[Found]]:
    def mutant(scene: Scene) -> set[Found]:
        scene.edit(NVIDIA, ARM, new)
        scene.review = review or scene.review
        return without_arm(scene)

    return mutant


for _method in ("mtp", "draft_model", "'mtp'"):
    _name = f"arm-{_method.strip(chr(39))}-{'quoted' if _method[0] == chr(39) else 'plain'}"
    MUTANTS.put(_name, _arm(ARM.replace("      - kv", f"      - spec-decoding: {_method}\n        kv", 1)))


def _none(written: str) -> Callable[[Scene], set[Found]]:
    def mutant(scene: Scene) -> set[Found]:
        scene.edit(NVIDIA, ARM, ARM.replace("      - kv", f"      - spec-decoding: {written}\n        kv", 1))
        return standard(scene)

    return mutant


for _written in ("none", '"none"'):
    MUTANTS.put(f"arm-{_written.strip(chr(34))}{'-quoted' if _written[0] == chr(34) else ''}", _none(_written))


@MUTANTS.add
def none_at_the_end_of_the_row(scene: Scene) -> set[Found]:
    scene.edit(NVIDIA, ARM, ARM.replace("        conc-list", "        spec-decoding: none\n        conc-list"))
    return standard(scene)


@MUTANTS.add
def every_arm_without_speculation(scene: Scene) -> set[Found]:
    text = scene.head[NVIDIA]
    start, end = text.index(f"\n{KEYS[0]}:\n"), text.index(f"\n{NOSPEC}:\n")
    silent = text[start:end].replace("spec-decoding: mtp", "spec-decoding: none")
    scene.head[NVIDIA] = text[:start] + silent + text[end:]
    rows = {deprecated(scene, key, nth) for key, nth in ((KEYS[0], 1), (KEYS[0], 2), (KEYS[1], 1))}
    return {*standard(scene), *rows}


@MUTANTS.add
def arm_deleted(scene: Scene) -> set[Found]:
    """The key goes, and so its recipe is never run."""
    text = scene.head[NVIDIA]
    start = text.index("# High-throughput aggregate p90-ITL")
    scene.head[NVIDIA] = text[:start] + text[text.index("\n# Kimi-K3 MXFP4 B200", start) + 1 :]
    return {*of_recipes(scene), idle(scene), idle(scene, AGG_RECIPES[1]), unlisted(scene, *KEYS[:2])}


@MUTANTS.add
def arm_moved_into_a_key_that_speculates(scene: Scene) -> set[Found]:
    text = scene.head[NVIDIA]
    start = text.index("# High-throughput aggregate p90-ITL")
    end = text.index("\n# Kimi-K3 MXFP4 B200", start)
    row = text[text.index("      - kv-offloading: dram\n", start) : end].rstrip("\n") + "\n"
    scene.head[NVIDIA] = text[:start].rstrip("\n") + f"\n{row}\n" + text[end + 1 :]
    return {*of_recipes(scene), idle(scene), unlisted(scene, *KEYS[:2]), deprecated(scene, KEYS[1], 2)}


@MUTANTS.add
def arm_split_in_two_rows(scene: Scene) -> set[Found]:
    text = scene.head[NVIDIA]
    start = text.index("      - kv-offloading: dram\n", text.index(f"\n{NOSPEC}:\n"))
    end = text.index("\n\n", start) + 1
    row = text[start:end]
    two = row.replace("[48, 64]", "[48]") + row.replace("[48, 64]", "[64]")
    scene.head[NVIDIA] = text[:start] + two + text[end:]
    return {*standard(scene), deprecated(scene, nth=2)}


@MUTANTS.add
def arm_stood_in_the_base(scene: Scene) -> set[Found]:
    """Then nobody is charged with it, and its neighbours are still new."""
    text = scene.head[NVIDIA]
    start = text.index("# High-throughput aggregate p90-ITL")
    entry = text[start : text.index("\n# Kimi-K3 MXFP4 B200", start)]
    scene.base[NVIDIA] += entry
    scene.base[AGG_RECIPES[1]] = scene.head[AGG_RECIPES[1]]
    return {*of_recipes(scene), idle(scene), unlisted(scene, *KEYS[:2])}


def _prefix(new: str) -> Callable[[Scene], set[Found]]:
    def mutant(scene: Scene) -> set[Found]:
        scene.edit_key(NOSPEC, "model-prefix: kimik3\n", f"model-prefix: {new}\n")
        return without_arm(scene)

    return mutant


for _new in ("kimik3x", "kimik", "kimik3.1", "KimiK3"):
    MUTANTS.put(f"model-prefix-{_new}", _prefix(_new))


@MUTANTS.add
def model_prefix_of_a_retired_model(scene: Scene) -> set[Found]:
    scene.edit_key(NOSPEC, "model-prefix: kimik3\n", "model-prefix: kimik2.5\n")
    return standard(scene)


@MUTANTS.add
def model_prefix_of_another_announced_pair(scene: Scene) -> set[Found]:
    scene.edit_key(NOSPEC, "model-prefix: kimik3\n", "model-prefix: dsv4\n")
    return {*without_arm(scene), deprecated(scene, severity="warning")}


@MUTANTS.add
def arm_in_a_fixed_length_scenario(scene: Scene) -> set[Found]:
    """The pair is retired for agentic coding only; 8k1k itself is active."""
    text = scene.head[NVIDIA]
    start = text.index("    agentic-coding:\n    - dram-utilization: 0.1664\n", text.index(f"\n{NOSPEC}:\n"))
    end = text.index("\n\n", start)
    row = text[text.index("        conc-list", start) : end].replace("        conc", "      - conc", 1)
    body = f"    fixed-seq-len:\n    - isl: 8192\n      osl: 1024\n      search-space:\n{row}"
    scene.head[NVIDIA] = text[:start] + body + text[end:]
    return without_arm(scene)


@MUTANTS.add
def arm_in_a_retired_scenario(scene: Scene) -> set[Found]:
    """1k1k is deprecated for all models, with or without speculation."""
    arm_in_a_fixed_length_scenario(scene)
    scene.edit_key(NOSPEC, "isl: 8192", "isl: 1024")
    return standard(scene)
