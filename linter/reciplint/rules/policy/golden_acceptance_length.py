"""An agentic run simulates another acceptance length than the golden one.

## What it finds

Agentic rows that draft, beside the golden curve of their model, method, draft head and number of draft tokens
(thinking on). By the mode that `policy.acceptance-length` of the settings gives:

- `pinned`: the run has to simulate the golden length. It may be set by `SYNTHETIC_ACCEPTANCE_LENGTH` among the row's
  settings (with `SYNTHETIC_ACCEPTANCE=true`), or by the recipe's decode or aggregated role: vLLM's
  `synthetic_acceptance_length`, SGLang's `SGLANG_SIMULATE_ACC_LEN`, ATOM's `spec-decode-acceptance-length`, or
  TensorRT-LLM's `TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS`, which is one less. With `--base`, a change that gives a
  row of another scenario such a length is warned of as well: a sign-off may allow it;
- `forbidden`: no row and no role sets a length by hand, since the launcher takes it from the curve; so there has to be
  a curve, with that number of draft tokens;
- `off`.

`auto`, the default, is `pinned` for rows that name their recipe by `CONFIG_FILE`, and `forbidden` for the later
`srt-recipe`. Rows without a recipe in the repository, and models without a curve where lengths are pinned, are left
alone. Judged from the review date 2026-07-10 on, when this became policy.

## Why it matters

Replayed traces do not accept drafts as real traffic does, so every submission simulates the length that was measured
for its model. One that simulates more drafts better than it does, and looks faster by as much.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm-agentic:
  image: vllm/vllm-openai:v2
  model: org/tiny
  model-prefix: tiny
  runner: cluster:b200-lab
  precision: fp4
  framework: dynamo-vllm
  multinode: true
  disagg: false
  scenarios:
    agentic-coding:
    - search-space:
      - conc-list: [8]
        spec-decoding: mtp
        prefill: {num-worker: 1, tp: 8, ep: 1, dp-attn: false, additional-settings: [
          SYNTHETIC_ACCEPTANCE=true, «SYNTHETIC_ACCEPTANCE_LENGTH=2.5», CONFIG_FILE=recipes/vllm/tiny/first.yaml]}
        decode: {num-worker: 0, tp: 8, ep: 1, dp-attn: false}
```

```yaml configs/runners.yaml
labels: {"cluster:b200-lab": [b200-0]}
```

```yaml perf-changelog.yaml
[]
```

```yaml golden_al_distribution/tiny_mtp.yaml
tiny-base:
  thinking_on: {1: 1.7, 2: 2.2, 3: 2.5}
```

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/first.yaml
name: tiny
model: {path: org/tiny, container: "vllm/vllm-openai:v2", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1, gpus_per_agg: 8}
backend:
  type: vllm
  vllm_config:
    aggregated:
      tensor-parallel-size: 8
      speculative-config: '{"method": "mtp", "num_speculative_tokens": 2}'
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm-agentic:
  image: vllm/vllm-openai:v2
  model: org/tiny
  model-prefix: tiny
  runner: cluster:b200-lab
  precision: fp4
  framework: dynamo-vllm
  multinode: true
  disagg: false
  scenarios:
    agentic-coding:
    - search-space:
      - conc-list: [8]
        spec-decoding: mtp
        prefill: {num-worker: 1, tp: 8, ep: 1, dp-attn: false, additional-settings: [
          SYNTHETIC_ACCEPTANCE=true, SYNTHETIC_ACCEPTANCE_LENGTH=2.2, CONFIG_FILE=recipes/vllm/tiny/first.yaml]}
        decode: {num-worker: 0, tp: 8, ep: 1, dp-attn: false}
```

```yaml configs/runners.yaml
labels: {"cluster:b200-lab": [b200-0]}
```

```yaml perf-changelog.yaml
[]
```

```yaml golden_al_distribution/tiny_mtp.yaml
tiny-base:
  thinking_on: {1: 1.7, 2: 2.2, 3: 2.5}
```

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/first.yaml
name: tiny
model: {path: org/tiny, container: "vllm/vllm-openai:v2", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1, gpus_per_agg: 8}
backend:
  type: vllm
  vllm_config:
    aggregated:
      tensor-parallel-size: 8
      speculative-config: '{"method": "mtp", "num_speculative_tokens": 2}'
```

## Fix

Unsafe, since another length is simulated then: a length that is set gets the golden value, and one that may not be set
is taken out where it is a setting or a variable of its own. Nothing is offered where variants share the place where it
stands, or where none is set yet, since there are several ways to set one.

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm-agentic:
  image: vllm/vllm-openai:v2
  model: org/tiny
  model-prefix: tiny
  runner: cluster:b200-lab
  precision: fp4
  framework: dynamo-vllm
  multinode: true
  disagg: false
  scenarios:
    agentic-coding:
    - search-space:
      - conc-list: [8]
        spec-decoding: mtp
        prefill: {num-worker: 1, tp: 8, ep: 1, dp-attn: false, additional-settings: [
          SYNTHETIC_ACCEPTANCE=true, SYNTHETIC_ACCEPTANCE_LENGTH=2.2, CONFIG_FILE=recipes/vllm/tiny/first.yaml]}
        decode: {num-worker: 0, tp: 8, ep: 1, dp-attn: false}
```

## Options

None. The mode stands in the settings as `policy.acceptance-length`, and curves may stand there as
`policy.golden-curves`.

## Source

The fairness guidelines beside the public benchmark repository's curves, its sign-off checks, and its launchers
(August and October 2026).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import basename

from reciplint.domain.acceptance import (
    AGENTIC,
    POLICY_SINCE,
    Expected,
    Pin,
    RolePin,
    RowPin,
    agrees,
    drafts,
    expected,
    is_left_to_launcher,
    set_by_hand,
    simulated,
    value_for,
)
from reciplint.domain.acceptance_places import AcceptancePlaces
from reciplint.domain.golden_curves import Cell
from reciplint.domain.pairing import Pair
from reciplint.domain.project import Change, Project
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Argument, Finding, Fix, Related, Severity
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.spans import Span

RULE = Rule(
    id="golden-acceptance-length",
    summary="An agentic run simulates another acceptance length than the golden one",
    severity="error",
    source="the public benchmark repository's fairness guidelines and sign-off checks, August and October 2026",
    fix="unsafe",
    messages={
        "value": "{name} is {found}, but {curve} has {golden} for {tokens:draft token|draft tokens} of {method}"
        "{needed:?, so it has to be {needed}: it counts accepted drafts alone}",
        "unpinned": "this run drafts {tokens:token|tokens} by {method} and simulates no acceptance length;"
        " {curve} has {golden}",
        "no-length": "there is no golden acceptance length for {tokens:draft token|draft tokens} of {method}:"
        " {curve} has {known}",
        "no-curve": "there is no golden curve of {prefix} for {method}, from which the launcher takes the acceptance"
        " length",
        "by-hand": "{name} is set by hand ({found}), but the launcher takes the acceptance length from the golden"
        " curve",
        "not-agentic": "{name} is {found} for {scenario} of {key}, but only agentic runs simulate their acceptance",
    },
    messages_zh={
        "value": "{name} 为 {found}，但 {curve} 中 {method} 的 {tokens} 个草稿 token 对应 {golden}"
        "{needed:?，因此应为 {needed}：该变量只计被接受的草稿 token}",
        "unpinned": "本次运行用 {method} 起草 {tokens} 个 token，却没有模拟接受长度；{curve} 中为 {golden}",
        "no-length": "{method} 的 {tokens} 个草稿 token 没有黄金接受长度：{curve} 中有 {known}",
        "no-curve": "{prefix} 没有 {method} 的黄金曲线，而启动器要从中取得接受长度",
        "by-hand": "{name} 是手工设置的（{found}），但启动器会从黄金曲线取得接受长度",
        "not-agentic": "{key} 的 {scenario} 把 {name} 设为 {found}，但只有 agentic 运行才模拟接受长度",
    },
)

_BY_ERA = {"A": "pinned", "B": "forbidden", "C": "forbidden"}


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each place that is at fault."""
    if context.review_date < POLICY_SINCE:
        return
    places = AcceptancePlaces(project)
    judges = {"pinned": _pinned, "forbidden": _forbidden}
    yield from _once(
        finding
        for pair in project.pairs
        if (judge := judges.get(_mode(context, pair))) is not None
        for finding in judge(places, pair)
    )


def check_change(change: Change, context: Context) -> Iterator[Finding]:
    """What a change newly simulates outside of agentic runs. What stands was merged, and its sign-off may allow it."""
    if context.review_date < POLICY_SINCE or change.base is None or Kind.MASTER in change.base.unread:
        return
    before = {_of_row(pair, pin) for pair in _others(change.base, context) for pin in simulated(pair)}
    places = AcceptancePlaces(change.head)
    yield from _once(
        _at_pin(places, pair, pin, "not-agentic", {"scenario": pair.use.scenario, "key": pair.use.entry.key})
        for pair in _others(change.head, context)
        for pin in simulated(pair)
        if _of_row(pair, pin) not in before
    )


def _once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Each finding once: variants share what stands in their base, and rows their recipes."""
    said: set[tuple[str, Span, str]] = set()
    for finding in findings:
        known = (finding.path, finding.span, finding.message)
        if known not in said:
            said.add(known)
            yield finding


def _mode(context: Context, pair: Pair) -> str:
    chosen = str(context.options.get("mode", "auto"))
    return _BY_ERA[pair.use.reference.era] if chosen == "auto" else chosen


def _others(project: Project, context: Context) -> Iterator[Pair]:
    """The pairs of other scenarios under the pinned mode."""
    for pair in project.pairs:
        if pair.use.arm.kind != AGENTIC and _mode(context, pair) == "pinned":
            yield pair


def _pinned(places: AcceptancePlaces, pair: Pair) -> Iterator[Finding]:
    speculation = drafts(pair)
    wanted = expected(places.project.curves, pair, speculation) if speculation is not None else None
    if wanted is None or is_left_to_launcher(pair.use.row):
        return
    pins = simulated(pair)
    if wanted.cell is None:
        if pins:
            yield _no_length(places, pair, wanted, "warning")
    elif not pins:
        yield _unpinned(places, pair, wanted, wanted.cell)
    else:
        yield from (_value(places, pair, pin, wanted, wanted.cell) for pin in pins if not agrees(pin, wanted.cell))


def _forbidden(places: AcceptancePlaces, pair: Pair) -> Iterator[Finding]:
    for pin in set_by_hand(pair):
        fix = Fix(f"Take {pin.name} out", "unsafe", (out,)) if (out := places.removal(pair, pin)) else None
        yield _at_pin(places, pair, pin, "by-hand", {}, fix=fix)
    curves, speculation = places.project.curves, drafts(pair)
    if speculation is None or not curves or Kind.CURVE in places.project.unread:
        return
    prefix = pair.use.entry.prefix or ""
    if curves.find(prefix, speculation) is None:
        yield _at_drafts(places, pair, "no-curve", "error", (), {"prefix": prefix, "method": speculation.method})
    wanted = expected(curves, pair, speculation)
    if wanted is not None and wanted.cell is None:
        yield _no_length(places, pair, wanted, "error")


def _value(places: AcceptancePlaces, pair: Pair, pin: Pin, wanted: Expected, cell: Cell) -> Finding:
    needed = value_for(pin, cell)
    arguments = {**_of(wanted), "golden": cell.length, "needed": needed if needed != cell.length else ""}
    drafting = places.drafting(pair)
    is_beside = isinstance(pin, RolePin) and drafting == places.pin(pair, pin)
    beside = () if is_beside else (Related(pair.path, drafting, "how the recipe drafts"),)
    operation = places.operation(pair, pin, needed)
    title = f"Simulate the golden acceptance length: {needed}"
    fix = Fix(title, "unsafe", (operation,)) if operation is not None else None
    return _at_pin(places, pair, pin, "value", arguments, (*_golden(wanted, cell), *beside), fix)


def _unpinned(places: AcceptancePlaces, pair: Pair, wanted: Expected, cell: Cell) -> Finding:
    use = pair.use
    return RULE.finding(
        "unpinned",
        use.row.span,
        path=use.master,
        severity="error",
        pointer=use.row.pointer,
        subject=(use.entry.key, use.scenario, use.row.identity, "unpinned"),
        related=(*_golden(wanted, cell), Related(pair.path, places.drafting(pair), "how the recipe drafts")),
        fix=None,
        **_of(wanted),
        golden=cell.length,
    )


def _no_length(places: AcceptancePlaces, pair: Pair, wanted: Expected, severity: Severity) -> Finding:
    arguments = {**_of(wanted), "known": tuple(map(str, wanted.curve.measured))}
    related = _golden(wanted, wanted.curve.cells[0])
    return _at_drafts(places, pair, "no-length", severity, related, arguments)


def _at_pin(
    places: AcceptancePlaces,
    pair: Pair,
    pin: Pin,
    message_id: str,
    arguments: dict[str, Argument],
    related: tuple[Related, ...] = (),
    fix: Fix | None = None,
) -> Finding:
    """A finding where a length is set."""
    is_row = isinstance(pin, RowPin)
    return RULE.finding(
        message_id,
        places.pin(pair, pin),
        path=pair.use.master if is_row else pair.path,
        severity="warning" if message_id == "not-agentic" else "error",
        pointer=pair.use.row.pointer if is_row else "",
        subject=_of_row(pair, pin) if is_row or message_id == "not-agentic" else _of_role(pair, pin),
        related=related if is_row else (*related, _row(pair)),
        fix=fix,
        **{"name": pin.name, "found": pin.text, **arguments},
    )


def _at_drafts(
    places: AcceptancePlaces,
    pair: Pair,
    message_id: str,
    severity: Severity,
    related: tuple[Related, ...],
    arguments: dict[str, Argument],
) -> Finding:
    """A finding where the recipe says how it drafts."""
    return RULE.finding(
        message_id,
        places.drafting(pair),
        path=pair.path,
        severity=severity,
        pointer="",
        subject=(pair.variant.selector, message_id, *(str(value) for value in arguments.values())),
        related=(*related, _row(pair)),
        fix=None,
        **arguments,
    )


def _of(wanted: Expected) -> dict[str, Argument]:
    return {"curve": wanted.curve.name, "tokens": wanted.tokens, "method": wanted.speculation.method}


def _golden(wanted: Expected, cell: Cell) -> tuple[Related, ...]:
    """The place of a curve's value, where the curve is a file."""
    return (Related(wanted.curve.path, cell.span, "the golden curve"),) if wanted.curve.path else ()


def _row(pair: Pair) -> Related:
    return Related(pair.use.master, pair.use.row.span, f"a row of {pair.use.entry.key} runs it")


def _of_row(pair: Pair, pin: Pin) -> tuple[str, ...]:
    use = pair.use
    place = (pin.block,) if isinstance(pin, RowPin) else (basename(pair.path), *_of_role(pair, pin)[:2])
    return (use.entry.key, use.scenario, use.row.identity, *place, pin.name, pin.text)


def _of_role(pair: Pair, pin: Pin) -> tuple[str, ...]:
    role = pin.role.name if isinstance(pin, RolePin) else ""
    return (pair.variant.selector, role, pin.name, pin.text)
