"""What one release says of a flag or a JSON key, and the reading of annotations that vLLM and SGLang derive it from."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .source import Source, Values

_PLAIN = {"str": "str", "int": "int", "float": "float", "bool": "bool", "dict": "json", "None": "none", "Any": "any"}
_LISTS = {"list", "List", "tuple", "Tuple", "set", "Set", "Sequence", "frozenset"}
_THROUGH = {"Optional", "Annotated", "A", "SkipValidation", "InstanceOf", "Final", "Required", "NotRequired"}
_MAPPINGS = {"dict", "Dict", "Mapping", "MutableMapping"}


@dataclass(frozen=True)
class Form:
    """A flag or JSON key in one release. Kinds: switch (takes no value), bool (`--x`, `--no-x`), flag-or-str (value
    may be left out), int, float, str, enum, named (enum whose letters' case does not count), list, json.

    `choices` is None where any value goes; `known` are values that are certainly meant although others may go.
    `spelled` is False where the release has the flag by another name only.
    """

    kind: str
    aliases: tuple[str, ...] = ()
    element: str | None = None
    choices: tuple[object, ...] | None = None
    known: tuple[object, ...] = ()
    config: str | None = None
    nullable: bool = False
    default: bool | None = None
    units: bool = False
    words: tuple[str, ...] = ()
    deprecated: bool = False
    replacement: str | None = None
    env: str | None = None
    parts: tuple[str, ...] = ()
    spelled: bool = True

    def with_choices(self, values: Values) -> Form:
        """This form with what an expression offers as choices; merely known ones where the expression is not whole."""
        if values.complete and values.items:
            return replace(self, kind="enum" if self.kind == "str" else self.kind, choices=values.items)
        return replace(self, known=values.items)


@dataclass
class Hints:
    """The parts of a type annotation, flattened: `list[str] | None` is a list of str that may be None."""

    plain: set[str] = field(default_factory=set)
    literals: Values = field(default_factory=Values)
    element: str | None = None
    element_choices: Values | None = None
    config: str | None = None
    enum: Values | None = None
    enum_numbers: tuple[object, ...] = ()


@dataclass(frozen=True)
class Annotations:
    """Reads annotations of one module of a release."""

    source: Source
    module: str

    def hints(self, node: ast.AST) -> Hints:
        """The parts of an annotation."""
        hints = Hints()
        self._add(node, hints, self.module, 10)
        return hints

    def _add(self, node: ast.AST, hints: Hints, module: str, depth: int) -> None:
        match node:
            case ast.Constant(value=str(text)):
                self._add(ast.parse(text, mode="eval").body, hints, module, depth)
            case ast.Constant(value=None):
                hints.plain.add("none")
            case ast.BinOp(op=ast.BitOr()):
                self._add(node.left, hints, module, depth)
                self._add(node.right, hints, module, depth)
            case ast.Subscript():
                self._subscript(node, hints, module, depth)
            case ast.Attribute():
                hints.plain.add(_PLAIN.get(node.attr, "other"))
            case ast.Name():
                self._name(node.id, hints, module, depth)
            case _:
                hints.plain.add("other")

    def _subscript(self, node: ast.Subscript, hints: Hints, module: str, depth: int) -> None:
        name = node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Literal":
            hints.literals += self.source.constants(module, node)
        elif name == "Union":
            for part in inner:
                self._add(part, hints, module, depth)
        elif name in _LISTS:
            hints.plain.add("list")
            element = Hints()
            self._add(inner[0], element, module, depth)
            hints.element = element_kind(element)
            hints.element_choices = element.literals if element.literals.items else None
        elif name in _MAPPINGS:
            hints.plain.add("json")
        elif name in _THROUGH:
            self._add(inner[0], hints, module, depth)
            if name == "Optional":
                hints.plain.add("none")
        else:
            hints.plain.add("other")

    def _name(self, name: str, hints: Hints, module: str, depth: int) -> None:
        if name in _PLAIN or name in _LISTS or name in _MAPPINGS or depth == 0:
            hints.plain.add("list" if name in _LISTS else "json" if name in _MAPPINGS else _PLAIN.get(name, "other"))
            return
        found = self.source.find(module, name)
        if found is None:
            hints.plain.add("other")
        elif isinstance(found.node, ast.ClassDef):
            self._class(found.module, found.node, hints)
        elif isinstance(found.node, ast.Assign | ast.AnnAssign) and found.node.value is not None:
            self._add(found.node.value, hints, found.module, depth - 1)
        else:
            hints.plain.add("other")

    def _class(self, module: str, node: ast.ClassDef, hints: Hints) -> None:
        members = self.source.enum_members(module, node)
        if members.complete:
            hints.enum = members
            numbers = self.source.enum_values(module, node).items
            hints.enum_numbers = tuple(item for item in numbers if isinstance(item, int))
        elif is_config(node):
            hints.config = node.name
        elif any(isinstance(base, ast.Name) and base.id in {"dict", "TypedDict"} for base in node.bases):
            hints.plain.add("json")
        else:
            hints.plain.add("other")


def is_config(node: ast.ClassDef) -> bool:
    """Whether a class is a dataclass, plain or by an engine's own decorator."""
    names = {_decorator(item) for item in node.decorator_list}
    return bool(names & {"config", "dataclass", "dataclasses.dataclass", "pydantic_dataclass"})


def _decorator(node: ast.expr) -> str:
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)


def element_kind(hints: Hints) -> str:
    """The kind of one element of a list."""
    kinds = hints.plain - {"none", "any"}
    if len(kinds) == 1 and not hints.literals.items:
        kind = next(iter(kinds))
        return kind if kind in {"str", "int", "float"} else "str" if kind != "json" else "json"
    return "int" if hints.literals.items and all(isinstance(item, int) for item in hints.literals.items) else "str"


def fields_of(source: Source, module: str, node: ast.ClassDef) -> Mapping[str, tuple[str, ast.AnnAssign]]:
    """The dataclass fields of a class and its bases: name → defining module and statement."""
    found: dict[str, tuple[str, ast.AnnAssign]] = {}
    for home, owner in source.lineage(module, node):
        for statement in owner.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                name = statement.target.id
                if not name.startswith("_") and "ClassVar" not in ast.unparse(statement.annotation):
                    found[name] = (home, statement)
    return found


def default_of(statement: ast.AnnAssign) -> bool | None:
    """The default of a field where it is True or False, also inside `Field(…)` and `field(…)`."""
    value = statement.value
    if isinstance(value, ast.Call):
        given = [keyword.value for keyword in value.keywords if keyword.arg == "default"]
        value = next(iter(given or value.args[:1]), None)
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, bool) else None


def settable(statement: ast.AnnAssign) -> bool:
    """Whether a field may be given from outside: not with `init=False`."""
    call = statement.value
    keywords = call.keywords if isinstance(call, ast.Call) else []
    return not any(
        word.arg == "init" and isinstance(word.value, ast.Constant) and not word.value.value for word in keywords
    )
