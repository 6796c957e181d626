"""The catalogues' extraction, on invented releases; and the form of the catalogues that ship."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from engine_sources import DYNAMO, PROSE, SGLANG_1, SGLANG_2, VLLM_1, VLLM_2, sdist, wheel

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP))

from tools.catalogues import __main__ as command  # noqa: E402
from tools.catalogues import build as building  # noqa: E402  (the tools are no installed package)
from tools.catalogues import listings  # noqa: E402
from tools.catalogues.archive import order, releases  # noqa: E402
from tools.catalogues.build import build, dumped  # noqa: E402
from tools.catalogues.download import download  # noqa: E402
from tools.catalogues.environment import strings  # noqa: E402
from tools.catalogues.forms import Form  # noqa: E402
from tools.catalogues.merge import Timeline  # noqa: E402

SHIPPED = sorted([*(TOP / "schemas/engines").glob("*.json"), *(TOP / "schemas/env").glob("*.json")])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where catalogues are written: an empty folder."""
    monkeypatch.setattr(building, "HOME", tmp_path / "schemas")
    return tmp_path / "schemas"


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    """A folder of releases: two of vLLM, two of SGLang, one of Dynamo with its runtime."""
    made = tmp_path / "releases"
    made.mkdir()
    sdist(made, "vllm", "1.0.0", VLLM_1)
    sdist(made, "vllm", "1.1.0", VLLM_2)
    wheel(made, "sglang", "0.9.9", SGLANG_1)
    wheel(made, "sglang", "0.10.0.post1", SGLANG_2)
    wheel(made, "ai_dynamo", "1.0.0", DYNAMO)
    wheel(made, "ai_dynamo_runtime", "1.0.0", {"dynamo/_core.so": b"\0DYN_LOGDYN_TCP_PORTI\0"})
    return made


def read(made: dict[str, str], name: str) -> dict[str, Any]:
    return dict(json.loads(made[name]))


def test_vllm_flags_have_their_kinds_and_releases(folder: Path) -> None:
    made = read(build(folder), "engines/vllm.json")

    assert made["versions"] == ["1.0.0", "1.1.0"]
    assert made["flags"] == {
        "--allowed-origins": {"kind": "json"},
        "--compilation-config": {"kind": "json", "config": "CompilationConfig", "aliases": {"-cc": []}},
        "--data-parallel-rank": {"kind": "int", "aliases": {"-dpn": []}},
        "--enforce-eager": {
            "kind": "bool",
            "default": True,
            "was": [{"until": "1.0.0", "kind": "bool", "default": False}],
        },
        "--headless": {"kind": "switch", "default": False},
        "--host": {"kind": "str", "nullable": True},
        "--kv-cache-dtype": {"kind": "enum", "closed": True, "choices": {"auto": [], "fp8": [], "nvfp4": ["1.1.0"]}},
        "--log-requests": {"kind": "bool", "default": False},
        "--max-num-batched-tokens": {"kind": "int", "nullable": True, "units": True, "span": ["1.1.0"]},
        "--moe-backend": {"kind": "named", "closed": True, "choices": {"fast": [], "slow_one": []}, "span": ["1.1.0"]},
        "--old-way": {"kind": "switch", "default": False, "deprecated": "1.0.0", "span": [None, "1.0.0"]},
        "--tensor-parallel-size": {"kind": "int", "aliases": {"-tp": []}},
    }


@pytest.mark.parametrize(
    "spelled",
    [
        'human_readable = {"max_num_batched_tokens"}',
        'units = name in ("max_num_batched_tokens", "kv_cache_memory_bytes")',
        'if name in {"max_num_batched_tokens"}: ...',
    ],
)
def test_vllm_numbers_with_units_are_known_however_their_names_are_listed(
    tmp_path: Path, home: Path, spelled: str
) -> None:
    """vLLM had a set up to 0.13, a tuple up to 0.25.1, and has had a set again since."""
    code = VLLM_2["vllm/engine/arg_utils.py"].replace('human_readable = {"max_num_batched_tokens"}', spelled)
    assert spelled in code
    sdist(tmp_path, "vllm", "1.1.0", {**VLLM_2, "vllm/engine/arg_utils.py": code})

    flags = read(build(tmp_path), "engines/vllm.json")["flags"]

    assert flags["--max-num-batched-tokens"]["units"] is True
    assert "units" not in flags["--tensor-parallel-size"]


def test_vllm_json_keys_and_registries(folder: Path) -> None:
    made = read(build(folder), "engines/vllm.json")

    assert made["configs"] == {
        "CompilationConfig": {
            "inductor": {"kind": "json"},
            "level": {"kind": "int"},
            "pass_config": {"kind": "json", "config": "PassConfig"},
        },
        "PassConfig": {"fuse_norm": {"kind": "bool", "nullable": True}},
    }
    assert made["registries"]["attention"] == {"FLASH": [], "OLD": []}
    assert made["registries"]["kv-connector"] == {"PipeConnector": []}


def test_environment_names_are_those_that_are_read(folder: Path) -> None:
    made = read(build(folder), "env/vllm.json")

    assert made["names"] == {
        "Q_SCALE": [None, "1.0.0"],
        "VLLM_GONE": [None, "1.0.0"],
        "VLLM_LAYER_ALGO": [],
        "VLLM_PORT": [],
    }
    assert made["families"] == ["VLLM_CACHE_"]


def test_sglang_calls_and_annotated_fields_are_one_catalogue(folder: Path) -> None:
    flags = read(build(folder), "engines/sglang.json")["flags"]

    assert flags["--tp-size"] == {"kind": "int", "aliases": {"--tensor-parallel-size": []}}
    assert flags["--attention-backend"]["choices"] == {"fa3": [], "fa4": ["0.10.0.post1"], "triton": []}
    assert flags["--tool-parser"]["choices"] == {"auto": [], "llama": [], "qwen": []}
    assert flags["--lora-paths"] == {"kind": "list", "element": "str", "span": [None, "0.9.9"]}
    assert flags["--hybrid-ratio"]["kind"] == "switch"
    assert flags["--split"]["choices"] == {"interleave": [], "zigzag": []}
    assert flags["--overlap"]["kind"] == "switch"
    assert flags["--sharing"]["kind"] == "bool"
    assert flags["--labels"]["kind"] == "json"
    assert flags["--enable-dp"]["replacement"] == "--attn-dp-size <n>"
    assert not {"--resolved", "--plain"} & set(flags)


def test_dynamo_flags_tell_their_variable_and_their_components(folder: Path) -> None:
    made = build(folder)
    flags = read(made, "engines/dynamo.json")["flags"]

    assert flags["--router-mode"]["parts"] == ["frontend", "vllm"]
    assert flags["--kv-events"] == {"kind": "bool", "default": True, "env": "DYN_KV_EVENTS", "parts": ["frontend"]}
    assert flags["--migration-limit"]["kind"] == "int"
    assert "--only-in-a-test" not in flags
    assert read(made, "env/dynamo.json")["stems"] == ["DYN_LOG", "DYN_TCP_PORTI"]


def test_a_second_run_gives_the_same_bytes(folder: Path) -> None:
    assert build(folder) == build(folder)


def test_adding_a_release_comes_to_what_reading_all_does(folder: Path, home: Path, tmp_path: Path) -> None:
    whole = build(folder)
    for newest in ("vllm-1.1.0.tar.gz", "sglang-0.10.0.post1-py3-none-any.whl"):
        (folder / newest).rename(tmp_path / newest)
    for name, text in build(folder, anew=True).items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    only = tmp_path / "only"
    only.mkdir()
    for newest in ("vllm-1.1.0.tar.gz", "sglang-0.10.0.post1-py3-none-any.whl"):
        (tmp_path / newest).rename(only / newest)

    added = build(only)

    assert added == {name: text for name, text in whole.items() if "dynamo" not in name}


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["catalogues", *words])
    return command.main()


def test_check_says_what_a_build_would_change(
    folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "HOME", home)

    assert run(monkeypatch, "check", str(folder)) == 1
    assert run(monkeypatch, "build", str(folder)) == 0
    capsys.readouterr()
    assert run(monkeypatch, "check", str(folder)) == 0
    assert capsys.readouterr().out == "nothing to change in 6 catalogues\n"
    (home / "engines/vllm.json").write_text("{}", encoding="utf-8")
    assert run(monkeypatch, "check", "--anew", str(folder)) == 1
    assert "differs schemas/engines/vllm.json" in capsys.readouterr().out


def test_a_release_to_fetch_needs_a_version(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="vllm: give a version"):
        download(tmp_path, ["vllm"])


def test_no_prose_is_kept(folder: Path) -> None:
    assert not [name for name, text in build(folder).items() if PROSE in text]


def test_a_name_that_comes_back_is_told() -> None:
    timeline = Timeline(["1", "2", "3"])

    assert timeline.span("--x", [True, False, True]) == []
    assert timeline.gaps == ["--x"]


def test_a_renamed_flag_has_its_new_name_only_where_a_release_has_it() -> None:
    old, both = Form("int"), Form("int", aliases=("--old",))

    made = Timeline(["1", "2", "3"]).records("", [{"--old": old}, {"--new": both}, {"--new": both}])

    assert made == {"--new": {"kind": "int", "aliases": {"--old": []}, "spelled": ["2"]}}


def test_releases_are_ordered_and_candidates_left_out(tmp_path: Path) -> None:
    for version in ("0.5.10", "0.5.9", "0.5.9.post1", "0.6.0rc1"):
        wheel(tmp_path, "sglang", version, {})

    assert [release.version for release in releases(tmp_path, "sglang")] == ["0.5.9", "0.5.9.post1", "0.5.10"]
    with pytest.raises(ValueError, match="nightly"):
        order("nightly")


def test_strings_of_a_library_are_split_where_the_next_begins() -> None:
    assert list(strings(b"xDYN_ONEDYN_TWO\0", "DYN_")) == ["DYN_ONE", "DYN_TWO"]


def test_a_listing_gives_whole_names(tmp_path: Path) -> None:
    text = tmp_path / "names.txt"
    text.write_text("UCX_TLS=all\n# see UCX_NET_DEVICES and UCX_\n")

    assert listings.variables("ucx", "UCX_", [text])["names"] == {"UCX_NET_DEVICES": [], "UCX_TLS": []}


def test_tables_of_ucx_give_options_and_prefixes(tmp_path: Path) -> None:
    (tmp_path / "md.c").write_text('{"ENABLE_X", "try",\n "…"},\n.prefix = "CUDA_IPC_",\n{"TCP_", "", NULL,')

    assert listings.ucx_tables(tmp_path) == {"options": ["ENABLE_X"], "tables": ["CUDA_IPC_", "TCP_"]}


def test_an_open_catalogue_nests_dotted_names_and_marks_what_is_only_seen() -> None:
    known = {"kv_config.dtype": {"kind": "enum", "choices": ["fp8", "auto"]}, "kv_config.sizes.max": {"kind": "int"}}

    made = listings.opened("some", known, ["kv_config", "kv_config.other", "top"])

    assert made["open"] is True
    assert made["flags"] == {
        "--kv-config": {"kind": "json", "config": "kv_config", "seen": True},
        "--top": {"kind": "any", "seen": True},
    }
    assert made["configs"] == {
        "kv_config": {
            "dtype": {"kind": "enum", "closed": True, "choices": {"auto": [], "fp8": []}},
            "other": {"kind": "any", "seen": True},
            "sizes": {"kind": "json", "config": "kv_config.sizes"},
        },
        "kv_config.sizes": {"max": {"kind": "int"}},
    }


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_shipped_catalogue_has_the_form_that_a_run_writes(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert dumped(json.loads(text)) == text


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_shipped_catalogue_holds_no_prose(path: Path) -> None:
    stack: list[object] = [json.loads(path.read_text(encoding="utf-8"))]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            assert node.count(" ") < 3, node
        elif isinstance(node, dict):
            stack += [*node, *node.values()]
        elif isinstance(node, list):
            stack += node
