"""`baseline`, `init` and the preset, as processes."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from reciplint.cli.setup_files import hook_lines, recognise, with_hook
from reciplint.repo.snapshot import Memory
from support import CHANGELOG, MASTER, Files, commit, encoded, git_repo, project, recipe, reciplint, single, write

BASELINE = ".reciplint-baseline.json"
WORKFLOW = ".github/workflows/reciplint.yml"
WARNING, ERROR = "x: 010\n", "x: 1\nx: 2\n"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return git_repo(tmp_path / "top", {**project(), "a.yaml": ERROR, "b.yaml": WARNING})


def accepted(top: Path) -> list[tuple[str, str, int]]:
    record = json.loads((top / BASELINE).read_text(encoding="utf-8"))
    return [(entry["rule"], entry["path"], entry["count"]) for entry in record["findings"]]


# ---- baseline


def test_baseline_accepts_what_stands_and_check_reports_what_is_new(top: Path) -> None:
    ran = reciplint(top, "baseline")
    assert ran.status == 0
    assert accepted(top) == [("duplicate-key", "a.yaml", 1), ("ambiguous-scalar", "b.yaml", 1)]
    assert ran.err.splitlines()[0] == f"reciplint: {BASELINE}: 1 error, 1 warning accepted"
    assert reciplint(top, "check").status == 1
    held = reciplint(top, "check", "--baseline", BASELINE, "--format", "json")
    assert held.status == 0
    assert held.report["counts"] == {"error": 0, "warning": 0, "info": 0, "suppressed": 0, "baselined": 2}
    write(top, {".reciplint.yaml": f"baseline: {BASELINE}\n", "c.yaml": ERROR})
    ran = reciplint(top, "check", "--format", "json")
    assert (ran.status, ran.places) == (1, [("duplicate-key", "c.yaml", 1)])


def test_shrink_takes_back_and_never_adds(top: Path) -> None:
    reciplint(top, "baseline")
    write(top, {"a.yaml": "x: 1\n", "c.yaml": ERROR, ".reciplint.yaml": f"baseline: {BASELINE}\n"})
    told = reciplint(top, "check")
    assert "reciplint: 1 entry of the baseline accepts more than there is: `reciplint baseline --shrink`" in told.err
    before = (top / BASELINE).read_bytes()
    checked = reciplint(top, "baseline", "--check")
    assert checked.status == 1
    assert "accepts more than there is of duplicate-key in a.yaml" in checked.err
    assert (top / BASELINE).read_bytes() == before
    assert reciplint(top, "baseline", "--shrink").status == 0
    assert accepted(top) == [("ambiguous-scalar", "b.yaml", 1)]
    assert reciplint(top, "baseline", "--check").status == 0
    assert reciplint(top, "check").status == 1
    assert reciplint(top, "check").err == ""


def test_the_file_is_the_same_bytes_twice(top: Path) -> None:
    reciplint(top, "baseline")
    first = (top / BASELINE).read_bytes()
    reciplint(top, "baseline", "--no-cache")
    assert (top / BASELINE).read_bytes() == first


def test_a_revision_is_judged_by_its_own_baseline(top: Path) -> None:
    reciplint(top, "baseline")
    commit(top, {".reciplint.yaml": f"baseline: {BASELINE}\n"})
    (top / BASELINE).unlink()
    assert reciplint(top, "check", "--head", "HEAD").status == 0
    ran = reciplint(top, "check")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"reciplint: {BASELINE}, the settings' baseline, is not there: `reciplint baseline` writes it"
    assert reciplint(top, "baseline").status == 0
    assert reciplint(top, "check").status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("baseline", "--shrink"), f"there is no {BASELINE}; `reciplint baseline` writes it"),
        (("baseline", "--check"), f"there is no {BASELINE}"),
        (("baseline", "--check", "--shrink"), "leave one of them out"),
        (("baseline", "--baseline", "../x.json"), "../x.json lies outside of"),
        (("check", "--baseline", "gone.json"), "'gone.json' does not exist"),
        (("check", "--baseline", "a.yaml"), "a.yaml is no JSON; write it anew with `reciplint baseline`"),
        (("baseline", "--baseline", "link.json"), "link.json is a link or no regular file"),
    ],
)
def test_what_baseline_refuses(top: Path, arguments: tuple[str, ...], message: str) -> None:
    (top / "link.json").symlink_to("a.yaml")
    ran = reciplint(top, *arguments)
    assert ran.status == 2
    assert message in ran.err
    assert (top / "a.yaml").read_text(encoding="utf-8") == ERROR


def test_the_changelog_alone_is_judged_by_the_baseline_too(top: Path) -> None:
    """The hook of the changelog: what `check` accepts, it does not refuse."""
    faulty = f"{project()[CHANGELOG]}- config-keys: [gone]\n"
    write(top, {CHANGELOG: faulty})
    assert reciplint(top, "changelog", "check").status == 1
    write(top, {".reciplint.yaml": f"baseline: {BASELINE}\n"})
    assert reciplint(top, "baseline").status == 0
    assert reciplint(top, "changelog", "check").status == 0
    write(top, {CHANGELOG: f"{faulty}- config-keys: [lost]\n"})
    ran = reciplint(top, "changelog", "check", "--format", "concise")
    assert ran.status == 1
    assert "entry 3: pr-link is missing here" in ran.out
    assert "entry 2" not in ran.out


def test_an_idle_ignore_is_said_when_asked(top: Path) -> None:
    write(top, {".reciplint.yaml": "ignores:\n- {fingerprint: 'ab12', reason: gone}\n"})
    assert reciplint(top, "check").err == ""
    assert "ignores: no finding has the fingerprint ab12" in reciplint(top, "check", "-v").err


def test_the_preset_can_be_given(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", {"b.yaml": WARNING})
    assert reciplint(top, "check").status == 0
    assert reciplint(top, "check", "--preset", "enforce").status == 1
    assert reciplint(top, "check", "--preset", "enforce", "--fail-on", "error").status == 0
    write(top, {".reciplint.yaml": "preset: enforce\n"})
    assert reciplint(top, "check").status == 1
    assert reciplint(top, "check", "--preset", "advise").status == 0


# ---- init


def files_of(top: Path) -> dict[str, bytes]:
    found = (path for path in top.rglob("*") if path.is_file() and ".git/" not in path.as_posix())
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in found}


def test_init_shows_and_writes_nothing_without_a_terminal(top: Path) -> None:
    before = files_of(top)
    ran = reciplint(top, "init")
    assert ran.status == 0
    for path in (".reciplint.yaml", ".pre-commit-config.yaml", WORKFLOW, BASELINE):
        assert f"--- /dev/null\n+++ b/{path}\n" in ran.out
    assert "recognised: inferencex, with a project at the top" in ran.err
    assert "the baseline accepts what stands: 1 error, 1 warning" in ran.err
    assert "nothing is written without a terminal to ask on: --yes" in ran.err
    assert files_of(top) == before


def test_after_init_check_passes_and_the_next_fault_fails(top: Path) -> None:
    assert reciplint(top, "init", "--yes").status == 0
    checked = reciplint(top, "check", "--preset", "enforce", "--format", "json")
    assert (checked.status, checked.report["counts"]["baselined"]) == (0, 2)
    assert yaml.safe_load((top / ".reciplint.yaml").read_text()) == {
        "profile": "inferencex",
        "preset": "advise",
        "baseline": BASELINE,
    }
    write(top, {MASTER: project()[MASTER] + single("finch-fp8-b100-vllm", runner="b100")})
    ran = reciplint(top, "check", "--format", "json")
    assert (ran.status, ran.places) == (1, [("unknown-runner", MASTER, 43)])
    again = reciplint(top, "init", "--yes")
    assert again.status == 0
    assert "nothing to write" in again.err


def on_terminal(top: Path, answer: bytes) -> str:
    """What `init` says to someone who answers on a terminal."""
    main, other = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "reciplint", "init"],
        cwd=top,
        stdin=other,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    os.close(other)
    os.write(main, answer)
    out, _ = done.communicate(timeout=60)
    os.close(main)
    assert done.returncode == 0
    return out.decode()


def test_init_asks_on_a_terminal(top: Path) -> None:
    assert "Write these 4 files? [y/N]" in on_terminal(top, b"n\n")
    assert not (top / ".reciplint.yaml").exists()
    assert f"reciplint: wrote {BASELINE}" in on_terminal(top, b"y\n")
    assert reciplint(top, "check").status == 0


def test_init_leaves_what_is_there(top: Path) -> None:
    there = {
        ".reciplint.yaml": "preset: enforce\nbaseline: known.json\n",
        ".pre-commit-config.yaml": "repos: [{repo: local, hooks: []}]\n",
        WORKFLOW: "name: mine\n",
    }
    write(top, there)
    ran = reciplint(top, "init", "--yes")
    assert ran.status == 0
    assert {path: data for path, data in files_of(top).items() if path in there} == encoded(there)
    assert "add this under `repos:` yourself:\n  - repo: https://github.com/reciplint/reciplint\n" in ran.err
    assert (top / "known.json").exists()
    assert reciplint(top, "check").status == 0


def test_init_without_git(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": ERROR})
    ran = reciplint(tmp_path, "init", "--yes")
    assert "no known layout here: only the YAML rules will speak" in ran.err
    assert reciplint(tmp_path, "check").status == 0


@pytest.mark.corpus
def test_init_on_the_corpus(corpus_repo: Path, tmp_path: Path) -> None:
    top = tmp_path / "top"
    subprocess.run(["git", "clone", "-q", str(corpus_repo), str(top)], check=True)
    assert reciplint(top, "init", "--yes").status == 0
    checked = reciplint(top, "check", "--preset", "enforce", "--format", "json")
    assert checked.status == 0
    assert checked.report["counts"]["baselined"] > 0
    master = "configs/nvidia-master.yaml"
    text = (top / master).read_text(encoding="utf-8")
    write(top, {master: text.replace("runner: b200", "runner: b20", 1)})
    ran = reciplint(top, "check", "--format", "json")
    assert ran.status == 1
    assert ("unknown-runner", master) in [place[:2] for place in ran.places]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (project(), "inferencex, with a project at the top"),
        (
            {f"{root}/{path}": text for root in ("a", "b/c") for path, text in project().items()},
            "inferencex, with projects at a, b/c",
        ),
        (
            {"recipes/x.yaml": recipe(), ".github/workflows/ci.yml": "on: push\n"},
            "srt-slurm, with a project at the top",
        ),
        ({"taxonomy.yaml": "a: 1\n", "models/org/m.yaml": "a: 1\n"}, "vllm-recipes, with a project at the top"),
        ({"a.yaml": "x: 1\n", "d/a.yaml": "x: 1\n"}, None),
        ({}, None),
    ],
)
def test_recognised(files: Files, told: str | None) -> None:
    found = recognise(Memory(encoded(files)))
    assert (found.told if found else None) == told


# ---- the pre-commit entry

HOOK = {"repo": "https://github.com/reciplint/reciplint", "rev": "v0.1.0", "hooks": [{"id": "reciplint"}]}


@pytest.mark.parametrize(
    "before",
    [
        "repos:\n- repo: https://x.org/a\n  rev: v1\n  hooks:\n  - id: a\n",
        "# ours\nrepos:\n  - repo: https://x.org/a\n    rev: v1\n    hooks:\n      - id: a",
        "fail_fast: true\r\nrepos:\r\n  -   repo: local\r\n      hooks: []\r\n",
        "repos:\n    - repo: local\n      hooks: []\n# the end\n",
    ],
)
def test_an_entry_is_appended_without_moving_a_byte(before: str) -> None:
    after = with_hook(before.encode())
    assert after is not None
    assert after.startswith(before.encode())
    assert after.count(b"\r\n") == (after.count(b"\n") if "\r" in before else 0)
    old, new = yaml.safe_load(before), yaml.safe_load(after)
    assert new == {**old, "repos": [*old["repos"], HOOK]}


@pytest.mark.parametrize(
    "before",
    [
        b"repos: []\n",
        b"repos:\n- repo: local\n  hooks: []\nfail_fast: true\n",
        b"repos: [{repo: local, hooks: []}]\n",
        b"repos:\n- repo: local\n  hooks: []\n...\n",
        b"repos:\n- repo: local\n  hooks: [\n",
        b"\xff",
        b"",
        b"- repo: local\n",
        b"repos:\n- repo: local\n  hooks:\n  - id: x\n    entry: |\n      - repo: y",
    ],
)
def test_an_entry_that_would_move_something_is_not_appended(before: bytes) -> None:
    after = with_hook(before)
    if after is not None:
        assert after.startswith(before)
        assert yaml.safe_load(after)["repos"] == [*yaml.safe_load(before)["repos"], HOOK]


@given(st.text("repos:- \nxlocal#[]{}", max_size=60))
def test_whatever_stands_is_kept_or_refused(text: str) -> None:
    after = with_hook(text.encode())
    if after is not None:
        assert after.startswith(text.encode())
        assert yaml.safe_load(after)["repos"] == [*yaml.safe_load(text)["repos"], HOOK]


def test_a_new_file_holds_the_hook_alone() -> None:
    assert yaml.safe_load(with_hook(None) or b"") == {"repos": [HOOK]}
    assert hook_lines()[0].startswith("- repo:")
