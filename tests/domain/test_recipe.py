"""Recipes of both schemas in one normal form."""

from __future__ import annotations

import pytest

from reciplint.domain.recipe import Recipe, is_recipe, read_recipe, sniff
from reciplint.repo.kinds import Kind
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.spans import FILE_START, Span
from support import recipe


def read(text: str) -> Recipe:
    return read_recipe(parse_text(text))


SCHEMA_2 = """\
schema: 2
name: finch-agg
resources: { gpu_type: b200 }
engine: { type: sglang }
roles:
  agg: { workers: 1, gpus: 8, args: { tp-size: 8 }, env: { FINCH: "1" } }
"""
BUNDLE = """\
base:
  name: finch
  resources: { gpu_type: b200 }
  backend: { type: vllm, vllm_config: { decode: { max-num-seqs: 8 } } }
override_wide:
  backend: { vllm_config: { decode: { max-num-seqs: 64 } } }
zip_override_tp:
  backend: { vllm_config: { decode: { max-num-seqs: [1, 2] } } }
"""


def test_a_recipe_of_schema_1() -> None:
    found = read("# measured\n" + recipe())
    assert (found.name, found.name_span) == ("finch-disagg", Span(2, 7, 2, 19))
    assert (found.schema, found.engine, found.gpu_type) == (1, "vllm", "gb200")
    assert (found.container, found.container_span.line) == ("vllm/vllm-openai:v0.11.0", 3)


def test_a_recipe_of_schema_2() -> None:
    found = read(SCHEMA_2)
    assert (found.name, found.schema, found.engine, found.gpu_type) == ("finch-agg", 2, "sglang", "b200")
    assert (found.container, found.container_span) == ("", FILE_START)


@pytest.mark.parametrize(("backend", "engine"), [("{ type: trtllm }", "trtllm"), ("{}", "sglang")])
def test_a_backend_without_a_type_is_sglang(backend: str, engine: str) -> None:
    assert read(f"name: x\nresources: {{}}\nbackend: {backend}\n").engine == engine


def test_a_bundle_is_named_by_its_base_and_has_a_meaning_for_each_variant() -> None:
    found = read(BUNDLE)
    assert (found.name, found.engine) == ("finch", "vllm")
    assert list(found.digests) == ["", "base", "override_wide", "zip_override_tp[0]", "zip_override_tp[1]"]
    assert len(set(found.digests.values())) == 5


def test_a_change_of_one_variant_is_a_change_of_that_variant_alone() -> None:
    before, after = read(BUNDLE), read(BUNDLE.replace("max-num-seqs: 64", "max-num-seqs: 65"))
    assert [name for name in before.digests if before.digests[name] != after.digests[name]] == ["", "override_wide"]


@pytest.mark.parametrize(
    "other",
    [
        recipe()
        .replace("  decode:", "  # a word\n    decode:")
        .replace("  # a word\n    decode:", "  decode:  # a word"),
        recipe().replace("name: finch-disagg", "name: 'finch-disagg'"),
        recipe().replace(
            "      tensor-parallel-size: 4\n      max-num-seqs: 64\n",
            "      max-num-seqs: 64\n      tensor-parallel-size: 4\n",
        ),
        recipe().replace("max-num-seqs: 64", "max-num-seqs: 0x40"),
    ],
)
def test_spelling_is_no_meaning(other: str) -> None:
    assert other != recipe()
    assert read(other).digests == read(recipe()).digests


@pytest.mark.parametrize(
    "other", [recipe(value=65), recipe(value="'64'"), recipe(value="64.0"), recipe(flag="max_num_seqs")]
)
def test_a_value_its_type_and_a_key_are(other: str) -> None:
    assert read(other).digests != read(recipe()).digests


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (recipe(), True),
        (SCHEMA_2, True),
        (BUNDLE, True),
        ("name: x\nresources: {}\n", False),
        ("backend: {}\nresources: {}\n", False),
        ("[]\n", False),
        ("", False),
    ],
)
def test_a_recipe_is_known_by_its_shape(text: str, expected: bool) -> None:
    assert is_recipe(parse_text(text).root) is expected
    assert (sniff(Kind.YAML, parse_text(text).root) is Kind.RECIPE) is expected
    assert sniff(Kind.MASTER, parse_text(text).root) is Kind.MASTER


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]\n",
        "x\n",
        "base: 1\n",
        "name: [1]\nmodel: 1\nbackend: []\n",
        "roles: []\n",
        "roles: {a: 1}\nengine: []\n",
    ],
)
def test_what_has_not_the_shape_is_empty(text: str) -> None:
    assert read(text).container == ""
