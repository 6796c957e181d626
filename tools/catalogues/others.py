"""Flags of the smaller distributions: Dynamo's components, vLLM-Omni, and vLLM's router."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from .calls import called, calls, form_of, keyword, option_names, texts
from .forms import Form
from .source import Evaluation, Source, definitions

Named = tuple[str, tuple[str, ...], Form]
HELPERS = ("add_argument", "add_negatable_bool_argument", "add_negatable_bool")
NOT_SERVING = {"tests", "examples", "profiler", "squeeze_evolve"}
COMMANDS = re.compile(r"(\w*args|main|__main__|cli|\w*argparse\w*|_compat|config_dumper|trtllm_utils)\Z")
OMNI = ("vllm_omni.entrypoints.cli.serve", "vllm_omni.engine.arg_utils")
ROUTER = ("vllm_router.router_args", "vllm_router.launch_router")


def dynamo(source: Source) -> dict[str, Form]:
    """The flags of Dynamo's components; `parts` tells which (`frontend`, `router`, `vllm`, `common` for all, …)."""
    found: dict[str, Form] = {}
    for module in sorted(source.modules):
        parts = module.split(".")
        if len(parts) > 2 and COMMANDS.match(parts[-1]) and not NOT_SERVING & set(parts):
            for name, aliases, form in [*registered(source, module), *_tabled(source, module)]:
                known = found.get(name)
                where = {parts[1], *(known.parts if known else ())}
                found[name] = replace(form, aliases=tuple(sorted(aliases)), parts=tuple(sorted(where)))
    return found


def omni(source: Source) -> dict[str, Form]:
    """The flags that vLLM-Omni adds to those of `vllm serve`."""
    return _all(source, OMNI)


def router(source: Source) -> dict[str, Form]:
    """The flags of `vllm-router`."""
    return _all(source, ROUTER)


def _all(source: Source, modules: tuple[str, ...]) -> dict[str, Form]:
    there = [name for name in modules if source.has(name)]
    if not there:
        raise LookupError(f"none of {', '.join(modules)} is in this release")
    return {
        name: replace(form, aliases=tuple(sorted(aliases)))
        for module in there
        for name, aliases, form in registered(source, module)
    }


def registered(source: Source, module: str) -> Iterator[Named]:
    """Every flag that a module registers, by argparse or Dynamo's helpers."""
    for owner in [source.tree(module), *_functions(source.tree(module))]:
        body = owner.body if isinstance(owner, ast.FunctionDef) else []
        evaluation = Evaluation(source, module, dict(definitions(body)))
        inner = {id(call) for function in _functions(owner) for call in calls(function, *HELPERS)}
        for call in calls(owner, *HELPERS):
            names, form = option_names(evaluation, call), form_of(evaluation, call)
            if names and id(call) not in inner:
                yield names[0], names[1:], _dynamo(evaluation, call, form)


def _functions(owner: ast.AST) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(owner) if isinstance(node, ast.FunctionDef) and node is not owner]


def _dynamo(evaluation: Evaluation, call: ast.Call, form: Form) -> Form:
    variable = texts(evaluation, keyword(call, "env_var"))
    if "negatable" in called(call):
        form = replace(form, kind="bool")
    return replace(form, env=variable[0]) if variable and variable[0] else form


def _tabled(source: Source, module: str) -> Iterator[Named]:
    """Flags that older releases kept in a table: `{"name": {"flags": ["--name"], "type": int, …}}`."""
    evaluation = Evaluation(source, module, {})
    for node in ast.walk(source.tree(module)):
        if isinstance(node, ast.Dict):
            row = {
                key.value: value
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant)
            }
            names = texts(evaluation, row.get("flags"))
            if names and names[0].startswith("--"):
                words = [ast.keyword(str(key), value) for key, value in row.items() if key != "flags"]
                yield names[0], names[1:], form_of(evaluation, ast.Call(ast.Name("add_argument"), [], words))
