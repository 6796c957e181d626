"""Fixtures for all tests: the shared corpus where it is at hand, and a cache of their own."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("reciplint", deadline=None)  # a busy machine is no fault of the code
settings.load_profile("reciplint")

CORPUS = Path(__file__).resolve().parent.parent.parent / "shared" / "corpus"
ALL_BRANCHES = "+refs/heads/*:refs/remotes/origin/*"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the cache of whoever runs the tests (and git reads none of their settings)."""
    monkeypatch.setenv("RECIPLINT_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "reciplint-cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The shared corpus; tests that ask for it carry `@pytest.mark.corpus`."""
    if not CORPUS.is_dir():
        pytest.skip(f"the shared corpus is not at {CORPUS}")
    return CORPUS


@pytest.fixture(scope="session")
def october(corpus: Path) -> Path:
    """The corpus's excerpt of the later layout: a plain directory, under no version control."""
    return corpus / "october"


@pytest.fixture(scope="session")
def corpus_repo(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of the corpus's bundle with every branch under `origin/`: read it, never change it.

    The workers of one run share one clone; the first that holds the lock makes it.
    """
    base = tmp_path_factory.getbasetemp()
    home = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    clone = home / "inferencex"
    with (home / "inferencex.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not clone.is_dir():
            new = home / "inferencex.new"
            bundle = str(corpus / "inferencex.bundle")
            subprocess.run(["git", "clone", "-q", "-b", "main", bundle, str(new)], check=True)
            subprocess.run(["git", "fetch", "-q", "origin", ALL_BRANCHES], cwd=new, check=True)
            new.rename(clone)
    return clone
