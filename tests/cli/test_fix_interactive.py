"""`reciplint fix --interactive`: what is asked, what each answer does, and when anything is written."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from hostile import assert_harmless, commands
from support import MASTER, Ran, commit, git_repo, project, reciplint, write

OCTAL = "`010` is the number 8 to PyYAML and the number 10 to a YAML 1.2 reader: write `8`"
OPEN = "info final-newline: The last line does not end with a line break"
HELP = """\
y - apply this fix
n - leave it
a - apply this and every further fix of this rule; those that change a value only if this one does
f - leave this file
s - silence the finding by a comment with a reason
q - ask no more; what was accepted is written
? - these lines
"""


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return git_repo(tmp_path / "top", {"a.yaml": "x: 010\ny: 010\n", "b.yaml": "z: 010"})


def ask(top: Path, *answers: str, arguments: tuple[str, ...] = ()) -> Ran:
    """Run with answers on lines."""
    return reciplint(top, "fix", "-i", *arguments, stdin="".join(f"{answer}\n" for answer in answers).encode())


def files(top: Path) -> tuple[str, str]:
    return (top / "a.yaml").read_text(), (top / "b.yaml").read_text()


def asked(ran: Ran) -> list[str]:
    """The findings that were shown."""
    return [line.split(" ")[0] for line in ran.out.splitlines() if line.startswith(("a.yaml:", "b.yaml:", "configs/"))]


def test_a_conversation(top: Path) -> None:
    ran = ask(top, "y", "?", "n", "y", "y")
    assert (
        ran.out
        == f"""\
a.yaml:1:4 warning ambiguous-scalar: {OCTAL}
  fix: Write 8, as PyYAML reads it, safe
--- a/a.yaml
+++ b/a.yaml
@@ -1,2 +1,2 @@
-x: 010
+x: 8
 y: 010
apply [y,n,a,f,s,q,?] (3 more)? y

a.yaml:2:4 warning ambiguous-scalar: {OCTAL}
  fix: Write 8, as PyYAML reads it, safe
--- a/a.yaml
+++ b/a.yaml
@@ -1,2 +1,2 @@
 x: 8
-y: 010
+y: 8
apply [y,n,a,f,s,q,?] (2 more)? ?
{HELP}apply [y,n,a,f,s,q,?] (2 more)? n

b.yaml:1:4 warning ambiguous-scalar: {OCTAL}
  fix: Write 8, as PyYAML reads it, safe
--- a/b.yaml
+++ b/b.yaml
@@ -1 +1 @@
-z: 010
\\ No newline at end of file
+z: 8
\\ No newline at end of file
apply [y,n,a,f,s,q,?] (1 more)? y

b.yaml:1:5 {OPEN}
  fix: End the file with a line break, safe
--- a/b.yaml
+++ b/b.yaml
@@ -1 +1 @@
-z: 8
\\ No newline at end of file
+z: 8
apply [y,n,a,f,s,q,?] (0 more)? y

"""
    )
    assert (ran.status, ran.err) == (0, "reciplint: fixed 3 findings in 2 files")
    assert files(top) == ("x: 8\ny: 010\n", "z: 8\n")


def test_nothing_is_written_while_questions_are_open(top: Path) -> None:
    """The child waits for its second answer."""
    child = subprocess.Popen(
        [sys.executable, "-m", "reciplint", "fix", "-i"],
        cwd=top,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(b"y\n")
    child.stdin.flush()
    told = b""
    while told.count(b"more)?") < 2:
        told += os.read(child.stdout.fileno(), 4096)
    assert files(top) == ("x: 010\ny: 010\n", "z: 010")
    child.send_signal(signal.SIGINT)
    child.communicate()
    assert child.returncode == 130
    assert files(top) == ("x: 010\ny: 010\n", "z: 010")


def test_quitting_writes_what_was_accepted(top: Path) -> None:
    ran = ask(top, "y", "q", "y")
    assert (ran.status, ran.err) == (0, "reciplint: fixed 1 finding in 1 file")
    assert files(top) == ("x: 8\ny: 010\n", "z: 010")


def test_the_end_of_the_answers_is_as_quitting(top: Path) -> None:
    assert ask(top, "y").err == "reciplint: fixed 1 finding in 1 file"
    assert files(top) == ("x: 8\ny: 010\n", "z: 010")
    assert ask(top).err == "reciplint: fixed 0 findings in 0 files"


def test_all_of_a_rule(top: Path) -> None:
    ran = ask(top, "n", "a", "n")
    assert asked(ran) == ["a.yaml:1:4", "a.yaml:2:4", "b.yaml:1:5"]
    assert "1 further finding of ambiguous-scalar fixed\n" in ran.out
    assert ran.err == "reciplint: fixed 2 findings in 2 files"
    assert files(top) == ("x: 010\ny: 8\n", "z: 8")


def test_all_of_a_rule_asks_again_before_it_changes_a_value(tmp_path: Path) -> None:
    """In one file the rule renames what no launcher reads, in the other what one may read."""
    rows = ("{ tp: 4, dp_attn: true, conc-list: [8] }", "{ tp: 8, dp_attn: true, conc-list: [8] }")
    text = project()[MASTER].replace("{ tp: 4, conc-list: [8, 16] }", f"{rows[0]}\n      - {rows[1]}")
    top = git_repo(tmp_path, {**project(), MASTER: text})
    ran = ask(top, "a", arguments=("--select", "kebab-case-keys"))
    assert asked(ran) == [f"{MASTER}:14:18"]
    assert "fix: rename dp_attn to dp-attn, changes a value" in ran.out
    assert ran.err == "reciplint: fixed 2 findings in 1 file"
    assert (top / MASTER).read_text() == text.replace("dp_attn", "dp-attn")


def test_skipping_a_file(top: Path) -> None:
    ran = ask(top, "f", "y", "y")
    assert asked(ran) == ["a.yaml:1:4", "b.yaml:1:4", "b.yaml:1:5"]
    assert files(top) == ("x: 010\ny: 010\n", "z: 8\n")


def test_silencing_with_a_reason(top: Path) -> None:
    ran = ask(top, "s", "", "s", "a\x1b[31m", "s", "an octal, as the launcher reads it", "q")
    assert (
        """\
apply [y,n,a,f,s,q,?] (3 more)? s
reason:\x20
  not silenced: a suppression states its reason
apply [y,n,a,f,s,q,?] (3 more)? s
reason: a\\x1b[31m
  not silenced: a reason is one line of characters that can be seen
apply [y,n,a,f,s,q,?] (3 more)? s
reason: an octal, as the launcher reads it
--- a/a.yaml
+++ b/a.yaml
@@ -1,2 +1,2 @@
-x: 010
+x: 010  # reciplint: ignore[ambiguous-scalar] -- an octal, as the launcher reads it
 y: 010

a.yaml:2:4 """
        in ran.out
    )
    assert (ran.status, ran.err) == (0, "reciplint: fixed 0 findings, silenced 1 in 1 file")
    assert (
        files(top)[0] == "x: 010  # reciplint: ignore[ambiguous-scalar] -- an octal, as the launcher reads it\ny: 010\n"
    )


def test_what_cannot_be_silenced_is_asked_about_again(tmp_path: Path) -> None:
    """The last line of a block scalar is text, whatever is written there."""
    top = git_repo(tmp_path, {"a.yaml": "x: |\n  one\n  two"})
    ran = ask(top, "s", "because", "y")
    assert "reason: because\n  not silenced: a.yaml:3: final-newline: " in ran.out
    assert asked(ran) == ["a.yaml:3:6"]
    assert (top / "a.yaml").read_text() == "x: |\n  one\n  two\n"


def test_lines_are_those_of_the_file_as_it_would_be(tmp_path: Path) -> None:
    """A comment that is dropped takes its line with it: what comes after is found, and changed, one line above."""
    comment = "# reciplint: ignore[schema] -- no longer\n"
    top = git_repo(tmp_path, {"a.yaml": f"{comment}x: 1\ny: 010\n{comment}z: 010\n"})
    ran = ask(top, "y", "y", "y", "y")
    assert asked(ran) == ["a.yaml:1:1", "a.yaml:2:4", "a.yaml:3:1", "a.yaml:3:4"]
    assert (top / "a.yaml").read_text() == "x: 1\ny: 8\nz: 8\n"


def test_a_difference_in_the_end_instead_of_writing(top: Path) -> None:
    ran = ask(top, "y", "q", arguments=("--diff",))
    assert ran.out.endswith("\n--- a/a.yaml\n+++ b/a.yaml\n@@ -1,2 +1,2 @@\n-x: 010\n+x: 8\n y: 010\n")
    assert ran.err == "reciplint: would fix 1 finding in 1 file"
    assert files(top) == ("x: 010\ny: 010\n", "z: 010")


def test_only_what_a_change_made_worse_is_asked_about(top: Path) -> None:
    commit(top, {})
    write(top, {"b.yaml": "z: 010\nw: 020\n"})
    assert asked(ask(top, "y", arguments=("--base", "HEAD"))) == ["b.yaml:2:4"]
    assert files(top)[1] == "z: 010\nw: 16\n"


def test_a_file_that_an_editor_changed_meanwhile_is_left_to_it(top: Path) -> None:
    """The child has shown its first question when the file changes."""
    child = subprocess.Popen(
        [sys.executable, "-m", "reciplint", "fix", "-i"],
        cwd=top,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None
    while b"more)?" not in os.read(child.stdout.fileno(), 4096):
        pass
    write(top, {"a.yaml": "w: 1\n"})
    _, err = child.communicate(b"y\nq\n")
    assert child.returncode == 2
    assert err.decode().splitlines()[0] == "reciplint: not written: a.yaml changed while it was checked"
    assert files(top)[0] == "w: 1\n"


def test_hostile_text_is_shown_as_text(tmp_path: Path) -> None:
    text = "# \u202e ##[group] \x85\n::error::x: 010\n"
    top = git_repo(tmp_path, {"::warning::\x1b[31m.yaml": text})
    ran = ask(top, "y", "\x1b[31m::error::", "y")
    assert_harmless(ran.out)
    assert commands(ran.out) == []
    assert (top / "::warning::\x1b[31m.yaml").read_text() == text.replace("010", "8")


def terminal(top: Path, keys: bytes, **environment: str) -> tuple[int, str]:
    """Run on a terminal, a key pressed with each question; the exit status and all that was shown."""
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "reciplint", "fix", "-i"],
        cwd=top,
        stdin=child,
        stdout=child,
        stderr=child,
        env={**os.environ, "TERM": "xterm", **environment},
        start_new_session=True,
    )
    os.close(child)
    told, waiting = b"", list(keys)
    while True:
        if select.select([parent], [], [], 0.01)[0]:
            try:
                told += os.read(parent, 4096)
            except OSError:  # the other end is closed
                break
        elif waiting and told.endswith(b"more)? ") and not termios.tcgetattr(parent)[3] & termios.ICANON:
            os.write(parent, bytes([waiting.pop(0)]))  # it waits for a single key, and throws away what came before
            told += b"\0"
    os.close(parent)
    return process.wait(), told.decode().replace("\r\n", "\n").replace("\0", "")


def test_single_keys_and_colours_on_a_terminal(top: Path) -> None:
    status, told = terminal(top, b"nyq")
    assert status == 0
    assert "\x1b[31m-y: 010\x1b[0m\n\x1b[32m+y: 8\x1b[0m\n" in told
    assert "\x1b[1m--- a/a.yaml\x1b[0m\n" in told
    assert files(top) == ("x: 010\ny: 8\n", "z: 010")
    status, told = terminal(top, b"yq", NO_COLOR="1")
    assert "\x1b[" not in told
    assert "apply [y,n,a,f,s,q,?] (2 more)? y\n" in told
    assert files(top) == ("x: 8\ny: 8\n", "z: 010")


def test_an_interrupt_on_a_terminal_writes_nothing(top: Path) -> None:
    status, told = terminal(top, b"y\x03")
    assert status == 130
    assert re.search(r"^reciplint: interrupted$", told, re.MULTILINE)
    assert files(top) == ("x: 010\ny: 010\n", "z: 010")


def test_the_end_of_input_on_a_terminal_is_as_quitting(top: Path) -> None:
    assert terminal(top, b"y\x04")[0] == 0
    assert files(top) == ("x: 8\ny: 010\n", "z: 010")
