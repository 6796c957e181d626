"""The fleet: runner labels, and per-cluster hardware."""

from __future__ import annotations

import msgspec

from reciplint.domain.reading import mapping_of, own_entries, scalars_of
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Mapping, Tree, target


class Label(msgspec.Struct, frozen=True):
    """A runner label and the runners behind it."""

    name: str
    span: Span
    runners: tuple[str, ...]


class Runners(msgspec.Struct, frozen=True, tag="runners"):
    """The facts of a runners file. `clusters` are the ids of `hardware:` (August) or `clusters:` (October)."""

    labels: tuple[Label, ...]
    clusters: tuple[str, ...]


def read_runners(tree: Tree) -> Runners:
    """The labels of a runners file; before the `labels:` block existed they stood at the top."""
    root = tree.root
    if not isinstance(root, Mapping):
        return Runners((), ())
    holder = mapping_of(root, "labels")
    labels = [
        Label(entry.name or "", tree.span(entry.key), tuple(item.value for item in scalars_of(target(entry.value))))
        for entry in own_entries(holder or root)
        if holder is not None or entry.name not in ("hardware", "clusters")
    ]
    clusters = mapping_of(root, "clusters") or mapping_of(root, "hardware")
    names = tuple(entry.name or "" for entry in own_entries(clusters)) if clusters else ()
    return Runners(tuple(labels), names)
