"""A recipe runs another image than the one its master config names.

## What it finds

A vendored recipe whose `model.container` is not the `image` of a key that runs it. `docker://`, `docker.io/` and `#`
for `/` are spellings of one image. A container without `/` is a name that the cluster's settings give to an image: then
`identity.container.image` is compared, and nothing where the recipe has none. Recipes that a launcher merges into a
fragment (`srt-recipe-dir`) get their container from the key and are left to another rule.

## Why it matters

The job starts the recipe's container, and the result is published under the key's image.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v2
  model: org/tiny
  model-prefix: tiny
  runner: b200-multinode
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
model: {path: org/tiny, container: «"vllm/vllm-openai:v1"», precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8}
backend: {type: vllm}
identity:
  container: {image: "vllm/vllm-openai:v1"}
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
model: {path: org/tiny, container: "docker.io#vllm/vllm-openai:v2", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8}
backend: {type: vllm}
identity:
  container: {image: "vllm/vllm-openai:v2"}
```

## Fix

Unsafe, since another image runs then: the recipe gets the key's image, and so does its `identity` block if it claims
the old one. Offered where every key that runs the recipe names the same image.

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/first.yaml
name: tiny
model: {path: org/tiny, container: "vllm/vllm-openai:v2", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8}
backend: {type: vllm}
identity:
  container: {image: "vllm/vllm-openai:v2"}
```

## Options

None. A fragment whose image the launcher writes (rows with `srt-recipe-dir`) is left to `bound-key`.

## Source

Review findings on images that were moved in a recipe or in a master config and not in the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.components import image_name, is_alias, respelled, same_image
from reciplint.domain.pairing import Pair
from reciplint.domain.project import Project
from reciplint.domain.recipe_variant import Variant
from reciplint.domain.variant_places import address
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import SetScalar

RULE = Rule(
    id="container-mismatch",
    summary="A recipe runs another image than the one its master config names",
    severity="error",
    source="review findings on images that were moved on one side only",
    fix="unsafe",
    messages={
        "container": "model.container is {container}, but {key}, which runs this recipe, names {image}",
        "identity": "the identity block claims {container}, but {key}, which runs this recipe, names {image}",
    },
    messages_zh={
        "container": "model.container 是 {container}，但运行此配方的 {key} 写的镜像是 {image}",
        "identity": "identity 块声明的镜像是 {container}，但运行此配方的 {key} 写的是 {image}",
    },
)

_CONTAINER = ("model", "container")
_CLAIM = ("identity", "container", "image")


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each recipe, image and key that disagree."""
    seen: set[tuple[str, str, str]] = set()
    for pair in project.pairs:
        image = pair.use.entry.image
        place, container = _compared(pair.variant)
        if not image or not container or _is_bound(project, pair) or same_image(container, image):
            continue
        known = (pair.path, pair.use.entry.key, container)
        if known not in seen:
            seen.add(known)
            yield _finding(project, pair, place, container, image)


def _is_bound(project: Project, pair: Pair) -> bool:
    """Whether the launcher writes the recipe's image itself: `bound-key` speaks of one that is set all the same."""
    binding = project.recipes[pair.path].facts.binding
    return pair.use.reference.era == "C" and binding is not None and not binding.is_whole


def _compared(variant: Variant) -> tuple[tuple[str, ...], str]:
    """What tells the variant's image, and where; the text is empty where nothing does."""
    return (_CLAIM, variant.image) if is_alias(variant.container) else (_CONTAINER, variant.container)


def _finding(project: Project, pair: Pair, place: tuple[str, ...], container: str, image: str) -> Finding:
    entry = pair.use.entry
    return RULE.finding(
        "container" if place == _CONTAINER else "identity",
        project.variant_span(pair.path, pair.variant.selector, place),
        path=pair.path,
        subject=(entry.key, container, image),
        related=(Related(pair.use.master, entry.image_span, f"the image of {entry.key}"),),
        fix=_fix(project, pair, place, container, image),
        container=container,
        key=entry.key,
        image=image,
    )


def _fix(project: Project, pair: Pair, place: tuple[str, ...], container: str, image: str) -> Fix | None:
    """The recipe's image set to the one that all its keys name, and with it the claim that went along."""
    tree = project.tree(pair.path)
    others = [other for other in project.pairs if other.path == pair.path and _compared(other.variant)[1] == container]
    if tree is None or len({image_name(other.use.entry.image or "") for other in others}) != 1:
        return None
    places = [place, *([_CLAIM] if place == _CONTAINER and same_image(pair.variant.image, container) else [])]
    addresses = [address(tree, pair.variant.selector, found) for found in places]
    operations = [
        SetScalar(pair.path, found, respelled(image, container if part == _CONTAINER else pair.variant.image))
        for part, found in zip(places, addresses, strict=True)
        if found is not None
    ]
    title = f"Run {image}, which every key that runs this recipe names"
    return Fix(title, "unsafe", tuple(operations)) if None not in addresses else None
