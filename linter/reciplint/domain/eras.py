"""How a master config names its recipes: told for each entry, the file's majority deciding where an entry is silent.

Real trees mix the ways, so an era belongs to an entry and never to a repository. Files from before July 2026 follow
older schemas that are not described here: they get no verdict at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

import msgspec

VENDORED = ("recipes/", "benchmarks/", "inferencex-e2e/")
"""How a full recipe path begins; anything else is relative to `srt-recipe-dir`."""

LLMD = "llmd-"
"""Frameworks of this prefix name llm-d recipes by CONFIG_FILE in every era, so it tells nothing there."""

_OLD_FOLDER = ".github/configs/"
_FEW = 3


class Era(StrEnum):
    """By what a row names its recipe. UNDESCRIBED: the file is older than the oldest layout described."""

    UNDESCRIBED = "undescribed"
    SETTINGS = "A"  # CONFIG_FILE=… among the additional-settings
    PATH = "B"  # srt-recipe with a full path
    FOLDER = "C"  # srt-recipe relative to the entry's srt-recipe-dir


class FileEras(msgspec.Struct, frozen=True):
    """The eras of one master file. `aggregate_rows`: rows use `worker` and `num-nodes`, as only October has them."""

    majority: Era
    aggregate_rows: bool = False
    counts: Mapping[Era, int] = {}

    def era(self, entry: Any) -> Era:
        """The era of an entry of this file."""
        if self.majority is Era.UNDESCRIBED:
            return self.majority
        return entry_era(entry) or self.majority

    def is_october(self, era: Era) -> bool:
        """Whether an entry of an era has October's shape; one of era A can have either."""
        return era in (Era.PATH, Era.FOLDER) or self.aggregate_rows or self.majority is not Era.SETTINGS


def rows(entry: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every row of an entry with its scenario; whatever has the wrong shape is passed over."""
    scenarios = entry.get("scenarios") if isinstance(entry, dict) else None
    if not isinstance(scenarios, dict):
        return
    for name, items in scenarios.items():
        for item in items if isinstance(items, list) else ():
            space = item.get("search-space") if isinstance(item, dict) else None
            for row in space if isinstance(space, list) else ():
                if isinstance(row, dict):
                    yield str(name), row


def settings(row: Mapping[str, Any]) -> Iterator[str]:
    """The additional settings of a row's worker blocks."""
    for role in ("worker", "prefill", "decode"):
        block = row.get(role)
        values = block.get("additional-settings") if isinstance(block, dict) else None
        for value in values if isinstance(values, list) else ():
            if isinstance(value, str):
                yield value


def entry_era(entry: Any) -> Era | None:
    """The era that an entry itself shows; None where it names no recipe."""
    if not isinstance(entry, dict):
        return None
    if "srt-recipe-dir" in entry:
        return Era.FOLDER
    found = {era for _, row in rows(entry) if (era := _row_era(row, str(entry.get("framework", ""))))}
    for era in (Era.FOLDER, Era.PATH, Era.SETTINGS):
        if era in found:
            return era
    return None


def _row_era(row: Mapping[str, Any], framework: str) -> Era | None:
    recipe = row.get("srt-recipe")
    if isinstance(recipe, str):
        return Era.PATH if recipe.startswith(VENDORED) else Era.FOLDER
    if framework.startswith(LLMD):
        return None
    named = any(setting.startswith(("CONFIG_FILE=", "EVAL_CONFIG_FILE=")) for setting in settings(row))
    return Era.SETTINGS if named else None


def file_eras(root: Any, path: str = "") -> FileEras:
    """The eras of a loaded master file; a file that shows none is taken for August."""
    entries = list(root.values()) if isinstance(root, dict) else []
    if _is_undescribed(entries, path):
        return FileEras(Era.UNDESCRIBED)
    counts = Counter(era for entry in entries if (era := entry_era(entry)))
    majority = counts.most_common(1)[0][0] if counts else Era.SETTINGS
    aggregate = any("worker" in row and "num-nodes" in row for entry in entries for _, row in rows(entry))
    return FileEras(majority, aggregate, dict(counts))


def _is_undescribed(entries: list[Any], path: str) -> bool:
    """Whether a file follows a schema from before mid-July 2026.

    Until then the files lay under `.github/configs/`, before that scenarios were `seq-len-configs`, and no entry
    named its router or its KV transfer, which disaggregated ones must since.
    """
    if _OLD_FOLDER in f"{path}/":
        return True
    known = [entry for entry in entries if isinstance(entry, dict)]
    if known and 2 * sum("seq-len-configs" in entry for entry in known) >= len(known):
        return True
    disaggregated = sum(entry.get("disagg") is True for entry in known)
    return disaggregated >= _FEW and not any(_names_component(entry) for entry in known)


def _names_component(entry: Mapping[str, Any]) -> bool:
    names = ("router", "kv-p2p-transfer")
    return any(name in entry for name in names) or any(name in row for _, row in rows(entry) for name in names)
