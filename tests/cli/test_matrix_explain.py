"""`reciplint matrix --explain`: each row of a key beside its recipe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support import CHANGELOG, MASTER, RECIPES, RUNNERS, git_repo, multi, project, reciplint, runners, single, write

SINGLE = "finch-fp8-b200-vllm"
KEY = "finch-fp8-gb200-dynamo-vllm"
PATH = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"
RECIPE = """\
name: finch-disagg
model: { path: finch, container: "vllm/vllm-openai:v0.12.0", precision: fp8 }
resources:
  gpu_type: gb200
  gpus_per_node: 4
  prefill_nodes: 1
  prefill_workers: 1
  decode_nodes: 2
  decode_workers: 1
  gpus_per_decode: 8
backend:
  type: vllm
  vllm_config:
    prefill: { tensor-parallel-size: 4, enable-expert-parallel: false }
    decode: { tensor-parallel-size: 4, data-parallel-size: 2, max-num-seqs: 4 }
benchmark: { type: sa-bench, isl: 8192, osl: 1024, concurrencies: "16" }
"""


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return git_repo(tmp_path / "top", {**project(), PATH: RECIPE})


def explained(top: Path, *arguments: str) -> Any:
    ran = reciplint(top, "matrix", "--explain", *arguments, "--format", "json")
    assert ran.status == 0, ran.err
    found = json.loads(ran.out)
    assert found["schema"] == "reciplint/explanation-v1"
    return found["keys"]


def reported(top: Path, *arguments: str) -> dict[str, tuple[str | None, str | None, list[str]]]:
    """The lines of a key's only recipe that some rule reports, by their name."""
    ((row,),) = (key["rows"] for key in explained(top, *arguments))
    (recipe,) = row["recipes"]
    return {line["what"]: (line["row"], line["recipe"], line["rules"]) for line in recipe["lines"] if line["rules"]}


def test_what_disagrees_is_marked_with_the_rule_that_reports_it(top: Path) -> None:
    assert reported(top, KEY) == {
        "image": ("vllm/vllm-openai:v0.11.0", "vllm/vllm-openai:v0.12.0", ["container-mismatch"]),
        "decode GPUs": ("4 = 1 x tp 4", "8 = 1 x 8 GPUs (tp 4 x dp 2)", ["topology-mismatch"]),
        "decode dp-attn": ("false", "true by data-parallel-size", ["topology-mismatch"]),
        "decode capacity": (
            "up to 16",
            "8 = 1 worker x dp 2 x max-num-seqs 4",
            ["capacity-below-concurrency"],
        ),
    }


def test_the_marks_are_the_findings_of_check(top: Path) -> None:
    report = json.loads(reciplint(top, "check", "--format", "json").out)["findings"]
    expected = {(item["rule"], item["path"], item["start"]["line"], item["message"]) for item in report}
    (key,) = explained(top, KEY)
    told = [*key["findings"], *(finding for row in key["rows"] for finding in row["findings"])]
    found = {(item["rule"], item["path"], item["line"], item["message"]) for item in told}
    assert {rule for rule, *_ in found} == {"container-mismatch", "topology-mismatch", "capacity-below-concurrency"}
    assert found <= expected


def test_a_rule_that_is_off_marks_nothing(top: Path) -> None:
    write(top, {".reciplint.yaml": "rules: { topology-mismatch: off, capacity-below-concurrency: off }\n"})
    assert list(reported(top, KEY)) == ["image"]


def test_text_has_a_table_for_each_row_within_100_columns(top: Path) -> None:
    ran = reciplint(top, "matrix", "--explain", KEY)
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith(f"{KEY}  {MASTER}:")
    assert "8k1k 1P1D tp4/tp4, conc 16, 8 GPUs on gb200" in lines
    assert f"  {PATH}:1" in lines
    (line,) = [line for line in lines if line.startswith("  ! decode GPUs")]
    assert line.split("  ")[-3:] == ["8 = 1 x 8 GPUs (tp 4 x dp 2)", "", "topology-mismatch"]
    capacity = next(index for index, line in enumerate(lines) if line.startswith("  ! decode capacity"))
    assert [line[-18:].strip() for line in lines[capacity : capacity + 2]] == ["capacity-below-", "concurrency"]
    assert max(map(len, lines)) <= 100
    assert any(line.startswith("  warning capacity-below-concurrency: decode of ") for line in lines)


def test_what_rows_share_is_said_once_unless_it_is_reported(top: Path) -> None:
    other = PATH.replace("tp4", "tp4-again")
    names = ("recipes/vllm/finch/disagg-1p1d-tp4.yaml", "recipes/vllm/finch/disagg-1p1d-tp4-again.yaml")
    same = RECIPE.replace("v0.12.0", "v0.11.0")
    write(top, {MASTER: multi(KEY, *names), PATH: same, other: same})
    out = reciplint(top, "matrix", "--explain", KEY).out
    assert (out.count("image "), out.count("precision "), out.count("decode GPUs ")) == (1, 1, 2)
    write(top, {other: RECIPE})
    out = reciplint(top, "matrix", "--explain", KEY).out
    assert (out.count("image "), out.count("precision ")) == (2, 1)


def test_markdown_quotes_whatever_the_repository_says(top: Path) -> None:
    out = reciplint(top, "matrix", "--explain", KEY, "--format", "markdown").out
    assert f"### `{KEY}`" in out
    assert "#### `8k1k 1P1D tp4/tp4`" in out
    assert (
        "| **decode GPUs** | `4 = 1 x tp 4` | `8 = 1 x 8 GPUs (tp 4 x dp 2)` | `topology-mismatch` |"
        in out.splitlines()
    )


def test_a_row_that_names_no_recipe_and_one_that_is_kept_elsewhere(top: Path) -> None:
    assert "  it names no recipe" in reciplint(top, "matrix", "--explain", SINGLE).out.splitlines()
    write(top, {MASTER: multi(KEY, "recipes/vllm/wren/disagg-2p1d.yaml")})
    (key,) = explained(top, KEY)
    (recipe,) = key["rows"][0]["recipes"]
    assert (recipe["standing"], recipe["line"], recipe["lines"]) == ("kept outside of this repository", None, [])
    text = reciplint(top, "matrix", "--explain", KEY).out
    assert f"  {RECIPES}/vllm/wren/disagg-2p1d.yaml: kept outside of this repository" in text.splitlines()


def test_a_finding_of_the_whole_key_stands_above_its_rows(top: Path) -> None:
    write(top, {RUNNERS: runners("b200")})
    (key,) = explained(top, KEY)
    assert [finding["rule"] for finding in key["findings"]] == ["unknown-runner"]
    lines = key["rows"][0]["recipes"][0]["lines"]
    assert next(line["rules"] for line in lines if line["what"] == "fleet") == ["unknown-runner"]


BUNDLE = """\
base:
  schema: 2
  name: finch-8k1k
  resources: { gpu_type: b200, gpus_per_node: 8 }
  engine: vllm
  roles:
    agg: { nodes: 1, workers: 1, gpus: 4, args: { tensor-parallel-size: 4 } }
zip_override_tp4:
  benchmark:
    env: { CONC: ["8", "16"] }
"""


@pytest.fixture
def later(tmp_path: Path) -> Path:
    text = single(SINGLE, "{ tp: 4, conc-list: [8, 16, 32], srt-recipe: 8k1k.yaml }")
    files = {
        MASTER: text.replace("  scenarios:", "  srt-recipe-dir: finch\n  scenarios:"),
        RUNNERS: runners("b200"),
        CHANGELOG: "[]\n",
        "benchmarks/single_node/srt-slurm-recipes/finch/8k1k.yaml": BUNDLE,
    }
    return git_repo(tmp_path / "later", files)


def test_the_variants_that_a_single_node_row_runs(later: Path) -> None:
    ((row,),) = (key["rows"] for key in explained(later, SINGLE))
    assert [(item["selector"], item["concurrency"], item["standing"]) for item in row["recipes"]] == [
        ("zip_override_tp4[0]", [8], None),
        ("zip_override_tp4[1]", [16], None),
        (None, [32], "no variant, or several, are the row's"),
    ]
    assert [finding["rule"] for finding in row["findings"]] == ["variant-match"]


def test_text_tells_variants_that_differ_in_their_concurrency_alone_together(later: Path) -> None:
    lines = reciplint(later, "matrix", "--explain", SINGLE).out.splitlines()
    assert "    zip_override_tp4[0], zip_override_tp4[1]" in lines
    assert "    at conc 8, 16" in lines
    assert sum("worker GPUs" in line for line in lines) == 1
    (line,) = [line for line in lines if line.startswith("    conc ")]
    assert " ".join(line.split()) == "conc 8, 16 CONC 8, 16"


def test_filters_choose_the_rows(later: Path) -> None:
    (key,) = explained(later, SINGLE, "--conc", "16")
    assert [row["point"]["concurrency"] for row in key["rows"]] == [[16]]
    assert reciplint(later, "matrix", "--explain", SINGLE, "--conc", "999").out == "no points\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--explain needs a key, or a glob of keys"),
        ([f"{KEY}x"], f"no key of the master configs is called '{KEY}x'; did you mean {KEY}?"),
        ([KEY, "--format", "csv"], "--explain and --format csv exclude each other"),
        ([KEY, "--no-group"], "--explain and --group exclude each other"),
    ],
)
def test_what_cannot_be_explained_is_an_error(top: Path, arguments: list[str], message: str) -> None:
    ran = reciplint(top, "matrix", "--explain", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_hostile_text_is_shown_and_not_obeyed(top: Path) -> None:
    hostile = RECIPE.replace("vllm/vllm-openai:v0.12.0", "::error::\\e[31m <b>@org|x ::warning::" + "y" * 60)
    write(top, {PATH: hostile})
    text = reciplint(top, "matrix", "--explain", KEY).out
    assert "\x1b" not in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    marked = reciplint(top, "matrix", "--explain", KEY, "--format", "markdown").out
    assert "`::error::\\x1b[31m <b>@org\\|x" in marked


@pytest.mark.corpus
def test_every_key_of_both_layouts_is_explained(corpus_repo: Path, october: Path) -> None:
    for directory, keys in ((corpus_repo, 208), (october, 204)):
        found = explained(directory, "*")
        assert len({key["key"] for key in found}) == keys
        assert all(row["recipes"] or not row["point"]["recipe"] for key in found for row in key["rows"])
