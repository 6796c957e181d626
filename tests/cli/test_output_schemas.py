"""Every JSON output keeps its schema, and the schemas refuse what no command prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reciplint.domain.schemas import conforms, schema
from support import CHANGELOG, MASTER, RECIPES, changed, commit, git, git_repo, project, recipe, reciplint, write

KEY = "finch-fp8-gb200-dynamo-vllm"
RECIPE = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"
PUBLISHED = {
    "published/models/example/Finch.yaml": "meta: {tasks: [text], hardware: {gb200: verified}}\n"
    "model: {model_id: example/Finch}\nvariants: {default: {precision: fp8, vram_minimum_gb: 300}}\n"
    "compatible_strategies: [pd_cluster]\n",
    "published/taxonomy.yaml": "hardware_profiles: {gb200: {brand: NVIDIA, gpu_count: 4, vram_gb: 768}}\n",
    "published/strategies/pd_cluster.yaml": "name: pd_cluster\ndeploy_type: pd_cluster\n"
    "parallel_flag: --tensor-parallel-size\n",
}
PAGE = "```bash\ndocker run vllm/vllm-openai:v0.11.0 org/m --port <port> --tensor-paralel-size 8\n```\n"

COMMANDS = {
    "serve": ["serve", RECIPE],
    "serve page": ["serve", "page.md"],
    "compare": ["compare", KEY, "../published/models/example/Finch.yaml"],
    "diff": ["diff", "main", "topic"],
    "matrix": ["matrix"],
    "matrix grouped": ["matrix", "--group"],
    "explanation": ["matrix", "--explain", KEY],
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each command prints of one repository, in which every part of its output is there."""
    top = tmp_path_factory.mktemp("outputs")
    write(top, PUBLISHED)
    owners = {".github/CODEOWNERS": "* @org/core\nconfigs/ @org/core @robin\n"}
    repository = git_repo(top / "top", {**project(), **owners, "page.md": PAGE})
    git(repository, "checkout", "-q", "-b", "topic")
    files = project(master=project()[MASTER].replace("v0.11.0", "v0.12.0", 1))
    commit(repository, {**files, RECIPE: recipe(value=128), CHANGELOG: files[CHANGELOG] + "\n" + changed(KEY, 2)})
    return {name: _printed(repository, arguments) for name, arguments in COMMANDS.items()}


def _printed(top: Path, arguments: list[str]) -> Any:
    ran = reciplint(top, *arguments, "--format", "json")
    assert ran.status in (0, 1), ran.err
    return json.loads(ran.out)


@pytest.mark.parametrize("name", COMMANDS)
def test_an_output_keeps_its_schema(name: str, outputs: dict[str, Any]) -> None:
    found = outputs[name]
    chosen = name.split()[0]
    assert found["schema"] == f"reciplint/{chosen}-v1"
    assert conforms(chosen, found)
    assert schema(chosen)["$id"].endswith(f"/schemas/{chosen}.schema.json")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_schema_refuses_a_lost_a_foreign_and_a_mistyped_field(name: str, outputs: dict[str, Any]) -> None:
    whole = outputs[name]
    named = [value for value in _mappings(whole) if {*value} & {"schema", "key", "role", "rule", "points", "path"}]
    assert len(named) > 1
    for value in named:
        for field in list(value):
            kept = value.pop(field)
            assert not conforms(name.split()[0], whole), f"{field} is missing"
            value[field] = "?" if isinstance(kept, float) else 0.5
            assert not conforms(name.split()[0], whole), f"{field} is no such value"
            value[field] = kept
        value["no-such-field"] = 1
        assert not conforms(name.split()[0], whole)
        del value["no-such-field"]
    assert conforms(name.split()[0], whole)


def _mappings(value: Any) -> Iterator[dict[str, Any]]:
    """Every mapping within a value, itself first."""
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _mappings(item)
