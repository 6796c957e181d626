"""Recipes of one directory are near copies, where one file with a base and overrides would do.

## What it finds

It is optional: it runs only where it is selected, as by `reciplint check --select near-copies --verbose`, or where the
settings give it a severity, as in the examples.

At least three recipes of one directory, of the same schema, with the same roles and engines, of which each differs from
one of them in at most eight settings beside its name. A setting is a value that is no mapping, as loaded. One finding a
group, at the recipe that the others are nearest to. Files with a base already, and those with a `sweep`, are passed
over, and so is a group that one file would not make shorter.

## Why it matters

A setting that all points of a curve have in common is changed in one file and forgotten in the others: their numbers
then differ for a reason that nobody meant. In one file it stands once, and an override tells what a point is about.

## Bad

```yaml .reciplint.yaml
rules:
  near-copies: info
```

```yaml benchmarks/tiny/agg-b200-tp8-c4.yaml
name: «tiny-agg-b200-tp8-c4»
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  aggregated_environment:
    VLLM_LOGGING_LEVEL: INFO
  vllm_config:
    aggregated:
      served-model-name: org/tiny
      tensor-parallel-size: 8
      max-model-len: 9472
      kv-cache-dtype: fp8
benchmark:
  type: sa-bench
  isl: 8192
  osl: 1024
  concurrencies: [4]
```

```yaml benchmarks/tiny/agg-b200-tp8-c8.yaml
name: tiny-agg-b200-tp8-c8
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  aggregated_environment:
    VLLM_LOGGING_LEVEL: INFO
  vllm_config:
    aggregated:
      served-model-name: org/tiny
      tensor-parallel-size: 8
      max-model-len: 9472
      kv-cache-dtype: fp8
benchmark:
  type: sa-bench
  isl: 8192
  osl: 1024
  concurrencies: [8]
```

```yaml benchmarks/tiny/agg-b200-tp8-c16.yaml
name: tiny-agg-b200-tp8-c16
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  aggregated_environment:
    VLLM_LOGGING_LEVEL: INFO
  vllm_config:
    aggregated:
      served-model-name: org/tiny
      tensor-parallel-size: 8
      max-model-len: 9472
      kv-cache-dtype: fp8
benchmark:
  type: sa-bench
  isl: 8192
  osl: 1024
  concurrencies: [16]
```

## Good

```yaml .reciplint.yaml
rules:
  near-copies: info
```

```yaml benchmarks/tiny/agg-b200-tp8.yaml
base:
  name: tiny-agg-b200-tp8-c4
  model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
  resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
  backend:
    type: vllm
    aggregated_environment:
      VLLM_LOGGING_LEVEL: INFO
    vllm_config:
      aggregated:
        served-model-name: org/tiny
        tensor-parallel-size: 8
        max-model-len: 9472
        kv-cache-dtype: fp8
  benchmark:
    type: sa-bench
    isl: 8192
    osl: 1024
    concurrencies: [4]

override_c4:
  name: tiny-agg-b200-tp8-c4

override_c8:
  name: tiny-agg-b200-tp8-c8
  benchmark:
    concurrencies: [8]

override_c16:
  name: tiny-agg-b200-tp8-c16
  benchmark:
    concurrencies: [16]
```

## Fix

Shown, never applied: the whole text of the file, and below it, as comments, each row of a master config that names one
of the recipes, with what it says and what it would say. Retired rows count too. `check --verbose` prints it; in a JSON
report it is `shown` of the fix. Of Bad it is the file of Good between these lines:

```yaml
# benchmarks/tiny/agg-b200-tp8.yaml
# instead of 3 files

# no row of a master config names them
```

The base is the text of the recipe that the finding stands at, comments included, moved in by two columns. The other
recipes' comments are not carried over: the second line counts those that the base does not have. Every recipe becomes
an override with its own name, since srt-slurm makes one up (`<base name>_<override>`) where an override gives none. The
text has only variants that load as their recipes do: one with a null that the base has not is left out, since to
srt-slurm a null deletes.

A row changes from `CONFIG_FILE=recipes/tiny/agg-b200-tp8-c4.yaml` to
`CONFIG_FILE=recipes/tiny/agg-b200-tp8.yaml:override_c4`, and `srt-recipe` in the same way. srt-slurm takes the selector
behind the last colon of the path that it is given, and the launchers of `CONFIG_FILE` hand the value on whole, taking
the selector off only where they open the file; rows of August use it so. The message says why nothing is offered where

- a script names one of the recipes, or matches their paths by a pattern;
- a launcher may copy the files over others of their names, or a row may mean files of several directories;
- a row on one node names a recipe by `srt-recipe`: its launcher chooses the variant and takes no selector;
- a row of llm-d names it: its launcher opens the file by that name; so does that of H100, to edit it;
- a row simulates acceptance on SGLang: its launcher looks for `prefill_environment:` at two columns, and stops;
- a launcher looks for a key where a plain recipe has it and would make another value of it: `max_attempts` of
  `health_check` on B200, `health_check` on H200, `telemetry` of `dcgm-power`, `orchestrator_placement` on GB300;
- the recipes differ in `TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS`, whose lines a launcher deletes, or in
  `speculative-config` where a launcher reads one of them to look the acceptance length up.

`name`, which launchers look for at the first column, is passed over in a bundle without harm: srt-slurm takes the
runner's name from its environment.

## Options

| option | default | meaning |
|---|---|---|
| `least` | 3 | recipes that make a group |
| `most-differing` | 8 | settings in which each may differ from the one that the finding stands at |

## Source

Directories of the public benchmark repository in which the points of one curve are a file each, read in August 2026:
up to eight settings tell a point (sizes, counts, concurrencies), from a dozen on another layout. srt-slurm's guide to
overrides, its `parse_config_arg` (since March 2026; of the revisions that the launchers check out, all twenty that
could be read have it) and `generate_override_configs`, and the launchers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from posixpath import dirname

from reciplint.domain.listing import some_of
from reciplint.domain.near_copies import Copy, Group, copy_of, differing, groups, may_be_copy, sort_of
from reciplint.domain.override_text import OneFile, one_file, sayable
from reciplint.domain.project import Project
from reciplint.domain.variant_rows import RowChange, refusal, row_changes
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Context, Rule

_LINES = (
    "{before:line|lines} together, {after} in one file with a base and overrides"
    "{refused:?, which is not offered: {refused}}"
)
_OTHERS_ZH = "{others:* and * more=% 及另外 % 个|*=% }"
_REFUSED_ZH = (
    "{refused:?；未给出该文件：{refused:"
    "a script names them=有脚本直接写出它们|"
    "launchers may copy files of these names over others=启动脚本可能用同名文件覆盖其他文件|"
    "a row may mean files of several directories=某一行可能指多个目录中的文件|"
    "a row on one node names no variant, its launcher chooses=单节点的行不写变体，由启动脚本选择|"
    "llm-d opens the file that a row names=llm-d 直接打开行中所写的文件|"
    "a launcher edits the file by the name that a row gives=启动脚本按行中所写的名称修改文件|"
    "a launcher looks for environments at their depth to simulate acceptance"
    "=启动脚本按固定缩进查找环境变量以模拟接受长度|"
    "a launcher deletes lines of *=启动脚本会删除 % 所在的行|"
    "a launcher reads one * for the whole file=启动脚本只读取整个文件中的一个 %|"
    "a launcher edits * where it stands=启动脚本按固定位置修改 %}}"
)

RULE = Rule(
    id="near-copies",
    summary="Recipes of one directory are near copies, where one file with a base and overrides would do",
    severity="info",
    fix="display",
    source="directories of the public benchmark repository in which the points of one curve are a file each",
    messages={
        "copies": "{files} recipes of this directory are near copies of one another: {others} within"
        f" {{most:setting|settings}} of this one; {_LINES}",
        "names": "{files} recipes of this directory are copies of one another: {others} like this one in all but the"
        f" name; {_LINES}",
    },
    messages_zh={
        "copies": f"本目录有 {{files}} 个几乎相同的配方：{_OTHERS_ZH}与本配方至多相差 {{most}} 项设置；"
        f"共 {{before}} 行，写成一个含 base 和 override 的文件只需 {{after}} 行{_REFUSED_ZH}",
        "names": f"本目录有 {{files}} 个相同的配方：{_OTHERS_ZH}与本配方仅名称不同；"
        f"共 {{before}} 行，写成一个含 base 和 override 的文件只需 {{after}} 行{_REFUSED_ZH}",
    },
    options={"least": 3, "most-differing": 8},
    is_optional=True,
)

_LISTED = 4


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each group of near copies, at the recipe that the others are nearest to."""
    least, most = int(context.options["least"]), int(context.options["most-differing"])
    taken_in: dict[str, list[str]] = {}
    for folder, copies in _alike(project, least):
        taken = taken_in.setdefault(folder, [_base_name(path) for path in project.recipes_of(folder)])
        for group in groups(copies, least, most):
            made = one_file(group, taken)
            if made is None:
                group = sayable(group)
                made = one_file(group, taken) if len(group.copies) >= least else None
            before = sum(_lines(copy.tree.text) for copy in group.copies)
            if made is not None and _lines(made.text) < before:
                taken.append(made.name)
                yield _finding(project, group, made, before)


def _alike(project: Project, least: int) -> Iterator[tuple[str, list[Copy]]]:
    """Each directory with recipes of one sort in it that may be copies."""
    sorts: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for path, recipe in project.recipes.items():
        if may_be_copy(recipe):
            sorts[dirname(path), *sort_of(recipe)].append(path)
    wanted = {sort: paths for sort, paths in sorts.items() if len(paths) >= least}
    trees = project.trees(path for paths in wanted.values() for path in paths)
    for (folder, *_), paths in wanted.items():
        copies = (copy_of(path, trees[path]) for path in paths)
        yield str(folder), [copy for copy in copies if copy is not None]


def _finding(project: Project, group: Group, made: OneFile, before: int) -> Finding:
    first = group.first
    refused = refusal(project, group)
    counts = [differing(first.settings, copy.settings) for copy in group.others]
    return RULE.finding(
        "copies" if max(counts) else "names",
        project.recipe_span(first.path),
        path=first.path,
        subject=(_base_name(first.path),),
        pointer="/name",
        related=tuple(
            Related(copy.path, project.recipe_span(copy.path), _related(count))
            for copy, count in zip(group.others, counts, strict=True)
        ),
        fix=None if refused else _fix(project, group, made),
        files=len(group.copies),
        others=some_of(tuple(_base_name(copy.path) for copy in group.others), _LISTED),
        most=max(counts),
        before=before,
        after=_lines(made.text),
        refused=refused,
    )


def _related(count: int) -> str:
    if count == 0:
        return "differs in its name alone"
    return f"differs in {count} {'setting' if count == 1 else 'settings'}"


def _fix(project: Project, group: Group, made: OneFile) -> Fix:
    """The text of the file, and below it what rows say now and would say then."""
    rows = row_changes(project, made)
    folder = dirname(group.first.path)
    head = [f"# {folder}/{made.name}" if folder else f"# {made.name}", f"# instead of {len(group.copies)} files"]
    if made.lost:
        noun = "comment" if made.lost == 1 else "comments"
        head[1] += f"; {made.lost} {noun} of theirs would be lost"
    tail = [line for row in rows for line in _row(row)] or ["# no row of a master config names them"]
    title = f"write one file, {made.name}"
    if rows:
        title += f", and have {len(rows)} {'row' if len(rows) == 1 else 'rows'} name its variants"
    return Fix(title, "display", (), shown="\n".join((*head, "", made.text, *tail, "")))


def _row(row: RowChange) -> tuple[str, str]:
    return f"# {row.path}:{row.span.line}: {row.now}", f"#   becomes {row.then}"


def _base_name(path: str) -> str:
    return path.rpartition("/")[2]


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))
