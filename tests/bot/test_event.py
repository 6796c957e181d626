"""The environment of Actions, well-formed and not; waits as GitHub tells them; the rules' Chinese."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from scene import sha

from reciplint.bot.event import EventError, read_event, refuse_target_checkout
from reciplint.bot.writing import Absent, GaveUp, Limited, ReadOnly, Trouble, Unprocessable, Unsure, _trouble, once
from reciplint.engine.registry import all_rules

PULL = {
    "number": 7,
    "base": {"sha": sha(1)},
    "head": {
        "sha": sha(2),
        "ref": "topic",
        "repo": {"full_name": "fork/bench", "html_url": "https://x.org/fork/bench"},
    },
}
RUN = {
    "event": "pull_request",
    "head_sha": sha(2),
    "head_branch": "topic",
    "head_repository": {"full_name": "fork/bench"},
}


def environment(tmp_path: Path, payload: object, name: str = "pull_request", **more: str) -> dict[str, str]:
    file = tmp_path / "event.json"
    file.write_text(payload if isinstance(payload, str) else json.dumps(payload))
    return {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(file), "GITHUB_REPOSITORY": "example/bench", **more}


def test_a_pull_request(tmp_path: Path) -> None:
    event = read_event(environment(tmp_path, {"pull_request": PULL}, GITHUB_TOKEN="secret"))
    assert (event.number, event.base_sha, event.head_sha, event.web) == (7, sha(1), sha(2), "https://x.org/fork/bench")
    assert (event.api_url, event.graphql_url) == ("https://api.github.com", "https://api.github.com/graphql")
    assert "secret" not in repr(event)


def test_an_enterprise_server(tmp_path: Path) -> None:
    given = environment(tmp_path, {"pull_request": PULL}, GITHUB_API_URL="https://ghe.example/api/v3")
    assert read_event(given).graphql_url == "https://ghe.example/api/graphql"


def test_a_fork_that_is_gone(tmp_path: Path) -> None:
    pull = {**PULL, "head": {"sha": sha(2), "ref": "topic", "repo": None}}
    assert read_event(environment(tmp_path, {"pull_request": pull})).web == ""


def test_a_workflow_run(tmp_path: Path) -> None:
    event = read_event(environment(tmp_path, {"workflow_run": RUN}, "workflow_run"))
    assert (event.number, event.head_sha, event.head_repository) == (None, sha(2), "fork/bench")
    with pytest.raises(EventError, match="not for a pull request"):
        read_event(environment(tmp_path, {"workflow_run": {**RUN, "event": "push"}}, "workflow_run"))


@pytest.mark.parametrize(
    "payload",
    [
        "{",
        "[]",
        {},
        {"pull_request": None},
        {"pull_request": {**PULL, "number": "7"}},
        {"pull_request": {**PULL, "base": {"sha": "--output=x"}}},
    ],
)
def test_a_payload_that_names_nothing(tmp_path: Path, payload: Any) -> None:
    with pytest.raises(EventError):
        read_event(environment(tmp_path, payload))


def test_hostile_addresses_are_no_links(tmp_path: Path) -> None:
    head = {**PULL["head"], "repo": {"full_name": "a/b", "html_url": "https://x.org/a) <img src=x>"}}  # type: ignore[dict-item]
    assert read_event(environment(tmp_path, {"pull_request": {**PULL, "head": head}})).web == ""


def test_a_privileged_run_may_stand_on_the_base_only(tmp_path: Path) -> None:
    given = environment(tmp_path, {"pull_request": PULL}, "pull_request_target", GITHUB_SHA=sha(3))
    event = read_event(given)
    refuse_target_checkout(event, sha(1))
    refuse_target_checkout(event, sha(3))
    for checked_out in (sha(2), sha(4), None):
        with pytest.raises(EventError):
            refuse_target_checkout(event, checked_out)


@pytest.mark.parametrize(
    ("status", "message", "headers", "kind", "wait"),
    [
        (500, "", {}, Unsure, None),
        (429, "", {"retry-after": "5"}, Limited, 5),
        (403, "API rate limit exceeded", {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "130"}, Limited, 31),
        (403, "You have triggered an abuse detection mechanism", {}, Limited, 60),
        (422, "was submitted too quickly", {}, Limited, 60),
        (422, "Validation Failed", {}, Unprocessable, None),
        (403, "Resource not accessible by integration", {}, ReadOnly, None),
        (401, "Bad credentials", {}, ReadOnly, None),
        (404, "Not Found", {}, Absent, None),
        (400, "Problems parsing JSON", {}, Trouble, None),
    ],
)
def test_answers(status: int, message: str, headers: dict[str, str], kind: type[Trouble], wait: float | None) -> None:
    found = _trouble(status, {"message": message}, headers, now=100)
    assert type(found) is kind
    assert getattr(found, "wait", None) == wait


def test_nothing_is_sent_a_third_time() -> None:
    sent: list[int] = []

    def send() -> None:
        sent.append(1)
        raise Unsure("502")

    with pytest.raises(GaveUp):
        once(send, lambda: False, lambda seconds: None)
    once(send, lambda: True, lambda seconds: None)
    assert len(sent) == 3


def test_the_rules_chinese_takes_the_fields_of_their_english() -> None:
    for name, registered in all_rules().items():
        rule = registered.rule
        assert rule.messages_zh.keys() <= rule.messages.keys(), name
        for message_id, text in rule.messages_zh.items():
            fields = [set(re.findall(r"\{(\w+)", told)) for told in (rule.messages[message_id], text)]
            assert fields[1] <= fields[0], (name, message_id)
