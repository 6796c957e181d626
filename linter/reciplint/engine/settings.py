"""The settings of a repository, `.reciplint.yaml`: read, checked against their schema, given defaults."""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from reciplint.domain.forbidden import MOST_STARS, SHIPPED, Ban, bans_from_settings, in_force
from reciplint.domain.golden_curves import GoldenCurve, curves_from_settings
from reciplint.domain.owners import OwnerLine, Owners
from reciplint.domain.reading import mapping_of
from reciplint.domain.runners import Runners, read_runners
from reciplint.engine.registry import Registered
from reciplint.repo.kinds import Kind
from reciplint.repo.layout import glob_pattern
from reciplint.rules.finding import Severity
from reciplint.yamltree.problem import Limits
from reciplint.yamltree.tree import Mapping, Tree

SETTINGS_FILE = ".reciplint.yaml"

POINT_HOURS = {"fixed-seq-len": 1.0, "agentic-coding": 1.0}
"""How long a point runs, by scenario kind: an estimate. The public generator gives an agentic point 3600 s."""


class SettingsError(Exception):
    """The settings cannot be used; the text names file, line and what would be right."""


class PathIgnore(msgspec.Struct, frozen=True):
    """Rules that do not speak about some paths."""

    path: str
    ignore: tuple[str, ...]
    reason: str = ""

    def covers(self, path: str, rule: str) -> bool:
        """Whether a finding of this rule at this path is left out."""
        return ("*" in self.ignore or rule in self.ignore) and glob_pattern(self.path).match(path) is not None


class AcceptedFinding(msgspec.Struct, frozen=True):
    """A single finding that is accepted, by its fingerprint."""

    fingerprint: str
    reason: str


class Settings(msgspec.Struct, frozen=True):
    """What a repository chose. `severities` has "off" for rules that do not run; `golden_curves`, `runners` and
    `owners` are facts that other repositories keep in files of their own, `preset_keys` the master keys of a checkout
    that is linked."""

    profile: str = "auto"
    preset: str = "advise"
    severities: dict[str, str] = {}
    options: dict[str, dict[str, Any]] = {}
    paths: tuple[PathIgnore, ...] = ()
    ignores: tuple[AcceptedFinding, ...] = ()
    baseline: str = ""
    globs: dict[Kind, tuple[str, ...]] = {}
    deprecations: tuple[dict[str, Any], ...] = ()
    repository: str = ""
    acceptance_length: str = "auto"
    image_sources: tuple[dict[str, Any], ...] = ()
    forbidden: tuple[Ban, ...] = ()
    golden_curves: tuple[GoldenCurve, ...] = ()
    runners: Runners | None = None
    owners: Owners | None = None
    preset_keys: tuple[str, ...] = ()
    limits: Limits = Limits()
    serving: bool = True
    hours: dict[str, float] = msgspec.field(default_factory=POINT_HOURS.copy)
    raw: dict[str, Any] = {}

    @property
    def fail_on(self) -> Severity:
        """The least severity that fails a run, by preset."""
        return "warning" if self.preset == "enforce" else "error"

    def is_off(self, rule: str) -> bool:
        """Whether a rule is switched off."""
        return self.severities.get(rule) == "off"

    def names(self, rule: str) -> bool:
        """Whether a rule is given a severity, which is what switches an optional one on."""
        return rule in self.severities and not self.is_off(rule)

    def severity(self, rule: str, found: Severity) -> Severity:
        """The severity of a finding after the settings had their say."""
        chosen = self.severities.get(rule)
        return chosen if chosen in ("error", "warning", "info") else found  # type: ignore[return-value]


def with_preset(settings: Settings, preset: str | None) -> Settings:
    """The settings with another preset, if one is given."""
    return settings if preset is None else msgspec.structs.replace(settings, preset=preset)


def read_settings(data: bytes | None, rules: dict[str, Registered], name: str = SETTINGS_FILE) -> Settings:
    """The settings from the bytes of the file, or the defaults. Raises `SettingsError`."""
    if data is None:
        return Settings()
    from reciplint.domain.document import Document
    from reciplint.rules.rule import Context
    from reciplint.yamltree.scalars import load

    document = Document(name, Kind.SETTINGS, data)
    for rule in ("yaml-syntax", "schema"):
        for finding in rules[rule].check("document")(document, Context()):
            raise SettingsError(f"{name}:{finding.span.line}:{finding.span.column}: {finding.message}")
    assert document.tree is not None
    settings = _settings(load(document.tree.root) or {}, rules, name)
    return msgspec.structs.replace(settings, runners=_runners(document.tree))


def _settings(raw: dict[str, Any], rules: dict[str, Registered], name: str) -> Settings:
    severities: dict[str, str] = {}
    options: dict[str, dict[str, Any]] = {}
    for rule, chosen in (raw.get("rules") or {}).items():
        check_rule_names([rule], rules, f"{name}: rules")
        if isinstance(chosen, dict):
            options[rule] = {option: value for option, value in chosen.items() if option != "severity"}
            _check_options(rule, options[rule], rules, name)
            chosen = chosen.get("severity")
        if chosen is not None:
            severities[rule] = _word(chosen)
    paths = tuple(
        PathIgnore(item["path"], tuple(item["ignore"]), item.get("reason", "")) for item in raw.get("paths") or []
    )
    for item in paths:
        check_rule_names([rule for rule in item.ignore if rule != "*"], rules, f"{name}: paths")
    limits = raw.get("limits") or {}
    policy = raw.get("policy") or {}
    default = Limits()
    return Settings(
        profile=raw.get("profile", "auto"),
        preset=raw.get("preset", "advise"),
        severities=severities,
        options=options,
        paths=paths,
        ignores=tuple(AcceptedFinding(item["fingerprint"], item["reason"]) for item in raw.get("ignores") or []),
        baseline=raw.get("baseline", ""),
        globs={Kind(kind): tuple(globs) for kind, globs in (raw.get("kinds") or {}).items()},
        deprecations=tuple(policy.get("deprecations") or ()),
        repository=policy.get("repository", ""),
        acceptance_length=_word(policy.get("acceptance-length", "auto")),
        image_sources=tuple(policy.get("image-sources") or ()),
        forbidden=_bans(raw.get("forbidden") or (), name),
        golden_curves=_golden_curves(policy.get("golden-curves") or (), name),
        owners=_owners(policy.get("owners") or ()),
        serving=raw.get("serving", True),
        limits=Limits(limits.get("file-bytes", default.file_bytes), limits.get("depth", default.depth)),
        hours={**POINT_HOURS, **_hours(raw, name)},
        raw=raw,
    )


def rule_options(settings: Settings, day: datetime.date) -> dict[str, dict[str, Any]]:
    """The options of rules: as chosen, and for rules of policy what the policy says on a review date."""
    given: dict[str, dict[str, Any]] = {
        "forbidden-setting": {"forbidden": in_force((*SHIPPED, *settings.forbidden), day)},
        "golden-acceptance-length": {"mode": settings.acceptance_length},
        "image-source": {"allowed": settings.image_sources},
        "preset-link": {"known": settings.preset_keys},
    }
    rules = given.keys() | settings.options.keys()
    return {rule: {**given.get(rule, {}), **settings.options.get(rule, {})} for rule in sorted(rules)}


def _runners(tree: Tree) -> Runners | None:
    """The fleet that stands in the settings, with its places there."""
    policy = mapping_of(tree.root, "policy") if isinstance(tree.root, Mapping) else None
    fleet = mapping_of(policy, "runners") if policy is not None else None
    return read_runners(tree, fleet) if fleet is not None else None


def _bans(items: Sequence[dict[str, Any]], name: str) -> tuple[Ban, ...]:
    for pattern in (item[key] for item in items for key in ("pattern", "beside") if key in item):
        if pattern.count("*") > MOST_STARS or not pattern.strip("*?-_"):
            told = f"expected the letters of a name, and at most {MOST_STARS} stars"
            raise SettingsError(f"{name}: forbidden: {pattern!r} is no pattern; {told}")
    return bans_from_settings(items)


def _golden_curves(items: Sequence[dict[str, Any]], name: str) -> tuple[GoldenCurve, ...]:
    for item in items:
        for tokens, length in item["lengths"].items():
            if not str(tokens).isdecimal() or length != length:  # neither of which a schema refuses
                told = "expected a number of draft tokens, and its acceptance length"
                raise SettingsError(f"{name}: policy.golden-curves: {tokens!r}: {length!r} is no value; {told}")
    return curves_from_settings(items)


def _owners(items: Iterable[dict[str, Any]]) -> Owners | None:
    lines = tuple(OwnerLine(item["path"], tuple(item["owners"]), 0) for item in items)
    return Owners(lines) if lines else None


def _hours(raw: dict[str, Any], name: str) -> dict[str, float]:
    given = (raw.get("matrix") or {}).get("hours") or {}
    for kind, hours in given.items():
        if hours != hours:  # no bound of a schema refuses it
            raise SettingsError(f"{name}: matrix.hours.{kind} is .nan; expected a number of hours")
    return {kind: float(hours) for kind, hours in given.items()}


def _word(chosen: Any) -> str:
    return "off" if chosen is False else str(chosen)  # YAML 1.1 reads a bare `off` as false


def _check_options(rule: str, given: dict[str, Any], rules: dict[str, Registered], name: str) -> None:
    known = rules[rule].rule.options
    for option, value in given.items():
        if option not in known:
            takes = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
            raise SettingsError(f"{name}: rules.{rule}: {option!r} is no option of this rule; {takes}")
        usual = known[option]
        if type(usual) is int and (type(value) is not int or value < 0):
            told = f"expected a whole number of at least 0, as the usual {usual}"
            raise SettingsError(f"{name}: rules.{rule}: {option} is {value!r}; {told}")


def check_rule_names(names: list[str], rules: dict[str, Registered], where: str) -> None:
    """Raise `SettingsError` for a name that no rule has."""
    for name in names:
        if name not in rules:
            close = difflib.get_close_matches(name, rules, 1)
            hint = f"; did you mean {close[0]}?" if close else "; `reciplint rules` lists them"
            raise SettingsError(f"{where}: no rule is called {name!r}{hint}")
