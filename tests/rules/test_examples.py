"""Every rule against its own page: the sections are there, and the examples mean what the page says.

A section's blocks are the files of one repository. Blocks marked `base` give the tree that it is compared with: the
other blocks, overlaid by them. « and » enclose the span of each finding. A `console` block gives `--date` and `--pr`.
"""

from __future__ import annotations

import datetime
import re
import shlex
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from reciplint.engine.pages import SECTIONS, Block, blocks, sections
from reciplint.fix.session import Fixed, fix_tree
from reciplint.rules.finding import Finding
from reciplint.yamltree.spans import LineIndex, Span
from support import REVIEW_DATE, RULES, encoded, lint

NO_EXAMPLE = {"internal-error"}
"""Rules that speak of reciplint's own faults, which no file should be able to cause."""

STRENGTH = {None: 0, "display": 1, "unsafe": 2, "safe": 3}

each_rule = pytest.mark.parametrize("name", RULES)
each_example = pytest.mark.parametrize("name", [name for name in RULES if name not in NO_EXAMPLE])


@dataclass
class Example:
    """The repository of a section: its files, its base if it has one, where findings are expected, and options."""

    files: dict[str, str] = field(default_factory=dict)
    base: dict[str, str] | None = None
    marks: list[tuple[str, Span]] = field(default_factory=list)
    date: datetime.date = REVIEW_DATE
    pull_request: int | None = None

    def findings(self, replaced: dict[str, bytes] | None = None) -> list[Finding]:
        """What the linter says of it, some files replaced."""
        files = {**encoded(self.files), **(replaced or {})}
        return lint(files, self.base, review_date=self.date, pull_request=self.pull_request)


def example(name: str, section: str) -> Example:
    found = Example()
    overlay: dict[str, str] = {}
    for block in blocks(sections(RULES[name].page)[section]):
        if block.words[:1] == ("console",):
            _options(found, block)
        elif block.is_base:
            overlay[block.path] = block.text
        else:
            assert block.path, f"a block of {section} names no file"
            assert block.path not in found.files, f"{block.path} stands twice in {section}"
            found.files[block.path] = block.text
            found.marks += [(block.path, span) for span in _marks(block)]
    found.base = {**found.files, **overlay} if overlay else None
    found.marks.sort()
    return found


def _options(found: Example, block: Block) -> None:
    words = shlex.split(block.text)
    options = dict(pairwise(words))
    found.date = datetime.date.fromisoformat(options.get("--date", found.date.isoformat()))
    found.pull_request = int(options["--pr"]) if "--pr" in options else None


def _marks(block: Block) -> list[Span]:
    """The spans that « and » enclose, in the text without them."""
    places = [match.start() - before for before, match in enumerate(re.finditer("[«»]", block.body))]
    lines = LineIndex(block.text)
    return [lines.span(start, end) for start, end in zip(places[::2], places[1::2], strict=True)]


def fix(of: Example, found: list[Finding]) -> Fixed:
    files = encoded(of.files)
    return fix_tree(found, lambda path: files[path], of.findings, unsafe=True)


@each_rule
def test_the_page_has_its_sections_in_order(name: str) -> None:
    titles = [title for title in sections(RULES[name].page) if title]
    assert titles == list(SECTIONS)
    assert all(sections(RULES[name].page)[title].strip() for title in SECTIONS)


@each_rule
def test_the_page_opens_with_the_summary(name: str) -> None:
    """One sentence: with its full stop in the page, without it in tables."""
    rule = RULES[name].rule
    assert sections(RULES[name].page)[""] == f"{rule.summary}."
    assert not rule.summary.endswith(".")


@each_rule
def test_the_rule_has_a_source_and_its_options_a_place_in_the_page(name: str) -> None:
    rule = RULES[name].rule
    assert rule.source.strip()
    assert rule.messages
    options = sections(RULES[name].page)["Options"]
    assert all(f"`{option}`" in options for option in rule.options)


@each_rule
def test_only_the_listed_rules_have_no_example(name: str) -> None:
    page = sections(RULES[name].page)
    assert bool(blocks(page["Bad"]) and blocks(page["Good"])) is (name not in NO_EXAMPLE)


@each_example
def test_bad_gives_this_rule_at_the_marks_and_nothing_else(name: str) -> None:
    bad = example(name, "Bad")
    assert bad.marks, "Bad marks no span"
    found = bad.findings()
    said = "\n".join(f"{f.path}:{f.span.line}:{f.span.column} {f.rule}: {f.message}" for f in found)
    assert [(f.rule, f.path, f.span) for f in found] == [(name, *mark) for mark in bad.marks], said


@each_example
def test_good_gives_nothing(name: str) -> None:
    assert [f"{f.path}:{f.span.line} {f.rule}: {f.message}" for f in example(name, "Good").findings()] == []


@each_example
def test_the_fix_of_bad_is_what_the_page_shows(name: str) -> None:
    bad = example(name, "Bad")
    fixed = fix(bad, bad.findings())
    assert fixed.refused == []
    shown = {block.path: block.text for block in blocks(sections(RULES[name].page)["Fix"]) if block.path}
    assert {path: data.decode() for path, data in fixed.files.items()} == shown


@each_example
def test_fixing_twice_changes_nothing(name: str) -> None:
    bad = example(name, "Bad")
    once = fix(bad, bad.findings())
    again = Example({**bad.files, **{path: data.decode() for path, data in once.files.items()}}, bad.base, [], bad.date)
    assert fix(again, again.findings()).files == {}


@each_example
def test_fixing_leaves_no_other_finding(name: str) -> None:
    """What is left after the fix stood there before: it was not fixable."""
    bad = example(name, "Bad")
    found = bad.findings()
    before = {(f.rule, f.message_id, f.subject) for f in found}
    left = {(f.rule, f.message_id, f.subject) for f in bad.findings(fix(bad, found).files)}
    assert left == {(f.rule, f.message_id, f.subject) for f in found if f.fix is None} & before


@each_example
def test_the_declared_fix_is_what_bad_offers(name: str) -> None:
    """The strongest fix in the examples is the one that the rule declares."""
    offered = [finding.fix.applicability if finding.fix else None for finding in example(name, "Bad").findings()]
    assert max(map(STRENGTH.__getitem__, offered), default=0) == STRENGTH[RULES[name].rule.fix]


def test_every_rule_that_does_not_run_on_anything_is_reported_by_the_engine() -> None:
    assert {name for name, registered in RULES.items() if registered.runs_on == ["engine"]} == {
        "internal-error",
        "unused-suppression",
    }
