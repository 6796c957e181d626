"""What a repository's policy says is deprecated: model, scenario, precision, arm, and from which day on.

Facts come from MODELS.md (`read_policy`) or from the settings (`policy_from_settings`); both are values that can
be cached. What the text did not say clearly is kept as a doubt: a rule that meets one abstains aloud.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from reciplint.yamltree.spans import FILE_START, Span

ANY = "*"
AGENTIC = "agentic-coding"


def sequence_scenario(isl: int, osl: int) -> str:
    """The scenario's name from its lengths in tokens: "8k1k" for 8192 and 1024."""
    return f"{isl // 1024}k{osl // 1024}k" if not isl % 1024 and not osl % 1024 else f"{isl}/{osl}"


class Deprecation(msgspec.Struct, frozen=True):
    """One thing that the policy retires.

    `prefix` and `scenario` may be "*"; `scenario` is "agentic-coding" or in the style of "8k1k". `precisions` are
    the retired ones (empty: all) and `kept_precisions` the only ones left (empty: no such limit). `effective` is
    the first day of the deprecation as ISO date, "" where the text gives none and so means now. `enacted` is False
    only where the text says that it is not in force yet. `span` and `text` are the row's decisive place and words.
    """

    prefix: str
    scenario: str = ANY
    precisions: tuple[str, ...] = ()
    kept_precisions: tuple[str, ...] = ()
    framework: str = ""
    non_spec_decode: bool = False
    effective: str = ""
    enacted: bool = True
    from_day_zero: bool = False
    span: Span = FILE_START
    text: str = ""
    link: str = ""
    from_settings: bool = False

    @property
    def target(self) -> tuple[str, str, tuple[str, ...], tuple[str, ...], str, bool]:
        """What is retired, without when and why."""
        return (
            self.prefix,
            self.scenario,
            self.precisions,
            self.kept_precisions,
            self.framework,
            self.non_spec_decode,
        )


class Doubt(msgspec.Struct, frozen=True):
    """A place of the policy that was not understood, and what about it."""

    span: Span
    text: str


class Policy(msgspec.Struct, frozen=True, tag="policy"):
    """All deprecations in the order of the text, and what could not be read."""

    deprecations: tuple[Deprecation, ...] = ()
    doubts: tuple[Doubt, ...] = ()

    def joined(self, other: Policy) -> Policy:
        """Both policies as one: what either retires is retired."""
        return Policy(self.deprecations + other.deprecations, self.doubts + other.doubts)


def read_policy(text: str) -> Policy:
    """The policy that the text of a MODELS.md states."""
    from reciplint.domain.policy_reading import read  # the Markdown parser is only paid for on a cache miss

    return read(text)


def policy_from_settings(items: Iterable[Mapping[str, Any]]) -> Policy:
    """The policy from items of the settings: `model-prefix`, `scenario`, `precision` (one or a list), `framework`,
    `non-spec-decode`, `since`, `enacted`, `reason`, `link`. An item retires what all its fields describe."""
    return Policy(tuple(_from_item(item) for item in items))


def _from_item(item: Mapping[str, Any]) -> Deprecation:
    precision = item.get("precision") or ()
    kinds = (precision,) if isinstance(precision, str) else tuple(precision)
    since = item.get("since") or ""
    return Deprecation(
        prefix=str(item.get("model-prefix") or ANY),
        scenario=_scenario(str(item.get("scenario") or ANY)),
        precisions=tuple(str(each).lower() for each in kinds),
        framework=str(item.get("framework") or ""),
        non_spec_decode=bool(item.get("non-spec-decode", False)),
        effective=since.isoformat()[:10] if isinstance(since, datetime.date) else str(since),
        enacted=bool(item.get("enacted", True)),
        text=" ".join(str(item.get("reason") or "").split()),
        link=str(item.get("link") or ""),
        from_settings=True,
    )


def _scenario(name: str) -> str:
    from reciplint.domain.policy_text import scenarios

    found = scenarios(name)
    return found[0] if found else name
