"""A `docker_image` that is no image reference, or holds an older vLLM than the recipe needs.

## What it finds

`docker_image` of the model, of a variant or of its hardware, and `image` of a preset, by brand or not:

- what is no image reference: a whole command (`docker pull …`), an address, capitals in the name;
- a release image of vLLM (`vllm/vllm-openai:v0.20.2`) that is older than `min_vllm_version` of the recipe or of the
  variant, which is a warning;
- one of vLLM's own images under the key of a brand that it is not built for, which is a warning too. A plain text
  counts for NVIDIA.

## Why it matters

The site puts the text behind `docker pull` and `docker run` as it stands. An image below the minimum does not know the
model.

## Bad

```yaml taxonomy.yaml
hardware_profiles:
  h200: {brand: NVIDIA, generation: hopper, gpu_count: 8, vram_gb: 1128}
tasks:
- id: text
strategies: [single_node_tp]
```

```yaml models/example/Finch.yaml
meta:
  title: Finch
  slug: finch
  provider: Example
  description: A small model
  date_updated: 2026-07-01
  tasks: [text]
model:
  model_id: example/Finch
  architecture: dense
  parameter_count: 7B
  min_vllm_version: "0.21.0"
  docker_image:
    nvidia: «vllm/vllm-openai:v0.20.2»
    amd: «docker pull vllm/vllm-openai-rocm:v0.21.0»
variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
compatible_strategies: [single_node_tp]
guide: Serve it.
```

## Good

```yaml taxonomy.yaml
hardware_profiles:
  h200: {brand: NVIDIA, generation: hopper, gpu_count: 8, vram_gb: 1128}
tasks:
- id: text
strategies: [single_node_tp]
```

```yaml models/example/Finch.yaml
meta:
  title: Finch
  slug: finch
  provider: Example
  description: A small model
  date_updated: 2026-07-01
  tasks: [text]
model:
  model_id: example/Finch
  architecture: dense
  parameter_count: 7B
  min_vllm_version: "0.21.0"
  docker_image:
    nvidia: vllm/vllm-openai:v0.21.0
    amd: vllm/vllm-openai-rocm:v0.21.0
variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
compatible_strategies: [single_node_tp]
guide: Serve it.
```

## Fix

Writes the image that the text names. It is another text, so the fix is unsafe. Which release to take is left to the
author.

```yaml models/example/Finch.yaml
meta:
  title: Finch
  slug: finch
  provider: Example
  description: A small model
  date_updated: 2026-07-01
  tasks: [text]
model:
  model_id: example/Finch
  architecture: dense
  parameter_count: 7B
  min_vllm_version: "0.21.0"
  docker_image:
    nvidia: vllm/vllm-openai:v0.20.2
    amd: vllm/vllm-openai-rocm:v0.21.0
variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
compatible_strategies: [single_node_tp]
guide: Serve it.
```

## Options

None.

## Source

The grammar of Docker's image references; the install block of the public vLLM recipes site (August 2026); review
findings on pins that a raised minimum left behind.
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.document import Document
from reciplint.domain.faults import show
from reciplint.domain.vllm_docker import Image, belongs_to, images, is_reference, meant_reference, release, release_in
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import SetScalar, addressable
from reciplint.yamltree.tree import Mapping, Node, Scalar, Tree, key_path, pointer, target

RULE = Rule(
    id="docker-image",
    summary="A `docker_image` that is no image reference, or holds an older vLLM than the recipe needs",
    severity="error",
    source="Docker's image references; the install block of the public vLLM recipes site, August 2026",
    kinds=frozenset((Kind.VLLM_RECIPE,)),
    fix="unsafe",
    messages={
        "no-reference": "{where} is {found}, which is no image reference{near:?; did you mean {near}?}",
        "other-brand": "{where} is {found}, which is built for {built}; here it is used for {brand}",
        "older": "{where} is {found}, which holds vLLM {held}; {field} is {minimum}",
    },
    messages_zh={
        "no-reference": "{where} 为 {found}，这不是镜像引用{near:?；是否应为 {near}？}",
        "other-brand": "{where} 为 {found}，它是为 {built} 构建的；而此处用于 {brand}",
        "older": "{where} 为 {found}，其中是 vLLM {held}；而 {field} 为 {minimum}",
    },
)


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """Every image that is none, and every one that is too old."""
    tree = document.tree
    for image in images(tree) if tree is not None else ():
        assert tree is not None
        if is_reference(image.text):
            yield from _other_brand(tree, image)
            yield from _older(tree, image)
        else:
            yield _no_reference(tree, image)


def _no_reference(tree: Tree, image: Image) -> Finding:
    near = meant_reference(image.text)
    operation = SetScalar("", image.path, near)
    can_write = near and addressable(tree, image.path, image.node)
    where = ".".join(key_path(image.path))
    return RULE.finding(
        "no-reference",
        tree.span(image.node),
        subject=(where, image.text),
        pointer=pointer(image.path),
        fix=Fix(f"Write {near}", "unsafe", (operation,)) if can_write else None,
        where=where,
        found=show(image.text),
        near=near,
    )


def _other_brand(tree: Tree, image: Image) -> Iterator[Finding]:
    brand, built = belongs_to(image)
    if brand and built and brand != built:
        where = ".".join(key_path(image.path))
        yield RULE.finding(
            "other-brand",
            tree.span(image.node),
            subject=(where, image.text, "brand"),
            severity="warning",
            pointer=pointer(image.path),
            where=where,
            found=image.text,
            built=built,
            brand=brand,
        )


def _older(tree: Tree, image: Image) -> Iterator[Finding]:
    held = release_in(image.text)
    numbers = release(held)
    for path in image.minimums if numbers else ():
        node = _node(tree, path)
        minimum = release(node.value) if node is not None else None
        if node is None or minimum is None or numbers is None or numbers >= minimum:
            continue
        where = ".".join(key_path(image.path))
        yield RULE.finding(
            "older",
            tree.span(image.node),
            subject=(where, image.text, "older"),
            severity="warning",
            pointer=pointer(image.path),
            related=(Related("", tree.span(node), "the minimum"),),
            where=where,
            found=image.text,
            held=held,
            field=".".join(key_path(path)),
            minimum=node.value,
        )
        return


def _node(tree: Tree, path: tuple[str | int, ...]) -> Scalar | None:
    node: Node | None = tree.root
    for part in path:
        concrete = target(node) if node is not None else None
        node = concrete.get(str(part)) if isinstance(concrete, Mapping) else None
    return node if isinstance(node, Scalar) else None
