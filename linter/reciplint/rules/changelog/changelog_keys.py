"""A key of an added changelog entry matches no master config.

## What it finds

Compared with a base: a key or `*` wildcard of an added entry that matches no active key of the head's master configs,
whole (`tiny` does not match `tiny-fp4-b200-vllm`, `tiny*` does). The nearest keys are suggested; a key that only the
archive has, or that this change removes, is said so, and so are two keys written as one text. Old entries may name keys
that are gone.

## Why it matters

An entry has the keys that it names benchmarked. One that matches nothing stops the planning of the whole sweep.

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
  pr-link: https://github.com/org/repo/pull/1
```

```yaml perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1

- config-keys:
  - «tiny-fp4-b200-vlm»
  - «huge-*»
  description: [Update the image]
  pr-link: https://github.com/org/repo/pull/2
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
- config-keys: [a-key-of-last-year]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1
```

```yaml perf-changelog.yaml
- config-keys: [a-key-of-last-year]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1

- config-keys: [tiny-*-vllm]
  description: [Update the image]
  pr-link: https://github.com/org/repo/pull/2
```

## Fix

Unsafe: a key that is a slip of exactly one key becomes that key (another spelling of the same words, or one letter of a
long word; never another number), and several keys in one text become one item each if all of them exist.

```yaml perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1

- config-keys:
  - tiny-fp4-b200-vllm
  - huge-*
  description: [Update the image]
  pr-link: https://github.com/org/repo/pull/2
```

## Options

None.

## Source

The changelog processing of a public benchmark repository: a key or wildcard that matches nothing is an error.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Any

from reciplint.domain.changelog import ChangelogEntry, Located, matches
from reciplint.domain.changelog_change import lost_a_master, new_entries
from reciplint.domain.near_names import meant
from reciplint.domain.project import Change, Project
from reciplint.domain.written_places import scalar_path
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import SetScalar, SplitItem

RULE = Rule(
    id="changelog-keys",
    summary="A key of an added changelog entry matches no master config",
    severity="error",
    source="changelog processing of a public benchmark repository: a key or wildcard that matches nothing is an error",
    fix="unsafe",
    messages={
        "unknown": "{found} is no key of {masters}",
        "unknown-near": "{found} is no key of {masters}; the nearest: {nearest}",
        "wildcard": "the wildcard {found} matches no key of {masters}",
        "wildcard-near": "the wildcard {found} matches no key of {masters}; the nearest: {nearest}",
        "archived": "{found} stands in the archive {archive} only, where nothing is benchmarked any more",
        "removed": "{found} is removed from {masters} by this change, so there is nothing left to benchmark",
        "joined": "{found} is one text, in which {count:key stands|keys stand}: {keys}; write one item a key",
    },
    messages_zh={
        "unknown": "{masters:, =、} 中没有键 {found}",
        "unknown-near": "{masters:, =、} 中没有键 {found}；最接近的是：{nearest:, =、}",
        "wildcard": "通配符 {found} 在 {masters:, =、} 中没有匹配的键",
        "wildcard-near": "通配符 {found} 在 {masters:, =、} 中没有匹配的键；最接近的是：{nearest:, =、}",
        "archived": "{found} 只在归档 {archive} 中，那里的内容不再做基准测试",
        "removed": "本次改动从 {masters:, =、} 中删除了 {found}，已没有可做基准测试的内容",
        "joined": "{found} 是一段文本，其中有 {count} 个键：{keys:, =、}；请每项只写一个键",
    },
)

_SEPARATORS = re.compile(r"[\s,;]+")
_NEAREST = 3


def check_change(change: Change, context: Context) -> Iterator[Finding]:
    """One finding for each key of an added entry that matches nothing."""
    if not change.head.masters or lost_a_master(change):
        return
    known = list(change.head.keys)
    for entry in new_entries(change):
        for key in entry.keys:
            if not any(matches(key.text, name) for name in known):
                yield _finding(change, entry, key, known)


def _finding(change: Change, entry: ChangelogEntry, key: Located, known: list[str]) -> Finding:
    head = change.head
    masters = tuple(head.relative(master.path) for master in head.masters)
    message, arguments, related = _explain(change, key.text, known)
    if message not in ("joined", "archived"):
        arguments["masters"] = masters
    return RULE.finding(
        message,
        key.span,
        path=head.changelog_path,
        subject=(key.text, entry.pr_link.text if entry.pr_link else ""),
        related=tuple(related),
        fix=_fix(head, key, known) if message not in ("archived", "removed") else None,
        found=key.text or '""',
        **arguments,
    )


def _fix(project: Project, key: Located, known: list[str]) -> Fix | None:
    """The keys that were certainly meant; None where there are none, or where an edit does not reach the text."""
    parts = tuple(part for part in _SEPARATORS.split(key.text) if part)
    near = meant(key.text, known) if len(parts) == 1 else None
    is_joined = len(parts) > 1 and all(any(matches(part, name) for name in known) for part in parts)
    path = project.changelog_path
    place = scalar_path(project.tree(path), key.span) if near or is_joined else None
    if place is None or (is_joined and not isinstance(place[-1], int)):
        return None
    if near:
        return Fix(f"Name {near}", "unsafe", (SetScalar(path, place, near),))
    return Fix(f"Name {' and '.join(parts)} one by one", "unsafe", (SplitItem(path, place, parts),))


def _explain(change: Change, text: str, known: list[str]) -> tuple[str, dict[str, Any], list[Related]]:
    """The message for a key that matches nothing, what it says besides, and where to look."""
    parts = [part for part in _SEPARATORS.split(text) if part]
    if len(parts) > 1 and any(matches(part, name) for part in parts for name in known):
        return "joined", {"count": len(parts), "keys": tuple(parts)}, []
    archived = next(
        ((file, entry) for file in change.head.archives for entry in file.entries if matches(text, entry.key)), None
    )
    if archived is not None:
        file, entry = archived
        place = Related(file.path, entry.key_span, "the archived key")
        return "archived", {"archive": change.head.relative(file.path)}, [place]
    if change.base is not None and any(matches(text, name) for name in change.base.keys):
        return "removed", {}, []
    nearest = _nearest(text, known)
    kind = "wildcard" if "*" in text else "unknown"
    if not nearest:
        return kind, {}, []
    return f"{kind}-near", {"nearest": nearest}, list(_places(change.head, nearest))


def _nearest(text: str, known: list[str]) -> tuple[str, ...]:
    plain = text.replace("*", "")
    if "*" not in text:
        return tuple(difflib.get_close_matches(text, known, _NEAREST, 0.8))
    return tuple(difflib.get_close_matches(plain, known, _NEAREST, 0.6)) if plain else ()


def _places(project: Project, keys: tuple[str, ...]) -> Iterator[Related]:
    for key in keys:
        master, entry = project.keys[key]
        yield Related(master.path, entry.key_span, f"the key {key}")
