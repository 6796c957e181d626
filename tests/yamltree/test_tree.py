"""The tree: names, duplicates, merges, paths, line and column."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yaml_documents import DOCUMENTS

from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.scalars import load
from reciplint.yamltree.spans import LineIndex, Span
from reciplint.yamltree.tree import Alias, Mapping, Node, Scalar, Tree, key_path, pointer


def root_of(text: str) -> Mapping:
    root = parse_text(text).root
    assert isinstance(root, Mapping)
    return root


def shape(tree: Tree) -> list[tuple[str, str]]:
    return [(pointer(path), type(node).__name__) for path, node in tree.walk()]


def test_every_duplicate_is_kept_and_the_last_wins() -> None:
    root = root_of("tp: 1\npp: 2\ntp: 4\n")
    assert [entry.name for entry in root.entries] == ["tp", "pp", "tp"]
    assert load(root.get("tp")) == 4
    assert root.get("ep") is None


def test_an_explicit_key_beats_a_merged_one_wherever_it_stands() -> None:
    root = root_of("base: &b {tp: 1, pp: 1}\nover: {tp: 2, <<: *b}\n")
    over = root.get("over")
    assert isinstance(over, Mapping)
    assert (load(over.get("tp")), load(over.get("pp"))) == (2, 1)
    merged = over.entry("pp")
    assert merged is not None
    assert merged.key.start == root_of("base: &b {tp: 1, pp: 1}\n").get("base").entries[1].key.start  # type: ignore[union-attr]


def test_get_follows_an_alias() -> None:
    root = root_of("a: &x {b: 1}\nc: *x\n")
    assert root.get("c") is root.get("a")
    assert isinstance(root.entries[1].value, Alias)


def test_quoted_merge_key_is_an_ordinary_one() -> None:
    root = root_of("'<<': 1\n")
    assert not root.entries[0].is_merge
    assert load(root.get("<<")) == 1


def test_an_aliased_key_has_the_name_of_its_anchor() -> None:
    assert [entry.name for entry in root_of("a: &k name\n*k : 1\n").entries] == ["a", "name"]


def test_walk_goes_in_source_order_and_enters_no_alias() -> None:
    tree = parse_text("a: &x\n  - 1\n  - {b/c: 2}\nd: *x\n")
    assert shape(tree) == [
        ("", "Mapping"),
        ("/a", "Sequence"),
        ("/a/0", "Scalar"),
        ("/a/1", "Mapping"),
        ("/a/1/b~1c", "Scalar"),
        ("/d", "Alias"),
    ]


def test_walk_visits_every_document() -> None:
    assert shape(parse_text("- 1\n---\n---\n- 2\n")) == [
        ("", "Sequence"),
        ("/0", "Scalar"),
        ("", "Sequence"),
        ("/0", "Scalar"),
    ]


def test_mappings_come_with_their_path() -> None:
    tree = parse_text("a: [{b: 1}]\n")
    assert [path for path, _ in tree.mappings()] == [(), ("a", 0)]


def test_pointer_and_key_path() -> None:
    assert pointer(("a/b", 0, "c~d")) == "/a~1b/0/c~0d"
    assert key_path(("a", 0, "b", 3)) == ("a", "b")


def test_entry_span_reaches_from_key_to_value() -> None:
    tree = parse_text("a:\n  b: 1\n  c: |\n    x\n    y\n")
    assert tree.entry_span(root_of(tree.text).entries[0]) == Span(1, 1, 5, 6)


def test_the_root_may_be_an_anchored_scalar() -> None:
    root = parse_text("&x 12\n").root
    assert isinstance(root, Scalar)
    assert (root.start, root.value) == (3, "12")


def test_a_line_ends_at_lf_only() -> None:
    lines = LineIndex("a\rb\r\nc\u2028d\x85\ne")
    assert [lines.line_text(number) for number in range(6)] == ["", "a\rb", "c\u2028d\x85", "e", "", ""]
    assert lines.span(5, 8) == Span(2, 1, 2, 4)
    assert lines.span(0, 5) == Span(1, 1, 2, 1)
    assert lines.offset(99, 1) == len(lines.text)
    assert Span(2, 1, 3, 2).touches_line(3)
    assert not Span(2, 1, 3, 2).touches_line(4)
    assert Span(2, 1, 3, 2).start == Span(2, 1, 2, 1)


@given(st.text(alphabet="ab\n\r\u2028", max_size=30), st.data())
def test_offsets_and_positions_are_inverse(text: str, data: st.DataObject) -> None:
    lines = LineIndex(text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    span = lines.span(start, end)
    assert lines.offset(span.line, span.column) == start
    assert lines.offset(span.end_line, span.end_column) == end
    assert span.line == text.count("\n", 0, start) + 1


def children(node: Node) -> list[Node]:
    if isinstance(node, Mapping):
        return [part for entry in node.entries for part in entry]
    return [] if isinstance(node, Scalar | Alias) else list(node.items)


@given(DOCUMENTS)
def test_children_lie_in_order_within_their_parent(text: str) -> None:
    for _, node in parse_text(text).walk():
        position = node.start
        for child in children(node):
            assert position <= child.start <= child.end <= node.end
            position = child.end


@given(DOCUMENTS)
def test_a_scalar_on_one_line_reads_the_same_alone(text: str) -> None:
    tree = parse_text(text)
    for scalar in tree.scalars:
        source = text[scalar.start : scalar.end]
        if scalar.style in ("|", ">") or "\n" in source or not source:
            continue
        alone = parse_text(f"[{source}]" if not scalar.style else source).scalars
        assert [(other.value, other.style) for other in alone] == [(scalar.value, scalar.style)] or "," in source


@pytest.mark.parametrize("text", ["a: 1\n", "a: [1, {b: c}]\n---\nd: *x\n".replace("*x", "e")])
def test_scalars_are_in_source_order(text: str) -> None:
    starts = [scalar.start for scalar in parse_text(text).scalars]
    assert starts == sorted(starts)
