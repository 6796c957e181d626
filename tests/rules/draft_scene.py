"""Ways in which a recipe of `recipe_scene` drafts and simulates what is accepted, with the golden curves for it."""

from __future__ import annotations

import json
import random
from decimal import Decimal

from recipe_scene import Path, Role, Scene, put

CURVE = "golden_al_distribution/finch_mtp.yaml"
GOLDEN = {1: "1.71", 2: "2.24", 3: "2.5", 4: "2.66", 5: "2.80"}
VARIABLE = {"sglang": "SGLANG_SIMULATE_ACC_LEN", "trtllm": "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS"}


def curve(lengths: dict[int, str] = GOLDEN) -> str:
    """A curve's file."""
    return "finch-base:\n  thinking_on:\n" + "".join(f"    {tokens}: {length}\n" for tokens, length in lengths.items())


def agentic(engine: str = "vllm", schema: int = 1, era: str = "A", names: tuple[str, ...] = ("agg",)) -> Scene:
    """A row of an agentic scenario that says that it drafts."""
    scene = Scene(engine, schema, era, tuple(Role(name) for name in names), agentic=True)
    scene.row["spec-decoding"] = "mtp"
    return scene


def drafting(scene: Scene, role: str, tokens: int) -> Path:
    """Let a role draft; where it says how."""
    if scene.engine == "vllm":
        path = scene.flag(role, "speculative-config")
        put(scene.recipe, path, json.dumps({"method": "mtp", "num_speculative_tokens": tokens}))
        return path
    if scene.engine == "trtllm":
        path = scene.flag(role, "speculative_config")
        put(scene.recipe, path, {"decoding_type": "MTP", "max_draft_len": tokens})
        return path
    put(scene.recipe, scene.flag(role, "speculative-num-steps"), tokens)
    path = scene.flag(role, "speculative-algorithm")
    put(scene.recipe, path, "NEXTN")
    return path


def simulating(scene: Scene, role: str, length: str) -> Path:
    """Let a role simulate an acceptance length; where it says so."""
    if scene.engine == "vllm":
        path = scene.flag(role, "speculative-config")
        config = {**json.loads(value_at(scene, path)), "synthetic_acceptance_length": float(length)}
        put(scene.recipe, path, json.dumps(config))
        return path
    variable = environment(scene, role, VARIABLE[scene.engine])
    put(scene.recipe, variable, str(Decimal(length) - 1) if scene.engine == "trtllm" else length)
    return variable


def environment(scene: Scene, role: str, name: str) -> Path:
    """Where a variable of a role stands."""
    if scene.schema == 2:
        return ("roles", role, "env", name)
    return ("backend", f"{'aggregated' if role == 'agg' else role}_environment", name)


def by_row(scene: Scene, length: str, switch: str = "true") -> None:
    """Let the row simulate an acceptance length."""
    block = "prefill" if "prefill" in scene.row else "worker"
    settings = scene.row[block].setdefault("additional-settings", [])
    settings[:0] = [f"SYNTHETIC_ACCEPTANCE={switch}", f"SYNTHETIC_ACCEPTANCE_LENGTH={length}"]


def value_at(scene: Scene, path: Path) -> str:
    """The text at a path of the recipe."""
    value = scene.recipe
    for part in path:
        value = value[part]  # type: ignore[index]
    return str(value)


def random_draft(chance: random.Random) -> tuple[Scene, str, int, str]:
    """A scene that simulates the golden length, with the generating role, its draft tokens, and who sets the length:
    the "row" or the "role"."""
    names = chance.choice((("agg",), ("prefill", "decode")))
    scene = agentic(chance.choice(("vllm", "sglang", "trtllm")), chance.choice((1, 2)), "A", names)
    role, tokens = names[-1], chance.choice(tuple(GOLDEN))
    drafting(scene, role, tokens)
    setter = chance.choice(("row", "role"))
    if setter == "row":
        by_row(scene, GOLDEN[tokens])
    else:
        simulating(scene, role, GOLDEN[tokens])
    return scene, role, tokens, setter
