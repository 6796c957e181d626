"""What engines accept, by release: flags, keys of their JSON flags, registries, environment variables.

The catalogues are `schemas/engines/` and `schemas/env/`, written by `tools/catalogues` from published releases. They
are read when first asked for; `releases` tells what a span is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache, cached_property
from typing import Literal, NamedTuple

import msgspec

from reciplint.domain.releases import Span, Version, holds, version
from reciplint.domain.schemas import schemas_home

How = Literal["exact", "alias", "negated", "abbreviation"]

ENGINES = ("atom", "dynamo", "sglang", "trtllm", "vllm", "vllm-omni", "vllm-router")
"""The engines that have a catalogue."""

_NUMBER = re.compile(r"(\d{1,200})(?:\.(\d{1,200}))?([kKmMgGtT])?\Z")
_SUFFIXES = "kmgt"
_ALWAYS = frozenset({"--help", "-h"})


class Shape(msgspec.Struct, frozen=True, gc=False):
    """What a flag or JSON key takes.

    Kinds: switch (no value), bool (`--x`, `--no-x`), flag-or-str (the value may be left out), int, float, str, enum,
    named (an enum in which neither case counts nor `-` for `_`), list (of `element`), json, json-or-str (JSON where it
    stands in braces), any. `config` names the class of a JSON flag's keys; None: any key. `default` is that of a bool
    or switch, None where it is unset or not known. `units`: `1k` and `2M` are numbers. `words`: texts that a number may
    be instead. `closed`: nothing but the choices goes.
    """

    kind: str
    element: str | None = None
    config: str | None = None
    default: bool | None = None
    nullable: bool = False
    units: bool = False
    words: tuple[str, ...] = ()
    closed: bool = False


class Earlier(Shape, frozen=True, gc=False, kw_only=True):
    """What a flag took until a release, that one included."""

    until: str


class Entry(Shape, frozen=True, kw_only=True):
    """A flag or a JSON key: its newest shape, and what changed. `deprecated` is the first release that calls it so;
    `replacement` what the engine names instead; `env` the variable that means the same (Dynamo); `parts` the components
    that take it (Dynamo); `spelled` the releases that have it by this name, where others have it by an alias only;
    `seen`: known only from use."""

    span: Span = ()
    spelled: Span | None = None
    aliases: dict[str, Span] = {}
    choices: dict[str, Span] = {}
    known: dict[str, Span] = {}
    was: tuple[Earlier, ...] = ()
    deprecated: str | None = None
    replacement: str | None = None
    env: str | None = None
    parts: tuple[str, ...] = ()
    seen: bool = False

    def at(self, release: Version | None) -> Shape:
        """What it took in a release; the newest shape where that is not known."""
        for earlier in self.was if release is not None else ():
            last = version(earlier.until)
            if last is not None and release is not None and release <= last:
                return earlier
        return self

    def choices_at(self, release: Version | None) -> tuple[str, ...] | None:
        """The values it took in a release, those of all releases where that is not known; None where anything goes."""
        if not self.at(release).closed or (release is None and not all(old.closed for old in self.was)):
            return None
        return tuple(choice for choice, span in self.choices.items() if holds(span, release))

    @property
    def own_span(self) -> Span:
        """The releases that have it by its own name."""
        return self.span if self.spelled is None else self.spelled

    def negatable(self, release: Version | None) -> bool:
        """Whether `--no-x` is a flag as well."""
        return self.at(release).kind == "bool"


class Match(NamedTuple):
    """A written flag and what it means. `name` is the flag's own spelling (`--no-x` where that is abbreviated), `path`
    the JSON keys after it, `span` the releases that have this spelling of it."""

    name: str
    entry: Entry
    how: How
    path: tuple[str, ...] = ()
    span: Span = ()


class Key(NamedTuple):
    """A path of JSON keys, looked up. `known` is False where a configuration class (`config`) has no field of the name
    at place `at` of the path; True also where nothing tells. `entry` is the last key's, where a class has it."""

    known: bool
    entry: Entry | None = None
    config: str | None = None
    at: int = 0


class Catalogue(msgspec.Struct, frozen=True, dict=True):
    """The flags of one engine. `open`: there may be others, nobody publishes a list. `versions` are the releases
    looked at, oldest first."""

    engine: str
    open: bool
    versions: tuple[str, ...]
    flags: dict[str, Entry]
    configs: dict[str, dict[str, Entry]]
    registries: dict[str, dict[str, Span]]

    def find(self, name: str, at: Version | None = None) -> Match | None:
        """What a flag means, written with dashes in front or without, with `_` or `-`, with `no-`, an alias, with JSON
        keys after dots, or as a prefix that only one flag has; None where it is no flag of any release.

        The release, where it is known, decides between flags that one prefix may mean; it does not hide a flag that
        another release has: `Match.span` tells.
        """
        head, *path = _spelled(name)
        found = self._exact(head) or self._negated(head) or self._abbreviated(head, at)
        return found._replace(path=tuple(path)) if found is not None and path else found

    def meant(self, prefix: str, at: Version | None = None) -> list[str]:
        """The flags that a prefix may stand for, as argparse reads it, in a release or in any; `--no-x` as such."""
        head = _spelled(prefix)[0]
        if not head.startswith("--") or len(head) < 4:
            return []
        spelled = {**self._negations, **self._spellings} if head.startswith("--no") else self._spellings
        return sorted({name for text, (name, span) in spelled.items() if text.startswith(head) and holds(span, at)})

    def close(self, name: str, at: Version | None = None) -> list[str]:
        """Up to three flags that a misspelt one may have been, the likeliest first."""
        names = [spelling for spelling, (_, span) in self._spellings.items() if holds(span, at)]
        return get_close_matches(_spelled(name)[0], names, n=3, cutoff=0.8)

    def key(self, entry: Entry, path: Sequence[str], at: Version | None = None) -> Key:
        """Look up the JSON keys below a flag: `("pass_config", "fuse_norm_quant")` under `--compilation-config`."""
        shape: Shape = entry.at(at)
        found: Entry | None = None
        config: str | None = None
        for place, part in enumerate(path):
            fields = self.configs.get(shape.config or "")
            if not fields:
                return Key(True, None, shape.config, place)
            config, found = shape.config, fields.get(part)
            if found is None:
                return Key(False, None, config, place)
            shape = found.at(at)
        return Key(True, found, config, max(len(path) - 1, 0))

    def keys(self, config: str, at: Version | None = None) -> list[str]:
        """The JSON keys of a configuration class, in a release or in any."""
        return [name for name, entry in self.configs.get(config, {}).items() if holds(entry.span, at)]

    def registered(self, registry: str, at: Version | None = None) -> list[str]:
        """The names in a registry (`attention`, `mla-prefill`, `kv-connector`, `tool-parser`, `reasoning-parser`)."""
        return [name for name, span in self.registries.get(registry, {}).items() if holds(span, at)]

    def covers(self, at: Version | None) -> bool:
        """Whether a release is among or between those looked at: of a newer one the catalogue knows nothing."""
        first, last = version(self.versions[0]) if self.versions else None, self.newest
        return at is not None and first is not None and last is not None and first <= at <= last

    @property
    def newest(self) -> Version | None:
        """The newest release looked at."""
        return version(self.versions[-1]) if self.versions else None

    @cached_property
    def _spellings(self) -> dict[str, tuple[str, Span]]:
        """Every spelling → the flag's own name, and the releases that have the spelling. An own name goes first."""
        own = {name: (name, entry.own_span) for name, entry in self.flags.items()}
        return {**dict(self._aliases()), **{_dashed(name): value for name, value in own.items()}}

    @cached_property
    def _negations(self) -> dict[str, tuple[str, Span]]:
        """`--no-x` for every flag that takes it, mapped as spellings are."""
        bools = ((name, entry) for name, entry in self.flags.items() if entry.negatable(None))
        return {spelled: (spelled, entry.span) for name, entry in bools for spelled in (f"--no-{name[2:]}",)}

    def _aliases(self) -> Iterator[tuple[str, tuple[str, Span]]]:
        for name, entry in self.flags.items():
            for alias, span in entry.aliases.items():
                yield _dashed(alias), (name, _within(span, entry.span))

    def _exact(self, head: str) -> Match | None:
        if head in self._spellings:
            name, span = self._spellings[head]
            return Match(name, self.flags[name], "exact" if _dashed(name) == head else "alias", (), span)
        return Match(head, _HELP, "exact") if head in _ALWAYS else None

    def _negated(self, head: str) -> Match | None:
        found = self._exact(f"--{head.removeprefix('--no-')}") if head.startswith("--no-") else None
        kinds = {found.entry.kind, *(old.kind for old in found.entry.was)} if found else set()
        return found._replace(how="negated") if found and "bool" in kinds else None

    def _abbreviated(self, head: str, at: Version | None) -> Match | None:
        names = self.meant(head, at)
        if len(names) != 1:
            return None
        own = names[0] if names[0] in self.flags else f"--{names[0].removeprefix('--no-')}"
        return Match(names[0], self.flags[own], "abbreviation", (), self.flags[own].span)


_HELP = Entry("switch")


def _spelled(name: str) -> list[str]:
    """A written flag with dashes in front and between words, then the JSON keys after its dots as they are."""
    head, *path = name.partition("=")[0].removesuffix("+").split(".")
    return [_dashed(head if head.startswith("-") else f"--{head}"), *path]


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _within(inner: Span, outer: Span) -> Span:
    """An alias that has no bound of its own has its flag's."""
    bounds = [(inner[at] if len(inner) > at else None) or (outer[at] if len(outer) > at else None) for at in (0, 1)]
    return () if bounds == [None, None] else tuple(bounds) if bounds[1] else (bounds[0],)


@cache
def catalogue(engine: str) -> Catalogue | None:
    """The catalogue of an engine (`vllm`, `sglang`, `vllm-omni`, `vllm-router`, `dynamo`, `trtllm`, `atom`); None for
    another one. Read once."""
    path = schemas_home() / "engines" / f"{engine}.json"
    return msgspec.json.decode(path.read_bytes(), type=Catalogue) if engine in ENGINES else None


def number(text: str) -> int | None:
    """A whole number as vLLM reads it for a flag with `units`: `1k` is 1,000, `1K` 1,024, `2.5m` 2,500,000."""
    match = _NUMBER.match(text.strip())
    if match is None:
        return None
    whole, fraction, unit = match[1], match[2] or "", match[3] or ""
    factor: int = (1024 if unit.isupper() else 1000) ** (_SUFFIXES.index(unit.lower()) + 1 if unit else 0)
    if fraction:
        return int(float(f"{whole}.{fraction}") * factor) if unit and unit.islower() else None
    return int(whole) * factor
