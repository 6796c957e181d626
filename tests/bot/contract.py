"""GitHub's published description, reduced (`schemas/github/`): operations by path, validators, minimal valid values."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

HOME = Path(__file__).resolve().parent.parent.parent / "schemas" / "github"
_FORMATS = {"date-time": "2026-08-20T12:00:00Z", "uri": "https://example.org/"}


def _json_schema(node: Any) -> Any:
    """OpenAPI 3.0 as JSON Schema: `nullable` becomes a type."""
    if isinstance(node, list):
        return [_json_schema(item) for item in node]
    if not isinstance(node, dict):
        return node
    made = {name: _json_schema(part) for name, part in node.items()}
    if made.pop("nullable", None) is True:
        return {"anyOf": [made, {"type": "null"}]}
    return made


@cache
def rest() -> dict[str, Any]:
    whole: dict[str, Any] = _json_schema(json.loads((HOME / "rest.json").read_text(encoding="utf-8")))
    return whole


def resolve(node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        found: Any = rest()
        for part in node["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        node = found
    return node


@cache
def _paths() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path)), path) for path in rest()["paths"])


def operation(method: str, path: str) -> tuple[str, dict[str, Any], dict[str, str]] | None:
    """The path's template, the operation and the parameters of a request; None if the contract has none."""
    for pattern, template in _paths():
        found = pattern.fullmatch(path)
        if found and method.lower() in rest()["paths"][template]:
            return template, rest()["paths"][template][method.lower()], found.groupdict()
    return None


def faults(schema: dict[str, Any] | None, value: Any) -> list[str]:
    """What is wrong with a value; "" keys of a schema that is not there allow nothing but None."""
    if schema is None:
        return [] if value is None else ["a body where none belongs"]
    validator = Draft202012Validator({**schema, "components": rest()["components"]})
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(value)]


def request_schema(found: dict[str, Any]) -> dict[str, Any] | None:
    """The schema of a request's body, with no property that it does not know."""
    body = found.get("requestBody")
    if body is None:
        return None
    schema = resolve(body["content"]["application/json"]["schema"])
    return {**schema, "additionalProperties": False}


def response_schema(found: dict[str, Any], status: int) -> dict[str, Any] | None:
    answer = found["responses"].get(str(status))
    content = resolve(answer).get("content") if answer else None
    schema: dict[str, Any] | None = content["application/json"]["schema"] if content else None
    return schema


def sample(schema: dict[str, Any], depth: int = 0) -> Any:
    """The least value that a schema allows."""
    schema = resolve(schema)
    if "anyOf" in schema:
        options = [resolve(option) for option in schema["anyOf"]]
        return None if {"type": "null"} in options and depth else sample(options[0], depth)
    if "allOf" in schema:
        return {name: part for option in schema["allOf"] for name, part in sample(option, depth).items()}
    if "oneOf" in schema:
        return sample(schema["oneOf"][0], depth)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if kind == "object":
        needed = schema.get("required", ())
        return {name: sample(schema["properties"][name], depth + 1) for name in needed}
    plain: dict[str, Any] = {"array": [], "integer": 0, "number": 0, "boolean": False}
    return plain[kind] if kind in plain else _FORMATS.get(schema.get("format", ""), "x")


@cache
def _sample_text(name: str) -> str:
    return json.dumps(sample({"$ref": f"#/components/schemas/{name}"}))


def made(schema_name: str, **fields: Any) -> dict[str, Any]:
    """A value of a component's schema with some fields of our own."""
    value: dict[str, Any] = json.loads(_sample_text(schema_name))
    return {**value, **fields}
