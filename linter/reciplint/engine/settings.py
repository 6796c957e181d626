"""The settings of a repository, `.reciplint.yaml`: read, checked against their schema, given defaults."""

from __future__ import annotations

import difflib
from typing import Any

import msgspec

from reciplint.engine.registry import Registered
from reciplint.repo.kinds import Kind
from reciplint.repo.layout import glob_pattern
from reciplint.rules.finding import Severity
from reciplint.yamltree.problem import Limits

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
    """What a repository chose. `severities` has "off" for rules that do not run."""

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
    limits: Limits = Limits()
    hours: dict[str, float] = msgspec.field(default_factory=POINT_HOURS.copy)
    raw: dict[str, Any] = {}

    @property
    def fail_on(self) -> Severity:
        """The least severity that fails a run, by preset."""
        return "warning" if self.preset == "enforce" else "error"

    def is_off(self, rule: str) -> bool:
        """Whether a rule is switched off."""
        return self.severities.get(rule) == "off"

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
    if document.tree is None or document.problem is not None:
        problem = document.problem
        assert problem is not None
        raise SettingsError(
            f"{name}:{problem.span.line}:{problem.span.column}: {problem.arguments.get('reason', problem.kind)}"
        )
    for finding in rules["schema"].check("document")(document, Context()):
        raise SettingsError(f"{name}:{finding.span.line}:{finding.span.column}: {finding.message}")
    return _settings(load(document.tree.root) or {}, rules, name)


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
            severities[rule] = _severity_word(chosen)
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
        limits=Limits(limits.get("file-bytes", default.file_bytes), limits.get("depth", default.depth)),
        hours={**POINT_HOURS, **_hours(raw, name)},
        raw=raw,
    )


def _hours(raw: dict[str, Any], name: str) -> dict[str, float]:
    given = (raw.get("matrix") or {}).get("hours") or {}
    for kind, hours in given.items():
        if hours != hours:  # no bound of a schema refuses it
            raise SettingsError(f"{name}: matrix.hours.{kind} is .nan; expected a number of hours")
    return {kind: float(hours) for kind, hours in given.items()}


def _severity_word(chosen: Any) -> str:
    return "off" if chosen is False else str(chosen)  # YAML 1.1 reads a bare `off` as false


def _check_options(rule: str, given: dict[str, Any], rules: dict[str, Registered], name: str) -> None:
    known = rules[rule].rule.options
    for option in given:
        if option not in known:
            takes = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
            raise SettingsError(f"{name}: rules.{rule}: {option!r} is no option of this rule; {takes}")


def check_rule_names(names: list[str], rules: dict[str, Registered], where: str) -> None:
    """Raise `SettingsError` for a name that no rule has."""
    for name in names:
        if name not in rules:
            close = difflib.get_close_matches(name, rules, 1)
            hint = f"; did you mean {close[0]}?" if close else "; `reciplint rules` lists them"
            raise SettingsError(f"{where}: no rule is called {name!r}{hint}")
