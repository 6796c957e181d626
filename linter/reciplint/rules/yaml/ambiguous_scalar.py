"""An unquoted value that YAML 1.1 and YAML 1.2 read differently.

## What it finds

A plain scalar, as value or as key, that PyYAML (YAML 1.1) and a YAML 1.2 reader load as different values:

| written | PyYAML | YAML 1.2 |
|---|---|---|
| `yes`, `no`, `on`, `off` in any case | a boolean | text |
| `1:30`, `190:20:30` | a number to base 60 | text |
| `010` | octal, 8 | 10 |
| `0o10` | text | octal, 8 |
| `1e3`, `1.0e5`, `+.5` | text | a number |
| `1_000` | 1000 | text under the core schema |

The key `on:` of a GitHub workflow is exempt: GitHub reads it as meant. So are reciplint's own settings, where `off`
is a word of the schema. Dates are not reported. In `runners.yaml`, where `1_000` is the custom, it is advice only.

## Why it matters

InferenceX and srt-slurm read with PyYAML; editors, the vLLM recipes site, Go and JavaScript tools read YAML 1.2. A
learning rate of `1e3` that arrives as text, or a time of `1:30` that arrives as 90, fails far from the line that
caused it.

## Bad

```yaml values.yaml
enable-prefix-caching: «yes»
time-limit: «1:30»
scale: «1e3»
```

## Good

```yaml values.yaml
enable-prefix-caching: true
time-limit: "1:30"
scale: 1000.0
```

## Fix

Spells the value that PyYAML reads so that every reader agrees: `yes` becomes `true`, `1:30` becomes `90`, `010`
becomes `8`, `2_063_837` becomes `2063837`, and what PyYAML reads as text (`1e3`) is quoted. The loaded value stays
as it is, so the fix is safe; where another value was meant, the file was wrong before and the diff shows it. Keys are
left to their author, and so are vLLM recipes, which are not read with PyYAML.

```yaml values.yaml
enable-prefix-caching: true
time-limit: 90
scale: "1e3"
```

## Options

None.

## Source

The YAML 1.1 type repository as PyYAML implements it; the YAML 1.2.2 core schema, section 10.3.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeGuard

from reciplint.domain.document import Document
from reciplint.domain.recipe_maps import is_environment
from reciplint.repo.kinds import ANY_YAML, Kind
from reciplint.rules.finding import Finding, Fix, Severity
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import Path, Respell, addressable
from reciplint.yamltree.scalars import Plain, same_value, value_11, value_12
from reciplint.yamltree.tree import Entry, Mapping, Node, Scalar, Tree, key_path, pointer

_READING_ZH = "the number *=数值 %|text=文本|*= %"

RULE = Rule(
    id="ambiguous-scalar",
    summary="An unquoted value that YAML 1.1 and YAML 1.2 read differently",
    severity="warning",
    source="YAML 1.1 as PyYAML implements it; YAML 1.2.2, section 10.3.2",
    kinds=ANY_YAML,
    fix="safe",
    messages={
        "value": "`{text}` is {old} to PyYAML and {new} to a YAML 1.2 reader: write `{spelling}`",
        "underscores": "`{text}` is {old} to PyYAML and {new} in the YAML 1.2 core schema: write `{spelling}`",
        "value-unspelled": "`{text}` is {old} to PyYAML and {new} to a YAML 1.2 reader: quote it if it is text",
        "key": "The key `{text}` is {old} to PyYAML and {new} to a YAML 1.2 reader: quote it if it is text",
    },
    messages_zh={
        "value": f"PyYAML 把 `{{text}}` 读作{{old:{_READING_ZH}}}，YAML 1.2 解析器读作{{new:{_READING_ZH}}}："
        "请写成 `{spelling}`",
        "underscores": f"PyYAML 把 `{{text}}` 读作{{old:{_READING_ZH}}}，按 YAML 1.2 core schema 则是"
        f"{{new:{_READING_ZH}}}：请写成 `{{spelling}}`",
        "value-unspelled": f"PyYAML 把 `{{text}}` 读作{{old:{_READING_ZH}}}，YAML 1.2 解析器读作"
        f"{{new:{_READING_ZH}}}：如果本意是文本，请加引号",
        "key": f"PyYAML 把键 `{{text}}` 读作{{old:{_READING_ZH}}}，YAML 1.2 解析器读作{{new:{_READING_ZH}}}："
        "如果本意是文本，请加引号",
    },
)

_CANDIDATE = re.compile(
    r"""(?: yes | no | on | off
    | [-+]? [1-9][\d_]* (?: :[0-5]?\d )+                     # to base 60
    | [-+]? \d[\d_]* (?: :[0-5]?\d )+ \.[\d_]*
    | [-+]? 0o? [\d_]+                                       # octal
    | [-+]? (?: \d[\d_]*\.?[\d_]* | \.[\d_]+ ) e[-+]?\d+    # with an exponent
    | [-+] \.\d[\d_]*
    | [-+]? [\d.][\da-fx.]* _ [\da-f_.]*                     # with underscores
    )\Z""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
"""Every shape that the two versions may read differently; the resolvers decide."""

_LONGEST = 64
"""Code points of the longest scalar that is looked at: nobody writes a longer number."""

_CLEAR: set[str] = set()
"""Texts that were found to be read alike: the files of a repository share most of theirs."""
_MOST_CLEAR = 65536


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """One finding per ambiguous scalar."""
    tree = document.tree
    if tree is None or document.kind is Kind.SETTINGS:
        return
    plain = {scalar.value for scalar in tree.scalars if not scalar.style}
    suspects = {text for text in plain - _CLEAR if _is_ambiguous(text)}
    if len(_CLEAR) < _MOST_CLEAR:
        _CLEAR.update(plain - suspects)
    if not suspects:
        return
    for path, node in tree.walk():
        if _is_suspect(node, suspects) and not _is_environment_value(document.kind, path):
            yield _value_finding(tree, path, node, document.kind)
        elif isinstance(node, Mapping):
            for entry in node.entries:
                if _is_suspect(entry.key, suspects) and not _is_trigger(document.kind, path, entry):
                    yield _key_finding(tree, (*path, entry.key.value), entry.key)


def _is_ambiguous(text: str) -> bool:
    if len(text) > _LONGEST or not _CANDIDATE.match(text):
        return False
    return _has_underscores(text) or not same_value(value_11(text), value_12(text))


def _has_underscores(text: str) -> bool:
    """Whether this is a number with underscores: ruamel.yaml and js-yaml read one, the core schema has none."""
    return "_" in text and isinstance(value_11(text), (int, float))


def _is_suspect(node: Node, suspects: set[str]) -> TypeGuard[Scalar]:
    return isinstance(node, Scalar) and not node.style and node.tag is None and node.value in suspects


def _is_environment_value(kind: Kind, path: Path) -> bool:
    """A recipe's environment, of which `env-value-type` speaks alone: there a scalar is quoted, not respelled."""
    return kind in (Kind.RECIPE, Kind.SHARED_BLOCK) and any(isinstance(p, str) and is_environment(p) for p in path[:-1])


def _is_trigger(kind: Kind, path: Path, entry: Entry) -> bool:
    return kind is Kind.WORKFLOW and not path and entry.name == "on"


def _severity(kind: Kind, text: str) -> Severity:
    return "info" if kind is Kind.RUNNERS and _has_underscores(text) else RULE.severity


_READ_AS_1_2 = frozenset((Kind.VLLM_RECIPE, Kind.VLLM_STRATEGY, Kind.VLLM_TAXONOMY, Kind.VLLM_PLATFORMS))
"""Kinds whose readers are not PyYAML: what it makes of a value is not what was meant."""


def _value_finding(tree: Tree, path: Path, node: Scalar, kind: Kind) -> Finding:
    text = node.value
    spelling = None if kind in _READ_AS_1_2 else _spelling(text)
    fix = None
    if spelling is not None and addressable(tree, path, node):
        fix = Fix(f"Write {spelling}, as PyYAML reads it", "safe", (Respell("", path, spelling),))
    old, new = _readings(text)
    return RULE.finding(
        "value-unspelled" if spelling is None else "underscores" if _has_underscores(text) else "value",
        tree.span(node),
        subject=(*key_path(path), text),
        severity=_severity(kind, text),
        pointer=pointer(path),
        fix=fix,
        text=text,
        old=old,
        new=new,
        spelling=spelling or "",
    )


def _key_finding(tree: Tree, path: Path, key: Scalar) -> Finding:
    text = key.value
    old, new = _readings(text)
    subject = (*key_path(path), "key")
    return RULE.finding("key", tree.span(key), subject=subject, pointer=pointer(path), text=text, old=old, new=new)


def _readings(text: str) -> tuple[str, str]:
    """What PyYAML and a YAML 1.2 reader make of it, in words."""
    return _described(value_11(text)), "text" if _has_underscores(text) else _described(value_12(text))


def _described(value: Plain) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "text" if isinstance(value, str) else f"the number {value}"


def _spelling(text: str) -> str | None:
    """How to write what PyYAML reads so that every reader agrees; None where there is no such plain number."""
    value = value_11(text)
    if isinstance(value, str):
        return f'"{text}"'
    spelling = ("true" if value else "false") if isinstance(value, bool) else repr(value)
    agreed = not _is_ambiguous(spelling) and same_value(value_11(spelling), value)
    return spelling if agreed else None
