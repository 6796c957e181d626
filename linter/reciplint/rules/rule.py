"""What a rule is: the contract that every file under `rules/<category>/` fulfils.

A rule file holds `RULE`, a page as its module docstring, and one or more of

- `check_document(document, context)`: sees one file; its findings are cached by content,
- `check_project(project, context)`: sees a whole project at one revision,
- `check_change(change, context)`: sees a project at its base and its head.

Each yields findings made by `RULE.finding(…)`. A file that makes its rules of the rows of a table holds `RULES`
instead: rule id → `RowRule`.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Applicability, Argument, Finding, Fix, Related, Severity, render
from reciplint.yamltree.spans import Span

DOCS = "https://reciplint.github.io/reciplint/"
"""Where the documentation is published, by `mkdocs.yml`; it serves the JSON Schemas under the same address."""


Check = Callable[..., Iterator[Finding]]
"""A check of a document, a project or a change."""


def rule_url(rule: str) -> str:
    """The address of a rule's page."""
    return f"{DOCS}rules/{rule}/"


class Context(msgspec.Struct, frozen=True):
    """What a rule may know besides the files: its options, the review date, the pull request's number, and of a single
    document the profile of its repository."""

    options: Mapping[str, Any] = {}
    review_date: datetime.date = datetime.date.max
    pull_request: int | None = None
    profile: str = ""


class Rule(msgspec.Struct, frozen=True):
    """The facts about a rule that are not code.

    `kinds` are the kinds of document that `check_document` is called for; `fix` is the strongest applicability
    that a finding of it may offer; `messages` are templates by message id (see `render`), `messages_zh` the same in
    Chinese, of the same fields; `options` are the settings it takes, with their defaults; `source` says where the rule
    or its numbers come from; one that `is_optional` runs only where it is asked for.
    """

    id: str
    summary: str
    severity: Severity
    source: str
    messages: Mapping[str, str]
    messages_zh: Mapping[str, str]
    kinds: frozenset[Kind] = frozenset()
    fix: Applicability | None = None
    options: Mapping[str, Any] = {}
    suppressible: bool = True
    is_optional: bool = False

    @property
    def url(self) -> str:
        """The rule's page."""
        return rule_url(self.id)

    def finding(
        self,
        message_id: str,
        span: Span,
        *,
        subject: tuple[str, ...],
        path: str = "",
        severity: Severity | None = None,
        pointer: str = "",
        related: tuple[Related, ...] = (),
        fix: Fix | None = None,
        **arguments: Argument,
    ) -> Finding:
        """A finding of this rule; `path` may stay empty in `check_document`."""
        return Finding(
            rule=self.id,
            severity=severity or self.severity,
            path=path,
            span=span,
            message=render(self.messages[message_id], arguments),
            message_id=message_id,
            arguments=arguments,
            subject=subject,
            pointer=pointer,
            related=related,
            fix=fix,
        )


class RowRule(msgspec.Struct, frozen=True):
    """A rule that a row of a table makes: its facts, its page, and its checks by what they see (`document`, …).

    All rows share one check of documents, which is called once and tells what each of them finds.
    """

    rule: Rule
    page: Callable[[], str]
    checks: Mapping[str, Check]
