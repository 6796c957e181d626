"""The one place that runs git. Every call is NUL-separated, takes no hooks and no pager, and reads only."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
_CHUNK = 1 << 20


STAGED = ":"
"""What is staged, in the place of a revision (git writes `:path` for a staged file)."""


class GitError(Exception):
    """Git is missing, or could not do what was asked; the text is for people."""


class TreeFile(NamedTuple):
    """A file of a revision: repository-relative POSIX path and blob id."""

    path: str
    blob: str


class Git:
    """A git repository, by its top level."""

    def __init__(self, top: Path) -> None:
        self.top = top

    @staticmethod
    def find(directory: Path) -> Git | None:
        """The repository that a directory lies in; None outside of any. Raises `GitError` without git."""
        found = _run(directory, ["rev-parse", "--show-toplevel"])
        if found.returncode == 0:
            return Git(Path(os.fsdecode(found.stdout.rstrip(b"\n"))))
        message = _said(found)
        if "not a git repository" in message:
            return None
        raise GitError(message or "git rev-parse failed")

    def commit(self, revision: str) -> str:
        """The full id of a commit. Raises `GitError` for an unknown one."""
        found = _run(self.top, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"])
        if found.returncode == 0:
            return found.stdout.decode().strip()
        hint = ""
        if self.is_shallow():
            hint = "; this clone is shallow, fetch it: git fetch --deepen=200 origin, or fetch-depth: 0 in a workflow"
        raise GitError(f"no commit is called {revision!r} in this repository{hint}")

    def head(self) -> str | None:
        """The commit that is checked out; None before the first commit."""
        found = _run(self.top, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
        return found.stdout.decode().strip() if found.returncode == 0 else None

    def is_shallow(self) -> bool:
        """Whether history was cut off."""
        return self._output(["rev-parse", "--is-shallow-repository"]).strip() == b"true"

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor of two commits; None where they share none."""
        found = _run(self.top, ["merge-base", one, other])
        if found.returncode > 1:
            raise GitError(_said(found))
        return found.stdout.decode().split("\n")[0].strip() or None

    def committed_on(self, commit: str) -> str:
        """The committer date of a commit in UTC, as YYYY-MM-DD."""
        stamp = self._output(["show", "-s", "--format=%cd", "--date=format-local:%Y-%m-%d", commit])
        return stamp.decode().strip()

    def tree(self, commit: str) -> list[TreeFile]:
        """The regular files of a commit; links and submodules are left out."""
        files = []
        for record in self._output(["ls-tree", "-r", "-z", "--full-tree", commit]).split(b"\0"):
            meta, _, name = record.partition(b"\t")
            mode, _, rest = meta.partition(b" ")
            if mode in (b"100644", b"100755"):
                files.append(TreeFile(os.fsdecode(name), rest.split(b" ")[1].decode()))
        return files

    def staged(self) -> list[TreeFile]:
        """The regular files that the next commit would hold; of an unresolved merge, our side."""
        files = {}
        for record in self._output(["ls-files", "--stage", "-z", "--full-name", ":/"]).split(b"\0"):
            meta, _, name = record.partition(b"\t")
            mode, _, rest = meta.partition(b" ")
            blob, _, stage = rest.partition(b" ")
            if mode in (b"100644", b"100755") and stage in (b"0", b"2"):
                files[name] = TreeFile(os.fsdecode(name), blob.decode())
        return list(files.values())

    def working_files(self) -> list[str]:
        """Paths of the working tree: tracked ones and untracked ones that git does not ignore."""
        listed = self._output(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--full-name", ":/"])
        return sorted({os.fsdecode(name) for name in listed.split(b"\0") if name})

    def renames(self, base: str, head: str | None) -> dict[str, str]:
        """Head path → base path of every file that git takes for renamed; `head` None is the working tree, `STAGED`
        what is staged."""
        arguments = ["diff", "--no-ext-diff", "--no-textconv", "-M", "-l0", "--diff-filter=R", "--name-status", "-z"]
        arguments += [base] if head is None else ["--cached", base] if head == STAGED else [base, head]
        fields = self._output([*arguments, "--"]).split(b"\0")
        pairs = (fields[index : index + 3] for index in range(0, len(fields) - 2, 3))
        return {os.fsdecode(new): os.fsdecode(old) for _, old, new in pairs}

    def diff_text(self, base: str, head: str) -> str:
        """The difference of two commits as GitHub shows it: three lines of context, renames found."""
        options = ["--no-color", "--no-ext-diff", "--no-textconv", "-M", "-U3", "--diff-algorithm=myers"]
        options += [
            "--inter-hunk-context=0",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            "--submodule=short",
            "--no-indent-heuristic",
        ]
        return self._output(["diff", *options, base, head, "--"]).decode("utf-8", "surrogateescape")

    def content(self, name: str) -> bytes | None:
        """The bytes of a file as git names it, `<commit>:<path>`; None where there is none."""
        found = _run(self.top, ["cat-file", "blob", name])
        return found.stdout if found.returncode == 0 else None

    def stage(self, path: str, number: int) -> bytes | None:
        """A side of an unresolved merge from the index: 1 the base, 2 ours, 3 theirs; None where there is none."""
        return self.content(f":{number}:{path}")

    def is_in_progress(self, *names: str) -> bool:
        """Whether git keeps a state of that name, as `rebase-merge` or `CHERRY_PICK_HEAD`, while it is at work."""
        words = [word for name in names for word in ("--git-path", name)]
        places = os.fsdecode(self._output(["rev-parse", *words])).splitlines()
        return any((self.top / place).exists() for place in places)

    def branch(self) -> str | None:
        """The branch that is checked out; None for a detached head."""
        return self._text_of(["symbolic-ref", "--quiet", "--short", "HEAD"])

    def default_branch(self) -> str | None:
        """The branch that the remote `origin` calls its own; None where that is not known."""
        name = self._text_of(["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"])
        return name.removeprefix("origin/") if name else None

    def remote_url(self, remote: str) -> str | None:
        """Where a remote is; None where there is no such remote."""
        return self._text_of(["config", "--get", f"remote.{remote}.url"])

    @staticmethod
    def merge_text(ours: Path, base: Path, theirs: Path) -> tuple[bytes, bool]:
        """Three files merged line by line as git does without a driver: the text, and whether no conflict is left."""
        names = [str(path.absolute()) for path in (ours, base, theirs)]
        labels = [word for label in ("ours", "base", "theirs") for word in ("-L", label)]
        done = _run(Path.cwd(), ["merge-file", "-p", *labels, *names])
        if done.returncode > 127:
            raise GitError(_said(done) or "git merge-file failed")
        return done.stdout, done.returncode == 0

    def _text_of(self, arguments: list[str]) -> str | None:
        found = _run(self.top, arguments)
        return os.fsdecode(found.stdout).strip() or None if found.returncode == 0 else None

    def blobs(self, ids: Iterable[str], limit: int) -> Iterator[bytes | int]:
        """The contents of blobs in order through one process; the size alone of those over `limit` bytes."""
        wanted = list(ids)
        if not wanted:
            return
        process = _start(self.top, ["cat-file", "--batch"])
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            for batch in (wanted[index : index + 64] for index in range(0, len(wanted), 64)):
                process.stdin.write("".join(f"{blob}\n" for blob in batch).encode())
                process.stdin.flush()
                for blob in batch:
                    yield _read_blob(process.stdout, blob, limit)
        finally:
            process.stdin.close()
            process.stdout.close()
            process.wait()

    def _output(self, arguments: list[str]) -> bytes:
        done = _run(self.top, arguments)
        if done.returncode != 0:
            raise GitError(_said(done) or f"git {arguments[0]} failed")
        return done.stdout


_SETTINGS = ("core.quotePath=false", "core.fsmonitor=false", "diff.autoRefreshIndex=false")
"""What the user's own settings may not change; `git diff` would write the index even without optional locks."""


def _command(arguments: list[str]) -> list[str]:
    return ["git", *(word for setting in _SETTINGS for word in ("-c", setting)), *arguments]


def _run(directory: Path, arguments: list[str]) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            _command(arguments),
            cwd=directory,
            env={**os.environ, **_ENVIRONMENT, "TZ": "UTC"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise GitError(
            f"no such directory: {directory}" if not directory.is_dir() else "git is not installed"
        ) from error
    except NotADirectoryError as error:
        raise GitError(f"not a directory: {directory}") from error


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    """What git complains of, on one line."""
    return " ".join(os.fsdecode(done.stderr).split())


def _start(directory: Path, arguments: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        _command(arguments),
        cwd=directory,
        env={**os.environ, **_ENVIRONMENT},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _read_blob(stream: IO[bytes], blob: str, limit: int) -> bytes | int:
    header = stream.readline().split()
    if len(header) != 3 or not header[2].isdigit():
        raise GitError(f"blob {blob} is missing (a partial or damaged clone)")
    size = int(header[2])
    if size <= limit:
        content = stream.read(size)
        stream.read(1)
        return content
    left = size + 1
    while left:
        chunk = stream.read(min(left, _CHUNK))
        if not chunk:
            raise GitError(f"blob {blob} ended early")
        left -= len(chunk)
    return size
