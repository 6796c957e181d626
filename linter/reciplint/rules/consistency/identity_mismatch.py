"""The identity block of a recipe claims something else than the recipe runs.

## What it finds

`identity.container.image` that is not `model.container`, `identity.frameworks.dynamo` that is not the recipe's Dynamo
version or commit, and `identity.model.repo` that is not the repository that `model.path` loads from, or else the model
that the key of a row names.

Spellings of one image, release or commit are equal. A container without `/` is a name that the cluster's settings give
to an image, a commit says nothing about a release, and a model path in the cluster says nothing about a repository:
all that stays silent.

## Why it matters

The block is there to say what was measured. The launcher compares it with what it finds in the job, but only once the
nodes are allocated, and a result with a wrong claim cannot be reproduced.

## Bad

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/first.yaml
name: tiny
model: {path: "hf:org/tiny", container: "vllm/vllm-openai:v2", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8}
backend: {type: vllm}
dynamo: {version: 1.3.0.dev1}
identity:
  model: {repo: «org/tiny-base»}
  container: {image: «"vllm/vllm-openai:v1"»}
  frameworks: {dynamo: «1.2.0»}
```

## Good

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/first.yaml
name: tiny
model: {path: "hf:org/tiny", container: "vllm/vllm-openai:v2", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8}
backend: {type: vllm}
dynamo: {version: 1.3.0.dev1}
identity:
  model: {repo: org/tiny}
  container: {image: "docker.io/vllm/vllm-openai:v2"}
  frameworks: {dynamo: 1.3.0-dev.1}
```

## Fix

Unsafe, since it changes what is recorded: the claim becomes what the recipe runs, or the model that every key of its
rows names.

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/first.yaml
name: tiny
model: {path: "hf:org/tiny", container: "vllm/vllm-openai:v2", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8}
backend: {type: vllm}
dynamo: {version: 1.3.0.dev1}
identity:
  model: {repo: org/tiny}
  container: {image: "vllm/vllm-openai:v2"}
  frameworks: {dynamo: 1.3.0.dev1}
```

## Options

None.

## Source

Review findings on identity blocks that were copied from another recipe; srt-slurm's verification of them (August 2026).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from reciplint.domain.components import differ, image_name, is_alias, same_image
from reciplint.domain.project import Project
from reciplint.domain.recipe_variant import Variant
from reciplint.domain.variant_places import address
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import SetScalar

RULE = Rule(
    id="identity-mismatch",
    summary="The identity block of a recipe claims something else than the recipe runs",
    severity="warning",
    source="review findings on copied identity blocks; srt-slurm's identity verification, August 2026",
    fix="unsafe",
    messages={
        "image": "identity claims the image {claimed}, but model.container is {actual}",
        "dynamo": "identity claims Dynamo {claimed}, but the recipe installs {actual}",
        "model": "identity claims the model {claimed}, but model.path loads {actual}",
        "row": "identity claims the model {claimed}, but {key}, which runs this recipe, names {actual}",
    },
    messages_zh={
        "image": "identity 声明的镜像是 {claimed}，但 model.container 是 {actual}",
        "dynamo": "identity 声明的 Dynamo 是 {claimed}，但此配方安装的是 {actual}",
        "model": "identity 声明的模型是 {claimed}，但 model.path 加载的是 {actual}",
        "row": "identity 声明的模型是 {claimed}，但运行此配方的 {key} 写的是 {actual}",
    },
)

_REPO = ("identity", "model", "repo")
_REPOSITORY = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*\Z", re.ASCII)


class _Claim(NamedTuple):
    """A claim that does not hold: where it stands, and where what it is about."""

    kind: Literal["image", "dynamo", "model"]
    place: tuple[str, ...]
    claimed: str
    actual: str
    source: tuple[str, ...]


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each claim of a recipe that its own fields or its keys contradict."""
    for path, recipe in project.recipes.items():
        seen: set[tuple[str, str, str]] = set()
        for variant in recipe.facts.variants:
            for claim in _false_claims(variant):
                if (known := (claim.kind, claim.claimed, claim.actual)) not in seen:
                    seen.add(known)
                    yield _finding(project, path, variant.selector, claim)
    yield from _against_rows(project)


def _false_claims(variant: Variant) -> Iterator[_Claim]:
    container = variant.container
    if variant.image and container and not is_alias(container) and not same_image(variant.image, container):
        place = ("identity", "container", "image")
        yield _Claim("image", place, variant.image, image_name(container), ("model", "container"))
    installed = [text for text in (variant.dynamo_hash, variant.dynamo) if text and variant.dynamo_claimed]
    if installed and all(differ(variant.dynamo_claimed, text) for text in installed):
        yield _Claim(
            "dynamo", ("identity", "frameworks", "dynamo"), variant.dynamo_claimed, installed[0], variant.dynamo_place
        )
    repository = _repository(variant.model) if variant.repository else ""
    if repository and repository.lower() != variant.repository.lower():
        yield _Claim("model", _REPO, variant.repository, repository, ("model", "path"))


def _repository(model: str) -> str:
    """The repository that a model's path means; "" for a directory or a name of the cluster."""
    text = model.removeprefix("hf:")
    return text if _REPOSITORY.match(text) else ""


def _against_rows(project: Project) -> Iterator[Finding]:
    seen: set[tuple[str, str, str]] = set()
    for pair in project.pairs:
        entry, variant = pair.use.entry, pair.variant
        model = _repository(entry.model or "")
        if not variant.repository or not model or _repository(variant.model):
            continue
        known = (pair.path, entry.key, variant.repository)
        if model.lower() != variant.repository.lower() and known not in seen:
            seen.add(known)
            models = {other.use.entry.model for other in project.pairs if other.path == pair.path}
            yield RULE.finding(
                "row",
                project.variant_span(pair.path, variant.selector, _REPO),
                path=pair.path,
                subject=(entry.key, variant.repository, model),
                related=(Related(pair.use.master, entry.key_span, f"{entry.key} runs this recipe"),),
                fix=_fix(project, pair.path, variant.selector, _REPO, model) if len(models) == 1 else None,
                claimed=variant.repository,
                key=entry.key,
                actual=model,
            )


def _fix(project: Project, path: str, selector: str, place: tuple[str, ...], actual: str) -> Fix | None:
    """The claim set to what is run; None where no edit reaches it."""
    tree = project.tree(path)
    found = address(tree, selector, place) if tree is not None else None
    return Fix(f"Claim {actual}", "unsafe", (SetScalar(path, found, actual),)) if found is not None else None


def _finding(project: Project, path: str, selector: str, claim: _Claim) -> Finding:
    return RULE.finding(
        claim.kind,
        project.variant_span(path, selector, claim.place),
        path=path,
        subject=(claim.kind, claim.claimed, claim.actual),
        related=(Related(path, project.variant_span(path, selector, claim.source), f"{claim.actual} stands here"),),
        fix=_fix(project, path, selector, claim.place, claim.actual),
        claimed=claim.claimed,
        actual=claim.actual,
    )
