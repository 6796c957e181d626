"""`reciplint bot` as Actions runs it: a checkout, an event, a token, the files that it leaves behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkout import READS, WRITES, Checkout, checkout_of, in_process
from fake_github import Fault

from support import MASTER, commit, git, git_repo, project, runners


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    owners = {".github/CODEOWNERS": "* @org/core\nconfigs/ @org/core @robin\n"}
    top = git_repo(tmp_path / "top", {**project(), **owners})
    git(top, "checkout", "-q", "-b", "topic")
    with checkout_of(top, tmp_path / "outside") as made:
        yield made


def bumped() -> dict[str, str]:
    """A change that the changelog does not name."""
    files = project()
    return {MASTER: files[MASTER].replace("v0.11.0", "v0.12.0")}


def test_a_summary_tells_of_annotations_impact_and_owners(checkout: Checkout) -> None:
    ran = checkout.push({MASTER: bumped()[MASTER].replace("1p1d-tp4", "1p1d-tp8")})
    assert ran.status == 1
    assert "::error file=configs/nvidia-master.yaml,line=" in ran.out
    assert checkout.left("output").startswith("errors=")
    assert "**Benchmark impact**" in checkout.note
    assert "Code owners who may sign alone: `@org/core`" in checkout.note


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


def test_no_output_holds_the_token(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    checkout.run = in_process(monkeypatch, capfd)
    runs = [checkout.push(bumped()), checkout.bot("--dry-run"), checkout.bot(token=READS)]
    checkout.fake.faults.append(Fault("GET", "/pulls/7", 500, f"oops {WRITES[:4]}", times=9))
    runs.append(checkout.bot())
    runs.append(checkout.bot(GITHUB_API_URL="http://127.0.0.1:9"))
    assert [ran.status for ran in runs] == [1] * 5
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
