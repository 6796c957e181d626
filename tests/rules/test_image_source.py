"""Where the images of vLLM and SGLang come from, and images that are files."""

from __future__ import annotations

import datetime
import random

import pytest
import yaml
from recipe_scene import dumped, line_of
from variations import harmless

from reciplint.rules.finding import Finding
from support import MASTER, lint, project, single

RULE = "image-source"
KEY = "finch-fp8-b200-vllm"
OWN = {
    "vllm": (
        "vllm/vllm-openai:v1",
        "vllm/vllm-openai-rocm@sha256:abc",
        "docker.io#vllm/vllm-openai:v1",
        "docker://vllm/v",
    ),
    "sglang": ("lmsysorg/sglang:v1", "lmsysorg/sglang-rocm:v1", "docker.io/lmsysorg/sglang:v1"),
}
FOREIGN = (
    "rocm/sgl-dev:v1",
    "ghcr.io#example/vllm:v1",
    "nvcr.io/vllm/vllm-openai:v1",
    "lmsys/sglang:v1",
    "vllm-openai:v1",
)


def entry(image: str, framework: str = "vllm", runner: str = "b200") -> str:
    loaded = yaml.safe_load(single())
    loaded[KEY] |= {"image": image, "framework": framework, "runner": runner}
    return dumped(loaded)


def found(master: str, settings: str = "") -> list[Finding]:
    extra = {".reciplint.yaml": settings} if settings else {}
    return lint({**project(master=master), **extra}, select=[RULE])


def test_the_message_names_image_hardware_and_what_is_expected() -> None:
    master = entry("rocm/sgl-dev:v1", "sglang", "cluster:mi300x-lab")
    (finding,) = found(master)
    assert finding.severity == "error"
    assert finding.message == (
        f"{KEY} runs rocm/sgl-dev:v1 on MI300X, where sglang has to run an image of its project: lmsysorg/sglang…"
    )
    assert (finding.path, finding.span.line) == (MASTER, line_of(master, (KEY, "image")))


@pytest.mark.parametrize(("framework", "image"), [(name, image) for name, images in OWN.items() for image in images])
def test_images_of_the_projects(framework: str, image: str) -> None:
    assert found(entry(image, framework)) == []


@pytest.mark.parametrize("framework", ["dynamo-vllm", "sglang-disagg", "trt", "atom", "llmd-vllm"])
def test_other_frameworks_may_run_what_they_need(framework: str) -> None:
    assert found(entry("rocm/sgl-dev:v1", framework)) == []


def test_an_option_widens_the_rule() -> None:
    master = entry("rocm/sgl-dev:v1", "sglang-disagg")
    settings = "rules: {image-source: {frameworks: [vllm, sglang, sglang-disagg]}}\n"
    assert [finding.arguments["framework"] for finding in found(master, settings)] == ["sglang-disagg"]


@pytest.mark.parametrize("runner", ["mi455x", "cluster:vr200-lab", "lab"])
def test_new_hardware_is_left_alone(runner: str) -> None:
    assert found(entry("rocm/sgl-dev:v1", "sglang", runner)) == []


@pytest.mark.parametrize("image", ["/shared/finch.sqsh", "./finch.sif", "~/finch", "file:///finch", "finch.sqsh"])
@pytest.mark.parametrize("framework", ["vllm", "trt"])
def test_a_file_is_no_image(image: str, framework: str) -> None:
    (finding,) = found(entry(image, framework, "lab"))
    assert finding.message == f"{image} is a file of one cluster; an image that anybody can pull is expected"


@pytest.mark.parametrize(
    ("image", "keys", "is_allowed"),
    [
        ("rocm/*", "", True),
        ("rocm/sgl-dev:v1", "", True),
        ("rocm/vllm-*", "", False),
        ("rocm/*", ", keys: ['finch-*']", True),
        ("rocm/*", ", keys: ['heron-*']", False),
        ("*", ", keys: []", True),
    ],
)
def test_exceptions_stand_in_the_settings(image: str, keys: str, is_allowed: bool) -> None:
    settings = f"policy:\n  image-sources:\n  - {{image: '{image}', reason: not released{keys}}}\n"
    assert (found(entry("rocm/sgl-dev:v1"), settings) == []) is is_allowed


def test_another_build_from_the_same_place_is_no_new_fault() -> None:
    base = project(master=entry("rocm/sgl-dev:v1"))
    assert lint(project(master=entry("rocm/sgl-dev:v2")), base, select=[RULE]) == []
    assert len(lint(project(master=entry("rocm/other:v2")), base, select=[RULE])) == 1


def test_before_the_policy_came_nothing_is_judged() -> None:
    files = project(master=entry("rocm/sgl-dev:v1"))
    assert lint(files, select=[RULE], review_date=datetime.date(2026, 7, 2)) == []
    assert len(lint(files, select=[RULE], review_date=datetime.date(2026, 7, 3))) == 1


@pytest.mark.parametrize("seed", range(60))
def test_any_foreign_image_is_found_and_the_projects_own_is_not(seed: int) -> None:
    chance = random.Random(seed)
    framework = chance.choice(("vllm", "sglang"))
    runner = chance.choice(("h100", "cluster:h200-lab", "b300", "gb200-nv", "mi325x", "cluster:mi355x-lab", "gb300"))
    master = entry(chance.choice(FOREIGN), framework, runner)
    (finding,) = found(harmless(master, seed))
    assert finding.arguments["key"] == KEY
    assert found(harmless(entry(chance.choice(OWN[framework]), framework, runner), seed)) == []
