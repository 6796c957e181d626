"""Which engine a framework of a master config serves with, and which fleet its runner belongs to.

A framework is an engine alone, or with how it is deployed: `dynamo-vllm`, `sglang-disagg`, `llmd-vllm`. Dynamo and
llm-d deploy engines and are none.
"""

from __future__ import annotations

import datetime

from reciplint.domain.name_tokens import read_name

POLICY_SINCE = datetime.date(2026, 7, 3)
"""Since when the public benchmark repository requires images of the engines' projects, and open engines first."""

OPEN_ENGINES = ("vllm", "sglang")
"""The engines that every vendor is expected to serve with first."""


def open_engine(framework: str) -> str:
    """The open engine that a framework serves with; "" for another one."""
    words = framework.lower().split("-")
    return next((engine for engine in OPEN_ENGINES if engine in words), "")


def sku_of(runner: str) -> str:
    """The established GPU that a runner label names (`cluster:b200-lab` is a b200); "" where it names none, as for new
    hardware."""
    return next((token.word for token in read_name(runner.replace(":", "-")) if token.topic == "gpu"), "")
