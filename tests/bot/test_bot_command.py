"""`reciplint bot` as Actions runs it: a checkout, an event, a token, the files that it leaves behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fake_github import BOT, FakeGitHub, Fault, Pull, serving

from reciplint.bot.model import is_summary
from support import CHANGELOG, MASTER, RECIPES, Files, Ran, changed, commit, git, git_repo, project, reciplint, runners

WRITES, READS = "ghs_writes_0123456789", "ghs_reads_0123456789"
RECIPE = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"
MULTI = "finch-fp8-gb200-dynamo-vllm"


@dataclass
class Checkout:
    """A clone of the pull request's branch, and the fake GitHub that it belongs to."""

    top: Path
    base: str
    fake: FakeGitHub
    outside: Path

    def push(self, files: Files, *arguments: str, gone: tuple[str, ...] = (), **environment: str) -> Ran:
        """A push, and the workflow run on it."""
        for path in gone:
            (self.top / path).unlink()
        self.fake.pull.head = commit(self.top, files)
        self.fake.pull.files = self.patches()
        return self.bot(*arguments, **environment)

    def patches(self) -> dict[str, str | None]:
        listed = git(self.top, "diff", "--name-only", self.base, "HEAD").split("\n")
        texts = {path: git(self.top, "diff", self.base, "HEAD", "--", path) for path in listed if path}
        return {path: text[text.index("@@") :] if "@@" in text else None for path, text in texts.items()}

    def bot(self, *arguments: str, event: str = "pull_request", token: str = WRITES, **environment: str) -> Ran:
        return reciplint(self.top, "bot", *arguments, **{**self.environment(event, token), **environment})

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
        """What the first workflow of the pair for forks uploads."""
        ran = reciplint(self.top, "check", "--base", self.base, "--head", "HEAD", "--pr", "7", "--format", "json")
        return ran.report

    def from_report(self, report: object, **environment: str) -> Ran:
        file = self.outside / "report.json"
        file.write_text(report if isinstance(report, str) else json.dumps(report))
        return self.bot("--from-report", str(file), event="workflow_run", **environment)

    def left(self, name: str) -> str:
        return (self.outside / name).read_text(encoding="utf-8")

    @property
    def note(self) -> str:
        notes = [note.body for note in self.fake.pull.notes if note.user == BOT and is_summary(note.body)]
        assert len(notes) == 1
        return notes[0]

    @property
    def inline(self) -> list[tuple[str, str]]:
        """File and first line of each unfolded comment."""
        return [(comment.path, comment.body.splitlines()[0]) for comment in self.fake.pull.open]


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    owners = {".github/CODEOWNERS": "* @org/core\nconfigs/ @org/core @robin\n"}
    top = git_repo(tmp_path / "top", {**project(), **owners})
    git(top, "checkout", "-q", "-b", "topic")
    (tmp_path / "outside").mkdir()
    base = git(top, "rev-parse", "main")
    with serving(FakeGitHub(Pull(base, {}))) as fake:
        yield Checkout(top, base, fake, tmp_path / "outside")


def bumped() -> dict[str, str]:
    """A change that the changelog does not name."""
    files = project()
    return {MASTER: files[MASTER].replace("v0.11.0", "v0.12.0")}


def test_four_pushes_end_green_with_every_comment_folded(checkout: Checkout) -> None:
    broken = project()[MASTER].replace("v0.11.0", "v0.12.0").replace("1p1d-tp4", "1p1d-tp8")
    first = checkout.push({MASTER: broken})
    assert first.status == 1
    assert "::error file=configs/nvidia-master.yaml,line=" in first.out
    assert checkout.left("output").startswith("errors=")
    errors = len(checkout.inline)
    assert errors >= 1
    assert checkout.note.startswith("❌ reciplint: ")
    assert "**Benchmark impact**" in checkout.note
    assert "Code owners who may sign alone: `@org/core`" in checkout.note
    assert checkout.push({MASTER: bumped()[MASTER]}).status == 1
    entries = project()[CHANGELOG] + "\n" + changed("finch-fp8-b200-vllm", 7).rstrip("\n")
    last = checkout.push({CHANGELOG: entries.replace(f"  - {MULTI}\n", "") + "\n\n" + changed(MULTI, 7)})
    assert (last.status, last.err) == (0, "")
    assert checkout.inline == []
    assert {comment.minimised for comment in checkout.fake.pull.comments} == {"RESOLVED"}
    assert checkout.note.splitlines()[0] == "✅ reciplint: nothing new"
    writes = len(checkout.fake.writes)
    checkout.bot()
    assert len(checkout.fake.writes) == writes


def test_a_fault_in_a_file_that_the_change_does_not_touch_is_in_the_summary(checkout: Checkout) -> None:
    ran = checkout.push({"configs/runners.yaml": runners("b200")})
    assert ran.status == 1
    assert "because the file is not part of this change" in checkout.note


def test_a_read_only_token_leaves_annotations_summary_and_the_lint_s_status(checkout: Checkout) -> None:
    ran = checkout.push(bumped(), token=READS)
    assert ran.status == 1
    assert ran.err.count("\n") == 0
    assert "the token is read-only" in ran.err
    assert "::error " in ran.out
    assert "the token is read-only" in checkout.left("summary").splitlines()[0]
    assert "❌ reciplint:" in checkout.left("summary")
    assert checkout.bot("--bot-required", token=READS).status == 2
    assert checkout.bot(token="").status == 1  # none at all
    assert checkout.fake.pull.notes == []


def test_what_could_not_be_told_stands_in_the_step_summary(checkout: Checkout) -> None:
    checkout.fake.faults.append(Fault("POST", "/reviews", 403, "secondary rate limit", {"Retry-After": "900"}))
    ran = checkout.push(bumped())
    assert ran.status == 1
    assert "could not finish commenting" in checkout.left("summary").splitlines()[0]
    assert "900 s" in ran.err


def test_no_output_holds_the_token(checkout: Checkout) -> None:
    runs = [checkout.push(bumped()), checkout.bot("--dry-run"), checkout.bot(token=READS)]
    checkout.fake.faults.append(Fault("GET", "/pulls/7", 500, f"oops {WRITES[:4]}", times=9))
    runs.append(checkout.bot())
    runs.append(checkout.bot(GITHUB_API_URL="http://127.0.0.1:9"))
    told = "".join(ran.out + ran.err for ran in runs) + checkout.left("summary") + checkout.left("output")
    assert WRITES not in told
    assert READS not in told


def test_dry_run_prints_the_plan_and_writes_nothing(checkout: Checkout) -> None:
    ran = checkout.push(bumped(), "--dry-run")
    plan = json.loads(ran.out)
    assert ran.status == 1
    assert plan["note"].startswith("❌ reciplint")
    assert plan["note_id"] is None
    assert checkout.fake.writes == []


def test_a_head_that_the_clone_lacks_is_asked_for(checkout: Checkout) -> None:
    checkout.push(bumped())
    checkout.fake.pull.head = "f" * 40
    ran = checkout.bot()
    assert ran.status == 2
    assert "fetch-depth: 0" in ran.err


def test_the_merge_commit_that_actions_checks_out_does_not_shift_lines(checkout: Checkout) -> None:
    top = checkout.top
    checkout.push(bumped(), "--dry-run")
    before = json.loads(checkout.bot("--dry-run").out)["inline"]
    git(top, "checkout", "-q", "main")
    commit(top, {MASTER: "# a line more\n" + project()[MASTER]}, "main moves on")
    git(top, "merge", "-q", "--no-edit", "topic")
    assert json.loads(checkout.bot("--dry-run").out)["inline"] == before


def test_pull_request_target_with_a_checkout_of_the_head_is_refused(checkout: Checkout) -> None:
    ran = checkout.push(bumped(), event="pull_request_target")
    assert ran.status == 2
    assert "pull_request_target" in ran.err
    assert checkout.fake.log == []
    git(checkout.top, "checkout", "-q", "main")
    assert checkout.bot(event="pull_request_target").status == 1


@pytest.mark.parametrize("event", ["push", "schedule", ""])
def test_other_events_are_refused(checkout: Checkout, event: str) -> None:
    ran = checkout.bot(GITHUB_EVENT_NAME=event)
    assert ran.status == 2
    assert ran.err.startswith("Error: the bot works on pull_request and workflow_run events")


# the pair for forks


def test_the_second_workflow_comments_from_the_report(checkout: Checkout) -> None:
    checkout.push(bumped(), "--dry-run")
    ran = checkout.from_report(checkout.report())
    assert (ran.status, ran.err) == (0, "")
    assert len(checkout.inline) >= 1
    assert checkout.note.startswith("❌ reciplint")
    assert checkout.from_report(checkout.report()).status == 0
    assert len(checkout.fake.writes) == 2


PLACE = {"line": 1, "column": 1}
ALTERED: dict[str, dict[str, object]] = {
    "another pull request": {"pull_request": 8},
    "another head": {"head": "e" * 40},
    "no base": {"base": None},
    "wrong schema": {"note": "hello"},
}
ALTERED_FINDING: dict[str, dict[str, object]] = {
    "a path outside of the diff": {"path": "README.md", "related": []},
    "an edit outside of the diff": {
        "fix": {
            "applicability": "safe",
            "title": "t",
            "edits": [{"path": "README.md", "start": PLACE, "end": PLACE, "replacement": "x"}],
        }
    },
    "markup": {"message": "<img src=x> @everyone [click](https://evil.example)"},
    "an unknown rule": {"rule": "click-here"},
    "an unknown message": {"message_id": "evil"},
    "other fields": {"arguments": {}},
    "too large": {"message": "x" * (11 << 20)},
}
NO_REPORT = {"no JSON": "{", "deep": "[" * 100_000 + "]" * 100_000}


def altered(report: dict[str, Any], change: str) -> object:
    report |= ALTERED.get(change, {})
    report["findings"][0] |= ALTERED_FINDING.get(change, {})
    return NO_REPORT.get(change, report)


@pytest.mark.parametrize("change", [*ALTERED, *ALTERED_FINDING, *NO_REPORT])
def test_an_altered_report_is_refused_with_a_reason(checkout: Checkout, change: str) -> None:
    checkout.push(bumped(), "--dry-run")
    ran = checkout.from_report(altered(checkout.report(), change))
    assert ran.status == 2
    assert "the report was refused: " in ran.err
    assert "the report was refused: " in checkout.left("summary")
    assert checkout.fake.writes == []


def test_hostile_fields_of_a_report_show_as_text(checkout: Checkout) -> None:
    checkout.push(bumped(), "--dry-run")
    report = checkout.report()
    report["tool"]["version"] = "9.9.9"  # so that the message itself is not compared
    for finding in report["findings"]:
        finding["arguments"] = {
            name: "@org/team --> <img src=x> `x` [a](https://evil.example)" if isinstance(value, str) else value
            for name, value in finding["arguments"].items()
        }
        finding["message"] = "@everyone"
    assert checkout.from_report(report).status == 0
    told = checkout.note + "".join(comment.body for comment in checkout.fake.pull.comments)
    assert "@everyone" not in told
    assert "`@org/team`" in told


def test_the_pull_request_of_a_run_is_derived_and_must_be_one(checkout: Checkout) -> None:
    checkout.push(bumped(), "--dry-run")
    report = checkout.report()
    checkout.fake.pull.head_repository = "mallory/bench"
    payload = checkout.payload
    checkout.payload = lambda event: {  # type: ignore[method-assign]
        "workflow_run": {**payload(event)["workflow_run"], "head_repository": {"full_name": "other/bench"}}
    }
    ran = checkout.from_report(report)
    assert ran.status == 2
    assert "no open pull requests stand on" in ran.err


def test_a_fault_in_a_file_outside_of_the_diff_crosses_if_it_points_into_the_diff(checkout: Checkout) -> None:
    checkout.push({"configs/runners.yaml": runners("b200")}, "--dry-run")
    ran = checkout.from_report(checkout.report())
    assert (ran.status, ran.err) == (0, "")
    assert "because the file is not part of this change" in checkout.note
