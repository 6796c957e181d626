"""Rows of one key that run the same point, and rows that could be one."""

from __future__ import annotations

import pytest

from reciplint.rules.finding import Finding
from support import MASTER, RUNNERS, lint, runners, single


def found(*rows: str) -> list[Finding]:
    files = {MASTER: single("finch-fp8-b200-vllm", *rows), RUNNERS: runners("b200"), "perf-changelog.yaml": "[]\n"}
    return lint(files, select=["duplicate-point"])


def nodes(*rows: str, kind: str = "fixed") -> list[Finding]:
    """Findings on rows of several nodes."""
    scenario = (
        "    agentic-coding:\n    - search-space:\n"
        if kind == "agentic"
        else "    fixed-seq-len:\n    - isl: 8192\n      osl: 1024\n      search-space:\n"
    )
    master = f"""\
finch-fp8-b200-dynamo-vllm:
  image: vllm/vllm-openai:v0.11.0
  model: example/Finch
  model-prefix: finch
  runner: b200
  precision: fp8
  framework: dynamo-vllm
  kv-p2p-transfer: nixl
  multinode: true
  disagg: true
  scenarios:
{scenario}""" + "".join(f"      - {row}\n" for row in rows)
    files = {MASTER: master, RUNNERS: runners("b200"), "perf-changelog.yaml": "[]\n"}
    return lint(files, select=["duplicate-point"])


def roles(conc: str, recipe: str = "a", order: bool = False, mtp: int = 1) -> str:
    exported = [f'"CONFIG_FILE=recipes/finch/{recipe}.yaml"', f'"MTP={mtp}"']
    listed = ", ".join(reversed(exported) if order else exported)
    prefill = f"{{num-worker: 1, tp: 4, ep: 1, dp-attn: false, additional-settings: [{listed}]}}"
    return f"{{conc-list: {conc}, prefill: {prefill}, decode: {{num-worker: 1, tp: 4, ep: 1, dp-attn: false}}}}"


@pytest.mark.parametrize(
    "other",
    [
        "{ tp: 4, conc-list: [16] }",
        "{ tp: 4, ep: 1, conc-list: [16] }",
        "{ tp: 4, dp-attn: false, spec-decoding: none, conc-list: [16] }",
        "{ tp: 4, conc-start: 16, conc-end: 16 }",
        "{ conc-list: [64, 16, 32], tp: 4 }",
    ],
)
def test_a_point_that_runs_twice(other: str) -> None:
    (finding,) = found("{ tp: 4, conc-list: [8, 16] }", other)
    assert finding.severity == "warning"
    assert finding.message_id == "twice"
    assert finding.span.line == 15
    assert [place.span.line for place in finding.related] == [14]
    assert finding.subject[:2] == ("finch-fp8-b200-vllm", "8k1k")
    assert finding.subject[-1] == "16"
    assert "concurrency 16 twice" in finding.message


@pytest.mark.parametrize(
    "other",
    [
        "{ tp: 8, conc-list: [16] }",
        "{ tp: 4, ep: 4, conc-list: [16] }",
        "{ tp: 4, dp-attn: true, conc-list: [16] }",
        "{ tp: 4, spec-decoding: mtp, conc-list: [16] }",
        "{ tp: 4, unknown-knob: 3, conc-list: [16] }",
        "{ tp: 4 }",
    ],
)
def test_rows_that_differ_in_a_setting_are_different_points(other: str) -> None:
    assert found("{ tp: 4, conc-list: [8, 16] }", other) == []


def test_each_pair_of_three_rows_is_told() -> None:
    rows = ["{ tp: 4, conc-list: [128, 512] }", "{ tp: 4, conc-list: [64, 256] }", "{ tp: 4, conc-list: [64, 128] }"]
    first, *others = found(*rows)
    assert (first.message_id, first.severity) == ("mergeable", "info")
    assert sorted((finding.message_id, finding.span.line, finding.subject[-1]) for finding in others) == [
        ("twice", 16, "128"),
        ("twice", 16, "64"),
    ]


def test_a_row_inserted_before_changes_no_subject() -> None:
    rows = ["{ tp: 4, conc-list: [8, 16] }", "{ tp: 4, conc-list: [16] }"]
    assert [finding.subject for finding in found(*rows)] == [
        finding.subject for finding in found("{ tp: 2, conc-list: [1] }", *rows)
    ]


def test_the_recipe_is_part_of_the_point() -> None:
    assert nodes(roles("[8]", "a"), roles("[8]", "b")) == []
    assert [finding.message_id for finding in nodes(roles("[8]", "a"), roles("[8]", "a"))] == ["twice"]


def test_the_order_of_exported_settings_is_no_difference_but_their_values_are() -> None:
    assert [finding.message_id for finding in nodes(roles("[8]"), roles("[8]", order=True))] == ["twice"]
    assert nodes(roles("[8]"), roles("[8]", mtp=3)) == []


def test_a_block_of_a_role_is_compared_whole() -> None:
    changed = roles("[8]").replace(
        "num-worker: 1, tp: 4, ep: 1, dp-attn: false}}", "num-worker: 2, tp: 4, ep: 1, dp-attn: false}}"
    )
    assert nodes(roles("[8]"), changed) == []


@pytest.mark.parametrize(
    ("rows", "mergeable"),
    [
        (("{ tp: 4, conc-list: [8] }", "{ tp: 4, conc-list: [64] }"), True),
        (("{ tp: 4, conc-start: 4, conc-end: 16 }", "{ tp: 4, conc-start: 32, conc-end: 64 }"), True),
        (("{ tp: 4, conc-start: 1, conc-end: 1 }", "{ tp: 4, conc-start: 4, conc-end: 64 }"), False),
        (("{ tp: 4, conc-list: [8] }", "{ tp: 4, conc-start: 16, conc-end: 32 }"), False),
    ],
)
def test_rows_that_could_be_one(rows: tuple[str, str], mergeable: bool) -> None:
    assert [(finding.message_id, finding.severity) for finding in found(*rows)] == [("mergeable", "info")] * mergeable


def test_a_row_of_several_nodes_with_a_fixed_length_is_a_job_and_may_be_split() -> None:
    assert nodes(roles("[8]"), roles("[64]")) == []
    assert [finding.message_id for finding in nodes(roles("[8]"), roles("[64]"), kind="agentic")] == ["mergeable"]


def test_rows_of_two_scenarios_are_no_twins() -> None:
    text = single("finch-fp8-b200-vllm", "{ tp: 4, conc-list: [8] }")
    text += "    - isl: 1024\n      osl: 1024\n      search-space:\n      - { tp: 4, conc-list: [8] }\n"
    files = {MASTER: text, RUNNERS: runners("b200"), "perf-changelog.yaml": "[]\n"}
    assert lint(files, select=["duplicate-point"]) == []


def test_a_change_is_charged_only_with_the_pair_that_it_makes() -> None:
    before = single("finch-fp8-b200-vllm", "{ tp: 4, conc-list: [8, 16] }", "{ tp: 4, conc-list: [16] }")
    after = before + "      - { tp: 2, conc-list: [4] }\n      - { tp: 2, conc-list: [4] }\n"
    rest = {RUNNERS: runners("b200"), "perf-changelog.yaml": "[]\n"}
    findings = lint({MASTER: after, **rest}, {MASTER: before, **rest}, select=["duplicate-point"])
    assert [finding.span.line for finding in findings] == [17]
