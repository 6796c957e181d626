"""`check --stdin-filename --fix`: what an editor sends comes back, repaired or as it was, whatever happens."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reciplint import cli
from reciplint.cli import fixing
from reciplint.cli.fixing import repair
from reciplint.cli.linting import Asked, prepare
from reciplint.yamltree.parse import parse
from reciplint.yamltree.problem import Unreadable
from support import MASTER, RECIPES, git_repo, project, recipe, single, write

RECIPE = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"
TWICE = (
    "a.yaml:1:1 error duplicate-key: `x` stands 2 times in one mapping: "
    "PyYAML keeps the last, `2` (line 2), and drops `1`"
)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return git_repo(tmp_path / "top", project())


def send(top: Path, text: bytes, *arguments: str, name: str = "a.yaml") -> tuple[int, bytes, str]:
    """Exit status, the bytes on standard output and the text on standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "reciplint", "check", "--fix", "--stdin-filename", name, *arguments],
        cwd=top,
        input=text,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr.decode()


def test_the_repaired_text_comes_back_and_nothing_is_written(top: Path) -> None:
    write(top, {"a.yaml": "z: 010"})
    assert send(top, b"x: 010") == (0, b"x: 8\n", "")
    assert (top / "a.yaml").read_bytes() == b"z: 010"


def test_what_is_left_is_reported_on_standard_error_with_the_status_of_check(top: Path) -> None:
    assert send(top, b"x: 1\nx: 2", "--format=concise") == (1, b"x: 1\nx: 2\n", f"{TWICE}\n")
    assert send(top, b"x: 1\nx: 2", "--format=concise", "--fail-on=never")[0] == 0
    assert send(top, b"x: 1", "--exit-non-zero-on-fix") == (1, b"x: 1\n", "")
    status, out, err = send(top, b"x: 1\nx: 2", "--format=json")
    assert (status, out) == (1, b"x: 1\nx: 2\n")
    assert [item["rule"] for item in json.loads(err)["findings"]] == ["duplicate-key"]


def test_a_report_for_a_file_is_written_there(top: Path) -> None:
    assert send(top, b"x: 1\nx: 2\n", "--output=json:report.json")[:2] == (1, b"x: 1\nx: 2\n")
    assert [item["rule"] for item in json.loads((top / "report.json").read_text())["findings"]] == ["duplicate-key"]
    assert send(top, b"x: 1", "--output=json:report.json") == (0, b"x: 1\n", "")
    assert json.loads((top / "report.json").read_text())["findings"] == []
    status, out, err = send(top, b"x: 010", "--output=json:configs")
    assert (status, out) == (2, b"x: 8\n")
    assert "configs: Is a directory" in err
    status, out, err = send(top, b"x: 1\nx: 2\n", "--output=concise:-")
    assert (status, out, err) == (1, b"x: 1\nx: 2\n", f"{TWICE}\n")


def test_a_difference_instead_of_the_text(top: Path) -> None:
    assert send(top, b"x: 010\n", "--diff") == (0, b"--- a/a.yaml\n+++ b/a.yaml\n@@ -1 +1 @@\n-x: 010\n+x: 8\n", "")
    assert send(top, b"x: 8\n", "--diff") == (0, b"", "")


def test_the_buffer_is_judged_within_its_repository(top: Path) -> None:
    text = recipe(flag="max_num_seqs").encode()
    assert send(top, text, name=RECIPE) == (0, recipe().encode(), "")
    status, out, err = send(top, single(runner="b100").encode(), "--format=concise", name=MASTER)
    assert (status, out) == (1, single(runner="b100").encode())
    assert err.startswith(f"{MASTER}:5:11 error unknown-runner: ")


def test_a_new_file_in_a_directory_of_the_repository(top: Path) -> None:
    assert send(top / "configs", b"x: 010", name="new.yaml") == (0, b"x: 8\n", "")
    assert not (top / "configs" / "new.yaml").exists()


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xef\xbb\xbfx: 1\r\ny: [a,  b] # c\r\n",
        b"x: \xe9\n",
        b"x: [1\n",
        b"\xff\xfex\x00:\x00 \x001\x00",
        b"x: 1\n\x00",
        "x: \u2028 \u202e\n".encode(),
        b"- &a [*a]\n",
        b"[" * 5000,
    ],
)
def test_what_cannot_be_repaired_comes_back_byte_for_byte(top: Path, text: bytes) -> None:
    status, out, err = send(top, text)
    assert out == text
    assert status in (0, 1)
    assert "Traceback" not in err


def test_line_endings_and_a_byte_order_mark_are_kept(top: Path) -> None:
    assert send(top, b"\xef\xbb\xbfx: 010\r\ny: 1") == (0, b"\xef\xbb\xbfx: 8\r\ny: 1\r\n", "")


@pytest.mark.parametrize(
    ("arguments", "name", "message"),
    [
        (("--select=nonsense",), "a.yaml", "no rule is called 'nonsense'"),
        (("--base=gone",), "a.yaml", "no commit is called 'gone'"),
        ((), "../a.yaml", "../a.yaml lies outside of"),
        ((), "notes.txt", "notes.txt: no file there that reciplint reads"),
    ],
)
def test_an_error_costs_no_text(top: Path, arguments: tuple[str, ...], name: str, message: str) -> None:
    status, out, err = send(top, b"x: 010", *arguments, name=name)
    assert (status, out) == (2, b"x: 010")
    assert message in " ".join(err.split())


def test_broken_settings_cost_no_text(top: Path) -> None:
    write(top, {".reciplint.yaml": "preset: strict\n"})
    status, out, _ = send(top, b"x: 010")
    assert (status, out) == (2, b"x: 010")


@pytest.mark.parametrize("fault", [KeyboardInterrupt, ValueError, MemoryError])
def test_a_crash_costs_no_text(top: Path, fault: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object, **named: object) -> None:
        raise fault

    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(fixing, "fix_tree", broken)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x: 010")))
    with contextlib.chdir(top), contextlib.redirect_stdout(out):
        status = cli.run(["check", "--fix", "--stdin-filename", "a.yaml"])
    gc.enable()
    assert status == (130 if fault is KeyboardInterrupt else 2)
    out.flush()
    assert out.buffer.getvalue() == b"x: 010"


def test_a_fix_that_reaches_another_file_is_left_out(top: Path) -> None:
    """The text of one file comes back; nothing could say what became of another."""
    write(top, {"a.yaml": "x: 1", "b.yaml": "x: 1"})
    asked = Asked(base=None, pr=None, review_date=None, select=(), ignore=(), no_cache=True, profile=None, config=None)
    with contextlib.chdir(top):
        linting = prepare((), asked)
    assert sorted(repair(linting, linting.run(), unsafe=False).files) == ["a.yaml", "b.yaml"]
    assert sorted(repair(replace(linting, typed="b.yaml"), linting.run(), unsafe=False).files) == ["b.yaml"]


def sent(data: bytes) -> bytes:
    """What comes back for a text, in this process."""
    out = io.TextIOWrapper(io.BytesIO())
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(data))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.TextIOWrapper(io.BytesIO())):
            assert cli.run(["check", "--fix", "--no-cache", "--stdin-filename", "a.yaml"]) in (0, 1)
    finally:
        sys.stdin = stdin
        gc.enable()
    out.flush()
    return out.buffer.getvalue()


@given(st.one_of(st.binary(max_size=40), st.text("ax10: \n\r-[]{},#'\"|é\u2028", max_size=40).map(str.encode)))
@settings(max_examples=40)
def test_any_bytes_come_back_as_they_are_or_repaired_for_good(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as directory, contextlib.chdir(directory):
        back = sent(data)
        assert sent(back) == back
        with contextlib.suppress(Unreadable):
            parse(data)
            return
        assert back == data
