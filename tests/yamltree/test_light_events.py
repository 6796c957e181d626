"""Light events: given while a text is read and never else, and not needed for reading it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import yaml
from yaml._yaml import CParser  # type: ignore[import-not-found, unused-ignore]

from reciplint.yamltree import parse as parsing
from reciplint.yamltree.light_events import light_events
from reciplint.yamltree.scalars import load
from reciplint.yamltree.tree import Tree

TEXT = "&top\na: &x {b: !!str 1, c: ['2', \"3\"]}\nd: *x\ne: |  # why\n  4\n  5\n\nf:\n- - g\n"


def names(parser: Any) -> set[str]:
    found = set()
    while (event := parser.get_event()) is not None:
        found.add(type(event).__name__)
    return {name for name in found if not name.startswith(("Stream", "Document"))}


def test_events_are_light_within_the_context_alone() -> None:
    collections = {f"{sort}{edge}" for sort in ("Mapping", "Sequence") for edge in ("Start", "End")}
    with light_events() as parser:
        assert names(parser(TEXT)) == {"LightScalar", *(f"Light{name}" for name in collections), "AliasEvent"}
    assert names(CParser(TEXT)) == {"ScalarEvent", *(f"{name}Event" for name in collections), "AliasEvent"}


def test_the_context_ends_with_a_fault() -> None:
    with pytest.raises(yaml.YAMLError), light_events() as parser:
        names(parser("a: ["))
    assert "ScalarEvent" in names(CParser(TEXT))


def spans(tree: Tree) -> list[tuple[object, ...]]:
    return [(path, type(node).__name__, node.start, node.end) for path, node in tree.walk()]


def test_a_binding_that_makes_its_own_events_is_read_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def own_events() -> Iterator[Callable[[str], Any]]:
        yield CParser

    light = parsing.parse_text(TEXT)
    monkeypatch.setattr(parsing, "light_events", own_events)
    own = parsing.parse_text(TEXT)
    assert spans(own) == spans(light)
    assert load(own.root) == load(light.root) == yaml.safe_load(TEXT)
