"""The kinds of file that reciplint knows."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What a file is, by its place (and for recipes outside a known place, by its shape)."""

    MASTER = "master"  # an active master config
    ARCHIVE = "archive"  # a retired master config: read for references only
    RUNNERS = "runners"
    CHANGELOG = "changelog"
    RECIPE = "recipe"  # an srt-slurm recipe, schema 1 or 2
    SHARED_BLOCK = "shared-block"  # what October recipes are merged over
    LLMD_RECIPE = "llm-d-recipe"
    CURVE = "curve"  # a golden acceptance-length curve
    POLICY = "policy"  # MODELS.md
    OWNERS = "owners"  # CODEOWNERS
    VLLM_RECIPE = "vllm-recipe"  # models/<org>/<repo>.yaml of a repository of vLLM recipes
    VLLM_STRATEGY = "vllm-strategy"  # a serving strategy or KV-store deployment that those recipes name
    VLLM_TAXONOMY = "vllm-taxonomy"  # the vocabulary of those recipes
    VLLM_PLATFORMS = "vllm-platforms"  # the hosting platforms that those recipes name
    SCRIPT = "script"  # shell or Python that may name recipes
    MARKDOWN = "markdown"  # a page whose fenced shell commands may start servers
    WORKFLOW = "workflow"  # a GitHub Actions workflow
    SETTINGS = "settings"  # .reciplint.yaml
    YAML = "yaml"  # any other YAML

    @property
    def is_yaml(self) -> bool:
        """Whether a file of this kind is YAML and gets the YAML rules."""
        return self not in (Kind.POLICY, Kind.OWNERS, Kind.SCRIPT, Kind.MARKDOWN)


ANY_YAML = frozenset(kind for kind in Kind if kind.is_yaml)
