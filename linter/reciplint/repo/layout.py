"""Where the files of a project are: which directories are projects, and what kind each path is.

Two layouts of the `inferencex` profile exist and real trees mix them (configs at the root, below `.github/`, or
the whole project in a subdirectory), so one table serves them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import translate
from functools import lru_cache
from posixpath import basename, dirname

from reciplint.repo.kinds import Kind

_MASTER = re.compile(r"(?:^|(?P<root>.*)/)(?:\.github/)?configs/[^/]*-master\.ya?ml$")
_BESIDE_MASTERS = ("perf-changelog.yaml", "configs/runners.yaml", ".github/configs/runners.yaml")

_KINDS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    (Kind.SETTINGS, (".reciplint.yaml",)),
    (Kind.ARCHIVE, ("configs/deprecated/*-master.yaml", ".github/configs/deprecated/*-master.yaml")),
    (Kind.MASTER, ("configs/*-master.yaml", ".github/configs/*-master.yaml")),
    (Kind.RUNNERS, ("configs/runners.yaml", ".github/configs/runners.yaml")),
    (Kind.CHANGELOG, ("perf-changelog.yaml",)),
    (Kind.SHARED_BLOCK, ("configs/srt-recipes/*.yaml",)),
    (Kind.RECIPE, ("benchmarks/**/srt-slurm-recipes/**/*.yaml", "benchmarks/**/srt-slurm-recipes/**/*.yml")),
    (Kind.LLMD_RECIPE, ("benchmarks/**/llm-d-recipes/**/*.yaml",)),
    (Kind.CURVE, ("golden_al_distribution/*.yaml", "infx/golden_al_distribution/*.yaml")),
    (Kind.POLICY, ("MODELS.md", "docs/MODELS.md")),
    (Kind.OWNERS, (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")),
    (Kind.WORKFLOW, (".github/workflows/*.yml", ".github/workflows/*.yaml")),
    (Kind.SCRIPT, ("**/*.sh", "**/*.slurm", "**/*.sbatch", "benchmarks/**/*.py", "runners/**/*.py", "utils/**/*.py")),
    (Kind.YAML, ("**/*.yaml", "**/*.yml")),
)


@lru_cache(maxsize=256)
def glob_pattern(glob: str) -> re.Pattern[str]:
    """A path glob as a pattern: `**/` spans directories (none too), `*` and `?` stay within one."""
    parts = []
    for part in re.split(r"(\*\*/|\*\*|\*|\?)", glob):
        wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part)
        parts.append(wild if wild is not None else _class_pattern(part))
    return re.compile("".join(parts) + r"\Z", re.DOTALL)


def _class_pattern(text: str) -> str:
    """Plain text and `[…]` classes of a glob."""
    return translate(text).removeprefix("(?s:").removesuffix(r")\Z").removesuffix(r")\z")


def project_roots(paths: Iterable[str]) -> tuple[str, ...]:
    """The directories that hold an `inferencex` project, deepest first: master configs, and a changelog or runners."""
    known = set(paths)
    roots = {match["root"] or "" for match in map(_MASTER.match, known) if match}
    found = [root for root in roots if any(_below(root, name) in known for name in _BESIDE_MASTERS)]
    return tuple(sorted(found, key=lambda root: (-root.count("/") - bool(root), root)))


class Layout:
    """Which project a path belongs to and what kind of file it is there.

    `globs` replaces the globs of single kinds, relative to the project root (from the settings). `profile` settles
    what the files would otherwise tell: "inferencex" takes the top for a project where none is recognised, any other
    than "auto" recognises none.
    """

    def __init__(
        self, paths: Iterable[str], globs: Mapping[Kind, tuple[str, ...]] | None = None, profile: str = "auto"
    ) -> None:
        found = project_roots(paths) if profile in ("auto", "inferencex") else ()
        self.roots = found or (("",) if profile == "inferencex" else ())
        self._tables = [
            (kind, _united((globs or {}).get(kind, patterns))) for kind, patterns in _KINDS if kind is not Kind.YAML
        ]

    def root_of(self, path: str) -> str | None:
        """The root of the project that a path lies in; None outside of every project."""
        return next((root for root in self.roots if not root or path.startswith(f"{root}/")), None)

    def kind_of(self, path: str) -> Kind | None:
        """What a path holds; None for what reciplint does not read.

        Owners, policy and workflows stand at the top of the repository also when the project does not.
        """
        root = self.root_of(path)
        inside = path if not root else path[len(root) + 1 :]
        kind = self._match(inside)
        if root is None and kind not in (
            Kind.SETTINGS,
            Kind.OWNERS,
            Kind.POLICY,
            Kind.WORKFLOW,
            Kind.SCRIPT,
            Kind.RECIPE,
        ):
            kind = None
        if kind is None and path.endswith((".yaml", ".yml")):
            return Kind.YAML
        return kind

    def kinds(self, paths: Iterable[str]) -> dict[str, Kind]:
        """The paths that are read as projects, with their kinds (owners are read by those who ask for them)."""
        found: dict[str, Kind] = {}
        for path in paths:
            kind = self.kind_of(path)
            if kind is not None and kind is not Kind.OWNERS:
                found[path] = kind
        return found

    def _match(self, path: str) -> Kind | None:
        return next((kind for kind, pattern in self._tables if pattern.match(path)), None)


@lru_cache(maxsize=64)
def _united(globs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(glob_pattern(glob).pattern for glob in globs) or r"(?!)", re.DOTALL)


def _below(root: str, name: str) -> str:
    return f"{root}/{name}" if root else name


def directory(path: str) -> str:
    """The directory part of a repository path."""
    return dirname(path)


def file_name(path: str) -> str:
    """The last part of a repository path."""
    return basename(path)
