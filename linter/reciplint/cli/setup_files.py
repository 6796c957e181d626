"""What `reciplint init` writes, as texts: settings, pre-commit entry, workflow; and what kind a repository is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reciplint import __version__
from reciplint.repo.layout import project_roots, vllm_roots
from reciplint.repo.snapshot import Snapshot

PRE_COMMIT_FILE = ".pre-commit-config.yaml"
WORKFLOW_FILE = ".github/workflows/reciplint.yml"
HOME = "https://github.com/reciplint/reciplint"

_SHAPED = 50
_RECIPE_KEYS = ("name", "model", "resources", "backend")
_TOP_KEY = re.compile(r"^([A-Za-z_-]+)[ \t]*:", re.MULTILINE)
_FIRST_REPO = re.compile(r"^(?P<indent> *)-(?P<gap> +)repo[ \t]*:", re.MULTILINE)

CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1  # v7.0.1"


@dataclass(frozen=True)
class Recognised:
    """What kind of repository it is, and the directories of its projects ("" is the top)."""

    profile: str
    roots: tuple[str, ...] = ("",)

    @property
    def told(self) -> str:
        """In words."""
        places = [root or "the top" for root in self.roots]
        return f"{self.profile}, with {'a project' if len(places) == 1 else 'projects'} at {', '.join(places)}"


def recognise(snapshot: Snapshot) -> Recognised | None:
    """The profile by the files of the repository; None where none fits."""
    paths = snapshot.paths()
    roots = project_roots(paths)
    if roots:
        return Recognised("inferencex", tuple(sorted(roots)))
    roots = vllm_roots(paths)
    if roots:
        return Recognised("vllm-recipes", tuple(sorted(roots)))
    return Recognised("srt-slurm") if _has_recipes(snapshot, paths) else None


def _has_recipes(snapshot: Snapshot, paths: Iterable[str]) -> bool:
    """Whether at least half of the YAML files, of the first fifty below a directory, have the shape of a recipe."""
    listed = [path for path in paths if "/" in path and path.endswith((".yaml", ".yml")) and not path.startswith(".")]
    texts = [content.data.decode("utf-8", "replace") for content in snapshot.read(listed[:_SHAPED]).values()]
    shaped = [text for text in texts if set(_RECIPE_KEYS) <= set(_TOP_KEY.findall(text))]
    return bool(shaped) and 2 * len(shaped) >= len(texts)


def settings_text(profile: str | None, baseline: str) -> str:
    """The settings: what was recognised, the mild preset, the baseline."""
    chosen = f"profile: {profile}\n" if profile else ""
    return (
        f"# Settings of reciplint, see {HOME}\n{chosen}# advise: errors fail; enforce: warnings fail too\n"
        f"preset: advise\nbaseline: {baseline}\n"
    )


def workflow_text() -> str:
    """A workflow that lints pull requests and says on them what is new.

    It names this release by its tag: the commit behind it is known only once the release is made.
    """
    return f"""\
# Lints pull requests, annotates them, comments on them.
# {HOME}/blob/main/docs/action.md
name: reciplint

on:
  pull_request:

permissions: {{}}

concurrency:
  group: ${{{{ github.workflow }}}}-${{{{ github.event.pull_request.number }}}}
  cancel-in-progress: true

jobs:
  lint:
    name: reciplint
    runs-on: ubuntu-24.04
    timeout-minutes: 10
    permissions:
      contents: read
      pull-requests: write  # the comments
    steps:
      - uses: {CHECKOUT}
        with:
          ref: ${{{{ github.event.pull_request.head.sha }}}}  # comments go to the lines of the head
          persist-credentials: false
      - uses: reciplint/reciplint@v{__version__}  # to pin it, write the commit of this tag instead
        with:
          comment: true
"""


def hook_lines(indent: str = "", gap: str = " ") -> list[str]:
    """The entry of a pre-commit configuration, in lines, below `repos:`."""
    inner = f"{indent} {gap}"
    return [
        f"{indent}-{gap}repo: {HOME}",
        f"{inner}rev: v{__version__}",
        f"{inner}hooks:",
        f"{inner}{indent}-{gap}id: reciplint",
    ]


def with_hook(before: bytes | None) -> bytes | None:
    """A pre-commit configuration with the hook at its end, not a byte before it moved.

    None where that cannot be done: `repos` is not the last thing in the file, or no block of items.
    """
    if before is None:
        return ("repos:\n" + "\n".join(hook_lines()) + "\n").encode()
    try:
        text = before.decode("utf-8")
    except UnicodeDecodeError:
        return None
    first = _FIRST_REPO.search(text)
    if first is None:
        return None
    line_break = "\r\n" if "\r\n" in text else "\n"
    added = "".join(f"{line}{line_break}" for line in hook_lines(first["indent"], first["gap"]))
    after = text + ("" if text.endswith("\n") else line_break) + added
    return after.encode() if _adds_one_repo(text, after) else None


def has_hook(before: bytes | None) -> bool:
    """Whether a pre-commit configuration speaks of reciplint already."""
    return before is not None and b"id: reciplint" in before


def _adds_one_repo(before: str, after: str) -> bool:
    old, new = _loaded(before), _loaded(after)
    if not isinstance(old, dict) or not isinstance(new, dict) or not isinstance(old.get("repos"), list):
        return False
    hook: Mapping[str, object] = {"repo": HOME, "rev": f"v{__version__}", "hooks": [{"id": "reciplint"}]}
    return new == {**old, "repos": [*old["repos"], hook]}


def _loaded(text: str) -> object:
    import yaml

    try:
        return yaml.load(text, yaml.CSafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
