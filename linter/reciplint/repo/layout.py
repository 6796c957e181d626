"""Where the files of a project are: which directories are projects, and what kind each path is.

Two layouts of the `inferencex` profile exist and real trees mix them (configs at the root, below `.github/`, or
the whole project in a subdirectory), so one table serves them all. Repositories of vLLM recipes have another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import translate
from functools import lru_cache
from posixpath import basename, dirname

from reciplint.repo.kinds import Kind

_MASTER = re.compile(r"(?:^|(?P<root>.*)/)(?:\.github/)?configs/[^/]*-master\.ya?ml$")
_VLLM_RECIPE = re.compile(r"(?:^|(?P<root>.*)/)models/[^/]+/[^/]+\.ya?ml$")
_VLLM_VOCABULARY = re.compile(r"(?:.*/)?(?:taxonomy|(?<=recipes/)manifest)\.yaml$")
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
    (Kind.MARKDOWN, ("**/*.md", "**/*.markdown")),
    (Kind.YAML, ("**/*.yaml", "**/*.yml")),
)

_VLLM_KINDS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    (Kind.SETTINGS, (".reciplint.yaml",)),
    (Kind.VLLM_RECIPE, ("models/**/*.yaml", "models/**/*.yml")),
    (Kind.VLLM_STRATEGY, ("strategies/*.yaml", "kv_store/*.yaml")),
    (Kind.VLLM_TAXONOMY, ("taxonomy.yaml",)),
    (Kind.VLLM_PLATFORMS, ("platforms.yaml",)),
    (Kind.OWNERS, (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")),
    (Kind.WORKFLOW, (".github/workflows/*.yml", ".github/workflows/*.yaml")),
    (Kind.SCRIPT, ("**/*.sh", "**/*.slurm", "**/*.sbatch")),
    (Kind.MARKDOWN, ("**/*.md", "**/*.markdown")),
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
    return _deepest_first(root for root in roots if any(_below(root, name) in known for name in _BESIDE_MASTERS))


def vllm_roots(paths: Iterable[str]) -> tuple[str, ...]:
    """The directories that hold a repository of vLLM recipes, deepest first: recipes beside a vocabulary.

    The vocabulary is `taxonomy.yaml`. Engines that keep recipes of their own have `recipes/manifest.yaml` instead,
    which borrows the vocabulary from elsewhere.
    """
    known = list(paths)
    beside = [path for path in known if path.endswith(("taxonomy.yaml", "/manifest.yaml"))]
    roots = {dirname(path) for path in beside if _VLLM_VOCABULARY.match(path)}
    with_recipes = {match["root"] or "" for match in map(_VLLM_RECIPE.match, known) if match} if roots else set()
    return _deepest_first(roots & with_recipes)


def _deepest_first(roots: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(roots, key=lambda root: (-root.count("/") - bool(root), root)))


class Layout:
    """Which project a path belongs to and what kind of file it is there.

    `globs` replaces the globs of single kinds, relative to the project root (from the settings). `profile` settles
    what the files would otherwise tell: "inferencex" and "vllm-recipes" take the top for a project where none is
    recognised, "srt-slurm" recognises none.
    """

    def __init__(
        self, paths: Iterable[str], globs: Mapping[Kind, tuple[str, ...]] | None = None, profile: str = "auto"
    ) -> None:
        self._profile = profile
        found = project_roots(paths) if profile in ("auto", "inferencex") else ()
        benches = found or (("",) if profile == "inferencex" else ())
        recipes = vllm_roots(paths) if profile in ("auto", "vllm-recipes") else ()
        self._vllm = frozenset(recipes or (("",) if profile == "vllm-recipes" else ())) - frozenset(benches)
        self.roots = _deepest_first((*benches, *self._vllm))
        self._tables = _tables(_KINDS, globs)
        self._vllm_tables = _tables(_VLLM_KINDS, globs) if self._vllm else []

    @property
    def profile(self) -> str:
        """What kind of repository this is: by the projects that are recognised, else as it was given."""
        if self._vllm.issuperset(self.roots):
            return "vllm-recipes" if self.roots else self._profile
        return "inferencex"

    def root_of(self, path: str) -> str | None:
        """The root of the project that a path lies in; None outside of every project."""
        return next((root for root in self.roots if not root or path.startswith(f"{root}/")), None)

    def kind_of(self, path: str) -> Kind | None:
        """What a path holds; None for what reciplint does not read.

        Owners, policy and workflows stand at the top of the repository also when the project does not.
        """
        root = self.root_of(path)
        inside = path if not root else path[len(root) + 1 :]
        kind = _match(self._vllm_tables if root in self._vllm else self._tables, inside)
        if root is None and kind not in (
            Kind.SETTINGS,
            Kind.OWNERS,
            Kind.POLICY,
            Kind.WORKFLOW,
            Kind.SCRIPT,
            Kind.MARKDOWN,
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


_Tables = list[tuple[Kind, re.Pattern[str]]]


def _tables(kinds: Iterable[tuple[Kind, tuple[str, ...]]], globs: Mapping[Kind, tuple[str, ...]] | None) -> _Tables:
    """The pattern of each kind, by the globs of the settings where they have any."""
    return [(kind, _united((globs or {}).get(kind, usual))) for kind, usual in kinds if kind is not Kind.YAML]


def _match(tables: _Tables, path: str) -> Kind | None:
    return next((kind for kind, pattern in tables if pattern.match(path)), None)


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
