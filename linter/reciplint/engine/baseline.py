"""What a repository has accepted: a baseline of standing findings, and single findings that the settings ignore.

A baseline counts findings by what they are, not by where they stand: rule, path and subject, with the number of equal
ones and the worst severity among them. The head's baseline judges both trees. What exceeds it is new: one more of the
same, or a higher severity. A change rule charges what a change did, so a baseline never covers its findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from reciplint.engine.triage import Fingerprinted, fingerprint_of
from reciplint.rules.finding import SEVERITIES, Severity, rank

BASELINE_FILE = ".reciplint-baseline.json"
SCHEMA = "reciplint/baseline-v1"
_KEPT_OUT = frozenset({"internal-error"})


class BaselineError(Exception):
    """A baseline that cannot be used; the text names the file and what is wrong."""


class Entry(msgspec.Struct, frozen=True):
    """Equal findings that are accepted. `rule` and `path` are for people; the fingerprint decides."""

    fingerprint: str
    rule: str
    path: str
    severity: Severity
    count: int


class Baseline(msgspec.Struct, frozen=True):
    """Accepted findings by fingerprint."""

    entries: Mapping[str, Entry] = {}

    def covers(self, item: Fingerprinted) -> bool:
        """Whether a finding is one of those accepted, by its path at the base or its own."""
        if not self.entries:
            return False
        for path in dict.fromkeys((item.home, item.finding.path)):
            entry = self.entries.get(fingerprint_of(item.finding, path))
            if entry is not None and item.occurrence <= entry.count:
                return rank(item.finding.severity) <= rank(entry.severity)
        return False

    def shrunk(self, found: Baseline) -> Baseline:
        """What is left of it where `found` is all there is: entries go, or their counts and severities fall."""
        kept = {}
        for fingerprint, entry in self.entries.items():
            now = found.entries.get(fingerprint)
            if now is not None:
                severity = min(entry.severity, now.severity, key=rank)
                kept[fingerprint] = msgspec.structs.replace(entry, count=min(entry.count, now.count), severity=severity)
        return Baseline(kept)

    def stale(self, found: Baseline) -> tuple[Entry, ...]:
        """The entries that accept more than there is, in order."""
        kept = self.shrunk(found).entries
        return tuple(entry for entry in _in_order(self) if kept.get(entry.fingerprint) != entry)

    @property
    def total(self) -> int:
        """How many findings are accepted."""
        return sum(entry.count for entry in self.entries.values())


NOTHING = Baseline()


def baseline_of(items: Iterable[Fingerprinted], least: Severity = "warning") -> Baseline:
    """The baseline that accepts all of these findings of at least a severity (an internal error is never accepted)."""
    entries: dict[str, Entry] = {}
    for item in items:
        finding = item.finding
        if rank(finding.severity) < rank(least) or finding.rule in _KEPT_OUT:
            continue
        fingerprint = fingerprint_of(finding, finding.path)
        before = entries.get(fingerprint)
        severity = max(finding.severity, before.severity, key=rank) if before else finding.severity
        count = max(item.occurrence, before.count if before else 0)
        entries[fingerprint] = Entry(fingerprint, finding.rule, finding.path, severity, count)
    return Baseline(entries)


class Accepted(msgspec.Struct, frozen=True):
    """What is left after baseline and ignores, and what they held back."""

    kept: list[Fingerprinted]
    baselined: int
    ignored: int


def accept(
    items: Iterable[Fingerprinted],
    is_standing: Callable[[Fingerprinted], bool],
    baseline: Baseline,
    ignores: frozenset[str],
    unsuppressible: frozenset[str],
) -> Accepted:
    """Take out what is ignored by fingerprint, then those of standing rules that the baseline covers."""
    kept = []
    baselined = ignored = 0
    for item in items:
        if item.finding.rule not in unsuppressible and is_named(item, ignores):
            ignored += 1
        elif is_standing(item) and item.finding.rule not in _KEPT_OUT and baseline.covers(item):
            baselined += 1
        else:
            kept.append(item)
    return Accepted(kept, baselined, ignored)


def is_named(item: Fingerprinted, fingerprints: frozenset[str]) -> bool:
    """Whether a finding is meant by one of the fingerprints, as a report prints them with or without a base."""
    if not fingerprints:
        return False
    return item.fingerprint in fingerprints or own_fingerprint(item) in fingerprints


def own_fingerprint(item: Fingerprinted) -> str:
    """The fingerprint of a finding in a run without a base."""
    return fingerprint_of(item.finding, item.finding.path, item.occurrence)


# ---- the file


def read_baseline(data: bytes, name: str) -> Baseline:
    """The baseline from the bytes of its file. Raises `BaselineError`."""
    try:
        raw = msgspec.json.decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError):
        raise BaselineError(f"{name} is no JSON; write it anew with `reciplint baseline`") from None
    if not isinstance(raw, dict) or raw.get("schema") != SCHEMA or not isinstance(raw.get("findings"), list):
        raise BaselineError(f"{name} is no baseline: a mapping with schema {SCHEMA} and a list of findings is expected")
    entries: dict[str, Entry] = {}
    for number, record in enumerate(raw["findings"], 1):
        entry = _entry(record)
        if entry is None or entry.fingerprint in entries:
            what = "names a fingerprint again" if entry else "is no record of fingerprint, rule, path, severity, count"
            raise BaselineError(f"{name}: finding {number} {what}")
        entries[entry.fingerprint] = entry
    return Baseline(entries)


def _entry(record: Any) -> Entry | None:
    try:
        entry = msgspec.convert(record, Entry)
    except msgspec.ValidationError:
        return None
    return entry if entry.count >= 1 and entry.severity in SEVERITIES else None


def write_baseline(baseline: Baseline) -> bytes:
    """The bytes of the file: one line an entry, ordered by path and rule, so that branches merge line by line."""
    import json

    lines = [json.dumps(msgspec.to_builtins(entry)) for entry in _in_order(baseline)]
    listed = ",\n".join(f"  {line}" for line in lines)
    body = f"[\n{listed}\n ]" if lines else "[]"
    return f'{{\n "schema": "{SCHEMA}",\n "findings": {body}\n}}\n'.encode()


def _in_order(baseline: Baseline) -> list[Entry]:
    return sorted(baseline.entries.values(), key=lambda entry: (entry.path, entry.rule, entry.fingerprint))
