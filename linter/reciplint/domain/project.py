"""A project at one revision: the typed views of its files, and how they refer to one another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from posixpath import dirname

import msgspec

from reciplint.domain.changelog import Changelog
from reciplint.domain.document import Document
from reciplint.domain.facts import Facts
from reciplint.domain.golden_curves import Curve, GoldenCurve, GoldenCurves, golden_curves
from reciplint.domain.master import MasterConfig, MasterEntry, MasterFile
from reciplint.domain.pairing import Pair, pairs
from reciplint.domain.policy import Policy
from reciplint.domain.recipe import Recipe, RecipeFile
from reciplint.domain.recipe_maps import SettingsMap, read_maps
from reciplint.domain.references import Resolver, uses
from reciplint.domain.runners import Runners
from reciplint.domain.script import Mentions
from reciplint.domain.variant_places import span_of
from reciplint.domain.vllm_recipe import VllmRecipe, VllmRecipeFile
from reciplint.domain.vllm_recipes import VllmRecipes
from reciplint.domain.vllm_taxonomy import Platforms, Strategy, Taxonomy
from reciplint.repo.kinds import Kind
from reciplint.yamltree.spans import FILE_START, Span
from reciplint.yamltree.tree import Tree

_WITH_FACTS = frozenset({Kind.MASTER, Kind.ARCHIVE, Kind.RUNNERS, Kind.CHANGELOG, Kind.POLICY, Kind.RECIPE, Kind.CURVE})


class Project(msgspec.Struct, frozen=True, dict=True):
    """One project: `root` is its directory ("" at the top), None for recipes that lie in no project.

    `parsed` has some trees that this run made anyway, by the bytes of their files.
    `unread` are the kinds of which a file could not be read: what such a file names or holds is not known.
    """

    root: str | None
    masters: tuple[MasterFile, ...] = ()
    archives: tuple[MasterFile, ...] = ()
    recipes: Mapping[str, RecipeFile] = {}
    recipe_paths: tuple[str, ...] = ()
    runners: Runners | None = None
    runners_path: str = ""
    changelog: Changelog | None = None
    changelog_path: str = ""
    policy: Policy | None = None
    policy_path: str = ""
    curve_files: Mapping[str, Curve] = {}
    other_curves: tuple[GoldenCurve, ...] = ()
    mentions: Mapping[str, Mentions] = {}
    vllm: VllmRecipes = VllmRecipes()
    blobs: Mapping[str, str] = {}
    unread: frozenset[Kind] = frozenset()
    read_all: Callable[[Iterable[str]], Mapping[str, bytes]] = lambda paths: {}
    parsed: Mapping[bytes, Tree] = {}

    @cached_property
    def resolver(self) -> Resolver:
        """How references resolve here."""
        return Resolver(self.root or "", self.recipe_paths, uses(self.masters), uses(self.archives), self.mentions)

    @cached_property
    def keys(self) -> dict[str, tuple[MasterFile, MasterEntry]]:
        """Every active key with its file; the first wins where a key stands twice."""
        found: dict[str, tuple[MasterFile, MasterEntry]] = {}
        for master in self.masters:
            for entry in master.entries:
                found.setdefault(entry.key, (master, entry))
        return found

    @cached_property
    def curves(self) -> GoldenCurves:
        """The golden curves of the repository's files and of the settings."""
        return golden_curves(self.curve_files, self.other_curves)

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every active row beside each vendored variant that it runs; none where several files may be meant."""
        found: list[Pair] = []
        for use, resolved in self.resolver.resolved:
            if use.reference.purpose != "recipe" or len(resolved.files) != 1:
                continue
            if (recipe := self.recipes.get(resolved.files[0])) is not None:
                found += pairs(use, recipe)
        return found

    def tree(self, path: str) -> Tree | None:
        """The tree of a recipe, or of another YAML file, parsed when first asked for; None where it has none."""
        if path not in self._trees:
            data = self.read(path)
            if data is not None:
                self._trees[path] = self.parsed.get(data) or Document(path, Kind.RECIPE, data).tree
        return self._trees.get(path)

    def trees(self, paths: Iterable[str]) -> Mapping[str, Tree | None]:
        """The trees of several recipes, their bytes asked for at once."""
        asked = list(paths)
        data = self.read_all([path for path in asked if path not in self._trees])
        for path, each in data.items():
            self._trees[path] = self.parsed.get(each) or Document(path, Kind.RECIPE, each).tree
        return {path: self._trees.get(path) for path in asked}

    @cached_property
    def _trees(self) -> dict[str, Tree | None]:
        return {}

    def maps(self, path: str) -> tuple[SettingsMap, ...]:
        """The settings maps of a recipe, read when first asked for."""
        if path not in self._maps:
            tree = self.tree(path)
            self._maps[path] = read_maps(tree) if tree is not None else ()
        return self._maps[path]

    @cached_property
    def _maps(self) -> dict[str, tuple[SettingsMap, ...]]:
        return {}

    def recipes_of(self, folder: str) -> tuple[str, ...]:
        """The recipes that lie directly in a folder, sorted, those that cannot be read too."""
        return tuple(self._folders.get(folder, ()))

    @cached_property
    def _folders(self) -> dict[str, list[str]]:
        folders: dict[str, list[str]] = {}
        for path in self.recipe_paths:
            folders.setdefault(dirname(path), []).append(path)
        return folders

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; None where there is none. For several files, `read_all` is one call of git."""
        return self.read_all([path]).get(path)

    def recipe_span(self, path: str) -> Span:
        """Where a recipe says its name; the start of a file that is no readable recipe."""
        recipe = self.recipes.get(path)
        return recipe.facts.name_span if recipe is not None else FILE_START

    def variant_span(self, path: str, selector: str, keys: tuple[str | int, ...]) -> Span:
        """Where a value of a recipe's variant is written; its name where the recipe cannot be parsed again."""
        tree = self.tree(path)
        return span_of(tree, selector, keys) if tree is not None else self.recipe_span(path)

    def relative(self, path: str) -> str:
        """A path as seen from the project's root."""
        return path[len(self.root) + 1 :] if self.root and path.startswith(f"{self.root}/") else path


class Change(msgspec.Struct, frozen=True):
    """A project at its base and its head. `renames` gives the base path of files that moved."""

    base: Project | None
    head: Project
    renames: Mapping[str, str] = {}

    def base_path(self, path: str) -> str:
        """Where a head file stood at the base: as renamed, else at the same place below the project's root."""
        if path in self.renames:
            return self.renames[path]
        if self.base is None or self.base.root is None or self.base.root == self.head.root:
            return path
        inside = self.head.relative(path)
        return f"{self.base.root}/{inside}" if self.base.root else inside

    def is_changed(self, path: str) -> bool:
        """Whether a head file is new or its bytes differ from the base's."""
        if self.base is None:
            return True
        return self.base.blobs.get(self.base_path(path)) != self.head.blobs.get(path)


def build_project(
    root: str | None,
    files: Mapping[str, tuple[Kind, Facts]],
    blobs: Mapping[str, str],
    read_all: Callable[[Iterable[str]], Mapping[str, bytes]],
    parsed: Mapping[bytes, Tree] | None = None,
) -> Project:
    """A project from the facts of its files, given by path with their kinds."""
    masters: list[MasterFile] = []
    archives: list[MasterFile] = []
    recipes: dict[str, RecipeFile] = {}
    curves: dict[str, Curve] = {}
    mentions: dict[str, Mentions] = {}
    vllm_recipes: dict[str, VllmRecipeFile] = {}
    strategies: dict[str, Strategy] = {}
    single: dict[Kind, tuple[str, Facts]] = {}
    recipe_paths: list[str] = []
    unread: set[Kind] = set()
    for path, (kind, facts) in sorted(files.items()):
        if kind in (Kind.RECIPE, Kind.LLMD_RECIPE):
            recipe_paths.append(path)
        if kind is Kind.VLLM_RECIPE:  # also one that cannot be read: other recipes may name it
            vllm_recipes[path] = VllmRecipeFile(path, facts if isinstance(facts, VllmRecipe) else VllmRecipe(()))
        elif isinstance(facts, MasterConfig):
            (archives if kind is Kind.ARCHIVE else masters).append(MasterFile(path, facts.entries, facts.comment_paths))
        elif isinstance(facts, Recipe):
            recipes[path] = RecipeFile(path, facts)
        elif isinstance(facts, Curve):
            curves[path] = facts
        elif isinstance(facts, Mentions):
            mentions[path] = facts
        elif isinstance(facts, Strategy):
            strategies[path] = facts
        elif facts is not None:
            single.setdefault(kind, (path, facts))
        elif kind in _WITH_FACTS:
            unread.add(kind)
    runners_path, runners = single.get(Kind.RUNNERS, ("", None))
    changelog_path, changelog = single.get(Kind.CHANGELOG, ("", None))
    policy_path, policy = single.get(Kind.POLICY, ("", None))
    taxonomy_path, taxonomy = single.get(Kind.VLLM_TAXONOMY, ("", None))
    platforms_path, platforms = single.get(Kind.VLLM_PLATFORMS, ("", None))
    return Project(
        root=root,
        masters=tuple(masters),
        archives=tuple(archives),
        recipes=recipes,
        recipe_paths=tuple(recipe_paths),
        runners=runners if isinstance(runners, Runners) else None,
        runners_path=runners_path,
        changelog=changelog if isinstance(changelog, Changelog) else None,
        changelog_path=changelog_path,
        policy=policy if isinstance(policy, Policy) else None,
        policy_path=policy_path,
        curve_files=curves,
        mentions=mentions,
        vllm=VllmRecipes(
            vllm_recipes,
            strategies,
            taxonomy if isinstance(taxonomy, Taxonomy) else None,
            taxonomy_path,
            platforms if isinstance(platforms, Platforms) else None,
            platforms_path,
            root or "",
        ),
        blobs=blobs,
        unread=frozenset(unread),
        read_all=read_all,
        parsed=parsed or {},
    )
