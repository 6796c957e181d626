"""What launchers of the public benchmark repository edit in a recipe's text, by regular expression, before it is read.

Read in the launchers and in their injectors of synthetic acceptance, August 2026. A line that no longer looks as they
expect is passed over in silence.
"""

from __future__ import annotations

EDITED_KEYS = frozenset(
    (
        "speculative-config",
        "speculative-num-steps",
        "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS",
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
