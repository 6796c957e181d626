"""A row names a recipe that is not there.

## What it finds

`CONFIG_FILE=`, `EVAL_CONFIG_FILE=`, `srt-recipe:` and `eval-srt-recipe:` whose file does not exist, whose selector
(`:override_x`, `:zip_override_x[3]`) names no variant of the file, or an `srt-recipe-dir:` that is no folder.

`CONFIG_FILE` may name a recipe of an external checkout. It is *missing* only where its folder is kept in this
repository, and no file of the same name is left over that a launcher may copy there under another folder's name.

## Why it matters

The job fails after the nodes are allocated and the image is pulled.

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
        prefill:
          num-worker: 1
          tp: 4
          ep: 1
          dp-attn: false
          additional-settings:
          - "CONFIG_FILE=«recipes/vllm/tiny/disagg-1p1d-tep4.yml»"
        decode: {num-worker: 1, tp: 4, ep: 1, dp-attn: false}
      - conc-list: [16]
        prefill:
          num-worker: 1
          tp: 4
          ep: 1
          dp-attn: false
          additional-settings:
          - "CONFIG_FILE=recipes/vllm/tiny/disagg-1p1d-tep4.yaml"
        decode: {num-worker: 1, tp: 4, ep: 1, dp-attn: false}
```

```yaml configs/runners.yaml
labels:
  b200-multinode: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/disagg-1p1d-tep4.yaml
name: tiny-disagg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200}
backend: {type: vllm}
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
      - conc-list: [16]
        prefill:
          num-worker: 1
          tp: 4
          ep: 1
          dp-attn: false
          additional-settings:
          - "CONFIG_FILE=recipes/vllm/tiny/disagg-1p1d-tep4.yaml"
        decode: {num-worker: 1, tp: 4, ep: 1, dp-attn: false}
```

```yaml configs/runners.yaml
labels:
  b200-multinode: [b200-0]
```

```yaml perf-changelog.yaml
[]
```

```yaml benchmarks/multi_node/srt-slurm-recipes/vllm/tiny/disagg-1p1d-tep4.yaml
name: tiny-disagg
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200}
backend: {type: vllm}
```

## Fix

Unsafe: the path becomes the one of which it is a slip, that is another spelling of the same words or one letter of a
long word. A file that only has a similar name (`tp4` and `tep4`) is named and not written, since it is another recipe.

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
        prefill:
          num-worker: 1
          tp: 4
          ep: 1
          dp-attn: false
          additional-settings:
          - "CONFIG_FILE=recipes/vllm/tiny/disagg-1p1d-tep4.yaml"
        decode: {num-worker: 1, tp: 4, ep: 1, dp-attn: false}
      - conc-list: [16]
        prefill:
          num-worker: 1
          tp: 4
          ep: 1
          dp-attn: false
          additional-settings:
          - "CONFIG_FILE=recipes/vllm/tiny/disagg-1p1d-tep4.yaml"
        decode: {num-worker: 1, tp: 4, ep: 1, dp-attn: false}
```

## Options

None. In an excerpt of a repository, which lacks most of the recipe folders that its rows name, missing files are
reported once, as information.

## Source

Review findings on recipes that were renamed or never committed; the launcher's own resolution of `CONFIG_FILE`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from posixpath import basename, dirname

from reciplint.domain.master import MasterEntry
from reciplint.domain.near_names import meant
from reciplint.domain.project import Project
from reciplint.domain.references import Resolved, Resolver, Use
from reciplint.domain.written_places import scalar_path
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import SetScalar, locate
from reciplint.yamltree.tree import Scalar

RULE = Rule(
    id="missing-recipe",
    summary="A row names a recipe that is not there",
    severity="error",
    source="review findings on renamed or uncommitted recipes; the launchers' resolution of CONFIG_FILE",
    fix="unsafe",
    messages={
        "file": "{field} names {written}, which is not in this repository{near:?; did you mean {near}?}",
        "folder": "srt-recipe-dir names {folder}, and no folder {expected} is in this repository"
        "{near:?; did you mean {near}?}",
        "selector": "{field} selects {selector}, which {written} does not have; it has {known}",
        "partial": "most recipe folders that these rows name are not in this tree, which looks like an excerpt:"
        " missing recipes are not reported",
    },
    messages_zh={
        "file": "{field} 指向 {written}，但本仓库中没有该文件{near:?；是否应为 {near}？}",
        "folder": "srt-recipe-dir 指向 {folder}，但本仓库中没有目录 {expected}{near:?；是否应为 {near}？}",
        "selector": "{field} 选择了 {selector}，但 {written} 中没有它；现有：{known:, =、|no variants=无任何变体}",
        "partial": "这些搜索空间行引用的配方目录大多不在此代码树中，此树似乎只是节选：不报告缺失的配方",
    },
)

_FIELDS = {
    ("A", "recipe"): "CONFIG_FILE",
    ("A", "evaluation"): "EVAL_CONFIG_FILE",
    ("B", "recipe"): "srt-recipe",
    ("B", "evaluation"): "eval-srt-recipe",
    ("C", "recipe"): "srt-recipe",
    ("C", "evaluation"): "eval-srt-recipe",
}


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """Every active reference that is missing, or selects what is not there."""
    resolver = project.resolver
    if resolver.is_partial:
        first = next(use for use, _ in resolver.resolved)
        yield RULE.finding("partial", first.entry.key_span, path=first.master, severity="info", subject=("partial",))
    folders: set[tuple[str, str]] = set()
    for use, resolved in resolver.resolved:
        if resolved.standing == "missing":
            if use.reference.era == "C" and not resolver.has_folder(dirname(resolved.expected)):
                if (use.master, use.entry.key) not in folders:
                    folders.add((use.master, use.entry.key))
                    yield _missing_folder(project, use.master, use.entry, resolved)
            else:
                yield _missing_file(project, use, resolved)
        elif use.reference.selector and resolved.standing == "local":
            yield from _wrong_selector(project, use, resolved)


def _missing_file(project: Project, use: Use, resolved: Resolved) -> Finding:
    right = meant(resolved.expected, project.recipe_paths)
    close = right or _closest(resolved.expected, project)
    related = (Related(close, project.recipe_span(close), "the closest file"),) if close else ()
    return RULE.finding(
        "file",
        use.reference.span,
        path=use.master,
        subject=(use.entry.key, use.scenario, use.reference.text, use.reference.selector),
        pointer=use.row.pointer,
        related=related,
        fix=_fix(project, use, _as_written(right, use, resolved)) if right else None,
        field=_FIELDS[use.reference.era, use.reference.purpose],
        written=use.reference.text,
        near=_as_written(close, use, resolved) if close else "",
    )


def _fix(project: Project, use: Use, right: str) -> Fix | None:
    """The reference spelled anew in the setting or value that holds it."""
    tree, text = project.tree(use.master), use.reference.text
    place = scalar_path(tree, use.reference.span) if tree is not None else None
    node = locate(tree, place) if tree is not None and place is not None else None
    if place is None or not isinstance(node, Scalar) or node.value.count(text) != 1:
        return None
    return Fix(f"Name {right}", "unsafe", (SetScalar(use.master, place, node.value.replace(text, right)),))


def _missing_folder(project: Project, master: str, entry: MasterEntry, resolved: Resolved) -> Finding:
    folder = dirname(resolved.expected)
    close = difflib.get_close_matches(folder, {dirname(path) for path in project.recipe_paths}, 1, 0.8)
    return RULE.finding(
        "folder",
        entry.folder_span,
        path=master,
        subject=(entry.key, entry.recipe_folder),
        folder=entry.recipe_folder,
        expected=project.relative(folder),
        near=project.relative(close[0]).partition("srt-slurm-recipes/")[2] if close else "",
    )


def _wrong_selector(project: Project, use: Use, resolved: Resolved) -> Iterator[Finding]:
    known: dict[str, None] = {}
    for path in resolved.files:
        recipe = project.recipes.get(path)
        if recipe is None or not recipe.facts.digests:
            return
        known.update(dict.fromkeys(name for name in recipe.facts.digests if name))
    groups = {name.partition("[")[0] for name in known}
    if use.reference.selector in known or use.reference.selector in groups:
        return
    shown = tuple(dict.fromkeys(name.partition("[")[0] for name in known)) or ("no variants",)
    yield RULE.finding(
        "selector",
        use.reference.span,
        path=use.master,
        subject=(use.entry.key, use.scenario, use.reference.text, use.reference.selector),
        pointer=use.row.pointer,
        field=_FIELDS[use.reference.era, use.reference.purpose],
        selector=use.reference.selector,
        written=use.reference.text,
        known=shown,
    )


def _closest(expected: str, project: Project) -> str:
    """The likeliest path that exists: same folder and a similar name, else the same name, else a similar path."""
    folder, _, name = expected.rpartition("/")
    siblings = {basename(path): path for path in project.recipes_of(folder)}
    close = difflib.get_close_matches(name, siblings, 1, 0.85)
    if close:
        return siblings[close[0]]
    namesakes = [path for path in project.recipe_paths if f"/{path}".endswith(f"/{name}")]
    return next(iter(difflib.get_close_matches(expected, namesakes, 1, 0.0)), "")


def _as_written(close: str, use: Use, resolved: Resolved) -> str:
    """The suggestion in the form that the author wrote."""
    if dirname(close) == dirname(resolved.expected):
        head, slash, _ = use.reference.text.rpartition("/")
        return f"{head}{slash}{basename(close)}"
    return Resolver.written(close, use.reference)
