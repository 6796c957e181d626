"""What a recipe's identity block claims beside what the recipe, or the key that runs it, says."""

from __future__ import annotations

import random
from typing import Any

import pytest
from recipe_scene import KEY, RECIPE, Path, Scene, line_of, put, random_scene
from variations import harmless

from reciplint.fix.session import fix_tree
from reciplint.rules.finding import Finding
from support import MASTER, encoded, lint

RULE = "identity-mismatch"
IMAGE = ("identity", "container", "image")
DYNAMO = ("identity", "frameworks", "dynamo")
MODEL = ("identity", "model", "repo")
COMMIT = "5a638087d82c990d35c69cb8e41c2c2582e9ef9a"


def scene_of(seed: int) -> tuple[random.Random, Scene]:
    """A scene whose identity block is right in all it claims."""
    chance = random.Random(seed)
    scene = random_scene(chance)
    put(scene.recipe, ("model", "path"), chance.choice(("hf:example/Finch", "example/Finch")))
    put(scene.recipe, IMAGE, "vllm/vllm-openai:v1")
    put(scene.recipe, MODEL, "example/Finch")
    place, text = chance.choice(
        [
            (("dynamo", "version"), "1.3.0"),
            (("dynamo", "wheel"), "1.3.0"),
            (("dynamo", "source", "pypi"), "1.3.0"),
            (("dynamo", "hash"), COMMIT),
            (("dynamo", "source", "rev"), COMMIT),
        ]
    )
    put(scene.recipe, place, text)
    put(scene.recipe, DYNAMO, text)
    return chance, scene


def found(scene: Scene, **texts: str) -> list[Finding]:
    return lint(scene.files(**texts), select=[RULE])


def test_each_claim_is_shown_beside_what_it_is_about() -> None:
    _, scene = scene_of(2)
    scene.recipe["dynamo"] = {"hash": COMMIT}
    put(scene.recipe, ("model", "path"), "hf:example/Finch")
    put(scene.recipe, IMAGE, "vllm/vllm-openai:v0")
    put(scene.recipe, DYNAMO, f"{COMMIT[::-1]}")
    put(scene.recipe, MODEL, "example/Wren")
    recipe = scene.texts()[1]
    assert [
        (finding.message, finding.span.line, finding.related[0].path, finding.related[0].span.line)
        for finding in sorted(found(scene), key=lambda finding: finding.message_id)
    ] == [
        (
            f"identity claims Dynamo {COMMIT[::-1]}, but the recipe installs {COMMIT}",
            line_of(recipe, DYNAMO),
            RECIPE,
            line_of(recipe, ("dynamo", "hash")),
        ),
        (
            "identity claims the image vllm/vllm-openai:v0, but model.container is vllm/vllm-openai:v1",
            line_of(recipe, IMAGE),
            RECIPE,
            line_of(recipe, ("model", "container")),
        ),
        (
            "identity claims the model example/Wren, but model.path loads example/Finch",
            line_of(recipe, MODEL),
            RECIPE,
            line_of(recipe, ("model", "path")),
        ),
    ]


def test_the_fix_claims_what_the_recipe_has() -> None:
    _, scene = scene_of(2)
    right = scene.texts()[1]
    put(scene.recipe, IMAGE, "vllm/vllm-openai:v0")
    put(scene.recipe, MODEL, "example/Wren")
    files = encoded(scene.files())
    fixed = fix_tree(found(scene), files.__getitem__, lambda new: lint({**files, **new}, select=[RULE]), unsafe=True)
    assert {path: data.decode() for path, data in fixed.files.items()} == {RECIPE: right}


def test_a_path_of_the_cluster_leaves_the_key_to_be_asked() -> None:
    _, scene = scene_of(2)
    put(scene.recipe, ("model", "path"), "finch-fp4")
    assert found(scene) == []
    put(scene.recipe, MODEL, "example/Wren")
    (finding,) = found(scene)
    assert finding.message == f"identity claims the model example/Wren, but {KEY}, which runs this recipe, names" + (
        " example/Finch"
    )
    assert finding.span.line == line_of(scene.texts()[1], MODEL)
    assert finding.fix is not None
    assert finding.fix.title == "Claim example/Finch"
    assert (finding.related[0].path, finding.related[0].span.line) == (MASTER, 1)
    scene.entry["model"] = "finch"
    assert found(scene) == []


@pytest.mark.parametrize(
    ("place", "claim"),
    [
        (("dynamo",), {"hash": COMMIT}),
        (("dynamo",), {"version": "main-branch"}),
        (("dynamo",), {"version": "1.2.0", "hash": COMMIT}),
        (("dynamo",), {}),
        (("model", "container"), "dynamo-vllm"),
        (("model", "path"), "/models/finch"),
        (("model", "path"), "EXAMPLE/finch"),
    ],
)
def test_what_cannot_be_compared_stays_silent(place: Path, claim: Any) -> None:
    _, scene = scene_of(2)
    put(scene.recipe, DYNAMO, "1.3.0")
    scene.recipe["dynamo"] = {"version": "1.3.0"}
    assert found(scene) == []
    put(scene.recipe, place, claim)
    assert found(scene) == []


def test_a_bundle_says_once_what_its_variants_share() -> None:
    _, scene = scene_of(2)
    put(scene.recipe, IMAGE, "vllm/vllm-openai:v0")
    override = {"identity": {"container": {"image": "vllm/vllm-openai:v1"}}}
    scene.recipe = {
        "base": scene.recipe,
        "override_a": {"name": "a"},
        "override_b": {"name": "b"},
        "override_c": override,
    }
    (finding,) = found(scene)
    assert finding.span.line == line_of(scene.texts()[1], ("base", *IMAGE))


WRONG: dict[Path, tuple[str, ...]] = {
    IMAGE: ("vllm/vllm-openai:v2", "lmsysorg/sglang:v1", "nvcr.io/vllm/vllm-openai:v1"),
    MODEL: ("example/Wren", "other/Finch", "example/Finch-FP8"),
    DYNAMO: ("1.2.0", "1.3.0.dev1", "1.3.0.post1"),
}


@pytest.mark.parametrize("seed", range(60))
def test_any_wrong_claim_is_found_at_its_line(seed: int) -> None:
    chance, scene = scene_of(seed)
    assert found(scene) == []
    place = chance.choice(list(WRONG))
    if place == DYNAMO and scene.recipe["identity"]["frameworks"]["dynamo"] == COMMIT:
        put(scene.recipe, place, COMMIT[::-1])
    else:
        put(scene.recipe, place, chance.choice(WRONG[place]))
    (finding,) = found(scene)
    assert (finding.severity, finding.path) == ("warning", RECIPE)
    assert finding.span.line == line_of(scene.texts()[1], place)


SAME: dict[Path, tuple[str, ...]] = {
    IMAGE: ("docker.io/vllm/vllm-openai:v1", "docker://vllm/vllm-openai:v1", "docker.io#vllm/vllm-openai:v1"),
    MODEL: ("example/Finch", "example/finch"),
}


@pytest.mark.parametrize("seed", range(60))
def test_the_same_claims_in_another_spelling_stay_silent(seed: int) -> None:
    chance, scene = scene_of(1000 + seed)
    for place, spellings in SAME.items():
        put(scene.recipe, place, chance.choice(spellings))
    claimed = scene.recipe["identity"]["frameworks"]["dynamo"]
    put(scene.recipe, DYNAMO, claimed[:12] if claimed == COMMIT else chance.choice(("v1.3.0", "1.3", "1.3.0")))
    master, recipe = scene.texts()
    assert found(scene, master=harmless(master, seed), recipe=harmless(recipe, seed)) == []
