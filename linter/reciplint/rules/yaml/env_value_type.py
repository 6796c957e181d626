"""An environment variable whose value is not a string.

## What it finds

A value in an environment map of a recipe (`environment`, `env`, `prefill_environment` and the like, of schema 1 and
schema 2) that PyYAML loads as a number, a boolean, null, a list or a mapping. A value that comes in through an alias
or a merge key is reported once, where it is written.

Legal are lists under a `zip_override_…` group, where a list gives one value per variant, and null where a recipe is
merged over another (`override_…` and `zip_override_…` groups, schema 2), where it deletes the variable. Engine
arguments (`args`, `vllm_config` and its siblings) are no environment, whatever their keys are called.

## Why it matters

The environment of a process is text. srt-slurm refuses anything else; a reader that converts on its own writes `True`
for `true`, `8` for `010` and `1000.0` for `1.0e+3`, which is not what the file shows.

## Bad

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/agg.yaml
name: tiny-agg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  aggregated_environment:
    TINY_CACHE_SLOTS: «4»
    TINY_MODE: fast
```

## Good

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/agg.yaml
name: tiny-agg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  aggregated_environment:
    TINY_CACHE_SLOTS: "4"
    TINY_MODE: fast
```

## Fix

Quotes the value as it stands. The loaded value changes its type, so the fix is unsafe. Null, lists and mappings are
left to their author, and so is a value with an anchor, which other places may want as a number.

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/agg.yaml
name: tiny-agg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  aggregated_environment:
    TINY_CACHE_SLOTS: "4"
    TINY_MODE: fast
```

## Options

None.

## Source

srt-slurm declares every environment map as a mapping from string to string.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reciplint.domain.document import Document
from reciplint.domain.recipe_maps import is_environment
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding, Fix
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import Path, Respell, addressable
from reciplint.yamltree.scalars import scalar_value, value_11
from reciplint.yamltree.tree import MERGE, Concrete, Mapping, Node, Scalar, Sequence, Tree, key_path, pointer, target

_TYPES_ZH = "a boolean=布尔值|an integer=整数|a number=数值|a list=列表|a mapping=映射"

RULE = Rule(
    id="env-value-type",
    summary="An environment variable whose value is not a string",
    severity="warning",
    source="srt-slurm: every environment map is a mapping from string to string",
    kinds=frozenset({Kind.RECIPE, Kind.SHARED_BLOCK}),
    fix="unsafe",
    messages={
        "scalar": "`{name}` is {type}, {value} to PyYAML, where an environment variable is text: "
        'write `{name}: "{text}"`',
        "null": "`{name}` has no value (null) where an environment variable is text: give it one, or delete the line",
        "collection": "`{name}` is {type} where an environment variable is text",
    },
    messages_zh={
        "scalar": f"`{{name}}` 是{{type:{_TYPES_ZH}}}（PyYAML 读作 {{value}}），而环境变量应为文本："
        '请写成 `{name}: "{text}"`',
        "null": "`{name}` 没有值（null），而环境变量应为文本：请给出值，或删除该行",
        "collection": f"`{{name}}` 是{{type:{_TYPES_ZH}}}，而环境变量应为文本",
    },
)

_ENGINE_ARGUMENTS = frozenset({"args", "extra_args"})
_TYPES = {bool: "a boolean", int: "an integer", float: "a number"}


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """One finding per offending value, at the place where it is written."""
    tree = document.tree
    root = tree.root if tree is not None else None
    if tree is None or not isinstance(root, Mapping):
        return
    is_loaded_whole = not tree.may_repeat_keys and MERGE not in tree.key_names
    if is_loaded_whole and not _holds_other_than_text(tree.plain):
        return
    paths: dict[int, Path] | None = None
    seen: set[int] = set()
    for section, name, value in _variables(root):
        written = target(value)
        if id(written) in seen or _legal(section, written):
            continue
        seen.add(id(written))
        if paths is None:
            paths = {id(node): path for path, node in tree.walk()}
        yield _finding(tree, name, written, paths.get(id(written), (name,)))


def _holds_other_than_text(loaded: dict[str, Any]) -> bool:
    """Whether an environment of a loaded file holds anything but text, which most files do not."""
    stack: list[Any] = [loaded]
    while stack:
        holder = stack.pop()
        if type(holder) is list:
            stack += holder
            continue
        for name, value in holder.items() if type(holder) is dict else ():
            if type(value) is list:
                stack += value
            elif type(value) is dict and is_environment(name):
                if not all(type(item) is str for item in value.values()):
                    return True
            elif type(value) is dict and not _is_for_engine(name):
                stack.append(value)
    return False


def _is_for_engine(name: str) -> bool:
    return name in _ENGINE_ARGUMENTS or name.endswith("_config")


def _variables(root: Mapping) -> Iterator[tuple[str, str, Node]]:
    """The winning entries of every environment map, merge keys resolved: section, name, value.

    The section is how nulls and lists are judged there: "zip", "merged" or "plain".
    """
    schema_2 = any(_is_schema_2(node) for node in (root, root.get("base")))
    for entry in root.entries:
        name = entry.name or ""
        section = "zip" if name.startswith("zip_override_") else "merged" if name.startswith("override_") else ""
        section = section or ("merged" if schema_2 else "plain")
        for environment in _environments(name, entry.value):
            if all(_is_written_text(value) for _, value in environment.entries):
                continue
            for variable, winner in environment.effective().items():
                yield section, variable, winner.value


def _is_written_text(value: Node) -> bool:
    return type(value) is Scalar and (value.style != "" or isinstance(value_11(value.value), str))


def _is_schema_2(node: Node | None) -> bool:
    schema = node.get("schema") if isinstance(node, Mapping) else None
    return isinstance(schema, Scalar) and schema.value == "2"


def _environments(name: str, value: Node) -> Iterator[Mapping]:
    """The environment maps at and below an entry, engine arguments left out; aliased ones where they are used."""
    stack: list[tuple[str, Node]] = [(name, value)]
    while stack:
        name, value = stack.pop()
        if is_environment(name):
            environment = target(value)
            if isinstance(environment, Mapping):
                yield environment
        elif isinstance(value, Mapping):
            if not _is_for_engine(name):
                stack.extend((entry.name or "", entry.value) for entry in reversed(value.entries))
        elif isinstance(value, Sequence):
            stack.extend(("", item) for item in reversed(value.items))


def _legal(section: str, value: Concrete) -> bool:
    if isinstance(value, Scalar):
        loaded = scalar_value(value)
        return isinstance(loaded, str) or (loaded is None and section != "plain")
    return isinstance(value, Sequence) and section == "zip"


def _finding(tree: Tree, name: str, value: Concrete, path: Path) -> Finding:
    span, where, names = tree.span(value), pointer(path), key_path(path)
    if not isinstance(value, Scalar):
        kind = "a list" if isinstance(value, Sequence) else "a mapping"
        return RULE.finding("collection", span, subject=(*names, kind), pointer=where, name=name, type=kind)
    loaded = scalar_value(value)
    if loaded is None:
        return RULE.finding("null", span, subject=(*names, "null"), pointer=where, name=name)
    fix = None
    if value.anchor is None and addressable(tree, path, value):
        title = f"Quote the value of {name}"
        fix = Fix(title, "unsafe", (Respell("", path, f'"{value.value}"'),))
    shown = str(loaded).lower() if isinstance(loaded, bool) else str(loaded)
    return RULE.finding(
        "scalar",
        span,
        subject=(*names, value.value),
        pointer=where,
        fix=fix,
        name=name,
        type=_TYPES[type(loaded)],
        value=shown,
        text=value.value,
    )
