"""Which findings are reported: severities, ignores, fingerprints, and base against head."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reciplint.engine.settings import PathIgnore, Settings
from reciplint.engine.triage import charged, fingerprints, in_order, select, worst_of_each
from reciplint.rules.finding import Finding, Severity
from reciplint.yamltree.spans import Span
from support import RULES


def finding(
    rule: str = "schema",
    path: str = "a.yaml",
    line: int = 1,
    severity: Severity = "error",
    subject: tuple[str, ...] = ("key",),
) -> Finding:
    return Finding(rule, severity, path, Span(line, 1, line, 2), "what", "id", {}, subject)


def same(found: Finding) -> str:
    return found.path


def prints(*findings: Finding) -> list[str]:
    return [item.fingerprint for item in fingerprints(findings, same)]


def test_a_fingerprint_knows_no_line_and_no_severity() -> None:
    assert prints(finding(line=1)) == prints(finding(line=99, severity="info"))


@pytest.mark.parametrize(
    "other",
    [
        finding(rule="final-newline"),
        finding(path="b.yaml"),
        finding(subject=("other",)),
        finding(subject=("key", "")),
        finding(subject=()),
    ],
)
def test_a_fingerprint_knows_rule_path_and_subject(other: Finding) -> None:
    assert prints(finding()) != prints(other)


def test_equal_faults_are_numbered() -> None:
    first, second = prints(finding(line=1), finding(line=2))
    assert first != second
    assert prints(finding(line=7), finding(line=8)) == [first, second]


def test_a_fingerprint_has_the_path_of_the_base() -> None:
    moved = fingerprints([finding(path="new.yaml")], lambda found: {"new.yaml": "a.yaml"}[found.path])
    assert moved[0].fingerprint == prints(finding())[0]


def test_a_path_of_undecodable_bytes_has_a_fingerprint() -> None:
    assert prints(finding(path="a\udcff.yaml")) != prints(finding(path="a\udcfe.yaml"))


def test_only_what_the_base_lacks_is_charged() -> None:
    old, new = finding(subject=("old",)), finding(subject=("new",))
    head = fingerprints([old, new], same)
    assert [item.finding for item in charged(head, fingerprints([old], same))] == [new]
    assert charged(head, head) == []


def test_one_more_of_the_same_is_charged_once() -> None:
    head = fingerprints([finding(line=line) for line in (1, 2, 3)], same)
    base = fingerprints([finding(line=line) for line in (1, 2)], same)
    assert [item.finding.span.line for item in charged(head, base)] == [3]


@pytest.mark.parametrize(
    ("before", "now", "is_charged"),
    [("warning", "error", True), ("info", "warning", True), ("error", "warning", False), ("error", "error", False)],
)
def test_a_severity_that_rises_is_charged(before: Severity, now: Severity, is_charged: bool) -> None:
    found = charged(fingerprints([finding(severity=now)], same), fingerprints([finding(severity=before)], same))
    assert bool(found) is is_charged


def test_the_worst_of_equal_fingerprints_is_kept() -> None:
    warning, error = finding(severity="warning"), finding(severity="error")
    items = [*fingerprints([warning], same), *fingerprints([error], same), *fingerprints([warning], same)]
    assert [item.finding for item in worst_of_each(items)] == [error]


SETTINGS = Settings(
    severities={"schema": "info", "final-newline": "off"},
    paths=(PathIgnore("old/**", ("schema",)), PathIgnore("vendor/*.yaml", ("*",))),
)


@pytest.mark.parametrize(
    ("found", "chosen", "ignored", "severity"),
    [
        (finding("schema"), None, (), "info"),
        (finding("duplicate-key"), None, (), "error"),
        (finding("final-newline"), None, (), None),
        (finding("final-newline"), ("final-newline",), (), None),
        (finding("duplicate-key"), ("schema",), (), None),
        (finding("duplicate-key"), ("duplicate-key",), (), "error"),
        (finding("duplicate-key"), ("duplicate-key",), ("duplicate-key",), None),
        (finding("schema", "old/a/b.yaml"), None, (), None),
        (finding("duplicate-key", "old/a.yaml"), None, (), "error"),
        (finding("duplicate-key", "vendor/a.yaml"), None, (), None),
        (finding("duplicate-key", "vendor/a/b.yaml"), None, (), "error"),
        (finding("internal-error", "vendor/a.yaml"), ("schema",), ("internal-error",), "error"),
    ],
)
def test_selection(
    found: Finding, chosen: tuple[str, ...] | None, ignored: tuple[str, ...], severity: Severity | None
) -> None:
    kept = select([found], SETTINGS, None if chosen is None else frozenset(chosen), frozenset(ignored))
    assert [item.severity for item in kept] == ([severity] if severity else [])


def test_order_is_path_position_rule() -> None:
    expected = [
        finding("schema", "a.yaml", 2),
        finding("duplicate-key", "a.yaml", 10),
        finding("schema", "a.yaml", 10),
        finding("schema", "b.yaml", 1),
    ]
    assert in_order(reversed(expected)) == expected


some_findings = st.lists(
    st.builds(
        finding,
        st.sampled_from(sorted(RULES)[:3]),
        st.sampled_from(["a.yaml", "b.yaml"]),
        st.integers(1, 5),
        st.sampled_from(["error", "warning", "info"]),
        st.tuples(st.sampled_from(["x", "y"])),
    ),
    max_size=12,
)


@given(some_findings, some_findings)
def test_a_tree_is_never_charged_with_itself_and_fingerprints_are_unique(
    one: list[Finding], other: list[Finding]
) -> None:
    head, base = fingerprints(in_order(one), same), fingerprints(in_order(other), same)
    assert charged(head, head) == []
    assert len({item.fingerprint for item in head}) == len(head)
    assert {item.fingerprint for item in charged(head, base)} <= {item.fingerprint for item in head}
    assert len(charged([*head], [])) == len(head)


@given(some_findings, st.randoms(use_true_random=False))
def test_order_does_not_depend_on_the_order_of_finding(found: list[Finding], random: object) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert in_order(shuffled) == in_order(found)
