"""What a change does to the benchmark: which keys it makes measure anew, and why."""

from __future__ import annotations

import pytest

from support import CHANGELOG, MASTER, RECIPES, lint, multi, project, recipe, single

RECIPE = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"
SINGLE, MULTI = "finch-fp8-b200-vllm", "finch-fp8-gb200-dynamo-vllm"
NAMED = "recipes/vllm/finch/disagg-1p1d-tp4.yaml"


def impacts(head: dict[str, str], base: dict[str, str] | None = None) -> list[tuple[str, str]]:
    """Each key that needs an entry, with the severity."""
    found = lint(head, base or project(), select=["changelog-required"])
    return [(key, finding.severity) for finding in found for key in finding.arguments["keys"]]  # type: ignore[union-attr]


def edited(old: str, new: str, path: str = MASTER) -> dict[str, str]:
    files = project()
    assert old in files[path]
    return {**files, path: files[path].replace(old, new)}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("conc-list: [8, 16]", "conc-list: [8, 16, 32]", [(SINGLE, "error")]),
        ("conc-list: [8, 16]", "conc-list: [8, 17]", [(SINGLE, "error")]),
        ("{ tp: 4, conc-list", "{ tp: 4, ep: 4, conc-list", [(SINGLE, "error")]),
        ("isl: 8192", "isl: 4096", [(SINGLE, "error"), (MULTI, "error")]),
        ("v0.11.0", "v0.12.0", [(SINGLE, "error"), (MULTI, "error")]),
        ("runner: b200", "runner: gb200", [(SINGLE, "error")]),
        ("kv-p2p-transfer: nixl", "kv-p2p-transfer: mooncake", [(MULTI, "warning")]),
        (f'"CONFIG_FILE={NAMED}"', f'"CONFIG_FILE={NAMED}", "FINCH=1"', []),
        # the same points, said otherwise
        ("conc-list: [8, 16]", "conc-start: 8, conc-end: 16", []),
        ("conc-list: [8, 16]", "conc-list: [16, 8]", []),
        ("conc-list: [8, 16]", "conc-list: [8]", []),
        (
            "      - { tp: 4, conc-list: [8, 16] }\n",
            "      - { tp: 4, conc-list: [8] }\n      - { tp: 4, conc-list: [16] }\n",
            [],
        ),
        ("  precision: fp8\n  framework: vllm\n", "  framework: vllm\n  precision: 'fp8'  # as before\n", []),
    ],
)
def test_keys_that_need_an_entry(old: str, new: str, expected: list[tuple[str, str]]) -> None:
    if "FINCH=1" in new:
        old, new, expected = '- "CONFIG_FILE=', '- "FINCH=1"\n          - "CONFIG_FILE=', [(MULTI, "error")]
    assert impacts(edited(old, new)) == expected


def test_a_new_key_needs_one_and_a_removed_one_does_not() -> None:
    files = project()
    more = {**files, MASTER: files[MASTER] + single("finch-fp4-b200-vllm")}
    assert impacts(more) == [("finch-fp4-b200-vllm", "error")]
    assert impacts(files, more) == []


def test_a_key_that_only_moves_to_another_file_needs_none() -> None:
    moved = project(master=multi(MULTI, NAMED))
    moved["configs/amd-master.yaml"] = single()
    assert impacts(moved) == []


def test_a_recipe_that_changes_in_meaning_counts_for_the_keys_that_run_it() -> None:
    found = lint(edited("64", "65", RECIPE), project(), select=["changelog-required"])
    assert [finding.arguments["keys"] for finding in found] == [(MULTI,)]
    assert RECIPE in [related.path for related in found[0].related]
    assert impacts(edited("max-num-seqs: 64", "max-num-seqs: 0x40  # sixty-four", RECIPE)) == []


def test_a_recipe_that_nothing_runs_counts_for_nothing() -> None:
    idle = {f"{RECIPES}/vllm/finch/idle.yaml": recipe()}
    assert impacts({**project(), f"{RECIPES}/vllm/finch/idle.yaml": recipe(value=1)}, {**project(), **idle}) == []


def test_another_recipe_of_the_same_meaning_is_the_same_point() -> None:
    renamed = project(master=single() + multi(MULTI, "recipes/vllm/finch/renamed.yaml"))
    renamed[RECIPE.replace("disagg-1p1d-tp4", "renamed")] = renamed.pop(RECIPE)
    assert impacts(renamed) == []
    other = dict(renamed)
    other[RECIPE.replace("disagg-1p1d-tp4", "renamed")] = recipe(value=1)
    assert impacts(other) == [(MULTI, "error")]


def test_a_change_of_one_variant_counts_only_where_it_is_selected() -> None:
    bundle = """\
base: {{ name: finch, resources: {{}}, backend: {{ type: vllm }} }}
override_a: {{ frontend: {{ args: {{ a: 1 }} }} }}
override_b: {{ frontend: {{ args: {{ a: {} }} }} }}
"""
    files = project(master=multi("runs-a", f"{NAMED}:override_a") + multi("runs-b", f"{NAMED}:override_b"))
    assert impacts({**files, RECIPE: bundle.format(3)}, {**files, RECIPE: bundle.format(2)}) == [("runs-b", "error")]


def test_without_a_changelog_none_is_asked_for() -> None:
    head, base = edited("[8, 16]", "[8, 17]"), project()
    del head[CHANGELOG], base[CHANGELOG]
    assert impacts(head, base) == []
