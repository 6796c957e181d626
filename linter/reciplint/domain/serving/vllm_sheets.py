"""The files that a vLLM recipe's commands are made of: the recipe, the strategies, the taxonomy; read by path, with the
place of every argument."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from reciplint.domain.reading import amount
from reciplint.domain.serving.config import Piece, Place, Source, Spelled, Value, Variable, symbolic
from reciplint.domain.serving.from_recipe import text_place
from reciplint.yamltree.scalars import load, scalar_value
from reciplint.yamltree.tree import Entry, Node, Scalar, Sequence, Tree, target
from reciplint.yamltree.tree import Mapping as MappingNode


@dataclass(frozen=True)
class Sheet:
    """A YAML file, as its tree and as loaded."""

    path: str
    tree: Tree

    @cached_property
    def source(self) -> Source:
        """The file, for places."""
        return Source(self.path, self.tree.lines)

    @cached_property
    def value(self) -> Any:
        """The loaded file."""
        return load(self.tree.root)

    def at(self, *path: str | int) -> Any:
        """The loaded value at a path; None where there is none."""
        value = self.value
        for part in path:
            if isinstance(value, list) and isinstance(part, int):
                value = value[part] if part < len(value) else None
            else:
                value = value.get(part) if isinstance(value, dict) else None
        return value

    def mapping(self, *path: str | int) -> dict[str, Any]:
        """A mapping at a path; empty for anything else."""
        value = self.at(*path)
        return value if isinstance(value, dict) else {}

    def text(self, *path: str | int) -> str:
        """A text at a path; "" for anything else."""
        value = self.at(*path)
        return value if isinstance(value, str) else ""

    def texts(self, *path: str | int) -> list[str]:
        """The texts of a list at a path; none for anything else."""
        value = self.at(*path)
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

    def size(self, *path: str | int) -> int | None:
        """A whole number above 0 at a path; None for anything else."""
        value = self.at(*path)
        return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None

    def node(self, *path: str | int) -> Node | None:
        """The node at a path, as written."""
        node: Node | None = self.tree.root
        for part in path:
            concrete = target(node) if node is not None else None
            if isinstance(concrete, Sequence) and isinstance(part, int):
                node = concrete.items[part] if part < len(concrete.items) else None
            else:
                entry = _entry(concrete, part)
                node = entry.value if entry is not None else None
        return node

    def place(self, *path: str | int) -> Place | None:
        """Where the value at a path is written."""
        node = self.node(*path)
        return None if node is None else text_place(self.source, self.tree, node)

    def key_place(self, *path: str | int) -> Place:
        """Where the last key of a path that is written stands; the file's start where none is."""
        for length in range(len(path), 0, -1):
            holder = self.node(*path[: length - 1])
            entry = _entry(target(holder) if holder is not None else None, path[length - 1])
            if entry is not None:
                return Place(self.source, entry.key.start, entry.key.end)
        return Place(self.source, 0, 0)

    def arguments(self, *path: str | int) -> list[Value]:
        """The arguments of a list; empty ones are left out, as the site does."""
        found = self._arguments.get(path)
        if found is None:
            found = self._arguments[path] = self._read_arguments(path)
        return found

    def variables(self, *path: str | int) -> dict[str, Variable]:
        """The environment variables of a mapping."""
        found = self._variables.get(path)
        if found is None:
            found = self._variables[path] = self._read_variables(path)
        return found

    @cached_property
    def _arguments(self) -> dict[tuple[str | int, ...], list[Value]]:
        return {}

    @cached_property
    def _variables(self) -> dict[tuple[str | int, ...], dict[str, Variable]]:
        return {}

    def _read_arguments(self, path: tuple[str | int, ...]) -> list[Value]:
        node = self.node(*path)
        sequence = target(node) if node is not None else None
        found = []
        for item in sequence.items if isinstance(sequence, Sequence) else ():
            scalar = target(item)
            if isinstance(scalar, Scalar) and scalar_value(scalar) not in (None, "", False, 0):
                found.append(Value((Piece(scalar.value, text_place(self.source, self.tree, item)),)))
        return found

    def _read_variables(self, path: tuple[str | int, ...]) -> dict[str, Variable]:
        node = self.node(*path)
        mapping = target(node) if node is not None else None
        found = {}
        for name, entry in mapping.effective().items() if isinstance(mapping, MappingNode) else ():
            value = target(entry.value)
            if isinstance(value, Scalar):
                argument = symbolic(value.value, text_place(self.source, self.tree, entry.value))
                key = Place(self.source, entry.key.start, entry.key.end)
                found[name] = Variable(name, argument.text, Spelled(key, (argument,)))
        return found


@dataclass(frozen=True)
class Library:
    """What recipes share: the taxonomy, and the strategies by name."""

    taxonomy: Sheet
    strategies: Mapping[str, Sheet] = field(default_factory=dict)

    def hardware(self) -> Iterator[Hardware]:
        """Every hardware profile, in order."""
        return map(self.profile, self.taxonomy.mapping("hardware_profiles"))

    def profile(self, name: str) -> Hardware:
        """A hardware profile; one that is not there is a single GPU of nothing known."""
        found = self.taxonomy.mapping("hardware_profiles", name)
        generation = found.get("generation") or found.get("gpu_generation") or ""
        if isinstance(generation, list):
            generation = generation[0] if generation else ""
        return Hardware(
            id=name,
            brand=str(found.get("brand") or ""),
            generation=str(generation),
            gpus=_number(found.get("gpu_count")) or 1,
            memory=_number(found.get("vram_gb")) or 0,
            scalable=found.get("scalable") is not False,
            restricted=bool(found.get("restricted")),
        )


@dataclass(frozen=True)
class Hardware:
    """A node: its GPUs and the memory (GB) of all of them; `brand` as the taxonomy has it."""

    id: str
    brand: str
    generation: str
    gpus: int
    memory: int
    scalable: bool
    restricted: bool

    def pick(self, keyed: Any) -> Any:
        """What a map by hardware says of this one: by its id, else its generation, its brand, or `default`."""
        if not isinstance(keyed, dict):
            return None
        for key in (self.id, self.generation, self.brand.lower(), "default"):
            if key and keyed.get(key) is not None:
                return keyed[key]
        return None

    def family(self, keyed: Mapping[str, Any]) -> str:
        """The key of overrides by generation that counts here: the generation, or `nvidia`; "" for none."""
        if keyed.get(self.generation):
            return self.generation
        return "nvidia" if self.brand == "NVIDIA" and keyed.get("nvidia") else ""


def _entry(node: Node | None, part: str | int) -> Entry | None:
    return node.entry(part) if isinstance(node, MappingNode) and isinstance(part, str) else None


def _number(value: Any) -> int | None:
    return int(amount(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
