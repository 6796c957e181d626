"""A clone under the bot: real git, the real command as Actions runs it, the fake GitHub, and what is seen then."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fake_github import BOT, Comment, FakeGitHub, Pull, serving

from reciplint.bot import client, writing
from reciplint.bot.model import is_summary
from reciplint.cli import run
from support import Files, Ran, commit, git, reciplint

WRITES, READS = "ghs_writes_0123456789", "ghs_reads_0123456789"
_NO_WAITS = "import time\n\ntime.sleep = lambda seconds: None\n"
"""Python runs `sitecustomize` before the command: what the bot waits for takes no time."""
_PRINTED: dict[tuple[str, str, str], str] = {}


@dataclass
class Checkout:
    """A clone of the pull request's branch, the fake GitHub that it belongs to, and how the bot is run on it."""

    top: Path
    base: str
    fake: FakeGitHub
    outside: Path
    run: Callable[..., Ran] = reciplint

    def push(self, files: Files, *arguments: str, gone: tuple[str, ...] = (), **environment: str) -> Ran:
        """A push, and the workflow run on it."""
        self.change(files, gone)
        return self.bot(*arguments, **environment)

    def change(self, files: Files, gone: tuple[str, ...] = ()) -> None:
        """A push alone."""
        for path in gone:
            (self.top / path).unlink()
        self.fake.pull.head = commit(self.top, files)
        self.fake.pull.files = self.patches()
        self.fake.pull.tree = git(self.top, "ls-tree", "-r", "-z", "--name-only", "HEAD").rstrip("\0").split("\0")

    def patches(self) -> dict[str, str | None]:
        listed = git(self.top, "diff", "--name-only", self.base, "HEAD").split("\n")
        texts = {path: git(self.top, "diff", self.base, "HEAD", "--", path) for path in listed if path}
        return {path: text[text.index("@@") :] if "@@" in text else None for path, text in texts.items()}

    def bot(self, *arguments: str, event: str = "pull_request", token: str = WRITES, **environment: str) -> Ran:
        return self.run(self.top, "bot", *arguments, **{**self.environment(event, token), **environment})

    def environment(self, event: str, token: str) -> dict[str, str]:
        for name in ("summary", "output"):
            (self.outside / name).write_text("")
        payload = self.outside / "event.json"
        payload.write_text(json.dumps(self.payload(event)))
        return {
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(payload),
            "GITHUB_REPOSITORY": self.fake.repository,
            "GITHUB_SHA": self.base,
            "GITHUB_TOKEN": token,
            "GITHUB_API_URL": self.fake.url,
            "GITHUB_GRAPHQL_URL": f"{self.fake.url}/graphql",
            "GITHUB_STEP_SUMMARY": str(self.outside / "summary"),
            "GITHUB_OUTPUT": str(self.outside / "output"),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(self.outside), os.environ.get("PYTHONPATH", "")])),
        }

    def payload(self, event: str) -> dict[str, Any]:
        pull = self.fake.pull
        home = {"full_name": pull.head_repository, "html_url": f"https://github.com/{pull.head_repository}"}
        head = {"sha": pull.head, "ref": pull.branch, "repo": home}
        if event == "workflow_run":
            run = {"event": "pull_request", "head_sha": pull.head, "head_branch": pull.branch, "head_repository": home}
            return {"workflow_run": run}
        return {"pull_request": {"number": 7, "base": {"sha": self.base}, "head": head}}

    def report(self) -> dict[str, Any]:
        """What the first workflow of the pair for forks uploads; equal heads have equal reports."""
        return self._printed("check", "--base", self.base, "--head", "HEAD", "--pr", "7", "--format", "json")

    def difference(self) -> dict[str, Any]:
        """What it uploads beside the report, for the benchmark impact."""
        return self._printed("diff", self.base, "HEAD", "--format", "json")

    def _printed(self, command: str, *arguments: str) -> dict[str, Any]:
        known = (command, self.base, self.fake.pull.head)
        if known not in _PRINTED:
            _PRINTED[known] = reciplint(self.top, command, *arguments).out
        told: dict[str, Any] = json.loads(_PRINTED[known])
        return told

    def from_report(self, report: object, *arguments: str, **environment: str) -> Ran:
        """The second workflow of the pair."""
        file = self.outside / "report.json"
        file.write_text(report if isinstance(report, str) else json.dumps(report))
        return self.bot("--from-report", str(file), *arguments, event="workflow_run", **environment)

    def left(self, name: str) -> str:
        return (self.outside / name).read_text(encoding="utf-8")

    @property
    def comments(self) -> list[Comment]:
        """What the bot said on lines, folded or not, oldest first."""
        return [comment for comment in self.fake.pull.comments if comment.user == BOT]

    @property
    def note(self) -> str:
        """The one summary."""
        notes = [note.body for note in self.fake.pull.notes if note.user == BOT and is_summary(note.body)]
        assert len(notes) == 1
        return notes[0]

    @property
    def inline(self) -> list[tuple[str, str]]:
        """File and first line of each unfolded comment."""
        return [(comment.path, comment.body.splitlines()[0]) for comment in self.fake.pull.open]


def in_process(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """A way to run the command line in this process, for tests with many runs; waits take no time here either."""
    monkeypatch.setattr(client, "_BREATH", 0)
    monkeypatch.setattr(writing, "_BREATH", 0)

    def here(directory: Path, *arguments: str, **environment: str) -> Ran:
        with monkeypatch.context() as patch:
            patch.chdir(directory)
            for name, value in environment.items():
                patch.setenv(name, value)
            capfd.readouterr()
            status = run([*arguments])
            gc.enable()  # the command does without the collector, this process does not
        out, err = capfd.readouterr()
        return Ran(status, out, err.rstrip("\n"))

    return here


@contextmanager
def checkout_of(top: Path, outside: Path, base: str = "main") -> Iterator[Checkout]:
    """The repository `top` as the clone of a pull request against `base`; `outside` is for what lies beside it."""
    outside.mkdir()
    (outside / "sitecustomize.py").write_text(_NO_WAITS)
    commit_id = git(top, "rev-parse", base)
    with serving(FakeGitHub(Pull(commit_id, {}))) as fake:
        yield Checkout(top, commit_id, fake, outside)
