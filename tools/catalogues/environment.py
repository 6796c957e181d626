"""The environment variables that a release reads, by the syntax of the reads; of compiled parts by their strings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from .source import Source

_NAME = re.compile(r"[A-Z][A-Z0-9_]+\Z")
_READERS = {"getenv", "pop", "setdefault"}
_HELPER = re.compile(r"(get_\w*env_var|env_with_choices|env_or_default)\Z")
NATIVE_SUFFIXES = (".cpp", ".cu", ".cuh", ".h", ".hpp", ".cc", ".c", ".rs", ".cmake", "CMakeLists.txt")


def python_reads(source: Source, prefixes: tuple[str, ...]) -> set[str]:
    """The names that a release's Python reads: through `os.environ`, a registry of variables, or a helper.

    With one of `prefixes`, a string that is a whole name counts wherever it stands: a name kept in a constant or a
    table is read somewhere, and missing one would make a finding of a good variable.
    """
    found: set[str] = set()
    worth = re.compile("|".join(["environ", "getenv", "env_var", *map(re.escape, prefixes)]).encode())
    for module, path in source.modules.items():
        if worth.search(source.files[path]):
            found.update(_reads(source.parsed(module), prefixes))
    return found - set(prefixes)


def _reads(tree: ast.AST, prefixes: tuple[str, ...]) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if text.startswith(prefixes) and _NAME.match(text):
                yield text
            case ast.keyword(arg="env_var"):
                yield from _named(node.value)
            case ast.Call() if node.args and (_is_environment(node.func) or _HELPER.match(_called(node.func))):
                yield from _named(node.args[0])
            case ast.Subscript() if _is_environment(node.value):
                yield from _named(node.slice)
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[held]) if _is_environment(held):
                yield from _named(node.left)
            case ast.ClassDef() if node.name in {"Envs", "Environment"}:
                yield from _registry(node)


def _registry(node: ast.ClassDef) -> Iterator[str]:
    """`NAME = EnvBool(…)` in SGLang's registry; a name given to the descriptor is another spelling of it."""
    for statement in node.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            yield from _named(ast.Constant(statement.targets[0].id))


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and _NAME.match(node.value):
        yield node.value


def _is_environment(node: ast.AST) -> bool:
    """`os.environ`, `environ`, `os.environ.get`, `os.getenv`."""
    if isinstance(node, ast.Attribute):
        return node.attr in {"environ", "getenv"} or (node.attr in _READERS | {"get"} and _is_environment(node.value))
    return isinstance(node, ast.Name) and node.id in {"environ", "getenv"}


def _called(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def native_reads(files: Mapping[str, bytes], prefixes: tuple[str, ...]) -> set[str]:
    """The names with a prefix that stand quoted, or in `ENV{…}`, in C++, CUDA, Rust and CMake files."""
    start = "|".join(map(re.escape, prefixes))
    name = re.compile(rf'["{{]((?:{start})[A-Z0-9_]+)["}}]'.encode())
    sources = (data for path, data in files.items() if path.endswith(NATIVE_SUFFIXES))
    return {match[1].decode() for data in sources for match in name.finditer(data)}


def strings(data: bytes, prefix: str) -> Iterator[str]:
    """Names with a prefix among the strings of a compiled library, split where the next begins.

    Rust joins its strings without a separator, so that a name may carry the first letters of what follows it:
    these are stems, good to tell that a variable is known, not to list.
    """
    start = prefix.encode()
    for match in re.finditer(re.escape(start) + rb"[A-Z0-9_]+", data):
        for part in match[0].split(start):
            if part:
                yield prefix + part.decode()


def listed(texts: Iterable[str], prefix: str) -> list[str]:
    """Every whole name with a prefix that some listing mentions, sorted."""
    return sorted({match[0] for text in texts for match in re.finditer(rf"\b{prefix}[A-Z0-9_]*[A-Z0-9]\b", text)})
