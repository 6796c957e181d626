"""`schema` against an independent statement of the same rules, on seeded mutations."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import parity_samples as samples
import pytest
import statement
import yaml
from mutate import Mutation, mutations

from reciplint.domain.eras import Era, file_eras
from reciplint.domain.file_shapes import changelog_faults, runners_faults
from reciplint.domain.master_shape import Layout, dashed_entry, entry_faults

AUGUST = Layout(october=False, era=Era.SETTINGS)
PATH = Layout(october=True, era=Era.PATH)
FOLDER = Layout(october=True, era=Era.FOLDER)
STATEMENTS = {
    AUGUST: statement.Statement(october=False),
    PATH: statement.Statement(october=True),
    FOLDER: statement.Statement(october=True, folder=True),
}
EACH = 300

MASTERS = [
    pytest.param(layout, sample, seed, id=f"{layout.schema}-{layout.era.value}-{name}")
    for seed, (layout, group) in enumerate(
        ((AUGUST, samples.AUGUST), (PATH, samples.PATH_ERA), (FOLDER, samples.FOLDER_ERA))
    )
    for name, sample in group.items()
]


def master_accepts(layout: Layout, value: Any) -> bool:
    return not any(not fault.tolerated for fault in entry_faults(dashed_entry(value), layout))


def disagreements(cases: list[Mutation], ours: Callable[[Any], bool], theirs: Callable[[Any], bool]) -> list[str]:
    return [
        f"{case.done}: schema {'accepts' if ours(case.value) else 'refuses'}: {json.dumps(case.value)}"
        for case in cases
        if ours(case.value) != theirs(case.value)
    ]


@pytest.mark.parametrize(("layout", "sample", "seed"), MASTERS)
def test_masters(layout: Layout, sample: dict[str, Any], seed: int) -> None:
    assert master_accepts(layout, sample)
    assert STATEMENTS[layout].entry(sample)
    cases = mutations(sample, seed, EACH)
    assert not disagreements(cases, partial(master_accepts, layout), STATEMENTS[layout].entry)


@pytest.mark.parametrize(
    ("sample", "judge"),
    [(samples.RUNNERS_AUGUST, statement.runners_august), (samples.RUNNERS_OCTOBER, statement.runners_october)],
    ids=("august", "october"),
)
def test_runners(sample: dict[str, Any], judge: Callable[[Any], bool]) -> None:
    def accepts(value: Any) -> bool:
        return not any(not fault.tolerated for fault in runners_faults(value))

    assert accepts(sample)
    assert judge(sample)
    october = judge is statement.runners_october
    cases = [
        case for case in mutations(sample, 5, EACH) if ("clusters" in case.value) == october and "labels" in case.value
    ]
    assert not disagreements(cases, accepts, judge)


@pytest.mark.parametrize("sample", samples.CHANGELOG, ids=("append", "evals"))
def test_changelog(sample: dict[str, Any]) -> None:
    def accepts(value: Any) -> bool:
        return not any(not fault.tolerated for fault in changelog_faults([value]))

    assert accepts(sample)
    assert not disagreements(mutations(sample, 6, EACH), accepts, statement.changelog_entry)


@pytest.mark.corpus
@pytest.mark.parametrize("where", ["august", "october"])
def test_corpus_entries(where: str, request: pytest.FixtureRequest) -> None:
    for path in corpus_masters(where, request):
        root = yaml.load(path.read_bytes(), yaml.CSafeLoader)
        eras = file_eras(root)
        for seed, entry in enumerate(list(root.values())[::7]):
            layout = Layout(eras.is_october(eras.era(entry)), eras.era(entry))
            judge = STATEMENTS[layout].entry
            assert master_accepts(layout, entry)
            assert judge(entry)
            assert not disagreements(mutations(entry, seed, 40), partial(master_accepts, layout), judge)


def corpus_masters(where: str, request: pytest.FixtureRequest) -> list[Path]:
    if where == "october":
        folder: Path = request.getfixturevalue("corpus") / "october/inferencex-e2e/configs"
    else:
        folder = request.getfixturevalue("corpus_repo") / "configs"
    return sorted(folder.glob("*-master.yaml"))
