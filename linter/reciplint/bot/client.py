"""The pull request on GitHub, through PyGithub: reading what the bot left, and the few writes it makes.

Who wrote a comment is asked of GitHub (`viewerDidAuthor`): a marker can be copied by anyone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from reciplint.bot.diffmap import DiffMap, from_patches
from reciplint.bot.event import Event
from reciplint.bot.graphql import MINIMIZE, OWN, minimize_document
from reciplint.bot.model import (
    Existing,
    Inline,
    Minimise,
    Note,
    Reply,
    Thread,
    fixed_key,
    inline_key,
    is_summary,
)
from reciplint.bot.plan import is_same
from reciplint.bot.writing import Absent, GaveUp, Limited, ReadOnly, Trouble, Unsure, once, translated, wait_for

if TYPE_CHECKING:
    from github import Github

Value = TypeVar("Value")

_TIMEOUT = 30
_PAGE = 100
_TRIES = 3
_BREATH = 2.0


def connect(event: Event) -> Github:
    """PyGithub's client: no retries of its own (it would repeat writes that were stored), no pauses."""
    from github import Auth, Github

    return Github(
        auth=Auth.Token(event.token) if event.token else None,
        base_url=event.api_url,
        timeout=_TIMEOUT,
        user_agent="reciplint",
        per_page=_PAGE,
        retry=None,
        seconds_between_requests=None,
        seconds_between_writes=None,
    )


class Client:
    """One pull request. Raises `Trouble`."""

    def __init__(self, event: Event, number: int, sleep: Callable[[float], None] = time.sleep) -> None:
        self._event = event
        self._number = number
        self._sleep = sleep
        self._home = f"/repos/{event.repository}"

    @cached_property
    def _github(self) -> Github:
        return connect(self._event)

    # reading

    def head(self) -> str:
        """The commit that the pull request stands on now."""
        return str(self._get(f"{self._home}/pulls/{self._number}")["head"]["sha"])

    def existing(self) -> Existing:
        """What the bot left."""
        comments = self._list(f"{self._home}/pulls/{self._number}/comments")
        notes = self._marked_notes()
        told = [item for item in comments if fixed_key(item["body"] or "")]
        tops = [item for item in comments if inline_key(item["body"] or "") and not item.get("in_reply_to_id")]
        own = self._own([item["node_id"] for item in (*notes, *tops, *told)])
        fixed = {item.get("in_reply_to_id") for item in told if item["node_id"] in own}
        answered = {
            item.get("in_reply_to_id")
            for item in comments
            if item["node_id"] not in own and (item.get("user") or {}).get("type") != "Bot"
        }
        threads = tuple(
            Thread(
                id=item["id"],
                node=item["node_id"],
                key=inline_key(item["body"]),
                is_minimised=bool(own[item["node_id"]].get("isMinimized")),
                is_told_fixed=item["id"] in fixed,
                is_answered=item["id"] in answered,
                can_minimise=bool(own[item["node_id"]].get("viewerCanMinimize")),
            )
            for item in sorted(tops, key=_age)
            if item["node_id"] in own
        )
        return Existing(_notes(notes, own), threads)

    def notes(self) -> tuple[Note, ...]:
        """The summaries that the bot left, oldest first."""
        found = self._marked_notes()
        return _notes(found, self._own([item["node_id"] for item in found]))

    def diff(self) -> DiffMap:
        """The map of the diff from the files endpoint, which has no limit of lines as the raw diff has."""
        files = self._list(f"{self._home}/pulls/{self._number}/files")
        return from_patches(
            (item["filename"], item.get("previous_filename") or "", item.get("patch")) for item in files
        )

    def paths(self, commit: str) -> frozenset[str] | None:
        """Every path of a commit's tree; None where the token may not read it, or it has too many to be listed."""
        try:
            found = self._get(f"{self._home}/git/trees/{commit}?recursive=1")
        except (ReadOnly, Absent):
            return None
        return None if found["truncated"] else frozenset(item["path"] for item in found["tree"])

    def _marked_notes(self) -> list[dict[str, Any]]:
        listed = self._list(f"{self._home}/issues/{self._number}/comments")
        return [item for item in listed if is_summary(item["body"] or "")]

    def _own(self, nodes: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The comments among these that this token wrote, by node id, with what it may do."""
        found: dict[str, dict[str, Any]] = {}
        for start in range(0, len(nodes), _PAGE):
            data = self._read(partial(self._graphql, OWN, {"ids": list(nodes[start : start + _PAGE])}))
            found |= {node["id"]: node for node in data["nodes"] if node and node.get("viewerDidAuthor")}
        return found

    # writing

    def post_review(self, head: str, comments: Sequence[Inline]) -> None:
        """All comments in one review; it stores all or none. Raises `Unprocessable`."""
        keys = {comment.key for comment in comments}
        body = {"commit_id": head, "event": "COMMENT", "comments": [_comment(comment) for comment in comments]}
        once(
            lambda: self._send("POST", f"{self._home}/pulls/{self._number}/reviews", body),
            lambda: self._is_posted(keys),
            self._sleep,
        )

    def post_comment(self, head: str, comment: Inline) -> None:
        """One comment by itself. Raises `Unprocessable`."""
        body = {"commit_id": head, **_comment(comment)}
        once(
            lambda: self._send("POST", f"{self._home}/pulls/{self._number}/comments", body),
            lambda: self._is_posted({comment.key}),
            self._sleep,
        )

    def create_note(self, text: str) -> None:
        """A new summary."""
        once(
            lambda: self._send("POST", f"{self._home}/issues/{self._number}/comments", {"body": text}),
            lambda: any(is_same(note.body, text) for note in self.notes()),
            self._sleep,
        )

    def update_note(self, note: int, text: str) -> None:
        """A summary's new text."""
        once(
            lambda: self._send("PATCH", f"{self._home}/issues/comments/{note}", {"body": text}),
            lambda: any(is_same(found.body, text) for found in self.notes() if found.id == note),
            self._sleep,
        )

    def delete_note(self, note: int) -> None:
        """A second summary goes."""
        once(
            lambda: self._send("DELETE", f"{self._home}/issues/comments/{note}", None),
            lambda: all(found.id != note for found in self.notes()),
            self._sleep,
        )

    def reply(self, reply: Reply) -> None:
        """An answer in a thread."""
        url = f"{self._home}/pulls/{self._number}/comments/{reply.thread.id}/replies"
        once(
            lambda: self._send("POST", url, {"body": reply.body}),
            lambda: any(t.id == reply.thread.id and t.is_told_fixed for t in self.existing().threads),
            self._sleep,
        )

    def minimise(self, comments: Sequence[Minimise]) -> None:
        """Fold comments away, all in one request."""
        inputs = {
            f"a{index}": {"subjectId": item.thread.node, "classifier": item.classifier}
            for index, item in enumerate(comments)
        }
        nodes = {item.thread.node for item in comments}

        def is_done() -> bool:
            return all(thread.is_minimised for thread in self.existing().threads if thread.node in nodes)

        once(lambda: self._mutate(minimize_document(MINIMIZE, list(inputs)), inputs), is_done, self._sleep)

    def _mutate(self, document: str, inputs: dict[str, Any]) -> None:
        with translated():
            self._graphql(document, inputs)

    def _is_posted(self, keys: Iterable[str]) -> bool:
        stored = {thread.key for thread in self.existing().threads if thread.is_open}
        return set(keys) <= stored

    # requests

    def _send(self, verb: str, url: str, body: dict[str, Any] | None) -> None:
        with translated():
            self._github.requester.requestJsonAndCheck(verb, url, input=body)

    def _graphql(self, document: str, variables: dict[str, Any]) -> dict[str, Any]:
        body = {"query": document, "variables": variables}
        _, answer = self._github.requester.requestJsonAndCheck("POST", self._event.graphql_url, input=body)
        if answer.get("errors") and not answer.get("data"):
            raise Trouble("GitHub's GraphQL interface refused the request")
        data: dict[str, Any] = answer.get("data") or {}
        return data

    def _get(self, url: str) -> Any:
        return self._read(lambda: self._github.requester.requestJsonAndCheck("GET", url)[1])

    def _list(self, url: str) -> list[dict[str, Any]]:
        """Every page of a list, in the order of the server."""
        found: list[dict[str, Any]] = []
        page = 1
        while True:
            part = self._get(f"{url}?per_page={_PAGE}&page={page}")
            found += part
            if len(part) < _PAGE:
                return found
            page += 1

    def _read(self, ask: Callable[[], Value]) -> Value:
        """Ask again after a server's fault, and once after a limit: reading changes nothing."""
        has_waited = False
        for attempt in range(_TRIES):
            try:
                with translated():
                    return ask()
            except Unsure as error:
                if attempt == _TRIES - 1:
                    raise GaveUp(str(error)) from None
                self._sleep(_BREATH)
            except Limited as limit:
                if has_waited:
                    raise GaveUp(str(limit)) from None
                has_waited = True
                wait_for(limit, self._sleep)
        raise GaveUp("GitHub did not answer")


def pull_of_run(event: Event, sleep: Callable[[float], None] = time.sleep) -> int:
    """The one open pull request that a `workflow_run` was for: by its head and the repository that the head is in.

    The event's own list is empty for forks, and what an artifact says is not believed. Raises `Trouble`.
    """
    client = Client(event, 0, sleep)
    owner = event.head_repository.split("/", 1)[0]
    listed = client._list(f"/repos/{event.repository}/commits/{event.head_sha}/pulls")
    numbers = _matching(listed, event)
    if not numbers and event.head_branch:
        from urllib.parse import quote

        head = quote(f"{owner}:{event.head_branch}", safe="")
        pulls = client._get(f"/repos/{event.repository}/pulls?state=open&head={head}&per_page={_PAGE}")
        numbers = _matching(pulls, event)
    if len(numbers) != 1:
        raise Trouble(f"{len(numbers) or 'no'} open pull requests stand on {event.head_sha[:12]}: expected one")
    return numbers.pop()


def _matching(pulls: Iterable[dict[str, Any]], event: Event) -> set[int]:
    return {
        pull["number"]
        for pull in pulls
        if pull["state"] == "open"
        and pull["head"]["sha"] == event.head_sha
        and ((pull["head"].get("repo") or {}).get("full_name") or "") == event.head_repository
        and ((pull["base"].get("repo") or {}).get("full_name") or "") == event.repository
    }


def _comment(comment: Inline) -> dict[str, Any]:
    """A comment as the API takes it: one line has no `start_line`."""
    place: dict[str, Any] = {"path": comment.path, "line": comment.line, "side": "RIGHT"}
    if comment.start_line < comment.line:
        place |= {"start_line": comment.start_line, "start_side": "RIGHT"}
    return {**place, "body": comment.body}


def _age(item: dict[str, Any]) -> int:
    return int(item["id"])


def _notes(listed: Iterable[dict[str, Any]], own: dict[str, dict[str, Any]]) -> tuple[Note, ...]:
    return tuple(Note(item["id"], item["body"]) for item in sorted(listed, key=_age) if item["node_id"] in own)
