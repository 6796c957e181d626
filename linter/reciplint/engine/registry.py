"""Every rule there is: each file of `rules/<category>/` is one, found by its name, or makes several of a table.

A run that finds everything in the cache needs only the rules that see whole projects, so rules are imported when
they are used; what they can do is told by an index that ships with them, and kept in the cache.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import msgspec

import reciplint.rules
from reciplint.domain.schemas import schemas_home
from reciplint.rules.rule import Check, RowRule, Rule

if TYPE_CHECKING:
    from reciplint.engine.cache import Cache

_CHECKS = ("document", "project", "change")


class Card(msgspec.Struct, frozen=True):
    """What can be told of a rule without importing it. `runs_on` holds document, project, change; `is_row` is for one
    that its module makes of a row of a table; `kinds` are the kinds of document that it is for; one that `is_optional`
    runs only where it is selected or the settings give it a severity."""

    id: str
    category: str
    module: str
    runs_on: tuple[str, ...]
    suppressible: bool
    is_row: bool = False
    kinds: tuple[str, ...] = ()
    is_optional: bool = False


class Registered:
    """A rule: its card, and the module behind it once that is needed."""

    def __init__(self, card: Card) -> None:
        self.card = card

    @cached_property
    def module(self) -> ModuleType:
        """The rule's file."""
        return importlib.import_module(self.card.module)

    @cached_property
    def _row(self) -> RowRule | None:
        if not self.card.is_row:
            return None
        row: RowRule = self.module.RULES[self.card.id]
        return row

    @property
    def rule(self) -> Rule:
        """The rule's facts."""
        rule: Rule = self._row.rule if self._row else self.module.RULE
        return rule

    @property
    def page(self) -> str:
        """The rule's page, as written."""
        return self._row.page() if self._row else self.module.__doc__ or ""

    @property
    def runs_on(self) -> list[str]:
        """What the rule sees: document, project, change; `engine` for one that the engine itself reports."""
        return list(self.card.runs_on) or ["engine"]

    def check(self, of: str) -> Check:
        """The rule's check of a document, a project or a change, which its card says it has; that of a document, of a
        row, tells what all rows of its table find."""
        found: Check = self._row.checks[of] if self._row else getattr(self.module, f"check_{of}")
        return found


def all_rules(cache: Cache | None = None) -> dict[str, Registered]:
    """Rule id → rule, sorted by id; from the index in the cache if there is one."""
    if cache is None or not cache.is_open:
        return _registered(shipped_cards() or made_cards())
    key = cache.key("rule-index")
    known = cache.fetch([key]).get(key)
    if known is not None:
        try:
            return _registered(msgspec.msgpack.decode(known, type=list[Card]))
        except msgspec.MsgspecError:
            pass
    cards = shipped_cards() or made_cards()
    cache.store({key: msgspec.msgpack.encode(cards)})
    return _registered(cards)


def _registered(cards: Iterable[Card]) -> dict[str, Registered]:
    return {card.id: Registered(card) for card in cards}


class Shipped(msgspec.Struct, frozen=True):
    """The index that ships with the rules: their cards, and a digest of the files that they were made from."""

    digest: str
    cards: list[Card]


INDEX = Path(next(iter(reciplint.rules.__path__))) / "index.json"


def shipped_cards() -> list[Card]:
    """The cards of the index that ships with the rules; none where a rule was written or changed since."""
    try:
        shipped = msgspec.json.decode(INDEX.read_bytes(), type=Shipped)
    except (OSError, msgspec.MsgspecError):
        return []
    return shipped.cards if shipped.digest == rules_digest() else []


def rules_digest() -> str:
    """A digest of every file that holds rules."""
    summary = hashlib.blake2b(digest_size=16)
    for file in (*sorted(INDEX.parent.glob("*/*.py")), schemas_home() / "constraints.yaml"):
        summary.update(f"{file.parent.name}/{file.name}\0".encode() + file.read_bytes() + b"\0")
    return summary.hexdigest()


def made_cards() -> list[Card]:
    """The cards of all rules, by importing every one."""
    home = INDEX.parent
    found = [
        card
        for category in pkgutil.iter_modules([str(home)])
        if category.ispkg
        for module in pkgutil.iter_modules([str(home / category.name)])
        for card in _cards_of(f"reciplint.rules.{category.name}.{module.name}")
    ]
    return sorted(found, key=lambda card: card.id)


def _cards_of(name: str) -> Iterator[Card]:
    module = importlib.import_module(name)
    _, _, category, file = name.split(".")
    if hasattr(module, "RULES"):
        for row in module.RULES.values():
            yield _card(row.rule, category, name, tuple(row.checks), is_row=True)
        return
    rule: Rule = module.RULE
    if rule.id != file.replace("_", "-"):
        raise ValueError(f"{name} holds the rule {rule.id!r}: the file name is the id")
    runs_on = tuple(of for of in _CHECKS if hasattr(module, f"check_{of}"))
    yield _card(rule, category, name, runs_on)


def _card(rule: Rule, category: str, module: str, runs_on: tuple[str, ...], is_row: bool = False) -> Card:
    kinds = tuple(sorted(kind.value for kind in rule.kinds))
    return Card(rule.id, category, module, runs_on, rule.suppressible, is_row, kinds, rule.is_optional)
