"""A comment says something else than the value it stands on.

## What it finds

A figure in a comment that contradicts what the comment stands on:

- above a row of a search space: numbers of workers (`2P1D`, `4 prefill`), their sizes (`DEP8`, `TP=4`), a concurrency
  at the end (`conc=64`), the hardware (`36 GB300 GPUs`),
- above a key of a master config: the version of the image,
- directly above `CONFIG_FILE=`: the address of a recipe of another name,
- above or behind a setting: an acceptance length,
- in a recipe: the topology that it describes, where it counts both prefill and decode, and its hardware,
- anywhere: a path, relative to the file or to the project, to a YAML file that is not there.

A comment on a row speaks for the rows below it up to the next comment, and is right where one of them agrees; workers
may be counted in nodes. What is said of the past, of other keys, as a contrast or a condition, of ranges, or in
settings that are commented out, is no claim. Compared with a base, only what the change makes stale is charged.

## Why it matters

The next reader trusts the comment: it was copied with the row and not changed with it, and then the row is "corrected"
to fit.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-gb200-dynamo-vllm:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: gb200
  precision: fp4
  framework: dynamo-vllm
  kv-p2p-transfer: nixl
  multinode: true
  disagg: true
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      # «4 prefill workers» feed one decode.
      - conc-list: [64]
        prefill: {num-worker: 2, tp: 4, ep: 4, dp-attn: true}
        decode: {num-worker: 1, tp: 8, ep: 8, dp-attn: true}
```

```yaml configs/runners.yaml
labels:
  gb200: [gb200-0]
```

```yaml perf-changelog.yaml
[]
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp4-gb200-dynamo-vllm:
  image: vllm/vllm-openai:v1
  model: org/tiny
  model-prefix: tiny
  runner: gb200
  precision: fp4
  framework: dynamo-vllm
  kv-p2p-transfer: nixl
  multinode: true
  disagg: true
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      # 2 prefill workers feed one decode; 4 prefill were slower.
      - conc-list: [64]
        prefill: {num-worker: 2, tp: 4, ep: 4, dp-attn: true}
        decode: {num-worker: 1, tp: 8, ep: 8, dp-attn: true}
```

```yaml configs/runners.yaml
labels:
  gb200: [gb200-0]
```

```yaml perf-changelog.yaml
[]
```

## Fix

None is applied: comments are the author's words.

## Options

None.

## Source

Review findings on rows and recipes that were copied with their comments; the forms are those of 850 comments with
figures in a public repository (August 2026).
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname, join, normpath

from reciplint.domain.comment_blocks import comment_blocks
from reciplint.domain.comment_evidence import Contradiction, master_contradictions, recipe_contradictions
from reciplint.domain.comment_paths import PathMention
from reciplint.domain.document import Document
from reciplint.domain.project import Project
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule

_TOPICS_ZH = (
    "prefill workers=prefill 工作进程|decode workers=decode 工作进程|size of a worker=工作进程规模|concurrency=并发"
    "|image=镜像|hardware=硬件|acceptance length=接受长度|recipe=配方"
)

RULE = Rule(
    id="stale-comment",
    summary="A comment says something else than the value it stands on",
    severity="info",
    source="review findings on rows and recipes that were copied with their comments, August 2026",
    messages={
        "contradicts": "this comment says {said}, but the {topic} it stands on: {found}",
        "path": "this comment names {file}, which is not there",
    },
    messages_zh={
        "contradicts": f"该注释写的是 {{said}}，但它所说明的值（{{topic:{_TOPICS_ZH}}}）为 {{found}}",
        "path": "该注释提到的 {file} 不存在",
    },
    kinds=frozenset({Kind.MASTER, Kind.RECIPE}),
)


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """Figures in comments that contradict what these stand on."""
    tree = document.tree
    if tree is None or "#" not in tree.text:
        return
    read = master_contradictions if document.kind is Kind.MASTER else recipe_contradictions
    for found in read(tree, comment_blocks(tree)):
        yield _contradiction(found)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Paths in comments that lead nowhere."""
    for master in project.masters:
        for mention in master.comment_paths:
            yield from _path(project, master.path, mention)
    for path, recipe in project.recipes.items():
        for mention in recipe.facts.comment_paths:
            yield from _path(project, path, mention)


def _contradiction(found: Contradiction) -> Finding:
    return RULE.finding(
        "contradicts",
        found.span,
        subject=(*found.owner, found.said, found.found),
        related=(Related("", found.place, f"here: {found.found}"),),
        said=found.said,
        topic=found.topic,
        found=found.found,
    )


def _path(project: Project, path: str, mention: PathMention) -> Iterator[Finding]:
    is_relative = mention.text.startswith(("./", "../"))
    meant = normpath(join(dirname(path) if is_relative else project.root or "", mention.text))
    if meant in project.blobs or meant.startswith(".."):
        return
    if is_relative or any(dirname(other) == dirname(meant) for other in project.blobs):
        yield RULE.finding("path", mention.span, path=path, subject=("path", mention.text), file=mention.text)
