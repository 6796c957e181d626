"""What is kept of a file once it is parsed: the facts that projects are built from, by kind."""

from __future__ import annotations

from collections.abc import Callable

from reciplint.domain.changelog import Changelog, read_changelog
from reciplint.domain.document import Document
from reciplint.domain.golden_curves import Curve, read_curve
from reciplint.domain.master import MasterConfig, read_archive, read_master
from reciplint.domain.policy import Policy, read_policy
from reciplint.domain.recipe import Recipe, read_recipe
from reciplint.domain.runners import Runners, read_runners
from reciplint.domain.script import Mentions, read_mentions
from reciplint.domain.vllm_recipe import VllmRecipe, read_vllm_recipe
from reciplint.domain.vllm_taxonomy import (
    Platforms,
    Strategy,
    Taxonomy,
    read_platforms,
    read_strategy,
    read_taxonomy,
)
from reciplint.repo.kinds import Kind
from reciplint.yamltree.tree import Tree

Facts = (
    MasterConfig
    | Recipe
    | Changelog
    | Runners
    | Policy
    | Curve
    | Mentions
    | VllmRecipe
    | Strategy
    | Taxonomy
    | Platforms
    | None
)

_TREE_READERS: dict[Kind, Callable[[Tree], Facts]] = {
    Kind.MASTER: read_master,
    Kind.ARCHIVE: read_archive,
    Kind.RECIPE: read_recipe,
    Kind.CHANGELOG: read_changelog,
    Kind.RUNNERS: read_runners,
    Kind.CURVE: read_curve,
    Kind.VLLM_RECIPE: read_vllm_recipe,
    Kind.VLLM_STRATEGY: read_strategy,
    Kind.VLLM_TAXONOMY: read_taxonomy,
    Kind.VLLM_PLATFORMS: read_platforms,
}


def read_facts(document: Document) -> Facts:
    """The facts of a document; None for a kind that has none or a text without a tree."""
    if document.kind in (Kind.SCRIPT, Kind.WORKFLOW):
        return read_mentions(document.data)
    if document.kind is Kind.POLICY:
        return read_policy(document.data.decode("utf-8", "replace"))
    reader = _TREE_READERS.get(document.kind)
    return None if reader is None or document.tree is None else reader(document.tree)
