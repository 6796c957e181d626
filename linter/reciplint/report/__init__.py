"""Reports: one module a format, each a pure function from findings to text."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from reciplint.report.model import Options, Report, Sources

    Renderer = Callable[[Report, Sources, Options], str]

FORMATS: dict[str, str] = {
    "text": "reciplint.report.text",
    "concise": "reciplint.report.concise",
    "json": "reciplint.report.jsonreport",
    "sarif": "reciplint.report.sarif",
    "github": "reciplint.report.github",
    "gitlab": "reciplint.report.gitlab",
    "junit": "reciplint.report.junit",
    "markdown": "reciplint.report.markdown",
}
"""The module of each format, imported only when a report is rendered in it."""


def renderer(name: str) -> Renderer:
    """The `render(report, sources, options)` of a format. Raises `KeyError` for an unknown name."""
    return cast("Renderer", importlib.import_module(FORMATS[name]).render)
