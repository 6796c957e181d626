"""ambiguous-scalar, env-value-type and final-newline: places, messages, fixes and what must stay silent."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
import yaml
from yaml_rule_findings import fixed, marked, only, run

from reciplint.repo.kinds import Kind
from reciplint.rules.yaml import ambiguous_scalar, env_value_type, final_newline
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.scalars import load

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
        "environment: {A: «1»}\nenvironment: {A: x}\n",
        "backend:\n  environment: {A: x}\n  <<: {environment: {A: «1»}}\n",
    ],
)
@pytest.mark.parametrize("more", ["", "frontend: {env: {B: «1»}}\n"])
def test_a_map_that_another_stands_for_is_told_whatever_else_the_file_holds(text: str, more: str) -> None:
    marked(env_value_type.check_document, text + more, Kind.RECIPE)


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
