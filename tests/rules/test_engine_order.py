"""New keys of other frameworks before an open engine serves the model on that hardware."""

from __future__ import annotations

import datetime
import random
from typing import Any

import pytest
import yaml
from recipe_scene import dumped, line_of
from variations import harmless

from reciplint.rules.finding import Finding
from support import MASTER, RUNNERS, lint, project, single

RULE = "engine-order"
TRT = "heron-fp4-b200-trt"


def key(framework: str = "trt", prefix: str = "heron", runner: str = "b200") -> dict[str, Any]:
    (loaded,) = yaml.safe_load(single()).values()
    entry: dict[str, Any] = {**loaded, "framework": framework, "model-prefix": prefix, "runner": runner}
    return entry


def found(head: dict[str, Any], base: dict[str, Any] | None = None, **request: Any) -> list[Finding]:
    before = base if base is not None else {"finch-fp8-b200-vllm": key("vllm", "finch")}
    head_files, base_files = (project(master=dumped(master)) for master in ({**before, **head}, before))
    return lint(head_files, base_files, select=[RULE], **request)


def test_the_message_names_model_hardware_and_framework() -> None:
    (finding,) = found({TRT: key()})
    assert finding.severity == "warning"
    assert finding.message == f"{TRT} adds trt for heron on B200, where no key serves it with vLLM or SGLang yet"
    master = dumped({"finch-fp8-b200-vllm": key("vllm", "finch"), TRT: key()})
    assert (finding.path, finding.span.line) == (MASTER, line_of(master, (TRT,)) - 1)
    assert finding.related == ()


@pytest.mark.parametrize("framework", ["vllm", "sglang", "dynamo-vllm", "dynamo-sglang", "sglang-disagg", "llmd-vllm"])
def test_an_open_engine_is_no_other_framework_and_serves_however_it_is_deployed(framework: str) -> None:
    assert found({"heron-fp4-b200-first": key(framework)}) == []
    assert found({TRT: key()}, {"heron-fp4-b200-first": key(framework)}) == []
    assert found({TRT: key(), "heron-fp4-b200-first": key(framework)}) == []


@pytest.mark.parametrize("framework", ["trt", "dynamo-trt", "atom", "atom-disagg", "tilert"])
def test_other_frameworks(framework: str) -> None:
    assert [finding.arguments["framework"] for finding in found({"heron-b200-new": key(framework)})] == [framework]


def test_the_model_has_to_be_served_on_the_same_hardware() -> None:
    other = {"heron-fp4-h200-vllm": key("vllm", runner="cluster:h200-lab")}
    (finding,) = found({TRT: key()}, other)
    assert [item.message for item in finding.related] == ["heron-fp4-h200-vllm serves it on cluster:h200-lab"]
    assert found({TRT: key()}, {"heron-fp4-b200-vllm": key("vllm", runner="cluster:b200-lab")}) == []


def test_a_framework_that_measured_the_model_there_before_is_no_first() -> None:
    assert found({f"{TRT}-mtp": key()}, {TRT: key()}) == []
    assert len(found({"heron-b200-atom": key("atom")}, {TRT: key()})) == 1


def test_a_retired_key_came_first_as_well() -> None:
    base = project()
    head = {**base, MASTER: base[MASTER] + dumped({TRT: key()})}
    assert len(lint(head, base, select=[RULE])) == 1
    retired = {"configs/deprecated/old-master.yaml": dumped({"heron-fp4-b200-vllm": key("vllm")}) + "# CONFIG_FILE\n"}
    assert lint({**head, **retired}, {**base, **retired}, select=[RULE]) == []
    elsewhere = {path: text.replace("b200", "h200") for path, text in retired.items()}
    assert len(lint({**head, **elsewhere}, {**base, **elsewhere}, select=[RULE])) == 1


def test_new_hardware_is_left_alone() -> None:
    assert found({"heron-mi455x-atom": key("atom", runner="mi455x")}) == []


def test_nothing_is_said_of_a_tree_alone_before_the_policy_or_without_the_masters() -> None:
    files = project(master=dumped({TRT: key()}))
    assert lint(files, select=[RULE]) == []
    assert found({TRT: key()}, review_date=datetime.date(2026, 7, 2)) == []
    assert lint(files, {**files, MASTER: "a: [\n"}, select=[RULE]) == []
    assert RUNNERS in files


@pytest.mark.parametrize("seed", range(60))
def test_any_first_of_another_framework_is_found_and_any_later_one_is_not(seed: int) -> None:
    chance = random.Random(seed)
    framework = chance.choice(("trt", "dynamo-trt", "atom", "tilert"))
    sku = chance.choice(("h100", "h200", "b200", "b300", "gb200", "gb300", "mi300x", "mi325x", "mi355x"))
    runner = chance.choice((sku, f"cluster:{sku}-lab", f"{sku}-disagg"))
    others = {f"finch-{index}-vllm": key("vllm", "finch", chance.choice(("b200", "h100"))) for index in range(3)}
    added = {f"heron-{sku}-new": key(framework, runner=runner)}
    base = project(master=harmless(dumped(others), seed))
    head = project(master=harmless(dumped({**others, **added}), seed))
    assert [finding.arguments["sku"] for finding in lint(head, base, select=[RULE])] == [sku.upper()]
    served = {**others, f"heron-{sku}-open": key(chance.choice(("vllm", "dynamo-sglang")), runner=runner)}
    base = project(master=harmless(dumped(served), seed))
    head = project(master=harmless(dumped({**served, **added}), seed))
    assert lint(head, base, select=[RULE]) == []
