"""Bytes to tree: what is refused and where, and that spans and values are those of PyYAML."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from reciplint.yamltree.parse import parse, parse_text
from reciplint.yamltree.problem import Limits, Problem, Unreadable
from reciplint.yamltree.scalars import load
from reciplint.yamltree.spans import Span
from reciplint.yamltree.tree import Alias, Mapping, Scalar, Sequence, Tree


def problem_of(data: bytes | str, limits: Limits | None = None) -> Problem:
    with pytest.raises(Unreadable) as caught:
        parse(data.encode() if isinstance(data, str) else data, limits or Limits())
    return caught.value.problem


def written(text: str) -> list[str]:
    return [text[scalar.start : scalar.end] for scalar in parse_text(text).scalars]


def test_syntax_error_says_where_and_why() -> None:
    problem = problem_of("name: tiny\nargs: [--port, 8000\nmodel: example\n")
    assert problem.kind == "syntax"
    assert problem.span == Span(3, 6, 3, 6)
    assert problem.arguments == {"reason": "did not find expected ',' or ']' (while parsing a flow sequence)"}


def test_latin_1_is_bad_bytes_at_its_place() -> None:
    problem = problem_of("a: ä\nb: ".encode() + b"caf\xe9\n")
    assert problem == Problem("bad-bytes", Span(2, 7, 2, 7), {"byte": "0xE9"})


def test_nul_is_refused_at_its_place() -> None:
    problem = problem_of("a: ü\nb: x\0y\n")
    assert problem.kind == "syntax"
    assert problem.span == Span(2, 5, 2, 5)
    assert problem.arguments == {"reason": "character U+0000 is not allowed in YAML"}


def test_control_character_behind_a_bom_keeps_its_place() -> None:
    assert problem_of("\ufeffa: x\x07\n").span == Span(1, 6, 1, 6)


def test_too_large_counts_bytes() -> None:
    assert problem_of("a: ä\n", Limits(file_bytes=5)) == Problem.at_start("too-large", size=6, limit=5)
    assert parse("a: ä\n".encode(), Limits(file_bytes=6)).scalars[1].value == "ä"


def test_too_deep_points_at_the_first_level_beyond() -> None:
    assert problem_of("[[[[1]]]]", Limits(depth=3)) == Problem("too-deep", Span(1, 4, 1, 4), {"limit": 3})
    assert load(parse_text("[[[1]]]", Limits(depth=3)).root) == [[[1]]]
    assert problem_of("[" * 5_000).kind == "too-deep"


def test_depth_counts_what_aliases_expand_to() -> None:
    """A chain of anchors, each a level deeper, would overflow the stack of whatever loads it."""
    chain = "a0: &a0 [1]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 2000))
    problem = problem_of(chain)
    assert problem == Problem("too-deep", Span(100, 12, 100, 12), {"limit": 100})


def test_unknown_alias_names_itself() -> None:
    assert problem_of("a: 1\nb: *nope\n") == Problem("unknown-alias", Span(2, 4, 2, 4), {"name": "nope"})


def test_an_anchor_ends_with_its_document() -> None:
    assert problem_of("a: &x 1\n---\nb: *x\n").kind == "unknown-alias"


def test_alias_cycle() -> None:
    assert problem_of("a: &x\n  b: [*x]\n") == Problem("alias-cycle", Span(2, 7, 2, 7), {"name": "x"})


def test_billion_laughs_is_refused_while_reading() -> None:
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 10)}]" for i in range(1, 10)]
    problem = problem_of("\n".join(lines))
    assert problem.kind == "alias-expansion"
    assert problem.arguments == {"limit": 1_000_000}
    assert problem.span.line == 6


def test_no_tag_is_constructed() -> None:
    tree = parse_text("a: !!python/object/apply:os.system [true]\n")
    assert load(tree.root) == {"a": [True]}


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n", "\ufeff", "---\n", "--- # why\n...\n", "~\n"])
def test_empty_documents_load_as_null(text: str) -> None:
    tree = parse_text(text)
    assert [load(document) for document in tree.documents] == list(yaml.safe_load_all(text))


def test_several_documents() -> None:
    tree = parse_text("a: 1\n---\n---\n- 2\n")
    assert [load(document) for document in tree.documents] == [{"a": 1}, None, [2]]


def test_an_empty_text_with_a_tag_is_a_value() -> None:
    assert [load(document) for document in parse_text("--- !!str\n").documents] == [""]


def test_spans_behind_a_bom() -> None:
    text = "\ufeffkey: 'val'\n"
    tree = parse_text(text)
    assert written(text) == ["key", "'val'"]
    assert tree.span(tree.scalars[1]) == Span(1, 7, 1, 12)


def test_only_one_bom_is_skipped_by_libyaml() -> None:
    assert written("\ufeff\ufeffa: 1\n")[1] == "1"


def test_spans_in_crlf() -> None:
    tree = parse_text("a: 1\r\nb: |\r\n  x\r\n\r\nc: 2\r\n")
    assert written(tree.text) == ["a", "1", "b", "|\r\n  x", "c", "2"]
    assert tree.span(tree.scalars[5]) == Span(5, 4, 5, 5)


def test_unicode_breaks_in_text_do_not_shift_lines() -> None:
    """libyaml starts a new line at NEL, LS and PS; editors and GitHub do not."""
    tree = parse_text('a: "x\x85y\u2028z\u2029"\nb: 2\n')
    assert tree.span(tree.scalars[1]) == Span(1, 4, 1, 12)
    assert tree.span(tree.scalars[3]) == Span(2, 4, 2, 5)


@pytest.mark.parametrize(
    "properties",
    [
        *("&x ", "&x-1\t", "!!str ", "!local ", "! ", "!<tag:yaml.org,2002:str> ", "&x !!str ", "!!str &x "),
        *("&x # c\n  ", "&x\n\n  ", "&x # c\n  # more\n  ", "&x\r\n  "),
    ],
)
@pytest.mark.parametrize("value", ["v", "'v'", '"v"', "|\n    v", "[v]", "- v"])
def test_a_span_begins_behind_anchor_and_tag(properties: str, value: str) -> None:
    if value == "- v" and not properties.endswith("\n  "):
        properties += "\n  "
    text = f"k: {properties}{value}\n"
    root = parse_text(text).root
    assert isinstance(root, Mapping)
    node = root.entries[0].value
    assert text[node.start : node.end] == value


def test_an_alias_has_its_own_place() -> None:
    root = parse_text("a: &x {b: 1}\nc: *x\n").root
    assert isinstance(root, Mapping)
    alias = root.entries[1].value
    assert isinstance(alias, Alias)
    assert (alias.start, alias.end) == (16, 18)
    assert alias.target is root.entries[0].value


def test_an_empty_value_is_an_empty_span_behind_the_colon() -> None:
    root = parse_text("a:\n\n# c\nb: &x\nc: 1\n").root
    assert isinstance(root, Mapping)
    empty, anchored = root.entries[0].value, root.entries[1].value
    assert (empty.start, empty.end) == (2, 2)
    assert anchored.start == anchored.end


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("a: |\n  x\n  y\nb: 1\n", "|\n  x\n  y"),
        ("a: |+\n  x\n\n\nb: 1\n", "|+\n  x"),
        ("a: >-\n  x  \n\n", ">-\n  x  "),
        ("a: |\n  x\n\n# after\nb: 1\n", "|\n  x"),
        ("a: |\n  x\n # less indented\nb: 1\n", "|\n  x"),
        ("a: | # why\n  x\n", "| # why\n  x"),
        ("a: |\n  x\u00a0\n", "|\n  x\u00a0"),
        ("a: |\n  x", "|\n  x"),
        ("a: |\n", "|"),
        ("a: |\n\n\nb: 1\n", "|"),
        ("a: |2\n    x\n", "|2\n    x"),
    ],
)
def test_a_block_scalar_ends_with_its_last_line(text: str, block: str) -> None:
    scalar = parse_text(text).scalars[1]
    assert text[scalar.start : scalar.end] == block
    assert scalar.value == yaml.safe_load(text)["a"]


def test_block_collections_end_with_their_last_child() -> None:
    text = "a:\n  b: 1\n  # trailing\n\nc:\n- 2\n\n# end\n"
    root = parse_text(text).root
    assert isinstance(root, Mapping)
    inner, items = root.entries[0].value, root.entries[1].value
    assert isinstance(items, Sequence)
    assert text[inner.start : inner.end] == "b: 1"
    assert text[items.start : items.end] == "- 2"
    assert text[root.start : root.end] == text[: text.index("\n\n# end")]


def test_complex_keys_are_kept() -> None:
    root = parse_text("? [a, b]\n: 1\n? {c: d}\n: 2\n").root
    assert isinstance(root, Mapping)
    assert [type(entry.key) for entry in root.entries] == [Sequence, Mapping]
    assert [entry.name for entry in root.entries] == [None, None]


def test_a_hash_in_a_tag_is_not_taken_for_a_comment() -> None:
    assert written("a: 'x # y'\nb: x#y\n") == ["a", "'x # y'", "b", "x#y"]


YAML_TEXT = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="ab01:-#&*!|>'\"[]{},?%@ \t\n\r~<\ufeff\x85\u2028", max_size=40),
)


def outcome(data: bytes) -> Tree | Problem:
    try:
        return parse(data)
    except Unreadable as unreadable:
        return unreadable.problem


@given(YAML_TEXT)
def test_any_text_gives_a_tree_or_a_problem(text: str) -> None:
    result = outcome(text.encode())
    if isinstance(result, Problem):
        assert 1 <= result.span.line <= text.count("\n") + 1
        return
    assert all(0 <= scalar.start <= scalar.end <= len(text) for scalar in result.scalars)
    assert all(isinstance(node, Scalar | Mapping | Sequence | Alias) for _, node in result.walk())
    assert len(result.comments) <= text.count("#")


@given(st.binary(max_size=60))
def test_any_bytes_give_a_tree_or_a_problem(data: bytes) -> None:
    result = outcome(data)
    assert isinstance(result, Tree) or result.kind in {"syntax", "bad-bytes", "unknown-alias", "alias-cycle"}


@given(YAML_TEXT)
def test_readable_is_what_libyaml_reads(text: str) -> None:
    try:
        list(yaml.parse(text, yaml.CSafeLoader))
        accepted = True
    except yaml.YAMLError:
        accepted = False
    result = outcome(text.encode())
    by_alias = isinstance(result, Problem) and result.kind in {"unknown-alias", "alias-cycle"}
    assert by_alias or accepted == isinstance(result, Tree)
