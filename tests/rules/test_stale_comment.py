"""Comments beside what they stand on: contradictions are found at their words, everything else is silent."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from variations import variations

from reciplint.rules.finding import Finding
from support import CHANGELOG, MASTER, RECIPES, RUNNERS, lint, runners, single

ROW = """\
      - conc-list: [64, 128]
        prefill: { num-worker: 2, tp: 4, ep: 4, dp-attn: true }
        decode: { num-worker: 1, tp: 8, ep: 1, dp-attn: false }
"""
HEAD = """\
finch-fp8-gb200-dynamo-vllm:
  image: vllm/vllm-openai:v0.11.0
  model: example/Finch
  model-prefix: finch
  runner: gb200
  precision: fp8
  framework: dynamo-vllm
  kv-p2p-transfer: nixl
  multinode: true
  disagg: true
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
"""
LINE = HEAD.count("\n") + 1


def master(text: str) -> list[Finding]:
    files = {MASTER: text, RUNNERS: runners(), CHANGELOG: "[]\n"}
    return lint(files, select=["stale-comment"])


def on_row(*comment: str, row: str = ROW) -> list[Finding]:
    """Findings on a comment above the first row of a key."""
    return master(HEAD + "".join(f"      # {line}\n" for line in comment) + row)


COUNTS = ["{p} prefill + {d} decode", "{p}P{d}D", "{p}P+{d}D", "{p}p{d}d", "{p} prefill workers and {d} decode worker"]
WRONG_COUNTS = [(form, p, d) for form in COUNTS for p, d in ((1, 1), (3, 1), (2, 3), (4, 4), (5, 1))]


@pytest.mark.parametrize(("form", "prefill", "decode"), WRONG_COUNTS)
def test_wrong_counts(form: str, prefill: int, decode: int) -> None:
    (finding,) = on_row(form.format(p=prefill, d=decode))
    assert (finding.span.line, finding.severity, finding.path) == (LINE, "info", MASTER)
    assert finding.related[0].span.line == LINE + 1
    role, found = ("prefill", "2") if prefill != 2 else ("decode", "1")
    assert f"{role} workers it stands on: {found}" in finding.message


WRONG_SIZES = [
    "2 prefill (DEP=8) + 1 decode (TP=8)",
    "2 prefill (DEP=4) + 1 decode (TP=4)",
    "2 prefill (TP=8) + 1 decode (TP=8)",
    "2 prefill DEP4 + 1 decode DEP8",
    "2 prefill workers at DEP8",
    "1 decode worker @ TP16",
    "2x DEP8 prefill + 1x TP8 decode",
    "2p1d-dep4-dep8",
    "2p1d-dep8-tp8",
    "2p1d-tp8-tp8",
    "two DEP8 prefill workers feed it",
    "pure TP16",
    "TP2/EP2 sweep",
    "Matches finch-fp8-gb200-vllm EP2 sweep",
    "DEP16",
    "(2 prefill workers each at DEP4 and 1 decode workers at DEP8)",
]
WRONG_OTHERS = [
    "2P1D: nixl, conc=32",
    "2P1D, conc=256",
    "2P1D (conc=8)",
    "Total: 16 GB300 GPUs.",
    "16 B200 GPUs",
    "2 prefill nodes and 4 decode nodes",
]


@pytest.mark.parametrize("comment", [*WRONG_SIZES, *WRONG_OTHERS])
def test_wrong_sizes_concurrencies_and_hardware(comment: str) -> None:
    (finding,) = on_row(comment)
    assert finding.span.line == LINE
    said = (f"      # {comment}")[finding.span.column - 1 : finding.span.end_column - 1]
    assert said == finding.arguments["said"]


RIGHT = [
    "2P1D",
    "2p1d-dep4-tp8",
    "2 prefill (DEP=4) + 1 decode (TP=8). 4 nodes total",
    "2 prefill (TP=4 / DP=4 / EP=4) + 1 decode",
    "2 prefill nodes and 2 decode nodes",
    "2P+2D, in nodes",
    "8P + 8D = 16 GPUs",
    "two prefill workers feed one decode",
    "TP4 x DP1 prefill, TP8 decode",
    "TP1 x DP4 prefill",
    "DEP4 and TP8",
    "2P1D, conc=64",
    "16 GB200 GPUs",
    "Low latency",
    "8k1k STP configs",
    "Run 2972 of 2026-07-01, 30% faster",
]
NO_CLAIM = [
    "3P1D was slower",
    "previously 4P1D",
    "rather than 3 prefill workers",
    "3P1D would not fit",
    "unlike the DEP8 row",
    "Split from the 4 prefill row",
    "vs 3P1D",
    "if DEP8 is restored",
    "4 prefill OOMs",
    "between 3 prefill and 5 prefill workers",
    "see recipes/vllm/3p1d-dep8-dep8.yaml",
    "conc=192 entry",
    "at conc=256 it is twice as fast",
    "the 1024 decode steps of a request",
    "Mirrors the 4P1D recipe",
    "no DEP8 here",
    "Takes over from the 3p1d row",
    "Overlaps with the 1p1d block",
    "- conc-list: [32]",
    "prefill: { num-worker: 4, tp: 8 }",
    "4 prefill -> 2",
]


@pytest.mark.parametrize("comment", [*RIGHT, *NO_CLAIM])
@pytest.mark.parametrize("form", ["{}", "{}.", "({})"])
def test_what_is_right_or_no_claim_is_silent(comment: str, form: str) -> None:
    if form == "({})" and comment.startswith(("-", "prefill:")):
        return
    assert on_row(form.format(comment)) == []


BLOCKS = [text for text in variations(dedent(ROW), 150) if text.startswith("- ")]


@pytest.mark.parametrize("row", BLOCKS)
def test_a_right_comment_is_silent_however_the_row_is_written(row: str) -> None:
    lines = indent(row, " " * 6)
    assert on_row("2P1D: 2 prefill (DEP4), 1 decode (TP8), conc=64", row=lines) == []
    assert len(on_row("2P3D: 2 prefill (DEP4), 1 decode (TP8), conc=64", row=lines)) == 1


def test_there_are_enough_faults() -> None:
    assert len(WRONG_COUNTS) + len(WRONG_SIZES) + len(WRONG_OTHERS) >= 45
    assert len(BLOCKS) >= 50


def test_a_comment_speaks_for_the_rows_up_to_the_next() -> None:
    second = ROW.replace("num-worker: 2", "num-worker: 3")
    assert on_row("3P1D", row=ROW + second) == []
    (finding,) = on_row("3P1D", row=ROW + "      # and the wide one\n" + second)
    assert finding.span.line == LINE


def test_a_longer_text_may_speak_of_others() -> None:
    assert on_row("The curve needs DEP16 beside it,", "and the same frontend.") == []
    assert on_row("Same decode as 7P1D,", "only the counts differ.") == []
    assert on_row("The 4096 overlap with the 1p2d block", "gives a crossover point beside 3p1d.") == []
    (finding,) = on_row("The throughput end of the curve.", "3 prefill workers feed one decode.")
    assert finding.span.line == LINE + 1


@pytest.mark.parametrize(
    ("comment", "line"),
    [
        (["Uses the v0.10.2 image."], 1),
        (["Finch on GB200.", "Image bumped to v0.10.2-cu130 to match the others."], 2),
        (["Pinned image: vllm/vllm-openai:v0.12.0."], 1),
    ],
)
def test_the_version_of_an_image(comment: list[str], line: int) -> None:
    above = "".join(f"# {part}\n" for part in comment)
    (finding,) = master(above + HEAD + ROW)
    assert finding.span.line == line
    assert finding.message.endswith("but the image it stands on: vllm/vllm-openai:v0.11.0")


@pytest.mark.parametrize(
    "comment",
    [
        "Uses the v0.11.0 image.",
        "Uses the 0.11.0 image.",
        "The image was v0.10.2 before.",
        "Needs vLLM v0.12.0.",
        "The image has both v0.11.0 and v0.10.2 kernels.",
        "Image reuses v0.10.2 kernels.",
    ],
)
def test_versions_that_are_right_or_of_something_else(comment: str) -> None:
    assert master(f"# {comment}\n" + HEAD + ROW) == []


def test_a_nightly_image_has_no_version_to_contradict() -> None:
    text = HEAD.replace("v0.11.0", "nightly-5894fdf")
    assert master("# Uses the v0.10.2 image.\n" + text + ROW) == []


def test_an_address_above_the_recipe_that_a_row_names() -> None:
    config = 'additional-settings: ["CONFIG_FILE=recipes/finch/1p1d.yaml"] }'
    row = ROW.replace("dp-attn: true }", f"dp-attn: true,\n          {config}")
    address = "          # https://github.com/example/recipes/blob/main/recipes/finch/{}.yaml\n"
    with_address = row.replace(f"          {config}", address.format("2p1d") + f"          {config}")
    (finding,) = master(HEAD + with_address)
    assert (finding.span.line, finding.arguments["said"], finding.arguments["found"]) == (
        LINE + 2,
        "2p1d.yaml",
        "1p1d.yaml",
    )
    assert master(HEAD + with_address.replace("finch/2p1d", "finch/1p1d")) == []


@pytest.mark.parametrize(
    ("setting", "comment", "stale"),
    [
        ('"SYNTHETIC_ACCEPTANCE_LENGTH=3.84"', "golden AL 3.36", True),
        ('"SYNTHETIC_ACCEPTANCE_LENGTH=3.84"', "golden AL 3.84", False),
        ('"SYNTHETIC_ACCEPTANCE_LENGTH=3.84"', "acceptance length of 2.5", True),
        ('"SYNTHETIC_ACCEPTANCE_LENGTH=3.84"', "AL 3.36 was measured before", False),
        ('"SYNTHETIC_ACCEPTANCE_LENGTH=3.84"', "AL 3.36 on one curve. AL 3.84 on another.", False),
        ('"TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS=2.84"', "golden AL 3.84", False),
    ],
)
def test_acceptance_lengths(setting: str, comment: str, stale: bool) -> None:
    lines = f"additional-settings:\n          # {comment}\n          - {setting}\n"
    prefill = "prefill: { num-worker: 2, tp: 4, ep: 4, dp-attn: true }"
    row = ROW.replace(prefill, "prefill:\n          tp: 4\n          " + lines)
    findings = master(HEAD + row)
    assert [finding.arguments["topic"] for finding in findings] == ["acceptance length"] * stale


RECIPE = """\
name: finch
# {}
model: {{ path: example/Finch, container: "vllm/vllm-openai:v0.11.0", precision: fp8 }}
resources:
  {{ gpu_type: gb200, gpus_per_node: 4, prefill_nodes: 2, prefill_workers: 2, decode_nodes: 2, decode_workers: 1 }}
backend:
  type: vllm
  vllm_config:
    prefill: {{ tensor-parallel-size: 4 }}
    decode: {{ tensor-parallel-size: 8 }}
"""


def recipe(comment: str) -> list[Finding]:
    path = f"{RECIPES}/vllm/finch/a.yaml"
    other = f"{RECIPES}/vllm/finch/b.yaml"
    text = RECIPE.format(comment)
    return lint({path: text, other: RECIPE.format("the other")}, select=["stale-comment"])


@pytest.mark.parametrize(
    "comment",
    [
        "Topology: 7 prefill (TP=4 each) + 1 decode (TP=8). 9 nodes.",
        "2P TP4 prefill (4 GPU/worker) + 2D TP4 decode (4 GPU/worker).",
        "Nodes: 1 prefill + 2 decode (+ infra).",
        "2P1D with 16 GB300 GPUs",
        "GB300 has 4 GPUs/node.",
        "See ../owl/a.yaml for the pin.",
        "See ./c.yaml for the pin.",
    ],
)
def test_what_a_recipe_says_of_itself(comment: str) -> None:
    (finding,) = recipe(comment)
    assert (finding.span.line, finding.severity) == (2, "info")


@pytest.mark.parametrize(
    "comment",
    [
        "Topology: 2 prefill (TP=4 each) + 1 decode (TP=8). 4 nodes.",
        "Nodes: 2 prefill + 2 decode (+ infra).",
        "GB200 has 4 GPUs/node.",
        "See ./b.yaml for the pin.",
        "See ../owl/a.yaml, which was removed.",
        "Ported from recipes/owl/a.yaml, 7 prefill and 1 decode.",
        "Same decode as the 7P1D reference",
        "Seven prefill would be too many",
        "3 prefill",
    ],
)
def test_what_a_recipe_may_say(comment: str) -> None:
    assert recipe(comment) == []


def test_a_path_from_the_top_is_known_only_beside_others() -> None:
    text = "# Values of PATH.\n" + single()
    files = {RUNNERS: runners(), CHANGELOG: "[]\n", "golden_al_distribution/finch_mtp.yaml": "{}\n"}
    for path, stale in (
        ("golden_al_distribution/finch_mtp.yaml", False),
        ("golden_al_distribution/owl_mtp.yaml", True),
        ("benchmarks/elsewhere/owl.yaml", False),
        ("configs/nvidia-master.yaml", False),
        ("https://example.com/golden_al_distribution/owl.yaml", False),
    ):
        findings = lint({**files, MASTER: text.replace("PATH", path)}, select=["stale-comment"])
        assert [finding.message_id for finding in findings] == ["path"] * stale, path


def test_a_change_is_charged_with_what_it_makes_stale_alone() -> None:
    rest = {RUNNERS: runners(), CHANGELOG: "[]\n"}
    stale, right = "      # 3P1D\n" + ROW, "      # 2P1D\n" + ROW
    base = {MASTER: HEAD + stale + right, **rest}
    moved = {MASTER: HEAD.replace("nixl", "mooncake") + "      # 2P1D\n" + ROW + stale + right, **rest}
    assert lint(moved, base, select=["stale-comment"]) == []
    grown = {MASTER: HEAD + stale + right.replace("num-worker: 2", "num-worker: 4"), **rest}
    (finding,) = lint(grown, base, select=["stale-comment"])
    assert finding.arguments["said"] == "2P1D"
