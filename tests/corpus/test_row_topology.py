"""Rows of the corpus beside their recipes: how often the mapping of sizes agrees, and that a wrong recipe is noticed.

Of every active and archived row whose recipe is at hand, `ep`, `dp-attn`, `pp` and `pcp-size` of each role agree with
what the engine's flags come to. Recipes of the external repository count where the corpus has that repository.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from reciplint.domain.document import Document
from reciplint.domain.master import MasterFile, read_master
from reciplint.domain.pairing import Pair, pairs
from reciplint.domain.recipe import RecipeFile, read_recipe
from reciplint.domain.references import Resolver, Use, uses
from reciplint.domain.row_topology import counted_gpus, difference
from reciplint.repo.kinds import Kind
from reciplint.yamltree.tree import Tree

pytestmark = pytest.mark.corpus

RECIPES = "benchmarks/multi_node/srt-slurm-recipes"


class Rows(msgspec.Struct):
    """Pairs of rows and variants: of recipes kept in the repository, and of external ones."""

    local: list[Pair]
    external: list[Pair]


def tree_of(file: Path) -> Tree:
    tree = Document(str(file), Kind.YAML, file.read_bytes()).tree
    assert tree is not None
    return tree


def masters(folder: Path) -> list[MasterFile]:
    return [MasterFile(str(file), read_master(tree_of(file)).entries) for file in sorted(folder.glob("*-master.yaml"))]


def recipes(folder: Path, root: Path) -> dict[str, RecipeFile]:
    files = {str(file.relative_to(root)): file for file in sorted(folder.rglob("*.yaml"))}
    return {path: RecipeFile(path, read_recipe(tree_of(file))) for path, file in files.items()}


@pytest.fixture(scope="module")
def rows(corpus: Path, corpus_repo: Path) -> dict[str, Rows]:
    """The rows of the active and the archived master configs."""
    active, archived = masters(corpus_repo / "configs"), masters(corpus_repo / "configs/deprecated")
    local = recipes(corpus_repo / RECIPES, corpus_repo)
    elsewhere = recipes(corpus / "srt-slurm/recipes", corpus / "srt-slurm")
    resolver = Resolver("", local, uses(active), uses(archived), {})

    def read(group: Iterator[Use]) -> Rows:
        found = Rows([], [])
        for use in group:
            resolved = resolver.resolve(use)
            if use.reference.purpose != "recipe":
                continue
            for path in resolved.files:
                found.local += pairs(use, local[path]) if path in local else []
            if resolved.standing == "external" and use.reference.text in elsewhere:
                found.external += pairs(use, elsewhere[use.reference.text])
        return found

    return {"active": read(uses(active)), "archived": read(uses(archived))}


@pytest.mark.parametrize(
    ("group", "standing", "role_rows"),
    [("active", "local", 449), ("archived", "local", 486), ("active", "external", 362), ("archived", "external", 456)],
)
def test_sizes_of_every_role_row_agree(rows: dict[str, Rows], group: str, standing: str, role_rows: int) -> None:
    count = 0
    wrong = []
    for pair in getattr(rows[group], standing):
        for workers, role in pair.roles():
            topology = role.topology
            count += 1
            row = (workers.ep or 1, bool(workers.dp_attn), workers.pp or 1, workers.pcp or 1)
            if row != (topology.ep, topology.dp_attention, topology.pp, topology.pcp):
                wrong.append((pair.use.entry.key, pair.path, workers, topology))
    assert wrong == []
    assert count == role_rows


def test_what_differs_at_the_tip_is_known(rows: dict[str, Rows]) -> None:
    arms: Counter[str] = Counter()
    for pair in rows["active"].local:
        found = difference(pair)
        assert found.unpaired == ()
        arms.update({size.field for size in found.sizes})
        if pair.use.arm.kind == "agentic-coding":
            arms.update({f"agentic {size.field}" for size in found.sizes})
    assert arms == {"gpus": 14, "agentic gpus": 3, "dcp-size": 9, "agentic dcp-size": 9}


def stated(pair: Pair) -> dict[str, tuple[int, int, bool, int, int]]:
    """What a row states of each role that has workers: GPUs, `ep`, `dp-attn`, `pp`, `dcp-size`."""
    return {
        workers.role: (
            counted_gpus(workers),
            workers.ep or 1,
            bool(workers.dp_attn),
            workers.pp or 1,
            workers.dcp or 1,
        )
        for workers in pair.use.row.workers
        if workers.count != 0
    }


@pytest.mark.parametrize("seed", range(5))
def test_a_row_beside_the_recipe_of_another_is_noticed(rows: dict[str, Rows], seed: int) -> None:
    chance = random.Random(seed)
    known = [pair for group in rows.values() for pair in (*group.local, *group.external) if pair.variant.roles]
    judged = missed = 0
    for pair in known:
        others = chance.sample(known, 20)
        other = next((item for item in others if stated(item) != stated(pair)), None)
        if other is None:
            continue
        judged += 1
        wrong = Pair(pair.use, other.path, other.variant, pair.concurrencies)
        found = difference(wrong)
        missed += not (found.sizes or found.unpaired)
    assert judged > 800
    assert missed <= judged * 0.01, f"{missed} of {judged}"


def test_of_rows_that_differ_in_one_role_alone_each_is_noticed_too(rows: dict[str, Rows]) -> None:
    """The hardest control: the other recipe agrees in all roles but one."""
    known = [pair for group in rows.values() for pair in (*group.local, *group.external) if pair.variant.roles]
    agreeing = [pair for pair in known if not difference(pair).sizes]
    judged = missed = 0
    for pair in agreeing:
        mine = stated(pair)
        for other in agreeing:
            theirs = stated(other)
            if mine.keys() == theirs.keys() and sum(mine[role] != theirs[role] for role in mine) == 1:
                judged += 1
                found = difference(Pair(pair.use, other.path, other.variant, pair.concurrencies))
                missed += not found.sizes
                break
    assert judged > 500
    assert missed <= judged * 0.01, f"{missed} of {judged}"
