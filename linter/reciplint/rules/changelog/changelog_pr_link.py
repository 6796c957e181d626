"""The link of a changelog entry is not the link of its pull request.

## What it finds

Compared with a base, in added entries: a `pr-link` that is not exactly
`https://github.com/OWNER/REPOSITORY/pull/NUMBER` (a suffix such as `/files`, text after it, another host, a bare
number), or, where the pull request is known (`--pr`), that has another number. A placeholder (`XXX`, `TBD`, `9xx`, no
number at all) is a warning: it is right to have one before the pull request is open. So is a link to another repository
than nearly all links before it name: repositories are renamed now and then.

Without a base, the links of old entries are looked at for their form alone, and only warned of: they may be corrected
in a change that does nothing else.

An entry without any link is a matter of `changelog-format` and `schema`.

## Why it matters

The link is how a published number is traced to the change that made it. A link copied from another entry sends every
reader to the wrong change, and the validation before a merge refuses it.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: b200
  precision: fp4
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - {tp: 4, conc-list: [8]}
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml base perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/11
```

```yaml perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/11

- config-keys: [tiny-fp4-b200-vllm]
  description: [Raise the concurrency]
  pr-link: «https://github.com/org/repo/pull/11»

- config-keys: [tiny-fp4-b200-vllm]
  description: [Update the image]
  pr-link: «https://github.com/org/repo/pull/XXX»
```

```console
reciplint check --base BASE --pr 12
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: b200
  precision: fp4
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - {tp: 4, conc-list: [8]}
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml base perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/11
```

```yaml perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/11

- config-keys: [tiny-fp4-b200-vllm]
  description: [Raise the concurrency]
  pr-link: https://github.com/org/repo/pull/12
```

```console
reciplint check --base BASE --pr 12
```

## Fix

Unsafe: the link of an added entry becomes the one that the message gives, where its number is known: by `--pr`, or from
the link itself if only something stands after it. Links of old entries are left alone, since history is corrected in a
change that does nothing else.

```yaml perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/11

- config-keys: [tiny-fp4-b200-vllm]
  description: [Raise the concurrency]
  pr-link: https://github.com/org/repo/pull/12

- config-keys: [tiny-fp4-b200-vllm]
  description: [Update the image]
  pr-link: https://github.com/org/repo/pull/12
```

## Options

None.

## Source

The changelog validation of a public benchmark repository: an added entry links to its own pull request, or holds a
placeholder until that is open.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from reciplint.domain.changelog import ChangelogEntry, Located
from reciplint.domain.changelog_bytes import LINK
from reciplint.domain.changelog_change import new_entries, sides
from reciplint.domain.project import Change, Project
from reciplint.domain.written_places import scalar_path
from reciplint.rules.finding import Finding, Fix, Severity
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import SetScalar

RULE = Rule(
    id="changelog-pr-link",
    summary="The link of a changelog entry is not the link of its pull request",
    severity="error",
    source="changelog validation of a public benchmark repository: an added entry links to its own pull request",
    fix="unsafe",
    messages={
        "placeholder": "pr-link is the placeholder {found}; write {right}",
        "form": "pr-link {found} is not a plain link to a pull request; write {right}",
        "number": "pr-link names pull request #{linked}, this one is #{number}; write {right}",
        "repository": "pr-link names the repository {repository}, {count} of the {total} links before it name {usual}; "
        "write {right}",
    },
    messages_zh={
        "placeholder": "pr-link 是占位符 {found}；请写成 {right}",
        "form": "pr-link {found} 不是单纯的合并请求链接；请写成 {right}",
        "number": "pr-link 指向合并请求 #{linked}，而本合并请求是 #{number}；请写成 {right}",
        "repository": "pr-link 指向仓库 {repository}，而之前的 {total} 个链接中有 {count} 个指向 {usual}；"
        "请写成 {right}",
    },
)

_PLACEHOLDER = re.compile(
    r"(?:x+|\d*x+|#?n+|tbd|tba|tbc|todo|fixme|placeholder|pending|test|none|null|nil|n/?a|link|url|pr|pr[-_ ]?link"
    r"|pr[-_ ]?(?:number|num|no|id)|number|num|\.+|…|\?+|-+|_+|0+|<[^>]*>|\{[^}]*\}|\$\w+)",
    re.IGNORECASE,
)
_ANY_LINK = re.compile(
    r"https?://github\.com/(?P<repository>[\w.-]+/[\w.-]+)/(?:pull|pulls|issues)/(?P<tail>[^/\s]*)/?"
)
_UNKNOWN = "https://github.com/{repository}/pull/{number}"
_MOST = 0.8
_RECENT = 20


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Links of whatever stands in the file that have not the form of one."""
    entries = project.changelog.entries if project.changelog else ()
    usual = _Usual(entry.pr_link.text for entry in entries if entry.pr_link is not None)
    for entry in entries:
        link = entry.pr_link
        if link is not None and link.text:
            message = _fault_of_form(link.text)
            if message:
                repository = usual.name or _repository_in(link.text) or "OWNER/REPOSITORY"
                right = _UNKNOWN.format(repository=repository, number=_number_in(link.text) or "NUMBER")
                yield _finding(project, entry, link, message, "warning", right=right, found=link.text)


def check_change(change: Change, context: Context) -> Iterator[Finding]:
    """Links of added entries, against what is known of the repository and the pull request."""
    both = sides(change)
    comparison = both.comparison if both is not None else None
    if comparison is None:
        return
    usual = _Usual(entry.link for entry in comparison.base.entries)
    number = str(context.pull_request) if context.pull_request is not None else "NUMBER"
    for entry in new_entries(change):
        link = entry.pr_link
        if link is not None and link.text:
            for finding in _of_added(change.head, entry, link, usual, number):
                yield _with_fix(change.head, link, finding)


class _Usual:
    """The repository that nearly all links name; "" where they do not agree."""

    def __init__(self, links: Iterable[str]) -> None:
        found = [match["repository"] for match in map(LINK.fullmatch, links) if match]
        (name, count), *_ = [*Counter(found).most_common(1), ("", 0)]
        self.total = len(found)
        self.count = count
        self.name = name if count >= _MOST * len(found) else ""
        self._recent = {repository.lower() for repository in found[-_RECENT:]}

    def refuses(self, repository: str) -> bool:
        """Whether a repository is another one, which none of the latest links name either."""
        return bool(self.name) and repository.lower() not in self._recent


def _of_added(project: Project, entry: ChangelogEntry, link: Located, usual: _Usual, number: str) -> Iterator[Finding]:
    match = LINK.fullmatch(link.text)
    repository = match["repository"] if match else usual.name or _repository_in(link.text) or "OWNER/REPOSITORY"
    if match and usual.refuses(match["repository"]):
        right = _UNKNOWN.format(repository=usual.name, number=number if number != "NUMBER" else match["number"])
        yield _finding(
            project, entry, link, "repository", "warning",
            right=right, repository=match["repository"], count=usual.count, total=usual.total, usual=usual.name,
        )  # fmt: skip
        return
    message = _fault_of_form(link.text)
    if message and number == "NUMBER":
        number = _number_in(link.text) or number
    right = _UNKNOWN.format(repository=repository, number=number)
    if message:
        severity: Severity = "warning" if message == "placeholder" else "error"
        yield _finding(project, entry, link, message, severity, right=right, found=link.text)
    elif match and number not in ("NUMBER", match["number"]):
        linked, own = int(match["number"]), int(number)
        yield _finding(project, entry, link, "number", "error", right=right, linked=linked, number=own)


def _fault_of_form(text: str) -> str | None:
    """The message for a text that is no link to a pull request."""
    if LINK.fullmatch(text):
        return None
    link = _ANY_LINK.fullmatch(text)
    tail = link["tail"] if link else text.strip()
    return "placeholder" if not tail or _PLACEHOLDER.fullmatch(tail) else "form"


def _repository_in(text: str) -> str:
    match = _ANY_LINK.match(text)
    return match["repository"] if match else ""


def _number_in(text: str) -> str:
    """The number of a link to a pull request that something stands after; "" for any other text."""
    match = LINK.match(text)
    return match["number"] if match and not text[match.end() :][:1].isalnum() else ""


def _with_fix(project: Project, link: Located, finding: Finding) -> Finding:
    """The finding with the link that is right written in its place, where nothing of that link is left open."""
    right = str(finding.arguments["right"])
    place = scalar_path(project.tree(project.changelog_path), link.span) if LINK.fullmatch(right) else None
    if place is None:
        return finding
    fix = Fix(f"Write {right}", "unsafe", (SetScalar(project.changelog_path, place, right),))
    return msgspec.structs.replace(finding, fix=fix)


def _finding(
    project: Project,
    entry: ChangelogEntry,
    link: Located,
    message: str,
    severity: Severity,
    **arguments: Any,
) -> Finding:
    keys = tuple(key.text for key in entry.keys)
    return RULE.finding(
        message,
        link.span,
        path=project.changelog_path,
        severity=severity,
        subject=(link.text, *keys),
        **arguments,
    )
