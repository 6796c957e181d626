"""Master configs in one normal form: places, arms, rows and how a row names its recipe."""

from __future__ import annotations

import pytest

from reciplint.domain.master import MasterEntry, Row, concurrencies, read_master, sequence_name
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.spans import Span
from support import multi, single


def entries(text: str) -> tuple[MasterEntry, ...]:
    return read_master(parse_text(text)).entries


def rows(text: str) -> list[Row]:
    return [row for entry in entries(text) for arm in entry.arms for row in arm.rows]


OCTOBER = """\
finch-fp8-b200-vllm:
  image: vllm/vllm-openai:v0.11.0
  srt-recipe-dir: finch/vllm/b200-fp8
  runner: cluster:b200-west
  multinode: true
  scenarios:
    agentic-coding:
    - dram-utilization: 0.5
      search-space:
      - num-nodes: 1
        worker: { num-worker: 2, tp: 8, ep: 1, dp-attn: true }
        srt-recipe: agentx/agg.yaml:zip_override_a[3]
        eval-srt-recipe: agentx/eval.yaml
        kv-offloading: dram
        conc-list: [4]
"""


def test_an_entry_with_its_places() -> None:
    (entry,) = entries("# first\n\n" + single())
    assert (entry.key, entry.key_span) == ("finch-fp8-b200-vllm", Span(3, 1, 3, 20))
    assert (entry.runner, entry.runner_span) == ("b200", Span(7, 11, 7, 15))
    assert (entry.image_span.line, entry.prefix, entry.precision, entry.framework) == (4, "finch", "fp8", "vllm")
    assert (entry.multinode, entry.disagg) == (False, False)
    assert [(arm.scenario, arm.kind, arm.isl, arm.osl, arm.span.line) for arm in entry.arms] == [
        ("8k1k", "fixed-seq-len", 8192, 1024, 13)
    ]


def test_a_single_node_row() -> None:
    (row,) = rows(single("k", "{ tp: 4, ep: 2, dp-attn: true, spec-decoding: mtp, conc-list: [8, 16] }"))
    (worker,) = row.workers
    assert (worker.role, worker.count, worker.tp, worker.ep, worker.dp_attn) == ("worker", None, 4, 2, True)
    assert (row.spec_decoding, row.concurrencies, row.references) == ("mtp", (8, 16), ())
    assert row.pointer == "/k/scenarios/fixed-seq-len/0/search-space/0"


def test_a_row_of_two_roles_names_its_recipe_in_its_settings() -> None:
    text = multi("k", "recipes/vllm/finch/a.yaml:override_x")
    (row,) = rows(text)
    assert [(worker.role, worker.count, worker.tp) for worker in row.workers] == [("prefill", 1, 4), ("decode", 1, 4)]
    (reference,) = row.references
    assert (reference.era, reference.purpose, reference.text, reference.selector) == (
        "A",
        "recipe",
        "recipes/vllm/finch/a.yaml",
        "override_x",
    )
    line = text.split("\n")[reference.span.line - 1]
    assert line[reference.span.column - 1 : reference.span.end_column - 1] == "recipes/vllm/finch/a.yaml:override_x"


def test_a_row_of_october() -> None:
    (entry,) = entries(OCTOBER)
    assert (entry.recipe_folder, entry.folder_span.line) == ("finch/vllm/b200-fp8", 3)
    (arm,) = entry.arms
    assert (arm.scenario, arm.dram_utilization) == ("agentic-coding", 0.5)
    (row,) = arm.rows
    assert [(r.era, r.purpose, r.text, r.selector, r.folder) for r in row.references] == [
        ("C", "recipe", "agentx/agg.yaml", "zip_override_a[3]", "finch/vllm/b200-fp8"),
        ("C", "evaluation", "agentx/eval.yaml", "", "finch/vllm/b200-fp8"),
    ]
    assert (row.workers[0].role, row.workers[0].count, row.kv_offloading) == ("worker", 2, "dram")


def test_without_a_folder_a_recipe_path_is_whole() -> None:
    (row,) = rows(OCTOBER.replace("  srt-recipe-dir: finch/vllm/b200-fp8\n", ""))
    assert [reference.era for reference in row.references] == ["B", "B"]


def test_anchors_and_merge_keys_are_followed() -> None:
    text = single("one", "&row { tp: 4, conc-list: [8] }", "{ <<: *row, tp: 8 }")
    first, second = rows(text)
    assert [row.workers[0].tp for row in (first, second)] == [4, 8]
    assert second.concurrencies == (8,)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"conc-list": [8, 16]}, (8, 16)),
        ({"conc-list": [8, "16", True, 0, None]}, (8,)),
        ({"conc-start": 4, "conc-end": 32}, (4, 8, 16, 32)),
        ({"conc-start": 4, "conc-end": 24}, (4, 8, 16, 24)),
        ({"conc-start": 4, "conc-end": 4}, (4,)),
        ({"conc-start": 8, "conc-end": 4}, ()),
        ({"conc-start": 0, "conc-end": 4}, ()),
        ({"conc-start": "4", "conc-end": 8}, ()),
        ({"conc-list": 8}, ()),
        ({}, ()),
    ],
)
def test_concurrencies(settings: dict[str, object], expected: tuple[int, ...]) -> None:
    assert concurrencies(settings) == expected


@pytest.mark.parametrize(
    ("isl", "osl", "name"), [(8192, 1024, "8k1k"), (1024, 8192, "1k8k"), (1000, 1000, "1000in1000out")]
)
def test_names_of_sequence_lengths(isl: int, osl: int, name: str) -> None:
    assert sequence_name(isl, osl) == name


def test_identity_knows_neither_place_nor_concurrency_and_meaning_knows_all_but_spelling() -> None:
    one, other, more = rows(
        single("k", "{ tp: 4, conc-list: [8] }", "{ conc-list: [8], 'tp': 4 }", "{ tp: 4, conc-list: [16] }")
    )
    assert one.identity == other.identity == more.identity
    assert one.meaning == other.meaning != more.meaning
    (elsewhere,) = rows(single("k", "{ tp: 4, conc-list: [8] }").replace("v0.11.0", "v0.12.0"))
    assert elsewhere.identity == one.identity
    assert elsewhere.meaning != one.meaning


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]\n",
        "a\n",
        "k: 1\n",
        "k: {scenarios: 1}\n",
        "k: {scenarios: {fixed-seq-len: 1}}\n",
        "k: {scenarios: {x: [1]}}\n",
        "k: {scenarios: {x: [{search-space: {a: 1}}]}}\n",
        "k: {scenarios: {x: [{search-space: [1, {tp: [1], prefill: 1}]}]}}\n",
        "? [a]\n: {}\n",
    ],
)
def test_what_has_not_the_shape_is_left_out(text: str) -> None:
    assert [row.references for row in rows(text)] in ([], [()])
    assert all(worker.tp is None for row in rows(text) for worker in row.workers)
