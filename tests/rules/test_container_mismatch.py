"""The image that a recipe starts beside the one that its keys name."""

from __future__ import annotations

import random
from typing import Any

import pytest
from recipe_scene import KEY, RECIPE, Scene, line_of, put, random_scene
from variations import harmless

from reciplint.fix.session import fix_tree
from reciplint.rules.finding import Finding
from support import MASTER, encoded, lint

RULE = "container-mismatch"
IMAGE = "vllm/vllm-openai:v1"
CONTAINER = ("model", "container")
CLAIM = ("identity", "container", "image")


def scene_of(seed: int) -> tuple[random.Random, Scene]:
    """A scene whose recipe carries its own container."""
    chance = random.Random(seed)
    scene = random_scene(chance)
    while scene.era == "C":
        scene = random_scene(chance)
    return chance, scene


def found(scene: Scene, **texts: str) -> list[Finding]:
    return lint(scene.files(**texts), select=[RULE])


def fixed(scene: Scene) -> dict[str, str]:
    """The files that the fix changes."""
    files = encoded(scene.files())
    findings = lint(files, select=[RULE])
    result = fix_tree(findings, files.__getitem__, lambda new: lint({**files, **new}, select=[RULE]), unsafe=True)
    assert result.refused == []
    return {path: data.decode() for path, data in result.files.items()}


def test_both_sides_are_shown() -> None:
    _, scene = scene_of(1)
    put(scene.recipe, CONTAINER, "vllm/vllm-openai:v2")
    (finding,) = found(scene)
    master, recipe = scene.texts()
    assert finding.severity == "error"
    assert finding.message == (
        f"model.container is vllm/vllm-openai:v2, but {KEY}, which runs this recipe, names {IMAGE}"
    )
    assert (finding.path, finding.span.line) == (RECIPE, line_of(recipe, CONTAINER))
    (place,) = finding.related
    assert (place.path, place.span.line) == (MASTER, line_of(master, (KEY, "image")))


def test_an_alias_leaves_the_claim_to_be_compared() -> None:
    _, scene = scene_of(1)
    put(scene.recipe, CONTAINER, "dynamo-vllm")
    assert found(scene) == []
    put(scene.recipe, CLAIM, f"docker.io/{IMAGE}")
    assert found(scene) == []
    put(scene.recipe, CLAIM, "vllm/vllm-openai:v2")
    (finding,) = found(scene)
    assert (finding.message_id, finding.span.line) == ("identity", line_of(scene.texts()[1], CLAIM))


def test_the_fix_keeps_the_spelling_and_takes_the_claim_along() -> None:
    _, scene = scene_of(1)
    scene.entry["image"] = "nvcr.io/example/engine:2"
    put(scene.recipe, CONTAINER, "nvcr.io#example/engine:1")
    put(scene.recipe, CLAIM, "nvcr.io/example/engine:1")
    before = scene.texts()[1]
    after = before.replace("nvcr.io#example/engine:1", "nvcr.io#example/engine:2").replace("engine:1", "engine:2")
    assert fixed(scene) == {RECIPE: after}


def test_a_claim_of_another_image_is_left_to_its_own_rule() -> None:
    _, scene = scene_of(1)
    put(scene.recipe, CONTAINER, "vllm/vllm-openai:v2")
    put(scene.recipe, CLAIM, "vllm/vllm-openai:v3")
    assert fixed(scene) == {RECIPE: scene.texts()[1].replace("openai:v2", "openai:v1")}


def test_keys_that_name_different_images_leave_no_fix() -> None:
    _, scene = scene_of(1)
    put(scene.recipe, CONTAINER, "vllm/vllm-openai:v2")
    master = scene.texts()[0]
    other = master.replace(KEY, f"{KEY}-mtp", 1).replace(IMAGE, "vllm/vllm-openai:v3", 1)
    findings = found(scene, master=master + other)
    assert [(finding.subject[-1], finding.fix) for finding in findings] == [
        ("vllm/vllm-openai:v3", None),
        (IMAGE, None),
    ]
    same = master.replace(KEY, f"{KEY}-mtp", 1)
    assert all(finding.fix for finding in found(scene, master=master + same))


def test_a_fix_through_an_override_and_none_through_an_alias_or_a_zipped_list() -> None:
    _, scene = scene_of(1)
    wrong = {"model": {"container": "vllm/vllm-openai:v2"}}
    plain = scene.recipe
    scene.recipe = {"base": plain, "override_a": wrong}
    after = scene.texts()[1].replace("openai:v2", "openai:v1")
    assert fixed(scene) == {RECIPE: after}
    scene.recipe = {"base": plain, "zip_override_a": {"model": {"container": [IMAGE, "vllm/vllm-openai:v2"]}}}
    (finding,) = found(scene)
    assert finding.fix is None
    assert finding.span.line == line_of(scene.texts()[1], ("zip_override_a", "model", "container", 1))
    scene.recipe = plain
    text = scene.texts()[1]
    for shared in (
        text.replace(IMAGE, "&image vllm/vllm-openai:v2") + "comment: *image\n",
        "comment: &image vllm/vllm-openai:v2\n" + text.replace(IMAGE, "*image"),
    ):
        (finding,) = found(scene, recipe=shared)
        assert finding.fix is None


def test_the_later_layout_writes_the_container_itself() -> None:
    chance = random.Random(3)
    scene = random_scene(chance)
    while scene.era != "C" or scene.recipe.get("schema") != 2:
        scene = random_scene(chance)
    put(scene.recipe, CONTAINER, "vllm/vllm-openai:v2")
    assert len(found(scene)) == 1  # a whole recipe, which runs as it is written
    del scene.recipe["benchmark"]["type"]
    assert found(scene) == []


def test_only_what_a_change_makes_worse_is_charged() -> None:
    _, scene = scene_of(1)
    put(scene.recipe, CONTAINER, "vllm/vllm-openai:v2")
    base = scene.files()
    scene.row["conc-list"] = [1, 2, 3]
    put(scene.recipe, ("benchmark", "isl"), 1024)
    assert lint(scene.files(), base, select=[RULE]) == []
    scene.entry["image"] = "vllm/vllm-openai:v3"
    assert [finding.arguments["image"] for finding in lint(scene.files(), base, select=[RULE])] == [
        "vllm/vllm-openai:v3"
    ]


@pytest.mark.parametrize("seed", range(60))
def test_another_image_on_either_side_is_found_at_the_container(seed: int) -> None:
    chance, scene = scene_of(seed)
    assert found(scene) == []
    other = chance.choice(("vllm/vllm-openai:v2", "lmsysorg/sglang:v1", "vllm/vllm-openai:v1-cu130", "v1/vllm:v1"))
    is_claim = chance.random() < 0.3
    if is_claim:
        put(scene.recipe, CONTAINER, "dynamo-vllm")
    if chance.random() < 0.5:
        put(scene.recipe, CLAIM if is_claim else CONTAINER, other)
    else:
        put(scene.recipe, CLAIM, IMAGE)
        scene.entry["image"] = other
    (finding,) = found(scene)
    place = CLAIM if is_claim else CONTAINER
    assert (finding.path, finding.span.line) == (RECIPE, line_of(scene.texts()[1], place))
    assert finding.related[0].span.line == line_of(scene.texts()[0], (KEY, "image"))


@pytest.mark.parametrize("seed", range(60))
def test_the_same_image_in_another_spelling_stays_silent(seed: int) -> None:
    chance, scene = scene_of(1000 + seed)
    spellings: tuple[Any, ...] = (IMAGE, f"docker://{IMAGE}", f"docker.io/{IMAGE}", f"docker.io#{IMAGE}", "dynamo-vllm")
    put(scene.recipe, CONTAINER, chance.choice(spellings))
    if chance.random() < 0.5:
        put(scene.recipe, CLAIM, chance.choice(spellings[:-1]))
    scene.entry["image"] = chance.choice((IMAGE, f"{IMAGE}@sha256:0a", f"docker.io/{IMAGE}"))
    master, recipe = scene.texts()
    assert found(scene, master=harmless(master, seed), recipe=harmless(recipe, seed)) == []
