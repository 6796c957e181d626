"""A row names another router version or cache transfer than its recipe uses.

## What it finds

`router.version` of a `dynamo-router` that is not the Dynamo version, or commit, of a vendored recipe, and a
`kv-p2p-transfer` that is not the connector (vLLM), transfer backend (SGLang) or cache transceiver (TensorRT-LLM) of the
recipe's roles. One finding for each setting and what the recipes have instead.

A release and a commit cannot be compared, a branch or the address of a wheel neither; a transfer that the engine
chooses by its own default is not known. All that stays silent.

## Why it matters

Both settings are published with the result and change nothing of the run, so that nothing fails when they are wrong.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v2
  model: org/tiny
  model-prefix: tiny
  runner: b200-multinode
  precision: fp4
  framework: dynamo-vllm
  router: «{name: dynamo-router, version: 1.2.0}»
  kv-p2p-transfer: «mooncake»
  multinode: true
  disagg: true
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - conc-list: [8]
        prefill:
          num-worker: 1
          tp: 4
          ep: 1
          dp-attn: false
          additional-settings:
          - "CONFIG_FILE=recipes/vllm/tiny/first.yaml"
        decode: {num-worker: 1, tp: 4, ep: 1, dp-attn: false}
```

```yaml configs/runners.yaml
labels:
  b200-multinode: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/first.yaml
name: tiny
model: {path: org/tiny, container: "vllm/vllm-openai:v2", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, prefill_nodes: 1, decode_nodes: 1, prefill_workers: 1, decode_workers: 1,
  gpus_per_prefill: 4, gpus_per_decode: 4}
dynamo: {version: 1.3.0.dev1}
backend:
  type: vllm
  connector: null
  vllm_config:
    prefill: {tensor-parallel-size: 4, kv-transfer-config: '{"kv_connector": "NixlConnector", "kv_role": "kv_both"}'}
    decode: {tensor-parallel-size: 4, kv-transfer-config: '{"kv_connector": "NixlConnector", "kv_role": "kv_both"}'}
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v2
  model: org/tiny
  model-prefix: tiny
  runner: b200-multinode
  precision: fp4
  framework: dynamo-vllm
  router: {name: dynamo-router, version: v1.3.0-dev.1}
  kv-p2p-transfer: nixl
  multinode: true
  disagg: true
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - conc-list: [8]
        prefill:
          num-worker: 1
          tp: 4
          ep: 1
          dp-attn: false
          additional-settings:
          - "CONFIG_FILE=recipes/vllm/tiny/first.yaml"
        decode: {num-worker: 1, tp: 4, ep: 1, dp-attn: false}
```

```yaml configs/runners.yaml
labels:
  b200-multinode: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/first.yaml
name: tiny
model: {path: org/tiny, container: "vllm/vllm-openai:v2", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, prefill_nodes: 1, decode_nodes: 1, prefill_workers: 1, decode_workers: 1,
  gpus_per_prefill: 4, gpus_per_decode: 4}
dynamo: {version: 1.3.0.dev1}
backend:
  type: vllm
  connector: null
  vllm_config:
    prefill: {tensor-parallel-size: 4, kv-transfer-config: '{"kv_connector": "NixlConnector", "kv_role": "kv_both"}'}
    decode: {tensor-parallel-size: 4, kv-transfer-config: '{"kv_connector": "NixlConnector", "kv_role": "kv_both"}'}
```

## Fix

None is applied: whether the recipe or the row is behind is for the author to say.

## Options

None.

## Source

Review findings on versions that were moved in recipes only; vLLM's, SGLang's and TensorRT-LLM's options (August 2026).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from reciplint.domain.components import differ
from reciplint.domain.pairing import Pair
from reciplint.domain.project import Project
from reciplint.domain.recipe_variant import RecipeRole
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="component-mismatch",
    summary="A row names another router version or cache transfer than its recipe uses",
    severity="warning",
    source="review findings on versions that were moved in recipes only; the engines' options, August 2026",
    messages={
        "router": "router.version of {key} is {stated}, but"
        " {count:recipe that it runs installs|recipes that it runs install} Dynamo {actual}",
        "kv-p2p-transfer": "kv-p2p-transfer of {key} is {stated}, but"
        " {count:recipe that it runs transfers|recipes that it runs transfer} the cache by {actual}",
    },
    messages_zh={
        "router": "{key} 的 router.version 是 {stated}，但它运行的 {count} 个配方安装的 Dynamo 是 {actual}",
        "kv-p2p-transfer": "{key} 的 kv-p2p-transfer 是 {stated}，但它运行的 {count} 个配方用 {actual} 传输缓存",
    },
)

_Setting = Literal["router", "kv-p2p-transfer"]

_TRANSFERS = frozenset({"nixl", "mooncake", "mori", "ucx", "nccl", "mpi"})
"""Names that rows and engines use alike; any other is not judged."""

_SHOWN = 3


class _Mismatch(msgspec.Struct):
    """A setting that recipes contradict: `first` is the pair it was seen with, `places` tell where in which recipe,
    by path."""

    setting: _Setting
    stated: str
    actual: str
    first: Pair
    places: dict[str, tuple[str, tuple[str, ...]]] = {}


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each setting of a key or row and what its recipes have instead."""
    found: dict[tuple[str, ...], _Mismatch] = {}
    for pair in project.pairs:
        for setting, stated, actual, place in (*_routers(pair), *_transfers(pair)):
            row = pair.use.row.pointer if setting in pair.use.row.settings else ""
            key = (pair.use.entry.key, row, setting, actual)
            mismatch = found.setdefault(key, _Mismatch(setting, stated, actual, pair))
            mismatch.places.setdefault(pair.path, (pair.variant.selector, place))
    for mismatch in found.values():
        yield _finding(project, mismatch)


def _setting(pair: Pair, name: str) -> Any:
    return pair.use.row.settings.get(name, pair.use.entry.settings.get(name))


def _routers(pair: Pair) -> Iterator[tuple[_Setting, str, str, tuple[str, ...]]]:
    router, variant = _setting(pair, "router"), pair.variant
    installed = [text for text in (variant.dynamo_hash, variant.dynamo) if text]
    if not isinstance(router, dict) or router.get("name") != "dynamo-router" or not installed:
        return
    stated = str(router.get("version") or "")
    if all(differ(stated, text) for text in installed):
        yield "router", stated, installed[0], variant.dynamo_place


def _transfers(pair: Pair) -> Iterator[tuple[_Setting, str, str, tuple[str, ...]]]:
    stated = _setting(pair, "kv-p2p-transfer")
    if not isinstance(stated, str) or stated.lower() not in _TRANSFERS:
        return
    for role in pair.variant.roles:
        if _is_another(role, stated.lower()):
            yield "kv-p2p-transfer", stated, ", ".join(role.kv_cache.transfers), role.kv_cache.transfer_place


def _is_another(role: RecipeRole, stated: str) -> bool:
    transfers = role.kv_cache.transfers
    return bool(transfers) and stated not in transfers and _TRANSFERS.issuperset(transfers)


def _finding(project: Project, mismatch: _Mismatch) -> Finding:
    use, setting = mismatch.first.use, mismatch.setting
    is_own = setting in use.row.settings
    shown = [
        Related(path, project.variant_span(path, selector, place), f"{mismatch.actual} in a recipe of {use.entry.key}")
        for path, (selector, place) in list(mismatch.places.items())[:_SHOWN]
    ]
    return RULE.finding(
        setting,
        use.row.span if is_own else use.entry.component_spans.get(setting, use.entry.key_span),
        path=use.master,
        subject=(use.entry.key, use.row.identity if is_own else "", setting, mismatch.stated, mismatch.actual),
        pointer=use.row.pointer if is_own else "",
        related=tuple(shown),
        key=use.entry.key,
        stated=mismatch.stated,
        count=len(mismatch.places),
        actual=mismatch.actual,
    )
