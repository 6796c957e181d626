"""An arm that the policy has deprecated on the review date.

## What it finds

A search-space row of a master config whose scenario, precision, model or missing speculative decoding the policy
marks as deprecated. The policy is `MODELS.md` (its table of scenarios, its matrix of models and its dated notices)
together with the deprecations in the settings.

- A deprecation counts from its first day on: "since 2026-07-17" that day, "last day: 2026-08-03" the day after. One
  "from day 0" always counts. The review date is `--date`, else the day of the commit under review.
- A row without speculative decoding (`spec-decoding` absent or `none`) is meant only where the policy retires that
  arm; where it says "not required" or "remains eligible", nothing is retired.
- The `model-prefix` must equal a prefix of the policy; a model without a row there is not judged.

It is a warning for an arm that already stood, and an error for one that a change adds or alters; a new image under a
deprecated arm alters it. It stays a warning where the policy says "not yet enacted" and the row is not deprecated
from day 0. Words of the policy that could not be understood are listed in one finding of level info, and nothing is
concluded from them.

## Why it matters

A deprecated arm spends GPU hours on points that are not published, and a review rejects the change that brings it,
often a day and a full sweep later.

## Bad

```yaml base configs/nvidia-master.yaml
heron2-fp8-b200-vllm-agentic:
  image: vllm/vllm-openai:v0.9.0
  model: example/Heron-2-FP8
  model-prefix: heron2
  runner: b200
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    agentic-coding:
    - search-space:
      - { tp: 8, kv-offloading: none, spec-decoding: mtp, conc-list: [1, 4, 8] }
```

```yaml configs/nvidia-master.yaml
heron2-fp8-b200-vllm-agentic:
  image: vllm/vllm-openai:v0.9.0
  model: example/Heron-2-FP8
  model-prefix: heron2
  runner: b200
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    agentic-coding:
    - search-space:
      - { tp: 8, kv-offloading: none, spec-decoding: mtp, conc-list: [1, 4, 8] }
      - «{ tp: 8, kv-offloading: none, conc-list: [16, 32] }»
```

```yaml base configs/runners.yaml
labels:
  b200:
  - b200-node_0
```

```yaml configs/runners.yaml
labels:
  b200:
  - b200-node_0
```

```yaml base perf-changelog.yaml
- config-keys:
  - heron1-fp8-b200-vllm
  description:
  - "Add Heron 1"
  pr-link: https://github.com/example/bench/pull/6
```

```yaml perf-changelog.yaml
- config-keys:
  - heron1-fp8-b200-vllm
  description:
  - "Add Heron 1"
  pr-link: https://github.com/example/bench/pull/6

- config-keys:
  - heron2-fp8-b200-vllm-agentic
  description:
  - "Add concurrency 16 and 32"
  pr-link: https://github.com/example/bench/pull/7
```

```markdown base MODELS.md
| Model | Prefix | Active | Deprecated |
|---|---|---|---|
| Heron 2 | `heron2` | Agentic coding | Agentic coding non-MTP arm (deprecated from day 0) |
```

```markdown MODELS.md
| Model | Prefix | Active | Deprecated |
|---|---|---|---|
| Heron 2 | `heron2` | Agentic coding | Agentic coding non-MTP arm (deprecated from day 0) |
```

```console
reciplint check --base BASE --date 2026-08-20
```

## Good

```yaml base configs/nvidia-master.yaml
heron2-fp8-b200-vllm-agentic:
  image: vllm/vllm-openai:v0.9.0
  model: example/Heron-2-FP8
  model-prefix: heron2
  runner: b200
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    agentic-coding:
    - search-space:
      - { tp: 8, kv-offloading: none, spec-decoding: mtp, conc-list: [1, 4, 8] }
```

```yaml configs/nvidia-master.yaml
heron2-fp8-b200-vllm-agentic:
  image: vllm/vllm-openai:v0.9.0
  model: example/Heron-2-FP8
  model-prefix: heron2
  runner: b200
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    agentic-coding:
    - search-space:
      - { tp: 8, kv-offloading: none, spec-decoding: mtp, conc-list: [1, 4, 8] }
      - { tp: 4, kv-offloading: none, spec-decoding: mtp, conc-list: [16, 32] }
```

```yaml base configs/runners.yaml
labels:
  b200:
  - b200-node_0
```

```yaml configs/runners.yaml
labels:
  b200:
  - b200-node_0
```

```yaml base perf-changelog.yaml
- config-keys:
  - heron1-fp8-b200-vllm
  description:
  - "Add Heron 1"
  pr-link: https://github.com/example/bench/pull/6
```

```yaml perf-changelog.yaml
- config-keys:
  - heron1-fp8-b200-vllm
  description:
  - "Add Heron 1"
  pr-link: https://github.com/example/bench/pull/6

- config-keys:
  - heron2-fp8-b200-vllm-agentic
  description:
  - "Add concurrency 16 and 32"
  pr-link: https://github.com/example/bench/pull/7
```

```markdown base MODELS.md
| Model | Prefix | Active | Deprecated |
|---|---|---|---|
| Heron 2 | `heron2` | Agentic coding | Agentic coding non-MTP arm (deprecated from day 0) |
```

```markdown MODELS.md
| Model | Prefix | Active | Deprecated |
|---|---|---|---|
| Heron 2 | `heron2` | Agentic coding | Agentic coding non-MTP arm (deprecated from day 0) |
```

```console
reciplint check --base BASE --date 2026-08-20
```

## Fix

None: drop the row, or give it what the policy still allows (a draft method, another precision). If the policy is
out of date, change `MODELS.md` in the same pull request.

## Options

None. Deprecations of your own stand in the settings under `policy`.

## Source

The repository's own `MODELS.md`, cited with each finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from reciplint.domain.deprecation import ArmFacts, Reason, reasons
from reciplint.domain.policy import ANY, Deprecation
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding, Related, Severity
from reciplint.rules.rule import Context, Rule

if TYPE_CHECKING:
    from reciplint.domain.master import Arm, MasterEntry, MasterFile, Row
    from reciplint.domain.project import Change, Project

_REASONS_ZH = (
    ", =；|* (*; *)=*（*；%）|* (*)=*（*）|from day 0=自第 0 天起|no date given=未注明日期|since *=自 % 起"
    "|announced for an unnamed day, not yet enacted=已公布，日期未定，尚未生效"
    "|announced for *, not yet enacted=已公布自 % 起，尚未生效"
    "|* of every model=*，所有模型|* of `*`=*，模型 `%`|* without speculative decoding=*，不用投机解码|* on *=*，框架 %"
    "|* in another precision than *=*，精度不是 %|every scenario=所有场景"
)

RULE = Rule(
    id="deprecated-arm",
    summary="An arm that the policy has deprecated on the review date",
    severity="error",
    source="MODELS.md of the repository; the settings' policy",
    messages={
        "stands": "`{key}`, {scenario}: this arm is deprecated: {reasons}",
        "added": "`{key}`, {scenario}: this change adds a deprecated arm: {reasons}",
        "altered": "`{key}`, {scenario}: this change alters a deprecated arm: {reasons}",
        "doubts": "Nothing is concluded from {n:place|places} of the policy not understood: {doubts}",
    },
    messages_zh={
        "stands": f"`{{key}}`，{{scenario}}：该 arm 已被弃用：{{reasons:{_REASONS_ZH}}}",
        "added": f"`{{key}}`，{{scenario}}：本次改动新增了已被弃用的 arm：{{reasons:{_REASONS_ZH}}}",
        "altered": f"`{{key}}`，{{scenario}}：本次改动修改了已被弃用的 arm：{{reasons:{_REASONS_ZH}}}",
        "doubts": "策略中有 {n} 处无法理解，没有据此得出任何结论：{doubts:, =；}",
    },
)

_LONGEST_CITATION = 240
"""Code points: a row of a model matrix can be a paragraph."""


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """A warning for every deprecated arm, and what of the policy was not understood."""
    if project.policy is None:
        return
    for master, entry, arm, row, found in _deprecated(project, context):
        yield _finding(project, master, entry, arm, row, found, "stands", "warning")
    if doubts := project.policy.doubts:
        texts = tuple(_clipped(doubt.text) for doubt in doubts)
        yield RULE.finding(
            "doubts",
            doubts[0].span,
            path=project.policy_path,
            severity="info",
            subject=("policy", *sorted(texts)),
            related=tuple(
                Related(project.policy_path, doubt.span, text)
                for doubt, text in zip(doubts[1:], texts[1:], strict=True)
            ),
            n=len(doubts),
            doubts=texts,
        )


def check_change(change: Change, context: Context) -> Iterator[Finding]:
    """An error for every deprecated arm that the change adds or alters; a warning if it is only announced."""
    if change.base is not None and Kind.MASTER in change.base.unread:
        return  # what stood before cannot be told
    for master, entry, arm, row, found in _deprecated(change.head, context):
        before = _rows_before(change.base, entry.key, arm.scenario)
        if any(old.meaning == row.meaning for old in before):
            continue
        what = "altered" if any(old.identity == row.identity for old in before) else "added"
        severity: Severity = "error" if any(reason.binding for reason in found) else "warning"
        yield _finding(change.head, master, entry, arm, row, found, what, severity)


def _deprecated(project: Project, context: Context) -> Iterator[tuple[MasterFile, MasterEntry, Arm, Row, list[Reason]]]:
    if project.policy is None:
        return
    known: dict[ArmFacts, list[Reason]] = {}
    for master in project.masters:
        for entry in master.entries:
            for arm in entry.arms:
                for row in arm.rows:
                    facts = _facts(entry, arm, row)
                    if facts not in known:
                        known[facts] = reasons(project.policy, facts, context.review_date)
                    if found := known[facts]:
                        yield master, entry, arm, row, found


def _facts(entry: MasterEntry, arm: Arm, row: Row) -> ArmFacts:
    return ArmFacts(entry.prefix, arm.scenario, arm.isl, arm.osl, entry.precision, entry.framework, row.spec_decoding)


def _rows_before(base: Project | None, key: str, scenario: str) -> list[Row]:
    if base is None:
        return []
    return [
        row
        for master in base.masters
        for entry in master.entries
        if entry.key == key
        for arm in entry.arms
        if arm.scenario == scenario
        for row in arm.rows
    ]


def _finding(
    project: Project,
    master: MasterFile,
    entry: MasterEntry,
    arm: Arm,
    row: Row,
    found: list[Reason],
    message_id: str,
    severity: Severity,
) -> Finding:
    concurrencies = ", ".join(str(number) for number in row.concurrencies)
    return RULE.finding(
        message_id,
        row.span,
        path=master.path,
        pointer=row.pointer,
        severity=severity,
        subject=(entry.key, arm.scenario, row.identity, concurrencies),
        related=(*_citations(project, found), Related(master.path, entry.key_span, "The key of the arm")),
        key=entry.key,
        scenario=arm.scenario,
        reasons=tuple(dict.fromkeys(_clause(reason.deprecation) for reason in found)),
    )


def _citations(project: Project, found: list[Reason]) -> Iterator[Related]:
    for reason in found:
        if not reason.deprecation.from_settings:
            words = f"The policy says: “{_clipped(reason.deprecation.text)}”"
            yield Related(project.policy_path, reason.deprecation.span, words)


def _clause(deprecation: Deprecation) -> str:
    """A deprecation in a few words: what, of which model, since when, and why if the settings say."""
    scenario = "" if deprecation.scenario == ANY else deprecation.scenario
    what = " ".join(
        part
        for part in (
            "/".join(deprecation.precisions),
            scenario or ("every scenario" if not deprecation.precisions else ""),
            f"in another precision than {'/'.join(deprecation.kept_precisions)}" if deprecation.kept_precisions else "",
            f"on {deprecation.framework}" if deprecation.framework else "",
            "without speculative decoding" if deprecation.non_spec_decode else "",
            "of every model" if deprecation.prefix == ANY else f"of `{deprecation.prefix}`",
        )
        if part
    )
    details = [_when(deprecation)]
    if deprecation.from_settings:
        details += [detail for detail in (deprecation.text, deprecation.link) if detail]
    return f"{what} ({'; '.join(details)})"


def _when(deprecation: Deprecation) -> str:
    if deprecation.from_day_zero:
        return "from day 0"
    if not deprecation.enacted:
        return f"announced for {deprecation.effective or 'an unnamed day'}, not yet enacted"
    return f"since {deprecation.effective}" if deprecation.effective else "no date given"


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST_CITATION else f"{text[: _LONGEST_CITATION - 1]}…"
