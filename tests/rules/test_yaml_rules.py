"""yaml-syntax and duplicate-key: places, messages, fixes and the traps that must stay silent."""

from __future__ import annotations

import re

import pytest
from yaml_rule_findings import fixed, marked, only, run

from reciplint.domain.document import Document
from reciplint.repo.kinds import ANY_YAML, Kind
from reciplint.rules.rule import Context
from reciplint.rules.yaml import ambiguous_scalar, duplicate_key, final_newline, yaml_syntax
from reciplint.yamltree.problem import Limits

# yaml-syntax


@pytest.mark.parametrize(
    ("text", "position", "message_id", "message"),
    [
        (
            "name: tiny\nargs: [--port, 8000\nmodel: x\n",
            (3, 6),
            "syntax-flow",
            "YAML cannot be parsed: did not find expected ',' or ']' (while parsing a flow sequence) at `model: x`. "
            "A `[` or `{` opened further up is not closed, or a comma is missing",
        ),
        ("a: b: c\n", (1, 5), "syntax-colon", "mapping values are not allowed in this context at `a: b: c`"),
        ("a:\n\tb: 1\n", (2, 1), "syntax-indicator", "Indent with spaces, not tabs"),
        ("a: @home\n", (1, 4), "syntax-indicator", "at `a: @home`"),
        ("a:\n  b: 1\n c: 2\n", (3, 2), "syntax-indentation", "align it with its siblings"),
        ("a: 'x\nb: 1\n", (3, 1), "syntax-end", "found unexpected end of stream"),
        ("a: x\0y\n", (1, 5), "syntax", "character U+0000 is not allowed in YAML at `a: x y`"),
    ],
)
def test_syntax_says_what_where_and_what_would_be_right(
    text: str, position: tuple[int, int], message_id: str, message: str
) -> None:
    found = only(run(yaml_syntax.check_document, text))
    assert (found.span.line, found.span.column) == position
    assert found.message_id == message_id
    assert message in found.message
    assert found.severity == "error"


def test_syntax_shortens_a_long_line() -> None:
    found = only(run(yaml_syntax.check_document, f"a: b: {'x' * 200}\n"))
    assert found.arguments["text"] == f"a: b: {'x' * 53}…"


@pytest.mark.parametrize(
    ("data", "limits", "message_id", "message"),
    [
        (
            b"a: caf\xe9\n",
            Limits(),
            "bad-bytes",
            "The file is not UTF-8: byte 0xE9 cannot be decoded; save it as UTF-8",
        ),
        (b"a: 12345\n", Limits(file_bytes=4), "too-large", "The file has 9 bytes, more than the limit of 4"),
        (b"[[[1]]]\n", Limits(depth=2), "too-deep", "Nested more than 2 levels deep, aliases expanded; flatten it"),
        (b"a: *x\n", Limits(), "unknown-alias", "The alias `*x` has no anchor `&x` before it in this document"),
        (b"a: &x [*x]\n", Limits(), "alias-cycle", "The alias `*x` stands inside its own anchor `&x`"),
        (b"a: &x [1, 1]\nb: [*x, *x]\n", Limits(expanded_nodes=8), "alias-expansion", "more than 8 values"),
    ],
)
def test_every_problem_has_its_message(data: bytes, limits: Limits, message_id: str, message: str) -> None:
    found = only(run(yaml_syntax.check_document, data, limits=limits))
    assert found.message_id == message_id
    assert message in found.message


def test_a_file_too_large_to_be_read_is_reported() -> None:
    document = Document("big.yaml", Kind.YAML, b"", size=2_000_000)
    found = only(list(yaml_syntax.check_document(document, Context())))
    assert (found.message_id, found.arguments) == ("too-large", {"size": 2_000_000, "limit": 1 << 20})


def test_syntax_is_silent_on_a_readable_file_and_cannot_be_suppressed() -> None:
    assert run(yaml_syntax.check_document, "a: 1\n") == []
    assert not yaml_syntax.RULE.suppressible


def test_the_subject_of_a_syntax_error_holds_no_line() -> None:
    one = only(run(yaml_syntax.check_document, "a: b: c\n"))
    other = only(run(yaml_syntax.check_document, "# moved\n\na: b: c\n"))
    assert one.subject == other.subject


# duplicate-key


def test_duplicates_that_differ_are_an_error_on_the_ignored_key() -> None:
    text = "decode:\n  «attention-backend»: tiny # old\n  page-size: 64\n  attention-backend: small\n"
    found = only(marked(duplicate_key.check_document, text))
    assert found.severity == "error"
    assert found.message == (
        "`attention-backend` stands 2 times in one mapping: PyYAML keeps the last, `small` (line 4), and drops `tiny`"
    )
    assert found.subject == ("decode", "attention-backend")
    assert found.pointer == "/decode/attention-backend"
    assert [(related.span.line, related.message) for related in found.related] == [(4, "the one that counts")]
    assert found.fix is None


def test_equal_duplicates_are_a_warning_with_a_safe_fix() -> None:
    text = 'env:\n  «MODE»: "fast"\n  SLOTS: 1\n  MODE: fast\n'
    found = only(marked(duplicate_key.check_document, text))
    assert found.severity == "warning"
    assert found.message == (
        "`MODE` stands 2 times in one mapping, each time with the value `fast`: PyYAML keeps the last (line 4)"
    )
    assert found.fix is not None
    assert found.fix.applicability == "safe"
    assert fixed(re.sub("[«»]", "", text), [found]) == "env:\n  SLOTS: 1\n  MODE: fast\n"


def test_all_duplicates_of_a_file_and_all_their_places() -> None:
    text = "«a»: 1\na: 2\nb:\n  - «c»: 1\n    c: 1\n    «d»: x\n    c: 1\n    d: y\na: 3\n"
    found = marked(duplicate_key.check_document, text)
    assert [finding.subject for finding in found] == [("a",), ("b", "c"), ("b", "d")]
    assert found[0].arguments["dropped"] == ("`1`", "`2`")
    assert [(related.span.line, related.message) for related in found[0].related] == [
        (2, "overridden as well"),
        (9, "the one that counts"),
    ]


def test_equality_is_that_of_loaded_values() -> None:
    equal = only(run(duplicate_key.check_document, "a: {x: 1, y: [2]}\na:\n  y: [0x2]\n  x: 1\n"))
    assert equal.severity == "warning"
    assert equal.fix is None  # a collection is removed by hand
    assert only(run(duplicate_key.check_document, "a: 1\na: '1'\n")).severity == "error"
    assert only(run(duplicate_key.check_document, "a: 1\na: true\n")).severity == "error"


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\n'a': 2\n",
        "yes: 1\ntrue: 2\n",
        "1: a\n0x1: b\n",
        "&k a: 1\n*k : 2\n",
        "x: &k yes\ny: {*k : 1, true: 2}\n",
        "1: a\ntrue: b\n",
        "!!str yes: a\n'yes': b\n",
        "x: &m {a: 1}\ny: {<<: *m, a: 2, a: 3}\n",
        "{a: 1, b: 2, a: 3}\n",
        "a: 1\n---\na: 1\na: 2\n",
        "a:\na: 1\n",
    ],
)
def test_keys_are_one_where_pyyaml_has_one(text: str) -> None:
    assert len(run(duplicate_key.check_document, text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "1: a\n'1': b\n",
        "yes: a\n'yes': b\n",
        "2026-01-02: a\n'2026-01-02': b\n",
        "base: &b {tp: 1}\nover:\n  <<: *b\n  tp: 2\n",
        "base: &b {tp: 1}\nmore: &m {pp: 2}\nover:\n  <<: *b\n  <<: *m\n",
        "- {a: 1}\n- {a: 1}\n",
        "? [a]\n: 1\n? [a]\n: 2\n",
        "a: 1\n---\na: 2\n",
        "",
    ],
)
def test_what_is_no_duplicate(text: str) -> None:
    assert run(duplicate_key.check_document, text) == []


def test_long_values_are_shown_where_they_differ() -> None:
    head = "{" + "x" * 100
    text = f"a: '{head}first-and-more-and-more-and-more}}'\na: '{head}second}}'\n"
    found = only(run(duplicate_key.check_document, text))
    assert found.arguments["kept"] == f"`…{'x' * 20}second}}'`"
    assert found.arguments["dropped"] == (f"`…{'x' * 20}first-and-more-and-m…`",)


def test_no_fix_that_could_not_be_carried_out() -> None:
    for text in ("{a: 1, a: 1}\n", "- a: 1\n  a: 1\n", "a: 1 # why\na: 1\n", "b: 1\n---\na: 1\na: 1\n"):
        assert only(run(duplicate_key.check_document, text)).fix is None


def test_a_duplicate_in_a_later_document_does_not_edit_the_first() -> None:
    found = run(duplicate_key.check_document, "a: 1\na: 1\n---\na: 2\na: 2\n")
    assert [finding.fix is None for finding in found] == [False, True]


def test_an_empty_value_is_shown_as_null() -> None:
    found = only(run(duplicate_key.check_document, "a:\na: *x\n".replace("*x", "&x 2")))
    assert (found.arguments["kept"], found.arguments["dropped"]) == ("`2`", ("`null`",))


# all of them


@pytest.mark.parametrize("module", [yaml_syntax, duplicate_key, ambiguous_scalar])
def test_they_run_on_every_kind_of_yaml(module: object) -> None:
    assert module.RULE.kinds == ANY_YAML  # type: ignore[attr-defined]


def test_the_end_of_a_changelog_is_left_to_its_own_rule() -> None:
    assert final_newline.RULE.kinds == ANY_YAML - {Kind.CHANGELOG}
