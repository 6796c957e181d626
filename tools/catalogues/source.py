"""Python source of one release as syntax trees: finding a name through imports, evaluating what is constant."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class Found:
    """A definition and the module that holds it."""

    module: str
    node: ast.AST


@dataclass(frozen=True)
class Values:
    """Constants that an expression yields; `complete` is False where a part depends on the machine or a plugin."""

    items: tuple[object, ...] = ()
    complete: bool = True

    def __add__(self, other: Values) -> Values:
        return Values(self.items + other.items, self.complete and other.complete)


UNKNOWN = Values((), False)


@dataclass
class Source:
    """The modules of a release, parsed when asked for."""

    files: Mapping[str, bytes]
    _trees: dict[str, ast.Module] = field(default_factory=dict)
    _names: dict[str, dict[str, ast.AST]] = field(default_factory=dict)

    @cached_property
    def modules(self) -> dict[str, str]:
        """Dotted name → path in the archive."""
        found = {}
        for path in self.files:
            if path.endswith(".py"):
                parts = path.removesuffix(".py").removeprefix("py_src/").split("/")
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return found

    def tree(self, module: str) -> ast.Module:
        """The syntax tree of a module. Raises `KeyError` where the release has none of that name."""
        if module not in self._trees:
            self._trees[module] = self.parsed(module)
        return self._trees[module]

    def parsed(self, module: str) -> ast.Module:
        """The syntax tree of a module that will not be asked for again."""
        path = self.modules[module]
        return self._trees.get(module) or ast.parse(self.files[path], path)

    def has(self, module: str) -> bool:
        """Whether the release has such a module."""
        return module in self.modules

    def find(self, module: str, name: str, depth: int = 8) -> Found | None:
        """The class, function or assignment that a name means in a module, followed through imports."""
        if depth == 0 or not self.has(module):
            return None
        node = self._top(module).get(name)
        if isinstance(node, ast.ImportFrom):
            return self.follow(module, node, name, depth - 1)
        if node is None:
            star = self._top(module).get("*")
            return (
                self.find(self._absolute(module, star), name, depth - 1) if isinstance(star, ast.ImportFrom) else None
            )
        return Found(module, node)

    def follow(self, module: str, statement: ast.ImportFrom, name: str, depth: int = 8) -> Found | None:
        """What an import in a module binds to a name."""
        alias = next(alias for alias in statement.names if (alias.asname or alias.name) == name)
        return self.find(self._absolute(module, statement), alias.name, depth)

    def _absolute(self, module: str, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = module.split(".")
        keep = len(parts) - node.level + (1 if self.modules[module].endswith("__init__.py") else 0)
        return ".".join([*parts[:keep], *([node.module] if node.module else [])])

    def _top(self, module: str) -> dict[str, ast.AST]:
        if module not in self._names:
            bound = list(definitions(self.tree(module).body))
            classes = {name: node for name, node in bound if isinstance(node, ast.ClassDef)}
            self._names[module] = {**dict(bound), **classes}
        return self._names[module]

    def class_named(self, module: str, name: str) -> tuple[str, ast.ClassDef] | None:
        """A class by its name in a module, with the module that defines it."""
        found = self.find(module, name)
        return (found.module, found.node) if found and isinstance(found.node, ast.ClassDef) else None

    def lineage(self, module: str, node: ast.ClassDef) -> list[tuple[str, ast.ClassDef]]:
        """A class and its bases inside the release, the remotest base first."""
        line = [(module, node)]
        for base in node.bases:
            name = base.id if isinstance(base, ast.Name) else ""
            found = self.class_named(module, name) if name else None
            if found is not None and found[1] is not node:
                line = [*(known for known in self.lineage(*found) if known not in line), *line]
        return line

    def enum_members(self, module: str, node: ast.ClassDef) -> Values:
        """The member names of an enumeration, and whether the class is one."""
        kinds = {base.id if isinstance(base, ast.Name) else getattr(base, "attr", "") for base in node.bases}
        if not kinds & {"Enum", "StrEnum", "IntEnum", "Flag"}:
            return UNKNOWN
        return Values(tuple(name for name, _ in _assigned(node.body) if not name.startswith("_")))

    def enum_values(self, module: str, node: ast.ClassDef) -> Values:
        """The values of an enumeration's members."""
        there = Evaluation(self, module, {})
        members = (value for name, value in _assigned(node.body) if not name.startswith("_"))
        return sum((there.values(value, 4) for value in members), Values())

    def constants(
        self, module: str, node: ast.AST, scope: Mapping[str, ast.AST] | None = None, depth: int = 12
    ) -> Values:
        """What a constant expression holds; the keys of a mapping, the members of a `Literal`."""
        return Evaluation(self, module, scope or {}).values(node, depth)


@dataclass(frozen=True)
class Evaluation:
    """Evaluates the few forms in which engines write their choices."""

    source: Source
    module: str
    scope: Mapping[str, ast.AST]

    def values(self, node: ast.AST, depth: int) -> Values:
        """The constants of an expression; incomplete where it cannot be decided."""
        if depth == 0:
            return UNKNOWN
        match node:
            case ast.Constant():
                return Values((node.value,))
            case ast.List() | ast.Tuple() | ast.Set():
                return sum((self._element(item, depth - 1) for item in node.elts), Values())
            case ast.Dict():
                keys = [key for key in node.keys if key is not None]
                return sum((self.values(key, depth - 1) for key in keys), Values((), len(keys) == len(node.keys)))
            case ast.BinOp(op=ast.Add() | ast.BitOr()):
                return self.values(node.left, depth - 1) + self.values(node.right, depth - 1)
            case ast.IfExp():
                return self.values(node.body, depth - 1) + self.values(node.orelse, depth - 1) + UNKNOWN
            case ast.Name():
                return self._name(node.id, depth - 1)
            case ast.Attribute():
                return self._attribute(node, depth - 1)
            case ast.Subscript(value=ast.Name(id="Literal") | ast.Attribute(attr="Literal")):
                return self.values(node.slice, depth - 1)
            case ast.Call():
                return self._call(node, depth - 1)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                return self._comprehension(node, depth - 1)
        return UNKNOWN

    def _element(self, node: ast.AST, depth: int) -> Values:
        return self.values(node.value if isinstance(node, ast.Starred) else node, depth)

    def _name(self, name: str, depth: int) -> Values:
        found = self._find(name)
        if found is None:
            return UNKNOWN
        there = self if found.module == self.module else Evaluation(self.source, found.module, {})
        match found.node:
            case ast.expr():
                return there.values(found.node, depth)
            case ast.Assign() | ast.AnnAssign() if found.node.value is not None:
                return there.values(found.node.value, depth)
            case ast.ClassDef():
                return self.source.enum_members(found.module, found.node)
        return UNKNOWN

    def _find(self, name: str) -> Found | None:
        local = self.scope.get(name)
        if isinstance(local, ast.ImportFrom):
            return self.source.follow(self.module, local, name)
        return Found(self.module, local) if local is not None else self.source.find(self.module, name)

    def class_named(self, name: str) -> tuple[str, ast.ClassDef] | None:
        """A class by the name it has here."""
        found = self._find(name)
        return (found.module, found.node) if found and isinstance(found.node, ast.ClassDef) else None

    def _attribute(self, node: ast.Attribute, depth: int) -> Values:
        if node.attr == "__members__":
            return self.values(node.value, depth)
        if not isinstance(node.value, ast.Name):
            return UNKNOWN
        owner = self.class_named(node.value.id)
        if owner is None:
            return UNKNOWN
        body = dict(_assigned(owner[1].body))
        inside = Evaluation(self.source, owner[0], body)
        return inside.values(body[node.attr], depth) if node.attr in body else UNKNOWN

    def _call(self, node: ast.Call, depth: int) -> Values:
        match node.func:
            case ast.Name(id="list" | "sorted" | "set" | "tuple" | "frozenset" | "get_args" | "dict") if node.args:
                return self.values(node.args[0], depth)
            case ast.Attribute(attr="get_args") if node.args:
                return self.values(node.args[0], depth)
            case ast.Attribute(attr="keys" | "copy"):
                return self.values(node.func.value, depth)
            case ast.Attribute(attr="lower" | "upper"):
                inner = self.values(node.func.value, depth)
                change = str.lower if node.func.attr == "lower" else str.upper
                return Values(tuple(change(str(item)) for item in inner.items), inner.complete)
            case ast.Name():
                return self._returned(node.func.id, depth)
        return UNKNOWN

    def _returned(self, name: str, depth: int) -> Values:
        found = self._find(name)
        if found is None or not isinstance(found.node, ast.FunctionDef):
            return UNKNOWN
        returns = [child for child in ast.walk(found.node) if isinstance(child, ast.Return) and child.value]
        inside = Evaluation(self.source, found.module, dict(definitions(found.node.body)))
        answers = [inside.values(child.value, depth) for child in returns if child.value is not None]
        whole = [answer for answer in answers if answer.complete]
        return whole[-1] if whole else UNKNOWN

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, depth: int) -> Values:
        """`[m.value for m in Enum]`, `[m.name.lower() for m in Enum]`, `[x for x in LIST]`."""
        loop = node.generators[0]
        if len(node.generators) != 1 or loop.ifs or not isinstance(loop.target, ast.Name):
            return UNKNOWN
        members, change = self.values(loop.iter, depth), node.elt
        lower = isinstance(change, ast.Call) and isinstance(change.func, ast.Attribute) and change.func.attr == "lower"
        if lower and isinstance(change, ast.Call) and isinstance(change.func, ast.Attribute):
            change = change.func.value
        if isinstance(change, ast.Attribute) and change.attr == "value":
            members = self._enum_values(loop.iter)
        elif not isinstance(change, ast.Name) and not (isinstance(change, ast.Attribute) and change.attr == "name"):
            return UNKNOWN
        return Values(tuple(str(item).lower() for item in members.items), members.complete) if lower else members

    def _enum_values(self, node: ast.AST) -> Values:
        inner = node.args[0] if isinstance(node, ast.Call) and node.args else node
        owner = self.class_named(inner.id) if isinstance(inner, ast.Name) else None
        return self.source.enum_values(*owner) if owner is not None else UNKNOWN


def _assigned(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for statement in body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            yield statement.targets[0].id, statement.value
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
            yield statement.target.id, statement.value


def definitions(body: list[ast.stmt]) -> Iterator[tuple[str, ast.AST]]:
    """What statements bind, the branches of `if` and `try` included; the last to be yielded wins."""
    for statement in body:
        match statement:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield statement.name, statement
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name, statement
            case ast.ImportFrom():
                yield from ((alias.asname or alias.name, statement) for alias in statement.names)
            case ast.If():
                checked = "TYPE_CHECKING" in ast.unparse(statement.test)
                yield from definitions(statement.body if checked else statement.orelse)
                yield from definitions(statement.orelse if checked else statement.body)
            case ast.Try():
                yield from definitions([s for handler in statement.handlers for s in handler.body])
                yield from definitions(statement.body)
