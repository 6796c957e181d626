"""Every branch of the expansion, on invented master configs."""

from __future__ import annotations

import pytest

from reciplint.domain.document import Document
from reciplint.domain.master import MasterFile, read_master
from reciplint.domain.matrix import DRAM_CAP_MIB, Point, Role, expand, totals
from reciplint.domain.runners import Runners, read_runners
from reciplint.repo.kinds import Kind

HEAD = """\
{key}:
  image: example/engine:v1
  model: example/Finch
  model-prefix: finch
  runner: {runner}
  precision: fp8
  framework: vllm
  multinode: {multinode}
"""

FLEET = """\
labels:
  b200: [b200-a_0, b200-a_1]
  cluster:b200-a: [b200-a_0, b200-a_1]
  cluster:lost: [lost_0]
hardware:
  cluster:b200-a: { gpus-per-node: 8, available-cpu-dram-mib: 1000000 }
"""


def fleet(text: str = FLEET) -> Runners:
    tree = Document("r", Kind.RUNNERS, text.encode()).tree
    assert tree is not None
    return read_runners(tree)


def points(body: str, runner: str = "b200", multinode: bool = False, runners: Runners | None = None) -> list[Point]:
    """The points of one key whose lines after `multinode` are `body`."""
    text = HEAD.format(key="finch", runner=runner, multinode=str(multinode).lower()) + body
    tree = Document("m", Kind.MASTER, text.encode()).tree
    assert tree is not None
    return list(expand((MasterFile("m", read_master(tree).entries),), runners))


def fixed(row: str, more: str = "", **options: object) -> list[Point]:
    """The points of one fixed-sequence row."""
    scenarios = (
        f"  scenarios:\n    fixed-seq-len:\n    - isl: 8192\n      osl: 1024\n      search-space:\n      - {row}\n"
    )
    return points(more + scenarios, **options)  # type: ignore[arg-type]


def agentic(row: str, utilization: str = "dram-utilization: 0.8, ", **options: object) -> list[Point]:
    """The points of one agentic row."""
    row = f"  scenarios:\n    agentic-coding:\n    - {{ {utilization}search-space: [{row}] }}\n"
    return points(row, runner="cluster:b200-a", runners=fleet(), **options)  # type: ignore[arg-type]


def test_a_single_node_row_is_one_worker_with_defaults() -> None:
    (point,) = fixed("{ tp: 4, conc-list: [8] }")
    assert point.roles == (Role("worker", 1, 4, 1, 1, 1, 1, False, "", ()),)
    assert (point.key, point.kind, point.scenario, point.isl, point.osl) == (
        "finch",
        "fixed-seq-len",
        "8k1k",
        8192,
        1024,
    )
    assert (point.image, point.model, point.prefix) == ("example/engine:v1", "example/Finch", "finch")
    assert (point.precision, point.framework, point.runner) == ("fp8", "vllm", "b200")
    assert (point.spec_decoding, point.kv_offloading, point.kv_offload_backend) == ("none", "none", "")
    assert (point.dram_gb, point.router, point.kv_p2p_transfer) == (0, "", "")
    assert (point.disagg, point.power, point.num_nodes) == (False, False, None)
    assert (point.recipe, point.evaluation, point.gpus) == ("", "", 4)


def test_a_single_node_row_with_every_size() -> None:
    (point,) = fixed(
        "{ tp: 4, pp: 2, ep: 4, dcp-size: 2, pcp-size: 2, dp-attn: true, spec-decoding: mtp, conc-list: [8] }"
    )
    assert point.roles == (Role("worker", 1, 4, 2, 4, 2, 2, True, "", ()),)
    assert point.spec_decoding == "mtp"
    assert point.gpus == 4 * 2 * 2  # expert and decode-context parallelism reuse the GPUs


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("conc-list: [64, 4, 4]", [64, 4, 4]),  # as written: neither sorted nor made unique
        ("conc-start: 4, conc-end: 32", [4, 8, 16, 32]),
        ("conc-start: 4, conc-end: 48", [4, 8, 16, 32, 48]),  # the end is included, a power of two or not
        ("conc-start: 6, conc-end: 6", [6]),
        ("conc-start: 64, conc-end: 4", []),
        ("conc-start: 4", []),
        ("conc-list: []", []),
    ],
)
def test_concurrencies(written: str, expected: list[int]) -> None:
    assert [point.concurrency for point in fixed(f"{{ tp: 1, {written} }}")] == expected


def test_separate_roles() -> None:
    row = (
        "{ conc-list: [64], prefill: { num-worker: 2, tp: 4, ep: 4, dp-attn: true, hardware: h1,"
        " additional-settings: ['CONFIG_FILE=recipes/vllm/a.yaml', 'EVAL_CONFIG_FILE=recipes/vllm/b.yaml', 'X=1'] },"
        " decode: { num-worker: 1, tp: 8, pcp-size: 2, hardware: h2 } }"
    )
    (point,) = fixed(row, "  disagg: true\n", multinode=True)
    prefill, decode = point.roles
    assert (prefill.name, prefill.workers, prefill.tp, prefill.ep, prefill.dp_attn) == ("prefill", 2, 4, 4, True)
    assert (prefill.hardware, decode.hardware, decode.pcp) == ("h1", "h2", 2)
    assert (prefill.gpus, decode.gpus, point.gpus) == (8, 16, 24)
    assert (point.recipe, point.evaluation, point.disagg) == ("recipes/vllm/a.yaml", "recipes/vllm/b.yaml", True)


def test_an_aggregate_row_of_august_has_a_decode_without_workers() -> None:
    (point,) = fixed(
        "{ conc-list: [4], prefill: { num-worker: 1, tp: 16 }, decode: { num-worker: 0, tp: 16 } }", multinode=True
    )
    assert [role.workers for role in point.roles] == [1, 0]
    assert point.gpus == 16


def test_the_worker_of_october() -> None:
    row = "{ conc-list: [4], num-nodes: 2, worker: { tp: 8, ep: 8, dp-attn: true }, srt-recipe: 'agg.yaml:override_a' }"
    (point,) = fixed(row, "  srt-recipe-dir: finch/vllm\n", multinode=True)
    assert [(role.name, role.workers, role.tp) for role in point.roles] == [
        ("worker", 1, 8)
    ]  # num-worker defaults to 1
    assert (point.num_nodes, point.gpus, point.recipe) == (2, 8, "finch/vllm/agg.yaml:override_a")


def test_power_of_a_row_wins_over_its_scenario() -> None:
    body = (
        "  scenarios:\n    fixed-seq-len:\n    - isl: 1024\n      osl: 1024\n      require-power: true\n"
        "      search-space:\n      - {tp: 1, conc-list: [1]}\n      - {tp: 1, conc-list: [2], power: false}\n"
    )
    assert [point.power for point in points(body)] == [True, False]


def test_components_of_the_entry_and_of_a_row() -> None:
    entry = "  router: { version: '1', name: dynamo }\n  kv-p2p-transfer: nixl\n"
    (point,) = fixed("{ tp: 1, conc-list: [1] }", entry)
    assert (point.router, point.kv_p2p_transfer) == ('{"name":"dynamo","version":"1"}', "nixl")
    (point,) = fixed("{ tp: 1, conc-list: [1], router: own, kv-p2p-transfer: mooncake }", entry)
    assert (point.router, point.kv_p2p_transfer) == ("own", "mooncake")


def test_offloading_uses_the_share_of_the_node_that_a_replica_has() -> None:
    row = "{ tp: %d, kv-offloading: dram, kv-offload-backend: { name: lmcache }, conc-list: [4] }"
    whole = 1_000_000 * 1024 * 1024 * 0.8 / 1e9
    for tp, share in ((8, 1.0), (4, 0.5), (1, 0.125), (16, 1.0)):  # no replica has more than the node
        (point,) = agentic(row % tp)
        assert point.dram_gb == int(whole * share), tp
        assert (point.kv_offloading, point.kv_offload_backend) == ("dram", '{"name":"lmcache"}')


def test_offloading_is_capped_at_three_terabytes() -> None:
    big = fleet(FLEET.replace("1000000", "9000000"))
    body = (
        "  scenarios:\n    agentic-coding:\n    - { dram-utilization: 0.5, search-space:"
        " [{ tp: 8, kv-offloading: dram, kv-offload-backend: x, conc-list: [1] }] }\n"
    )
    (point,) = points(body, runner="cluster:b200-a", runners=big)
    assert point.dram_gb == int(DRAM_CAP_MIB * 1024 * 1024 * 0.5 / 1e9) == 1499


def test_of_separate_roles_the_prefill_offloads() -> None:
    (point,) = agentic(
        "{ kv-offloading: dram, kv-offload-backend: x, conc-list: [1],"
        " prefill: { num-worker: 3, tp: 2 }, decode: { num-worker: 1, tp: 8 } }",
        multinode=True,
    )
    assert point.dram_gb == int(1_000_000 * 1024 * 1024 * 0.8 * 2 / 8 / 1e9)


def test_offloading_without_what_it_needs_is_unknown() -> None:
    row = "{ tp: 8, kv-offloading: dram, kv-offload-backend: x, conc-list: [1] }"
    assert [point.dram_gb for point in agentic(row, utilization="")] == [None]
    body = f"  scenarios:\n    agentic-coding:\n    - {{ dram-utilization: 0.8, search-space: [{row}] }}\n"
    assert [point.dram_gb for point in points(body, runner="cluster:lost", runners=fleet())] == [None]
    assert [point.dram_gb for point in points(body, runner="cluster:b200-a")] == [None]


def test_the_hardware_of_a_label_is_that_of_its_one_cluster() -> None:
    body = (
        "  scenarios:\n    agentic-coding:\n    - { dram-utilization: 0.8, search-space:"
        " [{ tp: 8, kv-offloading: dram, kv-offload-backend: x, conc-list: [1] }] }\n"
    )
    (point,) = points(body, runner="b200", runners=fleet())
    assert point.dram_gb == int(1_000_000 * 1024 * 1024 * 0.8 / 1e9)


def test_offloading_says_nothing_in_a_fixed_sequence() -> None:
    (point,) = fixed("{ tp: 8, kv-offloading: dram, kv-offload-backend: x, conc-list: [1] }", runners=fleet())
    assert (point.kv_offloading, point.kv_offload_backend, point.dram_gb) == ("none", "", 0)


def test_agentic_points_have_no_lengths() -> None:
    (point,) = agentic("{ tp: 8, kv-offloading: none, conc-list: [1] }")
    assert (point.kind, point.scenario, point.isl, point.osl) == ("agentic-coding", "agentic-coding", None, None)
    assert (point.kv_offloading, point.dram_gb) == ("none", 0)


def test_jobs() -> None:
    """A fixed-sequence row of several nodes is one job; every other point is its own."""
    pair = "prefill: { num-worker: 1, tp: 4 }, decode: { num-worker: 1, tp: 4 }"
    many = fixed(f"{{ conc-list: [1, 2, 4], {pair} }}", multinode=True)
    assert len({point.job for point in many}) == 1
    assert len({point.job for point in fixed("{ tp: 4, conc-list: [1, 2, 4] }")}) == 3
    assert len({point.job for point in agentic(f"{{ conc-list: [1, 2], {pair} }}", multinode=True)}) == 2


def test_totals() -> None:
    pair = "prefill: { num-worker: 1, tp: 4 }, decode: { num-worker: 1, tp: 4 }"
    many = fixed(f"{{ conc-list: [1, 2, 4], {pair} }}", runner="gb200", multinode=True)
    total = totals([*many, *agentic("{ tp: 8, kv-offloading: none, conc-list: [1, 2] }")], {"fixed-seq-len": 0.5})
    assert (total.points, total.jobs, total.gpus) == (5, 3, 8 + 2 * 8)
    assert total.jobs_by_runner == {"cluster:b200-a": 2, "gb200": 1}
    assert total.gpu_hours_by_runner == {"cluster:b200-a": 0.0, "gb200": 3 * 8 * 0.5}  # no hours given: none counted
    assert total.gpu_hours == 12.0


def test_what_has_no_shape_is_left_out() -> None:
    assert points("  scenarios: nonsense\n") == []
    assert [point.roles[0].tp for point in fixed("{ tp: four, conc-list: [1] }")] == [1]
