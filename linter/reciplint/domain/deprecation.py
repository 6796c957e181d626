"""Whether the policy retires an arm on a given day, and by which of its rows."""

from __future__ import annotations

import datetime

import msgspec

from reciplint.domain.policy import ANY, Deprecation, Policy, sequence_scenario


class ArmFacts(msgspec.Struct, frozen=True):
    """What the policy looks at in an arm. `scenario` is "agentic-coding" or in the style of "8k1k"; the lengths are
    in tokens; `spec_decoding` is the draft method, None or "none" without speculative decoding."""

    prefix: str | None
    scenario: str
    isl: int | None = None
    osl: int | None = None
    precision: str | None = None
    framework: str | None = None
    spec_decoding: str | None = None

    @property
    def speculates(self) -> bool:
        """Whether the arm decodes speculatively."""
        return bool(self.spec_decoding) and str(self.spec_decoding).lower() != "none"


class Reason(msgspec.Struct, frozen=True):
    """A deprecation that meets an arm. One that is not `binding` is announced and not enacted."""

    deprecation: Deprecation
    binding: bool


def reasons(policy: Policy, arm: ArmFacts, date: datetime.date) -> list[Reason]:
    """Why the arm is deprecated on that day, one reason a row of the policy, in the policy's order.

    A deprecation counts from its effective day on; one "from day 0" always.
    """
    found: dict[object, Reason] = {}
    for deprecation in policy.deprecations:
        if not _meets(deprecation, arm) or not _counts(deprecation, date):
            continue
        reason = Reason(deprecation, deprecation.enacted or deprecation.from_day_zero)
        row = (deprecation.text, deprecation.link) if deprecation.from_settings else deprecation.span.line
        known = found.get(row)
        if known is None or (reason.binding and not known.binding):
            found[row] = reason
    return list(found.values())


def _counts(deprecation: Deprecation, date: datetime.date) -> bool:
    return deprecation.from_day_zero or not deprecation.effective or deprecation.effective <= date.isoformat()


def _meets(deprecation: Deprecation, arm: ArmFacts) -> bool:
    names = {ANY, arm.scenario}
    if arm.isl and arm.osl:
        names.add(sequence_scenario(arm.isl, arm.osl))
    precision = (arm.precision or "").lower()
    return (
        bool(arm.prefix)
        and deprecation.prefix in (ANY, arm.prefix)
        and deprecation.scenario in names
        and (not deprecation.precisions or precision in deprecation.precisions)
        and (not deprecation.kept_precisions or (bool(precision) and precision not in deprecation.kept_precisions))
        and deprecation.framework in ("", arm.framework)
        and not (deprecation.non_spec_decode and arm.speculates)
    )
