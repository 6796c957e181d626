"""A file that says how models are served, read whichever of the three kinds it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from reciplint.domain.document import Document
from reciplint.domain.recipe import is_recipe
from reciplint.domain.serving.config import Deployment
from reciplint.domain.serving.from_command import read_markdown_deployments, read_shell_deployments
from reciplint.domain.serving.from_recipe import read_recipe_deployments
from reciplint.domain.serving.vllm_sheets import Library, Sheet
from reciplint.repo.kinds import Kind
from reciplint.yamltree.tree import Mapping, Tree

_TAXONOMY = "taxonomy.yaml"
_STRATEGY_FOLDERS = ("strategies", "kv_store")
_YAML = (".yaml", ".yml")
_MARKDOWN = (".md", ".markdown")


@dataclass(frozen=True)
class ServingFile:
    """A file's bytes by the name it was asked for. `deployments` are read but of a vLLM recipe, whose `recipe` and
    `library` they are made of; `shared` are the files of the library."""

    name: str
    data: bytes
    deployments: tuple[Deployment, ...] = ()
    recipe: Sheet | None = None
    library: Library | None = None
    root: Path | None = None


def read_serving_file(name: str) -> ServingFile:
    """Read a recipe, a vLLM recipe, a shell script or a Markdown page. Raises `UsageError` for anything else."""
    path = Path(name)
    data = path.read_bytes()
    if path.suffix.lower() in _YAML:
        tree = _tree(name, data)
        if is_recipe(tree.root):
            return ServingFile(name, data, read_recipe_deployments(tree, name))
        if is_vllm_recipe(tree):
            return read_vllm_recipe(name, data, tree)
        raise click.UsageError(f"{name} is neither a recipe of srt-slurm (name, resources, backend) nor one of vLLM's")
    text = data.decode("utf-8", "replace")
    reader = read_markdown_deployments if path.suffix.lower() in _MARKDOWN else read_shell_deployments
    return ServingFile(name, data, reader(text, name))


def read_vllm_recipe(name: str, data: bytes, tree: Tree) -> ServingFile:
    """A vLLM recipe with the taxonomy and the strategies above it. Raises `UsageError` where there are none."""
    for folder in Path(name).resolve().parents:
        if (folder / _TAXONOMY).is_file():
            files = [file for name in _STRATEGY_FOLDERS for file in sorted((folder / name).glob("*.yaml"))]
            sheets = [_sheet(file) for file in files]
            strategies = {sheet.text("name"): sheet for sheet in sheets}
            library = Library(_sheet(folder / _TAXONOMY), strategies)
            return ServingFile(name, data, recipe=Sheet(name, tree), library=library, root=folder)
    raise click.UsageError(
        f"{name} is a recipe of vLLM's, but no {_TAXONOMY} lies above it: hardware and strategies are read from there"
    )


def is_vllm_recipe(tree: Tree) -> bool:
    """Whether a YAML file has the shape of a recipe of vLLM's."""
    root = tree.root
    if not isinstance(root, Mapping):
        return False
    model = root.get("model")
    return isinstance(model, Mapping) and "model_id" in model.effective() and "variants" in root.effective()


def _sheet(path: Path) -> Sheet:
    name = str(path)
    return Sheet(name, _tree(name, path.read_bytes()))


def _tree(name: str, data: bytes) -> Tree:
    document = Document(name, Kind.YAML, data)
    if document.tree is None:
        raise click.UsageError(f"{name} is no readable YAML")
    return document.tree
