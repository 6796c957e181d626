"""Speculative decoding as a role's flags set it up, and the acceptance that it simulates, for every engine.

vLLM takes one JSON object (`speculative-config`), SGLang flags of their own, TensorRT-LLM a nested mapping. The draft
length is the number of tokens drafted a step: vLLM `num_speculative_tokens`, SGLang `speculative-num-steps` (with
DSpark `speculative-dspark-block-size`), TensorRT-LLM `max_draft_len` or `num_nextn_predict_layers`, ATOM
`num-speculative-tokens`, TileRT `num-mtp`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from reciplint.domain.reading import whole


class Speculation(msgspec.Struct, frozen=True, array_like=True):
    """How a role drafts: `method` as written, in lower case; `tokens` a step, None where the engine's default decides;
    `model` and `sampling` of the draft, "" where not given; `key` is the flag that says so."""

    method: str
    tokens: int | None
    model: str
    sampling: str
    key: str


class Acceptance(msgspec.Struct, frozen=True, array_like=True):
    """A simulated acceptance: `name` is the variable or JSON key, `place` the keys that lead to it from the role's
    flags (`args`) or environment (`env`), `text` the value as written."""

    name: str
    section: str
    place: tuple[str, ...]
    text: str


ENVIRONMENT = (
    "SYNTHETIC_ACCEPTANCE_LENGTH",
    "SGLANG_SIMULATE_ACC_LEN",
    "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS",
    "TILERT_SIMULATE_ACC_LEN",
)
"""Variables that pin an acceptance length. TensorRT-LLM's counts accepted draft tokens: the length less one."""

_VLLM_KEY = "synthetic_acceptance_length"


def read_speculation(engine: str, args: Mapping[str, Any]) -> Speculation | None:
    """What a role drafts; None where it does not."""
    if engine == "trtllm":
        return _trtllm(args)
    flags = {key.replace("_", "-"): key for key in args}
    if engine == "sglang":
        return _sglang(args, flags)
    if engine == "atom":
        return _atom(args, flags)
    if engine == "tilert" and "with-mtp" in flags:
        return _tilert(args, flags)
    return _vllm(args, flags)


def read_acceptance(engine: str, args: Mapping[str, Any], env: Mapping[str, Any]) -> tuple[Acceptance, ...]:
    """Every simulated acceptance of a role, in the order of `ENVIRONMENT`, then vLLM's."""
    found = [Acceptance(name, "env", (name,), str(env[name])) for name in ENVIRONMENT if env.get(name) is not None]
    for key, value in args.items():
        name = key.replace("_", "-")
        if name == "speculative-config" and engine != "trtllm":
            config = json_object(value)
            if config.get(_VLLM_KEY) is not None:
                found.append(Acceptance(_VLLM_KEY, "args", (key,), str(config[_VLLM_KEY])))
        elif name == "spec-decode-acceptance-length" and value is not None:
            found.append(Acceptance(key, "args", (key,), str(value)))
    return tuple(found)


def json_object(value: object) -> dict[str, Any]:
    """An object given as a mapping or as JSON text; empty for anything else."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def _vllm(args: Mapping[str, Any], flags: Mapping[str, str]) -> Speculation | None:
    key = flags.get("speculative-config")
    config = json_object(args[key]) if key else {}
    if not key or not config:
        return None
    return Speculation(
        method=str(config.get("method") or "").lower(),
        tokens=whole(config.get("num_speculative_tokens")),
        model=str(config.get("model") or ""),
        sampling=str(config.get("draft_sample_method") or ""),
        key=key,
    )


def _sglang(args: Mapping[str, Any], flags: Mapping[str, str]) -> Speculation | None:
    key = flags.get("speculative-algorithm") or flags.get("speculative-algo")
    if key is None or not args[key]:
        return None
    is_block = str(args[key]).lower() == "dspark"
    steps = flags.get("speculative-dspark-block-size" if is_block else "speculative-num-steps")
    model = flags.get("speculative-draft-model-path") or flags.get("speculative-draft-model")
    return Speculation(
        method=str(args[key]).lower(),
        tokens=whole(args[steps]) if steps else None,
        model=str(args[model] or "") if model else "",
        sampling="",
        key=key,
    )


def _atom(args: Mapping[str, Any], flags: Mapping[str, str]) -> Speculation | None:
    method = str(args.get("method") or "").lower()
    if not method:
        return None
    tokens, model = flags.get("num-speculative-tokens"), flags.get("draft-model")
    return Speculation(
        method=method,
        tokens=whole(args[tokens]) if tokens else None,
        model=str(args[model] or "") if model else "",
        sampling="probabilistic" if method == "dspark" else "",  # as it always verifies DSpark
        key="method",
    )


def _tilert(args: Mapping[str, Any], flags: Mapping[str, str]) -> Speculation | None:
    if args[flags["with-mtp"]] is not True:
        return None
    tokens = flags.get("num-mtp")
    return Speculation("mtp", whole(args[tokens]) if tokens else None, "", "", flags["with-mtp"])


def _trtllm(args: Mapping[str, Any]) -> Speculation | None:
    config = args.get("speculative_config")
    if not isinstance(config, dict) or not config:
        return None
    tokens = whole(config.get("max_draft_len"))
    return Speculation(
        method=str(config.get("decoding_type") or "").lower(),
        tokens=whole(config.get("num_nextn_predict_layers")) if tokens is None else tokens,
        model=str(config.get("speculative_model_dir") or config.get("speculative_model") or ""),
        sampling="",
        key="speculative_config",
    )
