"""Two role maps of a recipe repeat each other where an anchor would say it once.

## What it finds

Two maps of one recipe (the engine flags of prefill and decode, or their environments) that share at least eight
keys with equal values, or 200 bytes of them, each written out. One finding a file, on the pair that repeats most.

## Why it matters

A setting that must be equal on both sides is changed in one copy and not in the other: prefill and decode then
disagree on a connector or a cache layout, which shows as a failed transfer after the nodes are allocated.

## Bad

```yaml benchmarks/tiny.yaml
name: tiny-disagg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200}
backend:
  type: vllm
  vllm_config:
    «prefill»:
      served-model-name: org/tiny
      kv-cache-dtype: fp8
      tensor-parallel-size: 4
      block-size: 128
      trust-remote-code: true
      stream-interval: 10
      load-format: fastsafetensors
      enable-prefix-caching: true
      max-num-batched-tokens: 16384
    decode:
      served-model-name: org/tiny
      kv-cache-dtype: fp8
      tensor-parallel-size: 4
      block-size: 128
      trust-remote-code: true
      stream-interval: 10
      load-format: fastsafetensors
      enable-prefix-caching: true
      max-num-seqs: 256
```

## Good

```yaml benchmarks/tiny.yaml
name: tiny-disagg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200}
backend:
  type: vllm
  vllm_config:
    prefill: &tiny_config
      served-model-name: org/tiny
      kv-cache-dtype: fp8
      tensor-parallel-size: 4
      block-size: 128
      trust-remote-code: true
      stream-interval: 10
      load-format: fastsafetensors
      enable-prefix-caching: true
    decode:
      <<: *tiny_config
      max-num-seqs: 256
```

## Fix

None is applied: write `&name` after the first map's key, and `<<: *name` with only what differs in the second. A
merge key cannot remove a key: what stands in the first map alone is named in the message.

## Options

| option | default | meaning |
|---|---|---|
| `min-keys` | 8 | shared keys that make a repetition |
| `min-bytes` | 200 | or shared bytes of keys and values |

## Source

A review of three recipes that wrote out a connector of 600 characters six times, beside recipes that use anchors.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from reciplint.domain.project import Project
from reciplint.domain.recipe import RecipeFile, SettingsMap
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="anchor-dedup",
    summary="Two role maps of a recipe repeat each other where an anchor would say it once",
    severity="info",
    source="a review of recipes that wrote out the same flags six times, beside recipes that use anchors",
    messages={
        "repeated": "{first} and {second} share {shared:key|keys} ({size:byte|bytes}) written out twice{differing};"
        " anchor the first (`{first_key}: &name`) and merge it into the second (`<<: *name`){blocked}{precedent}",
    },
    options={"min-keys": 8, "min-bytes": 200},
)

_LISTED = 6


@dataclass(frozen=True)
class _Repetition:
    """Two maps with the keys that they share with equal values, those that differ, and those of the first alone."""

    first: SettingsMap
    second: SettingsMap
    shared: tuple[str, ...]
    differing: tuple[str, ...]
    first_only: tuple[str, ...]
    size: int


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each recipe that repeats enough."""
    precedents = _Precedents(project)
    least_keys, least_bytes = int(context.options["min-keys"]), int(context.options["min-bytes"])
    for recipe in project.recipes.values():
        found = [
            repetition
            for repetition in _repetitions(recipe)
            if len(repetition.shared) >= least_keys or repetition.size >= least_bytes
        ]
        if found:
            yield _finding(recipe, max(found, key=lambda repetition: repetition.size), precedents)


def _repetitions(recipe: RecipeFile) -> Iterator[_Repetition]:
    by_sort: dict[tuple[str, ...], list[SettingsMap]] = {}
    for block in recipe.facts.maps:
        if block.role and block.section in ("args", "env"):
            by_sort.setdefault(_body_and_sort(block), []).append(block)
    for blocks in by_sort.values():
        for first, second in combinations(blocks, 2):
            yield _compare(first, second)


def _body_and_sort(block: SettingsMap) -> tuple[str, ...]:
    """Maps are compared within one body of the file, flags with flags of the same engine, variables with variables."""
    label = block.label.partition(".")[0] if block.section == "args" else ""
    return (block.place[0] if block.place[0] not in ("backend", "roles") else "", block.section, label)


def _compare(first: SettingsMap, second: SettingsMap) -> _Repetition:
    left = {setting.key: setting.value for setting in first.settings}
    right = {setting.key: setting.value for setting in second.settings}
    shared = tuple(key for key, value in left.items() if right.get(key) == value)
    return _Repetition(
        first,
        second,
        shared,
        tuple(key for key in right if key in left and key not in shared),
        tuple(key for key in left if key not in right),
        sum(len(key.encode()) + len(left[key].encode()) for key in shared),
    )


def _finding(recipe: RecipeFile, found: _Repetition, precedents: _Precedents) -> Finding:
    precedent = precedents.nearest(recipe.path, found.first.section)
    related = [Related(recipe.path, found.second.key_span, "the second copy")]
    if precedent is not None:
        related.append(Related(precedent[0].path, precedent[1].key_span, f"{precedent[1].label} is merged here"))
    return RULE.finding(
        "repeated",
        found.first.key_span,
        path=recipe.path,
        subject=(found.first.label, found.second.label),
        pointer="/" + "/".join(found.first.place),
        related=tuple(related),
        first=found.first.label,
        second=found.second.label,
        first_key=found.first.place[-1],
        shared=len(found.shared),
        size=found.size,
        differing=f"; only {_listed(found.differing)} differ" if found.differing else "",
        blocked=f"; only the first has {_listed(found.first_only)}, which a merge would bring along"
        if found.first_only
        else "",
        precedent=f"; as {precedent[0].path.rsplit('/', 1)[-1]} does" if precedent else "",
    )


def _listed(keys: tuple[str, ...]) -> str:
    shown = ", ".join(keys[:_LISTED])
    return shown if len(keys) <= _LISTED else f"{shown} and {len(keys) - _LISTED} more"


class _Precedents:
    """The maps that authors folded by hand, by section and path."""

    def __init__(self, project: Project) -> None:
        self._by_section: dict[str, list[tuple[str, RecipeFile, SettingsMap]]] = {"args": [], "env": []}
        for path, recipe in sorted(project.recipes.items()):
            for block in recipe.facts.maps:
                if block.merges and block.section in self._by_section:
                    self._by_section[block.section].append((path, recipe, block))
        self._paths = {name: [path for path, _, _ in found] for name, found in self._by_section.items()}

    def nearest(self, path: str, section: str) -> tuple[RecipeFile, SettingsMap] | None:
        """The folded map of the most similar path, of the same section if there is one."""
        for name in (section, *(other for other in self._by_section if other != section)):
            found, paths = self._by_section[name], self._paths[name]
            at = bisect(paths, path)
            around = [found[index] for index in range(max(at - 2, 0), min(at + 2, len(found)))]
            if around:
                _, recipe, block = min(around, key=lambda item: (-_shared_start(item[0], path), item[0]))
                return recipe, block
        return None


def _shared_start(one: str, other: str) -> int:
    """How many characters two paths begin with in common."""
    return next(
        (index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
