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
from collections.abc import Iterator
from posixpath import dirname

from reciplint.domain.document import Document
from reciplint.domain.project import Project
from reciplint.domain.recipe_maps import Setting, SettingsMap
from reciplint.domain.references import name_distance
from reciplint.domain.spelling import is_foreign, kebab
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
        "rejected": "{key} is no field here; write {kebab}",
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
                "lost" if "_" in key else "rejected",
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
    suspects = [path for path, recipe in project.recipes.items() if recipe.facts.has_foreign_keys]
    for path in suspects:
        siblings = [other for other in project.recipes if dirname(other) == dirname(path) and other != path]
        blocks = _governed(project, path)
        for block in blocks:
            for setting in block.settings:
                spelled = kebab(setting.key)
                if spelled == setting.key:
                    continue
                dashed = _dashed(project, siblings, spelled)
                if _is_outlier(blocks, block, bool(dashed)):
                    yield _finding(project, path, block, setting, spelled, dashed)


def _governed(project: Project, path: str) -> list[SettingsMap]:
    return [block for block in project.maps(path) if block.convention == "kebab"]


def _spelling(project: Project, path: str, key: str) -> Setting | None:
    return next((s for block in _governed(project, path) for s in block.settings if s.key == key), None)


def _dashed(project: Project, paths: list[str], key: str) -> list[str]:
    """The recipes that spell this key so, by a look at their lines: parsing a whole folder would take too long."""
    line = re.compile(rb"(?m)^[ \t]+[\"']?" + re.escape(key.encode()) + rb"[\"']?:")
    return [path for path in paths if line.search(project.read(path) or b"")]


def _is_outlier(blocks: list[SettingsMap], block: SettingsMap, has_dashed_siblings: bool) -> bool:
    """Whether the file's maps of this sort use dashes, or its folder spells this very key with them."""
    keys = [setting.key for other in blocks if other.section == block.section for setting in other.settings]
    if any("-" in key for key in keys):
        return True
    return sum(map(is_foreign, keys)) < _OTHER_CONVENTION and has_dashed_siblings


def _finding(
    project: Project, path: str, block: SettingsMap, setting: Setting, spelled: str, dashed: list[str]
) -> Finding:
    place = (*block.place, setting.key)
    both = any(other.key == spelled for other in block.settings)
    rename = Fix(f"rename {setting.key} to {spelled}", "safe", (RenameKey(path, place, spelled),))
    return RULE.finding(
        "both" if both else "recipe",
        setting.key_span,
        path=path,
        subject=place,
        pointer=pointer(place),
        related=_nearest(project, path, dashed, spelled),
        fix=None if both else rename,
        key=setting.key,
        kebab=spelled,
        place=block.label,
        evidence=_evidence(_governed(project, path), block, len(dashed)),
    )


def _evidence(blocks: list[SettingsMap], block: SettingsMap, dashed: int) -> str:
    if dashed:
        return f", while {dashed} {'recipe' if dashed == 1 else 'recipes'} of this folder spell it with dashes"
    count = sum("-" in s.key for other in blocks if other.section == block.section for s in other.settings)
    return f", while {count} other {'key' if count == 1 else 'keys'} of this file have dashes" if count else ""


def _nearest(project: Project, path: str, dashed: list[str], spelled: str) -> tuple[Related, ...]:
    """The siblings of the most similar names, as evidence."""
    nearest = sorted(dashed, key=lambda other: name_distance(path, other))[:_SHOWN]
    found = [(other, _spelling(project, other, spelled)) for other in nearest]
    return tuple(Related(other, spelling.key_span, "spelled with dashes here") for other, spelling in found if spelling)
