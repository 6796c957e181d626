"""A recipe of the public vLLM recipes repository: what it says, key by key, without its prose.

`models/<org>/<repo>.yaml` tells how a model is served: `meta`, `model`, `features`, `variants`, the strategies that it
offers, and what hardware and strategies change. A site makes `vllm serve` commands of it; what that site does not
read it drops in silence.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import groupby

import msgspec

from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Mapping, Node, Scalar, Sequence, Tree, pointer, target

ARGUMENTS = frozenset(("args", "extra_args", "vllm_args", "base_args"))
"""The keys whose value is a list of command-line tokens."""

PROSE = frozenset(
    ("guide", "description", "performance_headline", "note", "command", "curl", "body", "blurb", "install", "runbook")
)
"""Keys whose values are for people, and are kept by no fact."""


class Said(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A key or a list item: its path (list indexes as text), its scalar as written (None for a collection), and the
    places of the key (of the item, for an item) and of the value (of the key, for a collection)."""

    path: tuple[str, ...]
    text: str | None
    key_span: Span
    span: Span

    @property
    def pointer(self) -> str:
        """The path as a JSON Pointer."""
        return pointer(self.path)

    @property
    def place(self) -> str:
        """The path as people write it; the path of its list for an item."""
        path = self.path[:-1] if self.path[-1].isdigit() else self.path
        return ".".join(path)


class VllmRecipe(msgspec.Struct, frozen=True, tag="vllm-recipe"):
    """The facts of a recipe: everything it says outside of prose, in source order within each mapping."""

    said: tuple[Said, ...]


class VllmRecipeFile:
    """A recipe at its path, to be asked by patterns: keys joined by dots, `*` standing for any one key or index."""

    def __init__(self, path: str, facts: VllmRecipe) -> None:
        self.path = path
        self.facts = facts
        self._shapes: dict[tuple[str, int], list[Said]] = {}
        for one in facts.said:
            self._shapes.setdefault((one.path[0], len(one.path)), []).append(one)

    def at(self, pattern: str) -> Iterator[Said]:
        """What is said at the paths that fit a pattern, whose first part is a key."""
        wanted = _parts(pattern)
        for one in self._shapes.get((wanted[0], len(wanted)), ()):
            if all(part in ("*", found) for part, found in zip(wanted, one.path, strict=True)):
                yield one

    def one(self, pattern: str) -> Said | None:
        """The first of what is said there."""
        return next(self.at(pattern), None)

    def text(self, pattern: str) -> str:
        """The scalar that is said there; "" where there is none."""
        found = self.one(pattern)
        return found.text or "" if found is not None else ""

    def texts(self, pattern: str) -> list[str]:
        """Every scalar that is said there."""
        return [one.text for one in self.at(pattern) if one.text is not None]

    @cached_property
    def offered(self) -> list[str]:
        """The serving strategies that the recipe offers somewhere: those listed, then those that `strategy_hardware`
        grants to some hardware."""
        listed = self.texts("compatible_strategies.*")
        granted = [one.path[1] for one in self.at("strategy_hardware.*.*") if one.text == "supported"]
        return list(dict.fromkeys([*listed, *granted]))

    @cached_property
    def recommended(self) -> str:
        """The strategy that the site recommends on one node; "" where none is offered."""
        default = self.text("default_strategy")
        if default in self.offered:
            return default
        return _USUAL if _USUAL in self.offered else next(iter(self.offered), "")

    @cached_property
    def is_omni(self) -> bool:
        """Whether the model is served by vllm-omni, for which no strategy adds a flag."""
        return "omni" in self.texts("meta.tasks.*")


_USUAL = "single_node_tp"


def argument_lists(facts: VllmRecipe) -> Iterator[list[Said]]:
    """The tokens of each list of arguments that a recipe says, list by list."""
    for _, tokens in groupby(facts.said, key=_list_of):
        listed = list(tokens)
        if _list_of(listed[0]):
            yield listed


def _list_of(said: Said) -> tuple[str, ...]:
    """The path of the list of arguments that a token stands in; () for anything else."""
    path = said.path
    return path[:-1] if len(path) > 1 and path[-1].isdigit() and path[-2] in ARGUMENTS else ()


@lru_cache(maxsize=512)
def _parts(pattern: str) -> tuple[str, ...]:
    return tuple(pattern.split("."))


def read_vllm_recipe(tree: Tree) -> VllmRecipe:
    """The facts of a recipe; nothing for a file that is no mapping."""
    root = tree.root
    return VllmRecipe(tuple(_said(tree, root, ())) if isinstance(root, Mapping) else ())


def _said(tree: Tree, node: Mapping | Sequence, path: tuple[str, ...]) -> Iterator[Said]:
    children: list[tuple[str, Node, Node]]
    if isinstance(node, Mapping):
        children = [(name, entry.key, entry.value) for name, entry in node.effective().items() if name not in PROSE]
    else:
        children = [(str(index), item, item) for index, item in enumerate(node.items)]
    for name, key, value in children:
        below = (*path, name)
        concrete = target(value)
        key_span = tree.span(key)
        if isinstance(concrete, Scalar):
            yield Said(below, concrete.value, key_span, tree.span(value))
        else:
            yield Said(below, None, key_span, key_span)
            yield from _said(tree, concrete, below)
