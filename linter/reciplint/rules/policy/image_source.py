"""An image that is not published by its engine's project, or is a local file.

## What it finds

- A key of framework `vllm` or `sglang`, on hardware that those projects publish images for (H100, H200, B200, B300,
  GB200, GB300, MI300X, MI325X, MI355X), with an image that is not of `vllm/…` or `lmsysorg/sglang…`. `#` is read as
  `/`. Fleets whose label names none of these GPUs are new hardware and left alone.
- An image of any framework that is a path or an image file (`.sqsh`, `.sif`).

Judged from the review date 2026-07-03 on, when this became policy. Exceptions stand in the settings:

```yaml
policy:
  image-sources:
  - image: "example/vllm-*"
    keys: ["finch-*"]              # all keys if absent
    reason: the model is not in a release yet
```

## Why it matters

Anybody has to be able to run what was measured. A vendor's own build may hold what no release has, and a local file is
only on one cluster.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: «example/vllm-dev:v2»
  model: org/tiny
  model-prefix: tiny
  runner: b200
  precision: fp4
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - {isl: 8192, osl: 1024, search-space: [{tp: 8, conc-list: [8]}]}
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v2
  model: org/tiny
  model-prefix: tiny
  runner: b200
  precision: fp4
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - {isl: 8192, osl: 1024, search-space: [{tp: 8, conc-list: [8]}]}
```

```yaml configs/runners.yaml
labels:
  b200: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

## Fix

None: which released image serves the model is for the author to find.

## Options

`frameworks`: the frameworks whose images have to be the project's own, by default `vllm` and `sglang` served directly.

## Source

The sign-off checks of the public benchmark repository (August 2026).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from reciplint.domain.components import image_name
from reciplint.domain.engines import POLICY_SINCE, open_engine, sku_of
from reciplint.domain.master import MasterEntry, MasterFile
from reciplint.domain.project import Project
from reciplint.rules.finding import Finding
from reciplint.rules.rule import Context, Rule

RULE = Rule(
    id="image-source",
    summary="An image that is not published by its engine's project, or is a local file",
    severity="error",
    source="the public benchmark repository's sign-off checks, August 2026",
    messages={
        "source": "{key} runs {image} on {sku}, where {framework} has to run an image of its project: {expected}…",
        "local": "{image} is a file of one cluster; an image that anybody can pull is expected",
    },
    messages_zh={
        "source": "{key} 在 {sku} 上运行 {image}，而 {framework} 在该硬件上必须使用其项目自己的镜像：{expected}…",
        "local": "{image} 是某个集群上的本地文件；应使用任何人都能拉取的镜像",
    },
    options={"frameworks": ("vllm", "sglang")},
)

_PUBLISHED = {"vllm": "vllm/", "sglang": "lmsysorg/sglang"}
_LOCAL_STARTS = ("/", "./", "../", "~", "file:", "$")
_LOCAL_ENDS = (".sqsh", ".squashfs", ".sif")


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each key with such an image."""
    if context.review_date < POLICY_SINCE:
        return
    frameworks = frozenset(context.options["frameworks"])
    allowed = context.options.get("allowed", ())
    for master in project.masters:
        for entry in master.entries:
            if entry.image and not _is_allowed(entry, allowed):
                yield from _judge(master, entry, entry.image, frameworks)


def _judge(master: MasterFile, entry: MasterEntry, image: str, frameworks: frozenset[str]) -> Iterator[Finding]:
    engine, sku = open_engine(entry.framework or ""), sku_of(entry.runner or "")
    if image.startswith(_LOCAL_STARTS) or image.endswith(_LOCAL_ENDS):
        yield RULE.finding("local", entry.image_span, path=master.path, subject=(entry.key, image), image=image)
    elif engine and sku and entry.framework in frameworks and not image_name(image).startswith(_PUBLISHED[engine]):
        yield RULE.finding(
            "source",
            entry.image_span,
            path=master.path,
            subject=(entry.key, _repository(image)),
            key=entry.key,
            image=image,
            sku=sku.upper(),
            framework=entry.framework or "",
            expected=_PUBLISHED[engine],
        )


def _repository(image: str) -> str:
    """An image without its tag or digest: another build from the same place is no new fault."""
    folder, slash, name = image_name(image).partition("@")[0].rpartition("/")
    return f"{folder}{slash}{name.partition(':')[0]}"


def _is_allowed(entry: MasterEntry, allowed: Iterable[Mapping[str, Any]]) -> bool:
    """Whether an exception of the settings holds for a key's image."""
    for item in allowed:
        images = (entry.image or "", image_name(entry.image or ""))
        keys = item.get("keys") or ("*",)
        if any(fnmatchcase(image, item["image"]) for image in images) and any(
            fnmatchcase(entry.key, key) for key in keys
        ):
            return True
    return False
