"""The five checks of the mission's pull request, on mutants of it: exactly the findings that each should give."""

from __future__ import annotations

from pathlib import Path

import pytest
import seed_mutants_breaks
import seed_mutants_changelog
import seed_mutants_combined
import seed_mutants_moves
import seed_mutants_october
import seed_mutants_policy
import seed_mutants_recipes
import seed_mutants_references
from seed_scene import Mutant, Runner, Seed, standard

from reciplint.engine.cache import Cache
from reciplint.engine.registry import all_rules

pytestmark = pytest.mark.corpus

GROUPS = {
    "recipes": seed_mutants_recipes,
    "changelog": seed_mutants_changelog,
    "policy": seed_mutants_policy,
    "references": seed_mutants_references,
    "moves": seed_mutants_moves,
    "october": seed_mutants_october,
    "combined": seed_mutants_combined,
    "breaks": seed_mutants_breaks,
}
MUTANTS: dict[str, Mutant] = {
    f"{group}-{name}": mutant for group, module in GROUPS.items() for name, mutant in module.MUTANTS.items()
}


@pytest.fixture(scope="module")
def seed(corpus_repo: Path) -> Seed:
    return Seed.load(corpus_repo)


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return Runner(all_rules(), Cache(tmp_path_factory.mktemp("cache") / "facts.sqlite"))


def test_seed_itself(seed: Seed, runner: Runner) -> None:
    scene = seed.scene()
    assert runner.found(scene) == sorted(standard(scene))


def test_enough_mutants() -> None:
    assert len(MUTANTS) >= 40


@pytest.mark.parametrize("mutant", [pytest.param(mutant, id=name) for name, mutant in MUTANTS.items()])
def test_mutant(mutant: Mutant, seed: Seed, runner: Runner) -> None:
    scene = seed.scene()
    expected = sorted(mutant(scene))
    found = runner.found(scene)
    assert not [one for one in found if one not in expected], "reported and not true"
    assert not [one for one in expected if one not in found], "true and not reported"
    assert found == expected
