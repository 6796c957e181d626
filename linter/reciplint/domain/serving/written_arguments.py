"""The processes whose flags and variables a document writes, each with the release that it is meant for.

Recipes, scripts and pages say whole processes. Of a vLLM recipe or strategy each list of arguments stands for one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from reciplint.domain.document import Document
from reciplint.domain.releases import Version, engine_version
from reciplint.domain.serving.config import Place, ServeConfig, processes
from reciplint.domain.serving.deployments import KINDS as DEPLOYING
from reciplint.domain.serving.deployments import document_deployments
from reciplint.repo.kinds import Kind

KINDS = frozenset((*DEPLOYING, Kind.VLLM_RECIPE, Kind.VLLM_STRATEGY))
"""The kinds of document that write flags or variables of engines."""


class Written(NamedTuple):
    """A process, and the release of its engine: `release` is None where it is not known, `said` is what tells it as
    written (an image, a minimum version), `told_at` where, if that is not the process's own image."""

    process: ServeConfig
    release: Version | None
    said: str = ""
    told_at: Place | None = None

    @property
    def said_at(self) -> Place | None:
        """Where the release is told."""
        return self.told_at or self.process.image_place


@lru_cache(maxsize=1)
def written_processes(document: Document) -> tuple[Written, ...]:
    """Every process of a document, or what stands for one; read once for all rules that ask one after the other."""
    if document.kind in (Kind.VLLM_RECIPE, Kind.VLLM_STRATEGY):
        from reciplint.domain.serving.written_lists import written_lists  # brings in the reader of commands

        return tuple(written_lists(document.path, document.tree)) if document.tree is not None else ()
    return tuple(
        Written(process, _release(process.image, process.engine), process.image)
        for process in processes(document_deployments(document))
    )


@lru_cache(maxsize=1024)
def _release(image: str, engine: str) -> Version | None:
    return engine_version(image, engine) if image else None
