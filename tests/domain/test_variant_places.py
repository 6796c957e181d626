"""Where a value of a variant is written: in its override, or in the base that it takes it from."""

from __future__ import annotations

import pytest

from reciplint.domain.variant_places import locate, span_of
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.spans import FILE_START, Span

PLAIN = """\
name: finch
resources: &shared
  gpu_type: gb300
  workers: 2
other: *shared
roles:
  decode:
    <<: *shared
    nodes: 1
"""

BUNDLE = """\
schema: 2
base:
  resources:
    workers: 1
    nodes: 3
  args:
    tp: 4
override_wide:
  resources:
    workers: 2
  args: {tp: null}
zip_override_sweep:
  resources:
    workers: [4, 5, 6]
    nodes:
    - 7
  args:
    tp: [8, 9]
"""


def text_at(text: str, span: Span) -> str:
    assert span.line == span.end_line
    return text.splitlines()[span.line - 1][span.column - 1 : span.end_column - 1]


@pytest.mark.parametrize(
    ("path", "line", "found"),
    [
        (("name",), 1, "finch"),
        (("resources", "workers"), 4, "2"),
        (("other",), 5, "*shared"),
        (("other", "gpu_type"), 3, "gb300"),
        (("roles", "decode", "nodes"), 9, "1"),
        (("roles", "decode", "workers"), 4, "2"),
    ],
)
def test_a_value_of_a_plain_recipe_aliases_and_merge_keys_followed(
    path: tuple[str, ...], line: int, found: str
) -> None:
    tree = parse_text(PLAIN)
    span = span_of(tree, "", path)
    assert (span.line, text_at(PLAIN, span)) == (line, found)


def test_where_a_path_is_not_written_whole_the_key_that_comes_nearest() -> None:
    tree = parse_text(PLAIN)
    span = span_of(tree, "", ("roles", "decode", "gpus"))
    assert (span.line, text_at(PLAIN, span)) == (7, "decode")
    assert span_of(tree, "", ("nothing", "there")) == FILE_START
    assert locate(tree, "", ("nothing", "there")) is None


@pytest.mark.parametrize(
    ("selector", "path", "body", "line", "found"),
    [
        ("base", ("resources", "workers"), "base", 4, "1"),
        ("override_wide", ("resources", "workers"), "override_wide", 10, "2"),
        ("override_wide", ("resources", "nodes"), "base", 5, "3"),
        ("override_wide", ("args", "tp"), "override_wide", 11, "null"),
        ("zip_override_sweep[0]", ("resources", "workers"), "zip_override_sweep", 14, "4"),
        ("zip_override_sweep[2]", ("resources", "workers"), "zip_override_sweep", 14, "6"),
        ("zip_override_sweep[2]", ("resources", "nodes"), "zip_override_sweep", 16, "7"),
        ("zip_override_sweep[1]", ("args", "tp"), "zip_override_sweep", 18, "9"),
        ("override_missing", ("resources", "nodes"), "base", 5, "3"),
    ],
)
def test_a_value_of_a_bundle(selector: str, path: tuple[str, ...], body: str, line: int, found: str) -> None:
    tree = parse_text(BUNDLE)
    place = locate(tree, selector, path)
    assert place is not None
    assert (place.body, place.depth) == (body, len(path))
    span = span_of(tree, selector, path)
    assert (span.line, text_at(BUNDLE, span)) == (line, found)


def test_the_deeper_place_wins_where_neither_has_the_whole_path() -> None:
    text = "base:\n  roles:\n    decode: {workers: 1}\noverride_x:\n  roles: {}\n"
    place = locate(parse_text(text), "override_x", ("roles", "decode", "gpus"))
    assert place is not None
    assert (place.body, place.depth) == ("base", 2)


def test_a_text_that_is_no_mapping_has_no_places() -> None:
    assert locate(parse_text("- 1\n"), "", ("name",)) is None
