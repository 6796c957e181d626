"""A benchmark point changed and no added changelog entry names its key.

## What it finds

Compared with a base: active keys of which a point was added or whose settings changed in meaning (their own, or
those of a recipe that they run), and which no entry added to the changelog covers, by name, by wildcard, or in the
scenario. What only describes a point (`router`, `kv-p2p-transfer`, `hardware`) is a warning. Removing points,
comments, order and quoting need no entry, and neither does moving a recipe.

## Why it matters

An added entry is what makes the cluster run a key again. Without one, stale numbers stay published under the new
settings.

## Bad

```yaml base configs/nvidia-master.yaml
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

```yaml configs/nvidia-master.yaml
«tiny-fp4-b200-vllm»:
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
      - {tp: 4, conc-list: [8, 16]}
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1
```

```console
reciplint check --base BASE --pr 2
```

## Good

```yaml base configs/nvidia-master.yaml
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
      - {tp: 4, conc-list: [8, 16]}
```

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

```yaml perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1
```

```console
reciplint check --base BASE --pr 2
```

## Fix

Unsafe: an entry that names the keys is appended, as `reciplint changelog add` does. Its description is drawn from what
changed, for the author to go over. Without `--pr` its link ends in `XXX` until the pull request has a number; for a
warning, nothing is offered then.

```yaml perf-changelog.yaml
- config-keys: [tiny-fp4-b200-vllm]
  description: [Add the key]
  pr-link: https://github.com/org/repo/pull/1

- config-keys:
    - tiny-fp4-b200-vllm
  scenario-type:
    - fixed-seq-len
  description:
    - Add 1 8k1k point
  pr-link: https://github.com/org/repo/pull/2
```

## Options

None.

## Source

The contributor rules of a public benchmark repository: every change that can affect performance has an entry.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from reciplint.domain.changelog_draft import new_entries
from reciplint.domain.changelog_fix import appended
from reciplint.domain.changelog_links import link_to, linked_repository
from reciplint.domain.coverage import uncovered
from reciplint.domain.impact import Impact
from reciplint.domain.project import Change
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.spans import FILE_START

_THEM_ZH = "it=它|them=它们"
_WHAT_ZH = (
    "*; and * more=*；另有 % 个|*; *=*；*|* (*)=%（*）"
    "|its recipe * changed=其配方 % 有改动|its recipes * changed=其配方 % 有改动"
    "|a new key=新增的键|* added or changed=新增或改动了 *|metadata changed=元数据有改动|* changed=% 有改动"
    "|* and *=*、*|* * point=% 个 % 点|* * points=% 个 % 点"
)

RULE = Rule(
    id="changelog-required",
    summary="A benchmark point changed and no added changelog entry names its key",
    severity="error",
    source="contributor rules of a public benchmark repository: a change that can affect performance has an entry",
    fix="unsafe",
    messages={
        "points": "{count:key|keys} changed and no entry added to {changelog} names {them}: {what}",
        "metadata": "{count:key|keys} changed in description and no entry added to {changelog} names {them}: {what}",
    },
    messages_zh={
        "points": f"{{count}} 个键有改动，但 {{changelog}} 中没有新增条目提到{{them:{_THEM_ZH}}}：{{what:{_WHAT_ZH}}}",
        "metadata": f"{{count}} 个键的描述信息有改动，但 {{changelog}} 中没有新增条目提到{{them:{_THEM_ZH}}}："
        f"{{what:{_WHAT_ZH}}}",
    },
)

_LISTED = 10


def check_change(change: Change, context: Context) -> Iterator[Finding]:
    """One finding for each master config and severity, naming every uncovered key and why."""
    if change.base is None or (change.base.changelog is None and change.head.changelog is None):
        return
    if Kind.MASTER in change.base.unread or Kind.CHANGELOG in change.base.unread | change.head.unread:
        return  # what was new, or which entries were added, cannot be told
    ordered = sorted(uncovered(change), key=lambda impact: (impact.master, impact.is_metadata, impact.entry.key_span))
    for (master, is_metadata), group in groupby(ordered, key=lambda impact: (impact.master, impact.is_metadata)):
        yield _finding(change, master, is_metadata, list(group), context.pull_request)


def _finding(change: Change, master: str, is_metadata: bool, group: list[Impact], number: int | None) -> Finding:
    first = group[0]
    shown = "; ".join(f"{impact.entry.key} ({impact.reason})" for impact in group[:_LISTED])
    more = f"; and {len(group) - _LISTED} more" if len(group) > _LISTED else ""
    related = [Related(master, impact.entry.key_span, impact.reason) for impact in group[1:]]
    for path in dict.fromkeys(path for impact in group for path in impact.recipes):
        related.append(Related(path, change.head.recipe_span(path), "this recipe changed"))
    changelog = change.head.changelog_path or (change.base.changelog_path if change.base else "")
    if change.head.changelog_path:
        entries = change.head.changelog.entries if change.head.changelog else ()
        related.append(
            Related(changelog, entries[-1].span if entries else FILE_START, "entries are appended after this")
        )
    return RULE.finding(
        "metadata" if is_metadata else "points",
        first.entry.key_span,
        path=master,
        severity="warning" if is_metadata else None,
        subject=tuple(impact.entry.key for impact in group),
        related=tuple(related),
        fix=None if is_metadata and number is None else _fix(change, group, number),
        count=len(group),
        them="it" if len(group) == 1 else "them",
        changelog=change.head.relative(changelog),
        what=shown + more,
        keys=tuple(impact.entry.key for impact in group),
    )


def _fix(change: Change, group: list[Impact], number: int | None) -> Fix | None:
    """An entry for a group at the end of the head's changelog; None where nothing can be appended."""
    path = change.head.changelog_path
    data = change.head.read(path) if path else None
    if data is None:
        return None
    history = change.base.changelog if change.base is not None else None
    link = link_to(linked_repository(history or change.head.changelog), number)
    entries = new_entries(change, group, link)
    operation = appended(path, data, entries)
    noun = "an entry" if len(entries) == 1 else f"{len(entries)} entries"
    title = f"Append {noun} for {_keys(group)}"
    return Fix(title, "unsafe", (operation,), is_last=True) if operation is not None else None


def _keys(group: list[Impact]) -> str:
    return group[0].entry.key if len(group) == 1 else f"{len(group)} keys"
