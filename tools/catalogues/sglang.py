"""SGLang's serving flags: calls of `add_argument`, and the annotated fields of newer releases."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from .calls import DEPTH, calls, form_of, keyword, option_names, speaks_of_end, texts, typed
from .forms import Annotations, Form, default_of
from .source import Evaluation, Source, definitions

ARGS = "sglang.srt.server_args"
FIELDS = "sglang.srt.arg_groups.fields."


def flags(source: Source) -> dict[str, Form]:
    """Canonical name → form, of every flag that `sglang.launch_server` takes."""
    found: dict[str, Form] = {}
    for name, aliases, form in [*_fields(source), *_calls(source)]:
        found[name] = replace(form, aliases=tuple(sorted(aliases)))
    return found


def _calls(source: Source) -> Iterator[tuple[str, tuple[str, ...], Form]]:
    owner = source.class_named(ARGS, "ServerArgs")
    methods = [node for node in owner[1].body if isinstance(node, ast.FunctionDef)] if owner else []
    body = next((node for node in methods if node.name == "add_cli_args"), None)
    if body is None:
        raise LookupError(f"{ARGS} has no ServerArgs.add_cli_args")
    evaluation = Evaluation(source, ARGS, dict(definitions(body.body)))
    for call in calls(body, "add_argument"):
        names = option_names(evaluation, call)
        form = form_of(evaluation, call)
        if names:
            yield names[0], names[1:], form


def _fields(source: Source) -> Iterator[tuple[str, tuple[str, ...], Form]]:
    for module in sorted(name for name in source.modules if name == ARGS or name.startswith(FIELDS)):
        for node in source.tree(module).body:
            if isinstance(node, ast.ClassDef):
                for statement in node.body:
                    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                        yield from _field(Evaluation(source, module, {}), statement.target.id, statement)


def _field(evaluation: Evaluation, name: str, statement: ast.AnnAssign) -> Iterator[tuple[str, tuple[str, ...], Form]]:
    """A field annotated with `A[type, "help"]` or `A[type, Arg(…)]`; nothing for one without, or with `no_cli`."""
    match statement.annotation:
        case ast.Subscript(value=ast.Name(id="A" | "Annotated"), slice=ast.Tuple(elts=[annotation, *rest])):
            pass
        case _:
            return
    marks = [item for item in rest if isinstance(item, ast.Call) and ast.unparse(item.func) == "Arg"]
    if not marks and not any(isinstance(item, ast.Constant | ast.JoinedStr | ast.BinOp) for item in rest):
        return
    mark = marks[0] if marks else ast.Call(ast.Name("Arg"), [], [])
    hidden = keyword(mark, "no_cli")
    if isinstance(hidden, ast.Constant) and hidden.value:
        return
    spelled = texts(evaluation, keyword(mark, "cli_name")) or (f"--{name.replace('_', '-')}",)
    form = replace(_inferred(evaluation, annotation, mark), default=default_of(statement))
    if any(speaks_of_end(evaluation, text) for text in (keyword(mark, "help"), *rest)):
        form = replace(form, deprecated=True)
    yield spelled[0], texts(evaluation, keyword(mark, "aliases")), form


def _inferred(evaluation: Evaluation, annotation: ast.expr, mark: ast.Call) -> Form:
    hints = Annotations(evaluation.source, evaluation.module).hints(annotation)
    nullable, parser = "none" in hints.plain, keyword(mark, "type_parser")
    if keyword(mark, "action") is not None:
        return form_of(evaluation, mark)
    if parser is not None:
        form = replace(typed(Form("str"), parser), nullable=nullable)
    elif hints.literals.items:
        form = Form("str", nullable=nullable).with_choices(hints.literals)
    elif "list" in hints.plain:
        form = Form("list", element=hints.element, nullable=nullable)
    elif "bool" in hints.plain:
        return Form("switch")
    else:
        kind = next((kind for kind in ("float", "int") if kind in hints.plain and "str" not in hints.plain), "str")
        form = Form(kind, nullable=nullable)
    count, choices = keyword(mark, "nargs"), keyword(mark, "choices")
    if isinstance(count, ast.Constant) and count.value in ("+", "*") and form.kind != "list":
        form = replace(form, kind="list", element=form.kind)
    if isinstance(count, ast.Constant) and count.value == "?" and form.kind == "str":
        form = replace(form, kind="flag-or-str")
    offered = evaluation.values(choices, DEPTH) if choices is not None else hints.literals
    return form.with_choices(offered if offered.complete else hints.literals + offered) if offered.items else form
