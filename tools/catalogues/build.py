"""From a folder of releases to `schemas/engines/` and `schemas/env/`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import environment, expand, others, sglang
from .archive import Release, order, releases
from .forms import Form
from .merge import Timeline
from .source import Source
from .vllm import Vllm

Read = tuple[Mapping[str, Form], Mapping[str, Mapping[str, Form]], Mapping[str, Sequence[str]]]
"""Flags, JSON configuration classes with their keys, and registries."""

HOME = Path(__file__).resolve().parents[2] / "schemas"


@dataclass(frozen=True)
class Reading:
    """What one release yields."""

    flags: Mapping[str, Form]
    configs: Mapping[str, Mapping[str, Form]]
    registries: Mapping[str, Sequence[str]]
    variables: frozenset[str]


@dataclass(frozen=True)
class Engine:
    """How the releases of one distribution are read."""

    name: str
    distribution: str
    package: str
    prefixes: tuple[str, ...]
    read: Callable[[Source], Read]

    def reading(self, release: Release) -> Reading:
        """Read one release."""
        files = release.read(lambda path: path.endswith((".py", *environment.NATIVE_SUFFIXES)))
        python = {path: data for path, data in files.items() if path.removeprefix("py_src/").startswith(self.package)}
        source = Source({path: data for path, data in python.items() if path.endswith(".py")})
        variables = environment.python_reads(source, self.prefixes) if self.prefixes else set()
        native = environment.native_reads(files, self.prefixes) if self.prefixes else set()
        return Reading(*self.read(source), frozenset(variables | native))


def _vllm(source: Source) -> Read:
    reader = Vllm(source)
    flags = reader.flags()
    return flags, reader.configs, reader.registries()


def _flags_only(
    read: Callable[[Source], dict[str, Form]],
) -> Callable[[Source], Read]:
    return lambda source: (read(source), {}, {})


ENGINES = (
    Engine("vllm", "vllm", "vllm/", ("VLLM_",), _vllm),
    Engine("sglang", "sglang", "sglang/", ("SGLANG_", "SGL_"), _flags_only(sglang.flags)),
    Engine("dynamo", "ai-dynamo", "dynamo/", ("DYN_",), _flags_only(others.dynamo)),
    Engine("vllm-omni", "vllm-omni", "vllm_omni/", ("VLLM_",), _flags_only(others.omni)),
    Engine("vllm-router", "vllm-router", "vllm_router/", (), _flags_only(others.router)),
)
RUNTIME = "ai-dynamo-runtime"


def build(folder: Path, anew: bool = False) -> dict[str, str]:
    """Path under `schemas/` → text, for every engine of which a folder holds a release.

    The releases are added to the catalogues that are there, or with `anew` make them from nothing. Both come to the
    same bytes: a catalogue holds all that its releases said.
    """
    made: dict[str, str] = {}
    for engine in ENGINES:
        found = releases(folder, engine.distribution)
        if found:
            flags, variables = (_known(f"{room}/{engine.name}.json", anew) for room in ("engines", "env"))
            flags, variables = _merged(engine, found, flags, variables)
            made[f"engines/{engine.name}.json"] = dumped(flags)
            if engine.prefixes:
                made[f"env/{engine.name}.json"] = dumped(_with_runtime(engine, folder, variables))
    return made


def _known(name: str, anew: bool) -> dict[str, Any]:
    path = HOME / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() and not anew else {}


def _recalled(flags: Mapping[str, Any], variables: Mapping[str, Any], version: str) -> Reading:
    """What a release said, by the catalogues that it is part of."""
    return Reading(
        expand.forms(flags["flags"], version),
        {name: expand.forms(fields, version) for name, fields in flags["configs"].items()},
        {name: expand.names(spans, version) for name, spans in flags["registries"].items()},
        frozenset(expand.names(variables.get("names", {}), version)) | frozenset(variables.get("families", ())),
    )


def _merged(
    engine: Engine, found: Sequence[Release], flags: Mapping[str, Any], variables: Mapping[str, Any]
) -> tuple[dict[str, object], dict[str, Any]]:
    """The catalogues of flags and of variables, from what they were and the releases that are found."""
    readings = {version: _recalled(flags, variables, version) for version in flags.get("versions", ())}
    for release in found:
        print(f"reading {engine.distribution} {release.version}", file=sys.stderr)
        readings[release.version] = engine.reading(release)
    timeline = Timeline(sorted(readings, key=order))
    ordered = [readings[version] for version in timeline.versions]
    classes = sorted(set().union(*(reading.configs for reading in ordered)))
    kinds = sorted(set().union(*(reading.registries for reading in ordered)))
    names = timeline.spans("", [reading.variables for reading in ordered])
    merged: dict[str, object] = {
        "engine": engine.name,
        "open": False,
        "versions": list(timeline.versions),
        "flags": timeline.records("", [reading.flags for reading in ordered]),
        "configs": {
            name: timeline.records(f"{name}.", [reading.configs.get(name, {}) for reading in ordered])
            for name in classes
        },
        "registries": {
            name: timeline.spans(name, [reading.registries.get(name, ()) for reading in ordered]) for name in kinds
        },
    }
    environs: dict[str, Any] = {
        "owner": engine.name,
        "prefixes": list(engine.prefixes),
        "versions": list(timeline.versions),
        "names": {name: span for name, span in names.items() if not name.endswith("_")},
        "families": [name for name in names if name.endswith("_")],
        "stems": variables.get("stems", []),
    }
    for gap in timeline.gaps:
        print(f"{engine.name}: {gap.strip()} went and came back; its span covers the gap", file=sys.stderr)
    return merged, environs


def _with_runtime(engine: Engine, folder: Path, variables: dict[str, Any]) -> dict[str, Any]:
    """With the strings of Dynamo's compiled runtime that begin as its variables do."""
    stems = set(variables["stems"])
    for release in releases(folder, RUNTIME) if engine.name == "dynamo" else ():
        print(f"reading {RUNTIME} {release.version}", file=sys.stderr)
        for data in release.read(lambda path: path.endswith(".so")).values():
            stems.update(environment.strings(data, "DYN_"))
    return {**variables, "stems": sorted(stems)}


def dumped(catalogue: Mapping[str, object]) -> str:
    """A catalogue as JSON: sorted, without blanks, one name a line so that a refresh reads as a difference."""
    lines = []
    for key in sorted(catalogue):
        value = catalogue[key]
        if isinstance(value, dict) and value:
            inner = ",\n".join(f"{json.dumps(name)}:{_compact(value[name])}" for name in sorted(value))
            lines.append(f"{json.dumps(key)}:{{\n{inner}\n}}")
        else:
            lines.append(f"{json.dumps(key)}:{_compact(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)
