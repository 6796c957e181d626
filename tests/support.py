"""What tests share: a linter on files in memory, real git repositories, and the command line in a child process."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reciplint.engine.cache import Cache
from reciplint.engine.registry import Registered, all_rules
from reciplint.engine.run import Outcome, Request, run
from reciplint.engine.settings import SETTINGS_FILE, read_settings
from reciplint.repo.snapshot import Memory, Snapshot
from reciplint.rules.finding import Finding

Files = Mapping[str, str | bytes]

RULES: dict[str, Registered] = all_rules()
REVIEW_DATE = datetime.date(2026, 8, 20)
_IDENTITY = {
    "GIT_AUTHOR_NAME": "Robin",
    "GIT_AUTHOR_EMAIL": "robin@example.com",
    "GIT_COMMITTER_NAME": "Robin",
    "GIT_COMMITTER_EMAIL": "robin@example.com",
    "GIT_AUTHOR_DATE": "2026-08-20T12:00:00Z",
    "GIT_COMMITTER_DATE": "2026-08-20T12:00:00Z",
}


def encoded(files: Files) -> dict[str, bytes]:
    """Files as bytes."""
    return {path: data.encode() if isinstance(data, str) else data for path, data in files.items()}


def outcome(
    files: Files, base: Files | None = None, head: Snapshot | None = None, cache: Cache | None = None, **request: Any
) -> Outcome:
    """Run the engine in memory; `head` instead of `files` lints a snapshot that is already made."""
    data = encoded(files)
    request.setdefault("review_date", REVIEW_DATE)
    for name in ("select", "ignore"):
        if request.get(name) is not None:
            request[name] = frozenset(request[name])
    asked = Request(head=head or Memory(data), base=None if base is None else Memory(encoded(base)), **request)
    return run(asked, RULES, read_settings(data.get(SETTINGS_FILE), RULES), cache or Cache(None))


def lint(files: Files, base: Files | None = None, **request: Any) -> list[Finding]:
    """The findings on files in memory, against a base if one is given."""
    return [item.finding for item in outcome(files, base, **request).findings]


def brief(findings: list[Finding]) -> list[tuple[str, str, int]]:
    """Findings as rule, path and line."""
    return [(finding.rule, finding.path, finding.span.line) for finding in findings]


def git(directory: Path, *arguments: str) -> str:
    """Run git; its standard output."""
    done = subprocess.run(
        ["git", *arguments], cwd=directory, env={**os.environ, **_IDENTITY}, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def write(directory: Path, files: Files) -> None:
    """Write files below a directory."""
    for path, data in encoded(files).items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def commit(directory: Path, files: Files, message: str = "change") -> str:
    """Write files, commit everything; the commit's id."""
    write(directory, files)
    git(directory, "add", "-A")
    git(directory, "commit", "-q", "--allow-empty", "-m", message)
    return git(directory, "rev-parse", "HEAD")


def git_repo(directory: Path, files: Files | None = None) -> Path:
    """A new repository on branch main in `directory`, with one commit if there are files."""
    directory.mkdir(parents=True, exist_ok=True)
    git(directory, "init", "-q", "-b", "main")
    if files is not None:
        commit(directory, files, "first")
    return directory


def shut(path: Path) -> None:
    """Take every right to a file or directory away; skips the test where that does not keep this user out."""
    path.chmod(0)
    if os.access(path, os.R_OK):
        path.chmod(0o700)
        pytest.skip("this user may read anything")


@dataclass(frozen=True)
class Ran:
    """A command line that ran to its end; `peak_kib` is the most memory it held."""

    status: int
    out: str
    err: str
    peak_kib: int = 0

    @property
    def report(self) -> dict[str, Any]:
        """The JSON report on standard output."""
        value: dict[str, Any] = json.loads(self.out)
        return value

    @property
    def places(self) -> list[tuple[str, str, int]]:
        """Rule, path and line of each finding of the JSON report."""
        return [(item["rule"], item["path"], item["start"]["line"]) for item in self.report["findings"]]


_MEASURED = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "reciplint", *sys.argv[1:]])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(done.returncode)
"""


def reciplint(directory: Path, *arguments: str, stdin: bytes = b"", measured: bool = False, **environment: str) -> Ran:
    """Run the command line in a child process; with `measured`, tell how much memory it took (by one process more)."""
    done = subprocess.run(
        [sys.executable, *(("-c", _MEASURED) if measured else ("-m", "reciplint")), *arguments],
        cwd=directory,
        env={**os.environ, **environment},
        input=stdin,
        capture_output=True,
        check=False,
    )
    out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace").rstrip("\n")
    if not measured:
        return Ran(done.returncode, out, err)
    err, _, peak = err.rpartition("\n")
    return Ran(done.returncode, out, err, int(peak))


# Invented files: one small project of everything.

RECIPES = "benchmarks/multi_node/srt-slurm-recipes"
MASTER = "configs/nvidia-master.yaml"
RUNNERS = "configs/runners.yaml"
CHANGELOG = "perf-changelog.yaml"


def single(key: str = "finch-fp8-b200-vllm", *rows: str, runner: str = "b200", prefix: str = "finch") -> str:
    """A single-node key with one fixed sequence length."""
    listed = rows or ("{ tp: 4, conc-list: [8, 16] }",)
    return f"""\
{key}:
  image: vllm/vllm-openai:v0.11.0
  model: example/Finch
  model-prefix: {prefix}
  runner: {runner}
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
""" + "".join(f"      - {row}\n" for row in listed)


def multi(key: str = "finch-fp8-gb200-dynamo-vllm", *recipes: str, runner: str = "gb200") -> str:
    """A multi-node key of which each row runs a recipe by `CONFIG_FILE`."""
    rows = "".join(
        f"""\
      - conc-list: [{16 << index}]
        prefill:
          num-worker: 1
          tp: 4
          ep: 1
          dp-attn: false
          additional-settings:
          - "CONFIG_FILE={recipe}"
        decode: {{ num-worker: 1, tp: 4, ep: 1, dp-attn: false }}
"""
        for index, recipe in enumerate(recipes)
    )
    return f"""\
{key}:
  image: vllm/vllm-openai:v0.11.0
  model: example/Finch
  model-prefix: finch
  runner: {runner}
  precision: fp8
  framework: dynamo-vllm
  kv-p2p-transfer: nixl
  multinode: true
  disagg: true
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
{rows}"""


def recipe(name: str = "finch-disagg", flag: str = "max-num-seqs", value: object = 64) -> str:
    """A small vLLM recipe of schema 1."""
    return f"""\
name: {name}
model: {{ path: example/Finch, container: "vllm/vllm-openai:v0.11.0", precision: fp8 }}
resources: {{ gpu_type: gb200 }}
backend:
  type: vllm
  vllm_config:
    prefill:
      tensor-parallel-size: 4
    decode:
      tensor-parallel-size: 4
      {flag}: {value}
"""


def runners(*labels: str) -> str:
    """A runners file."""
    return "labels:\n" + "".join(f"  {label}: [{label}-node_0]\n" for label in labels or ("b200", "gb200"))


def changed(key: str, number: int = 1) -> str:
    """A changelog entry."""
    return f"""\
- config-keys:
  - {key}
  description:
  - "Measure {key}"
  pr-link: https://github.com/example/bench/pull/{number}
"""


def project(**replaced: str) -> dict[str, str]:
    """A project without a finding; `master`, `runners`, `changelog` replace its files."""
    files = {
        MASTER: single() + multi("finch-fp8-gb200-dynamo-vllm", "recipes/vllm/finch/disagg-1p1d-tp4.yaml"),
        RUNNERS: runners(),
        CHANGELOG: changed("finch-fp8-b200-vllm"),
        f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml": recipe(),
    }
    names = {"master": MASTER, "runners": RUNNERS, "changelog": CHANGELOG}
    return {**files, **{names[name]: text for name, text in replaced.items()}}
