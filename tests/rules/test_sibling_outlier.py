"""A new recipe beside the others of its folder."""

from __future__ import annotations

import pytest
from variations import variations

from reciplint.rules.finding import Finding
from support import RECIPES, lint

FOLDER = f"{RECIPES}/vllm/finch"
FLAGS = [f"flag-{index}" for index in range(10)]
VARIABLES = [f"FINCH_{index}" for index in range(10)]


def text(
    name: str,
    flags: list[str] = FLAGS,
    variables: list[str] = VARIABLES,
    gpu: str = "b200",
    sizes: str = "tensor-parallel-size: 4",
) -> str:
    """A recipe of one role on one node."""
    return f"""\
name: {name}
model: {{ path: example/Finch, container: "vllm/vllm-openai:v0.11.0", precision: fp8 }}
resources: {{ gpu_type: {gpu}, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1 }}
backend:
  type: vllm
  aggregated_environment:
    FINCH: "1"
{"".join(f'    {key}: "1"{chr(10)}' for key in variables)}\
  vllm_config:
    aggregated:
      {sizes.replace(", ", chr(10) + "      ")}
{"".join(f"      {key}: 1{chr(10)}" for key in flags)}"""


def path(name: str) -> str:
    return f"{FOLDER}/{name}.yaml"


OLD = {path(f"c{index}"): text(f"c{index}") for index in range(6)}


def added(new: dict[str, str], old: dict[str, str] = OLD) -> list[Finding]:
    return lint({**old, **new}, old, select=["sibling-outlier"])


FAULTS = [
    (section, index, gpu) for section in ("args", "env") for index in range(10) for gpu in ("b200", "h200", "gb300")
]


@pytest.mark.parametrize(("section", "index", "gpu"), FAULTS)
def test_each_key_that_a_new_recipe_lacks(section: str, index: int, gpu: str) -> None:
    old = {name: value.replace("b200", gpu) for name, value in OLD.items()}
    keys = FLAGS if section == "args" else VARIABLES
    less = [key for key in keys if key != keys[index]]
    new = text("c9", flags=less, gpu=gpu) if section == "args" else text("c9", variables=less, gpu=gpu)
    (finding,) = added({path("c9"): new}, old)
    label = "aggregated" if section == "args" else "aggregated_environment"
    assert new.splitlines()[finding.span.line - 1].strip() == f"{label}:"
    assert finding.arguments["keys"] == (keys[index],)
    assert (finding.arguments["having"], finding.arguments["siblings"]) == (6, 6)
    (sibling,) = finding.related
    assert keys[index] in old[sibling.path].splitlines()[sibling.span.line - 1]


def test_there_are_enough_faults() -> None:
    assert len(FAULTS) >= 50


@pytest.mark.parametrize("new", list(variations(text("c9"), 60)))
def test_a_new_recipe_with_every_key_is_silent_however_it_is_written(new: str) -> None:
    assert added({path("c9"): new}) == []


def test_what_most_but_not_nine_in_ten_have_is_no_rule() -> None:
    old = {**OLD, path("c5"): text("c5", flags=FLAGS[1:])}
    assert added({path("c9"): text("c9", flags=FLAGS[1:])}, old) == []


@pytest.mark.parametrize(
    "new",
    [
        text("c9", flags=FLAGS[1:], gpu="h200"),
        text("c9", flags=FLAGS[1:], sizes="tensor-parallel-size: 1, data-parallel-size: 4"),
        text("c9", flags=FLAGS[1:], sizes="tensor-parallel-size: 4, enable-expert-parallel: true"),
        text("c9", flags=[*FLAGS[1:], "speculative-config"]).replace(
            "speculative-config: 1", 'speculative-config: {"method": "mtp", "num_speculative_tokens": 2}'
        ),
        text("c9", flags=FLAGS[6:]),
    ],
)
def test_a_recipe_of_another_kind_is_not_compared(new: str) -> None:
    assert added({path("c9"): new}) == []


def test_a_new_family_may_agree_on_something_else() -> None:
    assert added({path(f"d{index}"): text(f"d{index}", flags=FLAGS[1:]) for index in range(3)}) == []


def test_few_siblings_or_another_folder_say_nothing() -> None:
    few = dict(list(OLD.items())[:4])
    assert added({path("c9"): text("c9", flags=FLAGS[1:])}, few) == []
    assert added({f"{RECIPES}/vllm/owl/c9.yaml": text("c9", flags=FLAGS[1:])}) == []


def test_only_added_files_are_judged_and_only_with_a_base() -> None:
    old = {**OLD, path("c7"): text("c7", flags=FLAGS[1:])}
    assert lint(old, select=["sibling-outlier"]) == []
    assert lint({**old, path("c7"): text("c7", flags=FLAGS[2:])}, old, select=["sibling-outlier"]) == []
    moved = {name: value for name, value in old.items() if name != path("c7")}
    head = {**moved, path("c8"): old[path("c7")]}
    assert lint(head, old, select=["sibling-outlier"], renames={path("c8"): path("c7")}) == []


def test_the_options_decide_how_many_and_how_alike() -> None:
    settings = {".reciplint.yaml": "rules:\n  sibling-outlier: { share: 60, siblings: 3 }\n"}
    old = {**settings, **dict(list(OLD.items())[:3]), path("c3"): text("c3", flags=FLAGS[1:])}
    assert [finding.rule for finding in added({path("c9"): text("c9", flags=FLAGS[1:])}, old)] == ["sibling-outlier"]
