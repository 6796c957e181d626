"""A key is spelled with underscores where its siblings use dashes.

## What it finds

In recipes: a snake_case or camelCase key among engine flags of vLLM or SGLang, `frontend.args`, `sbatch_directives`
or `srun_options`, where the same file spells its other keys with dashes, or its neighbours spell this very key so.
A file that is written in underscores throughout follows another convention and is left alone, and so are
environment variables, TensorRT-LLM settings, and the fields of srt-slurm itself.

In master configs, the runners file and the changelog: a known key in another spelling, such as `dp_attn`.

## Why it matters

In a recipe the flag still works, since srt-slurm and vLLM map `_` to `-`, but a search for the flag misses it and a
reader takes it for another one. In a master config the sweep generator reads only the spelling with dashes: the
value is silently lost, though the file passes validation.

## Bad

```yaml benchmarks/tiny.yaml
name: tiny-disagg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200}
backend:
  type: vllm
  vllm_config:
    prefill:
      tensor-parallel-size: 4
      «max_num_batched_tokens»: 16384  # as measured
```

## Good

```yaml benchmarks/tiny.yaml
name: tiny-disagg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200}
backend:
  type: vllm
  prefill_environment:
    VLLM_RPC_TIMEOUT: "600000"
  vllm_config:
    prefill:
      tensor-parallel-size: 4
      max-num-batched-tokens: 16384  # as measured
```

## Fix

The key is renamed; its value and comments stay. Safe in recipes; unsafe in master configs, where the value begins to
count. Where both spellings stand in one mapping with the same value, the one with underscores is dropped, which is
unsafe; where the values differ, only the author knows which was meant.

```yaml benchmarks/tiny.yaml
name: tiny-disagg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200}
backend:
  type: vllm
  vllm_config:
    prefill:
      tensor-parallel-size: 4
      max-num-batched-tokens: 16384  # as measured
```

## Options

None.

## Source

A review of three recipes that each spelled one flag of a few dozen with underscores; the repository's contributor
rules ask for dashes.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname

from reciplint.domain.document import Document
from reciplint.domain.project import Project
from reciplint.domain.recipe import ForeignKey
from reciplint.domain.references import name_distance
from reciplint.domain.spelling import first_written, kebab
from reciplint.domain.vocabulary import kebab_vocabulary
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import DropEntry, Path, RenameKey
from reciplint.yamltree.scalars import load, same_value
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Mapping, pointer

RULE = Rule(
    id="kebab-case-keys",
    summary="A key is spelled with underscores where its siblings use dashes",
    severity="warning",
    source="a review of recipes that spelled one flag of many with underscores; contributor rules ask for dashes",
    messages={
        "recipe": "{key} in {place} is spelled with underscores"
        "{folder:?, while {folder:recipe|recipes} of this folder spell it with dashes}"
        "{file:?, while {file:other key of this file has|other keys of this file have} dashes}"
        "; write {kebab} (the flag works either way, a search for it does not)",
        "both": "{key} and {kebab} both stand in {place}: one flag, set twice",
        "lost": "{key} is not read: its value is silently lost; write {kebab}",
        "rejected": "{key} is no field here; write {kebab}",
    },
    messages_zh={
        "recipe": "{place} 中的 {key} 用了下划线"
        "{folder:?，而同一目录中有 {folder} 个配方用连字符拼写它}{file:?，而本文件中另有 {file} 个键使用连字符}"
        "；请写成 {kebab}（两种写法都能生效，但搜索该参数时会漏掉它）",
        "both": "{place} 中同时有 {key} 和 {kebab}：同一参数被设置了两次",
        "lost": "{key} 不会被读取，它的值会被静默丢弃；请写成 {kebab}",
        "rejected": "此处没有字段 {key}；请写成 {kebab}",
    },
    kinds=frozenset({Kind.MASTER, Kind.RUNNERS, Kind.CHANGELOG}),
    fix="safe",
)

_OTHER_CONVENTION = 3  # a file with so many snake keys and no dashed one is written in another convention
_SHOWN = 2


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """Known keys of masters, runners and changelogs in another spelling."""
    assert document.tree is not None
    vocabulary = kebab_vocabulary(document.kind)
    if not any(kebab(name) != name for name in document.tree.key_names):
        return
    for path, mapping in document.tree.mappings():
        if document.kind is Kind.MASTER and not path:
            continue
        names = {entry.name for entry in mapping.entries}
        for entry in mapping.entries:
            key = entry.name or ""
            spelled = kebab(key)
            if spelled == key or spelled not in vocabulary or entry.is_merge:
                continue
            place = (*path, key)
            rename = Fix(f"rename {key} to {spelled}", "unsafe", (RenameKey("", place, spelled),))
            yield RULE.finding(
                "lost" if "_" in key else "rejected",
                document.tree.lines.span(entry.key.start, entry.key.end),
                severity="error" if document.kind is Kind.MASTER else None,
                subject=(*(part for part in place if isinstance(part, str)),),
                pointer=pointer(place),
                fix=_drop("", mapping, place, spelled) if spelled in names else rename,
                key=key,
                kebab=spelled,
            )


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Keys of recipes in another spelling than their file and folder."""
    for path, recipe in project.recipes.items():
        for found in recipe.facts.foreign_keys:
            dashed = _dashed_siblings(project, path, kebab(found.key))
            if found.dashed or (found.foreign < _OTHER_CONVENTION and dashed):
                yield _finding(project, path, found, dashed)


def _dashed_siblings(project: Project, path: str, key: str) -> dict[str, Span]:
    """The recipes of the same folder that spell a key so, each with the first place."""
    siblings = [other for other in project.recipes_of(dirname(path)) if other in project.recipes and other != path]
    places = {other: first_written(data, key) for other, data in project.read_all(siblings).items()}
    return {other: place for other, place in places.items() if place is not None}


def _drop(path: str, mapping: Mapping, place: Path, spelled: str) -> Fix | None:
    """The key at `place` dropped beside the same key in another spelling; None where their values differ."""
    key = str(place[-1])
    values = [mapping.get(name) for name in (key, spelled)]
    if None in values or not same_value(*map(load, values)):
        return None
    return Fix(f"drop {key}, which {spelled} repeats", "unsafe", (DropEntry(path, place),))


def _finding(project: Project, path: str, found: ForeignKey, dashed: dict[str, Span]) -> Finding:
    place, spelled = (*found.place, found.key), kebab(found.key)
    nearest = sorted(dashed, key=lambda other: name_distance(path, other))[:_SHOWN]
    fix: Fix | None = Fix(f"rename {found.key} to {spelled}", "safe", (RenameKey(path, place, spelled),))
    if found.both:
        tree = project.tree(path)
        mapping = next((node for at, node in tree.mappings() if at == found.place), None) if tree is not None else None
        fix = _drop(path, mapping, place, spelled) if mapping is not None else None
    return RULE.finding(
        "both" if found.both else "recipe",
        found.span,
        path=path,
        subject=place,
        pointer=pointer(place),
        related=tuple(Related(other, dashed[other], "spelled with dashes here") for other in nearest),
        fix=fix,
        key=found.key,
        kebab=spelled,
        place=found.label,
        folder=len(dashed),
        file=0 if dashed else found.dashed,
    )
