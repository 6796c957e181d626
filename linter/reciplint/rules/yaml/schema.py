"""A master config, runners, changelog or settings file does not have the shape its readers expect.

## What it finds

Unknown, misspelt and missing keys, values of the wrong type or out of range, and the conditions between fields:
exactly one of `conc-list` and `conc-start` with `conc-end`, `dcp-size` dividing `tp`, one topology per row,
`kv-offload-backend` with `kv-offloading: dram` and only then, `dram-utilization` with a dram row, `hardware` on both
workers or on neither, `router` and `kv-p2p-transfer` at one scope, `cluster:` runners for agentic scenarios, no `*`
in a key and no key in two master files.

Each entry is judged by the layout that it has (August or October). Files older than mid-July 2026 follow schemas that
are not described, and get no findings. The archive is never judged. Keys written with `_` belong to
`kebab-case-keys`. A value that upstream converts on reading (`"8"` for `8`) is a warning.

## Why it matters

The sweep generator refuses the whole file for one such fault, after the pull request was opened and often after GPUs
were booked. What it does not refuse, it drops silently.

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

## Fix

By hand: the message names the nearest known key or the values that are expected. Editors with a YAML language server
show the same schemas while typing (`reciplint schema master-october`).

## Options

None.

## Source

The validation models of the public InferenceX repository, August and October 2026, restated as the JSON Schemas in
`schemas/` and the conditions in `domain/master_shape.py`. Stricter than they are in one point: `tp`, `ep`, `isl` and
`osl` are positive, `num-worker` is not negative.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from reciplint.domain.document import Document
from reciplint.domain.eras import file_eras
from reciplint.domain.fault_messages import MESSAGES, describe
from reciplint.domain.faults import Fault, show
from reciplint.domain.file_shapes import changelog_faults, runners_faults, settings_faults
from reciplint.domain.master_shape import dashed_entry, entry_faults, layout_of
from reciplint.domain.written_places import span_of
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.scalars import load, scalar_value
from reciplint.yamltree.spans import FILE_START, Span
from reciplint.yamltree.tree import Mapping, Scalar, Tree, pointer, target

RULE = Rule(
    id="schema",
    summary="A master config, runners, changelog or settings file does not have the shape its readers expect",
    severity="error",
    source="The validation models of the public InferenceX repository, August and October 2026.",
    kinds=frozenset((Kind.MASTER, Kind.RUNNERS, Kind.CHANGELOG, Kind.SETTINGS)),
    messages={**MESSAGES, "key-twice": "{key} is already a key of {other}; the generator refuses both files"},
)


class MasterEntry(Protocol):
    """A master entry, as `check_project` needs it."""

    key: str
    key_span: Span


class Master(Protocol):
    """An active master file, as `check_project` needs it."""

    path: str
    entries: Any


class Project(Protocol):
    """A project, as `check_project` needs it."""

    masters: Any


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """Findings of one file."""
    tree = document.tree
    if tree is None:
        return
    value = load(tree.root)
    seen: set[tuple[Span, str]] = set()
    for fault in sorted(_faults(document, tree, value), key=lambda fault: span_of(tree, fault)):
        finding = _finding(document.kind, tree, value, fault)
        # content behind an alias has one place, however many entries use it
        identity = (finding.span, finding.message_id + str(finding.arguments.get("key", "")))
        if identity not in seen:
            seen.add(identity)
            yield finding


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Keys that stand in two master files."""
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


def _faults(document: Document, tree: Tree, value: Any) -> list[Fault]:
    if document.kind is Kind.RUNNERS:
        return runners_faults(value)
    if document.kind is Kind.CHANGELOG:
        return changelog_faults(value)
    if document.kind is Kind.SETTINGS:
        return settings_faults(value)
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
    return RULE.finding(
        description.message_id,
        span_of(tree, fault) if tree.root is not None else FILE_START,
        subject=description.subject,
        severity="warning" if fault.tolerated else "error",
        pointer=pointer(fault.path),
        **arguments,
    )
