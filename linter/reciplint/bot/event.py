"""The environment of a GitHub Actions run: which pull request it is about, and where its outputs go."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_EVENTS = ("pull_request", "pull_request_target", "workflow_run")


class EventError(Exception):
    """The environment is none that the bot can work in; the text is for people."""


@dataclass(frozen=True)
class Event:
    """One run. `number` and `base_sha` are not known for a `workflow_run`: they are asked of GitHub.

    `sha` is what the run stands on; `web` is where the head repository can be seen, "" if unknown.
    """

    name: str
    repository: str
    number: int | None
    base_sha: str | None
    head_sha: str
    head_repository: str
    head_branch: str
    sha: str
    web: str
    api_url: str
    graphql_url: str
    token: str = field(default="", repr=False)
    step_summary: Path | None = None
    output: Path | None = None


def read_event(environment: Mapping[str, str]) -> Event:
    """The event of the current run. Raises `EventError`."""
    name = environment.get("GITHUB_EVENT_NAME", "")
    if name not in _EVENTS:
        told = f"on {name}" if name else "outside of GitHub Actions"
        raise EventError(f"the bot works on pull_request and workflow_run events, and this run is {told}")
    payload = _payload(environment.get("GITHUB_EVENT_PATH", ""))
    repository = environment.get("GITHUB_REPOSITORY", "")
    if not _REPOSITORY.fullmatch(repository):
        raise EventError("GITHUB_REPOSITORY does not name a repository")
    read = _from_workflow_run if name == "workflow_run" else _from_pull_request
    try:
        found = read(payload)
    except (KeyError, TypeError, ValueError):
        raise EventError(f"the payload of this {name} event names no pull request and no head") from None
    api = environment.get("GITHUB_API_URL", "https://api.github.com").rstrip("/")
    return Event(
        name=name,
        repository=repository,
        sha=environment.get("GITHUB_SHA", ""),
        api_url=api,
        graphql_url=environment.get("GITHUB_GRAPHQL_URL", "") or f"{api.removesuffix('/v3')}/graphql",
        token=environment.get("GITHUB_TOKEN", ""),
        step_summary=_file(environment, "GITHUB_STEP_SUMMARY"),
        output=_file(environment, "GITHUB_OUTPUT"),
        **found,
    )


def refuse_target_checkout(event: Event, checked_out: str | None) -> None:
    """Raise `EventError` where a privileged run stands on anything but the base: it could run what a fork wrote."""
    if event.name == "pull_request_target" and checked_out not in (event.base_sha, event.sha):
        raise EventError(
            "refused: pull_request_target with a checkout of the pull request's head gives its code a token that "
            "may write; use pull_request, or the pair of workflows for forks (docs/bot.md)"
        )


def _payload(path: str) -> dict[str, Any]:
    try:
        payload = json.loads(Path(path).read_bytes()) if path else None
    except (OSError, ValueError):
        payload = None
    if not isinstance(payload, dict):
        raise EventError("GITHUB_EVENT_PATH names no event that can be read")
    return payload


def _from_pull_request(payload: dict[str, Any]) -> dict[str, Any]:
    pull = payload["pull_request"]
    home = pull["head"].get("repo") or {}  # null once the fork is deleted
    return {
        "number": _number(pull["number"]),
        "base_sha": _sha(pull["base"]["sha"]),
        "head_sha": _sha(pull["head"]["sha"]),
        "head_repository": str(home.get("full_name") or ""),
        "head_branch": str(pull["head"].get("ref") or ""),
        "web": _web(home.get("html_url")),
    }


def _from_workflow_run(payload: dict[str, Any]) -> dict[str, Any]:
    run = payload["workflow_run"]
    if run["event"] != "pull_request":
        raise EventError("the workflow run that this one follows was not for a pull request")
    home = run["head_repository"]
    return {
        "number": None,
        "base_sha": None,
        "head_sha": _sha(run["head_sha"]),
        "head_repository": str(home["full_name"]),
        "head_branch": str(run.get("head_branch") or ""),
        "web": _web(home.get("html_url")),
    }


def _sha(value: object) -> str:
    if not isinstance(value, str) or not _SHA.fullmatch(value):
        raise ValueError(value)
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(value)
    return value


def _web(value: object) -> str:
    """An address that may stand in a link."""
    return value if isinstance(value, str) and re.fullmatch(r"https?://[\w.:-]+/[\w./-]+", value, re.ASCII) else ""


def _file(environment: Mapping[str, str], name: str) -> Path | None:
    return Path(environment[name]) if environment.get(name) else None
