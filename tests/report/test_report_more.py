"""GitLab, JUnit and Markdown: what they say and where, and that hostile text says the same."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_samples import CLEAN, COMPARED, FULL, MASTER, PLAIN, RECIPE, SOURCES, Texts, finding, report_of
from test_report_hostile import reports

from hostile import assert_harmless, read_gfm
from reciplint.report import gitlab, junit, markdown
from reciplint.report.escape import MESSAGE_LIMIT, shown
from reciplint.report.model import Counts, Report
from reciplint.yamltree.spans import Span

# ---- GitLab


def test_gitlab_lists_each_finding_once() -> None:
    issues = json.loads(gitlab.render(FULL, SOURCES, PLAIN))
    assert [(issue["check_name"], issue["severity"], issue["location"]) for issue in issues] == [
        ("kebab-case-keys", "minor", {"path": RECIPE, "lines": {"begin": 3, "end": 3}}),
        ("anchor-dedup", "info", {"path": RECIPE, "lines": {"begin": 4, "end": 6}}),
        ("missing-recipe", "major", {"path": MASTER, "lines": {"begin": 11, "end": 11}}),
    ]
    assert [issue["fingerprint"] for issue in issues] == ["f2", "f3", "f1"]


def test_gitlab_of_a_clean_run_is_an_empty_list() -> None:
    assert gitlab.render(CLEAN, SOURCES, PLAIN) == "[]\n"


@given(reports())
@settings(max_examples=100, deadline=None)
def test_gitlab_of_hostile_text_keeps_its_shape(sample: tuple[Report, Texts]) -> None:
    report, sources = sample
    out = gitlab.render(report, sources, PLAIN)
    assert_harmless(out)
    issues = json.loads(out)
    assert [issue["location"]["path"] for issue in issues] == [report.findings[0].finding.path] or "\\ud" in out
    jsonschema.validate(issues[0]["severity"], {"enum": ["info", "minor", "major"]})
    assert issues[0]["description"] == shown(report.findings[0].finding.message, MESSAGE_LIMIT)


# ---- JUnit


def cases(text: str) -> list[ET.Element]:
    """The cases of a report, after the checks that every reader makes."""
    root = ET.fromstring(text)
    assert root.tag == "testsuites"
    (suite,) = root
    found = suite.findall("testcase")
    for element in (root, suite):
        assert int(element.attrib["tests"]) == len(found)
        assert int(element.attrib["failures"]) == len(suite.findall("testcase/failure"))
        assert element.attrib["errors"] == "0"
    for case in found:
        assert case.attrib["name"]
        assert case.attrib["classname"]
        assert [child.tag for child in case] in ([], ["failure"], ["system-out"])
    return found


@pytest.mark.parametrize("report", [FULL, COMPARED, CLEAN])
def test_junit_keeps_its_shape(report: Report) -> None:
    text = junit.render(report, SOURCES, PLAIN)
    assert len(cases(text)) == max(len(report.findings), 1)


def test_junit_says_where_what_and_how() -> None:
    kebab, anchor, missing = cases(junit.render(FULL, SOURCES, PLAIN))
    assert (missing.attrib["classname"], missing.attrib["name"]) == (MASTER, "missing-recipe at 11:19")
    failure = missing[0]
    assert (failure.tag, failure.attrib["type"]) == ("failure", "error")
    assert failure.attrib["message"] == "no recipe recipes/a.yaml, 50% like recipes/b.yaml"
    assert (failure.text or "").split("\n") == [
        f"{MASTER}:11:19 error missing-recipe: no recipe recipes/a.yaml, 50% like recipes/b.yaml",
        f"{RECIPE}:1: this one exists",
        "fix: name recipes/b.yaml",
        "see: https://reciplint.github.io/reciplint/rules/missing-recipe/",
    ]
    assert kebab[0].attrib["type"] == "warning"
    assert anchor[0].tag == "system-out"


@pytest.mark.parametrize(
    ("severities", "exit_code", "failed"),
    [
        ("error warning info", 1, 2),
        ("warning info", 1, 1),
        ("warning info", 0, 0),
        ("info", 1, 1),
        ("error", 0, 0),
        ("info", 0, 0),
    ],
)
def test_junit_fails_only_where_the_run_does(severities: str, exit_code: int, failed: int) -> None:
    findings = [finding(severity=severity) for severity in severities.split()]
    report = msgspec.structs.replace(report_of(*findings), exit_code=exit_code)
    found = cases(junit.render(report, SOURCES, PLAIN))
    assert sum(case[0].tag == "failure" for case in found) == failed


@given(reports(), st.sampled_from(["", "\ufffe", "\uffff", "]]>", "\x0b", "&#0;", "\ud800"]))
@settings(max_examples=150, deadline=None)
def test_junit_of_hostile_text_is_well_formed_and_says_it(sample: tuple[Report, Texts], more: str) -> None:
    report, sources = sample
    first = report.findings[0]
    hostile = msgspec.structs.replace(first.finding, message=first.finding.message + more, severity="error")
    report = msgspec.structs.replace(report, findings=(msgspec.structs.replace(first, finding=hostile),), exit_code=1)
    report = msgspec.structs.replace(report, counts=Counts(error=1))
    text = junit.render(report, sources, PLAIN)
    assert_harmless(text)
    (case,) = cases(text)
    seen = re.sub("[\ufffe\uffff]", "\ufffd", shown(hostile.message, MESSAGE_LIMIT))
    assert case[0].attrib["message"] == seen
    assert seen in (case[0].text or "")


# ---- Markdown


def test_markdown_has_the_verdict_the_table_and_the_advice_folded() -> None:
    text = markdown.render(FULL, SOURCES, PLAIN)
    page = "https://reciplint.github.io/reciplint/rules"
    assert (
        text
        == f"""\
❌ **reciplint: 1 error, 1 warning** (2 suppressed, 3 in the baseline)

| severity | rule | where | what |
| :-- | :-- | :-- | :-- |
| ❌ error | [missing-recipe]({page}/missing-recipe/) | `{MASTER}:11` | \
no recipe recipes/a.yaml, 50% like recipes/b.yaml |
| ⚠️ warning | [kebab-case-keys]({page}/kebab-case-keys/) | `{RECIPE}:3` | max_model is spelled max-model elsewhere |

<details>

<summary>1 piece of advice</summary>

| severity | rule | where | what |
| :-- | :-- | :-- | :-- |
| ℹ️ info | [anchor-dedup]({page}/anchor-dedup/) | `{RECIPE}:4` | 8 keys are the same |

</details>
"""
    )


@pytest.mark.parametrize(
    ("report", "line"),
    [
        (CLEAN, "✅ **reciplint: nothing found**"),
        (msgspec.structs.replace(CLEAN, compared=True), "✅ **reciplint: nothing new**"),
        (msgspec.structs.replace(report_of(finding(severity="warning"))), "⚠️ **reciplint: 1 warning**"),
        (report_of(finding(severity="info")), "✅ **reciplint: nothing found**"),
        (report_of(finding(), finding()), "❌ **reciplint: 2 errors**"),
    ],
)
def test_the_verdict(report: Report, line: str) -> None:
    assert markdown.render(report, SOURCES, PLAIN).split("\n")[0] == line


def test_markdown_stays_below_what_github_takes() -> None:
    many = report_of(*(finding("[x](y) " * 140) for _ in range(3000)))
    text = markdown.render(many, SOURCES, PLAIN)
    assert len(text.encode()) < 1 << 20
    assert re.search(r"\n[\d,]+ findings more than fit here: see the log\.\n\Z", text)


def test_what_stands_between_backticks_is_code() -> None:
    report = report_of(finding("`a_b` is `x|y` to <b>"))
    page = read_gfm(markdown.render(report, SOURCES, PLAIN))
    assert page.rows[1][3] == "a_b is x|y to <b>"
    assert [tag for tag, _ in page.elements].count("code") == 3


def test_spans_that_end_before_a_line_are_not_stretched() -> None:
    report = report_of(finding(span=Span(2, 1, 3, 1)))
    assert json.loads(gitlab.render(report, SOURCES, PLAIN))[0]["location"]["lines"] == {"begin": 2, "end": 2}
