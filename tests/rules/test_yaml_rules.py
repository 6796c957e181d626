"""The rules on YAML itself: places, messages, fixes and the traps that must stay silent."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
import yaml

from reciplint.domain.document import Document
from reciplint.repo.kinds import ANY_YAML, Kind
from reciplint.rules.finding import Finding
from reciplint.rules.rule import Context
from reciplint.rules.yaml import ambiguous_scalar, duplicate_key, env_value_type, final_newline, yaml_syntax
from reciplint.yamltree.edit import apply_edits, resolve
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.problem import Limits
from reciplint.yamltree.scalars import load

Check = Callable[[Document, Context], Iterator[Finding]]


def run(check: Check, text: str | bytes, kind: Kind = Kind.YAML, limits: Limits | None = None) -> list[Finding]:
    data = text.encode() if isinstance(text, str) else text
    return list(check(Document("values.yaml", kind, data, limits=limits or Limits()), Context()))


def marked(check: Check, text: str, kind: Kind = Kind.YAML) -> list[Finding]:
    """The findings of a text in which « and » enclose the span of each."""
    found = run(check, re.sub("[«»]", "", text), kind)
    lines = parse_text(re.sub("[«»]", "", text)).lines
    places = [match.start() - before for before, match in enumerate(re.finditer("[«»]", text))]
    spans = [lines.span(start, end) for start, end in zip(places[::2], places[1::2], strict=True)]
    assert [finding.span for finding in found] == spans
    return found


def only(findings: list[Finding]) -> Finding:
    assert len(findings) == 1
    return findings[0]


def fixed(text: str, findings: list[Finding]) -> str:
    tree = parse_text(text)
    edits = [edit for found in findings if found.fix for op in found.fix.operations for edit in resolve(tree, op)]
    return apply_edits(text, edits)


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


# ambiguous-scalar


@pytest.mark.parametrize(
    ("text", "spelling", "message"),
    [
        ("yes", "true", "`yes` is true to PyYAML and text to a YAML 1.2 reader: write `true`"),
        ("Off", "false", "`Off` is false to PyYAML and text to a YAML 1.2 reader: write `false`"),
        ("1:30", "90", "`1:30` is the number 90 to PyYAML and text to a YAML 1.2 reader: write `90`"),
        ("1:30.5", "90.5", "`1:30.5` is the number 90.5 to PyYAML and text to a YAML 1.2 reader: write `90.5`"),
        ("010", "8", "`010` is the number 8 to PyYAML and the number 10 to a YAML 1.2 reader: write `8`"),
        ("-010", "-8", "`-010` is the number -8 to PyYAML and the number -10 to a YAML 1.2 reader: write `-8`"),
        ("08", '"08"', '`08` is text to PyYAML and the number 8 to a YAML 1.2 reader: write `"08"`'),
        ("0o10", '"0o10"', '`0o10` is text to PyYAML and the number 8 to a YAML 1.2 reader: write `"0o10"`'),
        ("1e3", '"1e3"', '`1e3` is text to PyYAML and the number 1000.0 to a YAML 1.2 reader: write `"1e3"`'),
        ("5e-7", '"5e-7"', '`5e-7` is text to PyYAML and the number 5e-07 to a YAML 1.2 reader: write `"5e-7"`'),
        ("+.5", '"+.5"', '`+.5` is text to PyYAML and the number 0.5 to a YAML 1.2 reader: write `"+.5"`'),
        ("1_000", "1000", "`1_000` is the number 1000 to PyYAML and text in the YAML 1.2 core schema: write `1000`"),
        ("0x_1F", "31", "`0x_1F` is the number 31 to PyYAML and text in the YAML 1.2 core schema: write `31`"),
        ("1_0.5", "10.5", "`1_0.5` is the number 10.5 to PyYAML and text in the YAML 1.2 core schema: write `10.5`"),
    ],
)
def test_ambiguous_values_are_respelled_as_pyyaml_reads_them(text: str, spelling: str, message: str) -> None:
    source = f"a:\n- «{text}» # why\n"
    found = only(marked(ambiguous_scalar.check_document, source))
    assert found.message == message
    assert (found.severity, found.subject, found.pointer) == ("warning", ("a", text), "/a/0")
    assert found.fix is not None
    assert found.fix.applicability == "safe"
    plain = re.sub("[«»]", "", source)
    after = fixed(plain, [found])
    assert after == f"a:\n- {spelling} # why\n"
    assert repr(yaml.safe_load(after)) == repr(yaml.safe_load(plain))
    assert run(ambiguous_scalar.check_document, after) == []


@pytest.mark.parametrize(
    "text",
    [
        *[
            "true",
            "y",
            "n",
            "10",
            "0",
            "-7",
            "1.5",
            ".5",
            "1.",
            "+1",
            "1.5e+3",
            "0x1F",
            "~",
            "null",
            ".inf",
            ".nan",
            "2026-01-02",
            "04:00:00",
            "99:99",
            "1p1d",
            "a_b",
            "_1",
            "<<",
            "=",
        ],
        *(
            "",
            "vllm/tiny:v0.10",
            "10.0.0.1",
            "0.5.1",
            "'yes'",
            '"1:30"',
            "!!str yes",
            "|\n  yes",
            "yes sir",
            "1" * 5000,
        ),
    ],
)
def test_what_is_not_ambiguous(text: str) -> None:
    assert run(ambiguous_scalar.check_document, f"a: {text}\n") == []


def test_underscores_are_advice_in_the_runners_file() -> None:
    text = "hardware: {small: {dram: «1_000»}, tiny: {dram: «yes»}}\n"
    found = marked(ambiguous_scalar.check_document, text, Kind.RUNNERS)
    assert [finding.severity for finding in found] == ["info", "warning"]


def test_the_trigger_of_a_workflow_is_exempt() -> None:
    text = "on:\n  push: {}\njobs:\n  «on»: «no»\n"
    found = marked(ambiguous_scalar.check_document, text, Kind.WORKFLOW)
    assert [finding.message_id for finding in found] == ["key", "value"]
    assert len(run(ambiguous_scalar.check_document, "on: {}\n", Kind.YAML)) == 1


def test_an_ambiguous_key_is_left_to_its_author() -> None:
    found = only(marked(ambiguous_scalar.check_document, "a:\n  «010»: x\n"))
    assert found.message == (
        "The key `010` is the number 8 to PyYAML and the number 10 to a YAML 1.2 reader: quote it if it is text"
    )
    assert (found.subject, found.fix) == (("a", "010", "key"), None)


def test_a_value_in_a_later_document_or_overridden_is_reported_without_a_fix() -> None:
    found = marked(ambiguous_scalar.check_document, "a: «yes»\na: «no»\n---\na: «on»\n")
    assert [finding.fix is None for finding in found] == [True, False, True]


def test_an_anchored_value_is_reported_once_and_keeps_its_anchor() -> None:
    text = "a: &x «yes»\nb: *x\n"
    found = marked(ambiguous_scalar.check_document, text)
    assert fixed(re.sub("[«»]", "", text), found) == "a: &x true\nb: *x\n"


def test_a_number_without_a_common_spelling_has_no_fix() -> None:
    found = only(run(ambiguous_scalar.check_document, "a: 1_0000000000000000000000.5\n"))
    assert (found.message_id, found.fix) == ("value-unspelled", None)


# env-value-type


RECIPE = """\
name: tiny
backend:
  type: vllm
  prefill_environment:
    SLOTS: «4»
    RATE: «0.5»
    FLAG: «true»
    MASK: «010»
    NONE:«»
    LIST: «[a]»
    MAP: «{a: b}»
    TEXT: fast
    QUOTED: "1"
    DATE_LIKE: 1p1d
  vllm_config:
    prefill:
      env: {X: 1}
benchmark:
  env: {CONC: «8»}
frontend:
  args: {environment: {Y: 1}}
  env:
    LEVEL: «1»
services:
- name: etcd
  env: {PORT: «2379»}
"""


def test_environment_values_that_are_not_text() -> None:
    found = marked(env_value_type.check_document, RECIPE, Kind.RECIPE)
    assert [finding.message for finding in found[:7]] == [
        '`SLOTS` is an integer, 4 to PyYAML, where an environment variable is text: write `SLOTS: "4"`',
        '`RATE` is a number, 0.5 to PyYAML, where an environment variable is text: write `RATE: "0.5"`',
        '`FLAG` is a boolean, true to PyYAML, where an environment variable is text: write `FLAG: "true"`',
        '`MASK` is an integer, 8 to PyYAML, where an environment variable is text: write `MASK: "010"`',
        "`NONE` has no value (null) where an environment variable is text: give it one, or delete the line",
        "`LIST` is a list where an environment variable is text",
        "`MAP` is a mapping where an environment variable is text",
    ]
    assert found[0].subject == ("backend", "prefill_environment", "SLOTS", "4")
    assert found[-1].subject == ("services", "env", "PORT", "2379")
    assert found[-1].pointer == "/services/0/env/PORT"
    assert [finding.fix is not None for finding in found] == [True] * 4 + [False] * 3 + [True] * 3
    assert {finding.fix.applicability for finding in found if finding.fix} == {"unsafe"}
    plain = re.sub("[«»]", "", RECIPE)
    after = fixed(plain, found)
    assert 'SLOTS: "4"\n    RATE: "0.5"\n    FLAG: "true"\n    MASK: "010"\n    NONE:\n' in after
    assert len(run(env_value_type.check_document, after, Kind.RECIPE)) == 3


def test_a_shared_or_merged_value_is_reported_once_where_it_is_written() -> None:
    text = (
        "common: &env\n  SLOTS: «1»\n  MODE: 2\nbackend:\n  prefill_environment: *env\n"
        "  decode_environment:\n    <<: *env\n    MODE: text\n"
    ).replace("MODE: 2", "MODE: «2»")
    found = marked(env_value_type.check_document, text, Kind.RECIPE)
    assert [finding.pointer for finding in found] == ["/common/SLOTS", "/common/MODE"]


def test_a_merged_value_that_is_overridden_is_never_loaded() -> None:
    text = "common: &env {MODE: 2}\nenvironment:\n  <<: *env\n  MODE: text\n"
    assert run(env_value_type.check_document, text, Kind.RECIPE) == []


def test_an_aliased_value_is_reported_at_its_anchor() -> None:
    text = "ports: &p «80»\nenvironment: {A: *p, B: *p}\n"
    found = only(marked(env_value_type.check_document, text, Kind.RECIPE))
    assert (found.pointer, found.arguments["name"]) == ("/ports", "A")
    assert found.fix is None  # other places may want the number


@pytest.mark.parametrize(
    "text",
    [
        "base:\n  environment: {A: x}\nzip_override_conc:\n  environment:\n    A: [x, y]\n    B: null\n",
        "override_small:\n  environment: {A: null}\n",
        "schema: 2\nname: tiny\nroles:\n  decode:\n    env: {A: null}\n",
        "base: {schema: 2}\noverride_a:\n  roles: {agg: {env: {A: ~}}}\n",
        "environment:\n",
        "environment: [1, 2]\n",
        "environment: {A: '${TINY}', B: 1.2.3}\n",
        "- environment: {A: 1}\n",
        "",
    ],
)
def test_legal_environments(text: str) -> None:
    assert run(env_value_type.check_document, text, Kind.RECIPE) == []


def test_lists_are_legal_in_zip_groups_only() -> None:
    text = "schema: 2\nenvironment: {A: «[x]»}\nzip_override_c:\n  environment: {A: [x], B: «1»}\n"
    marked(env_value_type.check_document, text, Kind.RECIPE)


def test_environments_are_checked_in_recipes_alone() -> None:
    assert env_value_type.RULE.kinds == {Kind.RECIPE, Kind.SHARED_BLOCK}


# final-newline


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a: 1«»", "a: 1\n"),
        ("a: 1\r\nb: 2«»", "a: 1\r\nb: 2\r\n"),
        ("a: 1\n# end«»", "a: 1\n# end\n"),
        ("a: |-\n  x«»", "a: |-\n  x\n"),
        ("a: |\n  x\n# end«»", "a: |\n  x\n# end\n"),
        ("a: |\n  x\nb: 'y'«»", "a: |\n  x\nb: 'y'\n"),
        ("a: [1,\n  2]«»", "a: [1,\n  2]\n"),
        ("a: 1\n  «»", "a: 1\n  \n"),
    ],
)
def test_final_newline_is_added_without_changing_the_value(text: str, after: str) -> None:
    found = only(marked(final_newline.check_document, text))
    assert (found.severity, found.message) == ("info", "The last line does not end with a line break")
    assert found.fix is not None
    assert found.fix.applicability == "safe"
    plain = re.sub("[«»]", "", text)
    assert fixed(plain, [found]) == after
    assert load(parse_text(after).root) == load(parse_text(plain).root)
    assert run(final_newline.check_document, after) == []


@pytest.mark.parametrize("text", ["a: |\n  x«»", "a: >+\n  x«»", "- |2+\n   x«»", "a: | # why\n  x«»"])
def test_in_a_block_scalar_the_line_break_would_change_the_value(text: str) -> None:
    found = only(marked(final_newline.check_document, text))
    assert found.message_id == "missing-block"
    assert found.fix is not None
    assert found.fix.applicability == "unsafe"
    plain = re.sub("[«»]", "", text)
    assert yaml.safe_load(fixed(plain, [found])) != yaml.safe_load(plain)


@pytest.mark.parametrize("text", ["", "\ufeff", "a: 1\n", "a: 1\r\n", "\n", "a: 1\n\n\n"])
def test_files_that_end_well(text: str) -> None:
    assert run(final_newline.check_document, text) == []


# all of them


@pytest.mark.parametrize("module", [yaml_syntax, duplicate_key, ambiguous_scalar, final_newline])
def test_they_run_on_every_kind_of_yaml(module: object) -> None:
    assert module.RULE.kinds == ANY_YAML  # type: ignore[attr-defined]


def test_ruamel_is_imported_only_for_a_candidate() -> None:
    program = (
        "import sys\n"
        "from reciplint.domain.document import Document\n"
        "from reciplint.repo.kinds import Kind\n"
        "from reciplint.rules.rule import Context\n"
        "from reciplint.rules.yaml import ambiguous_scalar as rule\n"
        "text = b'a: 1\\nb: [1.5, 0x1F, 04:00:00, 2026-01-02, v1_2, 1_000, x]\\n'\n"
        "found = list(rule.check_document(Document('a.yaml', Kind.YAML, text), Context()))\n"
        "assert len(found) == 1\n"
        "assert not any(name.startswith('ruamel') for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
