"""What the documentation shows is what the code does."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from reciplint.engine.registry import all_rules
from reciplint.engine.settings import read_settings

TOP = Path(__file__).resolve().parent.parent
README = (TOP / "README.md").read_text(encoding="utf-8")


def _tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, TOP / f"tools/docs/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _reciplint(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "reciplint", *arguments],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"},
    )


def _fences(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_rule_pages_are_current() -> None:
    assert _tool("rule_pages").stale() == [], "run tools/docs/rule_pages.py"


def test_the_index_of_the_rules_is_current() -> None:
    tool = _tool("rule_index")
    assert tool.INDEX.read_bytes() == tool.index(), "run tools/docs/rule_index.py"
    assert tool.made_file().read_bytes() == tool.made_table(), "run tools/docs/rule_index.py"


def test_the_report_of_the_readme_is_real() -> None:
    """The report in the README is what its command prints."""
    tool = _tool("readme_report")
    shown = tool.BLOCK.search(README)
    files = re.compile(r"\bin \d+ files$", re.MULTILINE)  # of this whole repository
    assert files.sub("", tool.report(shown["command"])) == files.sub("", shown["report"]), (
        "run tools/docs/readme_report.py"
    )


def test_the_gate_runs_the_readmes_test_command() -> None:
    """`.ci/run` does what the README says, word for word, in a virtual environment of its own."""
    tests = [line for line in _fences(README, "sh") if "pytest" in line]
    assert len(tests) == 1
    gate = (TOP / ".ci/run").read_text(encoding="utf-8").replace('"$work/venv', ".venv").replace('"', "")
    assert [step for step in tests[0].strip().split(" && ") if step not in gate] == []


@pytest.mark.parametrize("file", ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/dependencies.md"])
def test_links_lead_somewhere(file: str) -> None:
    page = TOP / file
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{file} links to {target}"


def test_every_dependency_has_its_reason() -> None:
    project = (TOP / "pyproject.toml").read_text(encoding="utf-8")
    lists = re.findall(r"^(?:dependencies|docs|test) = \[\n(.*?)^\]", project, re.MULTILINE | re.DOTALL)
    names = [name for part in lists for name in re.findall(r'^\s*"([A-Za-z0-9_.-]+)', part, re.MULTILINE)]
    reasons = (TOP / "docs/dependencies.md").read_text(encoding="utf-8")
    assert len(lists) == 3
    assert [name for name in names if name != "reciplint" and f"`{name}`" not in reasons] == []


def test_the_settings_of_the_readme_are_valid() -> None:
    block = next(block for block in _fences(README, "yaml") if block.startswith("preset:"))
    settings = read_settings(block.encode(), all_rules())
    assert settings.fail_on == "warning"
    assert settings.is_off("unused-runner-label")


GROUPS = ("changelog",)
"""Commands that have commands of their own."""


def test_every_command_of_the_readme_exists() -> None:
    """Also its options: none is promised that `--help` does not list."""
    for line in re.findall(r"`(reciplint [^`]+)`", README):
        command, *words = line.split()[1:]
        inner = words[:1] if command in GROUPS else []
        shown = _reciplint(command, *inner, "--help")
        assert [word for word in words if word.startswith("--") and word not in shown.stdout] == [], line
