"""Imports point down only, a run imports only what it needs, and no module outgrows its reader."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import reciplint
from support import git_repo, project

HOME = Path(reciplint.__file__).parent
MODULES = sorted(HOME.rglob("*.py"))

BELOW: dict[str, frozenset[str]] = {
    "yamltree": frozenset(),
    "repo": frozenset(),
    "domain": frozenset({"yamltree", "repo"}),
    "rules": frozenset({"yamltree", "repo", "domain"}),
    "engine": frozenset({"yamltree", "repo", "domain", "rules"}),
    "fix": frozenset({"yamltree", "repo", "domain", "rules"}),
    "report": frozenset({"yamltree", "rules"}),
    "bot": frozenset({"yamltree", "rules", "report"}),
    "cli": frozenset({"yamltree", "repo", "domain", "rules", "engine", "fix", "report", "bot"}),
    "__main__": frozenset({"cli"}),
    "__init__": frozenset(),
}
"""What each room may import, besides itself and the version."""

LONGEST = 400

by_module = pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(HOME).as_posix())


def imported(module: Path) -> Iterator[tuple[str, str, int]]:
    """What a module imports from reciplint, wherever in the file, with the name taken from it and the line."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "reciplint":
                    yield alias.name, "", node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno} imports relatively"
            if (node.module or "").split(".")[0] == "reciplint":
                for alias in node.names:
                    yield node.module or "", alias.name, node.lineno


@by_module
def test_imports_point_down_only(module: Path) -> None:
    room = module.relative_to(HOME).parts[0].removesuffix(".py")
    allowed = BELOW[room] | {room}
    for name, taken, line in imported(module):
        parts = name.split(".")
        target = parts[1] if len(parts) > 1 else taken
        if target not in ("", "__version__"):
            assert target in allowed, f"{module.relative_to(HOME)}:{line} imports {name}"


@by_module
def test_no_module_is_too_long(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= LONGEST


@by_module
def test_every_module_says_what_it_is_for(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))


def test_rules_import_no_other_rule() -> None:
    """Each stands alone: what two share belongs to the domain."""
    shared = {"reciplint.rules.rule", "reciplint.rules.finding", "reciplint.rules.flag_finding"}
    for module in (HOME / "rules").glob("*/*.py"):
        names = {name for name, _, _ in imported(module) if name.startswith("reciplint.rules")}
        assert names <= shared, module


def test_git_is_run_in_one_place() -> None:
    runs = {
        module.relative_to(HOME).as_posix() for module in MODULES if "subprocess" in module.read_text(encoding="utf-8")
    }
    assert runs == {"repo/git.py"}


_LOADED = """
import os, sys
sys.argv = ["reciplint", *sys.argv[1:]]
from reciplint.__main__ import main
os._exit = sys.exit
try:
    status = main()
except SystemExit as leaving:
    status = leaving.code
print(status, *sorted(sys.modules), file=sys.stderr)
"""


def loaded(directory: Path, *arguments: str) -> tuple[int, set[str]]:
    """The exit status of a command line, and the modules that it left in memory."""
    done = subprocess.run(
        [sys.executable, "-c", _LOADED, *arguments], cwd=directory, capture_output=True, text=True, check=True
    )
    status, *modules = done.stderr.splitlines()[-1].split()
    return int(status), {name.split(".")[0] for name in modules}


HEAVY = {"github", "requests", "deepdiff", "jsonschema", "markdown_it", "ruamel", "sarif", "pydantic"}


def test_the_version_is_told_without_importing_anything(tmp_path: Path) -> None:
    status, modules = loaded(tmp_path, "--version")
    assert status == 0
    assert modules & {"click", "yaml", "msgspec", "jsonschema_rs", "platformdirs", *HEAVY} == set()


def test_a_clean_check_stays_lean_and_one_from_the_cache_does_not_even_parse(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", project())
    status, modules = loaded(top, "check")
    assert status == 0
    assert modules & HEAVY == set()
    status, modules = loaded(top, "check")
    assert status == 0
    assert modules & {"yaml", "jsonschema_rs", *HEAVY} == set()
