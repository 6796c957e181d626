"""One `add_argument` call, plain or of Dynamo's helpers, read as the names and the form that it registers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from .forms import Form
from .source import Evaluation

DEPTH = 12
_SWITCHES = {"store_true", "store_false", "count", "store_const", "version", "help"}
_ENDING = re.compile(r"\A\W*deprecated|\A\W*(note: )?\W*--[\w-]+\W* is deprecated", re.IGNORECASE)


def calls(body: ast.AST, *names: str) -> Iterator[ast.Call]:
    """The calls of functions or methods with one of these names, in the order of the text."""
    found = (node for node in ast.walk(body) if isinstance(node, ast.Call))
    yield from sorted(
        (node for node in found if called(node) in names), key=lambda node: (node.lineno, node.col_offset)
    )


def called(call: ast.Call) -> str:
    """The last part of the name that is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """The value of a keyword argument."""
    return next((word.value for word in call.keywords if word.arg == name), None)


def texts(evaluation: Evaluation, node: ast.AST | None) -> tuple[str, ...]:
    """The strings an expression holds; a formatted string takes the shortest value of each of its parts."""
    if node is None:
        return ()
    if isinstance(node, ast.JoinedStr):
        parts = [value.value if isinstance(value, ast.FormattedValue) else value for value in node.values]
        held = [[str(item) for item in evaluation.values(part, DEPTH).items] for part in parts]
        return ("".join(min(items, key=len) for items in held),) if all(held) else ()
    return tuple(str(item) for item in evaluation.values(node, DEPTH).items if isinstance(item, str))


def option_names(evaluation: Evaluation, call: ast.Call) -> tuple[str, ...]:
    """The spellings of a flag, the first long one in front; none for a positional argument."""
    given = [text for argument in call.args for text in texts(evaluation, argument)]
    given += [*texts(evaluation, keyword(call, "flag_name")), *texts(evaluation, keyword(call, "obsolete_flag"))]
    names = [name for name in dict.fromkeys(given) if name.startswith("-") and not name.endswith("-")]
    return tuple(sorted(names, key=lambda name: not name.startswith("--")))


def form_of(evaluation: Evaluation, call: ast.Call, base: Form | None = None) -> Form:
    """The form that a call gives a flag, on top of what its `**kwargs` say."""
    words = {word.arg: word.value for word in call.keywords if word.arg}
    action = _action(words.get("action"))
    form = base or Form("str")
    kind = words.get("type", words.get("arg_type"))
    if kind is not None:
        form = typed(form, kind)
    form = _with_action(form, action, words, takes_nothing(evaluation, words.get("action")))
    form = _with_count(form, words.get("nargs"))
    if "choices" in words:
        form = form.with_choices(evaluation.values(words["choices"], DEPTH))
    default = words.get("default")
    if isinstance(default, ast.Constant) and (default.value is None or isinstance(default.value, bool)):
        form = replace(form, default=default.value)
    return _with_deprecation(evaluation, form, words, action)


def _action(node: ast.expr | None) -> str:
    if node is None:
        return ""
    return str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node).rpartition(".")[2]


def takes_nothing(evaluation: Evaluation, action: ast.expr | None) -> bool:
    """Whether an action class of the engine's own takes no value: `nargs=0` is a default of its constructor."""
    owner = evaluation.class_named(action.id) if isinstance(action, ast.Name) else None
    for node in owner[1].body if owner else ():
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            named = [argument.arg for argument in node.args.args][-len(node.args.defaults) :]
            given = dict(zip(named, node.args.defaults, strict=False)).get("nargs")
            return isinstance(given, ast.Constant) and given.value == 0
    return False


def _with_action(form: Form, action: str, words: dict[str, ast.expr], empty: bool) -> Form:
    if action == "BooleanOptionalAction":
        return replace(form, kind="bool")
    if action in _SWITCHES or (empty and "nargs" not in words):
        default = False if action == "store_true" or "StoreTrue" in action else None
        return replace(form, kind="switch", default=default)
    if action in {"append", "extend"}:
        return replace(form, kind="list", element=form.element or form.kind)
    return form


def _with_count(form: Form, node: ast.expr | None) -> Form:
    count = node.value if isinstance(node, ast.Constant) else None
    if count == "?":
        return replace(form, kind="flag-or-str" if form.kind == "str" else form.kind)
    if count in ("+", "*") or (isinstance(count, int) and count > 0):
        return replace(form, kind="list", element=form.element or form.kind)
    return form


def typed(form: Form, node: ast.expr) -> Form:
    """A form with the kind that a `type=` callable stands for, told by its name."""
    text = ast.unparse(node)
    name = text.rpartition(".")[2]
    if text.startswith(("optional_type", "nullable", "parse_type")) and isinstance(node, ast.Call):
        return replace(typed(form, node.args[0]), nullable=text.startswith(("optional", "nullable")))
    if name.startswith("human_readable_int"):
        return replace(form, kind="int", units=True, words=("auto",) if name.endswith("or_auto") else ())
    if "json" in text or name == "loads" or name in {"_parse_stage_overrides"}:
        return replace(form, kind="json")
    for kind in ("float", "int"):
        if name == kind or f"_{kind}" in name or f"{kind}_" in name:
            return replace(form, kind=kind, nullable="nullable" in name or "optional" in name)
    return replace(form, kind="str", nullable="nullable" in name)


def speaks_of_end(evaluation: Evaluation, node: ast.expr | None) -> bool:
    """Whether a help text says that the flag itself is deprecated."""
    return any(_ENDING.search(text) for text in texts(evaluation, node))


def _with_deprecation(evaluation: Evaluation, form: Form, words: dict[str, ast.expr], action: str) -> Form:
    flag = words.get("deprecated")
    gone = flag is not None and not (isinstance(flag, ast.Constant) and not flag.value)
    if gone or "Deprecated" in action or speaks_of_end(evaluation, words.get("help")):
        new = texts(evaluation, words.get("new_flag"))
        return replace(form, deprecated=True, replacement=new[0] if new else form.replacement)
    return form
