"""Rows beside the variants of the recipes that they run."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from reciplint.domain.document import Document
from reciplint.domain.master import MasterFile, read_master
from reciplint.domain.pairing import Pair, is_matched, matches, pairs
from reciplint.domain.recipe import RecipeFile, read_recipe
from reciplint.domain.references import Use, uses
from reciplint.repo.kinds import Kind

BODY: dict[str, Any] = {
    "schema": 2,
    "engine": "sglang",
    "resources": {"gpus_per_node": 8},
    "roles": {"agg": {"nodes": 1, "workers": 1, "gpus": 4, "args": {"tp-size": 4, "ep-size": 1}}},
}
BUNDLE = {
    "base": BODY,
    "override_one": {"name": "one"},
    "override_two": {"name": "two"},
    "zip_override_sizes": {"roles": {"agg": {"workers": [1, 2]}}},
}


def use(row: dict[str, Any], multinode: bool = True, **entry: Any) -> Use:
    """The first reference of a key with one row."""
    value = {
        "framework": "sglang",
        "multinode": multinode,
        "scenarios": {"fixed-seq-len": [{"isl": 8192, "osl": 1024, "search-space": [row]}]},
        **entry,
    }
    tree = Document("m.yaml", Kind.MASTER, yaml.dump({"finch": value}).encode()).tree
    assert tree is not None
    return next(uses([MasterFile("m.yaml", read_master(tree).entries)]))


def recipe(value: dict[str, Any]) -> RecipeFile:
    tree = Document("r.yaml", Kind.RECIPE, yaml.dump(value, sort_keys=False).encode()).tree
    assert tree is not None
    return RecipeFile("r.yaml", read_recipe(tree))


def block(count: int = 1, tp: int = 4) -> dict[str, Any]:
    return {"num-worker": count, "tp": tp, "ep": 1, "dp-attn": False}


def era_a(text: str, **blocks: Any) -> Use:
    row = {"conc-list": [8], "prefill": block(), "decode": block(), **blocks}
    row["prefill"] = {**row["prefill"], "additional-settings": [f"CONFIG_FILE={text}"]}
    return use(row)


def selectors(found: Use, value: dict[str, Any]) -> list[str]:
    return [pair.variant.selector for pair in pairs(found, recipe(value))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("r.yaml", ["override_one", "override_two", "zip_override_sizes[0]", "zip_override_sizes[1]"]),
        ("r.yaml:base", ["base"]),
        ("r.yaml:override_two", ["override_two"]),
        ("r.yaml:zip_override_sizes[1]", ["zip_override_sizes[1]"]),
        ("r.yaml:zip_override_sizes", ["zip_override_sizes[0]", "zip_override_sizes[1]"]),
        ("r.yaml:override_three", []),
    ],
)
def test_a_selector_names_a_variant_a_group_or_every_variant_but_the_base(text: str, expected: list[str]) -> None:
    assert selectors(era_a(text), BUNDLE) == expected


def test_a_plain_recipe_is_its_one_variant() -> None:
    found = era_a("r.yaml")
    (pair,) = pairs(found, recipe(BODY))
    assert (pair.variant.selector, pair.path, pair.concurrencies) == ("", "r.yaml", (8,))


def roles(found: Use, value: dict[str, Any]) -> list[tuple[str, str]]:
    return [(workers.role, role.name) for pair in pairs(found, recipe(value)) for workers, role in pair.roles()]


def test_blocks_stand_beside_the_roles_of_their_names() -> None:
    both = {**BODY, "roles": {"prefill": {"workers": 1}, "decode": {"workers": 1}}}
    assert roles(era_a("r.yaml"), both) == [("prefill", "prefill"), ("decode", "decode")]


def test_an_aggregate_is_a_prefill_beside_a_decode_of_no_workers_or_a_worker() -> None:
    assert roles(era_a("r.yaml", decode=block(0)), BODY) == [("prefill", "agg")]
    later = use(
        {"conc-list": [8], "worker": block(), "num-nodes": 1, "srt-recipe": "r.yaml"}, **{"srt-recipe-dir": "d"}
    )
    assert roles(later, BODY) == [("worker", "agg")]


def test_a_block_whose_role_the_recipe_has_not_stands_alone() -> None:
    assert roles(era_a("r.yaml"), BODY) == [("prefill", "agg")]


SINGLE = {
    "base": BODY,
    "zip_override_conc": {"benchmark": {"env": {"CONC": ["8", "16", "16"]}}},
    "override_wide": {"roles": {"agg": {"gpus": 8, "args": {"tp-size": 8}}}},
    "override_expert": {"roles": {"agg": {"args": {"ep-size": 4}}}},
    "override_offload": {
        "roles": {"agg": {"gpus": 8, "args": {"tp-size": 8}}},
        "benchmark": {"env": {"KV_OFFLOADING": "dram"}},
    },
}


def single(**row: Any) -> Use:
    """A row of one node, for which the launcher chooses the variant."""
    stated = {"tp": 4, "conc-list": [8, 16, 32], "srt-recipe": "r.yaml", **row}
    return use(stated, multinode=False, **{"srt-recipe-dir": "d"})


def matched(found: Use) -> dict[int, list[str]]:
    return {match.concurrency: [one.selector for one in match.variants] for match in matches(found, recipe(SINGLE))}


def test_the_launcher_chooses_by_concurrency_gpus_experts_and_offloading() -> None:
    assert matched(single()) == {
        8: ["zip_override_conc[0]"],
        16: ["zip_override_conc[1]", "zip_override_conc[2]"],
        32: [],
    }
    assert matched(single(tp=8, **{"conc-list": [8]})) == {8: ["override_wide"]}
    assert matched(single(tp=8, **{"conc-list": [8], "kv-offloading": "dram"})) == {
        8: ["override_wide", "override_offload"]
    }
    assert matched(single(ep=4, **{"conc-list": [8]})) == {8: ["override_expert"]}
    assert matched(single(tp=2, **{"conc-list": [8]})) == {8: []}


def test_a_concurrency_that_fits_no_variant_or_several_has_no_pair() -> None:
    found = list(pairs(single(), recipe(SINGLE)))
    assert [(pair.variant.selector, pair.concurrencies) for pair in found] == [("zip_override_conc[0]", (8,))]
    assert all(isinstance(pair, Pair) for pair in found)


@pytest.mark.parametrize(
    ("found", "value", "expected"),
    [
        (single(), SINGLE, True),
        (single(**{"srt-recipe": "r.yaml:override_wide"}), SINGLE, False),
        (single(), BODY, False),
        (era_a("r.yaml"), SINGLE, False),
    ],
)
def test_the_launcher_chooses_only_for_one_node_and_a_bundle_named_alone(
    found: Use, value: dict[str, Any], expected: bool
) -> None:
    assert is_matched(found, recipe(value)) is expected
