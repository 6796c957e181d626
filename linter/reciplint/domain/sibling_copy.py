"""A new key made after a sibling: which fields of its row and of its recipes follow from the two names and from what
the repository says, and which somebody has to decide.

What is derived: model prefix, precision, framework and hardware from the name; the model from keys of the same prefix
and precision; the runner from the labels; paths and names by their words. Image, flags and sizes are the sibling's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reciplint.domain.listing import some_of
from reciplint.domain.master import MasterEntry
from reciplint.domain.project import Project
from reciplint.domain.references import Resolved, Use
from reciplint.domain.sibling_copy_name import KeyName, NotCopied, read_new, read_sibling, renaming
from reciplint.yamltree.edit import Path, RenameKey, SetScalar
from reciplint.yamltree.edit_blocks import entry_block
from reciplint.yamltree.edit_places import position_of
from reciplint.yamltree.replacing import Refused
from reciplint.yamltree.tree import Mapping, Scalar, Tree

_BODY = re.compile(r"base|(zip_)?override_.*")
_MARK = "srt-slurm-recipes/"


@dataclass(frozen=True)
class FileCopy:
    """A recipe to write at `path` after the one at `source`, with what is set anew in it."""

    source: str
    path: str
    operations: tuple[SetScalar, ...]


@dataclass(frozen=True)
class Copy:
    """A key to write behind its sibling in a master config: `operations` speak of the sibling's block alone, under the
    sibling's name until it is renamed. `by_hand` is left to decide, in words."""

    master: str
    sibling: str
    key: str
    operations: tuple[SetScalar | RenameKey, ...]
    recipes: tuple[FileCopy, ...]
    by_hand: tuple[str, ...]


def copy_sibling(project: Project, sibling: str, key: str) -> Copy:
    """What makes a key of a sibling of the project. Raises `NotCopied`."""
    if key in project.keys:
        raise NotCopied(f"{key} already stands in {project.keys[key][0].path}")
    master, entry = project.keys[sibling]
    frameworks = {other.framework for _, other in project.keys.values() if other.framework}
    work = _Work(project, entry, key, read_sibling(entry), read_new(key, frameworks))
    tree = project.tree(master.path)
    assert tree is not None
    operations: tuple[SetScalar | RenameKey, ...] = (
        *work.fields(),
        *work.references(tree),
        RenameKey(master.path, (sibling,), key),
    )
    work.tell_comments(tree)
    return Copy(master.path, sibling, key, operations, tuple(work.recipes.values()), tuple(dict.fromkeys(work.by_hand)))


class _Work:
    """A copy being planned; `by_hand` grows as it goes."""

    def __init__(self, project: Project, entry: MasterEntry, key: str, old: KeyName, new: KeyName) -> None:
        self.by_hand: list[str] = []
        self.recipes: dict[str, FileCopy] = {}
        self._project, self._entry, self._key = project, entry, key
        self._old, self._new = old, new
        self._renaming = renaming(old, new)
        self._master = project.keys[entry.key][0].path
        self._model = self._derived_model()
        self._runner = self._derived_runner()
        self._folder = self._renaming.applied(entry.recipe_folder)
        self._tell_arm()

    # ---- the row's settings

    def fields(self) -> Iterator[SetScalar]:
        """The settings of the key that become others."""
        wanted = {
            "model": (self._entry.model, self._model),
            "model-prefix": (self._entry.prefix, self._new.prefix),
            "runner": (self._entry.runner, self._runner),
            "precision": (self._entry.precision, self._new.precision),
            "framework": (self._entry.framework, self._new.framework),
            "srt-recipe-dir": (self._entry.recipe_folder, self._folder),
        }
        for name, (old, new) in wanted.items():
            if old and new and old != new:
                yield SetScalar(self._master, (self._entry.key, name), new)
        if (self._old.hardware, self._old.framework) != (self._new.hardware, self._new.framework):
            self._tell_image()

    def _derived_model(self) -> str:
        """The model of the keys that are most alike in what the name says; the sibling's where none is."""
        old, new, entry = self._old, self._new, self._entry
        others = [other for _, other in self._project.keys.values() if other.model]
        same = [other for other in others if (other.prefix, other.precision) == (new.prefix, new.precision)]
        on = [other for other in same if self._hardware_of(other) == new.hardware]
        levels = [[other for other in on if other.framework == new.framework], on]
        if (old.prefix, old.precision) != (new.prefix, new.precision):
            levels += [[other for other in same if other.framework == new.framework], same]
        models = next((sorted({other.model or "" for other in level}) for level in levels if level), [])
        if len(models) == 1:
            return models[0]
        if models and entry.model not in models:
            self.by_hand.append(f"model: {entry.model} is {entry.key}'s; keys that are alike run {some_of(models)}")
        elif not models and (old.prefix, old.precision) != (new.prefix, new.precision):
            self.by_hand.append(f"model: {entry.model} is {entry.key}'s; no key says which {self._key} runs")
        return entry.model or ""

    def _hardware_of(self, entry: MasterEntry) -> str:
        try:
            return read_sibling(entry).hardware
        except NotCopied:
            return ""

    def _derived_runner(self) -> str:
        """The sibling's label for the new hardware, or the only one of its scope."""
        label = self._entry.runner or ""
        if self._old.hardware == self._new.hardware or self._project.runners is None:
            if self._old.hardware != self._new.hardware:
                self.by_hand.append(
                    f"runner: {label} is {self._entry.key}'s; no runners file says which has the hardware"
                )
            return label
        labels = [found.name for found in self._project.runners.labels]
        renamed = self._renaming.applied(label)
        if renamed != label and renamed in labels:
            return renamed
        scope = label.partition(":")[0] if ":" in label else ""
        fitting = [
            name
            for name in labels
            if (name.partition(":")[0] if ":" in name else "") == scope
            and self._new.hardware in name.rpartition(":")[2].split("-")
        ]
        if len(fitting) == 1:
            return fitting[0]
        said = (
            f"of {self._new.hardware} there are {some_of(fitting)}" if fitting else f"none is of {self._new.hardware}"
        )
        self.by_hand.append(f"runner: {label} is {self._entry.key}'s; {said}")
        return label

    def _tell_image(self) -> None:
        alike = {
            other.image
            for _, other in self._project.keys.values()
            if other.image and other.framework == self._new.framework and self._hardware_of(other) == self._new.hardware
        }
        if self._entry.image not in alike:
            there = f"; {self._new.framework} on {self._new.hardware} runs {some_of(sorted(alike))}" if alike else ""
            self.by_hand.append(f"image: {self._entry.image} is {self._entry.key}'s{there}")

    def _tell_arm(self) -> None:
        found = self._renaming
        arm = [f"{old} → {found.words[old]}" for old in self._old.arm if old in found.words]
        if arm:
            self.by_hand.append(f"{', '.join(arm)}: changed in names alone; rows and flags are {self._entry.key}'s")
        if found.added:
            self.by_hand.append(f"{', '.join(found.added)}: new in the name; rows and flags are {self._entry.key}'s")
        if found.dropped:
            self.by_hand.append(
                f"{', '.join(found.dropped)}: gone from the name; rows and flags are {self._entry.key}'s"
            )

    # ---- recipes

    def references(self, tree: Tree) -> Iterator[SetScalar]:
        """The rows' recipes by their new names, where those are copied or elsewhere; plans the copies."""
        renamed: dict[str, str] = {}
        for use, resolved in self._project.resolver.resolved:
            if use.entry is self._entry:
                text = self._renamed(use, resolved)
                if text != use.reference.text:
                    renamed[use.reference.text] = text
        if not any(arm_row.references for arm in self._entry.arms for arm_row in arm.rows):
            self.by_hand.append(
                f"what {self._entry.key} runs is told by no row: a script of the launcher has to know {self._key}"
            )
        if not renamed:
            return
        pattern = re.compile(
            rf"(?<![^\s=])(?:{'|'.join(map(re.escape, sorted(renamed, key=len, reverse=True)))})(?![^\s:])"
        )
        for place, node in tree.walk():
            if place[:1] == (self._entry.key,) and isinstance(node, Scalar) and _may_name_recipe(place):
                value = pattern.sub(lambda found: renamed[found[0]], node.value)
                if value != node.value:
                    yield SetScalar(self._master, place, value)

    def _renamed(self, use: Use, resolved: Resolved) -> str:
        """How the new key's row names its recipe."""
        text = self._renaming.applied(use.reference.text)
        if len(resolved.files) != 1:
            if text != use.reference.text or self._folder != self._entry.recipe_folder:
                self.by_hand.append(f"recipe: {text} is not made, for {use.reference.text} is not in this repository")
            return text
        source = resolved.files[0]
        head, mark, inside = source.partition(_MARK)
        path = f"{head}{mark}{self._renaming.applied(inside)}" if mark else self._renaming.applied(source)
        if path == source:
            self.by_hand.append(f"recipe: {self._key} runs {source} too, for its path has no word that changes")
        elif path in self._project.recipe_paths:
            self.by_hand.append(f"recipe: {path} stands already and is left as it is")
        elif self._old.framework != self._new.framework:
            self.by_hand.append(f"recipe: {path} has to be written for {self._new.framework}, {source} is not")
        elif source not in self.recipes:
            self.recipes[source] = FileCopy(source, path, tuple(self._recipe_fields(source, path)))
        return text

    def _recipe_fields(self, source: str, path: str) -> Iterator[SetScalar]:
        tree = self._project.tree(source)
        for place, node in tree.walk() if tree is not None else ():
            if not isinstance(node, Scalar):
                continue
            value = self._recipe_value(_inside(place), node.value)
            if value != node.value:
                yield SetScalar(path, place, value)
            elif left := [word for word in self._renaming.left_in(value) if _tells(word)]:
                where = "/".join(map(str, place))
                self.by_hand.append(f"{path}: {where} still says {', '.join(left)}")
        self._tell_gpus(source, path)

        if tree is not None:
            self._tell_comments(path, tree, 0, len(tree.text))

    def _recipe_value(self, place: Path, value: str) -> str:
        """What a field of a recipe becomes."""
        if place[:1] == ("name",):
            return self._renaming.applied(value)
        if place == ("model", "precision") and value == self._old.precision:
            return self._new.precision
        if place == ("resources", "gpu_type") and value == self._old.hardware:
            return self._new.hardware
        model = value.removeprefix("hf:")
        if self._entry.model and self._model and model.lower() == self._entry.model.lower():
            return f"{value[: len(value) - len(model)]}{self._model}"
        return value

    def _tell_gpus(self, source: str, path: str) -> None:
        runners = self._project.runners
        hardware = runners.hardware_of(self._runner) if runners is not None else None
        recipe = self._project.recipes.get(source)
        counts = {variant.gpus_per_node for variant in recipe.facts.variants} if recipe is not None else set()
        if hardware is not None and hardware.gpus_per_node and counts - {hardware.gpus_per_node}:
            self.by_hand.append(
                f"{path}: {self._runner} has {hardware.gpus_per_node} GPUs a node, the recipe is for others"
            )

    # ---- comments, which are copied as they stand

    def tell_comments(self, master: Tree) -> None:
        """The comments of the sibling's block in its master config, those above its key among them."""
        assert isinstance(master.root, Mapping)
        try:
            block = entry_block(master, master.root, position_of(master.root, self._entry.key))
        except Refused:
            return  # such a block is not copied
        self._tell_comments(f"{self._key} ({self._entry.key} in {self._master})", master, block.start, block.end)

    def _tell_comments(self, what: str, tree: Tree, start: int, end: int) -> None:
        said: dict[str, None] = {}
        lines: dict[str, None] = {}
        for comment in tree.comments:
            left = filter(_tells, self._renaming.left_in(comment.text.lower())) if start <= comment.start < end else ()
            for word in left:
                said[word] = None
                lines[str(tree.lines.span(comment.start, comment.start).line)] = None
        if said:
            number = "line" if len(lines) == 1 else "lines"
            self.by_hand.append(f"{what}: comments still say {', '.join(said)}, {number} {some_of(list(lines))}")


def _may_name_recipe(place: Path) -> bool:
    return place[-1] in ("srt-recipe", "eval-srt-recipe") or "additional-settings" in place


def _inside(place: Path) -> Path:
    """A place within its body: of a bundle, below `base` or an override."""
    return place[1:] if len(place) > 1 and isinstance(place[0], str) and _BODY.fullmatch(place[0]) else place


def _tells(word: str) -> bool:
    """Whether a word says something wherever it stands, as a GPU's name does and `agg` or `8` does not."""
    return len(word) > 3 or (any(letter.isdigit() for letter in word) and not word.isdigit())
