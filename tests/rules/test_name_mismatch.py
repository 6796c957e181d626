"""Words of names beside what they name: faults of every kind are found, and everything that agrees is silent."""

from __future__ import annotations

import itertools
import json

import pytest
from variations import variations

from reciplint.rules.finding import Finding
from support import CHANGELOG, MASTER, RECIPES, RUNNERS, lint, multi, runners, single

FOLDER = f"{RECIPES}/vllm/finch"
SHAPES = {"dep": (1, True, True), "tep": (None, False, True), "tp": (None, False, False)}


def flags(kind: str, size: int, extra: str = "") -> str:
    """vLLM's flags for a worker of a shape."""
    tp, attention, expert = SHAPES[kind]
    parts = [f"tensor-parallel-size: {size if tp is None else tp}"]
    parts += [f"data-parallel-size: {size}"] if attention else []
    parts += ["enable-expert-parallel: true"] if expert else []
    return "{ " + ", ".join([*parts, *([extra] if extra else [])]) + " }"


def draft(tokens: int, method: str = "mtp") -> str:
    config = {"method": method, "num_speculative_tokens": tokens}
    return f"speculative-config: '{json.dumps(config)}'"


def disagg(
    name: str,
    workers: tuple[int, int] = (2, 1),
    prefill: tuple[str, int] = ("dep", 4),
    decode: tuple[str, int] = ("tep", 8),
    extra: str = "",
    gpu: str = "gb300",
    lengths: tuple[int, int] = (8192, 1024),
) -> str:
    """A recipe of two roles on nodes of four GPUs."""
    nodes = [count * -(-size // 4) for count, (_, size) in zip(workers, (prefill, decode), strict=True)]
    return f"""\
name: {name}
model: {{ path: example/Finch, container: "vllm/vllm-openai:v0.11.0", precision: fp4 }}
resources:
  gpu_type: {gpu}
  gpus_per_node: 4
  prefill_nodes: {nodes[0]}
  prefill_workers: {workers[0]}
  decode_nodes: {nodes[1]}
  decode_workers: {workers[1]}
benchmark: {{ type: sa-bench, isl: {lengths[0]}, osl: {lengths[1]}, concurrencies: "64x128" }}
backend:
  type: vllm
  vllm_config:
    prefill: {flags(*prefill)}
    decode: {flags(*decode, extra)}
"""


def found(file: str, text: str) -> list[Finding]:
    """The findings on a recipe alone."""
    return lint({f"{FOLDER}/{file}.yaml": text}, select=["name-mismatch"])


CLEAN = "finch-disagg-gb300-2p1d-dep4-tep8-fp4-8k1k-c64-mtp3"
CLEAN_TEXT = disagg(CLEAN, extra=draft(3))
WRONG = {
    "disagg": ["agg"],
    "gb300": ["gb200", "b300", "h200", "mi355x"],
    "2p1d": ["1p1d", "2p3d", "3p1d", "8p1d", "2p4d"],
    "dep4": ["dep8", "tp4", "tep4", "dep2", "tp8", "dep16"],
    "tep8": ["tp8", "dep8", "tep4", "tep16", "dep4", "tp4"],
    "fp4": ["fp8", "bf16", "mxfp8"],
    "8k1k": ["1k1k", "1k8k", "8k2k"],
    "c64": ["c32", "c256", "c1", "c6"],
    "mtp3": ["mtp2", "mtp1", "mtp0", "stp", "nospec", "dspark3", "eagle3", "nomtp"],
}


@pytest.mark.parametrize(("right", "wrong"), [(right, wrong) for right, many in WRONG.items() for wrong in many])
@pytest.mark.parametrize("where", ["name", "file"])
def test_each_wrong_word_is_found(right: str, wrong: str, where: str) -> None:
    bad = CLEAN.replace(f"-{right}", f"-{wrong}")
    assert bad != CLEAN
    file, name = (CLEAN, bad) if where == "name" else (bad, CLEAN)
    (finding,) = found(file, CLEAN_TEXT.replace(CLEAN, name))
    assert (finding.span.line, finding.severity) == (1, "warning")
    assert f"{'`name:`' if where == 'name' else 'the file name'} says {wrong}" in finding.message
    assert [place.span.line > 1 for place in finding.related] == [True]
    (both,) = found(bad, CLEAN_TEXT.replace(CLEAN, bad))
    assert f"the file name and `name:` say {wrong}" in both.message


def test_there_are_enough_faults() -> None:
    assert sum(map(len, WRONG.values())) * 2 >= 50


@pytest.mark.parametrize("text", list(variations(CLEAN_TEXT, 60)))
def test_a_name_that_agrees_is_silent_however_it_is_written(text: str) -> None:
    assert found(CLEAN, text) == []


@pytest.mark.parametrize("shapes", list(itertools.product(SHAPES, SHAPES)))
@pytest.mark.parametrize("size", [4, 16])
def test_every_shape_agrees_with_itself_alone(shapes: tuple[str, str], size: int) -> None:
    text = disagg("finch", prefill=(shapes[0], size), decode=(shapes[1], size))
    for named in itertools.product(SHAPES, SHAPES):
        wrong = {
            f"{role} {right}{size}"
            for role, right, said in zip(("prefill", "decode"), shapes, named, strict=True)
            if right != said
        }
        findings = found(f"2p1d-{named[0]}{size}-{named[1]}{size}", text)
        assert {str(finding.arguments["found"]) for finding in findings} == wrong


@pytest.mark.parametrize(
    "file",
    [
        "4p4d-tep8-tep8",  # nodes of each role
        "2p-dep4-1d-tep8",
        "ctx2dep4_gen1tep8_batch64_eplb0_mtp3",
        "dep4",  # one shape may be either role's
        "c7_ctx2_gen1",  # a concurrency that opens the name is one worker's
        "c64-c128",
        "finch4-low-latency-2-28-jid2530",
        "mtp",
        "stp-mtp3-variants",  # both: undecidable
        "gb200-like-gb300",  # what it was adapted from
    ],
)
def test_words_that_may_mean_something_true(file: str) -> None:
    text = disagg("finch", workers=(2, 1), extra=draft(3))
    if file.startswith("4p4d"):
        text = disagg("finch", workers=(2, 2), prefill=("tep", 8), extra=draft(3))
    assert found(file, text) == []


def test_any_variant_of_a_bundle_may_be_meant() -> None:
    body = CLEAN_TEXT.replace("\n", "\n  ").rstrip()
    bundle = f"base:\n  {body}\noverride_small:\n  resources: {{ prefill_workers: 1, prefill_nodes: 1 }}\n"
    assert found(CLEAN.replace("2p1d", "1p1d"), bundle.replace(CLEAN, "finch")) == []
    (finding,) = found("finch-3p1d", bundle.replace(CLEAN, "finch"))
    assert "3p1d" in finding.message


def test_engines_say_how_much_they_draft_in_their_own_words() -> None:
    sglang = """\
name: finch-agg-tp4-mtp3
model: { path: example/Finch, container: "lmsysorg/sglang:v0.5.12", precision: fp8 }
resources: { gpu_type: gb200, gpus_per_node: 4, agg_nodes: 1, agg_workers: 1 }
backend:
  type: sglang
  sglang_config:
    aggregated:
      tensor-parallel-size: 4
      speculative-algorithm: EAGLE
      speculative-num-steps: 3
      speculative-num-draft-tokens: 4
"""
    assert found("finch-agg-tp4-mtp3", sglang) == []
    (finding,) = found("finch-agg-tp4-mtp4", sglang)
    assert finding.related[0].span.line == 10
    trtllm = sglang.replace("sglang", "trtllm").replace("tensor-parallel-size", "tensor_parallel_size")
    trtllm = trtllm[: trtllm.index("      speculative-algorithm")]
    trtllm += "      speculative_config: { decoding_type: MTP, num_nextn_predict_layers: 3 }\n"
    assert found("finch-agg-tp4-mtp3", trtllm) == []
    assert [finding.message_id for finding in found("finch-agg-tp4-mtp1", trtllm)] == ["draft"]


def test_sglang_may_imply_the_expert_size() -> None:
    text = """\
name: finch
model: { path: example/Finch, container: "lmsysorg/sglang:v0.5.12", precision: fp8 }
resources: { gpu_type: gb200, gpus_per_node: 4, agg_nodes: 2, agg_workers: 1 }
backend:
  type: sglang
  sglang_config:
    aggregated: { tensor-parallel-size: 8, data-parallel-size: 8, enable-dp-attention: true, moe-a2a-backend: megamoe }
"""
    assert found("agg-dep8", text) == []
    assert [finding.message_id for finding in found("agg-tp8", text)] == ["shape"]


def test_two_names_of_one_recipe_must_not_contradict() -> None:
    text = disagg("finch_8k1k_hightpt_0")
    (finding,) = found("8k1k_stp_maxtpt_0", text)
    assert (finding.message_id, finding.span.line) == ("names", 1)
    assert finding.message == "`name:` says hightpt, but the file name says maxtpt"
    assert found("8k1k_stp_hightpt_1", text) == []
    assert found("8k1k_stp_high-throughput", text) == []


def test_a_concurrency_may_be_a_rows() -> None:
    path = "recipes/vllm/finch/finch-c16.yaml"
    files = {
        MASTER: multi("finch-fp8-gb200-dynamo-vllm", path),
        RUNNERS: runners(),
        CHANGELOG: "[]\n",
        f"{FOLDER}/finch-c16.yaml": disagg("finch", gpu="gb200"),
    }
    assert lint(files, select=["name-mismatch"]) == []
    files[f"{FOLDER}/finch-c16.yaml"] = files[MASTER] = ""
    files[f"{FOLDER}/finch-c24.yaml"] = disagg("finch", gpu="gb200")
    files[MASTER] = multi("finch-fp8-gb200-dynamo-vllm", path.replace("c16", "c24"))
    (finding,) = lint(files, select=["name-mismatch"])
    assert finding.message == "the file name says c24, but it runs at concurrency 16, 64, 128"


def key_findings(key: str, *rows: str, text: str = "") -> list[Finding]:
    files = {MASTER: text or single(key, *rows), RUNNERS: runners("b200"), CHANGELOG: "[]\n"}
    return lint(files, select=["name-mismatch"])


@pytest.mark.parametrize(
    ("key", "word", "instead"),
    [
        ("finch-fp4-b200-vllm", "fp4", "precision: fp8"),
        ("finch-fp8-h200-vllm", "h200", "runner: b200"),
        ("finch-fp8-b200-sglang", "sglang", "framework: vllm"),
        ("finch-fp8-b200-vllm-mtp", "mtp", "spec-decoding: none"),
        ("finch-fp8-b200-vllm-1k1k", "1k1k", "8k1k"),
        ("finch-fp8-b200-vllm-disagg", "disagg", "disagg: false"),
        ("finch-fp8-b200-vllm-tp8", "tp8", "tp4"),
        ("finch-fp8-b200-vllm-tp4pp2", "tp4pp2", "tp4"),
        ("finch-fp8-b200-vllm-dcp4", "dcp4", "tp4"),
    ],
)
def test_a_word_of_a_key_that_no_field_or_row_agrees_with(key: str, word: str, instead: str) -> None:
    (finding,) = key_findings(key)
    assert (finding.message_id, finding.path, finding.span.line) == ("key", MASTER, 1)
    assert finding.message == f"the key says {word}, but has {instead}"
    assert finding.subject == (key, word, instead)


@pytest.mark.parametrize(
    ("key", "row"),
    [
        ("finch-fp8-b200-vllm-agg-8k1k-tp4", "{ tp: 4, conc-list: [8] }"),
        ("finch-fp8-b200-vllm-mtp3", "{ tp: 4, conc-list: [8], spec-decoding: mtp }"),
        ("finch-fp8-b200-vllm-dspark", "{ tp: 4, conc-list: [8], spec-decoding: mtp }"),
        ("finch-fp8-b200-vllm-dep8", "{ tp: 1, ep: 8, dp-attn: true, conc-list: [8] }"),
        ("finch-fp8-b200-vllm-dep8", "{ tp: 8, ep: 8, dp-attn: true, conc-list: [8] }"),
        ("finch-fp8-b200-vllm-stp", "{ tp: 4, conc-list: [8] }"),
        ("finch4.5-fp8-b200-dynamo-vllm", "{ tp: 4, conc-list: [8] }"),
    ],
)
def test_words_of_a_key_that_agree(key: str, row: str) -> None:
    assert key_findings(key, row) == []


def test_the_workers_of_a_key_may_be_counted_in_nodes() -> None:
    text = multi("finch-fp8-gb200-dynamo-vllm-2p1d", "recipes/a.yaml").replace("tp: 4", "tp: 8", 1)
    files = {MASTER: text, RUNNERS: runners(), CHANGELOG: "[]\n"}
    assert lint(files, select=["name-mismatch"]) == []
    files[MASTER] = text.replace("2p1d", "3p1d")
    assert [finding.subject[1:] for finding in lint(files, select=["name-mismatch"])] == [("3p1d", "1p1d")]


def test_a_change_is_charged_only_with_what_it_makes_wrong() -> None:
    old = {f"{FOLDER}/finch-agg.yaml": disagg("finch-agg")}
    new = {**old, f"{FOLDER}/finch-mtp2.yaml": disagg("finch-mtp2", extra=draft(3))}
    assert [finding.path for finding in lint(new, old, select=["name-mismatch"])] == [f"{FOLDER}/finch-mtp2.yaml"]
    mended = {f"{FOLDER}/finch-mtp2.yaml": disagg("finch-mtp2", extra=draft(2))}
    assert lint({**old, **mended}, new, select=["name-mismatch"]) == []
