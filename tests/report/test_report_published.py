"""SARIF, GitLab's code quality and JUnit, held against the schemas that others publish."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from published import gitlab_faults, junit_faults, sarif_faults
from report_samples import CLEAN, COMPARED, FULL, PLAIN, SOURCES

from reciplint.report import renderer

ROOT = Path(__file__).parents[2]
SAMPLES = {"full": FULL, "compared": COMPARED, "clean": CLEAN}


def texts(name: str) -> list[str]:
    """What the format makes of invented reports, and of a real run with findings of many rules."""
    run = subprocess.run(
        [sys.executable, "-m", "reciplint", "check", "fixtures/tour", "--no-cache", "--format", name],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1, run.stderr
    return [*(renderer(name)(report, SOURCES, PLAIN) for report in SAMPLES.values()), run.stdout]


@pytest.fixture
def kept(pytestconfig: pytest.Config) -> Path:
    """Where the schema of JUnit XML stays between runs."""
    assert pytestconfig.cache is not None
    return pytestconfig.cache.mkdir("schemas")


def test_sarif_keeps_the_schema_of_oasis() -> None:
    assert [sarif_faults(text) for text in texts("sarif")] == [[]] * 4


def test_gitlab_keeps_the_format_of_its_documentation() -> None:
    assert [gitlab_faults(text) for text in texts("gitlab")] == [[]] * 4


def test_junit_keeps_the_schema_of_jenkins(kept: Path) -> None:
    assert [junit_faults(text, kept) for text in texts("junit")] == [[]] * 4


def test_these_schemas_refuse_what_is_wrong(kept: Path) -> None:
    sarif = json.loads(renderer("sarif")(FULL, SOURCES, PLAIN))
    sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert sarif_faults(json.dumps(sarif)) == ["0 is less than the minimum of 1"]
    issues = json.loads(renderer("gitlab")(FULL, SOURCES, PLAIN))
    del issues[0]["fingerprint"]
    assert gitlab_faults(json.dumps(issues)) == ["'fingerprint' is a required property"]
    suite = renderer("junit")(FULL, SOURCES, PLAIN).replace('<testsuite name="reciplint" ', "<testsuite ")
    assert junit_faults(suite, kept) == ["missing required attribute 'name'"]
