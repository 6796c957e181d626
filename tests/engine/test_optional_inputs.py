"""Policy, curves, owners and runners may be missing: only what is judged by them is lost, and the settings may say the
same."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from support import CHANGELOG, MASTER, RECIPES, RUNNERS, commit, git_repo, lint, reciplint, runners

POLICY, CURVE, OWNERS = "MODELS.md", "golden_al_distribution/finch_mtp.yaml", ".github/CODEOWNERS"
LABEL = "cluster:b200-lab"
DATE = datetime.date(2026, 8, 20)
FILES = {
    MASTER: f"""\
finch-fp4-b200-dynamo-vllm-agentic:
  image: vllm/vllm-openai:v1
  model: org/finch
  model-prefix: finch
  runner: cluster:b200-labb
  precision: fp4
  framework: dynamo-vllm
  multinode: true
  disagg: false
  scenarios:
    agentic-coding:
    - search-space:
      - conc-list: [8]
        spec-decoding: mtp
        prefill: {{num-worker: 1, tp: 8, ep: 1, dp-attn: false, additional-settings: [
          SYNTHETIC_ACCEPTANCE=true, SYNTHETIC_ACCEPTANCE_LENGTH=2.5, CONFIG_FILE=recipes/vllm/finch/agg.yaml]}}
        decode: {{num-worker: 0, tp: 8, ep: 1, dp-attn: false}}
finch-fp4-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/finch
  model-prefix: finch
  runner: {LABEL}
  precision: fp4
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 1024
      osl: 1024
      search-space: [{{tp: 8, conc-list: [8]}}]
""",
    f"{RECIPES}/vllm/finch/agg.yaml": """\
name: finch
model: {path: org/finch, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1, gpus_per_agg: 8}
backend:
  type: vllm
  connector: null
  vllm_config:
    aggregated:
      tensor-parallel-size: 8
      speculative-config: '{"method": "mtp", "num_speculative_tokens": 2}'
""",
    CHANGELOG: "[]\n",
    RUNNERS: runners(LABEL),
    CURVE: "finch:\n  thinking_on: {2: 2.2}\n",
    POLICY: """\
| Model | Prefix | Active | Deprecated |
|---|---|---|---|
| Finch | `finch` | Agentic coding | Single-turn 1k1k (since 2026-07-01) |
""",
    OWNERS: "*.yaml @example/bench\n",
}
SETTINGS = {
    RUNNERS: f"policy: {{runners: {{labels: {{'{LABEL}': [b200-0]}}}}}}\n",
    CURVE: "policy: {golden-curves: [{model-prefix: finch, method: mtp, lengths: {2: 2.2}}]}\n",
    POLICY: "policy: {deprecations: [{model-prefix: finch, scenario: 1k1k, since: '2026-07-01', reason: old}]}\n",
}
JUDGED_BY = {RUNNERS: "unknown-runner", CURVE: "golden-acceptance-length", POLICY: "deprecated-arm"}


def without(path: str) -> dict[str, str]:
    return {name: text for name, text in FILES.items() if name != path}


def rules(files: dict[str, str]) -> set[str]:
    return {finding.rule for finding in lint(files, review_date=DATE) if finding.severity != "info"}


def test_with_all_of_them_each_is_judged() -> None:
    assert rules(FILES) == set(JUDGED_BY.values())


@pytest.mark.parametrize("path", JUDGED_BY)
def test_without_one_only_its_rule_is_lost(path: str) -> None:
    assert rules(without(path)) == set(JUDGED_BY.values()) - {JUDGED_BY[path]}


def test_without_any_nothing_is_said_of_them() -> None:
    assert rules({path: text for path, text in FILES.items() if path not in JUDGED_BY and path != OWNERS}) == set()


@pytest.mark.parametrize("path", [RUNNERS, CURVE])
def test_the_settings_may_say_the_same(path: str) -> None:
    assert rules({**without(path), ".reciplint.yaml": SETTINGS[path]}) == set(JUDGED_BY.values())


def test_a_label_of_the_settings_is_pointed_at_there() -> None:
    found = lint({**without(RUNNERS), ".reciplint.yaml": SETTINGS[RUNNERS]}, select=["unknown-runner"])
    (finding,) = found
    assert finding.arguments["runners"] == ".reciplint.yaml"
    assert [(item.path, item.span.line, item.span.column) for item in finding.related] == [(".reciplint.yaml", 1, 29)]


def test_a_runners_file_goes_before_the_settings() -> None:
    other = {".reciplint.yaml": "policy: {runners: {labels: {'cluster:b200-labb': [b200-0]}}}\n"}
    labels = [
        [finding.arguments["label"] for finding in lint({**files, **other}, select=["unknown-runner"])]
        for files in (FILES, without(RUNNERS))
    ]
    assert labels == [["cluster:b200-labb"], [LABEL]]


@pytest.mark.parametrize("has_file", [True, False])
def test_owners_of_the_settings_sign_where_there_is_no_file(tmp_path: Path, has_file: bool) -> None:
    files = FILES if has_file else without(OWNERS)
    listed = "policy: {owners: [{path: configs/, owners: ['@example/configs']}]}\n"
    home = git_repo(tmp_path / "home", {**files, ".reciplint.yaml": listed})
    commit(home, {MASTER: FILES[MASTER].replace("conc-list: [8]", "conc-list: [16]")})
    ran = reciplint(home, "diff", "HEAD~1", "HEAD")
    assert ran.status == 0, ran.err
    assert ("@example/bench" in ran.out, "@example/configs" in ran.out) == (has_file, not has_file)
