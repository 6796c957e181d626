"""The two GraphQL documents: who wrote comments, and folding them away."""

from __future__ import annotations

from collections.abc import Sequence

_FIELDS = "{ viewerDidAuthor isMinimized viewerCanMinimize }"

OWN = (
    "query Own($ids: [ID!]!) { nodes(ids: $ids) { id "
    f"... on IssueComment {_FIELDS} ... on PullRequestReviewComment {_FIELDS} }} }}"
)

MINIMIZE = "minimizeComment(input: ${name}) {{ minimizedComment {{ isMinimized }} }}"


def minimize_document(field: str, names: Sequence[str]) -> str:
    """One mutation for several comments, each under its name with an input variable of that name."""
    variables = ", ".join(f"${name}: MinimizeCommentInput!" for name in names)
    fields = " ".join(f"{name}: {field.format(name=name)}" for name in names)
    return f"mutation Minimise({variables}) {{ {fields} }}"
