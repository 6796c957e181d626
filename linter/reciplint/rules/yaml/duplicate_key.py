"""The same key twice in one mapping.

## What it finds

A key that stands more than once in one mapping. The finding lies on the first occurrence, which has no effect:
PyYAML keeps the last one. Keys are compared as PyYAML loads them, so `yes` and `true` are one key, `1` and `"1"` two.

A key that overrides one brought in by a merge key (`<<`) is legal, and so are two merge keys in one mapping, which
PyYAML merges both. It is an error where the values differ, a warning where they are equal.

## Why it matters

One of two settings that a reviewer reads is never applied, without any message: the engine is measured with another
backend than the recipe seems to say. Other readers keep the first or refuse the file.

## Bad

```yaml values.yaml
decode:
  «attention-backend»: tiny
  «page-size»: 64
  attention-backend: small
  page-size: 64
```

## Good

```yaml values.yaml
decode:
  attention-backend: small
  page-size: 64
```

## Fix

Where the values are equal, the occurrences before the last are removed; the loaded value stays as it is, so the fix is
safe. It is offered for values on lines of their own. Where they differ, only the author knows which was meant.

```yaml values.yaml
decode:
  attention-backend: tiny
  attention-backend: small
  page-size: 64
```

## Options

None.

## Source

YAML 1.2.2, section 3.2.1.3: keys are unique. PyYAML builds a dictionary, in which the last one wins.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from reciplint.domain.document import Document
from reciplint.repo.kinds import ANY_YAML
from reciplint.rules.finding import Finding, Fix, Related
from reciplint.rules.rule import Context, Rule
from reciplint.yamltree.edit import DropDuplicate, Path, Refused, addressable, resolve
from reciplint.yamltree.scalars import load, other_than_text, resolve_11, same_value, scalar_value
from reciplint.yamltree.tree import Alias, Entry, Mapping, Node, Scalar, Tree, key_path, pointer, target

RULE = Rule(
    id="duplicate-key",
    summary="The same key twice in one mapping",
    severity="error",
    source="YAML 1.2.2, section 3.2.1.3; PyYAML keeps the last occurrence",
    kinds=ANY_YAML,
    fix="safe",
    messages={
        "differs": "`{key}` stands {count:once|times} in one mapping: PyYAML keeps the last, {kept} (line {line}), "
        "and drops {dropped}",
        "equal": "`{key}` stands {count:once|times} in one mapping, each time with the value {kept}: "
        "PyYAML keeps the last (line {line})",
    },
    messages_zh={
        "differs": "`{key}` 在同一映射中出现了 {count} 次：PyYAML 保留最后一次的 {kept}（第 {line} 行），"
        "丢弃 {dropped:, =、}",
        "equal": "`{key}` 在同一映射中出现了 {count} 次，值都是 {kept}：PyYAML 保留最后一次（第 {line} 行）",
    },
)

_SHOWN = 40


def check_document(document: Document, context: Context) -> Iterator[Finding]:
    """One finding per duplicated key of a mapping, on its first occurrence."""
    tree = document.tree
    if tree is None or not _may_repeat(tree):
        return
    for path, mapping in tree.mappings():
        for entries in _repeated(mapping):
            yield _finding(tree, path, mapping, entries)


def _may_repeat(tree: Tree) -> bool:
    """A quick look without paths, where almost every file ends: whether two keys are written alike, or two are not text
    for PyYAML (`yes` meets `true`)."""
    others = other_than_text(tree.key_names)
    return tree.may_repeat_keys or any(
        len(others.intersection(mapping.named)) > 1 for mapping in (tree.mapping_nodes if len(others) > 1 else ())
    )


def _repeated(mapping: Mapping) -> list[list[Entry]]:
    groups: dict[Hashable, list[Entry]] = {}
    for entry in mapping.entries:
        if not entry.is_merge:
            groups.setdefault(_identity(entry.key), []).append(entry)
    return [entries for entries in groups.values() if len(entries) > 1]


def _identity(key: Node) -> tuple[Hashable, bool]:
    """What makes two keys one in the dictionary that PyYAML builds; a key that is no scalar equals only itself."""
    scalar = target(key)
    if not isinstance(scalar, Scalar):
        return id(key), False
    plain = not scalar.style and scalar.tag is None
    return scalar_value(scalar), plain and resolve_11(scalar.value) == "timestamp"


def _finding(tree: Tree, path: Path, mapping: Mapping, entries: list[Entry]) -> Finding:
    first, last = entries[0], entries[-1]
    name = last.name or ""
    here = (*path, name)
    line = tree.span(last.key).line
    differing = [entry for entry in entries[:-1] if not same_value(load(entry.value), load(last.value))]
    kept, dropped = _shown(tree, last.value, [entry.value for entry in differing])
    return RULE.finding(
        "differs" if differing else "equal",
        tree.span(first.key),
        subject=key_path(here),
        severity="error" if differing else "warning",
        pointer=pointer(here),
        related=_related(tree, entries),
        fix=None if differing else _fix(tree, path, mapping, name),
        key=name,
        count=len(entries),
        kept=kept,
        dropped=dropped,
        line=line,
    )


def _related(tree: Tree, entries: list[Entry]) -> tuple[Related, ...]:
    overridden = [Related("", tree.span(entry.key), "overridden as well") for entry in entries[1:-1]]
    return (*overridden, Related("", tree.span(entries[-1].key), "the one that counts"))


def _fix(tree: Tree, path: Path, mapping: Mapping, name: str) -> Fix | None:
    operation = DropDuplicate("", (*path, name))
    if not addressable(tree, path, mapping):
        return None
    try:
        resolve(tree, operation)
    except Refused:
        return None
    return Fix(f"Remove all but the last `{name}`", "safe", (operation,))


def _shown(tree: Tree, kept: Node, dropped: list[Node]) -> tuple[str, tuple[str, ...]]:
    """The values as written, shortened so that what tells them apart is seen."""
    winner = _source(tree, kept)
    losers = list(dict.fromkeys(_source(tree, node) for node in dropped))
    texts = [winner, *losers]
    common = 0
    if any(len(text) > _SHOWN for text in texts) and losers:
        shortest = min(map(len, texts))
        common = next((i for i in range(shortest) if len({text[i] for text in texts}) > 1), shortest)
    begin = max(0, common - _SHOWN // 2)
    return _shorten(winner, begin), tuple(_shorten(text, begin) for text in losers)


def _source(tree: Tree, node: Node) -> str:
    if isinstance(node, Alias):
        return f"*{node.name}"
    return " ".join(tree.text[node.start : node.end].split()) or "null"


def _shorten(text: str, begin: int) -> str:
    shown = text[begin : begin + _SHOWN]
    return f"`{'…' if begin else ''}{shown}{'…' if begin + _SHOWN < len(text) else ''}`"
