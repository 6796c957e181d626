"""Every case of `fixtures/` gives exactly the findings that its `expected.json` lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixture_cases import EXPECTED, FIXTURES, cases, files, lint, reduced
from reciplint.engine.cache import Cache
from reciplint.engine.registry import all_rules
from reciplint.engine.run import Request, run
from reciplint.engine.settings import read_settings
from reciplint.repo.snapshot import Memory


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_case(case: Path) -> None:
    expected = json.loads((case / EXPECTED).read_text(encoding="utf-8"))
    assert reduced(lint(case, expected)) == expected["findings"]


def test_the_cases_are_there() -> None:
    """A case without its expected.json would never be run; the scripts are read by the tests of serving."""
    named = {case.name for case in cases()} | {"serving"}
    assert {path.name for path in (cases()[0].parent).iterdir() if path.is_dir()} == named


def test_the_faults_that_nobody_is_charged_for_are_there() -> None:
    """`same-meaning` proves something only while its head still has the faults of its base."""
    case = FIXTURES / "same-meaning"
    rules = all_rules()
    alone = run(Request(head=Memory(files(case / "head"))), rules, read_settings(None, rules), Cache(None))
    assert sorted(item.finding.rule for item in alone.findings if item.finding.severity != "info") == [
        "kebab-case-keys",
        "missing-recipe",
        "unknown-runner",
        "unreferenced-recipe",
    ]
