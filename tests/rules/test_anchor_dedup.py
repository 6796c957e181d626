"""What the fix of `anchor-dedup` folds, and what it leaves because a launcher edits it by pattern."""

from __future__ import annotations

import pytest
import yaml

from reciplint.fix.session import Fixed, fix_tree
from reciplint.rules.finding import Finding
from support import Files, encoded, lint

PATH = "benchmarks/multi_node/srt-slurm-recipes/sglang/finch/disagg.yaml"
SHARED = "".join(f"    SGLANG_FINCH_{number}: '1'\n" for number in range(9))
RECIPE = f"""name: finch-disagg
model: {{path: finch, container: "lmsysorg/sglang:v0.5.5", precision: fp8}}
resources: {{gpu_type: gb200, gpus_per_node: 4, prefill_nodes: 1, decode_nodes: 1}}
backend:
  type: sglang
  prefill_environment:
{SHARED}  decode_environment:
{SHARED}"""


def master(*settings: str) -> str:
    """One row that runs the recipe with some settings."""
    listed = ", ".join(f'"{setting}"' for setting in (*settings, "CONFIG_FILE=recipes/sglang/finch/disagg.yaml"))
    block = "num-worker: 1, tp: 4, ep: 1, dp-attn: false"
    return f"""finch-fp8-gb200-dynamo-sglang:
  image: lmsysorg/sglang:v0.5.5
  model: org/finch
  model-prefix: finch
  runner: gb200
  precision: fp8
  framework: dynamo-sglang
  multinode: true
  disagg: true
  scenarios:
    fixed-seq-len:
    - isl: 1024
      osl: 1024
      search-space:
      - spec-decoding: mtp
        conc-list: [8]
        prefill: {{{block}, additional-settings: [{listed}]}}
        decode: {{{block}}}
"""


def fixed(files: Files) -> Fixed:
    data = encoded(files)

    def again(replaced: dict[str, bytes]) -> list[Finding]:
        return lint({**data, **replaced}, select=["anchor-dedup"])

    return fix_tree(again({}), data.__getitem__, again, unsafe=True)


def files(recipe: str, *settings: str) -> dict[str, str]:
    return {"configs/nvidia-master.yaml": master(*settings), "configs/runners.yaml": "gb200: [one]\n", PATH: recipe}


def test_equal_environments_become_one() -> None:
    result = fixed(files(RECIPE))
    after = result.files[PATH].decode()
    assert "  prefill_environment: &worker_environment\n" in after
    assert after.endswith("  decode_environment: *worker_environment\n")
    assert yaml.safe_load(after) == yaml.safe_load(RECIPE)


def test_keys_are_told_as_they_are_written() -> None:
    recipe = RECIPE.replace(
        "  decode_environment:", "    on: '1'\n    ~: '1'\n    ? [a]\n    : '1'\n  decode_environment:"
    )
    found = lint(encoded(files(recipe)), select=["anchor-dedup"])
    assert [finding.arguments["only"] for finding in found] == ["on, ~"]


def test_the_bytes_of_a_key_are_those_of_its_text() -> None:
    sizes = [
        lint(encoded(files(RECIPE.replace("SGLANG_FINCH_1", key))), select=["anchor-dedup"])[0].arguments["size"]
        for key in ("a-b", "'a\"b'")
    ]
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize(("setting", "is_left"), [("true", True), ("false", False)])
def test_the_bare_header_stays_where_a_launcher_looks_for_it(setting: str, is_left: bool) -> None:
    assert (fixed(files(RECIPE, f"SYNTHETIC_ACCEPTANCE={setting}")).files == {}) is is_left


def test_another_engine_has_no_such_launcher() -> None:
    recipe = RECIPE.replace("sglang", "vllm").replace("vllm/finch", "sglang/finch")
    assert PATH in fixed(files(recipe, "SYNTHETIC_ACCEPTANCE=true")).files


def test_a_key_whose_line_is_edited_stays_in_both() -> None:
    flags = "".join(f"      finch-{number}: 1\n" for number in range(9)) + "      speculative-num-steps: 3\n"
    recipe = RECIPE[: RECIPE.index("  prefill_env")] + f"  sglang_config:\n    prefill:\n{flags}    decode:\n{flags}"
    after = fixed(files(recipe)).files[PATH].decode()
    assert after.endswith("    decode:\n      <<: *worker_config\n      speculative-num-steps: 3\n")
    assert after.count("      speculative-num-steps: 3\n") == 2


def test_long_texts_of_maps_that_share_little_become_one() -> None:
    connector = '\'{"connector": "finch", "role": "' + 70 * "x" + "\"}'"
    texts = (f"kv-transfer-config: {connector}  # both", "tp-size: 8", f"speculative-config: {connector}")
    roles = (("prefill", "chunk: 1"), ("decode", "batch: 2"))
    lines = "".join(f"    {role}:\n" + "".join(f"      {text}\n" for text in (*texts, own)) for role, own in roles)
    recipe = RECIPE[: RECIPE.index("  prefill_env")] + f"  sglang_config:\n{lines}".replace(
        "tp-size: 8", "tp-size: 4", 1
    )
    after = fixed(files(recipe)).files[PATH].decode()
    anchor = "&worker_kv_transfer_config"
    once = recipe.replace(f"config: {connector}  # both", f"config: {anchor} {connector}  # both", 1)
    head, _, tail = once.rpartition(f"kv-transfer-config: {connector}")
    assert after == f"{head}kv-transfer-config: *{anchor[1:]}{tail}"  # a launcher edits the line of speculative-config


CONNECTOR = '\'{"connector": "finch", "role": "' + 250 * "x" + "\"}'"
FLAGS = "".join(f"      flag-{number}: {number}\n" for number in range(9))


def roles(**bodies: str) -> str:
    """The recipe with the flags of its roles instead of environments."""
    body = "".join(f"    {role}:\n{lines}" for role, lines in bodies.items())
    return f"{RECIPE[: RECIPE.index('  prefill_env')]}  sglang_config:\n{body}"


def test_a_long_text_that_a_comment_keeps_out_of_the_fold_becomes_an_alias() -> None:
    text = f"      kv-transfer-config: {CONNECTOR}"
    recipe = roles(prefill=f"{FLAGS}{text}\n", decode=f"{FLAGS}{text}  # mine\n")
    after = fixed(files(recipe)).files[PATH].decode()
    anchored = text.replace("'{", "&worker_kv_transfer_config '{")
    assert after == roles(
        prefill=f"{FLAGS}{anchored}\n",
        decode="      <<: *worker_config\n      kv-transfer-config: *worker_kv_transfer_config  # mine\n",
    ).replace("prefill:", "prefill: &worker_config")


@pytest.mark.parametrize("flags", ["", FLAGS], ids=["alone", "beside a fold"])
def test_a_long_text_of_three_maps_is_written_once(flags: str) -> None:
    text = f"{flags}      kv-transfer-config: {CONNECTOR}\n"
    recipe = roles(prefill=f"{text}      own: 1\n", decode=text, aggregated=f"{text}      third: 3\n")
    result = fixed(files(recipe))
    after = result.files[PATH].decode()
    assert result.refused == []
    assert after.count('finch", "role') == 1
    assert "    aggregated:\n" + flags + "      kv-transfer-config: *worker_kv_transfer_config\n" in after
    assert yaml.safe_load(after) == yaml.safe_load(recipe)
