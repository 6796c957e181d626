"""Faults that are planted into vLLM recipes, each of another kind, are found at their lines, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest
from vllm_planters import PLANTERS
from vllm_planting import Planter, planted

from reciplint.engine.cache import Cache
from support import RULES, lint, outcome
from vllm_scene import FILES

each_planter = pytest.mark.parametrize("planter", PLANTERS, ids=lambda planter: planter.name)
LEAST = 50
ABOUT_RECIPES = frozenset(name for name, r in RULES.items() if r.card.category in ("vllm_recipes", "yaml", "meta"))
"""The rules that are planted against; what commands come to is tested elsewhere."""


def test_every_planter_is_of_another_kind() -> None:
    assert len({planter.name for planter in PLANTERS}) == len(PLANTERS) > LEAST


def test_the_clean_repository_has_no_finding() -> None:
    assert [f"{f.path}:{f.span.line} {f.rule}: {f.message}" for f in lint(FILES, select=ABOUT_RECIPES)] == []


@each_planter
def test_a_planted_fault_is_found_at_its_line_and_nothing_else(planter: Planter) -> None:
    made = planted(planter, FILES)
    assert made is not None, "the clean repository has no place for this fault"
    path, text, line = made
    found = lint({**FILES, path: text}, select=ABOUT_RECIPES)
    assert [(f.rule, f.path, f.span.line) for f in found] == [(planter.rule, path, line)], [
        f"{f.path}:{f.span.line} {f.rule}: {f.message}" for f in found
    ]


@pytest.fixture(scope="module")
def real(request: pytest.FixtureRequest) -> dict[str, str]:
    """The public recipes of the shared corpus."""
    top: Path = request.getfixturevalue("corpus") / "vllm-recipes"
    return {file.relative_to(top).as_posix(): file.read_text(encoding="utf-8") for file in top.rglob("*.yaml")}


@pytest.mark.corpus
def test_faults_planted_into_real_recipes_are_found_at_their_lines(real: dict[str, str], tmp_path: Path) -> None:
    """Nothing else is found that the clean repository has not. Each kind is planted wherever there is a place, once."""
    cache = Cache(tmp_path / "cache")
    before = {item.fingerprint for item in outcome(real, cache=cache, select=ABOUT_RECIPES).standing}
    missed, more, places = [], [], 0
    for planter in PLANTERS:
        made = planted(planter, real)
        if made is None:
            continue
        places += 1
        path, text, line = made
        new = [
            item
            for item in outcome({**real, path: text}, cache=cache, select=ABOUT_RECIPES).standing
            if item.fingerprint not in before
        ]
        said = [(item.finding.rule, item.finding.path, item.finding.span.line) for item in new]
        if (planter.rule, path, line) not in said:
            missed.append((planter.name, path, line, said))
        elif len(said) > 1:
            more.append((planter.name, path, line, said))
    assert places >= LEAST
    assert missed == []
    assert more == []


@pytest.mark.corpus
def test_the_real_recipes_are_read_without_an_internal_error(real: dict[str, str]) -> None:
    assert len(real) > 100
    assert [f.message for f in lint(real) if f.rule in ("internal-error", "yaml-syntax")] == []
