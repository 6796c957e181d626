"""Releases as they come from a registry: source distributions and wheels, read without unpacking."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

_NAME = re.compile(r"(?P<name>[A-Za-z0-9_.]+?)-(?P<version>\d[A-Za-z0-9_.]*?)(?:-[^/]*\.whl|\.tar\.gz)\Z")
_NUMBERS = re.compile(r"(\d+(?:\.\d+)*)(?:(rc|\.post)(\d+))?\Z")


@dataclass(frozen=True)
class Release:
    """One archive: `distribution` in the registry's spelling (`ai-dynamo`), `version` as published."""

    distribution: str
    version: str
    path: Path

    def read(self, wanted: Callable[[str], bool]) -> dict[str, bytes]:
        """Path inside the archive → bytes, for the paths that are wanted; a source distribution's own folder is cut."""
        if self.path.suffix == ".whl":
            with zipfile.ZipFile(self.path) as wheel:
                return {name: wheel.read(name) for name in wheel.namelist() if wanted(name)}
        found: dict[str, bytes] = {}
        with tarfile.open(self.path, "r|gz") as source:
            for member in source:
                name = member.name.partition("/")[2]
                if member.isfile() and wanted(name):
                    file = source.extractfile(member)
                    found[name] = file.read() if file is not None else b""
        return found


def releases(folder: Path, distribution: str) -> list[Release]:
    """The final releases of one distribution that lie in a folder, oldest first; a wheel goes before a source."""
    found: dict[str, Release] = {}
    for path in sorted(folder.iterdir(), reverse=True):
        match = _NAME.match(path.name)
        if match and match["name"].replace("_", "-") == distribution and "rc" not in match["version"]:
            found.setdefault(match["version"], Release(distribution, match["version"], path))
    return sorted(found.values(), key=lambda release: order(release.version))


def order(version: str) -> tuple[tuple[int, ...], int]:
    """A key by which versions sort: `0.5.3rc1` < `0.5.3` < `0.5.3.post1` < `0.5.4`."""
    match = _NUMBERS.match(version)
    if match is None:
        raise ValueError(f"not a version this tool can order: {version}")
    step = {None: 0, "rc": -1_000 + int(match[3] or 0), ".post": int(match[3] or 0)}[match[2]]
    return tuple(map(int, match[1].split("."))), step


def latest(versions: Iterable[str]) -> str:
    """The newest of some versions."""
    return max(versions, key=order)
