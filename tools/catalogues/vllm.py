"""vLLM's serving flags: config dataclasses whose annotations become arguments, and what the calls change on them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from .calls import calls, form_of, option_names, texts, typed
from .forms import Annotations, Form, Hints, default_of, fields_of, settable
from .source import Evaluation, Source, definitions

ENGINE = "vllm.engine.arg_utils"
FRONTEND = re.compile(r"vllm\.entrypoints\.[\w.]*\bcli_args\Z")
REGISTRIES = {
    "attention": (("vllm.v1.attention.backends.registry", "vllm.attention.backends.registry"), "AttentionBackendEnum"),
    "mla-prefill": (("vllm.v1.attention.backends.mla.prefill.registry",), "MLAPrefillBackendEnum"),
    "mamba": (("vllm.v1.attention.backends.registry",), "MambaAttentionBackendEnum"),
    "tool-parser": (("vllm.tool_parsers", "vllm.entrypoints.openai.tool_parsers"), "_TOOL_PARSERS_TO_REGISTER"),
    "reasoning-parser": (("vllm.reasoning",), "_REASONING_PARSERS_TO_REGISTER"),
}
COMMAND = "vllm.entrypoints.cli.serve"
CONNECTORS = "vllm.distributed.kv_transfer.kv_connector.factory"


@dataclass
class Vllm:
    """One release of vLLM."""

    source: Source
    configs: dict[str, dict[str, Form]] = field(default_factory=dict)

    def flags(self) -> dict[str, Form]:
        """Canonical name → form, of every flag that `vllm serve` takes."""
        found: dict[str, Form] = {}
        for name, aliases, form in [*self._frontend(), *self._engine()]:
            found[name] = replace(form, aliases=tuple(sorted({*aliases, *form.aliases})))
        return found

    def registries(self) -> dict[str, tuple[str, ...]]:
        """Registry → the names in it."""
        found = {registry: self._registry(modules, name) for registry, (modules, name) in REGISTRIES.items()}
        connectors = calls(self.source.tree(CONNECTORS), "register_connector")
        scope = Evaluation(self.source, CONNECTORS, {})
        found["kv-connector"] = tuple(name for call in connectors for name in texts(scope, call.args[0])[:1])
        return found

    def _registry(self, modules: tuple[str, ...], name: str) -> tuple[str, ...]:
        for module in modules:
            if self.source.has(module) and self.source.find(module, name):
                values = self.source.constants(module, ast.Name(name))
                return tuple(str(item) for item in values.items)
        return ()

    @cached_property
    def _kwargs(self) -> dict[str, dict[str, Form]]:
        return {}

    def fields(self, module: str, name: str) -> Mapping[str, Form]:
        """The fields of a config class as vLLM's `get_kwargs` turns them into arguments; fills `configs` as well."""
        owner = self.source.class_named(module, name)
        if owner is None:
            raise LookupError(f"{module} has no class {name}")
        if name not in self._kwargs:
            self._kwargs[name] = {}
            for key, (home, statement) in fields_of(self.source, *owner).items():
                if settable(statement):
                    self._kwargs[name][key] = self._argument(home, key, statement)
        return self._kwargs[name]

    def _argument(self, module: str, key: str, statement: ast.AnnAssign) -> Form:
        hints = Annotations(self.source, module).hints(statement.annotation)
        form = replace(argument(hints, self._human_readable, key), default=default_of(statement))
        if form.config and form.config not in self.configs:
            self.configs[form.config] = {}
            self.configs[form.config] = dict(self.fields(module, self._spelled(module, statement, form.config)))
        return form

    def _spelled(self, module: str, statement: ast.AnnAssign, name: str) -> str:
        """The local name of a class in the module that annotates with it."""
        names = {node.id for node in ast.walk(statement.annotation) if isinstance(node, ast.Name)}
        for local in sorted(names):
            owner = self.source.class_named(module, local)
            if owner is not None and owner[1].name == name:
                return local
        return name

    @cached_property
    def _human_readable(self) -> frozenset[str]:
        """The fields whose integers may be `1k` or `2M`: the sets and the `name in (…)` of `_compute_kwargs`."""
        found = self.source.find(ENGINE, "_compute_kwargs")
        node = found.node if found else self.source.tree(ENGINE)
        groups: list[list[ast.expr]] = []
        for child in ast.walk(node):
            match child:
                case ast.Set(elts=items):
                    groups.append(items)
                case ast.Compare(left=ast.Name("name"), ops=[ast.In()], comparators=[ast.Tuple(elts=items)]):
                    groups.append(items)
        return frozenset(str(item.value) for group in groups for item in group if isinstance(item, ast.Constant))

    def _engine(self) -> Iterator[tuple[str, tuple[str, ...], Form]]:
        for owner in ("EngineArgs", "AsyncEngineArgs"):
            yield from self._registered(ENGINE, self._method(ENGINE, owner, "add_cli_args"))

    def _frontend(self) -> Iterator[tuple[str, tuple[str, ...], Form]]:
        module, owner = self._frontend_class()
        forms = dict(self.fields(module, "FrontendArgs"))
        for _, node in self.source.lineage(module, owner):
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    mend(forms, "frontend_kwargs", method)
        for key, form in forms.items():
            yield f"--{key.replace('_', '-')}", (), form
        found = self.source.find(module, "make_arg_parser")
        if found is None:
            raise LookupError(f"{module} has no make_arg_parser")
        yield from self._registered(module, found.node)
        if self.source.has(COMMAND):
            yield from self._registered(COMMAND, self.source.tree(COMMAND))

    def _frontend_class(self) -> tuple[str, ast.ClassDef]:
        """The module that defines `FrontendArgs`; it has moved several times."""
        for module in sorted(filter(FRONTEND.match, self.source.modules)):
            owner = self.source.class_named(module, "FrontendArgs")
            if owner is not None and owner[0] == module:
                return owner
        raise LookupError("no module of vllm.entrypoints defines FrontendArgs")

    def _method(self, module: str, owner: str, name: str) -> ast.AST:
        found = self.source.class_named(module, owner)
        methods = {node.name: node for node in found[1].body if isinstance(node, ast.FunctionDef)} if found else {}
        if name not in methods:
            raise LookupError(f"{module} has no {owner}.{name}")
        return methods[name]

    def _registered(self, module: str, body: ast.AST) -> Iterator[tuple[str, tuple[str, ...], Form]]:
        scope = dict(definitions(body.body)) if isinstance(body, ast.FunctionDef) else {}
        evaluation = Evaluation(self.source, module, scope)
        bags = self._bags(module, scope)
        for name, forms in bags.items():
            mend(forms, name, body)
        for call in calls(body, "add_argument"):
            names = option_names(evaluation, call)
            form = form_of(evaluation, call, self._base(call, bags))
            if names:
                yield names[0], names[1:], form

    def _bags(self, module: str, scope: Mapping[str, ast.AST]) -> dict[str, dict[str, Form]]:
        """`x = get_kwargs(SomeConfig)` → the forms of its fields; of one field under the empty key."""
        bags: dict[str, dict[str, Form]] = {}
        for name, statement in scope.items():
            value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
            match value:
                case ast.Call(func=ast.Name(id="get_kwargs"), args=[ast.Name(id=config)]):
                    bags[name] = dict(self.fields(module, config))
                case ast.Subscript(
                    value=ast.Call(func=ast.Name(id="get_kwargs"), args=[ast.Name(id=config)]),
                    slice=ast.Constant(value=str(key)),
                ):
                    bags[name] = {"": self.fields(module, config)[key]}
                case ast.Subscript(value=ast.Name(id=bag), slice=ast.Constant(value=str(key))) if key in bags.get(
                    bag, ()
                ):
                    bags[name] = {"": bags[bag][key]}
        return bags

    def _base(self, call: ast.Call, bags: Mapping[str, Mapping[str, Form]]) -> Form | None:
        """What `**kwargs["field"]` brings, directly or inside a literal mapping that overrides its default."""
        for word in call.keywords:
            if word.arg is not None:
                continue
            for node in ast.walk(word.value):
                match node:
                    case ast.Subscript(value=ast.Name(id=bag), slice=ast.Constant(value=str(key))) if bag in bags:
                        return self._overridden(bags[bag][key], word.value)
                    case ast.Name(id=bag) if "" in bags.get(bag, {}):
                        return self._overridden(bags[bag][""], word.value)
        return None

    @staticmethod
    def _overridden(form: Form, node: ast.expr) -> Form:
        for key, value in zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ():
            if isinstance(key, ast.Constant) and key.value == "default" and isinstance(value, ast.Constant):
                form = replace(form, default=value.value if isinstance(value.value, bool) else None)
            if isinstance(key, ast.Constant) and key.value == "help" and "DEPRECATION" in ast.unparse(value):
                form = replace(form, deprecated=True)
        return form


def argument(hints: Hints, human_readable: frozenset[str], key: str) -> Form:
    """The form of a field, decided in the order of vLLM's `_compute_kwargs`."""
    nullable = "none" in hints.plain
    if hints.config is not None:
        return Form("json", config=hints.config, nullable=nullable)
    if hints.plain == {"bool", "str", "none"} and not hints.literals.items:
        return Form("flag-or-str", nullable=True)
    if "bool" in hints.plain:
        return Form("bool", nullable=nullable)
    if hints.literals.items:
        return _literal(hints, nullable)
    if "list" in hints.plain:
        form = Form("list", element=hints.element, nullable=nullable)
        return replace(form, choices=hints.element_choices.items) if hints.element_choices else form
    if "int" in hints.plain:
        words = ("auto",) if key == "max_model_len" and nullable is False else ()
        units = key in human_readable or key == "max_model_len"
        return Form("int", nullable=nullable, units=units, words=words)
    if "float" in hints.plain:
        return Form("float", nullable=nullable)
    if "json" in hints.plain:
        loose = hints.plain & {"str", "other"} or hints.enum
        return Form("json-or-str" if loose else "json", nullable=nullable)
    if hints.enum is not None:
        return Form("named", choices=hints.enum.items + hints.enum_numbers, nullable=nullable)
    return Form("str", nullable=nullable)


def _literal(hints: Hints, nullable: bool) -> Form:
    kind = "int" if all(isinstance(item, int) for item in hints.literals.items) else "str"
    form = Form(kind, nullable=nullable)
    if "str" in hints.plain or not hints.literals.complete:
        return replace(form, known=hints.literals.items)
    return replace(form, kind="enum", choices=hints.literals.items)


def mend(forms: dict[str, Form], bag: str, body: ast.AST) -> None:
    """Apply what a body does to its bag of arguments: `bag["x"]["type"] = json.loads`, `del bag["x"]["nargs"]`, …"""
    nodes = sorted(ast.walk(body), key=lambda node: not isinstance(node, ast.Delete))
    for node in nodes:
        match node:
            case ast.Delete(targets=[ast.Subscript() as target]):
                key, what = _place(target, bag)
                if key in forms and what == "nargs" and forms[key].kind == "list":
                    forms[key] = replace(forms[key], kind="str", element=None)
            case ast.Assign(targets=[ast.Subscript() as target]):
                key, what = _place(target, bag)
                if key in forms:
                    forms[key] = _assigned(forms[key], what, node.value)
            case ast.Call(func=ast.Attribute(value=ast.Subscript() as target, attr="remove"), args=[gone]):
                key, what = _place(target, bag)
                if key in forms and what == "choices":
                    forms[key] = _without(forms[key], gone)


def _assigned(form: Form, what: str, value: ast.expr) -> Form:
    if what == "action":
        return replace(form, kind="list", element="str" if isinstance(value, ast.Constant) else form.element)
    if what != "type":
        return form
    if isinstance(value, ast.Lambda) and "lower()" in ast.unparse(value) and form.choices:
        return replace(form, kind="named")
    if form.kind == "list" and not isinstance(value, ast.Attribute):
        return form
    return replace(typed(form, value), nullable=form.nullable)


def _place(node: ast.Subscript, bag: str) -> tuple[str, str]:
    """Field and keyword that `bag["field"]["keyword"]` names; the field is empty where the bag holds only one."""
    match node:
        case ast.Subscript(
            value=ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))),
            slice=ast.Constant(value=str(what)),
        ) if name == bag:
            return key, what
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(what))) if name == bag:
            return "", what
    return "?", ""


def _without(form: Form, gone: ast.expr) -> Form:
    """Without one choice that a constant names: its text is the tail of the constant's name."""
    said = gone.value if isinstance(gone, ast.Constant) else ast.unparse(gone).split("_")[0].lower()
    return replace(form, choices=tuple(item for item in form.choices or () if item != said))
