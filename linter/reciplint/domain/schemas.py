"""The JSON Schemas that ship with reciplint: their text, and validators compiled once.

`schemas/` at the root of the repository is their one home. An editable install reads them there; a wheel carries
the same files as `reciplint/schemas/`.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

SUFFIX = ".schema.json"


@lru_cache(maxsize=1)
def schemas_home() -> Path:
    """The directory that the schemas and tables lie in. Raises `FileNotFoundError` for a broken installation."""
    package = Path(__file__).resolve().parent.parent
    for candidate in (package / "schemas", package.parent.parent / "schemas"):
        if (candidate / f"settings{SUFFIX}").is_file():
            return candidate
    raise FileNotFoundError("reciplint's schemas are missing from this installation")


def table_text(name: str) -> str:
    """The text of a table that ships beside the schemas, by its file name: `constraints.yaml`, `models.yaml`."""
    return (schemas_home() / name).read_text(encoding="utf-8")


def schema_names() -> list[str]:
    """The names of all schemas, sorted: `master-august`, `settings`, …"""
    return sorted(path.name.removesuffix(SUFFIX) for path in schemas_home().glob(f"*{SUFFIX}"))


def schema_text(name: str) -> str:
    """The text of a schema. Raises `KeyError` for a name that `schema_names` does not give."""
    path = schemas_home() / f"{name}{SUFFIX}"
    if name not in schema_names():
        raise KeyError(name)
    return path.read_text(encoding="utf-8")


@cache
def schema(name: str) -> dict[str, Any]:
    """A schema as a value; do not change it."""
    parsed: dict[str, Any] = json.loads(schema_text(name))
    return parsed


@cache
def definition(name: str, part: str | None) -> dict[str, Any]:
    """One definition of a schema, standing alone; the whole schema if `part` is None."""
    whole = schema(name)
    return whole if part is None else {"$schema": whole["$schema"], "$ref": f"#/$defs/{part}", "$defs": whole["$defs"]}


@cache
def _gate(name: str, part: str | None) -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(definition(name, part))


def conforms(name: str, value: object, part: str | None = None) -> bool:
    """Whether a loaded value fulfils a schema, or one definition of it: the fast answer, without reasons."""
    return bool(_gate(name, part).is_valid(value))


@cache
def explainer(name: str, part: str | None = None) -> Any:
    """A `jsonschema` validator that says why a value fails: slow to import and to run, for failing values only."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator(definition(name, part))


@cache
def vocabulary(name: str) -> frozenset[str]:
    """Every property name that a schema gives anywhere."""
    names: set[str] = set()
    stack: list[object] = [schema(name)]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            properties = node.get("properties")
            if isinstance(properties, dict):
                names.update(properties)
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
    return frozenset(names)
