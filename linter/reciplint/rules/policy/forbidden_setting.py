"""A setting that the policy forbids.

## What it finds

An environment variable, a flag or a key of a ban, wherever a recipe or a master config sets it: as a key, within a text
as `NAME=value`, as a flag, or as a member of JSON. Bans are data. Those of the repository stand in its settings:

```yaml
forbidden:
- pattern: "FINCH_SKIP_*"          # a name; * and ? are wild, dashes and underscores are one
  value: ["1", "true"]             # only these values; any if absent
  scope: recipe                    # or master; both if absent
  beside: "speculative-*"          # only in files that have such a key as well
  reason: it leaves out layers that customers run
  link: https://github.com/example/bench/issues/7
  since: 2026-08-01                # judged from this review date on
```

The `inferencex` profile ships what the checklist of the public benchmark names: `SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE` and
`SGLANG_GLM_NEXTN_MOE_PTPC` switched on where drafts are used (since 2026-09-19), `publish_events_and_metrics` switched
off (since 2026-10-01).

What stands is a warning; what a change adds is an error.

## Why it matters

Such a setting makes a result look better than what anybody would run. Reviewers look for it by hand, one by one.

## Bad

```yaml .reciplint.yaml
forbidden:
- pattern: FINCH_SKIP_CHECKS
  value: "1"
  reason: answers have to be checked
  link: https://github.com/example/bench/issues/7
```

```yaml jobs/tiny.yaml
name: tiny
model: {path: org/tiny, container: "vllm/vllm-openai:v2", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1, gpus_per_agg: 8}
backend:
  type: vllm
  aggregated_environment:
    «FINCH_SKIP_CHECKS: "1"»
  vllm_config:
    aggregated: {tensor-parallel-size: 8}
```

## Good

```yaml .reciplint.yaml
forbidden:
- pattern: FINCH_SKIP_CHECKS
  value: "1"
  reason: answers have to be checked
  link: https://github.com/example/bench/issues/7
```

```yaml jobs/tiny.yaml
name: tiny
model: {path: org/tiny, container: "vllm/vllm-openai:v2", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1, gpus_per_agg: 8}
backend:
  type: vllm
  aggregated_environment:
    FINCH_SKIP_CHECKS: "0"
  vllm_config:
    aggregated: {tensor-parallel-size: 8}
```

## Fix

None: what was meant instead is for the author to say.

## Options

`except`: patterns of bans that are not judged, for those of a profile that a repository does not share.

## Source

The settings; for the `inferencex` profile the public benchmark repository's contribution rules and sign-off checks
(October 2026).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from reciplint.domain.document import Document
from reciplint.domain.forbidden import KINDS, Ban, Setting, banned, may_hold
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding, Severity
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.tree import key_path, pointer

if TYPE_CHECKING:
    from reciplint.domain.project import Change

RULE = Rule(
    id="forbidden-setting",
    summary="A setting that the policy forbids",
    severity="error",
    source="the settings; the public benchmark repository's contribution rules and sign-off checks, October 2026",
    messages={
        "set": "{name} is {value:?set to {value}}{empty:?set}, which is forbidden{since:? since {since}}: {reason}"
        "{link:? ({link})}",
    },
    messages_zh={
        "set": "{name} {value:?被设为 {value}}{empty:?被设置}，{since:?自 {since} 起}被禁止：{reason}"
        "{link:?（{link}）}",
    },
    kinds=KINDS,
    options={"except": ()},
)


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """A warning for every banned setting of a file."""
    if document.tree is not None:
        bans = _bans(context, document.kind, context.profile)
        for setting in banned(document.tree, bans):
            yield _finding(setting, "warning")


def check_change(change: Change, context: Context) -> Iterator[Finding]:
    """An error for every banned setting that a change adds to a file."""
    profile = "inferencex" if change.head.root is not None else ""
    kinds = {master.path: Kind.MASTER for master in change.head.masters}
    kinds |= dict.fromkeys(change.head.recipe_paths, Kind.RECIPE)
    changed = [path for path in kinds if change.is_changed(path)] if context.options.get("forbidden") else []
    texts = change.head.read_all(changed)
    before = change.base.read_all([change.base_path(path) for path in changed]) if change.base is not None else {}
    for path in changed:
        bans = _bans(context, kinds[path], profile)
        known = Counter(map(_subject, _banned(before.get(change.base_path(path)), kinds[path], bans)))
        for setting in _banned(texts.get(path), kinds[path], bans):
            subject = _subject(setting)
            known[subject] -= 1
            if known[subject] < 0:
                yield _finding(setting, "error", path)


def _bans(context: Context, kind: Kind, profile: str) -> tuple[Ban, ...]:
    spared = frozenset(context.options["except"])
    listed: tuple[Ban, ...] = context.options.get("forbidden", ())
    return tuple(ban for ban in listed if ban.is_for(kind, profile) and ban.pattern not in spared)


def _banned(data: bytes | None, kind: Kind, bans: tuple[Ban, ...]) -> Iterator[Setting]:
    """The banned settings of a file; only one that names any is parsed."""
    if data is not None and (wanted := may_hold(bans, data.decode("utf-8", "replace"))):
        tree = Document("", kind, data).tree
        yield from banned(tree, wanted) if tree is not None else ()


def _subject(setting: Setting) -> tuple[str, ...]:
    return (*key_path(setting.path), setting.name, setting.value)


def _finding(setting: Setting, severity: Severity, path: str = "") -> Finding:
    ban = setting.ban
    return RULE.finding(
        "set",
        setting.span,
        subject=_subject(setting),
        path=path,
        severity=severity,
        pointer=pointer(setting.path),
        name=setting.name,
        value=setting.value,
        empty="" if setting.value else "set",
        since=ban.since,
        reason=ban.reason,
        link=ban.link,
    )
