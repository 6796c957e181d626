"""The parallel sizes of each role of a recipe, for every engine, in one normal form.

Engines spell the same size in different ways, and mean different things by data parallelism:

| size | vLLM | SGLang | TensorRT-LLM | ATOM, TileRT, TokenSpeed |
|---|---|---|---|---|
| tensor | `tensor-parallel-size` | `tensor-parallel-size`, `tp-size` | `tensor_parallel_size` | as vLLM |
| pipeline | `pipeline-parallel-size` | `pipeline-parallel-size`, `pp-size` | `pipeline_parallel_size` | as vLLM |
| data | `data-parallel-size` | `data-parallel-size`, `dp-size` | the attention's: tensor | as vLLM |
| expert | `enable-expert-parallel`: all ranks | `ep-size` | `moe_expert_parallel_size` | as vLLM |
| attention data | data > 1 | `enable-dp-attention` | `enable_attention_dp` | data > 1 |
| decode context | `decode-context-parallel-size` | the same, `dcp-size` | – | as vLLM |
| prefill context | `prefill-context-parallel-size` | `attn-cp-size` | `context_parallel_size` | as vLLM |

GPUs of a worker: vLLM's data-parallel ranks each have GPUs of their own (tensor × data × pipeline × prefill context);
SGLang's and TensorRT-LLM's attention ranks share the tensor-parallel ones (tensor × pipeline), and SGLang without
attention data parallelism starts whole replicas (tensor × pipeline × data). Decode context and expert parallelism
reuse GPUs everywhere; so does SGLang's attention context parallelism.

Source: the engines' own definitions, and 2,049 role rows of the benchmark repository (August 2026), whose expert,
attention-data and pipeline sizes all agree with this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class Topology(msgspec.Struct, frozen=True, array_like=True):
    """Parallel sizes of one worker, each at least 1. `stated` says whether the recipe gives a tensor size at all:
    an engine whose default decides the size leaves it open."""

    tp: int
    pp: int
    dp: int
    ep: int
    dcp: int
    pcp: int
    dp_attention: bool
    gpus: int
    stated: bool

    @property
    def ranks(self) -> int:
        """Attention data-parallel ranks of a worker, each with a scheduler and a batch of its own."""
        return self.dp if self.dp_attention else 1


_TENSOR = ("tensor-parallel-size", "tp-size", "tp", "tensor_parallel_size")
_PIPELINE = ("pipeline-parallel-size", "pp-size", "pp", "pipeline_parallel_size")
_DATA = ("data-parallel-size", "dp-size", "dp", "data_parallel_size")
_EXPERT = ("expert-parallel-size", "ep-size", "ep", "expert_parallel_size")
_DECODE_CONTEXT = ("decode-context-parallel-size", "dcp-size")

FLAGS = {
    "gpus": (*_TENSOR, *_DATA),
    "ep": ("enable-expert-parallel", *_EXPERT, "moe_expert_parallel_size"),
    "dp-attn": ("enable-dp-attention", "enable_attention_dp", *_DATA),
    "pp": _PIPELINE,
    "dcp-size": _DECODE_CONTEXT,
}
"""Which flags decide a size that a row states, to point at: the first of them that a role sets."""


def read_topology(engine: str, args: Mapping[str, Any]) -> Topology:
    """The sizes that an engine's flags come to. Flags with underscores count as their dashed spelling."""
    if engine == "trtllm":
        return _trtllm(args)
    flags = {key.replace("_", "-"): value for key, value in args.items()}
    return _sglang(flags) if engine == "sglang" else _vllm(engine, flags)


def _vllm(engine: str, flags: Mapping[str, Any]) -> Topology:
    tp, pp, dp = (_size(flags, names) for names in (_TENSOR, _PIPELINE, _DATA))
    pcp = _size(flags, ("prefill-context-parallel-size",))
    expert = _is_on(flags, "enable-expert-parallel")
    attention = dp > 1 or (engine != "vllm" and _is_on(flags, "enable-dp-attention"))
    return Topology(
        tp=tp,
        pp=pp,
        dp=dp,
        ep=tp * dp if expert else _size(flags, _EXPERT) if engine != "vllm" else 1,
        dcp=_size(flags, _DECODE_CONTEXT),
        pcp=pcp,
        dp_attention=attention,
        gpus=tp * dp * pp * pcp,
        stated=_is_stated(flags),
    )


def _sglang(flags: Mapping[str, Any]) -> Topology:
    tp, pp, dp = (_size(flags, names) for names in (_TENSOR, _PIPELINE, _DATA))
    attention = _is_on(flags, "enable-dp-attention")
    return Topology(
        tp=tp,
        pp=pp,
        dp=dp,
        ep=_size(flags, _EXPERT),
        dcp=_size(flags, _DECODE_CONTEXT),
        pcp=_size(flags, ("attn-cp-size", "attention-context-parallel-size")),
        dp_attention=attention,
        gpus=tp * pp * (1 if attention else dp),
        stated=_is_stated(flags),
    )


def _trtllm(args: Mapping[str, Any]) -> Topology:
    tp, pp = _size(args, ("tensor_parallel_size",)), _size(args, ("pipeline_parallel_size",))
    pcp = _size(args, ("context_parallel_size",))
    attention = args.get("enable_attention_dp") is True
    return Topology(
        tp=tp,
        pp=pp,
        dp=tp if attention else 1,
        ep=_size(args, ("moe_expert_parallel_size",)),
        dcp=1,
        pcp=pcp,
        dp_attention=attention,
        gpus=tp * pp * pcp,
        stated="tensor_parallel_size" in args,
    )


def _size(flags: Mapping[str, Any], names: tuple[str, ...]) -> int:
    for name in names:
        value = flags.get(name)
        if isinstance(value, str) and value.isdecimal() and len(value) < 20:
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return 1


def _is_on(flags: Mapping[str, Any], name: str) -> bool:
    return flags.get(name) is True or flags.get(name) in ("true", "True")


def _is_stated(flags: Mapping[str, Any]) -> bool:
    return any(name in flags for name in _TENSOR)
