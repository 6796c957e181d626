"""A name says something else than what it names.

## What it finds

A word of a recipe's file name or `name:`, or of a key of a master config, that contradicts the contents:

| word | says |
|---|---|
| `2p4d`, `ctx2`, `gen4` | prefill and decode workers, or nodes |
| `dep8`, `tep8`, `tp8`, `ep8`, `dp2`, `pp2`, `dcp8`, `pcp8` | a worker's size; of two, the prefill's and the decode's |
| `mtp3`, `dspark7`, `eagle3`, `nospec`, `stp`, `mtp0` | what is drafted, and how many tokens a step |
| `maxseq2` | the most sequences a worker takes |
| `c64` | a concurrency that rows run it at |
| `gb300`, `fp4`, `agg`, `disagg`, `8k1k` | hardware, precision, serving, sequence lengths |

and words of the file name and `name:` that contradict each other, `maxtpt` and `hightpt` included. A word is wrong only
where nothing it may mean agrees: any variant of the file, any row, any role; both spellings of data and expert
parallelism count. A model's own name, numbers without a letter and words that are not listed say nothing.

## Why it matters

People choose a recipe by its name: a curve is plotted as `mtp2` that was measured with three drafted tokens. The copy
of such a file carries the mistake on.

## Bad

```yaml benchmarks/tiny-agg-b200-tp8-mtp2.yaml
name: «tiny-agg-b200-tp8-mtp2»
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  vllm_config:
    aggregated:
      tensor-parallel-size: 8
      speculative-config: '{"method": "mtp", "num_speculative_tokens": 3}'
```

## Good

```yaml benchmarks/tiny-agg-b200-tp8-mtp3.yaml
name: tiny-agg-b200-tp8-mtp3
model: {path: org/tiny, container: "vllm/vllm-openai:v1", precision: fp4}
resources: {gpu_type: b200, gpus_per_node: 8, agg_nodes: 1, agg_workers: 1}
backend:
  type: vllm
  vllm_config:
    aggregated:
      tensor-parallel-size: 8
      speculative-config: '{"method": "mtp", "num_speculative_tokens": 3}'
```

## Fix

None is applied: whether the name or the value was meant is for the author to say.

## Options

None.

## Source

Review findings on copied recipes. The vocabulary is that of some 1,000 recipes of two public repositories, whose words
agree with their files in all but seventeen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from posixpath import basename, splitext

from reciplint.domain.key_claims import KeyFault, key_faults
from reciplint.domain.master import MasterEntry, MasterFile
from reciplint.domain.name_claims import NameFault, concurrency_faults, name_conflicts, recipe_faults
from reciplint.domain.name_tokens import says_more, words_of
from reciplint.domain.project import Project
from reciplint.domain.recipe import Recipe
from reciplint.domain.variant_places import span_of
from reciplint.rules.finding import Finding, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.spans import FILE_START, Span

_WHERE_ZH = (
    "the file name says=文件名写的是|`name:` says=`name:` 写的是|the file name and `name:` say=文件名和 `name:` 写的是"
)

RULE = Rule(
    id="name-mismatch",
    summary="A name says something else than what it names",
    severity="warning",
    source="review findings on copied recipes; the names of some 1,000 public recipes, August 2026",
    messages={
        "workers": "{where} {token}, but the recipe runs {found}",
        "shape": "{where} {token}, but its workers are {found}",
        "draft": "{where} {token}, but the recipe drafts as {found}",
        "no-draft": "{where} {token}, but the recipe has no speculative decoding",
        "sequences": "{where} {token}, but the most sequences are {found}",
        "concurrency": "{where} {token}, but it runs at concurrency {found}",
        "field": "{where} {token}, but the recipe has {found}",
        "names": "`name:` says {token}, but the file name says {found}",
        "key": "the key says {token}, but has {found}",
    },
    messages_zh={
        "workers": f"{{where:{_WHERE_ZH}}} {{token}}，但该配方运行的是 {{found}}",
        "shape": f"{{where:{_WHERE_ZH}}} {{token}}，但其工作进程为 {{found}}",
        "draft": f"{{where:{_WHERE_ZH}}} {{token}}，但该配方的推测解码为 {{found}}",
        "no-draft": f"{{where:{_WHERE_ZH}}} {{token}}，但该配方没有推测解码",
        "sequences": f"{{where:{_WHERE_ZH}}} {{token}}，但最大序列数为 {{found}}",
        "concurrency": f"{{where:{_WHERE_ZH}}} {{token}}，但它运行的并发为 {{found}}",
        "field": f"{{where:{_WHERE_ZH}}} {{token}}，但该配方为 {{found}}",
        "names": "`name:` 写的是 {token}，但文件名写的是 {found}",
        "key": "配置键写的是 {token}，但实际为 {found}",
    },
)

_FIELDS = frozenset({"gpu", "precision", "serving", "lengths"})


def check_project(project: Project, context: Context) -> Iterator[Finding]:
    """One finding for each word of a recipe's names or of a master key that nothing agrees with."""
    runs: dict[str, set[int]] = defaultdict(set)
    for pair in project.pairs:
        runs[pair.path].update(pair.concurrencies)
    for path, recipe in project.recipes.items():
        yield from _recipe(project, path, recipe.facts, runs.get(path, set()))
    for master in project.masters:
        for entry in master.entries:
            for fault in key_faults(entry):
                yield _key(master, entry, fault)


def _recipe(project: Project, path: str, recipe: Recipe, runs: set[int]) -> Iterator[Finding]:
    file, name, variants = splitext(basename(path))[0], recipe.name, recipe.runnable
    places = dict(recipe.name_faults)
    faults = {fault: ["`name:`"] for fault in places}
    differ = name and says_more(words_of(file), words_of(name))
    of_file = recipe_faults(file, variants) if differ or not name else list(places)
    for fault in of_file:
        if fault.token.text in words_of(file):
            faults.setdefault(fault, []).insert(0, "the file name")
    for label, text in (("`name:`", name), ("the file name", file)):
        for fault in concurrency_faults(text, variants, runs):
            faults.setdefault(fault, []).insert(0, label)
    for fault, labels in faults.items():
        yield _fault(path, recipe, fault, labels, places.get(fault) or _place(project, path, fault))
    for other, token in name_conflicts(file, name) if differ else ():
        if token.topic not in {fault.token.topic for fault in faults}:
            yield RULE.finding(
                "names",
                recipe.name_span,
                path=path,
                subject=("names", token.text, other.text),
                pointer="/name",
                token=token.text,
                found=other.text,
            )


def _place(project: Project, path: str, fault: NameFault) -> Span:
    tree = project.tree(path)
    return FILE_START if tree is None else span_of(tree, fault.selector, fault.path)


def _fault(path: str, recipe: Recipe, fault: NameFault, labels: list[str], place: Span) -> Finding:
    topic = "field" if fault.token.topic in _FIELDS else fault.token.topic
    return RULE.finding(
        topic if fault.found else "no-draft",
        recipe.name_span,
        path=path,
        subject=(fault.token.text, fault.found),
        related=(Related(path, place, f"what the recipe has: {fault.found or 'no speculative decoding'}"),),
        where=f"{' and '.join(labels)} {'say' if len(labels) > 1 else 'says'}",
        token=fault.token.text,
        found=fault.found,
    )


def _key(master: MasterFile, entry: MasterEntry, fault: KeyFault) -> Finding:
    is_runner = fault.found.startswith("runner")
    row = next((row for arm in entry.arms for row in arm.rows), None)
    evidence = entry.runner_span if is_runner or row is None else row.span
    return RULE.finding(
        "key",
        entry.key_span,
        path=master.path,
        subject=(entry.key, fault.text, fault.found),
        related=(Related(master.path, evidence, "its runner" if is_runner else "the first of its rows"),),
        token=fault.text,
        found=fault.found,
    )
