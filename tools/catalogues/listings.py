"""Catalogues from listings instead of releases: NCCL, UCX, TensorRT-LLM, ATOM, and what no registry tells.

A listing is any text that mentions the names: `ucx_info -c -f -a`, a source tree's parameter tables, a JSON of names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import yaml

from .environment import listed

OPEN = ("MC_", "MORI_", "TLLM_", "TRTLLM_")
_ROW = re.compile(r'\{\s*(?:UC[A-Z]_[A-Z_]*_?PREFIX\s*)?"([A-Z0-9_]*)",\s*(?:"|UC|NULL|\n)')
_PREFIX = re.compile(r'"([A-Z][A-Z0-9_]*_)"')
_VARIABLE = re.compile(r"\b(?:MC|MORI|TLLM|TRTLLM)_[A-Z0-9_]+\b")


def variables(owner: str, prefix: str, files: Iterable[Path]) -> dict[str, object]:
    """An environment catalogue of the names with a prefix in some listings."""
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in files]
    return {"owner": owner, "prefixes": [prefix], "versions": [], "names": {name: [] for name in listed(texts, prefix)}}


def ucx_tables(source: Path) -> dict[str, list[str]]:
    """The rows and the prefixes of UCX's configuration tables: a variable is `UCX_`, a prefix or none, and a row."""
    options: set[str] = set()
    prefixes: set[str] = set()
    for file in sorted(source.rglob("*.[ch]")):
        data = file.read_text(encoding="utf-8", errors="replace")
        options.update(_ROW.findall(data))
        prefixes.update(_PREFIX.findall(data))
    return {"options": sorted(options - {""} - prefixes), "tables": sorted(prefixes)}


def opened(engine: str, given: Mapping[str, Mapping[str, object]], seen: Iterable[str]) -> dict[str, object]:
    """An open catalogue: what is given as known, and what is merely seen in use; dotted names become JSON keys."""
    flags: dict[str, dict[str, object]] = {}
    configs: dict[str, dict[str, dict[str, object]]] = {}
    rows = {
        **{name: {"kind": "any", "seen": True} for name in seen},
        **{name: record(row) for name, row in given.items()},
    }
    for name, row in sorted(rows.items()):
        head, *path = name.lstrip("-").split(".")
        flag = flags.setdefault(f"--{head.replace('_', '-')}", {"kind": "json", "config": head} if path else row)
        if path and "config" not in flag:
            flag |= {"kind": "json", "config": head}
        owner = head
        for depth, key in enumerate(path):
            last = depth == len(path) - 1
            inner = f"{owner}.{key}"
            fields = configs.setdefault(owner, {})
            if last:
                fields.setdefault(key, row)
            elif "config" not in fields.setdefault(key, {"kind": "json", "config": inner}):
                fields[key] |= {"kind": "json", "config": inner}
            owner = inner
    return {"engine": engine, "open": True, "versions": [], "flags": flags, "configs": configs, "registries": {}}


def record(row: Mapping[str, object]) -> dict[str, object]:
    """A row of a listing in the form of the catalogue."""
    kind = {"json.loads": "json", None: "str"}.get(row.get("kind"), row.get("kind"))  # type: ignore[call-overload]
    choices = row.get("choices")
    if isinstance(choices, list):
        return {"kind": "enum", "closed": True, "choices": {str(item): [] for item in sorted(choices, key=str)}}
    known = row.get("known_values")
    return {"kind": kind, **({"known": {str(item): [] for item in sorted(known)}} if isinstance(known, list) else {})}


def used_by_trtllm(folders: Iterable[Path]) -> set[str]:
    """The dotted keys under every `trtllm_config` role of the recipes in some folders."""
    found: set[str] = set()
    for config in _held(folders, "trtllm_config"):
        for role in config.values() if isinstance(config, dict) else ():
            found.update(_paths(role))
    return found


def used_variables(folders: Iterable[Path]) -> set[str]:
    """The variables of open-world prefixes that recipes and scripts set."""
    files = (file for folder in folders for file in folder.rglob("*") if file.suffix in {".yaml", ".yml", ".sh"})
    return {name for file in files for name in _VARIABLE.findall(file.read_text(encoding="utf-8", errors="replace"))}


def _held(folders: Iterable[Path], key: str) -> Iterator[object]:
    for file in sorted(file for folder in folders for file in folder.rglob("*.yaml")):
        data = file.read_bytes()
        if key.encode() in data:
            try:
                yield from _values(yaml.load(data, Loader=yaml.CSafeLoader), key)
            except yaml.YAMLError:
                continue


def _values(node: object, key: str) -> Iterator[object]:
    for name, value in node.items() if isinstance(node, dict) else ():
        if name == key:
            yield value
        else:
            yield from _values(value, key)
    for value in node if isinstance(node, list) else ():
        yield from _values(value, key)


def _paths(node: object, above: str = "") -> Iterator[str]:
    for name, value in node.items() if isinstance(node, dict) else ():
        if isinstance(name, str) and re.fullmatch(r"[a-z][a-z0-9_]*", name):
            path = f"{above}{name}"
            yield path
            yield from _paths(value, f"{path}.")


def read_json(file: Path) -> dict[str, Mapping[str, object]]:
    """The flags or fields of a listing in JSON."""
    held = json.loads(file.read_text(encoding="utf-8"))
    return dict(held.get("flags") or held.get("fields") or {})
