"""The acceptance length that a row simulates, by its own settings or by its recipe, beside the golden one.

A launcher of the earlier layout writes `SYNTHETIC_ACCEPTANCE_LENGTH` of a row over what the recipe says, where
`SYNTHETIC_ACCEPTANCE=true` stands beside it. The role that generates decides: decode, else the aggregated one.

Source: the launchers and the notes on curves of the public benchmark repository (August 2026).
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from typing import NamedTuple

from reciplint.domain.golden_curves import Cell, GoldenCurve, GoldenCurves, as_number
from reciplint.domain.master import Row
from reciplint.domain.pairing import Pair
from reciplint.domain.recipe_variant import RecipeRole
from reciplint.domain.speculation import Acceptance, Speculation
from reciplint.yamltree.spans import LineIndex, Span

POLICY_SINCE = datetime.date(2026, 7, 10)
"""Since when the public benchmark repository requires golden lengths of agentic runs, and of no others."""

AGENTIC = "agentic-coding"
ROW_SETTING = "SYNTHETIC_ACCEPTANCE_LENGTH"
_SWITCH = "SYNTHETIC_ACCEPTANCE"
_DRAFTS_ONLY = "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS"
_ASSIGNED = re.compile(r"(?<!\S)(SYNTHETIC_ACCEPTANCE(?:_LENGTH)?)=(\S*)")


class RowPin(NamedTuple):
    """A length among a row's settings: `setting` is the whole text, at `position` of those of a worker block."""

    block: str
    position: int
    setting: str
    text: str

    @property
    def name(self) -> str:
        """The variable."""
        return ROW_SETTING


class RolePin(NamedTuple):
    """A length that a role of the recipe sets."""

    role: RecipeRole
    acceptance: Acceptance

    @property
    def name(self) -> str:
        """The variable, flag or JSON key."""
        return self.acceptance.name

    @property
    def text(self) -> str:
        """The value as written."""
        return self.acceptance.text


Pin = RowPin | RolePin


class Expected(NamedTuple):
    """The golden value for what a role drafts: `cell` is None where that many tokens were not measured."""

    speculation: Speculation
    tokens: int
    curve: GoldenCurve
    cell: Cell | None


def generating_role(pair: Pair) -> RecipeRole | None:
    """The role whose drafts decide what is accepted."""
    return pair.variant.role("decode") or pair.variant.role("agg")


def drafts(pair: Pair) -> Speculation | None:
    """How an agentic row drafts; None for another row, and where row and recipe do not both say that it does."""
    role = generating_role(pair)
    if pair.use.arm.kind != AGENTIC or role is None or (pair.use.row.spec_decoding or "none") == "none":
        return None
    return role.speculation


def expected(curves: GoldenCurves, pair: Pair, speculation: Speculation) -> Expected | None:
    """What an agentic row that drafts has to simulate; None where no one curve is certain."""
    if speculation.tokens is None:
        return None
    curve = curves.find(pair.use.entry.prefix or "", speculation)
    if curve is None or curve == "unknown" or not curve.measured:
        return None
    return Expected(speculation, speculation.tokens, curve, curve.at(speculation.tokens))


def row_pins(row: Row) -> Iterator[RowPin]:
    """Every acceptance length among a row's settings."""
    for block, index, setting in _settings(row):
        for name, text in _ASSIGNED.findall(setting):
            if name == ROW_SETTING:
                yield RowPin(block, index, setting, text)


def is_left_to_launcher(row: Row) -> bool:
    """Whether a row has its launcher look the length up."""
    return is_switched_on(row) and not any(row_pins(row))


def simulated(pair: Pair) -> tuple[Pin, ...]:
    """What decides the acceptance of a row's run: its own setting if that is switched on, else all that the
    generating role sets."""
    pins = list(row_pins(pair.use.row))
    if pins and is_switched_on(pair.use.row):
        return (pins[-1],)
    role = generating_role(pair)
    return tuple(RolePin(role, acceptance) for acceptance in role.acceptance) if role is not None else ()


def set_by_hand(pair: Pair) -> Iterator[Pin]:
    """Every length that a row or any role of its recipe sets."""
    yield from row_pins(pair.use.row)
    for role in pair.variant.roles:
        for acceptance in role.acceptance:
            yield RolePin(role, acceptance)


def value_for(pin: Pin, cell: Cell) -> str:
    """A golden length as a pin has to give it: TensorRT-LLM counts accepted drafts alone, which is one less."""
    number = as_number(cell.length)
    return str(number - 1) if number is not None and pin.name == _DRAFTS_ONLY else cell.length


def agrees(pin: Pin, cell: Cell) -> bool:
    """Whether a pin gives a golden length; a text that is no number may stand for anything."""
    found, wanted = as_number(pin.text), as_number(value_for(pin, cell))
    return found is None or wanted is None or found == wanted


def setting_span(lines: LineIndex, row: Row, setting: str) -> Span:
    """Where one of a row's settings is written, found in the master's text between the row's ends; the row where it
    stands elsewhere, as behind an alias."""
    start = lines.offset(row.span.line, row.span.column)
    end = lines.offset(row.span.end_line, row.span.end_column)
    for match in re.finditer(rf"(?<![^\s\"',\[]){re.escape(setting)}(?![^\s\"',\]])", lines.text[start:end]):
        span = lines.span(start + match.start(), start + match.end())
        if not re.search(r"(^|\s)#", lines.line_text(span.line)[: span.column - 1]):
            return span
    return row.span


def is_switched_on(row: Row) -> bool:
    """Whether a row asks its launcher to simulate acceptance."""
    values = [text for _, _, setting in _settings(row) for name, text in _ASSIGNED.findall(setting) if name == _SWITCH]
    return bool(values) and values[-1].lower() == "true"


def _settings(row: Row) -> Iterator[tuple[str, int, str]]:
    for workers in row.workers:
        block = row.settings.get(workers.role)
        listed = block.get("additional-settings") if isinstance(block, dict) else None
        for index, setting in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(setting, str):
                yield workers.role, index, setting
