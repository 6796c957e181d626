"""Eras are told by content, per entry; older files are recognised and left alone."""

from __future__ import annotations

from typing import Any

import pytest

from reciplint.domain.eras import Era, entry_era, file_eras


def entry(row: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    row = {"tp": 8, "conc-list": [1], **(row or {})}
    return {"framework": "vllm", **more, "scenarios": {"fixed-seq-len": [{"isl": 1, "osl": 1, "search-space": [row]}]}}


SETTINGS = entry({"prefill": {"additional-settings": ["CONFIG_FILE=recipes/a.yaml"]}})
PATH = entry({"srt-recipe": "recipes/a.yaml:base"})
FOLDER = entry({"srt-recipe": "a.yaml"}, **{"srt-recipe-dir": "tiny/vllm"})
SILENT = entry()


@pytest.mark.parametrize(
    ("value", "era"),
    [
        (SETTINGS, Era.SETTINGS),
        (PATH, Era.PATH),
        (entry({"srt-recipe": "benchmarks/single_node/srt-slurm-recipes/a.yaml"}), Era.PATH),
        (FOLDER, Era.FOLDER),
        (entry({"srt-recipe": "a.yaml"}), Era.FOLDER),  # relative, so its folder is what is missing
        (SILENT, None),
        ({**SETTINGS, "framework": "llmd-vllm"}, None),  # llm-d names recipes so in every era
        (None, None),
        ({"scenarios": [1, 2]}, None),
        (entry({"prefill": 3}), None),
    ],
)
def test_an_entry_tells_its_own_era(value: Any, era: Era | None) -> None:
    assert entry_era(value) is era


def test_a_silent_entry_follows_the_majority() -> None:
    eras = file_eras({"a": FOLDER, "b": FOLDER, "c": PATH, "d": SILENT, "e": SETTINGS})
    assert eras.majority is Era.FOLDER
    assert [eras.era(value) for value in (SILENT, PATH, SETTINGS)] == [Era.FOLDER, Era.PATH, Era.SETTINGS]
    assert eras.is_october(Era.SETTINGS)  # it stands in an October file
    assert file_eras({"a": SILENT}).majority is Era.SETTINGS
    assert not file_eras({"a": SILENT, "b": SETTINGS}).is_october(Era.SETTINGS)


def test_aggregate_rows_are_octobers_even_with_config_file() -> None:
    aggregate = entry({"worker": {"additional-settings": ["CONFIG_FILE=recipes/a.yaml"]}, "num-nodes": 2})
    eras = file_eras({"a": aggregate, "b": SETTINGS})
    assert eras.majority is Era.SETTINGS
    assert eras.is_october(Era.SETTINGS)
    assert not file_eras({"a": entry({"worker": {}}), "b": SETTINGS}).is_october(Era.SETTINGS)  # a stray key is a fault


def test_files_older_than_the_oldest_layout_are_undescribed() -> None:
    assert file_eras({"a": SETTINGS}, ".github/configs/nvidia-master.yaml").majority is Era.UNDESCRIBED
    assert file_eras({"a": {"seq-len-configs": []}, "b": {"seq-len-configs": []}}).majority is Era.UNDESCRIBED
    disaggregated = entry(disagg=True)
    before_transfer = dict.fromkeys("abc", disaggregated)
    assert file_eras(before_transfer).majority is Era.UNDESCRIBED
    assert file_eras(before_transfer).era(FOLDER) is Era.UNDESCRIBED
    named = {**before_transfer, "d": entry(disagg=True, router={"name": "r", "version": "1"})}
    assert file_eras(named).majority is Era.SETTINGS
    assert file_eras({"a": disaggregated}).majority is Era.SETTINGS  # one entry that forgets it is a fault


@pytest.mark.parametrize("root", [None, [], "text", {}, {"a": None}])
def test_any_root_has_eras(root: Any) -> None:
    assert file_eras(root).majority is Era.SETTINGS
