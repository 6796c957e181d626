"""Which file a row means when it names a recipe.

Era A names paths of a checkout that a launcher assembles from this repository and an external one, so a name may
be *external* without being wrong. Launchers also copy folders under other names (`minimax-b300-fp8` becomes
`minimax-fp8`): a file of the same base name that no exact path names is then the one meant. Era C knows no copies: its
paths are opened as they are written.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from posixpath import basename, dirname, normpath
from typing import Literal

import msgspec

from reciplint.domain.master import Arm, MasterEntry, MasterFile, Reference, Row
from reciplint.domain.script import Mentions

MULTI_NODE = "benchmarks/multi_node/srt-slurm-recipes"
SINGLE_NODE = "benchmarks/single_node/srt-slurm-recipes"
LLMD = "benchmarks/multi_node/llm-d-recipes"

Standing = Literal["local", "copied", "external", "missing"]

_VARIABLE = re.compile(r"\$\{[^}]*\}|\$\w+|\{[^}]*\}|\*")
_TELLING = 8  # literal characters that a pattern in a script needs before it says anything


class Resolved(msgspec.Struct, frozen=True):
    """What a reference comes to: `files` that it may mean, and `expected`, the path that it spells."""

    standing: Standing
    files: tuple[str, ...]
    expected: str


class Use(msgspec.Struct, frozen=True):
    """A reference with where it stands."""

    master: str
    entry: MasterEntry
    arm: Arm
    row: Row
    reference: Reference

    @property
    def scenario(self) -> str:
        """The arm's scenario."""
        return self.arm.scenario


def uses(masters: Iterable[MasterFile]) -> Iterator[Use]:
    """Every reference of some master configs."""
    for master in masters:
        for entry in master.entries:
            for arm in entry.arms:
                for row in arm.rows:
                    for reference in row.references:
                        yield Use(master.path, entry, arm, row, reference)


class Resolver:
    """Resolves the references of one project.

    `recipes` are the paths of all vendored recipe files, `root` the project's directory, `scripts` what scripts
    and workflows name.
    """

    def __init__(
        self,
        root: str,
        recipes: Iterable[str],
        active: Iterable[Use],
        archived: Iterable[Use],
        scripts: Mapping[str, Mentions],
    ) -> None:
        self._root = root
        self._recipes = frozenset(recipes)
        self._folders = frozenset(map(dirname, self._recipes))
        self._active = tuple(active)
        self._archived = tuple(archived)
        self._scripts = scripts
        self._expected: dict[tuple[bool, str | None, str, str, str], tuple[str, ...]] = {}

    def resolve(self, use: Use) -> Resolved:
        """What a use of this project comes to."""
        expected = self.expected(use.entry, use.reference)
        exact = next((path for path in expected if path in self._recipes), None)
        if exact is not None:
            return Resolved("local", (exact,), exact)
        copies = self._unnamed.get(basename(use.reference.text), ())
        if copies and use.reference.era != "C":
            return Resolved("copied", copies, expected[0])
        if use.reference.era == "A":
            vendored = dirname(expected[0]) in self._folders
            return Resolved("missing" if vendored else "external", (), expected[0])
        return Resolved("external" if self.is_partial else "missing", (), expected[0])

    def expected(self, entry: MasterEntry, reference: Reference) -> tuple[str, ...]:
        """The paths that a reference may spell, the likeliest first."""
        key = (entry.multinode, entry.framework, reference.era, reference.folder, reference.text)
        if key not in self._expected:
            self._expected[key] = self._spell(entry, reference)
        return self._expected[key]

    def _spell(self, entry: MasterEntry, reference: Reference) -> tuple[str, ...]:
        text = normpath(reference.text)
        if reference.era == "C":
            home = MULTI_NODE if entry.multinode else SINGLE_NODE
            return (self._inside(f"{home}/{reference.folder}/{text}"),)
        if text.startswith("benchmarks/"):
            return (self._inside(text),)
        if (entry.framework or "").startswith("llmd"):
            return (self._inside(f"{LLMD}/{text}"), self._inside(f"{MULTI_NODE}/{text}"))
        return (self._inside(f"{MULTI_NODE}/{text.removeprefix('recipes/')}"),)

    def has_folder(self, folder: str) -> bool:
        """Whether a recipe lies directly in a folder."""
        return folder in self._folders

    @staticmethod
    def written(path: str, reference: Reference) -> str:
        """How a row of the reference's era would name a file."""
        _, marker, inside = path.partition("srt-slurm-recipes/")
        if not marker:
            return path
        if reference.era == "C":
            return inside.removeprefix(f"{reference.folder}/")
        return path if reference.text.startswith("benchmarks/") else f"recipes/{inside}"

    @cached_property
    def is_partial(self) -> bool:
        """Whether most recipe folders that era-B and -C rows name are absent: an excerpt, not a repository."""
        named = {
            dirname(path)
            for use in self._active
            if use.reference.era != "A"
            for path in self.expected(use.entry, use.reference)[:1]
        }
        return len(named & self._folders) * 2 < len(named)

    @cached_property
    def active(self) -> dict[str, list[Use]]:
        """Recipe path → the active uses that mean it."""
        files: dict[str, list[Use]] = defaultdict(list)
        for use, resolved in self.resolved:
            for path in resolved.files:
                files[path].append(use)
        return files

    @cached_property
    def archived(self) -> dict[str, list[Use]]:
        """Recipe path → the archived uses that mean it."""
        return self._by_file(self._archived)

    @cached_property
    def resolved(self) -> list[tuple[Use, Resolved]]:
        """Every active use with what it comes to."""
        return [(use, self.resolve(use)) for use in self._active]

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """Recipes that a script or workflow names, by path or base name, variables standing for anything."""
        by_name = defaultdict(list)
        for path in self._recipes:
            by_name[basename(path)].append(path)
        found: set[str] = set()
        for mentions in self._scripts.values():
            for mention in mentions.paths:
                name = basename(mention)
                if not _VARIABLE.search(name):
                    found.update(by_name.get(name, ()))
                elif len(_VARIABLE.sub("", name).removesuffix(".yaml")) >= _TELLING:
                    pattern = re.compile(".*".join(map(re.escape, _VARIABLE.split(name))))
                    found.update(path for known, paths in by_name.items() if pattern.fullmatch(known) for path in paths)
        return frozenset(found)

    def unreferenced(self) -> list[str]:
        """Recipes that nothing names, sorted."""
        idle = self._recipes - self.active.keys() - self.archived.keys() - self.mentioned
        return sorted(path for path in idle if not self.may_be_copied(path))

    def may_be_copied(self, path: str) -> bool:
        """Whether a launcher may copy a file over one that rows name: the same name in a folder of a shorter name,
        as `minimax-b300-fp8` and `minimax-fp8`; each fleet's launcher then runs its own."""
        return any(_is_longer_name(path, named) for named in self._named.get(basename(path), ()))

    @cached_property
    def _named(self) -> dict[str, list[str]]:
        """Base name → the paths that rows spell in era A."""
        names: dict[str, list[str]] = defaultdict(list)
        for use in (*self._active, *self._archived):
            if use.reference.era == "A":
                expected = self.expected(use.entry, use.reference)[0]
                names[basename(expected)].append(expected)
        return names

    @cached_property
    def _unnamed(self) -> dict[str, tuple[str, ...]]:
        """Base name → vendored files of that name that no exact path names."""
        exact = {path for use in (*self._active, *self._archived) for path in self.expected(use.entry, use.reference)}
        names: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._recipes - exact):
            names[basename(path)].append(path)
        return {name: tuple(paths) for name, paths in names.items()}

    def _by_file(self, found: Iterable[Use]) -> dict[str, list[Use]]:
        files: dict[str, list[Use]] = defaultdict(list)
        for use in found:
            for path in self.resolve(use).files:
                files[path].append(use)
        return files

    def _inside(self, path: str) -> str:
        return f"{self._root}/{path}" if self._root else path


def name_distance(path: str, other: str) -> tuple[int, str]:
    """How unlike two file names are, in words between dashes; a sort key whose ties go by name."""
    name = basename(other)
    return len(set(basename(path).split("-")) ^ set(name.split("-"))), name


def _is_longer_name(path: str, named: str) -> bool:
    """Whether each folder of `path` has every word of its counterpart in `named`, and one has more."""
    folders, others = dirname(path).split("/"), dirname(named).split("/")
    if len(folders) != len(others) or folders == others:
        return False
    return all(set(other.split("-")) <= set(folder.split("-")) for folder, other in zip(folders, others, strict=True))
