"""Hostile text on the command line's own ways out: tables, differences, and every message on standard error."""

from __future__ import annotations

import contextlib
import gc
import io
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hostile import (
    BASE,
    TEXT,
    ChangeOfFiles,
    assert_harmless,
    assert_only_ours,
    changes,
    commands,
    compared,
    quoted,
    read_gfm,
)
from reciplint.cli import _COMMANDS as COMMAND_NAMES
from reciplint.cli import diff_json, diff_markdown, diff_text, run
from support import MASTER, commit, git, git_repo, project, reciplint, single, write

DIFF = {
    "p", "strong", "sub", "h3", "table", "thead", "tbody", "tr", "th", "td", "code", "details", "summary", "ul", "li",
    "br",
}  # fmt: skip
TITLES = {
    "Not covered by a changelog entry", "Changed keys", "Added keys", "Removed keys", "Recipes",
    "Added changelog entries", "Who may sign", "Cost of a full sweep",
}  # fmt: skip


@given(changes())
@settings(max_examples=50)
def test_a_difference_shows_hostile_text(change: ChangeOfFiles) -> None:
    diff = compared(change)
    text = diff_text.render(diff, BASE, None)
    assert_harmless(text)
    assert commands(text) == []
    written = diff_json.render(diff, BASE, None)
    assert_harmless(written)
    msgspec.json.decode(written)
    page = read_gfm(diff_markdown.render(diff, BASE, None))
    assert_only_ours(page, DIFF, ())
    assert page.comments == []
    assert {len(row) for row in page.rows} <= {3, 4, 5}
    assert set(page.headings) <= TITLES


def told(top: Path, *arguments: str) -> tuple[int, str]:
    """The exit status of a command run in this process, and all that it printed, as on a terminal."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with (
        contextlib.chdir(top),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
        patch("reciplint.cli.patching._is_read", return_value=True),
    ):
        status = run(list(arguments))
    gc.enable()
    out.flush()
    return status, out.buffer.getvalue().decode("utf-8")


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("check", "--no-cache"),
    ("check", "--no-cache", "--format=json"),
    ("matrix", "--no-cache"),
    ("matrix", "--no-cache", "--format=csv"),
    ("matrix", "--no-cache", "--format=json"),
    ("fix", "--no-cache", "--diff", "--unsafe"),
    ("fix", "--no-cache", "--diff", "--suppress", "schema,ambiguous-scalar", "--reason", "tried"),
    ("changelog", "check", "--no-cache"),
    ("baseline", "--no-cache"),
    ("settings",),
)
ASKING: tuple[tuple[str, ...], ...] = (
    ("matrix", "--no-cache", "--"),
    ("matrix", "--no-cache", "--runner"),
    ("check", "--no-cache", "--"),
    ("check", "--no-cache", "--select"),
    ("check", "--no-cache", "--config"),
    ("check", "--no-cache", "--output"),
    ("check", "--no-cache", "--base"),
    ("diff", "--no-cache", "--"),
    ("explain", "--"),
    ("schema", "--"),
    ("--",),
)


@given(changes(), st.sampled_from(ASKING), TEXT.filter(lambda text: "\0" not in text and text not in COMMAND_NAMES))
@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
def test_every_command_shows_hostile_text(change: ChangeOfFiles, asking: tuple[str, ...], text: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        top = Path(directory)
        write(top, change[0])
        for arguments in (*COMMANDS, (*asking, text)):
            status, out = told(top, *arguments)
            assert status in (0, 1, 2), arguments
            assert "Traceback" not in out
            assert_harmless(out.replace("\t", ""))
            assert commands(out) == []
        page = read_gfm(told(top, "matrix", "--no-cache", "--format=markdown")[1])
        assert_only_ours(page, DIFF, ())
        assert {len(row) for row in page.rows} <= {6, 10}


@given(TEXT, st.booleans())
@settings(max_examples=20)
def test_settings_that_cannot_be_used_are_quoted_as_text(text: str, is_key: bool) -> None:
    with tempfile.TemporaryDirectory() as directory:
        line = f"rules: {{ {quoted(text)}: off }}\n" if is_key else f"preset: {quoted(text)}\n"
        write(Path(directory), {".reciplint.yaml": line})
        status, out = told(Path(directory), "settings")
        assert status == 2
        assert_harmless(out)
        assert commands(out) == []


def test_a_name_that_is_no_unicode_and_a_hostile_branch(tmp_path: Path) -> None:
    branch = "x\u202e`@team`<img>|#1-->名"
    top = git_repo(tmp_path / "caf\udce9\x1b[31m", project())
    git(top, "checkout", "-q", "--orphan", branch)
    commit(top, {MASTER: single(), "\udcff.yaml": "a: [\n"})
    for arguments in (
        ("check", "--base", branch, "--head", "main"),
        ("check", "--base", "main", "--format=json"),
        ("check", "--base", "main", "--format=sarif"),
        ("diff", "main"),
        ("diff", branch, "main"),
        ("settings",),
    ):
        ran = reciplint(top, *arguments)
        assert "Traceback" not in ran.err
        assert ran.status in (0, 1)
        assert_harmless(ran.out + ran.err)


def test_a_patch_is_exact_and_can_be_applied(tmp_path: Path) -> None:
    name = '"\t\n\\ é\udcff.yaml'
    text = "# \u2028 \x85 ##[group]\r\n::error::x: 1\r\nz: {a: yes}"
    top = git_repo(tmp_path / "top", {name: text})
    ran = subprocess.run([sys.executable, "-m", "reciplint", "fix", "--diff"], cwd=top, capture_output=True, check=True)
    (tmp_path / "patch").write_bytes(ran.stdout)
    git(top, "apply", str(tmp_path / "patch"))
    assert (top / name).read_bytes() == f"{text}\r\n".replace("yes", "true").encode()
    git(top, "apply", "-R", str(tmp_path / "patch"))
    on_terminal = told(top, "fix", "--diff", "--no-cache")[1]
    assert_harmless(on_terminal.replace("\t", ""))
    assert "\n # \\u2028 \\x85 \\x23#[group]\\r\n \\x3a:error::x: 1\\r\n-z: {a: yes}\n" in on_terminal
