"""What a scalar means: under YAML 1.1 as PyYAML loads it, and under YAML 1.2 as ruamel.yaml does.

InferenceX and srt-slurm read their files with PyYAML; the vLLM recipes site reads with a 1.2 parser.
"""

from __future__ import annotations

import datetime
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any

from reciplint.yamltree.tree import MERGE, Alias, Mapping, Node, Scalar, Sequence, target

Plain = Any
"""A loaded value: str, int, float, bool, None, list or dict with str keys (dates are ISO text)."""

_PREFIX = "tag:yaml.org,2002:"


class _PyYaml:
    """PyYAML's own resolver and constructors, without its loader; imported on first use."""

    def __init__(self) -> None:
        import yaml

        class Values(yaml.constructor.SafeConstructor, yaml.resolver.Resolver):
            def __init__(self) -> None:
                yaml.constructor.SafeConstructor.__init__(self)
                yaml.resolver.Resolver.__init__(self)

        self.values: Any = Values()
        self.node: Any = yaml.ScalarNode

    def resolve(self, text: str) -> str:
        """The short tag of a plain scalar."""
        return str(self.values.resolve(self.node, text, (True, False))).removeprefix(_PREFIX)

    def construct(self, tag: str, text: str) -> Any:
        """The value of a scalar under a short tag."""
        return getattr(self.values, f"construct_yaml_{tag}")(self.node(_PREFIX + tag, text))


@lru_cache(maxsize=1)
def _pyyaml() -> _PyYaml:
    return _PyYaml()


@lru_cache(maxsize=65536)
def resolve_11(text: str) -> str:
    """The short tag ("str", "int", "bool", …) that PyYAML gives a plain scalar."""
    return _pyyaml().resolve(text)


_TEXTS: set[str] = set()
"""Plain texts that were resolved and are text: the files of a repository share most of theirs."""
_MOST_TEXTS = 65536


def other_than_text(plain: AbstractSet[str]) -> set[str]:
    """Those of some plain texts that PyYAML does not load as text."""
    fresh = plain - _TEXTS
    others = {text for text in fresh if resolve_11(text) != "str"}
    if len(_TEXTS) < _MOST_TEXTS:
        _TEXTS.update(fresh - others)
    return others


@lru_cache(maxsize=65536)
def value_11(text: str) -> Plain:
    """The value that PyYAML loads for a plain scalar; dates as ISO text, what it refuses as the text itself."""
    tag = resolve_11(text)
    if tag in ("str", "merge", "value"):
        return text
    if tag == "null":
        return None
    try:
        value = _pyyaml().construct(tag, text)
    except (ValueError, AttributeError, OverflowError):
        return text
    return value.isoformat() if isinstance(value, datetime.date) else value


@lru_cache(maxsize=4096)
def value_12(text: str) -> Plain:
    """The value that a YAML 1.2 parser (core schema, as in ruamel.yaml) loads for a plain scalar."""
    resolver, constructor = _ruamel()
    tag = str(resolver.resolve(_scalar_node_class(), text, (True, False))).removeprefix(_PREFIX)
    if tag == "null":
        return None
    if tag not in ("int", "float", "bool"):
        return text
    node = _scalar_node_class()(_PREFIX + tag, text)
    try:
        return getattr(constructor, f"construct_yaml_{tag}")(node)
    except (ValueError, KeyError, OverflowError):
        return text


@lru_cache(maxsize=1)
def _ruamel() -> tuple[Any, Any]:
    from ruamel.yaml import YAML

    reader = YAML(typ="safe", pure=True)
    return reader.resolver, reader.constructor


def _scalar_node_class() -> Any:
    from ruamel.yaml.nodes import ScalarNode

    return ScalarNode


def scalar_value(scalar: Scalar) -> Plain:
    """The 1.1 value of a scalar: quoted, block and tagged `!!str` ones are text; other tags are never built."""
    if scalar.style or (scalar.tag is not None and scalar.tag.endswith((":str", ":binary"))):
        return scalar.value
    return value_11(scalar.value)


def load(node: Node | None) -> Plain:
    """The value that PyYAML loads, merge keys resolved and the last duplicate winning.

    Keys become text as JSON would have them (`1` → "1", `true` → "true"). Aliased collections are built again
    at each place; `Limits.expanded_nodes` has bounded that at parse time.
    """
    if type(node) is Alias:
        node = node.target
    if type(node) is Scalar:
        return scalar_value(node)
    if type(node) is Sequence:
        return [load(item) for item in node.items]
    if node is None:
        return None
    assert type(node) is Mapping
    result: dict[str, Plain] = {}
    for key, value in node.entries:
        if type(key) is Scalar and not key.style and key.tag is None:
            name = _plain_key(key.value)
            if name == MERGE:
                return _load_merged(node)
        else:
            name = key_text(key)
        result[name] = scalar_value(value) if type(value) is Scalar else load(value)
    return result


def load_12(node: Node | None) -> Any:
    """The value that a YAML 1.2 reader loads, first of all keys kept apart as written (1.2 has no merge keys)."""
    if node is None:
        return None
    concrete = target(node)
    if isinstance(concrete, Scalar):
        return concrete.value if concrete.style or concrete.tag else value_12(concrete.value)
    if isinstance(concrete, Sequence):
        return [load_12(item) for item in concrete.items]
    assert isinstance(concrete, Mapping)
    return {entry.name: load_12(entry.value) for entry in concrete.entries}


def _load_merged(mapping: Mapping) -> dict[str, Plain]:
    result: dict[str, Plain] = {}
    for source in reversed(list(mapping.merged())):
        result.update(load(source))
    for entry in mapping.entries:
        if not entry.is_merge:
            result[key_text(entry.key)] = load(entry.value)
    return result


@lru_cache(maxsize=16384)
def _plain_key(text: str) -> str:
    return _as_json_key(value_11(text), text)


def key_text(key: Node) -> str:
    """A key as JSON text has it."""
    concrete = target(key)
    return _as_json_key(scalar_value(concrete), concrete.value) if isinstance(concrete, Scalar) else "?"


def _as_json_key(value: Plain, text: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else value if isinstance(value, str) else text


def same_value(left: Plain, right: Plain) -> bool:
    """Whether two loaded values are equal, types included: 1, 1.0 and true differ, NaN equals NaN."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same_value(value, right[key]) for key, value in left.items())
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same_value, left, right))
    return bool(left == right) or (left != left and right != right)


def contains_alias(node: Node) -> bool:
    """Whether a node is an alias or holds one."""
    if isinstance(node, Alias):
        return True
    if isinstance(node, Mapping):
        return any(contains_alias(entry.key) or contains_alias(entry.value) for entry in node.entries)
    return isinstance(node, Sequence) and any(contains_alias(item) for item in node.items)
