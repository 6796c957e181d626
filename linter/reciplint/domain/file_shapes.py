"""What is wrong with the shape of runners, changelogs and settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from reciplint.domain.faults import Fault, Path, boolean, structural, with_dashes, without_echoes
from reciplint.domain.schemas import vocabulary

CLUSTER = "cluster:"


def runners_schema(root: Any) -> str | None:
    """The schema of a runners file; None for the flat lists of labels from before the oldest described layout."""
    if not isinstance(root, dict) or "clusters" in root:
        return "runners-october"
    described = "labels" in root or "hardware" in root
    if not described and root and all(isinstance(value, list) for value in root.values()):
        return None
    return "runners-august"


def runners_faults(root: Any) -> list[Fault]:
    """Every fault of a loaded runners file."""
    name = runners_schema(root)
    if name is None:
        return []
    value = with_dashes(root, vocabulary(name))
    found = structural(name, value, lenient=_is_number)
    if name == "runners-october" and isinstance(value, dict) and not found:
        found += _clusters(value["labels"], value["clusters"])
    return without_echoes(found)


def _is_number(path: Path) -> bool:
    return bool(path) and path[-1] in ("gpus-per-node", "available-cpu-dram-mib", "exclusive")


def _clusters(labels: Mapping[str, list[str]], clusters: Mapping[str, Any]) -> Iterator[Fault]:
    """Labels and clusters name each other, and every runner is in exactly one cluster."""
    owners = Counter(
        runner for label, runners in labels.items() if label.startswith(CLUSTER) for runner in set(runners)
    )
    seen: set[str] = set()
    for label, runners in labels.items():
        if label.startswith(CLUSTER) and label.removeprefix(CLUSTER) not in clusters:
            yield Fault(("labels", label), "key", "label-without-cluster", {"label": label})
        for index, runner in enumerate(runners):
            if owners[runner] != 1 and runner not in seen:
                seen.add(runner)
                name = "runner-without-cluster" if not owners[runner] else "runner-in-clusters"
                yield Fault(("labels", label, index), "value", name, {"found": runner, "count": owners[runner]})
    for cluster, record in clusters.items():
        if f"{CLUSTER}{cluster}" not in labels:
            yield Fault(("clusters", cluster), "key", "cluster-without-label", {"cluster": cluster})
        yield from _volumes(cluster, record)


def _volumes(cluster: str, record: Mapping[str, Any]) -> Iterator[Fault]:
    volumes = record["slurm"].get("volumes") or {}
    models = record.get("models") or {}
    for model, entry in (models.get("entries") or {}).items():
        if entry["root"] not in volumes:
            path = ("clusters", cluster, "models", "entries", model, "root")
            yield Fault(path, "value", "unknown-volume", {"found": entry["root"], "known": tuple(volumes)})
    root = models.get("download-root")
    if root is not None and root not in volumes:
        yield Fault(
            ("clusters", cluster, "models", "download-root"),
            "value",
            "unknown-volume",
            {"found": root, "known": tuple(volumes)},
        )


def changelog_faults(root: Any) -> list[Fault]:
    """Every fault of a loaded changelog. Both layouts are read by October's schema, which only adds `no-evals`."""
    name = "changelog-october"
    if root is None:
        return []
    if not isinstance(root, list):
        return structural(name, root)
    if _is_undescribed(root):
        return []
    found: list[Fault] = []
    for index, raw in enumerate(root):
        entry = with_dashes(raw, vocabulary(name))
        faults = structural(name, entry, "entry", _is_changelog_flag)
        faults += _selectors(entry) if isinstance(entry, dict) else ()
        found += [replace(fault, path=(index, *fault.path)) for fault in faults]
    return without_echoes(found)


def _is_undescribed(entries: list[Any]) -> bool:
    """Whether a changelog is of December 2025, when a description was one text and entries had no link."""
    old = [entry for entry in entries if isinstance(entry, dict) and "pr-link" not in entry]
    return len(old) > 2 and 2 * sum(isinstance(entry.get("description"), str) for entry in old) > len(entries)


def _is_changelog_flag(path: Path) -> bool:
    return bool(path) and path[-1] in ("evals-only", "all-evals", "no-evals", "append-only", "eval-min-prefill-ep")


def _selectors(entry: Mapping[str, Any]) -> Iterator[Fault]:
    chosen = [key for key in ("evals-only", "all-evals") if boolean(entry.get(key))]
    if entry.get("eval-min-prefill-ep") is not None:
        chosen.append("eval-min-prefill-ep")
    for key in ("append-only", "no-evals"):
        if chosen and boolean(entry.get(key)):
            yield Fault((key,), "key", "excludes-evals", {"key": key, "others": tuple(chosen)})


def settings_faults(root: Any) -> list[Fault]:
    """Every fault of loaded settings."""
    return without_echoes(structural("settings", root))
