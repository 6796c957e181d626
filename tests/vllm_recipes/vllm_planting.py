"""Faults planted into vLLM recipe files, each of another kind, in any repository that has a place for it.

A planter takes the text of one file and gives it back with one fault, and the line of the fault; or None where the
file has no place for that kind. Places are found with PyYAML's own marks, so nothing of reciplint is needed to plant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import yaml

Path = tuple[str | int, ...]
Planted = tuple[str, int]
"""A text with a fault, and the line of the fault."""

Plant = Callable[["Sheet"], Planted | None]


class Planter(NamedTuple):
    """A kind of fault: its name, the rule that should find it, how it is planted, and in which files."""

    name: str
    rule: str
    plant: Plant
    files: str = r"models/[^/]+/[^/]+\.yaml\Z"


class Sheet:
    """One file, to be edited at the places that its YAML nodes mark. `others` are the other files of the repository."""

    def __init__(self, path: str, text: str, others: Mapping[str, str]) -> None:
        self.path = path
        self.text = text
        self.others = others
        self.root: Any = yaml.compose(text, Loader=yaml.CSafeLoader)
        self.value: Any = yaml.load(text, Loader=yaml.CSafeLoader)

    def paths(self, pattern: str) -> Iterator[Path]:
        """The paths of values that fit keys joined by dots, `*` for any one key or index."""
        yield from _matching(self.value, tuple(pattern.split(".")), ())

    def at(self, path: Path) -> Any:
        """The loaded value at a path; None where there is none."""
        value = self.value
        for part in path:
            if isinstance(value, dict):
                value = value.get(part)
            elif isinstance(value, list) and isinstance(part, int) and part < len(value):
                value = value[part]
            else:
                return None
        return value

    def first(self, pattern: str, fits: Callable[[Any], bool] = lambda value: True) -> Path | None:
        """The first path whose value fits."""
        return next((path for path in self.paths(pattern) if fits(self.at(path))), None)

    def node(self, path: Path) -> Any:
        """The YAML node of a value."""
        node = self.root
        for part in path:
            pairs = node.value
            node = pairs[part] if isinstance(part, int) else next(v for k, v in pairs if k.value == part)
        return node

    def key(self, path: Path) -> Any:
        """The YAML node of a key."""
        return next(key for key, _ in self.node(path[:-1]).value if key.value == path[-1])

    def written(self, path: Path | None, raw: str) -> Planted | None:
        """Another spelling in the place of a scalar."""
        if path is None:
            return None
        return self.put(self.node(path), raw)

    def renamed(self, path: Path | None, name: str) -> Planted | None:
        """Another name for a key."""
        return None if path is None else self.put(self.key(path), name)

    def added(self, parent: Path | None, line: str) -> Planted | None:
        """One line more at the head of a block mapping, or of the list items of a block sequence."""
        if parent is None:
            return None
        node = self.node(parent)
        if node.flow_style or not node.value:
            return None
        head = node.value[0][0] if isinstance(node, yaml.MappingNode) else node.value[0]
        start = self.text.rfind("\n", 0, head.start_mark.index) + 1
        indent = self.text[start : head.start_mark.index]
        if isinstance(node, yaml.SequenceNode):
            indent = indent[: indent.rfind("-")]
        if indent.strip():
            return None
        return f"{self.text[:start]}{indent}{line}\n{self.text[start:]}", head.start_mark.line + 1

    def removed(self, path: Path | None) -> Planted | None:
        """A key of a block mapping less; the line is that of the mapping's own key."""
        if path is None:
            return None
        lines = self.text.splitlines(keepends=True)
        key, node = self.key(path), self.node(path)
        if not isinstance(node, yaml.ScalarNode) or node.start_mark.line != node.end_mark.line:
            return None
        del lines[key.start_mark.line]
        return "".join(lines), self.key(path[:-1]).start_mark.line + 1

    def put(self, node: Any, raw: str) -> Planted:
        """Other text in the place of a node."""
        start, end = node.start_mark.index, node.end_mark.index
        return self.text[:start] + raw + self.text[end:], node.start_mark.line + 1


def _matching(value: Any, pattern: tuple[str, ...], path: Path) -> Iterator[Path]:
    if not pattern:
        yield path
    elif isinstance(value, dict):
        for key in value if pattern[0] == "*" else [pattern[0]] if pattern[0] in value else []:
            yield from _matching(value[key], pattern[1:], (*path, key))
    elif isinstance(value, list) and pattern[0] == "*":
        for index, item in enumerate(value):
            yield from _matching(item, pattern[1:], (*path, index))


def sets(
    pattern: str, raw: str, fits: Callable[[Any], bool] = lambda value: not isinstance(value, (dict, list))
) -> Plant:
    """Writes something else in the place of a scalar."""
    return lambda sheet: sheet.written(sheet.first(pattern, fits), raw)


def renames(pattern: str, name: str, fits: Callable[[Any], bool] = lambda value: True) -> Plant:
    """Calls a key something else."""
    return lambda sheet: sheet.renamed(sheet.first(pattern, fits), name)


def adds(pattern: str, line: str, fits: Callable[[Any], bool] = lambda value: True) -> Plant:
    """Writes one line more into a collection."""
    return lambda sheet: sheet.added(sheet.first(pattern, fits), line)


def planted(planter: Planter, files: Mapping[str, str], skip: int = 0) -> tuple[str, str, int] | None:
    """The first file that has a place for a fault, `skip` such files left out: its path, its new text, the line."""
    for path in sorted(files):
        if not re.match(planter.files, path):
            continue
        others = {name: text for name, text in files.items() if name != path}
        made = planter.plant(Sheet(path, files[path], others))
        if made is not None and made[0] != files[path]:
            if not skip:
                return path, *made
            skip -= 1
    return None
