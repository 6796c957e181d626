"""Numbers that are legal YAML and no size of anything: no rule may fail on them."""

from __future__ import annotations

import pytest
from test_anchor_dedup import PATH, RECIPE, files

from support import Files, lint
from vllm_scene import FILES, FINCH, TAXONOMY

RECIPE_OF_VLLM = """name: tiny
model: {{path: moonshotai/Kimi-K3-MXFP4, container: "vllm/vllm-openai:v0.33.0", precision: fp4}}
resources: {{gpu_type: h200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1, gpus_per_agg: 8}}
backend:
  type: vllm
  vllm_config:
    aggregated: {{tensor-parallel-size: 8, gpu-memory-utilization: {number}}}
"""


def failures(found: Files) -> list[str]:
    return [finding.message for finding in lint(found) if finding.rule == "internal-error"]


@pytest.mark.parametrize("number", [".inf", "-.inf", ".nan", "9" * 400, '"²"', '"1²"', '"' + "9" * 5000 + '"'])
class TestNumbers:
    def test_in_a_recipe(self, number: str) -> None:
        assert failures({"jobs/tiny.yaml": RECIPE_OF_VLLM.format(number=number)}) == []

    def test_in_a_name(self, number: str) -> None:
        named = RECIPE.replace("name: finch-disagg", f"name: finch-c{number.strip(chr(34))}")
        assert failures({**files(named), PATH.replace("disagg", "agg-c²"): named}) == []

    def test_in_hardware_and_in_a_vllm_recipe(self, number: str) -> None:
        for field in ("gpu_count: 8", "vram_gb: 640"):
            assert field in TAXONOMY
            changed = TAXONOMY.replace(field, f"{field.partition(':')[0]}: {number}")
            assert failures({**FILES, "taxonomy.yaml": changed}) == []
        for more in (f"strategy_min_gpus: {number}\n", f"compatible_strategies: [[a], {{b: {number}}}]\n"):
            assert failures({**FILES, "models/example/Finch-7B.yaml": FINCH + more}) == []
