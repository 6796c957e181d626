"""Another image for the keys that name one: in their master config and in every recipe that they run.

A key is moved only where it names the very image; a digest makes another one of it. A recipe holds an image in
`model.container`, in a role's or the frontend's own container, in a service, and in its `identity` block. Whatever
scalar there is the image, in any of its spellings, goes along; a recipe whose image the launcher writes holds none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reciplint.domain.changelog import matches
from reciplint.domain.components import image_name, is_alias, respelled, same_image
from reciplint.domain.listing import some_of
from reciplint.domain.master import MasterEntry
from reciplint.domain.near_names import meant
from reciplint.domain.project import Project
from reciplint.yamltree.edit import SetScalar, addressable, locate
from reciplint.yamltree.tree import Scalar, Tree

_IMAGE = re.compile(r"(docker://)?[\w][\w.+-]*(:[0-9]+)?([/#][\w.+-]+)+(:[\w.+-]+)?(@\w+:[0-9a-f]+)?", re.ASCII)


class NotBumped(Exception):
    """An image that is not moved; the text says why."""


@dataclass(frozen=True)
class Bump:
    """The keys that get the new image, what has to be written, and what is left to do by hand, in words."""

    keys: tuple[str, ...]
    operations: tuple[SetScalar, ...]
    by_hand: tuple[str, ...]


def bump(projects: Iterable[Project], old: str, new: str, asked: tuple[str, ...] = ()) -> Bump:
    """Move keys from one image to another: those asked for (a `*` stands for anything), else all that name it. Raises
    `NotBumped`."""
    listed = list(projects)
    if not _IMAGE.fullmatch(new):
        raise NotBumped(f"{new} is no image, as org/name:tag")
    if image_name(old) == image_name(new):
        raise NotBumped(f"{old} and {new} are one image")
    chosen = _chosen(listed, old, asked)
    operations: dict[SetScalar, None] = {}
    by_hand: dict[str, None] = {}
    for project in listed:
        work = _Work(project, old, new, chosen)
        operations |= dict.fromkeys(work.operations())
        by_hand |= dict.fromkeys(work.by_hand())
    return Bump(tuple(sorted(chosen)), tuple(operations), tuple(by_hand))


# ---- keys


def _chosen(projects: list[Project], old: str, asked: tuple[str, ...]) -> frozenset[str]:
    entries = {key: entry for project in projects for key, (_, entry) in project.keys.items()}
    holding = {key for key, entry in entries.items() if entry.image and image_name(entry.image) == image_name(old)}
    if not holding:
        raise NotBumped(f"no key names the image {old}{_instead(old, entries.values())}")
    if not asked:
        return frozenset(holding)
    found: set[str] = set()
    for pattern in asked:
        named = {key for key in entries if matches(pattern, key)}
        if not named:
            slip = meant(pattern, entries)
            raise NotBumped(f"no master config has a key {pattern}{f'; {slip} was meant?' if slip else ''}")
        if not named & holding:
            images = sorted({entries[key].image or "no image" for key in named})
            raise NotBumped(f"{pattern} names {some_of(images)}, not {old}")
        found |= named & holding
    return frozenset(found)


def _instead(old: str, entries: Iterable[MasterEntry]) -> str:
    """Which tags of the same image are named instead."""
    name = _without_tag(old)
    tags = Counter(entry.image for entry in entries if entry.image and _without_tag(entry.image) == name)
    listed = [f"{image} ({count} {'key' if count == 1 else 'keys'})" for image, count in sorted(tags.items())]
    return f"; there are {some_of(listed)}" if listed else ""


def _without_tag(image: str) -> str:
    return re.sub(r"(?<=[^/]):[^:/]*\Z", "", image_name(image).partition("@")[0])


# ---- places


class _Work:
    """The move within one project."""

    def __init__(self, project: Project, old: str, new: str, chosen: frozenset[str]) -> None:
        self._project = project
        self._old, self._new = old, new
        self._chosen = chosen
        self._entries = [entry for key, (_, entry) in project.keys.items() if key in chosen]
        self._recipes = {path: tree for path in self._files() if (tree := project.tree(path)) is not None}

    def operations(self) -> Iterator[SetScalar]:
        """What has to be written. Raises `NotBumped` where a key that was not asked for runs what would change."""
        for entry in self._entries:
            assert entry.image is not None
            yield SetScalar(self._master(entry), (entry.key, "image"), respelled(self._new, entry.image))
        for path, tree in self._recipes.items():
            places = list(self._places(tree))
            if places:
                self._refuse_shared(path)
            for place, scalar in places:
                yield SetScalar(path, place, respelled(self._new, scalar.value))

    def by_hand(self) -> Iterator[str]:
        """What names the image, or may, and is not written here."""
        yield from self._elsewhere()
        yield from self._aliases()
        for path, tree in self._recipes.items():
            yield from self._comments(path, tree, 0, len(tree.text))
        for entry in self._entries:
            master = self._project.tree(self._master(entry))
            if master is not None:
                end = locate(master, (entry.key,)).end
                yield from self._comments(self._master(entry), master, master.lines.offset(entry.key_span.line, 1), end)

    def _elsewhere(self) -> Iterator[str]:
        """Recipes that are not in this repository, or not certainly."""
        external: dict[str, dict[str, None]] = {}
        for use, resolved in self._project.resolver.resolved:
            if use.entry.key not in self._chosen:
                continue
            if len(resolved.files) > 1:
                yield f"{use.entry.key} runs one of {some_of(list(resolved.files))}: which one is not certain"
            elif resolved.standing == "external":
                external.setdefault(use.entry.key, {})[use.reference.text] = None
        for key, texts in external.items():
            yield f"{key} runs what is not in this repository: {some_of(list(texts))}"

    def _aliases(self) -> Iterator[str]:
        """Containers that are names of the cluster's."""
        aliases: dict[str, dict[str, None]] = {}
        for path in self._recipes:
            for variant in self._project.recipes[path].facts.variants:
                if variant.container and is_alias(variant.container):
                    aliases.setdefault(variant.container, {})[path] = None
        for container, paths in aliases.items():
            yield f"{container} is a name that the cluster's settings give to an image, in {some_of(list(paths))}"

    def _comments(self, path: str, tree: Tree, start: int, end: int) -> Iterator[str]:
        for comment in tree.comments:
            if start <= comment.start < end and image_name(self._old) in comment.text:
                line = tree.lines.span(comment.start, comment.start).line
                yield f"{path}:{line}: a comment speaks of {self._old}"

    def _files(self) -> list[str]:
        """The vendored recipes that the keys run, for measurements and for evaluations."""
        found = {
            resolved.files[0]: None
            for use, resolved in self._project.resolver.resolved
            if use.entry.key in self._chosen and len(resolved.files) == 1
        }
        return [path for path in found if path in self._project.recipes]

    def _places(self, tree: Tree) -> Iterator[tuple[tuple[str | int, ...], Scalar]]:
        for place, node in tree.walk():
            if isinstance(node, Scalar) and same_image(node.value, self._old) and addressable(tree, place, node):
                yield place, node

    def _refuse_shared(self, path: str) -> None:
        others = {
            use.entry.key
            for use in self._project.resolver.active.get(path, ())
            if use.entry.key not in self._chosen and not same_image(use.entry.image or "", self._new)
        }
        if others:
            raise NotBumped(
                f"{path} names {self._old} and is also run by {some_of(sorted(others))}: "
                "bump these keys too, or give them a recipe of their own"
            )

    def _master(self, entry: MasterEntry) -> str:
        return self._project.keys[entry.key][0].path
