"""A GitHub on loopback: stateful, held to the published contract, and as unkind as the real one.

What the contract cannot say it enforces itself: which lines of a diff take a comment, body size, a token that may not
write, pages, answers of 502 after the work was done, limits, listings that lag behind, other runs in between.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import contract

BOT = "github-actions[bot]"
LONGEST_BODY = 65_536
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")


class Refusal(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}


@dataclass
class Fault:
    """What happens to the next `times` requests of a method on a path (a part of it): answered so, stored or not."""

    method: str
    part: str
    status: int
    message: str = "Server Error"
    headers: dict[str, str] = field(default_factory=dict)
    is_stored: bool = False
    times: int = 1


@dataclass
class Comment:
    """A comment on the pull request: of the conversation, or on a line."""

    id: int
    user: str
    body: str
    path: str = ""
    line: int = 0
    start_line: int | None = None
    reply_to: int | None = None
    review: int = 0
    minimised: str = ""

    @property
    def node(self) -> str:
        return f"NODE_{self.id}"


@dataclass
class Pull:
    """The pull request: its head, its files with their patches, all paths of the head, what was said."""

    head: str
    files: dict[str, str | None]
    number: int = 7
    head_repository: str = "fork/bench"
    branch: str = "topic"
    tree: list[str] = field(default_factory=list)
    notes: list[Comment] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)

    def shown_lines(self, path: str) -> list[set[int]]:
        """The lines of the head that each hunk of a file shows."""
        hunks = []
        for line in (self.files.get(path) or "").split("\n"):
            if found := _HUNK.match(line):
                start, size = int(found[1]), int(found[2] or 1)
                hunks.append(set(range(start, start + size)))
        return hunks

    @property
    def open(self) -> list[Comment]:
        """The comments on lines that a reader sees unfolded."""
        return [comment for comment in self.comments if not comment.minimised and comment.reply_to is None]


class FakeGitHub:
    """The server's state; `violations` of the contract must be empty in the end."""

    repository = "example/bench"

    def __init__(self, pull: Pull) -> None:
        self.pull = pull
        self.tokens = {"ghs_writes_0123456789": True, "ghs_reads_0123456789": False}
        self.faults: list[Fault] = []
        self.before: list[tuple[str, str, Callable[[], None]]] = []
        self.violations: list[str] = []
        self.log: list[tuple[str, str]] = []
        self.hidden: set[int] = set()
        self.page_limit = 100
        self.is_tree_cut = False
        self.lock = threading.RLock()
        self._last = 100
        self.url = ""

    @property
    def writes(self) -> list[tuple[str, str]]:
        """Every request that changes something, refused ones included."""
        return [(method, path) for method, path in self.log if method not in ("GET", "QUERY")]

    def next_id(self) -> int:
        self._last += 1
        return self._last

    def say(self, user: str, body: str, reply_to: int | None = None) -> Comment:
        """Somebody else comments: in the conversation, or in a thread."""
        comment = Comment(self.next_id(), user, body, reply_to=reply_to)
        (self.pull.notes if reply_to is None else self.pull.comments).append(comment)
        return comment

    # requests

    def answer(self, method: str, url: str, token: str, body: Any) -> tuple[int, Any, dict[str, str]]:
        parts = urlsplit(url)
        kind = (
            "QUERY" if parts.path.endswith("/graphql") and "mutation" not in (body or {}).get("query", "") else method
        )
        self.log.append((kind, parts.path))
        self._run_hooks(kind, parts.path)
        with self.lock:
            try:
                return self._answer(kind, method, parts.path, parse_qs(parts.query), token, body)
            except Refusal as refusal:
                return refusal.status, {"message": str(refusal), "documentation_url": "x"}, refusal.headers

    def _run_hooks(self, method: str, path: str) -> None:
        for hook in list(self.before):
            if hook[0] == method and hook[1] in path:
                self.before.remove(hook)
                hook[2]()

    def _answer(
        self, kind: str, method: str, path: str, query: dict[str, list[str]], token: str, body: Any
    ) -> tuple[int, Any, dict[str, str]]:
        if token not in self.tokens:
            raise Refusal(401, "Bad credentials")
        fault = next((f for f in self.faults if f.times and f.method == kind and f.part in path), None)
        if fault is not None:
            fault.times -= 1
            if not fault.is_stored:
                raise Refusal(fault.status, fault.message, fault.headers)
        if kind not in ("GET", "QUERY") and not self.tokens[token]:
            raise Refusal(403, "Resource not accessible by integration")
        if path.endswith("/graphql"):
            answer: tuple[int, Any, dict[str, str]] = (200, self._graphql(body), {})
        else:
            answer = self._rest(method, path, query, body)
        if fault is not None:
            raise Refusal(fault.status, fault.message, fault.headers)
        return answer

    def _rest(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> tuple[int, Any, dict[str, str]]:
        found = contract.operation(method, path)
        if found is None:
            self.violations.append(f"{method} {path} is not in the contract")
            raise Refusal(404, "Not Found")
        template, operation, fields = found
        if method != "GET":
            self._hold(f"{method} {template} request", contract.request_schema(operation), body)
        if fields.get("pull_number", fields.get("issue_number", str(self.pull.number))) != str(self.pull.number):
            raise Refusal(404, "Not Found")
        name = f"_{method.lower()}_{template.removeprefix('/repos/{owner}/{repo}/')}"
        name = re.sub(r"\W+", "_", re.sub(r"\{\w+\}", "one", name)).rstrip("_")
        status, value = getattr(self, name)(fields, body or {}, query)
        headers: dict[str, str] = {}
        if isinstance(value, list):
            value, headers = self._page(path, query, value)
        if status != 204:
            self._hold(f"{method} {template} answer {status}", contract.response_schema(operation, status), value)
        return status, value, headers

    def _hold(self, where: str, schema: dict[str, Any] | None, value: Any) -> None:
        self.violations += [f"{where}: {fault}" for fault in contract.faults(schema, value)]

    def _page(self, path: str, query: dict[str, list[str]], value: list[Any]) -> tuple[list[Any], dict[str, str]]:
        size = min(int(query.get("per_page", ["30"])[0]), self.page_limit)
        page = int(query.get("page", ["1"])[0])
        part = value[(page - 1) * size : page * size]
        more = page * size < len(value)
        link = f'<{self.url}{path}?per_page={size}&page={page + 1}>; rel="next"'
        return part, {"Link": link} if more else {}

    # the conversation

    def _get_issues_one_comments(self, *_: Any) -> tuple[int, Any]:
        return 200, [self._note(note) for note in self.pull.notes if note.id not in self.hidden]

    def _post_issues_one_comments(self, fields: Any, body: Any, query: Any) -> tuple[int, Any]:
        self._check_body(body["body"])
        self.pull.notes.append(Comment(self.next_id(), BOT, body["body"]))
        return 201, self._note(self.pull.notes[-1])

    def _patch_issues_comments_one(self, fields: Any, body: Any, query: Any) -> tuple[int, Any]:
        self._check_body(body["body"])
        note = self._find(self.pull.notes, fields["comment_id"])
        note.body = body["body"]
        return 200, self._note(note)

    def _delete_issues_comments_one(self, fields: Any, body: Any, query: Any) -> tuple[int, Any]:
        self.pull.notes.remove(self._find(self.pull.notes, fields["comment_id"]))
        return 204, None

    def _note(self, note: Comment) -> dict[str, Any]:
        return contract.made("issue-comment", id=note.id, node_id=note.node, body=note.body, user=self._user(note.user))

    # comments on lines

    def _get_pulls_one_comments(self, *_: Any) -> tuple[int, Any]:
        return 200, [self._comment(comment) for comment in self.pull.comments if comment.id not in self.hidden]

    def _post_pulls_one_comments(self, fields: Any, body: Any, query: Any) -> tuple[int, Any]:
        self._check_place(body)
        return 201, self._comment(self._stored(body, self.next_id()))

    def _post_pulls_one_reviews(self, fields: Any, body: Any, query: Any) -> tuple[int, Any]:
        for comment in body["comments"]:
            self._check_place(comment)
        review = self.next_id()
        for comment in body["comments"]:
            self._stored(comment, review)
        return 200, contract.made("pull-request-review", id=review)

    def _post_pulls_one_comments_one_replies(self, fields: Any, body: Any, query: Any) -> tuple[int, Any]:
        self._check_body(body["body"])
        first = self._find(self.pull.comments, fields["comment_id"])
        if first.reply_to is not None:
            raise Refusal(422, "Validation Failed")
        self.pull.comments.append(Comment(self.next_id(), BOT, body["body"], first.path, first.line, reply_to=first.id))
        return 201, self._comment(self.pull.comments[-1])

    def _stored(self, body: Any, review: int) -> Comment:
        self._check_body(body["body"])
        comment = Comment(
            self.next_id(), BOT, body["body"], body["path"], body["line"], body.get("start_line"), review=review
        )
        self.pull.comments.append(comment)
        return comment

    def _check_place(self, body: Any) -> None:
        first = body.get("start_line", body["line"])
        if "start_line" in body and first >= body["line"]:
            raise Refusal(422, "Validation Failed: start_line must precede the end line.")
        hunks = self.pull.shown_lines(body["path"])
        if body.get("side") != "RIGHT" or not any({first, body["line"]} <= hunk for hunk in hunks):
            raise Refusal(422, "Unprocessable Entity: pull_request_review_thread.line must be part of the diff")

    def _comment(self, comment: Comment) -> dict[str, Any]:
        fields: dict[str, Any] = {"in_reply_to_id": comment.reply_to} if comment.reply_to else {}
        return contract.made(
            "pull-request-review-comment",
            id=comment.id,
            node_id=comment.node,
            body=comment.body,
            user=self._user(comment.user),
            **{"path": comment.path, "line": comment.line, **fields},
        )

    # the pull request

    def _get_pulls_one(self, *_: Any) -> tuple[int, Any]:
        return 200, self._pull("pull-request")

    def _get_pulls(self, fields: Any, body: Any, query: Any) -> tuple[int, Any]:
        owner = self.pull.head_repository.split("/")[0]
        matches = query.get("head", [""])[0] == f"{owner}:{self.pull.branch}"
        return 200, [self._pull("pull-request-simple")] if matches else []

    def _get_commits_one_pulls(self, fields: Any, body: Any, query: Any) -> tuple[int, Any]:
        return 200, [self._pull("pull-request-simple")] if fields["commit_sha"] == self.pull.head else []

    def _get_pulls_one_files(self, *_: Any) -> tuple[int, Any]:
        files = []
        for path, patch in self.pull.files.items():
            fields = {"patch": patch} if patch is not None else {}
            files.append(contract.made("diff-entry", filename=path, status="modified", **fields))
        return 200, files

    def _get_git_trees_one(self, fields: Any, body: Any, query: Any) -> tuple[int, Any]:
        if fields["tree_sha"] != self.pull.head:
            raise Refusal(404, "Not Found")
        assert query.get("recursive") == ["1"]
        listed = [{"path": path, "mode": "100644", "type": "blob", "sha": "0" * 40} for path in self.pull.tree]
        return 200, contract.made("git-tree", sha="0" * 40, tree=listed, truncated=self.is_tree_cut)

    def _pull(self, name: str) -> dict[str, Any]:
        made = contract.made(name, number=self.pull.number, state="open")
        made["head"] |= {"sha": self.pull.head, "ref": self.pull.branch}
        made["head"]["repo"] = contract.made("repository", full_name=self.pull.head_repository)
        made["base"]["repo"] = contract.made("repository", full_name=self.repository)
        return made

    # common

    def _user(self, login: str) -> dict[str, Any]:
        return contract.made("simple-user", login=login, type="Bot" if login.endswith("[bot]") else "User")

    def _check_body(self, text: str) -> None:
        if len(text) > LONGEST_BODY:
            raise Refusal(422, "Validation Failed: body is too long (maximum is 65536 characters)")

    def _find(self, comments: list[Comment], number: str) -> Comment:
        for comment in comments:
            if comment.id == int(number):
                return comment
        raise Refusal(404, "Not Found")

    def _graphql(self, body: Any) -> dict[str, Any]:
        from graphql_fake import execute

        return execute(self.pull, BOT, body, self.violations)


@contextmanager
def serving(fake: FakeGitHub) -> Iterator[FakeGitHub]:
    """The fake on a free port of loopback; in the end nothing may have broken the contract."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else None
            token = (self.headers.get("Authorization") or "").removeprefix("token ").removeprefix("Bearer ")
            status, value, headers = fake.answer(self.command, self.path, token, body)
            data = b"" if status == 204 else json.dumps(value).encode()
            self.send_response(status)
            for name, text in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, text)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
    assert fake.violations == []
