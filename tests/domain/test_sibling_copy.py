"""What follows from a new key's name, and what is left to decide."""

from __future__ import annotations

from typing import Any

import pytest

from reciplint.domain.sibling_copy import Copy, copy_sibling
from reciplint.domain.sibling_copy_name import KeyName, NotCopied, read_new, renaming
from support import MASTER, RECIPES, RUNNERS, multi, outcome, project, recipe, runners, single

SIBLING = "finch-fp8-gb200-dynamo-vllm"
SOURCE = f"{RECIPES}/vllm/finch/disagg-gb200-1p1d-tp4.yaml"
NAMED = "recipes/vllm/finch/disagg-gb200-1p1d-tp4.yaml"


def files(**replaced: str) -> dict[str, str]:
    """A project of which one key runs a recipe whose name tells the hardware."""
    found = project(master=multi(SIBLING, NAMED), runners=runners("gb200", "gb300"), changelog="[]\n")
    found.pop(f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml")
    return {**found, SOURCE: recipe("finch-disagg-gb200"), **replaced}


def copied(key: str, sources: dict[str, str] | None = None, sibling: str = SIBLING) -> Copy:
    return copy_sibling(outcome(sources or files()).head.projects[0], sibling, key)


def fields(copy: Copy) -> dict[Any, Any]:
    """The fields of the key that are set anew, by their path below it."""
    return {each.pointer[1:]: getattr(each, "value", None) for each in copy.operations[:-1]}


def refusal(key: str, sibling: str = SIBLING, sources: dict[str, str] | None = None) -> str:
    with pytest.raises(NotCopied) as reason:
        copied(key, sources, sibling)
    return str(reason.value)


def test_other_hardware_changes_runner_paths_and_recipes() -> None:
    copy = copied("finch-fp8-gb300-dynamo-vllm")
    settings = ("scenarios", "fixed-seq-len", 0, "search-space", 0, "prefill", "additional-settings", 0)
    assert fields(copy) == {
        ("runner",): "gb300",
        settings: "CONFIG_FILE=recipes/vllm/finch/disagg-gb300-1p1d-tp4.yaml",
    }
    (made,) = copy.recipes
    assert (made.source, made.path) == (SOURCE, SOURCE.replace("gb200", "gb300"))
    assert [(each.pointer, each.value) for each in made.operations] == [
        (("name",), "finch-disagg-gb300"),
        (("resources", "gpu_type"), "gb300"),
    ]
    assert copy.by_hand == ("image: vllm/vllm-openai:v0.11.0 is finch-fp8-gb200-dynamo-vllm's",)


def test_the_names_of_the_variants_of_an_override_are_changed() -> None:
    body = "".join(f"  {line}\n" for line in recipe("finch-disagg-gb200").splitlines())
    zipped = (
        "zip_override_low:\n  name: [low-gb200-1p1d, low-gb200-2p1d]\n  slurm: {time_limit: ['1:00:00', '2:00:00']}\n"
    )
    row = multi(SIBLING, f"{NAMED}:zip_override_low[0]")
    copy = copied("finch-fp8-gb300-dynamo-vllm", files(**{MASTER: row, SOURCE: f"base:\n{body}{zipped}"}))
    (made,) = copy.recipes
    assert [(each.pointer, each.value) for each in made.operations] == [
        (("base", "name"), "finch-disagg-gb300"),
        (("base", "resources", "gpu_type"), "gb300"),
        (("zip_override_low", "name", 0), "low-gb300-1p1d"),
        (("zip_override_low", "name", 1), "low-gb300-2p1d"),
    ]
    assert not any("still says" in line for line in copy.by_hand)


def test_comments_that_speak_of_the_sibling_are_told() -> None:
    row = multi(SIBLING, NAMED).replace("multinode:", "# two GB200 trays\n  multinode:")
    body = "# Measured on GB200.\n# Not on gb2000.\n" + recipe("finch-disagg-gb200") + "# gb200 again\n"
    other = "# not on GB200\n" + single("finch-fp8-b200-vllm")
    master = f"{other}\n# GB200 second.\n{row}"
    copy = copied("finch-fp8-gb300-dynamo-vllm", files(**{MASTER: master, SOURCE: body}))
    made = SOURCE.replace("gb200", "gb300")
    first, second = (master[: master.index(text)].count("\n") + 1 for text in ("# GB200 second", "# two GB200"))
    assert [line for line in copy.by_hand if "comments" in line] == [
        f"{made}: comments still say gb200, lines 1, {body.count(chr(10))}",
        f"finch-fp8-gb300-dynamo-vllm ({SIBLING} in {MASTER}): comments still say gb200, lines {first}, {second}",
    ]


def test_the_model_is_that_of_keys_alike() -> None:
    other = single("finch-fp4-b200-vllm").replace("precision: fp8", "precision: fp4").replace("/Finch", "/Finch-FP4")
    copy = copied("finch-fp4-gb200-dynamo-vllm", files(**{MASTER: multi(SIBLING, NAMED) + other}))
    assert fields(copy) == {("model",): "example/Finch-FP4", ("precision",): "fp4"}
    assert copy.by_hand == (
        f"recipe: finch-fp4-gb200-dynamo-vllm runs {SOURCE} too, for its path has no word that changes",
    )


def test_a_model_that_nothing_tells_is_left_and_said() -> None:
    copy = copied("finch-fp4-gb200-dynamo-vllm")
    assert (
        "model: example/Finch is finch-fp8-gb200-dynamo-vllm's; no key says which finch-fp4-gb200-dynamo-vllm runs"
        in copy.by_hand
    )
    assert ("model",) not in fields(copy)


def test_a_runner_that_is_not_certain_is_left_and_said() -> None:
    sources = files(**{RUNNERS: runners("gb200", "gb300-one", "gb300-two")})
    copy = copied("finch-fp8-gb300-dynamo-vllm", sources)
    assert copy.by_hand[0] == f"runner: gb200 is {SIBLING}'s; of gb300 there are gb300-one, gb300-two"
    assert ("runner",) not in fields(copy)
    copy = copied("finch-fp8-gb300-dynamo-vllm", files(**{RUNNERS: runners("gb200")}))
    assert copy.by_hand[0] == f"runner: gb200 is {SIBLING}'s; none is of gb300"


def test_words_of_the_arm_change_names_and_are_said() -> None:
    sources = files(**{MASTER: multi(f"{SIBLING}-dcp8", NAMED.replace("1p1d", "dcp8"))})
    sources[SOURCE.replace("1p1d", "dcp8")] = sources.pop(SOURCE)
    copy = copied(f"{SIBLING}-dcp16-new", sources, f"{SIBLING}-dcp8")
    assert [made.path for made in copy.recipes] == []
    assert f"dcp16, new: new in the name; rows and flags are {SIBLING}-dcp8's" in copy.by_hand
    copy = copied(f"{SIBLING}-dcp16", sources, f"{SIBLING}-dcp8")
    assert [made.path for made in copy.recipes] == [SOURCE.replace("1p1d", "dcp16")]
    assert copy.by_hand == (f"dcp8 → dcp16: changed in names alone; rows and flags are {SIBLING}-dcp8's",)


def test_recipes_of_another_framework_are_not_made() -> None:
    other = multi("finch-fp8-gb200-dynamo-sglang").replace("dynamo-vllm", "dynamo-sglang")
    sources = files(**{MASTER: multi(SIBLING, NAMED) + other})
    copy = copied("finch-fp8-gb200-dynamo-sglang-b", sources)
    assert copy.recipes == ()
    path = f"{RECIPES}/sglang/finch/disagg-gb200-1p1d-tp4.yaml"
    assert f"recipe: {path} has to be written for dynamo-sglang, {SOURCE} is not" in copy.by_hand


def test_a_recipe_that_stands_already_is_run_and_left() -> None:
    path = SOURCE.replace("gb200", "gb300")
    copy = copied("finch-fp8-gb300-dynamo-vllm", files(**{path: recipe("finch-disagg-gb300")}))
    assert copy.recipes == ()
    assert f"recipe: {path} stands already and is left as it is" in copy.by_hand


def test_what_still_says_the_old_word_is_told() -> None:
    sources = files()
    sources[SOURCE] += "environment: {NODES: gb200-rack, OTHER: xgb200}\n"
    copy = copied("finch-fp8-gb300-dynamo-vllm", sources)
    path = SOURCE.replace("gb200", "gb300")
    assert copy.by_hand[-1] == f"{path}: environment/NODES still says gb200"


def test_what_cannot_be_named_is_refused() -> None:
    assert refusal(SIBLING) == f"{SIBLING} already stands in {MASTER}"
    assert refusal("Finch-fp8") == "Finch-fp8 is no key: lower-case words and dashes"
    assert refusal("finch-gb300-dynamo-vllm").endswith("is not named <model-prefix>-<precision>-<hardware>-<framework>")
    assert refusal("finch-fp8-gb300-tilert") == "finch-fp8-gb300-tilert names no framework that a key has: dynamo-vllm"
    odd = files(**{MASTER: multi("finch-gb200", NAMED)})
    assert refusal("finch-fp8-gb300-dynamo-vllm", "finch-gb200", odd).startswith("finch-gb200 is not named")


@pytest.mark.parametrize("key", ["x: y", "../../x-fp8-b200-vllm", "a-fp8-b200-vllm\nb: 1", "", "*-fp8-b200-vllm"])
def test_hostile_keys_are_refused(key: str) -> None:
    assert refusal(key) == f"{key} is no key: lower-case words and dashes"


def test_words_change_where_they_stand_alone() -> None:
    old = KeyName("qwen3.5", "fp8", "b200", "dynamo-vllm", ("mtp",))
    found = renaming(old, read_new("qwen3.6-fp4-b300-dynamo-sglang-mtp", ["dynamo-sglang"]))
    text = "recipes/vllm/qwen3.5/b200-fp8/gb200_b200-nvfp8-fp8.yaml"
    assert found.applied(text) == "recipes/sglang/qwen3.6/b300-fp4/gb200_b300-nvfp8-fp4.yaml"
    assert found.applied("qwen3.5.1 xqwen3.5") == "qwen3.5.1 xqwen3.5"
    assert found.left_in("b200 and gb200") == ["b200"]


def test_words_may_change_places() -> None:
    old = KeyName("finch", "fp8", "b200", "vllm", ("a1", "b2"))
    assert renaming(old, KeyName("finch", "fp8", "b200", "vllm", ("c3", "b2"))).applied("a1-b2") == "c3-b2"
