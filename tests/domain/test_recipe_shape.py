"""What `schema` finds in recipes, and where: samples, single faults, bundles, and mutations line by line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from jsonschema import Draft202012Validator

from reciplint.domain.document import Document
from reciplint.domain.schemas import schema, schema_text
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding
from reciplint.rules.rule import Context
from reciplint.rules.yaml.schema import RULE, check_document, check_project

ONE = """\
name: tiny-disagg
model:
  path: hf:example/tiny
  container: example/vllm:1
  precision: fp8
identity:
  container: {image: example/vllm:1}
  frameworks: {dynamo: 1.2.0}
resources:
  gpu_type: h200
  gpus_per_node: 8
  prefill_nodes: 1
  decode_nodes: 1
  prefill_workers: 1
  decode_workers: 2
  gpus_per_decode: 4
backend:
  type: vllm
  connector:
  prefill_environment:
    VLLM_LOGGING_LEVEL: INFO
  vllm_config:
    prefill: {tensor-parallel-size: 8, made-up-flag: 3}
    decode: {tensor-parallel-size: 4}
frontend:
  type: dynamo
  args: {router-mode: kv}
dynamo:
  version: 1.2.0
benchmark:
  type: sa-bench
  isl: 1024
  osl: 128
  concurrencies: [4, "8"]
health_check:
  max_attempts: 360
sbatch_directives:
  cpus-per-task: "64"
slurm:
  time_limit: "02:00:00"
"""

TWO = """\
schema: 2
name: tiny-agg
model: {path: hf:example/tiny, container: example/sglang:1, precision: fp8}
resources:
  gpu_type: mi355x
  gpus_per_node: 8
engine: sglang
roles:
  agg:
    nodes: 1
    workers: 1
    gpus: 8
    args: {tp-size: 8}
    env: {SGLANG_USE_AITER: "1"}
    kv_events: true
frontend:
  type: sglang-router
  placement:
    node: head
dynamo:
  source:
    pypi: 1.5.0
services:
- name: etcd
  type: etcd
  placement: {node: infra}
- name: watcher
  command: [sleep, infinity]
  readiness:
    port: 9000
benchmark:
  type: custom
  command: run.sh
"""

LLMD = """\
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- name: files
  type: file-discovery
  parameters: {path: endpoints.yaml}
- type: queue-scorer
- type: max-score-picker
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: queue-scorer
    weight: 2
  - pluginRef: max-score-picker
dataLayer:
  discovery:
    pluginRef: files
decode:
  tp: 1
  enable-expert-parallel: true
  extra-args: --block-size 256
  env: {NCCL_P2P_LEVEL: NVL}
slurm:
  time_limit: "08:00:00"
"""

BUNDLE = """\
base:
  name: tiny
  model: {path: tiny, container: example/sglang:1, precision: fp8}
  resources:
    gpu_type: gb200
    agg_nodes: 1
    agg_workers: 1
  backend:
    sglang_config:
      aggregated: {tp-size: 4}
override_long:
  benchmark: {type: custom, isl: 8192}
zip_override_points:
  resources:
    agg_nodes: [1, 2]
    gpus_per_node: [4]
  benchmark:
    concurrencies: [[4, 8], [16]]
"""

SAMPLES = {"recipe-1": ONE, "recipe-2": TWO, "bundle": BUNDLE}


def findings(text: str, kind: Kind = Kind.RECIPE) -> list[Finding]:
    return list(check_document(Document("recipes/tiny.yaml", kind, text.encode()), Context()))


def told(text: str, kind: Kind = Kind.RECIPE) -> list[tuple[int, str]]:
    return [(finding.span.line, finding.message) for finding in findings(text, kind)]


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def swapped(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


@pytest.mark.parametrize("text", SAMPLES.values(), ids=list(SAMPLES))
def test_sound_recipes_are_quiet(text: str) -> None:
    assert told(text) == []


def test_a_sound_llm_d_recipe_is_quiet() -> None:
    assert told(LLMD, Kind.LLMD_RECIPE) == []


@pytest.mark.parametrize("name", ["recipe-1", "recipe-2", "recipe-llmd"])
def test_the_schemas_are_schemas_and_judge_as_a_whole(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))
    assert json.loads(schema_text(name))["$id"].endswith(f"/{name}.schema.json")
    import yaml

    whole = Draft202012Validator(schema(name))
    samples = {"recipe-1": (ONE, BUNDLE), "recipe-2": (TWO,), "recipe-llmd": (LLMD,)}[name]
    for sample in samples:
        assert list(whole.iter_errors(yaml.safe_load(sample))) == []
        assert list(whole.iter_errors({**yaml.safe_load(sample), "surprise": 1}))


def test_an_editor_takes_a_fragment_that_leaves_its_model_to_inferencex() -> None:
    """It has no other schema to choose; `recipe_faults` knows whether somebody binds the model."""
    import yaml

    fragment = {key: value for key, value in yaml.safe_load(TWO).items() if key != "model"}
    assert list(Draft202012Validator(schema("recipe-2")).iter_errors(fragment)) == []


@pytest.mark.parametrize(
    ("old", "new", "at", "message"),
    [
        ("gpu_type: h200", "gpu_typ: h200", "gpu_typ:", "resources: unknown key gpu_typ; did you mean gpu_type?"),
        ("  precision: fp8\n", "", "model:", "model: precision is missing here"),
        ("name: tiny-disagg\n", "", "model:", "the file: name is missing here"),
        ("decode_workers: 2", "decode_workers: two", "decode_workers", 'decode_workers is "two"; expected an integer'),
        ("decode_workers: 2", "decode_workers: true", "decode_workers", "decode_workers is true; expected an integer"),
        ("type: vllm", "type: vlm", "type: vlm", 'backend: type is "vlm"; did you mean vllm?'),
        ("  connector:\n", "  conector:\n", "conector", "backend: unknown key conector; did you mean connector?"),
        ("version: 1.2.0", "version: 1.2", "version", "dynamo: version is 1.2; expected text (quote it)"),
        ('cpus-per-task: "64"', "cpus-per-task: 64", "cpus-per-task", "cpus-per-task is 64; expected text"),
        ('[4, "8"]', "[4, many]", "concurrencies", 'concurrencies item 2 is "many"; expected an integer'),
        (
            "  version: 1.2.0\n",
            "  hash: abc\n  wheel: 1.2.0\n",
            "wheel",
            "dynamo: hash, wheel exclude each other; keep one",
        ),
        (
            "  version: 1.2.0\n",
            "  wheel: a.whl\n",
            "wheel",
            'wheel is "a.whl"; expected a package version, no file name',
        ),
        ("  version: 1.2.0\n", "  cargo_patches: [a]\n", "cargo_patches", "dynamo: cargo_patches stands without hash"),
        ("type: dynamo", "type: trtllm_serve", "type: vllm", '"vllm"; frontend.type trtllm_serve needs trtllm'),
        ("gpus_per_node: 8", "het_jobs: true", "type: vllm", 'type is "vllm"; resources.het_jobs needs sglang'),
        (
            "  type: sa-bench\n",
            "  type: sa-bench\n  client_dedicated_node: true\n  client_placement: last_decode\n",
            "client_placement",
            'client_placement is "last_decode"; client_dedicated_node needs head',
        ),
        (
            "slurm:\n",
            "profiling:\n  type: nsys\n  prefill: {start_step: 1}\n  aggregated: {start_step: 1}\nslurm:\n",
            "aggregated",
            "profiling: aggregated stands here; resources.prefill_nodes takes only prefill, decode",
        ),
        (
            "slurm:\n",
            "profiling: {type: nsys-time, delay_secs: 3}\nslurm:\n",
            "profiling",
            "profiling: duration_secs is missing here",
        ),
        (
            "  connector:\n",
            "  mooncake_kv_store: {}\n",
            "mooncake_kv_store",
            "backend: mooncake_kv_store stands here, but no role's kv-transfer-config names Mooncake",
        ),
        (
            "slurm:\n",
            "observability:\n  tachometer: {enabled: true}\nslurm:\n",
            "observability",
            "observability: enabled is missing here; observability.tachometer needs true",
        ),
        (
            "slurm:\n",
            "telemetry:\n  enabled: true\n  dcgm_exporter: {container_image: x, port: 90000}\nslurm:\n",
            "dcgm_exporter",
            "telemetry.dcgm_exporter: port is 90000; expected at most 65535",
        ),
        (
            "slurm:\n",
            "telemetry: {enabled: true, storage_subdir: ../up}\nslurm:\n",
            "telemetry",
            'storage_subdir is "../up"; expected a path below the logs (no leading / or ~, no ..)',
        ),
    ],
)
def test_one_fault_of_schema_1(old: str, new: str, at: str, message: str) -> None:
    text = swapped(ONE, old, new)
    line, said = next(entry for entry in told(text) if message in entry[1])
    assert line == line_of(text, at), said
    assert {finding.severity for finding in findings(text)} == {"error"}


@pytest.mark.parametrize(
    ("old", "new", "at", "message"),
    [
        ("schema: 2\n", "", "name:", "the file: schema is missing here"),
        ("schema: 2\n", "schema: 3\n", "schema", "the file: schema is 3; expected 2"),
        ("engine: sglang", "engine: sglan", "engine", 'engine is "sglan"; did you mean sglang?'),
        (
            "engine: sglang",
            "engine: {type: vllm, conector: x}",
            "engine",
            "unknown key conector; did you mean connector?",
        ),
        ("engine: sglang", "engine: {served_model_name: x}", "engine", "engine: type is missing here"),
        ("engine: sglang\n", "", "schema", "the file: engine is missing here"),
        ("    kv_events: true\n", "    engine: vllm\n", "engine: sglang", "engine stands here and on agg; keep one"),
        ("  agg:\n", "  aggregated:\n", "aggregated:", "roles: unknown key aggregated"),
        ("    nodes: 1\n", "    nodes: 0\n", "nodes", "roles.agg: nodes is 0; expected at least 1"),
        ("    nodes: 1\n", "    nodes: colocate\n", "nodes", 'roles.agg: nodes is "colocate"; expected an integer'),
        (
            "    kv_events: true\n",
            "    extra_args: [x]\n",
            "extra_args",
            "extra_args stands here; engine sglang takes only",
        ),
        ("    pypi: 1.5.0\n", "    pypi: 1.5.0\n    rev: a\n", "pypi", "dynamo.source: rev, pypi exclude each other"),
        ("    pypi: 1.5.0\n", "    git: example\n", "  source:", "dynamo.source: rev is missing here"),
        ("- name: watcher", "- name: etcd", "- name: etcd\n  command", "services: name repeats etcd"),
        ("  command: [sleep, infinity]\n", "", "- name: watcher", "services: command is missing here"),
        ("{node: infra}", "{pool: gone}", "pool", 'pool is "gone"; no service of this name owns nodes'),
        ("    port: 9000\n", "    port: 1\n    log: {pattern: x}\n", "log", "readiness: port, log exclude each other"),
        ("type: sglang-router", "type: none", "roles", "roles stand here, but frontend.type none serves none"),
        ("{node: infra}", "{node: infr}", "infr}", 'placement: node is "infr"; did you mean infra?'),
        ("benchmark:\n", "infra: {}\nbenchmark:\n", "infra: {", "unknown key infra"),
    ],
)
def test_one_fault_of_schema_2(old: str, new: str, at: str, message: str) -> None:
    text = swapped(TWO, old, new)
    (entry,) = told(text)
    assert message in entry[1]
    assert entry[0] == line_of(text, at), entry[1]


def test_decode_shares_the_nodes_of_prefill() -> None:
    roles = "  prefill: {nodes: 1, workers: 1, gpus: 4}\n  decode:\n    nodes: colocate\n    workers: 1\n    gpus: 4\n"
    text = TWO[: TWO.index("  agg:")] + roles + TWO[TWO.index("frontend:") :]
    assert told(text) == []
    expected = "roles.decode: gpus is missing here; roles.decode.nodes colocate needs it"
    assert told(text.replace("    gpus: 4\n", "")) == [(line_of(text, "decode:"), expected)]
    wrong = text.replace("colocate", "shared")
    expected = 'roles.decode: nodes is "shared"; expected a number of nodes, or colocate'
    assert told(wrong) == [(line_of(wrong, "shared"), expected)]


@pytest.mark.parametrize(
    ("old", "new", "at", "message"),
    [
        ("  type: file-discovery\n", "", "- name: files", "plugins: type is missing here"),
        (
            "- pluginRef: queue-scorer",
            "- pluginRef: queue",
            "queue\n",
            'is "queue"; expected one of the plugins: files, queue',
        ),
        (
            "pluginRef: files",
            "pluginRef: file",
            "pluginRef: file\n",
            'pluginRef is "file"; expected one of the plugins',
        ),
        ("  enable-expert-parallel: true", "  enable-expert-parallel: 'false'", "enable", "expected true or false"),
        ("  extra-args:", "  extra_args:", "extra_args", "decode: unknown key extra_args; did you mean extra-args?"),
        ("kind: EndpointPickerConfig", "kind: Picker", "kind", 'kind is "Picker"; expected EndpointPickerConfig'),
        ("slurm:\n", "slurmm:\n", "slurmm", "the file: unknown key slurmm; did you mean slurm?"),
    ],
)
def test_one_fault_of_llm_d(old: str, new: str, at: str, message: str) -> None:
    text = swapped(LLMD, old, new)
    (entry,) = told(text, Kind.LLMD_RECIPE)
    assert message in entry[1]
    assert entry[0] == line_of(text, at), entry[1]


@pytest.mark.parametrize(
    ("old", "new", "at", "message"),
    [
        (
            "    agg_nodes: 1\n",
            "    agg_node: 1\n",
            "agg_node:",
            "base.resources: unknown key agg_node; did you mean agg_nodes?",
        ),
        ("    gpu_type: gb200\n", "", "resources", "base.resources: gpu_type is missing here"),
        ("isl: 8192", "isl: long", "long}", 'override_long.benchmark: isl is "long"; expected an integer'),
        ("isl: 8192", "isll: 8192", "isll", "override_long.benchmark: unknown key isll; did you mean isl?"),
        ("agg_nodes: [1, 2]", "agg_nodes: [1, x]", "x]", 'resources: agg_nodes item 2 is "x"; expected an integer'),
        ("[4]", "[four]", "[four]", 'resources: gpus_per_node item 1 is "four"; expected an integer'),
        ("[16]]", "[x]]", "[x]]", 'concurrencies item 1 is "x"; expected an integer'),
        (
            "override_long:\n",
            "overide_long:\n",
            "overide_long",
            "unknown key overide_long; did you mean override_long?",
        ),
        (
            "override_long:\n",
            "variants:\n",
            "variants",
            "known here: base, schema, override_<name>, zip_override_<name>",
        ),
        ("agg_nodes: [1, 2]", "agg_nodes: [1, 2, 3]", "agg_nodes: [", "agg_nodes holds 3 values and concurrencies 2"),
        ("agg_nodes: [1, 2]", "agg_nodes: []", "agg_nodes: []", "zip_override_points.resources: agg_nodes is empty"),
        ("  benchmark: {type: custom, isl: 8192}\n", "", "override_long", "override_long is empty; expected a mapping"),
        (
            "  benchmark: {type: custom, isl: 8192}\n",
            "  model:\n    container:\n",
            "container:\n",
            "override_long.model: container is missing here",
        ),
        (
            "  benchmark: {type: custom, isl: 8192}\n",
            "  reporting: {s3: {prefix: x}}\n",
            "reporting",
            "override_long.reporting.s3: bucket is missing here",
        ),
        (
            "  benchmark: {type: custom, isl: 8192}\n",
            "  backend: {type: vllm}\n",
            "sglang_config",
            "base.backend [override_long]: unknown key sglang_config",
        ),
    ],
)
def test_one_fault_of_a_bundle_is_told_once_and_at_its_source(old: str, new: str, at: str, message: str) -> None:
    text = swapped(BUNDLE, old, new)
    entries = told(text)
    assert [message in said for _, said in entries] == [True], entries
    assert entries[0][0] == line_of(text, at), entries[0]


def test_a_zip_group_needs_a_list() -> None:
    text = BUNDLE[: BUNDLE.index("zip_override_points")] + "zip_override_none:\n  name: x\n"
    expected = "zip_override_none: this zip group holds no list; expected at least one, a value for each variant"
    assert [message.removeprefix("the file: ") for _, message in told(text)] == [
        expected.removeprefix("zip_override_none: ")
    ]


def test_a_base_with_overrides_need_not_be_a_job_and_one_alone_must() -> None:
    base = "base:\n  name: tiny\n  resources: {gpu_type: b200}\n"
    whole = "override_a:\n  model: {path: p, container: c, precision: fp8}\n"
    assert told(base + whole) == []
    assert told(base) == [(1, "base: model is missing here")]
    assert told(base.replace("gpu_type", "gpu_typ") + whole)[0] == (
        3,
        "base.resources: unknown key gpu_typ; did you mean gpu_type?",
    )


def test_a_key_beside_base_may_hold_an_anchor() -> None:
    text = "x-model: &model {path: p, container: c, precision: fp8}\n" + swapped(
        BUNDLE, "{path: tiny, container: example/sglang:1, precision: fp8}", "*model"
    )
    assert told(text) == []
    assert told(text.replace("precision", "precison"))[0][0] == 1


def test_a_base_is_a_mapping() -> None:
    assert told("base: text\noverride_a: {}\n") == [(1, 'the file: base is "text"; expected a mapping')]


def test_what_the_loader_converts_is_a_warning() -> None:
    text = swapped(ONE, "max_attempts: 360", 'max_attempts: "360"')
    (finding,) = findings(text)
    assert (finding.severity, finding.message_id) == ("warning", "converted-integer")
    text = swapped(ONE, "  type: dynamo\n", "  type: dynamo\n  nginx_raise_ulimit: 'yes'\n")
    assert [finding.message_id for finding in findings(text)] == ["converted-boolean"]


def test_placeholders_of_sweeps_and_of_the_binder_are_no_wrong_types() -> None:
    swept = swapped(ONE, "isl: 1024", 'isl: "{length}"')
    assert len(told(swept)) == 1
    assert told(swept + "sweep:\n  length: [1024, 8192]\n") == []
    assert told(ONE + "sweep:\n  length: 8\n") == [
        (line_of(ONE + "sweep", "sweep") + 1, "sweep: length is 8; expected a list")
    ]
    assert told(swapped(TWO, "  command: run.sh\n", "  isl: ${ISL}\n")) == []


def test_fragments_are_not_asked_for_what_they_are_merged_over() -> None:
    fragment = "".join(line for line in TWO.splitlines(keepends=True) if not line.startswith("model:"))
    fragment += "telemetry:\n  dcgm_exporter: {container_image: x}\n"
    assert told(fragment) == []
    assert told(fragment.replace("name: tiny-agg\n", "")) == [(1, "the file: name is missing here")]
    assert told(swapped(TWO, ", precision: fp8}", "}")) == [(3, "model: precision is missing here")]


@pytest.mark.parametrize(
    ("root", "path", "expected"),
    [
        (None, "recipes/tiny.yaml", ["the file: model is missing here"]),
        (None, "benchmarks/multi_node/srt-slurm-recipes/tiny.yaml", []),
        ("", "recipes/tiny.yaml", []),
    ],
)
def test_a_recipe_that_nobody_binds_needs_a_model(root: str | None, path: str, expected: list[str]) -> None:
    fragment = "".join(line for line in TWO.splitlines(keepends=True) if not line.startswith("model:"))
    facts = SimpleNamespace(schema=2, container="")
    project = SimpleNamespace(
        root=root, masters=[], recipes={path: SimpleNamespace(facts=facts)}, read=lambda _: fragment.encode()
    )
    found = list(check_project(project, Context()))
    assert [finding.message for finding in found] == expected
    assert {finding.path for finding in found} <= {path}


def test_a_shared_block_needs_nothing_and_knows_its_keys() -> None:
    block = (
        "telemetry:\n  enabled: true\n  dcgm_exporter: {container_image: x}\nbenchmark: {concurrencies: '${CONC}'}\n"
    )
    assert told(block, Kind.SHARED_BLOCK) == []
    wrong = block.replace("concurrencies", "concurencies")
    assert told(wrong, Kind.SHARED_BLOCK) == [(4, "benchmark: unknown key concurencies; did you mean concurrencies?")]


@pytest.mark.parametrize("text", ["num_slots: 8\nlayers: {}\n", "cluster: lab\ncontainers: {a: b}\n", "[]\n"])
def test_other_files_in_a_folder_of_recipes(text: str) -> None:
    expected = [(1, "the file: the file is an empty list; expected a mapping")] if text == "[]\n" else []
    assert told(text) == expected


def test_an_environment_is_left_to_its_own_rule() -> None:
    assert told(swapped(ONE, "VLLM_LOGGING_LEVEL: INFO", "VLLM_LOGGING_LEVEL: 1")) == []
    assert told(swapped(TWO, 'SGLANG_USE_AITER: "1"', "SGLANG_USE_AITER: null")) == []


def _keys(text: str) -> Iterator[tuple[int, str]]:
    """Every key on a line of its own outside of engine flags and environments: its line, its name."""
    free, depth = False, 0
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r"( *)(?:- )?([a-z_-]+):", line)
        if match is None or (free and len(match[1]) > depth):
            continue
        free, depth = bool(re.search(r"environment|_config|directives|args|env:", line)), len(match[1])
        if len(match[2]) > 3:
            yield number, match[2]


@pytest.mark.parametrize("name", ["recipe-1", "recipe-2"])
def test_every_key_misspelt_is_found_on_its_line(name: str) -> None:
    text = SAMPLES[name]
    lines = text.splitlines(keepends=True)
    tried = 0
    for number, key in _keys(text):
        for wrong in (key[:-1], key[0] + key[2:], key + "s"):
            mutated = "".join(
                [*lines[: number - 1], lines[number - 1].replace(f"{key}:", f"{wrong}:", 1), *lines[number:]]
            )
            entries = told(mutated)
            assert any(line == number and f"unknown key {wrong}" in said for line, said in entries), (
                key,
                wrong,
                entries,
            )
            tried += 1
    assert tried > 50


@pytest.mark.parametrize("name", ["recipe-1", "recipe-2"])
@pytest.mark.parametrize("wrong", ["[[]]", "{deep: {er: 1}}", "0x"])
def test_every_scalar_of_a_wrong_type_is_found_on_its_line(name: str, wrong: str) -> None:
    text = SAMPLES[name]
    typed = re.compile(
        r"^( *(?:gpus_per_node|prefill_nodes|decode_workers|isl|max_attempts|nodes|workers|gpus|port): )\d+$"
    )
    lines = text.splitlines()
    tried = 0
    for number, line in enumerate(lines, 1):
        match = typed.match(line)
        if match:
            mutated = "\n".join([*lines[: number - 1], match[1] + wrong, *lines[number:]]) + "\n"
            assert [entry[0] for entry in told(mutated)] == [number], (line, told(mutated))
            tried += 1
    assert tried >= 4


def test_harmless_variations_stay_quiet() -> None:
    for text in SAMPLES.values():
        lines = text.splitlines()
        for number in range(len(lines)):
            assert told("\n".join([*lines[:number], "# a note", *lines[number:]]) + "\n") == []


def test_every_message_is_worded_in_chinese_too() -> None:
    assert set(RULE.messages) == set(RULE.messages_zh)
