"""Findings of whole trees are computed once for the same files, rules, settings and date, and never after a failure."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reciplint.engine.cache import Cache
from reciplint.engine.recall import tree_digest
from reciplint.rules.references import unreferenced_recipe
from support import MASTER, RECIPES, Files, outcome, project, recipe

STRAY = f"{RECIPES}/vllm/finch/disagg-2p1d-tp8.yaml"


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The roots of the projects that one project rule was really asked about."""
    asked: list[str] = []
    check = unreferenced_recipe.check_project

    def counted(found: Any, context: Any) -> Iterator[Any]:
        asked.append(found.root)
        yield from check(found, context)

    monkeypatch.setattr(unreferenced_recipe, "check_project", counted)
    return asked


def found(tmp_path: Path, files: Files, **request: Any) -> list[tuple[str, str, int]]:
    """What a run with a cache in a folder reports."""
    cache = Cache(tmp_path / "facts.sqlite")
    items = outcome(files, cache=cache, **request).findings
    cache.close()
    return [(item.finding.rule, item.finding.path, item.finding.span.line) for item in items]


def test_a_tree_is_judged_once(tmp_path: Path, calls: list[str]) -> None:
    files = {**project(), STRAY: recipe()}
    first = found(tmp_path, files)
    assert ("unreferenced-recipe", STRAY) in [(rule, path) for rule, path, _ in first]
    assert found(tmp_path, files) == first
    assert calls == [""]


def test_any_changed_byte_asks_again(tmp_path: Path, calls: list[str]) -> None:
    files = {**project(), STRAY: recipe()}
    found(tmp_path, files)
    found(tmp_path, {**files, MASTER: files[MASTER] + "# a word\n"})
    found(tmp_path, {path: text for path, text in files.items() if path != STRAY})
    assert len(calls) == 3


@pytest.mark.parametrize(
    "request_", [{"review_date": datetime.date(2027, 1, 1)}, {"pull_request": 7}, {"ignore": {"final-newline"}}]
)
def test_other_questions_of_the_same_tree_are_asked(tmp_path: Path, calls: list[str], request_: dict[str, Any]) -> None:
    found(tmp_path, project())
    found(tmp_path, project(), **request_)
    assert len(calls) == (1 if "ignore" in request_ else 2)


def test_other_settings_ask_again(tmp_path: Path, calls: list[str]) -> None:
    found(tmp_path, project())
    found(tmp_path, {**project(), ".reciplint.yaml": "rules: {anchor-dedup: {min-keys: 9}}\n"})
    assert len(calls) == 2


def test_the_head_of_a_comparison_is_the_tree_that_a_check_judged(tmp_path: Path, calls: list[str]) -> None:
    base, head = project(), {**project(), STRAY: recipe()}
    alone = found(tmp_path, head)
    compared = found(tmp_path, head, base=base)
    assert ("unreferenced-recipe", STRAY) in [(rule, path) for rule, path, _ in compared]
    assert found(tmp_path, head, base=base) == compared
    assert found(tmp_path, head) == alone
    assert len(calls) == 2  # the head once, the base once


def test_a_failure_is_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> Iterator[Any]:
        raise ValueError("once")
        yield

    files = {**project(), STRAY: recipe()}
    with monkeypatch.context() as patched:
        patched.setattr(unreferenced_recipe, "check_project", failing)
        assert "internal-error" in [rule for rule, _, _ in found(tmp_path, files)]
    again = [rule for rule, _, _ in found(tmp_path, files)]
    assert "internal-error" not in again
    assert "unreferenced-recipe" in again


def test_the_digest_of_a_tree_tells_names_from_contents() -> None:
    assert tree_digest({"a": "b", "c": "d"}) == tree_digest({"c": "d", "a": "b"})
    assert len({tree_digest({"a": "b"}), tree_digest({"b": "a"}), tree_digest({"ab": ""}), tree_digest({})}) == 4
