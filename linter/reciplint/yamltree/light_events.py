"""libyaml's events at a third of their price.

PyYAML's binding makes each event by calling a class of its own in Python. It finds the class by its name, so that for
as long as a text is read structs can stand in the place of those that nearly all events are of. A binding that looks
them up otherwise goes on making its own, which have the same fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import yaml.events
from yaml import _yaml


class LightScalar(msgspec.Struct, eq=False, gc=False):
    """A scalar; the fields of each come in the order in which the binding gives them."""

    anchor: str | None
    tag: str | None
    implicit: tuple[bool, bool]
    value: str
    start_mark: Any
    end_mark: Any
    style: str | None = None


class LightMappingStart(msgspec.Struct, eq=False, gc=False):
    """A mapping begins."""

    anchor: str | None
    tag: str | None
    implicit: bool
    start_mark: Any
    end_mark: Any
    flow_style: bool | None = None


class LightSequenceStart(LightMappingStart, eq=False, gc=False):
    """A sequence begins."""


class LightMappingEnd(msgspec.Struct, eq=False, gc=False):
    """A mapping ends."""

    start_mark: Any
    end_mark: Any


class LightSequenceEnd(LightMappingEnd, eq=False, gc=False):
    """A sequence ends."""


_LIGHT = {
    "ScalarEvent": LightScalar,
    "MappingStartEvent": LightMappingStart,
    "SequenceStartEvent": LightSequenceStart,
    "MappingEndEvent": LightMappingEnd,
    "SequenceEndEvent": LightSequenceEnd,
}
_OWN = {name: getattr(yaml.events, name) for name in _LIGHT}


@contextmanager
def light_events() -> Iterator[Callable[[str], Any]]:
    """The parser of a text, whose events are light ones within the context."""
    names: dict[str, Any] = vars(_yaml)
    names.update(_LIGHT)
    try:
        yield names["CParser"]
    finally:
        names.update(_OWN)
