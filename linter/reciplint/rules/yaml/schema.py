"""A master config, recipe, runners, changelog or settings file does not have the shape its readers expect.

## What it finds

Unknown, misspelt and missing keys, values of the wrong type or out of range, and the conditions between fields:
exactly one of `conc-list` and `conc-start` with `conc-end`, `dcp-size` dividing `tp`, one topology per row,
`kv-offload-backend` with `kv-offloading: dram` and only then, `dram-utilization` with a dram row, `hardware` on both
workers or on neither, `router` and `kv-p2p-transfer` at one scope, `cluster:` runners for agentic scenarios, no `*`
in a key and no key in two master files.

Recipes of srt-slurm follow schema 1 or 2. Of a file with a `base`, every `override_*` and every point of a
`zip_override_*` is expanded and judged; a finding stands where the value is written, in the override or in the base,
and names the variants if only some have it. The bundle is judged too: keys beside `base`, zip groups whose lists
differ in length. Then come the conditions of srt-slurm's loader: `engine` at the top or on every role, one Dynamo
source, profiling of the roles that exist, what the direct frontends ask for. Engine flags and the values of
environments are judged by other rules. A recipe of InferenceX without a `model` is a fragment, which is merged over a
shared block. Recipes of llm-d name their plugins and give each role the keys that its launcher reads.

Recipes of the public vLLM recipes repository, its strategies, taxonomy and platforms have schemas too, and conditions
between fields: features, modes and variants that are named exist, `default_strategy` is offered, dates are days, `omni`
is a task where it is a block. These files gain keys often, so an unknown key that resembles no known one is a warning.

Each master entry is judged by the layout that it has (August or October). Files older than mid-July 2026 follow schemas
that are not described, and get no findings. The archive is never judged. Keys written with `_` belong to
`kebab-case-keys`. A value that upstream converts on reading (`"8"` for `8`) is a warning.

## Why it matters

The sweep generator refuses the whole file for one such fault, after the pull request was opened and often after GPUs
were booked. What it does not refuse, it drops silently. A recipe is refused when its job is submitted.

## Bad

```yaml configs/nvidia-master.yaml
tiny-fp8-h100-vllm:
  image: vllm/vllm-openai:v0.11.0
  model: example/tiny
  model-prefix: tiny
  runner: h100
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 1024
      osl: 1024
      search-space:
      - { tp: 8, «spec-decodng»: mtp, conc-list: [4, 8] }
      - { tp: 4, spec-decoding: «eagle», conc-start: 4, conc-end: 64 }
```

```yaml configs/runners.yaml
labels:
  h100: [h100-a_00]
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/multi_node/srt-slurm-recipes/tiny/disagg.yaml
base:
  name: tiny-disagg
  model:
    path: tiny
    container: example/sglang:1
    precision: fp8
  resources:
    gpu_type: h100
    gpus_per_node: 8
    prefill_nodes: 1
    decode_nodes: 1
    prefill_workers: 1
    «decode_worker»: 1
  backend:
    type: sglang
override_big:
  resources:
    decode_nodes: «two»
```

```bash runners/launch.sh
srtctl apply -f benchmarks/multi_node/srt-slurm-recipes/tiny/disagg.yaml
```

## Good

```yaml configs/nvidia-master.yaml
tiny-fp8-h100-vllm:
  image: vllm/vllm-openai:v0.11.0
  model: example/tiny
  model-prefix: tiny
  runner: h100
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 1024
      osl: 1024
      search-space:
      - { tp: 8, spec-decoding: mtp, conc-list: [4, 8] }
      - { tp: 4, conc-start: 4, conc-end: 64 }
```

```yaml configs/runners.yaml
labels:
  h100: [h100-a_00]
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/multi_node/srt-slurm-recipes/tiny/disagg.yaml
base:
  name: tiny-disagg
  model:
    path: tiny
    container: example/sglang:1
    precision: fp8
  resources:
    gpu_type: h100
    gpus_per_node: 8
    prefill_nodes: 1
    decode_nodes: 1
    prefill_workers: 1
    decode_workers: 1
  backend:
    type: sglang
override_big:
  resources:
    decode_nodes: 2
```

```bash runners/launch.sh
srtctl apply -f benchmarks/multi_node/srt-slurm-recipes/tiny/disagg.yaml
```

## Fix

By hand: the message names the nearest known key or the values that are expected. Editors with a YAML language server
show the same schemas while typing (`reciplint schema master-october`, `reciplint schema recipe-1`).

## Options

None.

## Source

The validation models of the public InferenceX repository, August and October 2026, restated as the JSON Schemas in
`schemas/` and the conditions in `domain/master_shape.py`. Stricter than they are in one point: `tp`, `ep`, `isl` and
`osl` are positive, `num-worker` is not negative. For recipes, the loader of the public srt-slurm repository (schema 1:
August 2026; schema 2: its schema reference, September 2026) and the launch scripts of llm-d in InferenceX, restated in
`schemas/` and `domain/recipe_conditions.py`; keys that only some releases know are accepted. For vLLM recipes, the
contributing guide and the command synthesis of the public vLLM recipes repository (August 2026) and the recipes of
vLLM 0.33.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from reciplint.domain.document import Document
from reciplint.domain.eras import file_eras
from reciplint.domain.fault_messages import MESSAGES, describe
from reciplint.domain.fault_messages_zh import TEMPLATES, in_chinese
from reciplint.domain.faults import Fault, show
from reciplint.domain.file_shapes import changelog_faults, runners_faults, settings_faults
from reciplint.domain.master_shape import dashed_entry, entry_faults, layout_of
from reciplint.domain.recipe_messages import MESSAGES as RECIPE_MESSAGES
from reciplint.domain.recipe_messages import MESSAGES_ZH as RECIPE_MESSAGES_ZH
from reciplint.domain.recipe_shape import block_faults, llmd_faults, recipe_faults
from reciplint.domain.vllm_messages import ADVICE
from reciplint.domain.vllm_messages import MESSAGES as VLLM_MESSAGES
from reciplint.domain.vllm_messages import MESSAGES_ZH as VLLM_MESSAGES_ZH
from reciplint.domain.vllm_shape import SCHEMAS as VLLM_SCHEMAS
from reciplint.domain.vllm_shape import vllm_faults
from reciplint.domain.written_places import span_of
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.scalars import scalar_value
from reciplint.yamltree.spans import FILE_START, Span
from reciplint.yamltree.tree import Mapping, Scalar, Tree, pointer, target

RULE = Rule(
    id="schema",
    summary="A master config, recipe, runners, changelog or settings file does not have the shape its readers expect",
    severity="error",
    source="The validation models of the public InferenceX repository, August and October 2026; the recipe loader of "
    "the public srt-slurm repository, August and September 2026.",
    kinds=frozenset(
        (
            Kind.MASTER,
            Kind.RUNNERS,
            Kind.CHANGELOG,
            Kind.SETTINGS,
            Kind.RECIPE,
            Kind.SHARED_BLOCK,
            Kind.LLMD_RECIPE,
            *VLLM_SCHEMAS,
        )
    ),
    messages={
        **MESSAGES,
        **RECIPE_MESSAGES,
        **VLLM_MESSAGES,
        "key-twice": "{key} is already a key of {other}; the generator refuses both files",
    },
    messages_zh={
        name: in_chinese(template) for name, template in {**TEMPLATES, **RECIPE_MESSAGES_ZH, **VLLM_MESSAGES_ZH}.items()
    },
)


_FRAGMENTS = "srt-slurm-recipes/"
"""The folder of recipes that InferenceX binds."""


class MasterEntry(Protocol):
    """A master entry, as `check_project` needs it."""

    key: str
    key_span: Span


class Master(Protocol):
    """An active master file, as `check_project` needs it."""

    path: str
    entries: Any


class Project(Protocol):
    """A project, as `check_project` needs it: `root` is None where no project is recognised."""

    root: str | None
    masters: Any
    recipes: Any

    def read(self, path: str) -> bytes | None:
        """The bytes of a file."""


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """Findings of one file."""
    tree = document.tree
    if tree is None:
        return
    value = tree.plain
    seen: set[tuple[Span, str]] = set()
    for fault in sorted(_faults(document, tree, value), key=lambda fault: span_of(tree, fault)):
        finding = _finding(document.kind, tree, value, fault)
        # content behind an alias has one place, however many entries use it
        identity = (finding.span, finding.message_id + str(finding.arguments.get("key", "")))
        if identity not in seen:
            seen.add(identity)
            yield finding


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Keys that stand in two master files; recipes that nobody binds and that lack a model."""
    yield from _unbound_recipes(project)
    first: dict[str, tuple[str, Span]] = {}
    for master in sorted(project.masters, key=lambda master: str(master.path)):
        for entry in master.entries:
            path, span = first.setdefault(entry.key, (master.path, entry.key_span))
            if path != master.path:
                related = (Related(path, span, "first here"),)
                yield RULE.finding(
                    "key-twice",
                    entry.key_span,
                    path=master.path,
                    subject=(entry.key, "key-twice"),
                    pointer=pointer((entry.key,)),
                    related=related,
                    key=entry.key,
                    other=path,
                )


def _unbound_recipes(project: Project) -> Iterator[Finding]:
    """Recipes of schema 2 without a model are fragments where InferenceX binds them, and faulty anywhere else."""
    for path, recipe in project.recipes.items() if project.root is None else ():
        if recipe.facts.schema != 2 or recipe.facts.container or _FRAGMENTS in path:
            continue
        data = project.read(path)
        tree = Document(path, Kind.RECIPE, data).tree if data is not None else None
        if tree is None:
            continue
        value = tree.plain
        told = recipe_faults(tree, value)
        for fault in recipe_faults(tree, value, whole=True):
            if fault not in told:
                yield _finding(Kind.RECIPE, tree, value, fault).at(path)


def _faults(document: Document, tree: Tree, value: Any) -> list[Fault]:
    if document.kind is Kind.RUNNERS:
        return runners_faults(value)
    if document.kind is Kind.CHANGELOG:
        return changelog_faults(value)
    if document.kind is Kind.SETTINGS:
        return settings_faults(value)
    if document.kind is Kind.RECIPE:
        return recipe_faults(tree, value)
    if document.kind is Kind.SHARED_BLOCK:
        return block_faults(value)
    if document.kind is Kind.LLMD_RECIPE:
        return llmd_faults(value)
    if document.kind in VLLM_SCHEMAS:
        return vllm_faults(document.kind, value)
    return list(_master_faults(document.path, tree, value))


def _master_faults(path: str, tree: Tree, root: Any) -> Iterator[Fault]:
    if not isinstance(root, dict):
        yield Fault((), "value", "not-a-mapping", {"found": show(root)})
        return
    entries = {key: dashed_entry(entry) for key, entry in root.items()}
    eras = file_eras(entries, path)
    for key, entry in entries.items():
        layout = layout_of(entry, eras)
        if layout is None:
            return
        if "*" in key:
            yield Fault((key,), "key", "wildcard-key", {"key": key})
        for fault in entry_faults(entry, layout):
            yield Fault((key, *fault.path), fault.place, fault.name, fault.arguments, fault.tolerated)
    yield from _keys_not_text(tree)


def _keys_not_text(tree: Tree) -> Iterator[Fault]:
    root = tree.root
    for entry in root.entries if isinstance(root, Mapping) else ():
        key = target(entry.key)
        if not entry.is_merge and isinstance(key, Scalar) and not isinstance(scalar_value(key), str):
            yield Fault((entry.name or "",), "key", "key-not-text", {"key": entry.name or ""})


def _finding(kind: Kind, tree: Tree, value: Any, fault: Fault) -> Finding:
    description = describe(kind.value, value, fault)
    arguments: dict[str, Any] = dict(description.arguments)
    variants = arguments.pop("variants", ())
    if variants:
        arguments["where"] = f"{arguments['where']} [{', '.join(variants)}]"
    return RULE.finding(
        description.message_id,
        span_of(tree, fault) if tree.root is not None else FILE_START,
        subject=description.subject,
        severity="info" if fault.name in ADVICE else "warning" if fault.tolerated else "error",
        pointer=pointer(fault.path),
        **arguments,
    )
