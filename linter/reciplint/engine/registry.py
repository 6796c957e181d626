"""Every rule there is: each file of `rules/<category>/` is one, found by its name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import reciplint.rules
from reciplint.rules.finding import Finding
from reciplint.rules.rule import Rule

Check = Callable[..., Iterator[Finding]]


@dataclass(frozen=True)
class Registered:
    """A rule with its category, its page and its checks; a check that it does not have is None."""

    rule: Rule
    category: str
    page: str
    check_document: Check | None
    check_project: Check | None
    check_change: Check | None

    @property
    def runs_on(self) -> list[str]:
        """What the rule sees: document, project, change; `engine` for one that the engine itself reports."""
        found = [name for name in ("document", "project", "change") if getattr(self, f"check_{name}") is not None]
        return found or ["engine"]


@lru_cache(maxsize=1)
def all_rules() -> dict[str, Registered]:
    """Rule id → rule, sorted by id."""
    found = {}
    home = Path(next(iter(reciplint.rules.__path__)))
    for category in pkgutil.iter_modules([str(home)]):
        if category.ispkg:
            for module in pkgutil.iter_modules([str(home / category.name)]):
                registered = _register(importlib.import_module(f"reciplint.rules.{category.name}.{module.name}"))
                found[registered.rule.id] = registered
    return dict(sorted(found.items()))


def _register(module: ModuleType) -> Registered:
    _, _, category, name = module.__name__.split(".")
    rule: Rule = module.RULE
    if rule.id != name.replace("_", "-"):
        raise ValueError(f"{module.__name__} holds the rule {rule.id!r}: the file name is the id")

    def check(of: str) -> Any:
        return getattr(module, f"check_{of}", None)

    return Registered(rule, category, module.__doc__ or "", check("document"), check("project"), check("change"))
