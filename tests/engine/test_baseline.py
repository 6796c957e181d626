"""The baseline and the ignores: what they hold back, what exceeds them, and what of them is stale."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reciplint.engine.baseline import (
    Baseline,
    BaselineError,
    Entry,
    baseline_of,
    read_baseline,
    write_baseline,
)
from reciplint.engine.run import Outcome
from reciplint.engine.settings import AcceptedFinding, with_preset
from support import MASTER, RUNNERS, Files, brief, outcome, project, runners, single

TWICE = "x: 1\nx: 2\n"


def accepted(files: Files) -> Baseline:
    return baseline_of(outcome(files).standing)


def shown(result: Outcome) -> list[tuple[str, str, int]]:
    return brief([item.finding for item in result.findings])


def test_what_stands_is_held_back_and_counted() -> None:
    files = {"a.yaml": TWICE + "y: 010\n"}
    result = outcome(files, baseline=accepted(files))
    assert shown(result) == []
    assert result.baselined == 2
    assert result.stale == ()


def test_information_is_never_in_a_baseline() -> None:
    assert accepted({"a.yaml": "x: 1"}).entries == {}


def test_one_more_of_the_same_is_new() -> None:
    """Two mappings with the same fault are told apart by their number alone."""
    one = {"a.yaml": "- {x: 1, x: 2}\n"}
    baseline = accepted(one)
    two = {"a.yaml": "- {y: 0}\n- {x: 1, x: 2}\n- {x: 1, x: 2}\n"}
    counts = [entry.count for entry in accepted(two).entries.values()]
    result = outcome(two, baseline=baseline)
    assert result.baselined + len(result.findings) == sum(counts) == 2
    assert len(result.findings) == 1


def test_lines_may_shift() -> None:
    baseline = accepted({"a.yaml": TWICE})
    assert shown(outcome({"a.yaml": f"# a\n# b\nz: 1\n{TWICE}"}, baseline=baseline)) == []


def test_a_higher_severity_is_new_and_a_lower_one_is_stale() -> None:
    files = {"a.yaml": TWICE}
    (entry,) = accepted(files).entries.values()
    as_warning = Baseline({entry.fingerprint: msgspec.structs.replace(entry, severity="warning")})
    assert shown(outcome(files, baseline=as_warning)) == [("duplicate-key", "a.yaml", 1)]
    softer = {**files, ".reciplint.yaml": "rules: {duplicate-key: warning}\n"}
    result = outcome(softer, baseline=accepted(files))
    assert result.baselined == 1
    assert [item.fingerprint for item in result.stale] == [entry.fingerprint]


def test_the_heads_baseline_judges_a_change_too() -> None:
    base = project()
    head = {**project(), "a.yaml": TWICE}
    assert shown(outcome(head, base)) == [("duplicate-key", "a.yaml", 1)]
    result = outcome(head, base, baseline=accepted(head))
    assert shown(result) == []
    assert result.baselined == 1


def test_a_renamed_file_is_known_by_either_name() -> None:
    base = {"old.yaml": "x: 1\n"}
    head = {"new.yaml": TWICE}
    renames = {"new.yaml": "old.yaml"}
    for files in ({"old.yaml": TWICE}, head):
        assert shown(outcome(head, base, renames=renames, baseline=accepted(files))) == []


def test_what_a_change_rule_charges_is_never_held_back() -> None:
    head = project(master=single())
    before = shown(outcome(head, project()))
    result = outcome(head, project(), baseline=accepted(head))
    assert ("unused-runner-label", RUNNERS, 3) in before
    caused = {item for item in before if item in shown(result)}
    assert ("unreferenced-recipe", f"{next(path for path in head if 'srt-slurm' in path)}", 1) in caused


def test_paths_count_only_what_they_choose_and_staleness_sees_everything() -> None:
    files = {"a.yaml": TWICE, "b.yaml": TWICE}
    result = outcome(files, paths=("a.yaml",), baseline=accepted(files))
    assert (result.baselined, result.stale) == (1, ())
    gone = outcome({**files, "b.yaml": "x: 1\n"}, paths=("a.yaml",), baseline=accepted(files))
    assert [(entry.rule, entry.path) for entry in gone.stale] == [("duplicate-key", "b.yaml")]


@pytest.mark.parametrize("chosen", [{"select": ("schema",)}, {"ignore": ("duplicate-key",)}])
def test_nothing_is_stale_where_not_every_rule_ran(chosen: dict[str, tuple[str, ...]]) -> None:
    files = {"a.yaml": TWICE}
    assert outcome(files, baseline=accepted(files), **chosen).stale == ()


def test_a_syntax_error_can_stand_but_a_crash_cannot() -> None:
    files = {"a.yaml": "a: [\n"}
    assert shown(outcome(files, baseline=accepted(files))) == []
    (item,) = outcome(files).standing
    crash = replace_rule(item, "internal-error")
    assert baseline_of([crash]).entries == {}


def replace_rule(item: object, rule: str) -> object:
    finding = msgspec.structs.replace(item.finding, rule=rule)  # type: ignore[attr-defined]
    return msgspec.structs.replace(item, finding=finding)  # type: ignore[type-var]


# ---- ignores


def with_ignores(files: Files, *fingerprints: str) -> dict[str, str | bytes]:
    listed = "".join(f"- {{fingerprint: '{name}', reason: accepted}}\n" for name in fingerprints)
    return {**files, ".reciplint.yaml": f"ignores:\n{listed}"}


def test_an_ignored_finding_counts_as_suppressed() -> None:
    files = {"a.yaml": TWICE, "b.yaml": TWICE}
    name = outcome(files).findings[0].fingerprint
    result = outcome(with_ignores(files, name))
    assert shown(result) == [("duplicate-key", "b.yaml", 1)]
    assert (result.suppressed, result.baselined, result.idle) == (1, 0, ())


def test_an_ignore_holds_with_and_without_a_base() -> None:
    base = {"old.yaml": "x: 1\n"}
    head = {"new.yaml": TWICE}
    alone = outcome(head).findings[0].fingerprint
    compared = outcome(head, base, renames={"new.yaml": "old.yaml"}).findings[0].fingerprint
    assert alone != compared
    for name in (alone, compared):
        result = outcome(with_ignores(head, name), base, renames={"new.yaml": "old.yaml"})
        assert shown(result) == []
        assert result.idle == ()


def test_an_ignore_that_matches_nothing_is_idle() -> None:
    assert outcome(with_ignores({"a.yaml": TWICE}, "0123")).idle == ("0123",)


def test_what_cannot_be_suppressed_cannot_be_ignored() -> None:
    files = {"a.yaml": "a: [\n"}
    name = outcome(files).findings[0].fingerprint
    assert shown(outcome(with_ignores(files, name))) == [("yaml-syntax", "a.yaml", 2)]


def test_the_settings_hold_ignores_and_the_preset_can_be_replaced() -> None:
    from reciplint.engine.settings import read_settings
    from support import RULES

    text = b"baseline: known.json\nignores:\n- {fingerprint: ab, reason: because}\n"
    settings = read_settings(text, RULES)
    assert settings.baseline == "known.json"
    assert settings.ignores == (AcceptedFinding("ab", "because"),)
    assert with_preset(settings, None).fail_on == "error"
    assert with_preset(settings, "enforce").fail_on == "warning"


# ---- the file


ENTRIES = st.builds(
    Entry,
    fingerprint=st.text("0123456789abcdef", min_size=1, max_size=4),
    rule=st.sampled_from(["schema", "duplicate-key"]),
    path=st.text(st.characters(exclude_categories=("Cs",)), max_size=5),
    severity=st.sampled_from(["error", "warning", "info"]),
    count=st.integers(1, 4),
)
BASELINES = st.lists(ENTRIES, max_size=6).map(lambda entries: Baseline({entry.fingerprint: entry for entry in entries}))


@given(BASELINES)
def test_what_is_written_is_read_again_whatever_the_order(baseline: Baseline) -> None:
    data = write_baseline(baseline)
    assert read_baseline(data, "b.json") == baseline
    assert write_baseline(Baseline(dict(reversed(baseline.entries.items())))) == data
    assert data.count(b"\n") == len(baseline.entries) + (5 if baseline.entries else 4)


@given(BASELINES, BASELINES)
def test_shrinking_never_adds_and_ends(old: Baseline, found: Baseline) -> None:
    new = old.shrunk(found)
    assert set(new.entries) <= set(old.entries)
    assert all(entry.count <= old.entries[name].count for name, entry in new.entries.items())
    assert new.shrunk(found) == new
    assert new.stale(found) == ()
    assert (old.stale(found) == ()) == (new == old)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "b.json is no JSON"),
        (b"\xff", "b.json is no JSON"),
        (b"[" * 100_000, "b.json is no JSON"),
        (b"[]", "b.json is no baseline"),
        (b'{"schema": "reciplint/baseline-v2", "findings": []}', "b.json is no baseline"),
        (b'{"schema": "reciplint/baseline-v1", "findings": [3]}', "b.json: finding 1 is no record"),
        (
            b'{"schema": "reciplint/baseline-v1", "findings": [{"fingerprint": "a", "rule": "r", "path": "p",'
            b' "severity": "error", "count": 0}]}',
            "b.json: finding 1 is no record",
        ),
    ],
)
def test_a_file_that_is_no_baseline_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(BaselineError, match=message):
        read_baseline(data, "b.json")


def test_a_fingerprint_stands_once() -> None:
    entry = '{"fingerprint": "a", "rule": "r", "path": "p", "severity": "error", "count": 1}'
    with pytest.raises(BaselineError, match="finding 2 names a fingerprint again"):
        read_baseline(f'{{"schema": "reciplint/baseline-v1", "findings": [{entry}, {entry}]}}'.encode(), "b.json")


def test_removing_a_label_is_held_back_only_if_the_head_accepts_it() -> None:
    head = project(runners=runners("b200"))
    assert [rule for rule, path, _ in shown(outcome(head, project())) if path == MASTER] == ["unknown-runner"]
    assert shown(outcome(head, project(), baseline=accepted(head))) == []
