"""Every rule there is: each file of `rules/<category>/` is one, found by its name.

A run that finds everything in the cache needs only the rules that see whole projects, so rules are imported when
they are used; what they can do is kept in the cache as an index.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import msgspec

import reciplint.rules
from reciplint.rules.finding import Finding
from reciplint.rules.rule import Rule

if TYPE_CHECKING:
    from reciplint.engine.cache import Cache

Check = Callable[..., Iterator[Finding]]

_CHECKS = ("document", "project", "change")


class Card(msgspec.Struct, frozen=True):
    """What can be told of a rule without importing it. `runs_on` holds document, project, change."""

    id: str
    category: str
    module: str
    runs_on: tuple[str, ...]
    suppressible: bool


class Registered:
    """A rule: its card, and the module behind it once that is needed."""

    def __init__(self, card: Card) -> None:
        self.card = card

    @cached_property
    def module(self) -> ModuleType:
        """The rule's file."""
        return importlib.import_module(self.card.module)

    @property
    def rule(self) -> Rule:
        """The rule's facts."""
        rule: Rule = self.module.RULE
        return rule

    @property
    def page(self) -> str:
        """The rule's page, as written."""
        return self.module.__doc__ or ""

    @property
    def runs_on(self) -> list[str]:
        """What the rule sees: document, project, change; `engine` for one that the engine itself reports."""
        return list(self.card.runs_on) or ["engine"]

    def check(self, of: str) -> Check:
        """The rule's check of a document, a project or a change, which its card says it has."""
        found: Check = getattr(self.module, f"check_{of}")
        return found


def all_rules(cache: Cache | None = None) -> dict[str, Registered]:
    """Rule id → rule, sorted by id; from the index in the cache if there is one."""
    if cache is None:
        return _registered(_cards())
    key = cache.key("rule-index")
    known = cache.fetch([key]).get(key)
    if known is not None:
        try:
            return _registered(msgspec.msgpack.decode(known, type=list[Card]))
        except msgspec.MsgspecError:
            pass
    cards = _cards()
    cache.store({key: msgspec.msgpack.encode(cards)})
    return _registered(cards)


def _registered(cards: Iterable[Card]) -> dict[str, Registered]:
    return {card.id: Registered(card) for card in cards}


def _cards() -> list[Card]:
    home = Path(next(iter(reciplint.rules.__path__)))
    found = [
        _card(f"reciplint.rules.{category.name}.{module.name}")
        for category in pkgutil.iter_modules([str(home)])
        if category.ispkg
        for module in pkgutil.iter_modules([str(home / category.name)])
    ]
    return sorted(found, key=lambda card: card.id)


def _card(name: str) -> Card:
    module = importlib.import_module(name)
    _, _, category, file = name.split(".")
    rule: Rule = module.RULE
    if rule.id != file.replace("_", "-"):
        raise ValueError(f"{name} holds the rule {rule.id!r}: the file name is the id")
    return Card(
        rule.id, category, name, tuple(of for of in _CHECKS if hasattr(module, f"check_{of}")), rule.suppressible
    )
