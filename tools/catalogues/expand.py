"""A catalogue taken apart again into its releases, so that a new release can be added without fetching the old ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .archive import order
from .forms import Form
from .merge import Span


def holds(span: Span, version: str) -> bool:
    """Whether a span covers a version."""
    first, last = (*span, None, None)[:2]
    return (first is None or order(first) <= order(version)) and (last is None or order(version) <= order(last))


def forms(records: Mapping[str, Mapping[str, Any]], version: str) -> dict[str, Form]:
    """The flags or keys that a release has, each in the form it had then."""
    return {name: _form(record, version) for name, record in records.items() if holds(record.get("span", []), version)}


def names(spans: Mapping[str, Span], version: str) -> list[str]:
    """The members of a set that a release has."""
    return [name for name, span in spans.items() if holds(span, version)]


def _form(record: Mapping[str, Any], version: str) -> Form:
    then = next((old for old in record.get("was", ()) if order(version) <= order(old["until"])), record)
    form = Form(
        then["kind"],
        aliases=tuple(names(record.get("aliases", {}), version)),
        element=then.get("element"),
        known=tuple(names(record.get("known", {}), version)),
        config=then.get("config"),
        nullable=then.get("nullable", False),
        default=then.get("default"),
        units=then.get("units", False),
        words=tuple(then.get("words", ())),
        deprecated=_since(record.get("deprecated"), version),
        replacement=record.get("replacement"),
        env=record.get("env"),
        parts=tuple(record.get("parts", ())),
        spelled=holds(record.get("spelled", []), version),
    )
    return replace(form, choices=tuple(names(record.get("choices", {}), version))) if then.get("closed") else form


def _since(first: str | None, version: str) -> bool:
    return first is not None and order(first) <= order(version)
