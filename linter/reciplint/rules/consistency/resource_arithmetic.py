"""A recipe's nodes, workers, GPUs and parallel sizes do not fit together.

## What it finds

In each variant of a recipe:

- GPUs per worker that are not what the engine's flags use: tensor × pipeline × data for vLLM, whose data-parallel
  ranks have GPUs of their own; tensor × pipeline for SGLang and TensorRT-LLM, whose ranks share them. Where GPUs per
  worker are left out, only flags that use more than the nodes give;
- nodes that have fewer GPUs than the role's workers need, or more nodes than they can fill (one worker a node is
  fair, as with `spread_workers`). Roles that share nodes by co-location are summed up;
- `gpus_per_node` over what a node of the `gpu_type` has: 4 for GB200 and GB300, 8 for the others. Fewer is fair.

Values that are left out, or are placeholders of a sweep, are not judged, nor is a `base` that is never run alone.

## Why it matters

The job is queued, gets its nodes, and fails in its first minute; with idle nodes it runs and nobody notices.

## Bad

```yaml benchmarks/multi_node/srt-slurm-recipes/tiny.yaml
name: tiny-disagg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources:
  gpu_type: gb300
  gpus_per_node: 4
  prefill_nodes: 1
  prefill_workers: 1
  gpus_per_prefill: «8»
  decode_nodes: «1»
  decode_workers: 2
  gpus_per_decode: 4
backend:
  type: vllm
  vllm_config:
    prefill: {tensor-parallel-size: 4}
    decode: {tensor-parallel-size: 4}
```

## Good

```yaml benchmarks/multi_node/srt-slurm-recipes/tiny.yaml
name: tiny-disagg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources:
  gpu_type: gb300
  gpus_per_node: 4
  prefill_nodes: 1
  prefill_workers: 1
  gpus_per_prefill: 4
  decode_nodes: 2
  decode_workers: 2
  gpus_per_decode: 4
backend:
  type: vllm
  vllm_config:
    prefill: {tensor-parallel-size: 1, data-parallel-size: 4}
    decode: {tensor-parallel-size: 4}
```

## Fix

None is applied: any of the numbers may be the wrong one.

## Options

None.

## Source

srt-slurm's resource schema and the engines' definitions of their flags; the recipes of two public repositories
(August 2026), of which none breaks this but an example that is not meant to run.
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.pairing import selected
from reciplint.domain.project import Project
from reciplint.domain.recipe import RecipeFile
from reciplint.domain.recipe_arithmetic import ResourceFault, resource_faults
from reciplint.domain.recipe_variant import Variant
from reciplint.domain.role_places import Written, flag_of, resource_path, resources_of, written
from reciplint.domain.topology import FLAGS, Topology
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.tree import Tree

RULE = Rule(
    id="resource-arithmetic",
    summary="A recipe's nodes, workers, GPUs and parallel sizes do not fit together",
    severity="error",
    source="srt-slurm's resource schema; the engines' definitions of their flags, August 2026",
    messages={
        "flags": "each {role} worker is given {given:GPU|GPUs}, and its flags use {needed} ({how})"
        "{variant:?, in {variant}}",
        "nodes": "the nodes of {role} have {given:GPU|GPUs}, and its workers need {needed} ({how})"
        "{variant:?, in {variant}}",
        "idle": "{role} has {given:node|nodes}, and its workers fill {needed} at most ({how}){variant:?, in {variant}}",
        "shared": "the nodes that all roles share have {given:GPU|GPUs}, and their workers need {needed} ({how})"
        "{variant:?, in {variant}}",
        "node-size": "gpus_per_node is {given}, and a {how} node has {needed}{variant:?, in {variant}}",
    },
    messages_zh={
        "flags": "每个 {role} worker 分到 {given} 个 GPU，但其参数使用 {needed} 个（{how}）{variant:?，变体 {variant}}",
        "nodes": "{role} 的节点共有 {given} 个 GPU，但其 worker 需要 {needed} 个（{how}）{variant:?，变体 {variant}}",
        "idle": "{role} 有 {given} 个节点，但其 worker 最多占满 {needed} 个（{how}）{variant:?，变体 {variant}}",
        "shared": "各角色共用的节点有 {given} 个 GPU，但 worker 共需 {needed} 个（{how}）{variant:?，变体 {variant}}",
        "node-size": "gpus_per_node 为 {given}，但一个 {how} 节点有 {needed} 个 GPU{variant:?，变体 {variant}}",
    },
)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each place of a recipe with numbers that do not fit, however many variants take it over."""
    for path, recipe in project.recipes.items():
        told: set[object] = set()
        for variant in _variants(project, recipe):
            for fault in resource_faults(variant):
                finding = _finding(project, path, variant, fault)
                if finding is not None and (finding.span, finding.subject) not in told:
                    told.add((finding.span, finding.subject))
                    yield finding


def _variants(project: Project, recipe: RecipeFile) -> list[Variant]:
    """What of a recipe can run: a bundle's base only where a row names it."""
    listed = recipe.facts.variants
    found = selected("", listed)
    if len(found) < len(listed) and any(
        use.reference.selector == "base" for use in project.resolver.active.get(recipe.path, ())
    ):
        return list(listed)
    return found


def _finding(project: Project, path: str, variant: Variant, fault: ResourceFault) -> Finding | None:
    """The finding for a fault; None where GPUs per worker are left out and the flags use fewer than there are."""
    tree = project.tree(path)
    if tree is None:
        return None
    place, others = _places(tree, variant, fault)
    if fault.kind == "flags" and not place.is_exact and fault.needed < fault.given:
        return None
    role = fault.role.name if fault.role else ""
    return RULE.finding(
        fault.kind,
        place.span,
        path=path,
        subject=(fault.kind, role, place.body, str(fault.given), str(fault.needed)),
        related=tuple(Related(path, other.span, note) for other, note in others),
        role=role,
        given=fault.given,
        needed=fault.needed,
        how=_how(variant, fault),
        variant=variant.selector,
    )


def _places(tree: Tree, variant: Variant, fault: ResourceFault) -> tuple[Written, list[tuple[Written, str]]]:
    """Where a number is written, and where those that it does not fit."""
    per_node = written(tree, variant, ("resources", "gpus_per_node"))
    role = fault.role
    if role is None:
        gpu_type = written(tree, variant, ("resources", "gpu_type"))
        return per_node, [(gpu_type, "the GPU")] if fault.kind == "node-size" else []
    gpus = written(tree, variant, resource_path(variant, role, "gpus"))
    if fault.kind == "flags":
        flags = flag_of(tree, variant, role, FLAGS["gpus"])
        return (gpus if gpus.is_exact else flags._replace(is_exact=False)), [(flags, "the engine's flags")]
    nodes = written(tree, variant, resource_path(variant, role, "nodes"))
    return nodes, [(resources_of(tree, variant, role), "GPUs of a worker")]


def _how(variant: Variant, fault: ResourceFault) -> str:
    role = fault.role
    if role is None:
        roles = [found for found in variant.roles if found.workers]
        sums = " + ".join(f"{found.workers} x {found.gpus}" for found in roles)
        return variant.gpu_type if fault.kind == "node-size" else sums
    if fault.kind == "flags":
        return _sizes(role.topology)
    return f"{role.workers} x {role.gpus}"


def _sizes(topology: Topology) -> str:
    """The sizes whose product are the GPUs that flags use."""
    sizes = [("tp", topology.tp), ("pp", topology.pp), ("dp", topology.dp), ("pcp", topology.pcp)]
    parts = [f"tp {topology.tp}"]
    product = topology.tp
    for name, size in sizes[1:]:
        if size > 1 and product * size <= topology.gpus:
            parts.append(f"{name} {size}")
            product *= size
    return " x ".join(parts)
