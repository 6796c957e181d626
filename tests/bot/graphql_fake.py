"""The GraphQL half of the fake: real documents, executed against GitHub's schema (reduced) with `graphql-core`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import contract
from graphql import GraphQLError, GraphQLSchema, build_schema, graphql_sync, parse, validate

if TYPE_CHECKING:
    from fake_github import Comment, Pull


@cache
def schema() -> GraphQLSchema:
    return build_schema((contract.HOME / "schema.graphql").read_text(encoding="utf-8"), assume_valid=True)


def execute(pull: Pull, viewer: str, body: dict[str, Any], violations: list[str]) -> dict[str, Any]:
    problems = validate(schema(), parse(body["query"]))
    violations += [f"GraphQL: {problem.message}" for problem in problems]
    done = graphql_sync(schema(), body["query"], _Root(pull, viewer), variable_values=body.get("variables"))
    answer: dict[str, Any] = {"data": done.data}
    if done.errors:
        answer["errors"] = [{"message": error.message, "type": "FORBIDDEN"} for error in done.errors]
    return answer


def _node(comment: Comment, is_note: bool, viewer: str) -> dict[str, Any]:
    is_own = comment.user == viewer
    return {
        "__typename": "IssueComment" if is_note else "PullRequestReviewComment",
        "id": comment.node,
        "isMinimized": bool(comment.minimised),
        "viewerCanMinimize": is_own,
        "viewerDidAuthor": is_own,
    }


class _Root:
    """Resolvers by the names of the fields."""

    def __init__(self, pull: Pull, viewer: str) -> None:
        self._pull = pull
        self._viewer = viewer

    def nodes(self, info: Any, ids: list[str]) -> list[Any]:
        known = {note.node: _node(note, True, self._viewer) for note in self._pull.notes}
        known |= {comment.node: _node(comment, False, self._viewer) for comment in self._pull.comments}
        return [known.get(node) for node in ids]

    def minimizeComment(self, info: Any, input: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        for comment in self._pull.comments:
            if comment.node == input["subjectId"]:
                if comment.user != self._viewer:
                    raise GraphQLError("FORBIDDEN")
                comment.minimised = input["classifier"]
                return {"minimizedComment": _node(comment, False, self._viewer)}
        raise GraphQLError("NOT_FOUND")
