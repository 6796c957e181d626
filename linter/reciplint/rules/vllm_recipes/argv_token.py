"""An item of an argument list is not one command-line token.

## What it finds

In `args`, `extra_args`, `vllm_args` and `base_args` of vLLM recipes, strategies and taxonomies: a flag and its value
in one item, white space around a token, an empty item, a line continuation left from a shell, a dash that is no
hyphen, a long flag with one dash, shell quotes around a value, a value that begins as JSON and is none, a variable of
the environment, and a list that begins with a word that is no flag.

A flag with `=`, as `--block-size=64`, is one token.

## Why it matters

Every item becomes one argument. The engine refuses `--max-model-len auto` as a flag that it does not know, and the
site cannot see that it is set twice. An empty item is left out, so that the flag before it takes the next flag for
its value.

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
  base_args:
  - "--trust-remote-code"
  - «"--max-model-len auto"»
variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
    extra_args: [«"—enforce-eager"»]
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
  base_args:
  - "--trust-remote-code"
  - "--max-model-len"
  - "auto"
variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
    extra_args: ["--enforce-eager"]
compatible_strategies: [single_node_tp]
guide: Serve it.
```

## Fix

Writes the tokens that the item stands for. The command changes by it, so the fix is unsafe.

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
  base_args:
  - "--trust-remote-code"
  - "--max-model-len"
  - "auto"
variants:
  default:
    precision: bf16
    vram_minimum_gb: 17
    extra_args: ["--enforce-eager"]
compatible_strategies: [single_node_tp]
guide: Serve it.
```

## Options

None.

## Source

The command synthesis of the public vLLM recipes site (August 2026), which joins the lists item by item; review
findings in that repository.
"""

from __future__ import annotations

from collections.abc import Iterator

from reciplint.domain.document import Document
from reciplint.domain.faults import show
from reciplint.domain.vllm_argv import Token, TokenFault, token_fault, tokens
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding, Fix
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import Operation, SetScalar, SplitItem, addressable
from reciplint.yamltree.tree import Tree, key_path, pointer

RULE = Rule(
    id="argv-token",
    summary="An item of an argument list is not one command-line token",
    severity="error",
    source="the command synthesis of the public vLLM recipes site, August 2026; review findings there",
    kinds=frozenset((Kind.VLLM_RECIPE, Kind.VLLM_STRATEGY, Kind.VLLM_TAXONOMY)),
    fix="unsafe",
    messages={
        "fused": "{where}: {found} is one item, so the engine gets it as one argument; write {right} as items of"
        " their own",
        "empty": "{where}: this item is empty, so it is left out and a flag before it loses its value",
        "blanks": "{where}: {found} has white space around it, which becomes part of the argument; write {right}",
        "continued": "{where}: {found} ends with a backslash, as lines of a shell do; here it becomes part of the"
        " argument",
        "dash": "{where}: {found} begins with a dash that is no hyphen, so it is no flag; write {right}",
        "one-dash": "{where}: {found} begins with one dash, and no short flag is spelled so; write {right}",
        "quoted": "{where}: the quotes around {found} become part of the argument; write {right}",
        "variable": "{where}: {found} sets a variable, which no argument can do; write it into the environment",
        "json": "{where}: {found} begins as JSON and is none, so the engine refuses {flag}",
        "no-flag": "{where}: the list begins with {found}, which is no flag{right:?; did you mean {right}?}",
    },
    messages_zh={
        "fused": "{where}：{found} 是一项，因此引擎会把它当作一个参数；请把 {right:, =、} 写成单独的各项",
        "empty": "{where}：该项为空，因此会被略去，它前面的参数名就没有了值",
        "blanks": "{where}：{found} 前后有空白字符，会成为参数的一部分；请写成 {right}",
        "continued": "{where}：{found} 像 shell 的行那样以反斜杠结尾；在此处它会成为参数的一部分",
        "dash": "{where}：{found} 开头的横线不是连字符，因此不是参数名；请写成 {right}",
        "one-dash": "{where}：{found} 只以一个横线开头，而没有这样拼写的短参数名；请写成 {right}",
        "quoted": "{where}：{found} 两端的引号会成为参数的一部分；请写成 {right}",
        "variable": "{where}：{found} 是在设置环境变量，而参数做不到；请写到环境变量中",
        "json": "{where}：{found} 开头像 JSON 却不是 JSON，因此引擎会拒绝 {flag}",
        "no-flag": "{where}：列表以 {found} 开头，而它不是参数名{right:?；是否应为 {right}？}",
    },
)


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """Every token that is none."""
    tree = document.tree
    for token in tokens(tree) if tree is not None else ():
        fault = token_fault(token)
        if fault is not None and tree is not None:
            yield _finding(tree, token, fault)


def _finding(tree: Tree, token: Token, fault: TokenFault) -> Finding:
    where = ".".join(key_path(token.path))
    return RULE.finding(
        fault.name,
        tree.span(token.node),
        subject=(where, token.before, token.text),
        pointer=pointer(token.path),
        fix=_fix(tree, token, fault),
        where=where,
        found=show(token.text),
        flag=token.before,
        right=tuple(map(show, fault.right)) if fault.name == "fused" else show(fault.right[0]) if fault.right else "",
    )


def _fix(tree: Tree, token: Token, fault: TokenFault) -> Fix | None:
    if not fault.right or not addressable(tree, token.path, token.node):
        return None
    written: Operation = SetScalar("", token.path, fault.right[0])
    if len(fault.right) > 1:
        written = SplitItem("", token.path, fault.right)
    return Fix(f"Write {' '.join(map(show, fault.right))}", "unsafe", (written,))
