"""The spelling of keys: dashes between words, or something else."""

from __future__ import annotations

import re
from functools import lru_cache

from reciplint.yamltree.spans import Span

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")


@lru_cache(maxsize=8192)
def kebab(key: str) -> str:
    """The key with dashes; the key itself where it has that form already or is no such word."""
    if not is_foreign(key) or not _PLAIN.match(key) or key.isupper():
        return key
    return _CAMEL.sub("-", key).replace("_", "-").strip("-").lower()


@lru_cache(maxsize=8192)
def is_foreign(key: str) -> bool:
    """Whether a key is written in snake_case or camelCase."""
    return "_" in key.strip("_") or _CAMEL.search(key) is not None


def first_written(data: bytes, key: str) -> Span | None:
    """Where a block mapping first has this key, by a look at its lines: for evidence that is not worth a parse."""
    match = re.search(rb"(?m)^([ \t]+)[\"']?" + re.escape(key.encode()) + rb"[\"']?:", data)
    if match is None:
        return None
    line, column = data.count(b"\n", 0, match.start()) + 1, len(match[1]) + 1
    return Span(line, column, line, column + len(match[0]) - len(match[1]) - 1)
