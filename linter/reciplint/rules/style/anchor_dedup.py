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
      kv-transfer-config: >-
        {"kv_connector": "NixlConnector", "kv_role": "kv_both",
        "kv_buffer_device": "cuda", "kv_load_failure_policy": "fail"}
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
      # as in prefill
      kv-transfer-config: >-
        {"kv_connector": "NixlConnector", "kv_role": "kv_both",
        "kv_buffer_device": "cuda", "kv_load_failure_policy": "fail"}
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
      kv-transfer-config: >-
        {"kv_connector": "NixlConnector", "kv_role": "kv_both",
        "kv_buffer_device": "cuda", "kv_load_failure_policy": "fail"}
    decode:
      <<: *tiny_config
      max-num-seqs: 256
```

## Fix

Unsafe: every value stays, but the file is laid out anew, and merged keys come first. Where the second map has all
keys of the first, `&name` goes behind the first map's key and `<<: *name` with what differs into the second; `*name`
alone where nothing differs. A merge key cannot remove a key, so where the first map has keys of its own, what both
share moves under its `<<`:

```yaml benchmarks/tiny.yaml
name: tiny-disagg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200}
backend:
  type: vllm
  vllm_config:
    prefill:
      <<: &worker_config
        served-model-name: org/tiny
        kv-cache-dtype: fp8
        tensor-parallel-size: 4
        block-size: 128
        trust-remote-code: true
        stream-interval: 10
        load-format: fastsafetensors
        enable-prefix-caching: true
      kv-transfer-config: &worker_kv_transfer_config >-
        {"kv_connector": "NixlConnector", "kv_role": "kv_both",
        "kv_buffer_device": "cuda", "kv_load_failure_policy": "fail"}
      max-num-batched-tokens: 16384
    decode:
      <<: *worker_config
      # as in prefill
      kv-transfer-config: *worker_kv_transfer_config
      max-num-seqs: 256
```

The anchor is called as the file calls its others (`kimi_config` beside `&kimi_env`). Written in both maps stay a key
whose comment only the second map has, and a key whose line a launcher edits by pattern, as `speculative-config`.
A text of at least 80 characters that is then still written in several maps, as the connector here for the comment on
it, or in maps that share fewer than three keys, is anchored where it stands first and an alias in the others; never
where a launcher edits its line. No map is folded where it merges another already, nor in the environments of an
SGLang recipe with a row of `SYNTHETIC_ACCEPTANCE=true`, whose launcher looks for the bare header.

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
from collections.abc import Iterable, Iterator

from reciplint.domain.acceptance import is_switched_on
from reciplint.domain.launcher_edits import EDITED_KEYS, HEADER_EDITED_ENGINE
from reciplint.domain.listing import some_of
from reciplint.domain.prefix import common_prefix
from reciplint.domain.project import Project
from reciplint.domain.recipe import Folded, RecipeFile, Repetition
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import FoldMap, FoldScalar, Operation
from reciplint.yamltree.fold_pieces import LEAST_FOLDED

_KEYS_ZH = "* and * more=% 及另外 % 个键|*=% "

RULE = Rule(
    id="anchor-dedup",
    summary="Two role maps of a recipe repeat each other where an anchor would say it once",
    severity="info",
    fix="unsafe",
    source="a review of recipes that wrote out the same flags six times, beside recipes that use anchors",
    messages={
        "repeated": "{first} and {second} share {shared:key|keys} ({size:byte|bytes}) written out twice"
        "{differing:?; only {differing} differ}; anchor the first (`{first_key}: &name`) and merge it into the second"
        " (`<<: *name`){only:?; only the first has {only}, which a merge would bring along}"
        "{precedent:?; as {precedent} does}",
    },
    messages_zh={
        "repeated": "{first} 和 {second} 重复写出了 {shared} 个相同的键（{size} 字节）"
        f"{{differing:?；只有 {{differing:{_KEYS_ZH}}}不同}}；请给前者加上锚点（`{{first_key}}: &name`），"
        f"并在后者中合并它（`<<: *name`）{{only:?；{{only:{_KEYS_ZH}}}只在前者中，合并会一并带入}}"
        "{precedent:?；可参照 {precedent} 的写法}",
    },
    options={"min-keys": 8, "min-bytes": 200},
)

_LISTED = 6
_NOUNS = {"args": "config", "env": "environment"}
_KEPT = tuple(sorted(EDITED_KEYS))


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each recipe that repeats enough."""
    precedents = _Precedents(project)
    simulated = frozenset(pair.path for pair in project.pairs if is_switched_on(pair.use.row))
    least_keys, least_bytes = int(context.options["min-keys"]), int(context.options["min-bytes"])
    for recipe in project.recipes.values():
        found = [
            repetition
            for repetition in recipe.facts.repetitions
            if repetition.shared >= least_keys or repetition.size >= least_bytes
        ]
        if found:
            found.sort(key=lambda repetition: -repetition.size)
            yield _finding(recipe, found[0], precedents, _fix(recipe, found, recipe.path in simulated))


def _fix(recipe: RecipeFile, found: Iterable[Repetition], is_simulated: bool) -> Fix | None:
    """The pairs folded, those that repeat most first, each map once, and then the long texts that still stand in
    several maps; of a recipe whose acceptance a row simulates, the launcher may put lines below the bare headers of its
    environments."""
    keeps_headers = is_simulated and recipe.facts.engine == HEADER_EDITED_ENGINE
    pairs = [pair for pair in found if not (pair.section == "env" and keeps_headers)]
    maps = list(_foldable(pairs))
    operations = (*(_fold(recipe.path, pair) for pair in maps), *_long_texts(recipe.path, pairs))
    if not operations:
        return None
    title = ", and ".join(f"{pair.first} and {pair.second}" for pair in maps or pairs[:1])
    return Fix(f"write once what {title} share", "unsafe", operations, is_last=True)


def _foldable(pairs: Iterable[Repetition]) -> Iterator[Repetition]:
    """The pairs that share enough keys to be folded, each map in one of them."""
    taken: set[tuple[str, ...]] = set()
    for pair in pairs:
        places = {pair.first_place, pair.second_place}
        if pair.shared >= LEAST_FOLDED and taken.isdisjoint(places):
            taken |= places
            yield pair


def _fold(path: str, pair: Repetition) -> Operation:
    return FoldMap(path, pair.first_place, pair.second_place, _NOUNS[pair.section], _KEPT)


def _long_texts(path: str, pairs: Iterable[Repetition]) -> Iterator[Operation]:
    """Each long text as an alias of the first one that it repeats."""
    origin: dict[tuple[str, ...], tuple[str, ...]] = {}
    for pair in sorted(pairs, key=lambda pair: (pair.first_span, pair.second_span)):
        for key in pair.long:
            first, second = (*pair.first_place, key), (*pair.second_place, key)
            if second not in origin:
                origin[second] = origin.get(first, first)
                yield FoldScalar(path, origin[second], second)


def _finding(recipe: RecipeFile, found: Repetition, precedents: _Precedents, fix: Fix | None) -> Finding:
    precedent = precedents.nearest(recipe.path, found.section)
    related = [Related(recipe.path, found.second_span, "the second copy")]
    if precedent is not None:
        path, folded = precedent
        related.append(Related(path, folded.span, f"{folded.label} is merged here"))
    return RULE.finding(
        "repeated",
        found.first_span,
        path=recipe.path,
        subject=(found.first, found.second),
        pointer="/" + "/".join(found.first_place),
        related=tuple(related),
        fix=fix,
        first=found.first,
        second=found.second,
        first_key=found.first_place[-1],
        shared=found.shared,
        size=found.size,
        differing=some_of(found.differing, _LISTED),
        only=some_of(found.first_only, _LISTED),
        precedent=precedent[0].rsplit("/", 1)[-1] if precedent else "",
    )


class _Precedents:
    """The maps that authors folded by hand, by section and path."""

    def __init__(self, project: Project) -> None:
        self._by_section: dict[str, list[tuple[str, Folded]]] = {"args": [], "env": []}
        for path, recipe in sorted(project.recipes.items()):
            for folded in recipe.facts.folded:
                self._by_section[folded.section].append((path, folded))
        self._paths = {name: [path for path, _ in found] for name, found in self._by_section.items()}

    def nearest(self, path: str, section: str) -> tuple[str, Folded] | None:
        """The folded map of the most similar path, of the same section if there is one."""
        for name in (section, *(other for other in self._by_section if other != section)):
            found, paths = self._by_section[name], self._paths[name]
            at = bisect(paths, path)
            around = [found[index] for index in range(max(at - 2, 0), min(at + 2, len(found)))]
            if around:
                return min(around, key=lambda item: (-common_prefix(item[0], path), item[0]))
        return None
