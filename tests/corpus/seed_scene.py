"""The mission's pull request in memory: its two trees, edits to them, and what a run finds.

Lines are found here in the text alone, so that what a mutant expects is stated without the product.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from reciplint.engine.cache import Cache
from reciplint.engine.registry import Registered
from reciplint.engine.run import Request, run
from reciplint.engine.settings import Settings
from reciplint.repo.git import Git
from reciplint.repo.snapshot import Memory, Revision

REVIEW = datetime.date(2026, 8, 18)
PULL_REQUEST = 2637
NVIDIA = "configs/nvidia-master.yaml"
CHANGELOG = "perf-changelog.yaml"
POLICY = "MODELS.md"
RUNNERS = "configs/runners.yaml"
VENDORED = "benchmarks/multi_node/srt-slurm-recipes/"
FOLDER = "vllm/kimi-k3/agentic/"
DISAGG = "kimik3-fp4-gb300-dynamo-vllm-agentic-dspark-mooncake-dcp8-disagg"
AGG = "kimik3-fp4-gb300-dynamo-vllm-agentic-dspark-mooncake-dcp8-agg"
NOSPEC = "kimik3-fp4-gb300-dynamo-vllm-agentic-mooncake-dcp8-agg"
KEYS = (DISAGG, AGG, NOSPEC)
SHAPES = ("1p1d-dcp8-dcp8-dspark4", "1p1d-dcp8-dcp8-dspark7", "1p2d-dcp8-dcp8-dspark4")
NAMES = tuple(f"disagg-gb300-{shape}-mooncake-agentic.yaml" for shape in SHAPES)
RECIPES = tuple(f"{VENDORED}{FOLDER}{name}" for name in NAMES)
WIRED, IDLE, OTHER = RECIPES
AGG_RECIPES = tuple(
    f"{VENDORED}{FOLDER}agg-gb300-dcp8-{name}-mooncake-agentic.yaml" for name in ("dspark4-maxseq2", "nospec")
)
ADDED = (*RECIPES, *AGG_RECIPES)
SNAKE = "max_num_batched_tokens"

RULES = frozenset(
    {
        "ambiguous-scalar",
        "anchor-dedup",
        "changelog-required",
        "deprecated-arm",
        "duplicate-key",
        "env-value-type",
        "final-newline",
        "internal-error",
        "kebab-case-keys",
        "missing-reason",
        "missing-recipe",
        "schema",
        "unknown-runner",
        "unreferenced-recipe",
        "unused-runner-label",
        "unused-suppression",
        "yaml-syntax",
    }
)
"""What the mutants speak of: the five checks, and every rule that reads or refers."""

Tree = dict[str, str]


class Found(NamedTuple):
    """A finding by rule and place; `keys` are the uncovered keys of a `changelog-required`."""

    rule: str
    severity: str
    path: str
    line: int
    keys: tuple[str, ...] = ()


@dataclass
class Scene:
    """A pull request: base and head by path, the review date, and the renames that git would tell (head → base)."""

    base: Tree
    head: Tree
    review: datetime.date = REVIEW
    renames: dict[str, str] = field(default_factory=dict)

    def edit(self, path: str, old: str, new: str, *, count: int = 1, base: bool = False, head: bool = True) -> None:
        """Replace text that stands exactly `count` times in the file, in the head, the base or both."""
        for tree in [tree for tree, wanted in ((self.base, base), (self.head, head)) if wanted]:
            assert tree[path].count(old) == count, f"{tree[path].count(old)} times in {path}: {old}"
            tree[path] = tree[path].replace(old, new)

    def edit_key(self, key: str, old: str, new: str) -> None:
        """Replace the first occurrence after a key's start in the head's master config."""
        text = self.head[NVIDIA]
        at = text.index(old, text.index(f"\n{key}:\n"))
        self.head[NVIDIA] = text[:at] + new + text[at + len(old) :]

    def line(self, path: str, needle: str, *, after: int = 0, nth: int = 1) -> int:
        """The nth line of a head file, beyond line `after`, that holds some text."""
        numbers = [n for n, text in enumerate(self.head[path].split("\n"), 1) if n > after and needle in text]
        assert len(numbers) >= nth, f"{path} has no {needle!r} after line {after}"
        return numbers[nth - 1]

    def key_line(self, key: str, path: str = NVIDIA) -> int:
        """Where a master key stands."""
        lines = self.head[path].split("\n")
        return next(n for n, text in enumerate(lines, 1) if re.match(rf"([\"']?){re.escape(key)}\1:", text))

    def row_line(self, key: str, nth: int = 1, path: str = NVIDIA) -> int:
        """Where the nth row of a key's first search space begins, in block style as the file is indented."""
        space = self.line(path, "search-space:", after=self.key_line(key, path))
        lines = self.head[path].split("\n")
        rows = [n for n, text in enumerate(lines, 1) if n > space and text.startswith("      - ")]
        return rows[nth - 1]

    def recipe_text(self, path: str, change: Callable[[str], str]) -> None:
        """Change a head file as a whole."""
        changed = change(self.head[path])
        assert changed != self.head[path], path
        self.head[path] = changed


@dataclass(frozen=True)
class Seed:
    """Both trees as the reviewers saw them."""

    base: Tree
    head: Tree

    @staticmethod
    def load(repository: Path) -> Seed:
        """From the corpus clone."""
        git = Git(repository)
        return Seed(*(_tree(git, f"origin/seed/{side}") for side in ("base", "head")))

    def scene(self) -> Scene:
        """A copy to change."""
        return Scene(dict(self.base), dict(self.head))


def _tree(git: Git, revision: str) -> Tree:
    snapshot = Revision(git, git.commit(revision), 1 << 26)
    return {path: content.data.decode() for path, content in snapshot.read(snapshot.paths()).items()}


@dataclass(frozen=True)
class Runner:
    """Runs the linter on scenes with one warm cache."""

    rules: dict[str, Registered]
    cache: Cache

    def found(self, scene: Scene) -> list[Found]:
        """Every finding of the pull request, in order."""
        request = Request(
            head=_memory(scene.head),
            base=_memory(scene.base),
            renames=scene.renames,
            select=RULES,
            review_date=scene.review,
            pull_request=PULL_REQUEST,
        )
        outcome = run(request, self.rules, Settings(), self.cache)
        found = (_found(item.finding) for item in outcome.findings)
        # the shape of recipes has mutants of its own: an engine renamed without its settings breaks it, and truly
        return sorted(one for one in found if one.rule != "schema" or VENDORED not in one.path)


def _found(finding: object) -> Found:
    keys = finding.arguments.get("keys", ()) if finding.rule == "changelog-required" else ()  # type: ignore[attr-defined]
    return Found(finding.rule, finding.severity, finding.path, finding.span.line, tuple(keys))  # type: ignore[attr-defined]


def _memory(tree: Tree) -> Memory:
    return Memory({path: text.encode() for path, text in tree.items()})


# ---- the statement: what is true of the seed, by places found in the text


def snake(scene: Scene, path: str, key: str = SNAKE, nth: int = 1) -> Found:
    """A key among the engine flags of a recipe that is spelled with underscores."""
    return Found("kebab-case-keys", "warning", path, scene.line(path, f" {key}:", nth=nth))


def repeated(scene: Scene, path: str, header: str = "    prefill:") -> Found:
    """Two role maps that repeat each other: reported at the first one's key."""
    after = scene.line(path, "_config:", after=scene.line(path, "_environment:"))
    return Found("anchor-dedup", "info", path, scene.line(path, header, after=after))


def idle(scene: Scene, path: str = IDLE, severity: str = "warning") -> Found:
    """A recipe that nothing names: reported at its name."""
    lines = scene.head[path].split("\n")
    line = next(n for n, text in enumerate(lines, 1) if text.lstrip().startswith("name:"))
    return Found("unreferenced-recipe", severity, path, line)


def unlisted(scene: Scene, *keys: str, path: str = NVIDIA, severity: str = "error") -> Found:
    """Keys that no added changelog entry names: reported at the first."""
    return Found("changelog-required", severity, path, min(scene.key_line(key, path) for key in keys), keys)


def deprecated(scene: Scene, key: str = NOSPEC, nth: int = 1, severity: str = "error") -> Found:
    """An arm that the policy retires: reported at its row."""
    return Found("deprecated-arm", severity, NVIDIA, scene.row_line(key, nth))


def of_recipes(scene: Scene) -> set[Found]:
    """The recipes' part of the seed."""
    return {found for path in RECIPES for found in (snake(scene, path), repeated(scene, path))}


def of_master(scene: Scene) -> set[Found]:
    """The master config's part of the seed."""
    return {unlisted(scene, *KEYS), deprecated(scene)}


def standard(scene: Scene) -> set[Found]:
    """What the seed itself is charged with."""
    return {*of_recipes(scene), idle(scene), *of_master(scene)}


Mutant = Callable[[Scene], Iterable[Found]]
"""Changes a scene and states every finding that must come of it."""


class Mutants(dict[str, Mutant]):
    """Mutants by name."""

    def add(self, function: Mutant) -> Mutant:
        """Register a mutant under its function's name."""
        return self.put(function.__name__.replace("_", "-"), function)

    def put(self, name: str, function: Mutant) -> Mutant:
        """Register a mutant under a name."""
        assert name not in self, name
        self[name] = function
        return function
