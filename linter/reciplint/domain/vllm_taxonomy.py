"""The vocabulary of a repository of vLLM recipes: hardware profiles, tasks, serving strategies, ways to offload the KV
cache, hosting platforms.

It changes weekly, so it is read from the repository's own files and never shipped.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from reciplint.domain.reading import int_of, items_of, mapping_of, text_of
from reciplint.yamltree.spans import FILE_START, Span
from reciplint.yamltree.tree import Entry, Mapping, Scalar, Tree, target


class Word(msgspec.Struct, frozen=True, array_like=True):
    """A word of the vocabulary, and where it is defined."""

    text: str
    span: Span


class Profile(msgspec.Struct, frozen=True, array_like=True):
    """A hardware profile. `brand` is in lower case, as recipes write it; `generations` are names of its family, `gpus`
    how many a node has (0 where the file does not say)."""

    id: str
    brand: str
    generations: tuple[str, ...]
    gpus: int
    span: Span


class Mention(msgspec.Struct, frozen=True, array_like=True):
    """A word that the taxonomy itself uses, of which vocabulary, and at which keys."""

    vocabulary: str
    place: str
    text: str
    span: Span


class Taxonomy(msgspec.Struct, frozen=True, tag="vllm-taxonomy"):
    """The facts of `taxonomy.yaml`. `mentions` are the words that the ways to offload are restricted to."""

    hardware: tuple[Profile, ...]
    tasks: tuple[Word, ...]
    strategies: tuple[Word, ...]
    offloading: tuple[Word, ...]
    mentions: tuple[Mention, ...] = ()


class Strategy(msgspec.Struct, frozen=True, tag="vllm-strategy"):
    """The facts of a serving strategy, or of a KV-store deployment (`deploy_type: kv_store_lb`)."""

    name: str
    span: Span
    deploy_type: str
    parallel_flag: str
    parallelism: str

    @property
    def is_store(self) -> bool:
        """Whether this is a KV store beside a strategy, not a strategy."""
        return self.deploy_type == "kv_store_lb"


class Platforms(msgspec.Struct, frozen=True, tag="vllm-platforms"):
    """The facts of `platforms.yaml`."""

    words: tuple[Word, ...]


def read_taxonomy(tree: Tree) -> Taxonomy:
    """The facts of a taxonomy; what is missing is empty."""
    root = tree.root
    if not isinstance(root, Mapping):
        return Taxonomy((), (), (), ())
    offloading = mapping_of(root, "kv_offload")
    return Taxonomy(
        hardware=tuple(_profiles(tree, mapping_of(root, "hardware_profiles"))),
        tasks=_listed(tree, root, "tasks"),
        strategies=_listed(tree, root, "strategies"),
        offloading=tuple(Word(name, tree.span(entry.key)) for name, entry in _effective(offloading).items()),
        mentions=tuple(_mentions(tree, offloading)),
    )


_RESTRICTED = {"strategies": "strategy", "brands": "brand"}


def _mentions(tree: Tree, offloading: Mapping | None) -> Iterator[Mention]:
    for name, entry in _effective(offloading).items():
        way = target(entry.value)
        if not isinstance(way, Mapping):
            continue
        for key, vocabulary in _RESTRICTED.items():
            for item in items_of(way.get(key)):
                if isinstance(item, Scalar):
                    yield Mention(vocabulary, f"kv_offload.{name}.{key}", item.value, tree.span(item))


def read_strategy(tree: Tree) -> Strategy:
    """The facts of a strategy; what is missing is ""."""
    root = tree.root
    if not isinstance(root, Mapping):
        return Strategy("", FILE_START, "", "", "")
    name = root.get("name")
    return Strategy(
        name=text_of(root, "name") or "",
        span=tree.span(name) if name is not None else FILE_START,
        deploy_type=text_of(root, "deploy_type") or "",
        parallel_flag=text_of(root, "parallel_flag") or "",
        parallelism=text_of(root, "parallelism") or "",
    )


def read_platforms(tree: Tree) -> Platforms:
    """The facts of a list of platforms."""
    return Platforms(_listed(tree, tree.root, "platforms") if isinstance(tree.root, Mapping) else ())


def _profiles(tree: Tree, node: Mapping | None) -> list[Profile]:
    found = []
    for name, entry in _effective(node).items():
        profile = target(entry.value)
        if not isinstance(profile, Mapping):
            continue
        field = "generation" if profile.get("generation") is not None else "gpu_generation"
        listed = [item.value for item in items_of(profile.get(field)) if isinstance(item, Scalar)]
        generations = listed or [text_of(profile, field) or ""]
        brand = (text_of(profile, "brand") or "").lower()
        gpus = int_of(profile, "gpu_count") or 0
        found.append(Profile(name, brand, tuple(filter(None, generations)), gpus, tree.span(entry.key)))
    return found


def _listed(tree: Tree, root: Mapping, name: str) -> tuple[Word, ...]:
    """The ids of a list, whose items are ids or mappings with one."""
    words = []
    for item in items_of(root.get(name)):
        word = item.get("id") if isinstance(item, Mapping) else item
        if isinstance(word, Scalar):
            words.append(Word(word.value, tree.span(word)))
    return tuple(words)


def _effective(node: Mapping | None) -> dict[str, Entry]:
    return {} if node is None else node.effective()
