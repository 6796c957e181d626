"""Which deprecations meet an arm, and from which day on."""

from __future__ import annotations

import datetime

import pytest

from reciplint.domain.deprecation import ArmFacts, reasons
from reciplint.domain.policy import Deprecation, Policy, policy_from_settings
from reciplint.yamltree.spans import Span

DAY = datetime.date(2026, 8, 20)
AGENTIC = ArmFacts("heron2", "agentic-coding", precision="fp8", framework="vllm")
FIXED = ArmFacts("heron2", "8k1k", 8192, 1024, "fp8", "vllm", "mtp")


def met(arm: ArmFacts, *deprecations: Deprecation, day: datetime.date = DAY) -> list[bool]:
    """Whether each reason binds."""
    return [reason.binding for reason in reasons(Policy(deprecations), arm, day)]


@pytest.mark.parametrize("prefix", ["heron2.1", "heron", "Heron2", None, ""])
def test_prefix_must_match_exactly(prefix: str | None) -> None:
    arm = ArmFacts(prefix, "agentic-coding")
    assert met(arm, Deprecation("heron2")) == []
    assert met(AGENTIC, Deprecation("heron2")) == [True]


@pytest.mark.parametrize(("day", "expected"), [(19, []), (20, [True]), (21, [True])])
def test_counts_from_its_effective_day_on(day: int, expected: list[bool]) -> None:
    retired = Deprecation("heron2", effective="2026-08-20")
    assert met(AGENTIC, retired, day=datetime.date(2026, 8, day)) == expected


def test_without_a_date_it_counts_always() -> None:
    assert met(AGENTIC, Deprecation("heron2"), day=datetime.date(2020, 1, 1)) == [True]


def test_not_yet_enacted_does_not_bind_unless_from_day_zero() -> None:
    pending = Deprecation("heron2", effective="2026-08-04", enacted=False)
    assert met(AGENTIC, pending) == [False]
    assert met(AGENTIC, pending, day=datetime.date(2026, 8, 3)) == []
    day_zero = Deprecation("heron2", effective="2026-08-04", enacted=False, from_day_zero=True)
    assert met(AGENTIC, day_zero, day=datetime.date(2026, 8, 3)) == [True]


@pytest.mark.parametrize(
    ("spec_decoding", "expected"), [(None, [True]), ("none", [True]), ("None", [True]), ("mtp", []), ("dspark", [])]
)
def test_arm_without_speculative_decoding(spec_decoding: str | None, expected: list[bool]) -> None:
    arm = ArmFacts("heron2", "agentic-coding", spec_decoding=spec_decoding)
    assert met(arm, Deprecation("heron2", "agentic-coding", non_spec_decode=True)) == expected


def test_non_spec_pair_of_one_scenario_leaves_the_other_alone() -> None:
    pair = Deprecation("heron2", "agentic-coding", non_spec_decode=True)
    assert met(ArmFacts("heron2", "8k1k", 8192, 1024), pair) == []


def test_scenario_by_name_or_by_lengths() -> None:
    assert met(FIXED, Deprecation("*", "8k1k")) == [True]
    assert met(FIXED, Deprecation("*", "1k1k")) == []
    assert met(AGENTIC, Deprecation("*", "8k1k")) == []
    assert met(ArmFacts("heron2", "fixed-seq-len", 1024, 8192), Deprecation("*", "1k8k")) == [True]


def test_precisions_retired_and_kept() -> None:
    assert met(FIXED, Deprecation("heron2", precisions=("bf16",))) == []
    assert met(FIXED, Deprecation("heron2", precisions=("bf16", "fp8"))) == [True]
    assert met(FIXED, Deprecation("heron2", kept_precisions=("fp4", "fp8"))) == []
    assert met(FIXED, Deprecation("heron2", kept_precisions=("fp4",))) == [True]
    assert met(ArmFacts("heron2", "8k1k"), Deprecation("heron2", kept_precisions=("fp4",))) == []


def test_framework_of_the_settings() -> None:
    assert met(FIXED, Deprecation("heron2", framework="atom")) == []
    assert met(FIXED, Deprecation("heron2", framework="vllm")) == [True]


def test_one_reason_a_row_of_the_policy_and_the_binding_one_wins() -> None:
    pending = Deprecation("heron2", enacted=False, span=Span(9, 1, 9, 5))
    same_row = Deprecation("heron2", "agentic-coding", span=Span(9, 8, 9, 12))
    other = Deprecation("*", "agentic-coding", span=Span(2, 1, 2, 5))
    found = reasons(Policy((pending, same_row, other)), AGENTIC, DAY)
    assert [(reason.deprecation, reason.binding) for reason in found] == [(same_row, True), (other, True)]


def test_items_of_the_settings_are_reasons_of_their_own() -> None:
    policy = policy_from_settings(
        [
            {"model-prefix": "heron2", "reason": "old"},
            {"scenario": "agentic-coding", "reason": "dear", "enacted": False},
        ]
    )
    assert [reason.binding for reason in reasons(policy, AGENTIC, DAY)] == [True, False]
