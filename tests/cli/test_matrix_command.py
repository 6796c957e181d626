"""`reciplint matrix`: tables, filters, totals."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from support import MASTER, RUNNERS, commit, git_repo, multi, project, reciplint, single, write

KEY = "finch-fp8-b200-vllm"
MULTI = "finch-fp8-gb200-dynamo-vllm"
RECIPE = "recipes/vllm/finch/disagg-1p1d-tp4.yaml"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    fleet = "labels:\n  b200: [b200-a_0, b200-a_1]\n  gb200: [gb200-a_0]\n"
    return git_repo(tmp_path / "top", project(runners=fleet))


def test_text_has_a_line_a_row_and_the_totals(top: Path) -> None:
    ran = reciplint(top, "matrix")
    assert (ran.status, ran.err) == (0, "")
    expected = f"""\
key scenario topology conc spec-decoding offloading GPUs DRAM GB runner recipe
{KEY} 8k1k tp4 8, 16 - - 4 - b200 -
{MULTI} 8k1k 1P1D tp4/tp4 16 - - 8 - gb200 {RECIPE}

runner runners points jobs GPUs at once GPU-hours
b200 2 2 2 8 8
gb200 1 1 1 8 8

3 points of 2 keys, 3 jobs, 16 GPUs if all ran at once, about 16 GPU-hours \
(an estimate: 1 h for each fixed-seq-len point)
"""
    assert [line.split() for line in ran.out.splitlines()] == [line.split() for line in expected.splitlines()]


def test_one_line_a_point(top: Path) -> None:
    lines = reciplint(top, "matrix", KEY, "--no-group").out.splitlines()
    assert [line.split()[3] for line in lines[1:3]] == ["8", "16"]


def test_csv_has_every_point(top: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(reciplint(top, "matrix", "--format", "csv").out)))
    assert [(row["key"], row["conc"], row["GPUs"], row["recipe"]) for row in rows] == [
        (KEY, "8", "4", ""),
        (KEY, "16", "4", ""),
        (MULTI, "16", "8", RECIPE),
    ]
    grouped = csv.DictReader(io.StringIO(reciplint(top, "matrix", "--format", "csv", "--group").out))
    assert [row["conc"] for row in grouped] == ["8, 16", "16"]


def test_json(top: Path) -> None:
    found = json.loads(reciplint(top, "matrix", "--format", "json").out)
    assert found["schema"] == "reciplint/matrix-v1"
    assert [point["concurrency"] for point in found["points"]] == [8, 16, 16]
    last = found["points"][-1]
    assert (last["topology"], last["gpus"], last["kv-p2p-transfer"]) == ("1P1D tp4/tp4", 8, "nixl")
    assert [role["name"] for role in last["roles"]] == ["prefill", "decode"]
    assert found["totals"]["hours-per-point"] == {"agentic-coding": 1.0, "fixed-seq-len": 1.0}
    assert [fleet["runners"] for fleet in found["totals"]["fleets"]] == [2, 1]
    grouped = json.loads(reciplint(top, "matrix", KEY, "--format", "json", "--group").out)
    assert [point["concurrency"] for point in grouped["points"]] == [[8, 16]]


def test_markdown(top: Path) -> None:
    out = reciplint(top, "matrix", KEY, "--format", "markdown").out
    assert f"| `{KEY}` | `8k1k` | `tp4` | `8, 16` | - | - | 4 | - | `b200` | - |" in out


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        (["*-dynamo-*"], [MULTI]),
        ([KEY, "*gb200*"], [KEY, KEY, MULTI]),
        (["--runner", "b200"], [KEY, KEY]),
        (["--runner", "b*", "--runner", "gb200"], [KEY, KEY, MULTI]),
        (["--framework", "dynamo-*"], [MULTI]),
        (["--precision", "fp8", "--model-prefix", "finch"], [KEY, KEY, MULTI]),
        (["--scenario", "8k1k"], [KEY, KEY, MULTI]),
        (["--scenario", "fixed-*", "--runner", "gb200"], [MULTI]),
        (["--conc", "16"], [KEY, MULTI]),
        (["--conc", "1-8", "--conc", "300"], [KEY]),
        (["--conc", "999"], []),
    ],
)
def test_filters(top: Path, arguments: list[str], keys: list[str]) -> None:
    ran = reciplint(top, "matrix", "--format", "csv", *arguments)
    assert ran.status == 0, ran.err
    assert [row["key"] for row in csv.DictReader(io.StringIO(ran.out))] == keys


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([f"{KEY}x"], f"no key of the master configs is called '{KEY}x'; did you mean {KEY}?"),
        (["nothing-*"], f"no key of the master configs matches 'nothing-*'; there are {KEY}, {MULTI}"),
        (["--runner", "b20"], "no point has the runner 'b20'; did you mean b200?"),
        (["--scenario", "chat"], "no point has the scenario 'chat'; there are 8k1k, fixed-seq-len"),
        (["--conc", "many"], "'many' is neither a concurrency like 64 nor a range like 8-64"),
        (["--head", "nowhere"], "no commit is called 'nowhere'"),
    ],
)
def test_what_matches_nothing_is_an_error(top: Path, arguments: list[str], message: str) -> None:
    ran = reciplint(top, "matrix", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_no_points(top: Path) -> None:
    assert reciplint(top, "matrix", "--conc", "999").out == "no points\n"


def test_the_settings_say_how_long_a_point_runs(top: Path) -> None:
    write(top, {".reciplint.yaml": "matrix:\n  hours: { fixed-seq-len: 0.25 }\n"})
    found = json.loads(reciplint(top, "matrix", "--format", "json").out)
    assert found["totals"]["gpu-hours"] == 4.0
    assert "0.25 h for each fixed-seq-len point" in reciplint(top, "matrix").out


@pytest.mark.parametrize(
    ("hours", "message"),
    [("-1", "expected at least 0"), (".nan", "expected a number of hours"), ("long", "expected a number")],
)
def test_hours_that_are_none(top: Path, hours: str, message: str) -> None:
    write(top, {".reciplint.yaml": f"matrix:\n  hours: {{ fixed-seq-len: {hours} }}\n"})
    ran = reciplint(top, "matrix")
    assert ran.status == 2
    assert message in ran.err


def test_another_revision(top: Path) -> None:
    commit(top, {MASTER: single("wren-fp8-b200-vllm")})
    assert "wren" in reciplint(top, "matrix").out
    assert KEY in reciplint(top, "matrix", "--head", "HEAD~1").out


def test_a_runner_that_is_no_label_has_no_number(top: Path) -> None:
    write(top, {RUNNERS: "labels: { b200: [b200-a_0] }\n", MASTER: multi(MULTI, RECIPE)})
    lines = reciplint(top, "matrix").out.splitlines()
    assert lines[4].split() == ["gb200", "-", "1", "1", "8", "8"]


def test_hostile_text_is_shown_and_not_obeyed(top: Path) -> None:
    write(top, {MASTER: single('"a\\e[31m|@org\\u202e"')})
    assert "a\\x1b[31m|@org\\u202e" in reciplint(top, "matrix").out
    assert "`a\\x1b[31m\\|@org\\u202e`" in reciplint(top, "matrix", "--format", "markdown").out


def test_a_repository_without_master_configs(tmp_path: Path) -> None:
    assert reciplint(git_repo(tmp_path / "empty", {"a.yaml": "a: 1\n"}), "matrix").out == "no points\n"


@pytest.mark.corpus
def test_the_later_layout(october: Path) -> None:
    ran = reciplint(october, "matrix", "--format", "json")
    assert ran.status == 0, ran.err
    found = json.loads(ran.out)
    assert {role["name"] for point in found["points"] for role in point["roles"]} == {"worker", "prefill", "decode"}
    assert len({point["key"] for point in found["points"]}) == 204
