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
count. Nothing is offered where both spellings stand in one mapping.

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

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from posixpath import basename, dirname

from reciplint.domain.document import Document
from reciplint.domain.project import Project
from reciplint.domain.recipe import RecipeFile, Setting, SettingsMap
from reciplint.domain.vocabulary import kebab_vocabulary
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import RenameKey
from reciplint.yamltree.tree import pointer

RULE = Rule(
    id="kebab-case-keys",
    summary="A key is spelled with underscores where its siblings use dashes",
    severity="warning",
    source="a review of recipes that spelled one flag of many with underscores; contributor rules ask for dashes",
    messages={
        "recipe": "{key} in {place} is spelled with underscores{evidence}; write {kebab}"
        " (the flag works either way, a search for it does not)",
        "both": "{key} and {kebab} both stand in {place}: one flag, set twice",
        "lost": "{key} is not read: its value is silently lost; write {kebab}",
    },
    kinds=frozenset({Kind.MASTER, Kind.RUNNERS, Kind.CHANGELOG}),
    fix="safe",
)

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")
_OTHER_CONVENTION = 3  # a file with so many snake keys and no dashed one is written in another convention
_SHOWN = 2


@lru_cache(maxsize=8192)
def kebab(key: str) -> str:
    """The key with dashes; the key itself where it has that form already or is no such word."""
    if not _PLAIN.match(key) or key.isupper():
        return key
    return _CAMEL.sub("-", key).replace("_", "-").strip("-").lower() if _is_foreign(key) else key


@lru_cache(maxsize=8192)
def _is_foreign(key: str) -> bool:
    return "_" in key.strip("_") or _CAMEL.search(key) is not None


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """Known keys of masters, runners and changelogs in another spelling."""
    assert document.tree is not None
    vocabulary = kebab_vocabulary(document.kind)
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
            fix = Fix(f"rename {key} to {spelled}", "unsafe", (RenameKey("", place, spelled),))
            yield RULE.finding(
                "lost",
                document.tree.lines.span(entry.key.start, entry.key.end),
                severity="error" if document.kind is Kind.MASTER else None,
                subject=(*(part for part in place if isinstance(part, str)),),
                pointer=pointer(place),
                fix=None if spelled in names else fix,
                key=key,
                kebab=spelled,
            )


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Keys of recipes in another spelling than their file and folder."""
    folders: dict[str, list[RecipeFile]] = defaultdict(list)
    for recipe in project.recipes.values():
        folders[dirname(recipe.path)].append(recipe)
    for recipe in project.recipes.values():
        foreign = [
            (block, setting) for block in _governed(recipe) for setting in block.settings if _is_foreign(setting.key)
        ]
        if not foreign:
            continue
        siblings = [other for other in folders[dirname(recipe.path)] if other is not recipe]
        for block, setting in foreign:
            spelled = kebab(setting.key)
            if spelled != setting.key and _is_outlier(recipe, block, siblings, spelled):
                yield _finding(recipe, block, setting, spelled, siblings)


def _governed(recipe: RecipeFile) -> Iterator[SettingsMap]:
    return (block for block in recipe.facts.maps if block.convention == "kebab")


def _is_outlier(recipe: RecipeFile, block: SettingsMap, siblings: list[RecipeFile], spelled: str) -> bool:
    """Whether the file's maps of this sort use dashes, or its folder spells this very key with them."""
    keys = [s.key for other in _governed(recipe) if other.section == block.section for s in other.settings]
    if any("-" in key for key in keys):
        return True
    if sum(map(_is_foreign, keys)) >= _OTHER_CONVENTION:
        return False
    return any(_spelling(sibling, spelled) is not None for sibling in siblings)


def _spelling(recipe: RecipeFile, key: str) -> Setting | None:
    return next((s for block in _governed(recipe) for s in block.settings if s.key == key), None)


def _finding(
    recipe: RecipeFile, block: SettingsMap, setting: Setting, spelled: str, siblings: list[RecipeFile]
) -> Finding:
    place = (*block.place, setting.key)
    both = any(other.key == spelled for other in block.settings)
    dashed = [(other, found) for other in siblings if (found := _spelling(other, spelled)) is not None]
    return RULE.finding(
        "both" if both else "recipe",
        setting.key_span,
        path=recipe.path,
        subject=place,
        pointer=pointer(place),
        related=_nearest(recipe, dashed),
        fix=None
        if both
        else Fix(f"rename {setting.key} to {spelled}", "safe", (RenameKey(recipe.path, place, spelled),)),
        key=setting.key,
        kebab=spelled,
        place=block.label,
        evidence=_evidence(recipe, block, len(dashed)),
    )


def _evidence(recipe: RecipeFile, block: SettingsMap, dashed: int) -> str:
    if dashed:
        return f", while {dashed} {'recipe' if dashed == 1 else 'recipes'} of this folder spell it with dashes"
    count = sum("-" in s.key for other in _governed(recipe) if other.section == block.section for s in other.settings)
    return f", while {count} other {'key' if count == 1 else 'keys'} of this file have dashes" if count else ""


def _nearest(recipe: RecipeFile, dashed: list[tuple[RecipeFile, Setting]]) -> tuple[Related, ...]:
    """The siblings of the most similar names, as evidence."""
    words = set(basename(recipe.path).split("-"))

    def distance(item: tuple[RecipeFile, Setting]) -> tuple[int, str]:
        other = basename(item[0].path)
        return len(words ^ set(other.split("-"))), other

    nearest = sorted(dashed, key=distance)[:_SHOWN]
    return tuple(Related(other.path, found.key_span, "spelled with dashes here") for other, found in nearest)
