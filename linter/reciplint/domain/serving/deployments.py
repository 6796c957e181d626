"""The deployments of a document, or of each vLLM recipe of a project.

A document's are read once for all rules that ask for them one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from reciplint.domain.document import Document
from reciplint.domain.project import Project
from reciplint.domain.serving.config import Deployment
from reciplint.domain.serving.from_recipe import read_recipe_deployments
from reciplint.repo.kinds import Kind

KINDS = frozenset((Kind.RECIPE, Kind.SCRIPT, Kind.MARKDOWN))
"""The kinds of document that say by themselves how a model is served."""

_PYTHON = re.compile(r"^#!.*python|^(?:import|from) \w[\w.]*(?: import .*)?$|^(?:def|class) \w+.*:$", re.MULTILINE)


@lru_cache(maxsize=1)
def document_deployments(document: Document) -> tuple[Deployment, ...]:
    """What a recipe, a shell script or the fenced commands of a Markdown page start; nothing for other kinds, and for a
    script of another language."""
    if document.kind is Kind.RECIPE:
        return read_recipe_deployments(document.tree, document.path) if document.tree is not None else ()
    if document.kind not in (Kind.SCRIPT, Kind.MARKDOWN):
        return ()
    from reciplint.domain.serving import from_command

    if document.kind is Kind.MARKDOWN:
        if not from_command.is_page_worth_reading(document.data):
            return ()
        return from_command.read_markdown_deployments(document.data.decode("utf-8", "replace"), document.path)
    if not from_command.is_worth_reading(document.data):
        return ()
    text = document.data.decode("utf-8", "replace")
    return () if _PYTHON.search(text) else from_command.read_shell_deployments(text, document.path)


def recipe_deployments(project: Project) -> Iterator[tuple[str, Iterator[Deployment]]]:
    """Each vLLM recipe of a project with what it offers, rendered as it is asked for; none where the vocabulary lies
    elsewhere."""
    vllm = project.vllm
    if not vllm.recipes or not vllm.taxonomy_path:
        return
    from reciplint.domain.serving.from_vllm_recipe import read_vllm_recipe_deployments
    from reciplint.domain.serving.vllm_sheets import Library, Sheet

    def sheet(path: str, kind: Kind) -> Sheet | None:
        data = contents.get(path)
        tree = Document(path, kind, data).tree if data is not None else None
        return Sheet(path, tree) if tree is not None else None

    contents = project.read_all([vllm.taxonomy_path, *vllm.strategies, *vllm.recipes])
    taxonomy = sheet(vllm.taxonomy_path, Kind.VLLM_TAXONOMY)
    if taxonomy is None:
        return
    strategies = [found for path in vllm.strategies if (found := sheet(path, Kind.VLLM_STRATEGY))]
    library = Library(taxonomy, {strategy.text("name"): strategy for strategy in strategies})
    for path in vllm.recipes:
        recipe = sheet(path, Kind.VLLM_RECIPE)
        if recipe is not None:
            yield path, read_vllm_recipe_deployments(recipe, library)
