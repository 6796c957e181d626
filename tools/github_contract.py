"""Reduce GitHub's published descriptions to what the bot uses, structure only: `schemas/github/`.

    npm pack @octokit/openapi @octokit/graphql-schema
    python tools/github_contract.py octokit-openapi-*.tgz octokit-graphql-schema-*.tgz

Needs `graphql-core`. The fake GitHub of the tests validates every request and response against the result.
"""

from __future__ import annotations

import copy
import json
import sys
import tarfile
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parent.parent / "schemas" / "github"
PULL = "/repos/{owner}/{repo}/pulls/{pull_number}"
PATHS: dict[str, tuple[str, ...]] = {
    "/repos/{owner}/{repo}/commits/{commit_sha}/pulls": ("get",),
    "/repos/{owner}/{repo}/git/trees/{tree_sha}": ("get",),
    "/repos/{owner}/{repo}/issues/comments/{comment_id}": ("delete", "patch"),
    "/repos/{owner}/{repo}/issues/{issue_number}/comments": ("get", "post"),
    "/repos/{owner}/{repo}/pulls": ("get",),
    PULL: ("get",),
    f"{PULL}/comments": ("get", "post"),
    f"{PULL}/comments/{{comment_id}}/replies": ("post",),
    f"{PULL}/files": ("get",),
    f"{PULL}/reviews": ("post",),
}
TYPES: dict[str, tuple[str, ...]] = {
    "Query": ("nodes",),
    "Mutation": ("minimizeComment",),
    "Node": ("id",),
    "Minimizable": ("isMinimized", "minimizedReason", "viewerCanMinimize"),
    "IssueComment": ("id", "isMinimized", "minimizedReason", "viewerCanMinimize", "viewerDidAuthor"),
    "PullRequestReviewComment": ("id", "isMinimized", "minimizedReason", "viewerCanMinimize", "viewerDidAuthor"),
    "MinimizeCommentInput": ("classifier", "clientMutationId", "subjectId"),
    "MinimizeCommentPayload": ("clientMutationId", "minimizedComment"),
    "ReportedContentClassifiers": (),
}
_PROSE = {"description", "summary", "example", "examples", "externalDocs", "tags", "operationId", "title", "deprecated"}


def main() -> None:
    """Write both reductions."""
    rest, graphql = map(Path, sys.argv[1:3])
    HOME.mkdir(parents=True, exist_ok=True)
    reduced = reduce_rest(json.loads(member(rest, "generated/api.github.com.json")))
    reduced = {"x-source": source(rest), **reduced}
    (HOME / "rest.json").write_text(json.dumps(reduced, separators=(",", ":"), sort_keys=True) + "\n")
    head = "".join(f"# {line}\n" for line in (source(graphql), "reduced by tools/github_contract.py"))
    (HOME / "schema.graphql").write_text(head + "\n" + reduce_graphql(member(graphql, "schema.graphql").decode()))


def member(archive: Path, name: str) -> bytes:
    """A file of an npm package."""
    with tarfile.open(archive) as package:
        file = package.extractfile(f"package/{name}")
        assert file is not None
        return file.read()


def source(archive: Path) -> str:
    """Name, version and licence of an npm package."""
    package = json.loads(member(archive, "package.json"))
    return f"npm {package['name']} {package['version']}, {package['license']}"


def reduce_rest(whole: dict[str, Any]) -> dict[str, Any]:
    """The paths, and the components that they reach."""
    paths = {
        path: {name: structure(part) for name, part in whole["paths"][path].items() if name in (*methods, "parameters")}
        for path, methods in PATHS.items()
    }
    components: dict[str, dict[str, Any]] = {}
    pending = list(references(paths))
    while pending:
        _, _, kind, name = pending.pop().split("/")
        if name not in components.setdefault(kind, {}):
            components[kind][name] = structure(whole["components"][kind][name])
            pending += references(components[kind][name])
    info = {"title": "GitHub's REST API, reduced", "version": whole["info"]["version"]}
    return {"openapi": whole["openapi"], "info": info, "paths": paths, "components": components}


def structure(node: Any, named: bool = False) -> Any:
    """A description without prose; in a map of `properties` every name is a name."""
    if isinstance(node, list):
        return [structure(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {name: part for name, part in node.items() if named or not (name in _PROSE or name.startswith("x-"))}
    return {name: structure(part, named=name == "properties" and not named) for name, part in kept.items()}


def references(node: Any) -> list[str]:
    """Every `$ref` below a node."""
    if isinstance(node, list):
        return [found for item in node for found in references(item)]
    if not isinstance(node, dict):
        return []
    own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
    return own + [found for part in node.values() for found in references(part)]


def reduce_graphql(text: str) -> str:
    """The types and fields in `TYPES`, without descriptions and without interfaces that are left out."""
    from graphql import DocumentNode, parse, print_ast

    kept = []
    for node in parse(text, no_location=True).definitions:
        fields = TYPES.get(getattr(getattr(node, "name", None), "value", ""))
        if fields is None:
            continue
        changes: dict[str, Any] = {"description": None, "directives": ()}
        if getattr(node, "interfaces", None):
            changes["interfaces"] = tuple(found for found in node.interfaces if found.name.value in TYPES)
        if fields:
            changes["fields"] = tuple(map(_bare, (found for found in node.fields if found.name.value in fields)))
        else:
            changes["values"] = tuple(map(_bare, node.values))
        kept.append(_changed(node, **changes))
    return print_ast(DocumentNode(definitions=tuple(kept))) + "\n"


def _bare(node: Any) -> Any:
    """A field or value without descriptions and directives."""
    arguments = {"arguments": tuple(map(_bare, node.arguments))} if getattr(node, "arguments", None) else {}
    return _changed(node, description=None, directives=(), **arguments)


def _changed(node: Any, **changes: Any) -> Any:
    """A copy of a syntax node, which some versions freeze."""
    made = copy.copy(node)
    for name, value in changes.items():
        object.__setattr__(made, name, value)
    return made


if __name__ == "__main__":
    main()
