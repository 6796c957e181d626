"""A row's GPUs or parallel sizes are not those of the recipe that it runs.

## What it finds

For each role of a row beside the variant that it names:

- GPUs: `num-worker` × `tp` × `pp` × `pcp-size`, against the recipe's workers × GPUs per worker;
- `ep`, `dp-attn`, `pp` and `dcp-size`, against what the engine's flags come to;
- a role that has workers on one side alone.

What the flags come to, engine by engine:

| | vLLM | SGLang | TensorRT-LLM |
|---|---|---|---|
| `ep` | all ranks (tensor × data) with `enable-expert-parallel`, else 1 | `ep-size` | `moe_expert_parallel_size` |
| `dp-attn` | `data-parallel-size` over 1 | `enable-dp-attention` | `enable_attention_dp` |
| GPUs of a worker | tensor × data × pipeline | tensor × pipeline | tensor × pipeline |

GPUs are compared in total: data parallelism may be written into `tp`, or as workers. An aggregated recipe belongs to a
`prefill` block beside a `decode` of no workers, or to `worker`. Rows of the later layout that leave vLLM's data
parallelism out of `tp` are left alone, and so are recipes kept elsewhere.

## Why it matters

Published throughput is divided by the row's GPUs, and charts are labelled with its sizes: a row that counts 1 GPU for
an engine on 8 looks eight times as good, and nothing fails. For agentic rows this is an error, else a warning.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v1
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
        prefill: «{num-worker: 1, tp: 1, ep: 8, dp-attn: true, additional-settings: [CONFIG_FILE=recipes/tiny.yaml]}»
        decode: «{num-worker: 1, tp: 4, ep: 1, dp-attn: false}»
```

```yaml configs/runners.yaml
labels:
  b200-multinode: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/multi_node/srt-slurm-recipes/tiny.yaml
name: tiny-disagg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, prefill_nodes: 1, prefill_workers: 1, decode_nodes: 1, decode_workers: 2}
backend:
  type: vllm
  vllm_config:
    prefill: {tensor-parallel-size: 1, data-parallel-size: 8, enable-expert-parallel: true}
    decode: {tensor-parallel-size: 4}
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp4-b200-vllm:
  image: vllm/vllm-openai:v1
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
        prefill: {num-worker: 1, tp: 8, ep: 8, dp-attn: true, additional-settings: [CONFIG_FILE=recipes/tiny.yaml]}
        decode: {num-worker: 2, tp: 4, ep: 1, dp-attn: false}
```

```yaml configs/runners.yaml
labels:
  b200-multinode: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/multi_node/srt-slurm-recipes/tiny.yaml
name: tiny-disagg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, prefill_nodes: 1, prefill_workers: 1, decode_nodes: 1, decode_workers: 2}
backend:
  type: vllm
  vllm_config:
    prefill: {tensor-parallel-size: 1, data-parallel-size: 8, enable-expert-parallel: true}
    decode: {tensor-parallel-size: 4}
```

## Fix

None is applied: either side may be the one that was meant.

## Options

None.

## Source

The engines' definitions of their flags, which agree with every row of the public benchmark repository in `ep`,
`dp-attn` and `pp` (August 2026), and its rule that throughput is published per GPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename

from reciplint.domain.master import Workers
from reciplint.domain.pairing import Pair
from reciplint.domain.project import Project
from reciplint.domain.recipe_variant import RecipeRole
from reciplint.domain.role_places import flag_of, resources_of
from reciplint.domain.row_topology import Comparison, Unpaired, differences
from reciplint.domain.topology import FLAGS
from reciplint.rules.finding import Argument, Finding, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.spans import FILE_START, Span

RULE = Rule(
    id="topology-mismatch",
    summary="A row's GPUs or parallel sizes are not those of the recipe that it runs",
    severity="warning",
    source="the engines' definitions of their flags; the rows and recipes of the public benchmark, August 2026",
    messages={
        "gpus": "{role} counts {counted:GPU|GPUs} ({row}), but {recipe} has {workers:worker|workers} of {each:GPU|GPUs}"
        ": {used} in all",
        "size": "{role} has {field} {stated}, but {recipe} comes to {found} (by {how})",
        "not-in-recipe": "the row has workers for {role}, and {recipe} has none: its roles are {roles}",
        "not-in-row": "{recipe} has {workers:worker|workers} for {role}, and the row counts none",
    },
    messages_zh={
        "gpus": "{role} 按 {counted} 个 GPU 计（{row}），但 {recipe} 有 {workers} 个 worker，每个 {each} 个 GPU"
        "：共 {used} 个",
        "size": "{role} 的 {field} 为 {stated:* by default=%（默认）}，但 {recipe} 的结果是 {found}（由 {how} 决定）",
        "not-in-recipe": "该搜索空间行为 {role} 设置了 worker，但 {recipe} 中没有：其角色为 {roles}",
        "not-in-row": "{recipe} 为 {role} 设置了 {workers} 个 worker，但该搜索空间行没有计入",
    },
)


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each size of a role, and each role, in which a row differs from what it runs."""
    for row in differences(project.pairs):
        for size in row.sizes:
            yield _size(project, row.pair, size)
        for role in row.unpaired:
            yield _unpaired(project, row.pair, role)


def _size(project: Project, pair: Pair, size: Comparison) -> Finding:
    role = size.role
    if size.field != "gpus":
        arguments: dict[str, Argument] = {
            "field": size.field,
            "stated": f"{size.row}".lower() + ("" if size.is_stated else " by default"),
            "found": str(size.recipe).lower(),
            "how": size.recipe_how,
        }
        return _finding(project, pair, "size", size.workers, role, size.field, arguments)
    arguments = {
        "counted": size.row,
        "row": size.row_how,
        "workers": role.workers or 0,
        "each": size.recipe // role.workers if role.workers else 0,
        "used": size.recipe,
    }
    return _finding(project, pair, "gpus", size.workers, role, "gpus", arguments)


def _unpaired(project: Project, pair: Pair, found: Unpaired) -> Finding:
    if found.role is not None:
        return _finding(project, pair, "not-in-row", None, found.role, "workers", {"workers": found.role.workers or 0})
    roles = tuple(role.name for role in pair.variant.roles)
    return _finding(project, pair, "not-in-recipe", found.workers, None, "workers", {"roles": roles})


def _finding(
    project: Project,
    pair: Pair,
    message_id: str,
    block: Workers | None,
    role: RecipeRole | None,
    field: str,
    arguments: dict[str, Argument],
) -> Finding:
    """A finding at the row's `block` (the row where it has none), beside the recipe's `role`."""
    row, name = pair.use.row, block.role if block else role.name if role else ""
    selector = pair.variant.selector
    recipe = f"{basename(pair.path)}:{selector}".rstrip(":")
    return RULE.finding(
        message_id,
        block.span if block else row.span,
        path=pair.use.master,
        severity="error" if pair.use.arm.kind == "agentic-coding" else "warning",
        pointer=f"{row.pointer}/{name}" if name in row.settings else row.pointer,
        subject=(pair.use.entry.key, pair.use.scenario, row.identity, selector, name, field),
        related=(Related(pair.path, _place(project, pair, role, field), "what the recipe says"),),
        fix=None,
        **{"role": name, "recipe": recipe, **arguments},
    )


def _place(project: Project, pair: Pair, role: RecipeRole | None, field: str) -> Span:
    """Where the recipe says it."""
    tree = project.tree(pair.path)
    if tree is None or role is None:
        return FILE_START if tree is None else project.recipe_span(pair.path)
    if field in ("gpus", "workers"):
        return resources_of(tree, pair.variant, role).span
    return flag_of(tree, pair.variant, role, FLAGS[field]).span
