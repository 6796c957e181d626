"""What launchers of the public benchmark repository edit in a recipe's text, by regular expression, before it is read.

Read in the launchers and in their injectors of synthetic acceptance, August 2026. A line that no longer looks as they
expect is passed over in silence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DELETED_KEY = "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS"
"""A key whose lines are deleted wherever they stand: the block of an override that held nothing else is then null, and
that deletes the base's."""

READ_ONCE_KEY = "speculative-config"
"""A key of which a row that simulates acceptance has the first one of the file read, and all of them rewritten."""

EDITED_KEYS = frozenset(
    (
        READ_ONCE_KEY,
        "speculative-num-steps",
        DELETED_KEY,
        "watchdog-timeout",
        "name",
        "max_attempts",
        "health_check",
        "telemetry",
        "provider",
        "enabled",
        "orchestrator_placement",
    )
)
"""Keys whose lines are edited wherever they stand: each role needs its own."""

HEADER_EDITED_ENGINE = "sglang"
"""The engine in whose recipes lines are put in below `  prefill_environment:`, which must end with its colon, for rows
that simulate acceptance."""

RENAMED_GPU = "h100"
"""The GPUs whose launcher edits the file that `CONFIG_FILE` names without taking a selector off it."""


def edited_in_place(recipe: Mapping[str, Any], gpu_type: str) -> str:
    """The key of a plain recipe whose line a launcher looks for at its depth in a plain one, and would not find below
    `base`; "" where there is none, or where the recipe says already what it would be made to say.

    `name` is looked for at the first column too, but no run depends on that edit: srt-slurm takes the runner's name.
    """
    telemetry = recipe.get("telemetry")
    health = recipe.get("health_check")
    if isinstance(telemetry, Mapping) and telemetry.get("provider") == "dcgm-power" and telemetry.get("enabled"):
        return "telemetry"
    if gpu_type.startswith("h200") and health != {"max_attempts": 720, "interval_seconds": 10}:
        return "health_check"
    if gpu_type.startswith("b200") and isinstance(health, Mapping) and health.get("max_attempts", 720) != 720:
        return "max_attempts"
    blocks = (block for block in recipe.values() if isinstance(block, Mapping))
    if gpu_type.startswith("gb300") and any(block.get("orchestrator_placement") == "first_decode" for block in blocks):
        return "orchestrator_placement"
    return ""
