"""Looking up flags, JSON keys, releases, images and variables in the catalogues."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import msgspec
import pytest

from reciplint.domain.catalogue import ENGINES, Catalogue, catalogue, number
from reciplint.domain.environment import variable, worlds
from reciplint.domain.releases import Version, engine_of, engine_version, holds, since, until, version

ONE: dict[str, Any] = {
    "engine": "one",
    "open": False,
    "versions": ["1.0.0", "1.1.0", "1.2.0"],
    "flags": {
        "--tensor-parallel-size": {"kind": "int", "aliases": {"-tp": [], "--tp-size": ["1.1.0"]}},
        "--tensor-dtype": {"kind": "str", "span": ["1.2.0"]},
        "--enforce-eager": {"kind": "bool", "was": [{"until": "1.0.0", "kind": "switch"}]},
        "--headless": {"kind": "switch"},
        "--speed": {"kind": "enum", "closed": True, "choices": {"fast": [], "slow": [None, "1.0.0"], "new": ["1.2.0"]}},
        "--loose": {
            "kind": "enum",
            "closed": True,
            "choices": {"a": ["1.1.0"]},
            "was": [{"until": "1.0.0", "kind": "str"}],
        },
        "--gone": {"kind": "str", "span": [None, "1.0.0"]},
        "--compile": {"kind": "json", "config": "Compile"},
        "--freely": {"kind": "json"},
        "--renamed": {"kind": "int", "aliases": {"--former": []}, "spelled": ["1.1.0"]},
    },
    "configs": {
        "Compile": {"passes": {"kind": "json", "config": "Passes"}, "level": {"kind": "int", "span": ["1.1.0"]}},
        "Passes": {"fuse": {"kind": "bool"}, "options": {"kind": "json"}},
    },
    "registries": {"attention": {"FLASH": [], "OLD": [None, "1.0.0"]}},
}


@pytest.fixture(scope="module")
def one() -> Catalogue:
    return msgspec.convert(ONE, Catalogue)


@pytest.mark.parametrize(
    ("written", "name", "how"),
    [
        ("--tensor-parallel-size", "--tensor-parallel-size", "exact"),
        ("tensor_parallel_size", "--tensor-parallel-size", "exact"),
        ("--tensor-parallel-size=8", "--tensor-parallel-size", "exact"),
        ("-tp", "--tensor-parallel-size", "alias"),
        ("tp-size", "--tensor-parallel-size", "alias"),
        ("--no-enforce-eager", "--enforce-eager", "negated"),
        ("no_enforce_eager", "--enforce-eager", "negated"),
        ("--enforce", "--enforce-eager", "abbreviation"),
        ("--tensor-p", "--tensor-parallel-size", "abbreviation"),
        ("--no-enforce", "--no-enforce-eager", "abbreviation"),
        ("tp", "--tensor-parallel-size", "abbreviation"),
        ("--help", "--help", "exact"),
    ],
)
def test_a_flag_is_found_in_every_spelling(one: Catalogue, written: str, name: str, how: str) -> None:
    match = one.find(written)

    assert match is not None
    assert (match.name, match.how) == (name, how)


@pytest.mark.parametrize("written", ["--unheard-of", "dp", "--no-headless", "--tensor", "--t", "-x"])
def test_what_no_release_has_is_not_found(one: Catalogue, written: str) -> None:
    assert one.find(written) is None


def test_a_prefix_is_read_in_the_release_that_is_known(one: Catalogue) -> None:
    assert one.meant("--tensor") == ["--tensor-dtype", "--tensor-parallel-size"]
    found = one.find("--tensor", version("1.1.0"))
    assert found is not None
    assert (found.name, found.how) == ("--tensor-parallel-size", "abbreviation")


def test_dotted_keys_stay_as_they_are(one: Catalogue) -> None:
    match = one.find("--compile.passes.fuse")

    assert match is not None
    assert (match.name, match.path) == ("--compile", ("passes", "fuse"))


def test_json_keys_are_known_unknown_or_not_told(one: Catalogue) -> None:
    entry = one.flags["--compile"]

    fused = one.key(entry, ("passes", "fuse"))
    assert (fused.known, fused.entry) == (True, one.configs["Passes"]["fuse"])
    wrong = one.key(entry, ("passes", "fuze"))
    assert (wrong.known, wrong.config, wrong.at) == (False, "Passes", 1)
    assert one.key(entry, ("passes", "options", "anything")).known
    assert one.key(one.flags["--freely"], ("anything",)).known
    assert one.keys("Compile", version("1.0.0")) == ["passes"]


def test_an_alias_has_its_own_releases(one: Catalogue) -> None:
    match = one.find("--tp-size")

    assert match is not None
    assert since(match.span) == version("1.1.0")
    assert until(match.span) is None
    renamed, former = one.find("--renamed"), one.find("--former")
    assert renamed is not None
    assert former is not None
    assert (since(renamed.span), since(former.span)) == (version("1.1.0"), None)
    gone = one.find("--gone")
    assert gone is not None
    assert until(gone.span) == version("1.0.0")


def test_choices_are_those_of_the_release(one: Catalogue) -> None:
    speed, loose = one.flags["--speed"], one.flags["--loose"]

    assert speed.choices_at(version("1.1.0")) == ("fast",)
    assert speed.choices_at(None) == ("fast", "slow", "new")
    assert loose.choices_at(version("1.2.0")) == ("a",)
    assert loose.choices_at(version("1.0.0")) is None
    assert loose.choices_at(None) is None
    assert one.flags["--headless"].choices_at(None) is None


def test_a_shape_is_that_of_the_release(one: Catalogue) -> None:
    eager = one.flags["--enforce-eager"]

    assert eager.at(version("1.0.0")).kind == "switch"
    assert eager.at(version("1.0.0.post1")).kind == "bool"
    assert (eager.negatable(version("1.0.0")), eager.negatable(None)) == (False, True)


def test_close_names_are_likely_ones(one: Catalogue) -> None:
    assert one.close("--tensor-paralel-size") == ["--tensor-parallel-size"]
    assert one.close("--entirely-different") == []


def test_registries_and_the_releases_that_are_covered(one: Catalogue) -> None:
    assert one.registered("attention", version("1.1.0")) == ["FLASH"]
    assert one.registered("attention") == ["FLASH", "OLD"]
    assert one.registered("none") == []
    assert [one.covers(version(text)) for text in ("0.9.0", "1.0.5", "1.3.0")] == [False, True, False]
    assert not one.covers(None)


@pytest.mark.parametrize(
    ("text", "value"),
    [("8", 8), ("1k", 1_000), ("1K", 1_024), ("2M", 2 * 1024**2), ("2.5m", 2_500_000), ("2.5K", None), ("auto", None)],
)
def test_numbers_with_units(text: str, value: int | None) -> None:
    assert number(text) == value


def test_releases_follow_each_other() -> None:
    names = ["0.5.3rc1", "0.5.3", "0.5.3.post1", "0.5.3.post10", "0.5.10", "0.20", "0.20.1"]
    releases = [version(name) for name in names]

    assert None not in releases
    assert releases == sorted(releases, key=lambda release: release or Version(()))
    assert version("v0.20") == version("0.20.0")
    assert [str(version(name)) for name in ("v0.5.3.post1", "1.3.0rc18", "0.20")] == [
        "0.5.3.post1",
        "1.3.0rc18",
        "0.20.0",
    ]
    assert [version(text) for text in ("nightly", "latest", "2", "0.5.3-cu130")] == [None] * 4


def test_spans_hold_between_their_ends() -> None:
    assert holds((), version("9.9.9"))
    assert not holds(("1.1.0",), version("1.0.0"))
    assert holds((None, "1.1.0"), version("1.1.0"))
    assert not holds((None, "1.1.0"), version("1.1.1"))
    assert holds((None, "1.1.0"), None)


@pytest.mark.parametrize(
    ("image", "engine", "release"),
    [
        ("vllm/vllm-openai:v0.20.1", "vllm", "0.20.1"),
        ("vllm/vllm-openai:v0.20.1-ubuntu2404", "vllm", "0.20.1"),
        ("docker.io/vllm/vllm-openai-rocm:v0.27.1", "vllm", "0.27.1"),
        ("lmsysorg/sglang:v0.5.8.post1-cu130-runtime", "sglang", "0.5.8.post1"),
        ("lmsysorg/sglang:0.5.3-cu129", "sglang", "0.5.3"),
        ("lmsysorg/sglang:v0.5.14-cu130@sha256:" + "0" * 64, "sglang", "0.5.14"),
        ("lmsysorg/sglang:v0.5.12-rocm720-mi35x", "sglang", "0.5.12"),
        ("nvcr.io#nvidia/tensorrt-llm/release:1.3.0rc18", "trtllm", "1.3.0rc18"),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1.post2", "dynamo", "0.8.1.post2"),
    ],
)
def test_an_image_of_a_release_tells_it(image: str, engine: str, release: str) -> None:
    assert engine_of(image) == engine
    assert engine_version(image, engine) == version(release)


@pytest.mark.parametrize(
    "image",
    [
        "vllm/vllm-openai:nightly-" + "a" * 40,
        "vllm/vllm-openai:latest",
        "vllm/vllm-openai",
        "vllm/vllm-openai:v0.21.0rc1",
        "vllm/vllm-openai:vllm-x86_64-cu13-0.25.1-7a33ba9",
        "vllm/vllm-openai@sha256:" + "0" * 64,
        "registry.example:5000/mirror/vllm:v0.20.1",
        "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1",
        "lmsysorg/sglang:v0.5.12",
    ],
)
def test_an_image_that_tells_no_release_of_vllm(image: str) -> None:
    assert engine_version(image, "vllm") is None


def test_a_dated_build_is_no_release() -> None:
    assert engine_version("lmsysorg/sglang-rocm:v0.5.12-rocm720-mi35x-20260517", "sglang") is None
    assert engine_version("lmsysorg/sglang:nightly-dev-cu13-20260528-0abe6a85", "sglang") is None


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_has_a_catalogue(engine: str) -> None:
    found = catalogue(engine)

    assert found is not None
    assert (found.engine, found.open) == (engine, engine in ("trtllm", "atom"))
    assert catalogue(engine) is found


def test_no_catalogue_of_another_engine() -> None:
    assert catalogue("mystery") is None
    assert catalogue("../env/vllm") is None


@pytest.mark.parametrize(
    ("engine", "flag", "first", "last"),
    [
        ("vllm", "--dcp-comm-backend", "0.18.0", None),
        ("vllm", "--task", None, "0.12.0"),
        ("vllm", "--moe-backend", "0.17.0", None),
        ("sglang", "--attn-cp-size", "0.5.9", None),
        ("sglang", "--tp-size", None, None),
    ],
)
def test_facts_that_were_checked_by_hand(engine: str, flag: str, first: str | None, last: str | None) -> None:
    found = catalogue(engine)
    match = found.find(flag) if found else None

    assert match is not None
    assert (since(match.span), until(match.span)) == (first and version(first), last and version(last))


def test_vllm_knows_the_keys_of_its_json_flags() -> None:
    vllm = catalogue("vllm")
    assert vllm is not None
    transfer = vllm.find("--kv-transfer-config")
    assert transfer is not None

    assert vllm.key(transfer.entry, ("kv_connector_extra_config", "anything")).known
    assert vllm.key(transfer.entry, ("kv_role",)).known
    assert not vllm.key(transfer.entry, ("kv_rolle",)).known
    assert "MooncakeConnector" in vllm.registered("kv-connector")


@pytest.mark.parametrize(
    ("name", "owner", "known", "is_open"),
    [
        ("VLLM_USE_DIRECT_DCP_A2A", "vllm", True, False),
        ("VLLM_USE_DIRECT_DCP_A2B", "vllm", False, False),
        ("VLLM_ASCEND_ANYTHING", "vllm", False, True),
        ("SGLANG_LOG_GC", "sglang", True, False),
        ("SGL_LOG_GC", "sglang", True, False),
        ("NCCL_DEBUG", "nccl", True, False),
        ("NCCL_TIMEOUT", "nccl", False, False),
        ("UCX_TLS", "ucx", True, False),
        ("UCX_CUDA_IPC_ENABLE_MNNVL", "ucx", True, False),
        ("UCX_MEMTYPE_REG_WHOLE", "ucx", False, False),
        ("DYN_TCP_REQUEST_TIMEOUT", "dynamo", True, False),
        ("TRTLLM_ANYTHING", "open", False, True),
        ("TLLM_LOG_LEVEL", "open", True, True),
    ],
)
def test_a_variable_is_known_or_not_in_its_world(name: str, owner: str, known: bool, is_open: bool) -> None:
    fact = variable(name)

    assert fact is not None
    assert (fact.owner, fact.known, fact.open) == (owner, known, is_open)


def test_a_misspelt_variable_has_close_names() -> None:
    fact = variable("NCCL_DEBUGG")

    assert fact is not None
    assert fact.close[0] == "NCCL_DEBUG"


def test_a_variable_without_a_prefix_is_known_where_an_engine_reads_it() -> None:
    fact = variable("AITER_SITUV2_A8W4")

    assert fact is not None
    assert fact.known
    assert variable("MY_OWN_VARIABLE") is None


def test_all_closed_worlds_are_there() -> None:
    closed = {prefix for world in worlds() if not world.open for prefix in world.prefixes}

    assert closed == {"VLLM_", "SGLANG_", "SGL_", "NCCL_", "UCX_", "DYN_"}


def test_nothing_is_read_until_it_is_asked_for() -> None:
    program = (
        "import reciplint.domain.catalogue as c, reciplint.domain.environment as e; "
        "print(c.catalogue.cache_info().currsize, e.worlds.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["0", "0"]
