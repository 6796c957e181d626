"""How the rows of an October entry name their recipes: what each era asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from reciplint.domain.eras import LLMD, Era
from reciplint.domain.faults import Fault
from reciplint.domain.master_rows import Row

REFERENCE = re.compile(
    r"(?!\.\.?(/|:|\Z))[^/:]+(/(?!\.\.?(/|:|\Z))[^/:]+)*(:(base|override_[\w-]+|zip_override_[\w-]+\[\d+\]))?\Z"
)
"""A file below `srt-recipe-dir` with an optional selector."""

_SETTINGS = {"CONFIG_FILE": "srt-recipe", "EVAL_CONFIG_FILE": "eval-srt-recipe"}


def recipe_faults(
    entry: Mapping[str, Any], rows: list[Row], october: bool, era: Era, multinode: bool
) -> Iterator[Fault]:
    """Every fault in how an entry names its recipes. Entries of era A are judged by other rules."""
    if not october or era is Era.SETTINGS:
        return
    if multinode and entry.get("framework") == f"{LLMD}vllm":
        yield from _llmd(entry, rows)
        return
    if era is Era.FOLDER and entry.get("srt-recipe-dir") is None:
        yield Fault((), "owner", "missing-key", {"key": "srt-recipe-dir"})
    for row in rows:
        yield from _row(row, era, multinode)


def _llmd(entry: Mapping[str, Any], rows: list[Row]) -> Iterator[Fault]:
    if entry.get("srt-recipe-dir") is not None:
        yield Fault(("srt-recipe-dir",), "key", "recipe-on-llmd", {"key": "srt-recipe-dir"})
        return
    for row in rows:
        for key in ("srt-recipe", "eval-srt-recipe"):
            if row.value.get(key) is not None:
                yield Fault((*row.path, key), "key", "recipe-on-llmd", {"key": key})


def _row(row: Row, era: Era, multinode: bool) -> Iterator[Fault]:
    if era is Era.FOLDER:
        if row.value.get("srt-recipe") is None:
            yield Fault(row.path, "owner", "missing-key", {"key": "srt-recipe"})
        for key in ("srt-recipe", "eval-srt-recipe"):
            value = row.value.get(key)
            if isinstance(value, str) and value and not REFERENCE.match(value):
                yield Fault((*row.path, key), "value", "bad-reference", {"found": value})
        if not multinode and row.value.get("eval-srt-recipe") is not None:
            yield Fault((*row.path, "eval-srt-recipe"), "key", "eval-recipe-on-one-node")
    for role in ("worker", "prefill", "decode"):
        block = row.value.get(role)
        values = block.get("additional-settings") if isinstance(block, dict) else None
        for index, setting in enumerate(values if isinstance(values, list) else ()):
            name = setting.partition("=")[0] if isinstance(setting, str) else ""
            if name in _SETTINGS:
                path = (*row.path, role, "additional-settings", index)
                yield Fault(path, "value", "recipe-in-settings", {"found": name, "key": _SETTINGS[name]})
