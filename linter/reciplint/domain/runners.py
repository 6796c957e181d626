"""The fleet: runner labels, and the hardware behind them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from reciplint.domain.reading import int_of, mapping_of, own_entries, scalars_of
from reciplint.yamltree.scalars import load
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Concrete, Mapping, Tree, target


class Label(msgspec.Struct, frozen=True):
    """A runner label and the runners behind it."""

    name: str
    span: Span
    runners: tuple[str, ...]


class Hardware(msgspec.Struct, frozen=True):
    """A node of a cluster: its GPUs, and the MiB of host DRAM that a benchmark may use."""

    gpus_per_node: int | None
    cpu_dram_mib: int | None


class Runners(msgspec.Struct, frozen=True, tag="runners"):
    """The facts of a runners file. `hardware` is by label (August) or by `cluster:<id>` (October); `fabric` gives the
    network facts that each cluster sets, by `cluster:<id>`, and is empty where no cluster has any."""

    labels: tuple[Label, ...]
    hardware: dict[str, Hardware]
    fabric: dict[str, tuple[str, ...]] = {}

    def hardware_of(self, label: str) -> Hardware | None:
        """The hardware behind a label: its own, or that of the one cluster that all its runners belong to."""
        if label in self.hardware:
            return self.hardware[label]
        clusters = self.clusters_of(label)
        return self.hardware[clusters[0]] if len(clusters) == 1 else None

    def clusters_of(self, label: str) -> list[str]:
        """The clusters that a label's runners belong to, as `cluster:<id>`, of those that the file describes."""
        runners = {name for found in self.labels if found.name == label for name in found.runners}
        return [found.name for found in self.labels if found.name in self.hardware and runners & set(found.runners)]


def read_runners(tree: Tree, part: Mapping | None = None) -> Runners:
    """The labels of a runners file, or of a part of another file; before the `labels:` block existed they stood at the
    top."""
    root = part or tree.root
    if not isinstance(root, Mapping):
        return Runners((), {})
    holder = mapping_of(root, "labels")
    labels = [
        Label(entry.name or "", tree.span(entry.key), tuple(item.value for item in scalars_of(target(entry.value))))
        for entry in own_entries(holder or root)
        if holder is not None or entry.name not in ("hardware", "clusters")
    ]
    hardware = {
        **_read_hardware(mapping_of(root, "hardware"), ""),
        **_read_hardware(mapping_of(root, "clusters"), "cluster:"),
    }
    return Runners(tuple(labels), hardware, dict(_read_fabric(mapping_of(root, "clusters"))))


def _read_fabric(clusters: Mapping | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The fields of each cluster's `slurm.srt-slurm.fabric` that have a value."""
    for entry in own_entries(clusters) if clusters is not None else []:
        block: Concrete | None = target(entry.value)
        for name in ("slurm", "srt-slurm", "fabric"):
            block = block.get(name) if isinstance(block, Mapping) else None
        if isinstance(block, Mapping):
            fields = [field.name or "" for field in own_entries(block) if load(field.value) is not None]
            yield f"cluster:{entry.name}", tuple(fields)


def _read_hardware(node: Mapping | None, prefix: str) -> dict[str, Hardware]:
    return {
        f"{prefix}{entry.name}": Hardware(int_of(value, "gpus-per-node"), int_of(value, "available-cpu-dram-mib"))
        for entry in (own_entries(node) if node else [])
        if isinstance(value := target(entry.value), Mapping)
    }
