"""The behaviour table of the bot: each row asserted on what stands on the pull request after the pushes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fake_github import BOT, Fault
from scene import MASTER, OTHER, READS, Scene, found, patch, scene, sha

from reciplint.bot.diffmap import from_patches
from reciplint.bot.model import is_summary
from reciplint.report.model import Reported

ABUSE = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
REVIEW = "/reviews"
NOTES = "/issues/7/comments"


@pytest.fixture
def pr() -> Iterator[Scene]:
    with scene() as made:
        yield made


def forty() -> list[Reported]:
    return [found(f"n{index:02}", 11 + index, severity="error" if index % 2 else "warning") for index in range(40)]


# where a finding is shown


def test_in_a_hunk_inline_else_in_the_summary_and_none_lost(pr: Scene) -> None:
    here, outside, elsewhere = found("here", 12), found("outside", 500), found("elsewhere", 3, OTHER)
    assert pr.push(1, here, outside, elsewhere).status == "done"
    assert pr.inline == [(MASTER, 12)]
    for name in ("here", "outside", "elsewhere"):
        assert f"{name}.yaml" in pr.note
    assert pr.note.splitlines()[0] == "❌ reciplint: 3 errors"
    assert "- 1, because the line is outside of the shown diff" in pr.note
    assert "- 1, because the file is not part of this change" in pr.note


def test_warnings_and_infos_stay_in_the_summary(pr: Scene) -> None:
    pr.push(1, found("a", 12, severity="warning"), found("b", 13, severity="info"))
    assert pr.inline == []
    assert pr.note.startswith("⚠️ reciplint: 1 warning, 1 info\n")
    assert "- 2, because only error and worse is shown inline" in pr.note


def test_a_clean_first_run_and_infos_alone_leave_no_comment(pr: Scene) -> None:
    pr.push(1)
    pr.push(2, found("a", 12, severity="info"))
    assert (pr.pull.notes, pr.pull.comments, pr.fake.writes) == ([], [], [])


# the same finding again


def test_after_another_push_a_rebase_or_a_line_shift_the_comment_is_untouched(pr: Scene) -> None:
    pr.push(1, found("a", 12))
    before = [(c.id, c.body, c.line) for c in pr.pull.comments]
    pr.push(2, found("a", 12))
    pr.push(3, found("a", 112), files={MASTER: patch(110, 20)})
    pr.push(4, found("a", 400), files={MASTER: patch(110, 20)})
    assert [(c.id, c.body, c.line) for c in pr.pull.comments] == before
    assert sha(4)[:12] in pr.note
    assert sum(1 for method, _ in pr.fake.writes if method != "PATCH") == 2  # the review and the first summary


def test_an_unchanged_run_writes_nothing(pr: Scene) -> None:
    pr.push(1, *forty())
    pr.fake.log.clear()
    pr.run(1, *forty())
    assert pr.fake.writes == []


# a finding that is fixed


def test_a_fixed_finding_is_minimised_as_resolved_and_the_summary_turns_green(pr: Scene) -> None:
    pr.push(1, found("a", 12), found("b", 14))
    pr.push(2, found("b", 14))
    assert [c.minimised for c in pr.pull.comments] == ["RESOLVED", ""]
    pr.push(3)
    assert [c.minimised for c in pr.pull.comments] == ["RESOLVED", "RESOLVED"]
    assert pr.note.splitlines()[0] == "✅ reciplint: nothing new"


def test_where_a_person_replied_one_reply_tells_of_the_fix(pr: Scene) -> None:
    pr.push(1, found("a", 12))
    thread = pr.pull.comments[0]
    pr.fake.say("robin", "is that so?", reply_to=thread.id)
    pr.push(2)
    pr.push(3)
    assert thread.minimised == ""
    assert [reply.body.splitlines()[0] for reply in pr.replies(thread)] == ["is that so?", f"Fixed in {sha(2)}."]


def test_another_bot_s_reply_is_no_person_s(pr: Scene) -> None:
    pr.push(1, found("a", 12))
    pr.fake.say("helper[bot]", "noted", reply_to=pr.pull.comments[0].id)
    pr.push(2)
    assert pr.pull.comments[0].minimised == "RESOLVED"


def test_a_fault_that_comes_back_is_told_again(pr: Scene) -> None:
    pr.push(1, found("a", 12))
    pr.push(2)
    pr.push(3, found("a", 15))
    assert pr.inline == [(MASTER, 15)]


def test_comments_of_others_with_a_copied_marker_are_never_touched(pr: Scene) -> None:
    pr.push(1, found("a", 12))
    copied_note = pr.fake.say("mallory", pr.notes[0].body)
    copied = pr.fake.say("mallory", pr.pull.comments[0].body, reply_to=None)
    pr.pull.notes.remove(copied)
    pr.pull.comments.append(copied)
    pr.pull.notes.sort(key=lambda note: note.user != "mallory")
    body = copied_note.body
    pr.push(2)
    assert copied_note.body == body
    assert copied.minimised == ""
    assert [note.user for note in pr.pull.notes if is_summary(note.body)] == ["mallory", BOT]
    assert pr.pull.comments[0].minimised == "RESOLVED"


# two runs at once


@pytest.mark.parametrize(
    ("method", "part"),
    [("GET", "/pulls/7/comments"), ("POST", REVIEW), ("GET", NOTES), ("POST", NOTES), ("QUERY", "/graphql")],
)
def test_an_older_run_that_finishes_last_leaves_the_newer_text_and_one_summary(
    pr: Scene, method: str, part: str
) -> None:
    pr.fake.before.append((method, part, lambda: pr.push(2, found("new", 20)) and None))
    pr.run(1, found("old", 12))
    assert f"`{sha(2)[:12]}`" in pr.note
    assert "new.yaml" in pr.note


@pytest.mark.parametrize("part", [REVIEW, NOTES, "/pulls/7/comments"])
def test_two_runs_on_one_head_leave_one_summary(pr: Scene, part: str) -> None:
    method = "GET" if part.endswith("comments") and "pulls" in part else "POST"
    pr.fake.before.append((method, part, lambda: pr.run(1, found("a", 12)) and None))
    pr.run(1, found("a", 12))
    assert len(pr.notes) == 1
    pr.push(2, found("a", 12))
    assert pr.inline == [(MASTER, 12)]


def test_an_older_run_between_check_and_update_is_told_apart_by_the_next_run(pr: Scene) -> None:
    pr.push(1, found("a", 12))
    pr.fake.before.append(("PATCH", "/issues/comments", lambda: pr.push(3, found("new", 20)) and None))
    pr.push(2, found("a", 12))  # its PATCH comes after the newer run: the one window that GitHub leaves open
    assert len(pr.notes) == 1
    pr.run(3, found("new", 20))
    assert f"`{sha(3)[:12]}`" in pr.note


def test_a_duplicate_that_a_lagging_list_hid_goes_with_the_next_run(pr: Scene) -> None:
    pr.push(1, found("a", 12))
    pr.fake.hidden = {pr.notes[0].id}
    pr.run(1, found("a", 12))
    pr.fake.hidden = set()
    assert len(pr.notes) == 2
    oldest = pr.notes[0].id
    pr.push(2, found("a", 12))
    assert [note.id for note in pr.notes] == [oldest]


# many


def test_forty_findings_are_ten_comments_the_worst_first_one_a_line_in_six_writes(pr: Scene) -> None:
    findings = [*forty(), found("twin", 12, message="another on a line that is taken")]
    pr.push(1, *findings)
    assert len(pr.inline) == len(set(pr.inline)) == 10
    assert {line for _, line in pr.inline} == {12 + 2 * index for index in range(10)}
    assert all(f"n{index:02}" in pr.note for index in range(40))
    assert "- 1, because another finding is shown on that line" in pr.note
    assert "because at most 10 are shown inline" in pr.note
    assert len(pr.fake.writes) <= 6
    pr.push(2)
    assert pr.inline == []
    assert len(pr.fake.writes) <= 6


def test_a_long_summary_is_cut_by_whole_rows(pr: Scene) -> None:
    findings = [found(f"n{index}", 11, message=f"row {index} " + "word " * 100) for index in range(600)]
    pr.push(1, *findings)
    assert len(pr.note) <= 60_000
    rows = [line for line in pr.note.splitlines() if line.startswith("| ❌")]
    assert 50 < len(rows) < 600
    assert all("…<br>[`" in row and row.endswith("#L11) |") for row in rows)
    assert f"and {600 - len(rows)} more findings" in pr.note


# refusals


def test_a_comment_off_the_diff_is_never_sent(pr: Scene) -> None:
    pr.push(1, found("a", 12), found("b", 9), found("c", 70))
    assert pr.inline == [(MASTER, 12)]
    assert sum(path.endswith(REVIEW) for _, path in pr.fake.writes) == 1


def test_what_github_refuses_still_is_the_only_thing_dropped(pr: Scene) -> None:
    local = from_patches([(MASTER, "", patch(10, 60)), (OTHER, "", patch(1, 9))])
    pr.run(1, found("a", 12), found("bad", 3, OTHER), found("c", 14), diff=local)
    assert pr.inline == [(MASTER, 12), (MASTER, 14)]
    assert "- 1, because GitHub did not take the line" in pr.note
    assert "bad.yaml" in pr.note


def test_where_even_that_is_refused_each_goes_by_itself(pr: Scene) -> None:
    pr.fake.faults.append(Fault("POST", REVIEW, 422, "Validation Failed"))
    pr.run(1, found("a", 12), found("c", 14))
    assert pr.inline == [(MASTER, 12), (MASTER, 14)]


@pytest.mark.parametrize(("method", "part"), [("POST", REVIEW), ("POST", NOTES), ("PATCH", "/issues/comments")])
@pytest.mark.parametrize("is_stored", [True, False])
def test_a_502_leaves_no_duplicate_and_nothing_out(pr: Scene, method: str, part: str, is_stored: bool) -> None:
    if method == "PATCH":
        pr.push(1, found("old", 12))
    pr.fake.faults.append(Fault(method, part, 502, is_stored=is_stored))
    assert pr.push(2, found("a", 12), found("b", 14)).status == "done"
    assert sorted(pr.inline) == [(MASTER, 12), (MASTER, 14)]
    assert "❌ reciplint: 2 errors" in pr.note


def test_a_502_on_minimising_or_replying_leaves_no_second_reply(pr: Scene) -> None:
    pr.push(1, found("a", 12), found("b", 14))
    pr.fake.say("robin", "hm", reply_to=pr.pull.comments[0].id)
    pr.fake.faults += [Fault("POST", "/replies", 502, is_stored=True), Fault("POST", "/graphql", 502, is_stored=True)]
    pr.push(2)
    assert len(pr.replies(pr.pull.comments[0])) == 2
    assert pr.pull.comments[1].minimised == "RESOLVED"


@pytest.mark.parametrize("status", [403, 429, 422])
@pytest.mark.parametrize(("headers", "wait"), [({"Retry-After": "7"}, 7), ({}, 60)])
def test_a_limit_is_waited_for_once(pr: Scene, status: int, headers: dict[str, str], wait: int) -> None:
    pr.fake.faults.append(Fault("POST", REVIEW, status, ABUSE, headers))
    assert pr.push(1, found("a", 12)).status == "done"
    assert pr.sleeps == [wait]
    assert pr.inline == [(MASTER, 12)]
    assert pr.notes


def test_a_limit_that_stays_or_takes_too_long_is_given_up(pr: Scene) -> None:
    pr.fake.faults.append(Fault("POST", NOTES, 403, ABUSE, {"Retry-After": "7"}, times=2))
    result = pr.push(1, found("a", 12))
    assert (result.status, pr.sleeps) == ("gave-up", [7])
    assert "secondary rate limit" in result.reason
    pr.fake.faults.append(Fault("POST", NOTES, 403, ABUSE, {"Retry-After": "3600"}))
    assert pr.push(2, found("a", 12)).status == "gave-up"
    assert pr.sleeps == [7]


def test_reading_survives_faults_of_the_server(pr: Scene) -> None:
    pr.fake.faults += [Fault("GET", "/pulls/7", 502), Fault("QUERY", "/graphql", 503), Fault("GET", NOTES, 500)]
    assert pr.push(1, found("a", 12)).status == "done"
    assert pr.inline == [(MASTER, 12)]


def test_a_read_only_token_is_told_and_stops_at_the_first_write(pr: Scene) -> None:
    assert pr.run(1, found("a", 12), token=READS).status == "read-only"
    assert (pr.pull.notes, pr.pull.comments, len(pr.fake.writes)) == ([], [], 1)


def test_a_head_that_moved_stops_everything(pr: Scene) -> None:
    pr.pull.head = sha(2)
    assert pr.run(1, found("a", 12)).status == "superseded"
    assert pr.fake.writes == []


def test_long_conversations_are_read_to_the_last_page(pr: Scene) -> None:
    for index in range(150):
        pr.fake.say("robin", f"comment {index}")
    pr.push(1, found("a", 12))
    pr.push(2, found("a", 12))
    assert len(pr.notes) == 1


def test_large_diffs_come_from_the_pages_of_the_files_endpoint(pr: Scene) -> None:
    """The raw diff (406 above 300 files) is never asked for."""
    from reciplint.bot.client import Client

    pr.pull.files = {f"f{index}.yaml": patch(1, 4) if index % 7 else None for index in range(350)}
    diff = Client(pr.event(sha(1)), 7).diff()
    assert diff.line_within("f343.yaml", 1, 1) is None  # too large: GitHub gives no patch
    assert diff.touches("f343.yaml")
    assert diff.line_within("f348.yaml", 1, 2) == 1


def test_english_visible_chinese_folded(pr: Scene) -> None:
    pr.run(1, found("a", 12), languages=("en", "zh"))
    english, _, chinese = pr.note.partition("<details><summary>中文</summary>")
    assert "no recipe a.yaml" in english
    assert "❌ reciplint: 1 个错误" in chinese
    assert "没有配方 a.yaml" in chinese
    assert "没有配方 a.yaml" in pr.pull.comments[0].body.partition("<details><summary>中文</summary>")[2]
