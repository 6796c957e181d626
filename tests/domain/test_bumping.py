"""Where an image stands, and whom moving it would touch unasked."""

from __future__ import annotations

from typing import Any

import pytest

from reciplint.domain.bumping import Bump, NotBumped, bump
from reciplint.domain.project import Project
from support import MASTER, RECIPES, multi, outcome, project, recipe, single

OLD, NEW = "vllm/vllm-openai:v0.11.0", "vllm/vllm-openai:v0.12.0"
SINGLE, MULTI = "finch-fp8-b200-vllm", "finch-fp8-gb200-dynamo-vllm"
OTHER = "finch-fp8-gb200-dynamo-vllm-agg"
NAMED = "recipes/vllm/finch/disagg-1p1d-tp4.yaml"
RECIPE = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"


def projects(files: dict[str, str]) -> tuple[Project, ...]:
    return outcome(files).head.projects


def moved(files: dict[str, str], *keys: str, new: str = NEW) -> Bump:
    return bump(projects(files), OLD, new, keys)


def places(found: Bump) -> list[tuple[str, Any, Any]]:
    return [(each.path, each.pointer, each.value) for each in found.operations]


def refusal(files: dict[str, str], *keys: str, old: str = OLD, new: str = NEW) -> str:
    with pytest.raises(NotBumped) as reason:
        bump(projects(files), old, new, keys)
    return str(reason.value)


def test_rows_recipes_and_identity_blocks_get_the_image() -> None:
    files = project()
    files[RECIPE] += f"identity:\n  container: {{image: 'docker.io#{OLD}'}}\n  frameworks: {{dynamo: 1.0.0}}\n"
    found = moved(files)
    assert found.keys == (SINGLE, MULTI)
    assert places(found) == [
        (MASTER, (SINGLE, "image"), NEW),
        (MASTER, (MULTI, "image"), NEW),
        (RECIPE, ("model", "container"), NEW),
        (RECIPE, ("identity", "container", "image"), NEW),
    ]


def test_a_key_that_is_asked_for_is_moved_alone() -> None:
    assert moved(project(), SINGLE).keys == (SINGLE,)
    assert moved(project(), "*-dynamo-*").keys == (MULTI,)
    assert places(moved(project(), SINGLE)) == [(MASTER, (SINGLE, "image"), NEW)]


def test_containers_of_roles_and_services_go_along_and_other_images_stay() -> None:
    files = project()
    files[RECIPE] += f"frontend: {{container_image: '{OLD}'}}\nservices: [{{image: 'redis:7'}}, {{image: '{OLD}'}}]\n"
    assert [place for path, place, _ in places(moved(files)) if path == RECIPE] == [
        ("model", "container"),
        ("frontend", "container_image"),
        ("services", 1, "image"),
    ]


def test_the_spelling_of_each_place_is_kept() -> None:
    files = project(master=multi(MULTI, NAMED).replace(OLD, "nvcr.io#nvidia/runtime:1"))
    files[RECIPE] = recipe().replace(OLD, "docker://nvcr.io#nvidia/runtime:1")
    found = bump(projects(files), "nvcr.io/nvidia/runtime:1", "nvcr.io/nvidia/runtime:2")
    assert [value for _, _, value in places(found)] == [
        "nvcr.io#nvidia/runtime:2",
        "docker://nvcr.io#nvidia/runtime:2",
    ]


def test_an_image_with_a_digest_is_another_one() -> None:
    pinned = f"{OLD}@sha256:{'a' * 64}"
    files = project(master=single().replace(OLD, pinned))
    assert refusal(files) == f"no key names the image {OLD}; there are {pinned} (1 key)"


def test_a_recipe_that_another_key_runs_is_not_touched() -> None:
    files = project(master=multi(MULTI, NAMED) + multi(OTHER, NAMED))
    assert refusal(files, MULTI) == (
        f"{RECIPE} names {OLD} and is also run by {OTHER}: bump these keys too, or give them a recipe of their own"
    )
    assert moved(files).keys == (MULTI, OTHER)


def test_a_key_that_has_the_new_image_already_may_share_the_recipe() -> None:
    files = project(master=multi(MULTI, NAMED) + multi(OTHER, NAMED).replace(OLD, NEW))
    assert moved(files).keys == (MULTI,)
    assert len(moved(files).operations) == 2


def test_what_cannot_be_moved_is_refused_with_the_reason() -> None:
    assert refusal(project(), old="vllm/vllm-openai:v0.9.0") == (
        f"no key names the image vllm/vllm-openai:v0.9.0; there are {OLD} (2 keys)"
    )
    assert refusal(project(), old="other/image:1") == "no key names the image other/image:1"
    assert refusal(project(), "finch-fp8-b200-vlm") == (
        f"no master config has a key finch-fp8-b200-vlm; {SINGLE} was meant?"
    )
    files = project(master=single() + multi(MULTI, NAMED).replace(OLD, "vllm/vllm-openai:v1"))
    assert refusal(files, MULTI) == f"{MULTI} names vllm/vllm-openai:v1, not {OLD}"
    assert refusal(project(), new=f"docker://{OLD}") == f"{OLD} and docker://{OLD} are one image"


@pytest.mark.parametrize(
    "new", ["", "v0.12.0", "dynamo-vllm", "vllm/vllm-openai: v1", "vllm/x:v1 # y", "a/b:c\nd: e", "/x"]
)
def test_what_is_no_image_is_refused(new: str) -> None:
    assert refusal(project(), new=new).endswith("is no image, as org/name:tag")


def test_what_is_left_to_do_by_hand_is_told() -> None:
    files = project(
        master=multi(MULTI, NAMED, "recipes/elsewhere/far.yaml").replace("image:", f"# {OLD} was built\n  image:")
    )
    files[RECIPE] = f"# measured with {OLD}\n" + recipe().replace(f'"{OLD}"', "dynamo-vllm")
    found = moved(files)
    assert found.by_hand == (
        f"{MULTI} runs what is not in this repository: recipes/elsewhere/far.yaml",
        f"dynamo-vllm is a name that the cluster's settings give to an image, in {RECIPE}",
        f"{RECIPE}:1: a comment speaks of {OLD}",
        f"{MASTER}:2: a comment speaks of {OLD}",
    )
    assert places(found) == [(MASTER, (MULTI, "image"), NEW)]
