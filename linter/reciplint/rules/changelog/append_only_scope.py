"""A change with an append-only changelog entry does more than add points to curves that are there.

## What it finds

Compared with a base, where an added entry says `append-only: true`, on master configs expanded to benchmark points:

- a point of the base that is gone or changed (its image, its topology, any setting), a recipe of such a point that
  changed, or no added point at all;
- an added point on a curve that the base does not have, or with another image than that curve has. A curve is what a
  reader compares: model, precision, framework, runner, scenario, offloading, speculative decoding (not for agentic
  scenarios), hardware; the topology may be new;
- a selected key or a scenario that is new, a scenario that is gone, a change to another scenario or to a setting that
  another scenario shares;
- a change to a key that no added entry selects;
- ordinary entries added beside it.

Entries that choose evaluations (`evals-only`, `all-evals`, `eval-min-prefill-ep`) and `append-only` in one are
`schema`.

## Why it matters

Only the added points are run, and they are drawn into the latest curve. If an old point changed as well, the curve
shows numbers of two different configurations as one.

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
      - {tp: 4, conc-list: [8, 16]}
      - {tp: 8, conc-list: [32]}
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
      - {tp: 4, conc-list: [8, 16, 24]}
      - «{tp: 8, ep: 8, conc-list: [32]}»
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

- config-keys: [tiny-fp4-b200-vllm]
  description: [Add concurrency 24 to the curve]
  pr-link: https://github.com/org/repo/pull/2
  append-only: true
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
      - {tp: 4, conc-list: [8, 16, 24]}
      - {tp: 8, conc-list: [32]}
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

- config-keys: [tiny-fp4-b200-vllm]
  description: [Add concurrency 24 and TP8 to the curve]
  pr-link: https://github.com/org/repo/pull/2
  append-only: true
```

## Fix

Take back what is not an addition, or take `append-only` out, so that the whole key runs again.

## Options

None.

## Source

The changelog processing of a public benchmark repository, which compares the points generated at the base and at the
head.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from reciplint.domain.append_only import KINDS, Violation, violations
from reciplint.domain.changelog import ChangelogEntry, matches
from reciplint.domain.changelog_bytes import Comparison
from reciplint.domain.changelog_change import lost_a_master, new_entries, sides
from reciplint.domain.master import MasterEntry
from reciplint.domain.project import Change, Project
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.spans import Span

_HOW_ZH = "added=新增|removed=删除|changed=修改"
_PLACES_ZH = "*; *=*；*|* at concurrency *=%（并发 *）|*, *=%、*"
_CHANGES_ZH = ", =、|* settings changed=% 的设置有改动|* added=新增了 %|* removed=删除了 %"

RULE = Rule(
    id="append-only-scope",
    summary="A change with an append-only changelog entry does more than add points to curves that are there",
    severity="error",
    source="changelog processing of a public benchmark repository, which compares the generated points of both sides",
    messages={
        "mixed": "this is append-only, and {count:ordinary entry is|ordinary entries are} added beside it: {keys}; "
        "the two kinds cannot share a sweep",
        "new-key": "{key} is new, and append-only adds points to keys that the base has",
        "other-key": "{key} was {how} and no added entry selects it; an append-only change touches nothing else",
        "scenario-added": "{key}: the scenario {scenario} is new, and append-only adds points to scenarios of the base",
        "scenario-removed": "{key}: the scenario {scenario} of the base is gone, and append-only only adds points",
        "shared-setting": "{key}: {fields} changed, which also changes scenarios that the append-only entry does not "
        "select",
        "other-scenario": "{key}: the scenario {scenario} changed, which the append-only entry does not select",
        "point-changed": "{key}, {points}: append-only keeps every point of the base as it is, and here {changes}",
        "point-removed": "{key}, {points}: append-only keeps every point of the base, and here they are gone",
        "new-curve": "{key}, {point}: append-only adds points to a curve of the base, and the base has no curve of "
        "this model, precision, runner, scenario, offloading and speculative decoding",
        "other-image": "{key}, {point}: the added point runs {image}, the curve of the base that it belongs to {known}",
        "nothing-added": "the append-only entry selects {key}, which has no point that the base lacks",
        "recipe-changed": "{recipe} changed, and points of {key} ran it at the base; append-only keeps them",
    },
    messages_zh={
        "mixed": "此条目是 append-only，而本次改动还新增了 {count} 个普通条目：{keys:, =、}；"
        "两类条目不能共用一次 sweep",
        "new-key": "{key} 是新增的键，而 append-only 只能为 base 中已有的键添加点",
        "other-key": f"{{key}} 被{{how:{_HOW_ZH}}}，但没有新增条目选中它；append-only 改动不能触及其他内容",
        "scenario-added": "{key}：场景 {scenario} 是新增的，而 append-only 只能为 base 中已有的场景添加点",
        "scenario-removed": "{key}：base 中的场景 {scenario} 不见了，而 append-only 只能添加点",
        "shared-setting": "{key}：{fields:, =、} 有改动，这也会改变 append-only 条目没有选中的场景",
        "other-scenario": "{key}：场景 {scenario} 有改动，而 append-only 条目没有选中它",
        "point-changed": f"{{key}}，{{points:{_PLACES_ZH}}}：append-only 要求 base 中的每个点保持原样，"
        f"而此处有变化：{{changes:{_CHANGES_ZH}}}",
        "point-removed": f"{{key}}，{{points:{_PLACES_ZH}}}：append-only 要求保留 base 中的每个点，而这些点不见了",
        "new-curve": f"{{key}}，{{point:{_PLACES_ZH}}}：append-only 只能向 base 中已有的曲线添加点，"
        "而 base 中没有模型、精度、runner、场景、offloading 和投机解码都相同的曲线",
        "other-image": f"{{key}}，{{point:{_PLACES_ZH}}}：新增的点运行 {{image}}，"
        "而它所属的 base 曲线运行 {known:*, *=*、*}",
        "nothing-added": "append-only 条目选中了 {key}，但该键的点 base 中都已经有了",
        "recipe-changed": "{recipe} 有改动，而 base 中 {key} 的点运行它；append-only 要求这些点保持原样",
    },
)

_PLACE = re.compile(r"append-only[\"']?\s*:\s*[\w\"']+")
_NAMES: dict[str, tuple[str, ...]] = {
    "other-key": ("how",),
    "scenario-added": ("scenario",),
    "scenario-removed": ("scenario",),
    "other-scenario": ("scenario",),
    "point-removed": ("points",),
    "new-curve": ("point",),
    "other-image": ("point", "image", "known"),
    "recipe-changed": ("recipe",),
}
"""What the details of a violation are called in its message."""


def check_change(change: Change, context: Context) -> Iterator[Finding]:
    """Findings for the append-only entries that a change adds."""
    added = new_entries(change)
    appending = [entry for entry in added if entry.flags.get("append-only") is True]
    both = sides(change)
    comparison = both.comparison if both is not None else None
    if not appending or comparison is None or lost_a_master(change):
        return
    ordinary = [entry for entry in added if entry not in appending]
    if ordinary:
        yield _mixed(change.head, comparison, appending[0], ordinary)
    selected = _selected(change.head, appending)
    excused = [key for key in change.head.keys if any(_selects(entry, key) for entry in ordinary)]
    for violation in violations(change, selected, excused):
        entry = next((entry for entry in appending if _selects(entry, violation.key)), appending[0])
        yield _finding(change.head, comparison, entry, violation)


def _selects(entry: ChangelogEntry, key: str) -> bool:
    return any(matches(pattern.text, key) for pattern in entry.keys)


def _selected(head: Project, entries: list[ChangelogEntry]) -> dict[str, frozenset[str]]:
    """Selected keys with their scenario kinds."""
    found: dict[str, frozenset[str]] = {}
    for key in head.keys:
        for entry in entries:
            if _selects(entry, key):
                found[key] = found.get(key, frozenset()) | frozenset(entry.scenario_types or KINDS)
    return found


def _place(comparison: Comparison, entry: ChangelogEntry) -> Span:
    """Where the entry says `append-only`; the entry as a whole if it says so in another way."""
    for line in range(entry.span.line, entry.span.end_line + 1):
        match = _PLACE.search(comparison.head.text_of(line))
        if match:
            return Span(line, match.start() + 1, line, match.end() + 1)
    return entry.span


def _mixed(head: Project, comparison: Comparison, entry: ChangelogEntry, ordinary: list[ChangelogEntry]) -> Finding:
    keys = tuple(dict.fromkeys(key.text for other in ordinary for key in other.keys))
    return RULE.finding(
        "mixed",
        _place(comparison, entry),
        path=head.changelog_path,
        subject=("mixed", *keys),
        related=tuple(Related(head.changelog_path, other.span, "an ordinary entry") for other in ordinary),
        count=len(ordinary),
        keys=keys,
    )


def _finding(head: Project, comparison: Comparison, entry: ChangelogEntry, violation: Violation) -> Finding:
    promise = Related(head.changelog_path, _place(comparison, entry), "this entry promises to add points only")
    place = _location(head, violation)
    if place is None:
        path, span = promise.path, promise.span
    else:
        path, span = place
    return RULE.finding(
        violation.kind,
        span,
        path=path,
        subject=(violation.kind, violation.key, *violation.details),
        related=() if place is None else (promise,),
        key=violation.key,
        **_arguments(head, violation),
    )


def _arguments(head: Project, violation: Violation) -> dict[str, Any]:
    details = violation.details
    if violation.kind == "point-changed":
        return {"points": details[0], "changes": details[1:]}
    if violation.kind == "shared-setting":
        return {"fields": details}
    if violation.kind == "recipe-changed":
        return {"recipe": head.relative(details[0])}
    return dict(zip(_NAMES.get(violation.kind, ()), details, strict=False))


def _location(head: Project, violation: Violation) -> tuple[str, Span] | None:
    """The recipe, row, image or key at fault; None for what is no longer there, and for an entry that adds nothing."""
    if violation.recipe:
        return violation.recipe, head.recipe_span(violation.recipe)
    if violation.key not in head.keys or violation.kind == "nothing-added":
        return None
    master, entry = head.keys[violation.key]
    if any(detail.startswith("image ") for detail in violation.details) or violation.kind == "other-image":
        return master.path, entry.image_span
    return master.path, _row_span(entry, violation)


def _row_span(entry: MasterEntry, violation: Violation) -> Span:
    rows = (row for arm in entry.arms for row in arm.rows if row.pointer == violation.row)
    row = next(rows, None)
    if row is not None:
        return row.span
    if violation.kind in ("scenario-added", "other-scenario"):
        return next((arm.span for arm in entry.arms if arm.kind == violation.details[0]), entry.key_span)
    return entry.key_span
