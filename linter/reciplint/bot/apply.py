"""Carry a plan out: a thin loop that stops when the pull request has moved on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from reciplint.bot.diffmap import DiffMap
from reciplint.bot.model import Existing, Inline, Minimise, Note, Plan, Reply
from reciplint.bot.plan import is_same
from reciplint.bot.writing import ReadOnly, Trouble, Unprocessable

Replan = Callable[[Existing, frozenset[str], bool], Plan]
"""A plan from what is there, the keys that GitHub refused, and whether new inline comments may be made."""


class Remote(Protocol):
    """What is needed of the pull request."""

    def head(self) -> str: ...  # noqa: D102
    def existing(self) -> Existing: ...  # noqa: D102
    def notes(self) -> tuple[Note, ...]: ...  # noqa: D102
    def diff(self) -> DiffMap: ...  # noqa: D102
    def post_review(self, head: str, comments: tuple[Inline, ...]) -> None: ...  # noqa: D102
    def post_comment(self, head: str, comment: Inline) -> None: ...  # noqa: D102
    def create_note(self, text: str) -> None: ...  # noqa: D102
    def update_note(self, note: int, text: str) -> None: ...  # noqa: D102
    def delete_note(self, note: int) -> None: ...  # noqa: D102
    def reply(self, reply: Reply) -> None: ...  # noqa: D102
    def minimise(self, comments: tuple[Minimise, ...]) -> None: ...  # noqa: D102


@dataclass(frozen=True)
class Result:
    """How it ended. `reason` tells why not all was done."""

    status: Literal["done", "superseded", "read-only", "gave-up"]
    reason: str = ""


class _Superseded(Exception):
    """The pull request stands on another head than the one that was checked."""


def apply(replan: Replan, remote: Remote, head: str) -> Result:
    """Bring the pull request to what the report says; every reason not to is a result, no exception."""
    try:
        _Applying(replan, remote, head).run()
    except _Superseded:
        return Result("superseded")
    except ReadOnly as error:
        return Result("read-only", str(error))
    except Trouble as error:
        return Result("gave-up", str(error))
    return Result("done")


class _Applying:
    def __init__(self, replan: Replan, remote: Remote, head: str) -> None:
        self._replan = replan
        self._remote = remote
        self._head = head

    def run(self) -> None:
        self._check_head()
        plan = self._replan(self._remote.existing(), frozenset(), True)
        if plan.is_empty:
            return
        refused = self._post(plan.inline)
        if refused:
            plan = self._replan(self._remote.existing(), refused, False)
        self._write_note(plan)
        for duplicate in plan.duplicates:
            self._check_head()
            self._remote.delete_note(duplicate)
        for reply in plan.replies:
            self._check_head()
            self._remote.reply(reply)
        if plan.minimise:
            self._check_head()
            self._remote.minimise(plan.minimise)

    def _check_head(self) -> None:
        if self._remote.head() != self._head:
            raise _Superseded

    def _post(self, comments: tuple[Inline, ...]) -> frozenset[str]:
        """Post comments; the keys of those that GitHub does not take."""
        if not comments:
            return frozenset()
        self._check_head()
        try:
            self._remote.post_review(self._head, comments)
            return frozenset()
        except Unprocessable:
            pass
        return self._post_rest(comments)

    def _post_rest(self, comments: tuple[Inline, ...]) -> frozenset[str]:
        """After a refusal, which does not tell the offender: those on lines that GitHub itself shows go together, and
        if it still refuses, each by itself."""
        diff = self._remote.diff()
        fitting = tuple(c for c in comments if _is_shown(c, diff))
        refused = {comment.key for comment in comments} - {comment.key for comment in fitting}
        if refused and fitting:
            self._check_head()
            try:
                self._remote.post_review(self._head, fitting)
                return frozenset(refused)
            except Unprocessable:
                pass
        for comment in fitting:
            self._check_head()
            try:
                self._remote.post_comment(self._head, comment)
            except Unprocessable:
                refused.add(comment.key)
        return frozenset(refused)

    def _write_note(self, plan: Plan) -> None:
        if plan.note is None:
            return
        self._check_head()
        if plan.note_id is not None:
            self._remote.update_note(plan.note_id, plan.note)
            return
        self._remote.create_note(plan.note)
        self._settle(plan.note)

    def _settle(self, text: str) -> None:
        """After a creation: if another run made one too, the oldest stays, with the text of the newest head."""
        notes = self._remote.notes()
        if len(notes) < 2:
            return
        oldest, *others = notes
        if self._remote.head() != self._head:
            for note in others:
                if note.head == self._head:
                    self._remote.delete_note(note.id)
            raise _Superseded
        if not is_same(oldest.body, text):
            self._remote.update_note(oldest.id, text)
        for note in others:
            self._remote.delete_note(note.id)


def _is_shown(comment: Inline, diff: DiffMap) -> bool:
    hunk = diff.hunk_at(comment.path, comment.line)
    return hunk is not None and hunk.start <= comment.start_line
