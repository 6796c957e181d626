"""Every rule against its own page: the sections are there, and the examples mean what the page says.

A section's blocks are the files of one repository. Blocks marked `base` give the tree that it is compared with: the
other blocks, overlaid by them. « and » enclose the span of each finding. A `console` block gives `--date` and `--pr`.
"""

from __future__ import annotations

import datetime
import re
import shlex
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
import yaml
from variations import harmless

from reciplint.engine.pages import SECTIONS, Block, blocks, sections
from reciplint.engine.triage import Fingerprinted, fingerprint_of
from reciplint.fix.session import Fixed, fix_tree
from reciplint.rules.finding import Finding
from reciplint.yamltree.spans import LineIndex, Span
from support import CHANGELOG, REVIEW_DATE, RULES, encoded, outcome

NO_EXAMPLE = {"internal-error"}
"""Rules that speak of reciplint's own faults, which no file should be able to cause."""

STRENGTH = {None: 0, "display": 1, "unsafe": 2, "safe": 3}

each_rule = pytest.mark.parametrize("name", RULES)
FIXABLE = [name for name in RULES if RULES[name].rule.fix not in (None, "display") and name not in NO_EXAMPLE]
OF_LINES = {"changelog-append-only", "changelog-format", "final-newline", "unused-suppression", "duplicate-key"}
"""Rules on text that a file written another way has no more: line breaks, comments, what stands twice."""
SEEDS = range(6)

each_fixable = pytest.mark.parametrize("name", FIXABLE)
each_of_values = pytest.mark.parametrize("name", [name for name in FIXABLE if name not in OF_LINES])
each_example = pytest.mark.parametrize("name", [name for name in RULES if name not in NO_EXAMPLE])


@dataclass
class Example:
    """The repository of a section: its files, its base if it has one, where findings are expected, and options."""

    files: dict[str, str] = field(default_factory=dict)
    base: dict[str, str] | None = None
    marks: list[tuple[str, Span]] = field(default_factory=list)
    date: datetime.date = REVIEW_DATE
    pull_request: int | None = None

    def fingerprinted(self, replaced: dict[str, bytes] | None = None) -> list[Fingerprinted]:
        """What the linter says of it, some files replaced."""
        files = {**encoded(self.files), **(replaced or {})}
        request = {"review_date": self.date, "pull_request": self.pull_request}
        return list(outcome(files, self.base, **request).findings)

    def findings(self, replaced: dict[str, bytes] | None = None) -> list[Finding]:
        """The findings alone."""
        return [item.finding for item in self.fingerprinted(replaced)]

    def written(self, change: Callable[[str], str], left_out: Collection[str] = ()) -> Example:
        """The same repository with every YAML file written another way, but for those left out."""

        def changed(files: dict[str, str]) -> dict[str, str]:
            varied = {path: text for path, text in files.items() if path.endswith(".yaml") and path not in left_out}
            return {**files, **{path: change(text) for path, text in varied.items()}}

        base = None if self.base is None else changed(self.base)
        return Example(changed(self.files), base, [], self.date, self.pull_request)


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


def fix(of: Example, found: list[Finding], rounds: int = 0) -> Fixed:
    """Everything fixed that can be; with `rounds` 1 only what is given, and not what that makes possible."""
    files = encoded(of.files)
    return fix_tree(found, lambda path: files[path], (lambda _: []) if rounds else of.findings, unsafe=True)


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
    assert _again(bad, once).files == {}


def _again(of: Example, once: Fixed) -> Fixed:
    """The second run on what the first left."""
    files = {**of.files, **{path: data.decode() for path, data in once.files.items()}}
    again = Example(files, of.base, [], of.date, of.pull_request)
    return fix(again, again.findings())


@each_example
def test_fixing_leaves_no_other_finding(name: str) -> None:
    """What is left after the fix stood there before: it was not fixable."""
    bad = example(name, "Bad")
    found = bad.findings()
    before = {(f.rule, f.message_id, f.subject) for f in found}
    left = {(f.rule, f.message_id, f.subject) for f in bad.findings(fix(bad, found).files)}
    by_hand = [f for f in found if f.fix is None or f.fix.applicability == "display"]
    assert left == {(f.rule, f.message_id, f.subject) for f in by_hand} & before


@each_fixable
def test_one_fix_changes_no_other_fingerprint(name: str) -> None:
    """After one fix alone nothing is new, and gone are only its finding and those of which it carries out the fix."""
    bad = example(name, "Bad")
    before = bad.fingerprinted()
    for item in before:
        if item.finding.fix is None:
            continue
        after = bad.fingerprinted(fix(bad, [item.finding], rounds=1).files)
        done = set(item.finding.fix.operations)
        same = [other for other in before if other.finding.fix and done >= set(other.finding.fix.operations)]
        gone = Counter(map(_identity, before)) - Counter(map(_identity, after))
        assert item in same
        assert gone <= Counter(map(_identity, same)), "another finding is gone"
        assert gone[_identity(item)], "the finding is still there"
        assert not Counter(map(_identity, after)) - Counter(map(_identity, before)), "a finding is new"


def _identity(item: Fingerprinted) -> str:
    """The fingerprint without the number among equals, which the fix of another one of them may change."""
    return fingerprint_of(item.finding, item.home)


@each_of_values
def test_line_ends_stay(name: str) -> None:
    """The fix of a file with CRLF is the page's, with CRLF; a changelog has none."""
    left_out = {path for path in example(name, "Bad").files if "changelog" in path}
    bad = example(name, "Bad").written(lambda text: text.replace("\n", "\r\n"), left_out)
    fixed = fix(bad, bad.findings())
    assert fixed.refused == []
    shown = {block.path: block.text for block in blocks(sections(RULES[name].page)["Fix"]) if block.path}
    expected = {path: text if path in left_out else text.replace("\n", "\r\n") for path, text in shown.items()}
    assert {path: data.decode() for path, data in fixed.files.items()} == expected


@each_of_values
def test_a_file_written_another_way_is_fixed_to_the_same_value_or_left_alone(name: str) -> None:
    """Other indents, quotes, flow style, comments, order of keys, anchors and aliases."""
    shown = {block.path: block.text for block in blocks(sections(RULES[name].page)["Fix"]) if block.path}
    whole = 0
    for seed in SEEDS:
        bad = example(name, "Bad").written(lambda text, seed=seed: harmless(text, seed), {CHANGELOG})
        found = bad.findings()
        fixed = fix(bad, found)
        assert _again(bad, fixed).files == {}, f"seed {seed}"
        values = {path: _loaded(fixed.files.get(path, bad.files[path].encode()).decode()) for path in shown}
        if values == {path: _loaded(text) for path, text in shown.items()}:
            whole += 1
        else:
            assert fixed.refused or any(item.fix is None for item in found), f"seed {seed}: another value"
    assert whole, "in no seed everything could be fixed"


def _loaded(text: str) -> Any:
    return yaml.load(text, Loader=yaml.CSafeLoader)


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
