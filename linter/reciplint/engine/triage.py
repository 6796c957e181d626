"""Which findings are reported: severities and ignores, suppressions, and base against head by fingerprint."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import msgspec

from reciplint.domain.suppression import Suppression
from reciplint.engine.settings import Settings
from reciplint.rules.finding import Finding, rank


class Fingerprinted(msgspec.Struct, frozen=True):
    """A finding with the fingerprint that recognises it in another revision, and what that was made from: the path at
    the base and the number among equals."""

    finding: Finding
    fingerprint: str
    home: str = ""
    occurrence: int = 1


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Path, position, rule; then whatever makes the order total."""
    return sorted(
        findings, key=lambda f: (f.path, f.span, f.rule, f.message_id, f.subject, f.message, -rank(f.severity))
    )


def fingerprints(findings: Iterable[Finding], base_path: Callable[[Finding], str]) -> list[Fingerprinted]:
    """Fingerprint findings: rule, base-side path, subject, and an occurrence number among equals."""
    seen: Counter[tuple[str, ...]] = Counter()
    result = []
    for finding in findings:
        home = base_path(finding)
        identity = (finding.rule, home, *finding.subject)
        seen[identity] += 1
        occurrence = seen[identity]
        result.append(Fingerprinted(finding, fingerprint_of(finding, home, occurrence), home, occurrence))
    return result


def fingerprint_of(finding: Finding, path: str, occurrence: int | None = None) -> str:
    """The fingerprint of a finding at a path; without an occurrence number, of all that equal it there."""
    parts = (finding.rule, path, *finding.subject, *(() if occurrence is None else (str(occurrence),)))
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()


def select(
    findings: Iterable[Finding], settings: Settings, chosen: frozenset[str] | None, ignored: frozenset[str]
) -> list[Finding]:
    """Drop rules that are off, not selected or ignored for the path; give each finding its final severity."""
    kept = []
    for finding in findings:
        rule = finding.rule
        if rule != "internal-error" and (
            rule in ignored
            or settings.is_off(rule)
            or (chosen is not None and rule not in chosen)
            or any(item.covers(finding.path, rule) for item in settings.paths)
        ):
            continue
        severity = settings.severity(rule, finding.severity)
        kept.append(finding if severity == finding.severity else msgspec.structs.replace(finding, severity=severity))
    return kept


class Suppressor:
    """Applies the suppressions of one tree and remembers which of them silenced something."""

    def __init__(self, suppressions: Mapping[str, tuple[Suppression, ...]], unsuppressible: frozenset[str]) -> None:
        self._by_place: dict[tuple[str, int], list[Suppression]] = {}
        self._unsuppressible = unsuppressible
        self.used: set[tuple[str, Suppression, str]] = set()
        for path, found in suppressions.items():
            for suppression in found:
                for line in () if suppression.fault else suppression.lines:
                    self._by_place.setdefault((path, line), []).append(suppression)

    def keeps(self, finding: Finding) -> bool:
        """Whether no suppression silences a finding; one speaks of the first line of a span, or of the file."""
        if not self._by_place or finding.rule in self._unsuppressible:
            return True
        for line in (finding.span.line, 0):
            for suppression in self._by_place.get((finding.path, line), ()):
                if finding.rule in suppression.rules:
                    self.used.add((finding.path, suppression, finding.rule))
                    return False
        return True


def worst_of_each(findings: Iterable[Fingerprinted]) -> list[Fingerprinted]:
    """One finding a fingerprint, the most severe: a project rule and a change rule may speak of the same fault.

    Of two alike the later one, which is the change rule's: it says what the change did.
    """
    best: dict[str, Fingerprinted] = {}
    for item in findings:
        other = best.get(item.fingerprint)
        if other is None or rank(item.finding.severity) >= rank(other.finding.severity):
            best[item.fingerprint] = item
    return list(best.values())


def charged(head: Iterable[Fingerprinted], base: Iterable[Fingerprinted]) -> list[Fingerprinted]:
    """The findings of the head that the base lacks, or has at a lower severity."""
    known = {item.fingerprint: rank(item.finding.severity) for item in base}
    return [item for item in head if rank(item.finding.severity) > known.get(item.fingerprint, -1)]
