"""Positions and messages of `schema`; its verdicts are tested in tests/parity."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from reciplint.domain.document import Document
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding
from reciplint.rules.rule import Context
from reciplint.rules.yaml.schema import check_document, check_project
from reciplint.yamltree.spans import Span

HEAD = """\
tiny-fp8-h100-vllm:
  image: example/vllm:1
  model: example/tiny
  model-prefix: tiny
  runner: cluster:lab
  precision: fp8
  framework: vllm
"""
SINGLE = HEAD + "  multinode: false\n  scenarios:\n"
FIXED = SINGLE + "    fixed-seq-len:\n    - isl: 1024\n      osl: 128\n      search-space:\n"
AGENTIC = SINGLE + "    agentic-coding:\n    - search-space:\n"
MULTI = HEAD + "  multinode: true\n  disagg: true\n  kv-p2p-transfer: nixl\n  scenarios:\n    fixed-seq-len:\n"
MULTI += "    - isl: 1024\n      osl: 128\n      search-space:\n"
BLOCK = "{ num-worker: 1, tp: 4, ep: 4, dp-attn: false }"


def check(text: str, kind: Kind = Kind.MASTER, path: str = "configs/nvidia-master.yaml") -> list[Finding]:
    return list(check_document(Document(path, kind, text.encode()), Context()))


def marked(text: str, kind: Kind = Kind.MASTER) -> list[tuple[str, str]]:
    """What each finding's span covers, with its message."""
    lines = text.split("\n")
    result = []
    for finding in check(text, kind):
        span = finding.span
        assert span.line == span.end_line
        result.append((lines[span.line - 1][span.column - 1 : span.end_column - 1], finding.message))
    return result


ROW = "tiny-fp8-h100-vllm, fixed-seq-len 1024/128, row 1"
ARM = "tiny-fp8-h100-vllm, agentic-coding, row 1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            FIXED + "      - { tp: 8, conc-lst: [1] }\n",
            ("conc-lst", f"{ROW}: unknown key conc-lst; did you mean conc-list?"),
        ),
        (
            FIXED + "      - { tp: 8, router: { name: r, version: '1', url: x }, conc-list: [1] }\n",
            ("url", f"{ROW}, router: unknown key url; known here: name, version"),
        ),
        (FIXED + "      - { ep: 8, conc-list: [1] }\n", ("ep", f"{ROW}: tp is missing here")),
        (FIXED + "      - { tp: eight, conc-list: [1] }\n", ("eight", f'{ROW}: tp is "eight"; expected an integer')),
        (FIXED + "      - { tp: 0, conc-list: [1] }\n", ("0", f"{ROW}: tp is 0; expected at least 1")),
        (FIXED + "      - { tp: 8, conc-list: [1, 0] }\n", ("0", f"{ROW}: conc-list item 2 is 0; expected at least 1")),
        (
            FIXED + "      - { tp: 8, spec-decoding: mpt, conc-list: [1] }\n",
            (
                "mpt",
                f'{ROW}: spec-decoding is "mpt"; did you mean mtp? Expected one of mtp, draft_model, none',
            ),
        ),
        (FIXED + "      - { tp: 8, dcp-size: 3, conc-list: [1] }\n", ("3", f"{ROW}: dcp-size 3 does not divide tp 8")),
        (FIXED + "      - { tp: 8 }\n", ("tp", f"{ROW}: conc-list, or conc-start and conc-end, are missing here")),
        (FIXED + "      - { tp: 8, conc-start: 1 }\n", ("conc-start", f"{ROW}: conc-start stands without conc-end")),
        (
            FIXED + "      - { tp: 8, conc-start: 8, conc-end: 4 }\n",
            ("8", f"{ROW}: conc-start 8 is above conc-end 4"),
        ),
        (
            AGENTIC + "      - { tp: 8, conc-list: [1] }\n",
            ("tp", f"{ARM}: kv-offloading is missing here"),
        ),
        (
            AGENTIC + "      - { tp: 8, kv-offloading: dram, kv-offload-backend: { name: b }, conc-list: [1] }\n",
            (
                "search-space",
                "tiny-fp8-h100-vllm, agentic-coding: dram-utilization is missing here; 1 row says kv-offloading: dram",
            ),
        ),
        (
            AGENTIC.replace("cluster:lab", "lab") + "      - { tp: 8, kv-offloading: none, conc-list: [1] }\n",
            ("lab", "tiny-fp8-h100-vllm: runner is lab; agentic-coding needs a cluster:<id> label"),
        ),
        (
            MULTI + f"      - {{ conc-list: [1], prefill: {BLOCK.replace('tp: 4, ', '')}, decode: {BLOCK} }}\n",
            ("prefill", f"{ROW}, prefill: tp is missing here"),
        ),
        (
            MULTI.replace("  kv-p2p-transfer: nixl\n", "")
            + f"      - {{ conc-list: [1], prefill: {BLOCK}, decode: {BLOCK} }}\n",
            (
                "tiny-fp8-h100-vllm",
                "tiny-fp8-h100-vllm: kv-p2p-transfer is missing here; disagg: true needs it at the top or on every row",
            ),
        ),
        (
            FIXED.replace("  model: example/tiny\n", "") + "      - { tp: 8, conc-list: [1] }\n",
            ("tiny-fp8-h100-vllm", "tiny-fp8-h100-vllm: model is missing here"),
        ),
        (
            (FIXED + "      - { tp: 8, conc-list: [1] }\n").replace("tiny-fp8-h100-vllm", "tiny-*"),
            ("tiny-*", "tiny-*: a key of a master config cannot hold *, which the changelog reads as a wildcard"),
        ),
    ],
)
def test_one_fault_is_one_finding_at_its_place(text: str, expected: tuple[str, str]) -> None:
    assert marked(text) == [expected]
    assert {finding.severity for finding in check(text)} == {"error"}


def test_an_entry_of_the_other_kind_is_one_finding() -> None:
    row = f"      - {{ conc-list: [1], prefill: {BLOCK}, decode: {BLOCK} }}\n"
    text = MULTI.replace("multinode: true", "multinode: false") + row + row
    assert marked(text) == [("false", "tiny-fp8-h100-vllm: multinode is not true, but every row has worker blocks")]


def test_snake_keys_are_left_to_kebab_case_keys() -> None:
    row = "      - { tp: 8, dp_attn: true, spec_decoding: mtp, conc_list: [1] }\n"
    assert check(FIXED.replace("model-prefix", "model_prefix") + row) == []
    wrong = check(FIXED + "      - { tp: 8, dcp_size: 3, conc-list: [1] }\n")
    assert [finding.message_id for finding in wrong] == ["dcp-does-not-divide"]
    assert [finding.message_id for finding in check(FIXED + "      - { tp: 8, nu_mber: 1, conc-list: [1] }\n")] == [
        "unknown-key-here"
    ]


def test_what_readers_convert_is_a_warning() -> None:
    (finding,) = check(FIXED + "      - { tp: '8', conc-list: [1] }\n")
    assert (finding.severity, finding.message_id) == ("warning", "converted-integer")


def test_aliased_content_is_reported_once_where_it_is_written() -> None:
    row = "      - &row { tp: 8, ep: many, conc-list: [1] }\n      - *row\n      - { <<: *row, tp: 4 }\n"
    (finding,) = check(FIXED + row)
    assert finding.span.line == 14
    assert finding.message == f'{ROW}: ep is "many"; expected an integer'


def test_subjects_hold_no_line_and_no_index() -> None:
    good = "      - { tp: 4, conc-list: [1] }\n"
    bad = "      - { tp: 8, router: { name: r }, conc-list: [1] }\n"
    subjects = {check(FIXED + before + bad)[0].subject for before in ("", good, good + good)}
    assert subjects == {("tiny-fp8-h100-vllm", "fixed-seq-len", "router", "missing-key", "version")}


def test_old_files_get_no_findings() -> None:
    assert check("a: { anything: 1 }\n", path=".github/configs/nvidia-master.yaml") == []
    assert check("h100: [a, b]\n", Kind.RUNNERS) == []


def test_october_entries_name_their_recipe() -> None:
    row = "      - { tp: 8, conc-list: [1], srt-recipe: agg.yaml }\n"
    text = FIXED + row
    assert marked(text) == [("tiny-fp8-h100-vllm", "tiny-fp8-h100-vllm: srt-recipe-dir is missing here")]
    placed = text.replace("  scenarios:", "  srt-recipe-dir: /abs\n  scenarios:")
    assert marked(placed)[0][0] == "/abs"
    placed = placed.replace("/abs", "tiny/vllm")
    assert check(placed) == []
    selector = placed.replace("agg.yaml", "'agg.yaml:sweep_x'")
    assert [finding.message_id for finding in check(selector)] == ["bad-reference"]


def test_runners() -> None:
    text = "labels:\n  h100: []\nhardwares:\n  h100: { gpus-per-node: 8 }\n"
    assert marked(text, Kind.RUNNERS) == [
        ("[]", "labels: h100 is empty"),
        ("hardwares", "the runners: unknown key hardwares; did you mean hardware?"),
    ]
    october = (
        "labels:\n  h100: [a, b]\n  cluster:lab: [a]\n  cluster:gone: [a]\nclusters:\n  lab:\n    gpus-per-node: 8\n"
        "    arch: x86_64\n    env: { A: 'x,y' }\n    scheduler: slurm\n    slurm: { partition: p, exclusive: true }\n"
    )
    assert marked(october, Kind.RUNNERS) == [
        ("'x,y'", 'clusters.lab.env: A is "x,y"; a value exported by srun cannot hold a comma')
    ]
    assert marked(october.replace("x,y", "x"), Kind.RUNNERS) == [
        ("a", "labels: runner a is in 2 cluster:<id> labels; expected one"),
        ("b", "labels: runner b is in no cluster:<id> label"),
        ("cluster:gone", "labels: label cluster:gone names a cluster that clusters does not have"),
    ]


def test_changelog() -> None:
    text = (
        "- config-keys: []\n  description: [x]\n  pr-link: https://github.com/example/bench/pull/9\n"
        "- config-keys: [a]\n  description: one text\n  pr-link: x\n  append-only: true\n  all-evals: true\n"
    )
    assert marked(text, Kind.CHANGELOG) == [
        ("[]", "entry 1 (#9): config-keys is empty"),
        ("one text", 'entry 2: description is "one text"; expected a list'),
        ("append-only", "entry 2: append-only excludes all-evals"),
    ]
    assert check("[]\n", Kind.CHANGELOG) == check("", Kind.CHANGELOG) == []


def test_settings() -> None:
    good = (
        "profile: inferencex\nrules: { schema: off, final-newline: { severity: info, size: 3 } }\n"
        "policy: { repository: example/bench, deprecations: [{ model-prefix: a, since: 2026-08-01, reason: old }] }\n"
    )
    assert check(good, Kind.SETTINGS) == []
    text = "profil: auto\nrules: { schema: fatal }\npaths: [{ path: x, ignore: [schema] }]\n"
    assert marked(text, Kind.SETTINGS) == [
        ("profil", "the settings: unknown key profil; did you mean profile?"),
        ("fatal", 'rules: schema is "fatal"; expected one of off, error, warning, info'),
        ("path", "paths: reason is missing here"),
    ]


def test_a_key_in_two_files() -> None:
    def master(path: str, *keys: str) -> SimpleNamespace:
        return SimpleNamespace(path=path, entries=[SimpleNamespace(key=key, key_span=Span(1, 1, 1, 4)) for key in keys])

    masters = [master("configs/nvidia-master.yaml", "a", "b"), master("configs/amd-master.yaml", "b")]
    project = SimpleNamespace(root="", masters=masters, recipes={})
    (finding,) = check_project(project, Context())
    assert (finding.path, finding.subject) == ("configs/nvidia-master.yaml", ("b", "key-twice"))
    assert finding.related[0].path == "configs/amd-master.yaml"
