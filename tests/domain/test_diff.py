"""What a change does to keys, points, recipes, the changelog and costs, on invented projects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from reciplint.domain.diff import Diff, compare
from reciplint.domain.point_diff import FieldChange, KeyDiff, RowDiff
from reciplint.domain.recipe_diff import RecipeDiff, SettingChange
from reciplint.engine.cache import Cache
from reciplint.engine.run import Request, analyse_pair
from reciplint.engine.settings import POINT_HOURS, Settings
from reciplint.repo.snapshot import Memory
from support import CHANGELOG, MASTER, RECIPES, RULES, RUNNERS, Files, changed, encoded, multi, project, recipe, single

KEY = "finch-fp8-b200-vllm"
MULTI = "finch-fp8-gb200-dynamo-vllm"
RECIPE = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"


def diff(base: Files, head: Files, renames: Mapping[str, str] | None = None) -> Diff:
    """The difference of two trees in memory."""
    old, new = Memory(encoded(base)), Memory(encoded(head))
    request = Request(head=new, base=old, renames=renames or {})
    pair = analyse_pair(request, RULES, Settings(), Cache(None))

    def reader(snapshot: Memory) -> object:
        def read(paths: Iterable[str]) -> dict[str, bytes]:
            return {path: content.data for path, content in snapshot.read(paths).items()}

        return read

    touched = [path for path in {*base, *head} if base.get(path) != head.get(path)]
    return compare(pair.changes, reader(old), reader(new), touched, POINT_HOURS)  # type: ignore[arg-type]


def of_rows(before: list[str], after: list[str]) -> KeyDiff:
    """What became of a single-node key with these rows."""
    found = diff({**project(), MASTER: single(KEY, *before)}, {**project(), MASTER: single(KEY, *after)})
    (key,) = found.keys
    return key


def test_nothing_changed() -> None:
    found = diff(project(), project())
    assert (found.keys, found.recipes, found.needs, found.entries, found.touched) == ((), (), (), (), ())
    assert found.before == found.after


def test_comments_change_nothing() -> None:
    head = {**project(), MASTER: "# new\n" + project()[MASTER], RECIPE: "# new\n" + recipe()}
    found = diff(project(), head)
    assert (found.keys, found.recipes, found.restyled) == ((), (), 1)
    assert found.touched == (RECIPE, MASTER)


def test_an_image_on_every_point_is_one_line() -> None:
    head = project(master=project()[MASTER].replace("v0.11.0", "v0.12.0", 1))
    (key,) = diff(project(), head).keys
    assert key == KeyDiff(
        KEY,
        MASTER,
        "changed",
        fields=(FieldChange("image", "vllm/vllm-openai:v0.11.0", "vllm/vllm-openai:v0.12.0", 2),),
        changed=2,
    )


def test_a_longer_concurrency_list_is_the_same_row() -> None:
    key = of_rows(["{ tp: 4, conc-list: [64] }"], ["{ tp: 4, conc-list: [64, 74] }"])
    assert (key.added, key.removed, key.changed, key.fields) == (1, 0, 0, ())
    assert key.rows == (RowDiff("changed", "8k1k tp4", "fixed-seq-len", (64,), (64, 74), ""),)


def test_a_range_spelled_as_a_list_changes_nothing() -> None:
    base = {**project(), MASTER: single(KEY, "{ tp: 4, conc-start: 4, conc-end: 16 }")}
    assert diff(base, {**project(), MASTER: single(KEY, "{ tp: 4, ep: 1, conc-list: [4, 8, 16] }")}).keys == ()


def test_rows_that_move_change_nothing() -> None:
    rows = ["{ tp: 4, conc-list: [4] }", "{ tp: 8, conc-list: [8] }"]
    assert diff({**project(), MASTER: single(KEY, *rows)}, {**project(), MASTER: single(KEY, *rows[::-1])}).keys == ()


def test_a_field_of_one_row_names_the_row() -> None:
    key = of_rows(
        ["{ tp: 4, conc-list: [4, 8] }", "{ tp: 8, conc-list: [4] }"],
        ["{ tp: 4, ep: 4, conc-list: [4, 8] }", "{ tp: 8, conc-list: [4] }"],
    )
    assert key.fields == (FieldChange("ep", "1", "4", 2, ("8k1k tp4 ep4",)),)
    assert (key.added, key.removed, key.changed, key.rows) == (0, 0, 2, ())


def test_rows_of_the_same_words_are_told_by_concurrency() -> None:
    rows = ["{ tp: 4, conc-list: [4] }", "{ tp: 4, num-nodes: 2, conc-list: [8] }"]
    key = of_rows(rows, [rows[0], "{ tp: 4, num-nodes: 3, conc-list: [8] }"])
    assert key.fields == (FieldChange("num-nodes", "2", "3", 1, ("8k1k tp4 conc 8",)),)


def test_other_gpus_are_another_row() -> None:
    key = of_rows(["{ tp: 4, conc-list: [4, 8] }"], ["{ tp: 8, conc-list: [4] }"])
    assert [(row.status, row.row, row.before, row.after) for row in key.rows] == [
        ("removed", "8k1k tp4", (4, 8), ()),
        ("added", "8k1k tp8", (), (4,)),
    ]
    assert (key.added, key.removed, key.changed) == (1, 2, 0)


def test_settings_changed_without_a_common_concurrency_are_another_row() -> None:
    key = of_rows(["{ tp: 4, conc-list: [4] }"], ["{ tp: 4, spec-decoding: mtp, conc-list: [8] }"])
    assert [row.status for row in key.rows] == ["removed", "added"]


def test_duplicates_are_counted() -> None:
    key = of_rows(["{ tp: 4, conc-list: [4, 4] }"], ["{ tp: 4, conc-list: [4] }"])
    assert (key.added, key.removed, key.changed) == (0, 1, 0)


def test_a_field_that_nobody_knows_is_shown_as_well() -> None:
    key = of_rows(["{ tp: 4, conc-list: [4] }"], ["{ tp: 4, novel: { a: 1 }, conc-list: [4] }"])
    assert key.fields == (FieldChange("novel", "", '{"a":1}', 1),)


def test_settings_of_a_role_are_fields() -> None:
    master = multi(MULTI, "recipes/vllm/finch/disagg-1p1d-tp4.yaml")
    base = {**project(), MASTER: master.replace('tp4.yaml"', 'tp4.yaml"\n          - "X=1"')}
    head = {**project(), MASTER: master.replace('tp4.yaml"', 'tp4.yaml"\n          - "X=2"\n          - "FLAG"')}
    (key,) = diff(base, head).keys
    assert {(field.name, field.old, field.new) for field in key.fields} == {
        ("prefill.X", "1", "2"),
        ("prefill.FLAG", "", "set"),
    }


def test_the_hardware_of_a_fleet_changes_points_of_untouched_keys() -> None:
    body = single(KEY, runner="cluster:b200").partition("    fixed-seq-len")[0] + (
        "    agentic-coding:\n    - dram-utilization: 0.5\n      search-space:\n"
        "      - { tp: 8, kv-offloading: dram, kv-offload-backend: { name: x }, conc-list: [1] }\n"
    )
    fleet = (
        "labels: { 'cluster:b200': [b_0] }\n"
        "hardware: { 'cluster:b200': { gpus-per-node: 8, available-cpu-dram-mib: %d } }\n"
    )
    base = {**project(), MASTER: body, RUNNERS: fleet % 1_000_000}
    (key,) = diff(base, {**base, RUNNERS: fleet % 2_000_000}).keys
    assert key.fields == (FieldChange("dram-gb", "524", "1048", 1),)


def test_added_removed_renamed_and_archived_keys() -> None:
    row = "{ tp: 8, conc-list: [2] }"
    base = {**project(), MASTER: single("a") + single("b", row) + single("c", "{ tp: 1, conc-list: [1] }")}
    archive = "configs/deprecated/nvidia-master.yaml"
    head = {**project(), MASTER: single("a") + single("b2", row) + single("d"), archive: single("c")}
    found = {key.key: key for key in diff(base, head).keys}
    assert list(found) == ["b2", "d", "b", "c"]
    assert [(key.status, key.added, key.removed) for key in found.values()] == [
        ("added", 1, 0),
        ("added", 2, 0),
        ("removed", 0, 1),
        ("removed", 0, 1),
    ]
    assert (found["b2"].was, found["d"].was) == ("b", "")
    assert (found["c"].archive, found["b"].archive) == (archive, "")


def test_a_recipe_that_changed_meaning_and_the_keys_that_run_it() -> None:
    found = diff(project(), {**project(), RECIPE: recipe(value=128)})
    assert found.recipes == (
        RecipeDiff(
            RECIPE,
            "changed",
            (SettingChange("backend.vllm_config.decode.max-num-seqs", "64", "128"),),
            keys=(MULTI,),
        ),
    )
    (key,) = found.keys
    assert (key.key, key.fields, key.rows, key.recipes) == (MULTI, (), (), {RECIPE: 1})
    (need,) = found.needs
    assert (need.key, need.uncovered, need.entries) == (MULTI, ("fixed-seq-len",), ())


def test_recipes_that_come_go_and_move() -> None:
    base = {**project(), f"{RECIPES}/old.yaml": recipe("old"), f"{RECIPES}/a/x.yaml": recipe("x")}
    head = {**project(), f"{RECIPES}/new.yaml": recipe("new", value=7), f"{RECIPES}/b/x.yaml": recipe("x", value=9)}
    found = diff(base, head, renames={f"{RECIPES}/b/x.yaml": f"{RECIPES}/a/x.yaml"})
    assert [(item.path, item.status, item.was) for item in found.recipes] == [
        (f"{RECIPES}/b/x.yaml", "changed", f"{RECIPES}/a/x.yaml"),
        (f"{RECIPES}/new.yaml", "added", ""),
        (f"{RECIPES}/old.yaml", "removed", ""),
    ]


BUNDLE = """\
base:
  name: finch
  model: { path: example/Finch, container: "x", precision: fp8 }
  resources: { gpu_type: gb200 }
  backend: { type: vllm, vllm_config: { decode: { max-num-seqs: %d, graph: [1, 2] } } }
override_low:
  backend: { vllm_config: { decode: { max-num-seqs: 1 } } }
zip_override_sweep:
  backend: { vllm_config: { decode: { graph: [%s, [8, 9]] } } }
"""


def test_variants_are_compared_one_by_one() -> None:
    """What `base` changes, the variants that override it do not."""
    (found,) = diff(
        {**project(), RECIPE: BUNDLE % (64, "[4, 5]")}, {**project(), RECIPE: BUNDLE % (32, "[4, 6]")}
    ).recipes
    place = "backend.vllm_config.decode"
    assert set(found.changes) == {
        SettingChange(f"{place}.max-num-seqs", "64", "32", ("base", "zip_override_sweep[0]", "zip_override_sweep[1]")),
        SettingChange(f"{place}.graph", "[4,5]", "[4,6]", ("zip_override_sweep[0]",)),
    }
    assert (found.variants, found.added, found.removed) == (4, (), ())


def test_variants_that_come_and_go() -> None:
    other = (BUNDLE % (64, "[4, 5]")).replace("override_low", "override_high", 1)
    (found,) = diff({**project(), RECIPE: BUNDLE % (64, "[4, 5]")}, {**project(), RECIPE: other}).recipes
    assert (found.added, found.removed, found.changes) == (("override_high",), ("override_low",), ())


@pytest.mark.parametrize(
    ("old", "new", "place", "before", "after"),
    [
        ('\'{"m": 1, "n": 2}\'', '\'{"m": 1, "n": 3}\'', "x.n", "2", "3"),  # JSON in a text is opened
        ("'{not json}'", "'{nor this}'", "x", "{not json}", "{nor this}"),
        ("[1, 2, 3]", "[1, 3]", "x", "[1,2,3]", "[1,3]"),  # a list is one value
        ("[{a: 1}, {a: 2}]", "[{a: 1}, {a: 3}]", "x[1].a", "2", "3"),
        ("1", "'1'", "x", "1", "1"),
        ("1", "true", "x", "1", "true"),
        ("null", "''", "x", "null", '""'),
    ],
)
def test_values(old: str, new: str, place: str, before: str, after: str) -> None:
    text = recipe(flag="x", value=old), recipe(flag="x", value=new)
    (found,) = diff({**project(), RECIPE: text[0]}, {**project(), RECIPE: text[1]}).recipes
    assert found.changes == (SettingChange(f"backend.vllm_config.decode.{place}", before, after),)


def test_a_recipe_that_cannot_be_read_is_said() -> None:
    (found,) = diff(project(), {**project(), RECIPE: "a: [\n"}).recipes
    assert (found.status, found.is_readable, found.keys) == ("changed", False, (MULTI,))


def test_changelog_entries_cover_keys_by_scenario() -> None:
    master = project()[MASTER].replace("v0.11.0", "v0.12.0")
    entry = changed("finch-fp8-*-vllm", 2) + "  scenario-type: [fixed-seq-len]\n"
    head = {**project(master=master), CHANGELOG: project()[CHANGELOG] + "\n" + entry}
    found = diff(project(), head)
    assert [(need.key, need.entries, need.uncovered) for need in found.needs] == [(KEY, (7,), ()), (MULTI, (7,), ())]
    (added,) = found.entries
    assert (added.line, added.patterns, added.keys, added.untouched) == (7, ("finch-fp8-*-vllm",), (KEY, MULTI), ())
    assert (added.scenario_types, added.pr_link) == (("fixed-seq-len",), "https://github.com/example/bench/pull/2")
    assert (found.started.points, found.started.jobs) == (3, 3)
    assert found.uncovered == ()


def test_an_entry_for_another_scenario_covers_nothing() -> None:
    entry = changed(KEY, 2) + "  scenario-type: [agentic-coding]\n"
    head = {**project(master=project()[MASTER].replace("v0.11.0", "v0.12.0", 1))}
    head[CHANGELOG] += "\n" + entry
    found = diff(project(), head)
    assert [need.uncovered for need in found.needs] == [("fixed-seq-len",)]
    assert found.started.points == 0
    assert found.entries[0].keys == ()


def test_an_entry_without_a_changed_point_is_told() -> None:
    head = project(changelog=project()[CHANGELOG] + "\n" + changed(MULTI, 2))
    assert [entry.untouched for entry in diff(project(), head).entries] == [(MULTI,)]


def test_totals_before_and_after() -> None:
    head = project(master=project()[MASTER].replace("conc-list: [8, 16]", "conc-list: [8]"))
    found = diff(project(), head)
    assert (found.before.points, found.after.points) == (3, 2)
    assert (found.before_fleets["b200"].gpu_hours, found.after_fleets["b200"].gpu_hours) == (8.0, 4.0)
    assert found.before_fleets["gb200"] == found.after_fleets["gb200"]


def test_a_project_that_comes_whole() -> None:
    found = diff({"README.md": "x"}, project())
    assert [(key.key, key.status) for key in found.keys] == [(KEY, "added"), (MULTI, "added")]
    assert found.before.points == 0


def test_the_same_twice() -> None:
    head = {**project(master=single("z") + single(KEY, "{ tp: 1, conc-list: [1] }")), RECIPE: recipe(value=1)}
    assert diff(project(), head) == diff(dict(reversed(project().items())), dict(reversed(head.items())))
