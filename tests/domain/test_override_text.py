"""Groups of near copies, and that the one file made of each gives every recipe again."""

from __future__ import annotations

import re
import string
from collections import defaultdict
from pathlib import Path
from posixpath import dirname
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from override_scene import loaded, submitted

from reciplint.domain.document import Document
from reciplint.domain.near_copies import Copy, Group, copy_of, differing, groups, may_be_copy, sort_of
from reciplint.domain.override_text import one_file
from reciplint.domain.recipe import RecipeFile, is_recipe, read_recipe
from reciplint.domain.variants import expand
from reciplint.repo.kinds import Kind
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.scalars import same_value


def made_copy(path: str, text: str) -> Copy:
    found = copy_of(path, parse_text(text))
    assert found is not None
    return found


def group_of(*texts: str) -> Group:
    first, *others = (made_copy(f"vllm/point-{index}.yaml", text) for index, text in enumerate(texts))
    return Group(first, tuple(others))


def assert_every_recipe_again(group: Group, whole: str, overrides: dict[str, str]) -> None:
    """By our own expansion, and by srt-slurm's on what PyYAML loads."""
    variants = dict(expand(parse_text(whole).plain))
    for copy in group.copies:
        selector = overrides[copy.path]
        assert same_value(variants[selector], copy.plain)
        assert same_value(submitted(whole, selector), loaded(copy.tree.text))


def test_a_group_is_that_of_the_recipe_with_most_near_it() -> None:
    copies = [made_copy(f"p{index}.yaml", f"name: p{index}\na: {index // 3}\nb: {index % 3}\n") for index in range(9)]
    found = list(groups(copies, 3, 1))
    assert [[copy.path for copy in group.copies] for group in found] == [
        ["p0.yaml", "p1.yaml", "p2.yaml", "p3.yaml", "p6.yaml"],
        ["p4.yaml", "p5.yaml", "p7.yaml"],
    ]
    assert list(groups(copies, 6, 1)) == []
    assert [len(group.copies) for group in groups(copies, 3, 2)] == [9]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a: 1", "a: 1", 0),
        ("a: 1", "a: 1.0", 1),
        ("a: 1", "a: '1'", 1),
        ("a: {b: 1, c: 2}", "a: {b: 1}", 1),
        ("a: {b: 1, c: 2}", "a: {}", 3),
        ("a: [1, 2]", "a: [2, 1]", 1),
        ("a: &x {b: 1}\nc: *x", "a: {b: 1}\nc: {b: 1}", 0),
        ("a: {b: 1}\nc: {d: 1}", "c: {d: 1}\na: {b: 1}", 0),
    ],
)
def test_differing_settings(one: str, other: str, expected: int) -> None:
    left, right = made_copy("a.yaml", f"name: one\n{one}\n"), made_copy("b.yaml", f"name: other\n{other}\n")
    assert differing(left.settings, right.settings) == differing(right.settings, left.settings) == expected


@pytest.mark.parametrize(
    ("other", "body"),
    [
        ("a: 1", ["  b: null"]),
        ("a: 2\nb: {c: 1, d: [1, 2]}", ["  a: 2"]),
        ("a: 1\nb: {c: 0x10, d: [3]}", ["  b:", "    c: 0x10", "    d: [3]"]),
        ("a: 1\nb:\n  d:\n  - 1\n  - e: 1", ["  b:", "    d:", "      - 1", "      -", "        e: 1", "    c: null"]),
        ("a: &x 1\nb: {<<: {c: 1, d: [1, 2]}, g: *x}", ["  b:", "    g: 1"]),
        ("a: |\n    x\n\n      y\nb: {c: 1, d: [1, 2]}", ["  a: |", "    x", "", "      y"]),
        ("a: 'x\n\n  y'\nb: {c: 1, d: [1, 2]}", ['  a: "x\\ny"']),
        ("a: 1\nb: {c: 1, d: []}\n'8': on", ["  b:", "    d: []", "  '8': on"]),
        ("a: 1\nb: [1]", ["  b: [1]"]),
        ("a: {b: 1}\nb: {c: 1, d: [1, 2]}", ["  a: {b: 1}"]),
        ("a: 1\nb: {}", ["  b:", "    c: null", "    d: null"]),
    ],
)  # fmt: skip
def test_an_override_has_what_differs_as_its_recipe_spells_it(other: str, body: list[str]) -> None:
    group = group_of("name: one\na: 1\nb: {c: 1, d: [1, 2]}\n", f"name: other\n{other}\n")
    made = one_file(group, ())
    assert made is not None
    assert made.text.partition("override_point_1:\n")[2].splitlines() == ["  name: other", *body]
    assert_every_recipe_again(group, made.text, dict(made.overrides))


def test_the_base_is_the_text_as_it_stands_moved_in() -> None:
    text = "# why\n\nname: one  # here\r\na: |\n  x\n\n    y\n   \nb: 'p\n\n  q'\n# end"
    made = one_file(group_of(text, "name: other\na: 1\nb: 1\n"), ())
    assert made is not None
    assert made.text.partition("\noverride_")[0] == (
        "base:\n  # why\n\n  name: one  # here\n  a: |\n    x\n\n      y\n     \n  b: 'p\n\n    q'\n  # end\n"
    )


@pytest.mark.parametrize(
    "texts",
    [
        ("name: one\na: 1\n", "name: other\na: 1\nb:\n"),
        ("name: one\na: 1\n", "name: other\na: {b: null}\n"),
        ("---\nname: one\na: 1\n", "name: other\na: 2\n"),
        ("%YAML 1.1\n---\nname: one\n", "name: other\na: 2\n"),
        ("name: one\n? {a: 1}\n: 1\n", "name: other\n? {a: 1}\n: 2\n"),
    ],
)
def test_what_cannot_be_said_is_not_offered(texts: tuple[str, str]) -> None:
    assert one_file(group_of(*texts), ()) is None


@pytest.mark.parametrize(
    ("names", "file", "overrides"),
    [
        (["a-1p1d-tp4", "a-2p1d-tp4"], "a-tp4", ["1p1d", "2p1d"]),
        (["8k1k_mtp_lowlat_0", "8k1k_mtp_lowlat_1"], "8k1k_mtp_lowlat", ["lowlat_0", "lowlat_1"]),
        (["bs4", "bs8"], "bs4", ["bs4", "bs8"]),
        (["agg", "agg-mtp"], "agg", ["agg", "agg_mtp"]),
        (["a-x.y", "a-x y"], "a", ["x_y_0", "x_y_1"]),
        (["1", "2"], "1", ["1", "2"]),
    ],
)
def test_names_of_overrides_are_what_tells_the_files_apart(names: list[str], file: str, overrides: list[str]) -> None:
    first, *others = (made_copy(f"vllm/{name}.yaml", f"name: point {name}\n") for name in names)
    made = one_file(Group(first, tuple(others)), ())
    assert made is not None
    assert made.name == f"{file}.yaml"
    told = {f"override_{name}" for name in overrides}
    assert set(made.overrides.values()) == told


@pytest.mark.parametrize(
    "other", ["a: !!str 1", "a: !!python/name:x 1", "a: !x {b: 1}", "sweep: {a: [1]}", "name: 8", "name: [x]"]
)
def test_what_is_no_copy(other: str) -> None:
    assert copy_of("a.yaml", parse_text(f"name: one\n{other}\n")) is None


def test_a_name_that_another_file_has_is_not_taken() -> None:
    group = group_of("name: one\n", "name: other\n")
    for taken, expected in (((), "point.yaml"), (("point.yaml",), "point-0.yaml"), (("other.yaml",), "point.yaml")):
        made = one_file(group, taken)
        assert made is not None
        assert made.name == expected


def test_comments_that_the_base_has_too_are_not_lost() -> None:
    made = one_file(group_of("name: one  # why\n", "name: other  # why\n# more\na: 1  # yet\n"), ())
    assert made is not None
    assert made.lost == 2


SCALARS = st.one_of(
    st.booleans(),
    st.integers(-99, 10**9),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12),
    st.sampled_from(
        ["1", "on", "null", "~", "1e3", "0x10", "a: b", "# no", "- x", "two\nlines\n", " blank", "*x", "{a}"]
    ),
)
KEYS = st.one_of(
    st.text(string.ascii_letters + "_-.8", min_size=1, max_size=6), st.sampled_from(["on", "<<x", "8", "a b"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)
BODIES = st.dictionaries(KEYS, VALUES, max_size=5)


@st.composite
def varied(draw: st.DrawFn, value: Any) -> Any:
    """A value with some settings replaced, added and removed."""
    if not isinstance(value, dict) or draw(st.integers(0, 5)) == 0:
        return draw(st.one_of(st.just(value), VALUES))
    kept = {key: draw(varied(item)) for key, item in value.items() if draw(st.integers(0, 4))}
    return {**kept, **draw(st.dictionaries(KEYS, VALUES, max_size=1))}


@st.composite
def families(draw: st.DrawFn) -> list[str]:
    """Texts of recipes made of one another, each dumped in its own way."""
    body = draw(BODIES)
    bodies = [body, *(draw(varied(body)) for _ in range(draw(st.integers(1, 3))))]
    texts = []
    for index, each in enumerate(bodies):
        recipe = {**(each if isinstance(each, dict) else {}), "name": f"point {index}"}
        options = {
            "default_flow_style": draw(st.sampled_from([None, True, False])),
            "width": draw(st.sampled_from([20, 80, 10**6])),
            "indent": draw(st.sampled_from([2, 4])),
            "allow_unicode": draw(st.booleans()),
        }
        texts.append(yaml.dump(recipe, Dumper=_dumper(draw(st.sampled_from(["", '"', "|", ">"]))), **options))
    return texts


def _dumper(style: str) -> type[yaml.SafeDumper]:
    """Texts dumped in a style, as far as it can say them."""

    class Dumper(yaml.SafeDumper):
        pass

    Dumper.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style))
    return Dumper


@given(families())
def test_one_file_gives_every_recipe_again(texts: list[str]) -> None:
    group = group_of(*texts)
    made = one_file(group, ())
    if made is None:  # a line that only YAML ends
        assert re.search("[\x85\u2028\u2029]", texts[0])
        return
    assert_every_recipe_again(group, made.text, dict(made.overrides))


def alike_under(folder: Path) -> list[list[Copy]]:
    """The recipes of each directory and sort."""
    sorts: dict[tuple[object, ...], list[Copy]] = defaultdict(list)
    for file in sorted(folder.rglob("*.yaml")):
        tree = Document(str(file), Kind.YAML, file.read_bytes()).tree
        if tree is not None and is_recipe(tree.root):
            path = file.relative_to(folder).as_posix()
            recipe, copy = RecipeFile(path, read_recipe(tree)), copy_of(path, tree)
            if may_be_copy(recipe) and copy is not None:
                sorts[dirname(path), *sort_of(recipe)].append(copy)
    return list(sorts.values())


@pytest.mark.corpus
@pytest.mark.parametrize("most", [3, 8, 20])
def test_every_group_of_the_corpora_becomes_one_file(most: int, corpus: Path, corpus_repo: Path) -> None:
    counts = []
    for folder in (corpus_repo / "benchmarks", corpus / "srt-slurm", corpus / "october"):
        found = [group for copies in alike_under(folder) for group in groups(copies, 3, most)]
        for group in found:
            made = one_file(group, ())
            assert made is not None, group.first.path
            assert_every_recipe_again(group, made.text, dict(made.overrides))
            assert made.text.count("\n") < sum(copy.tree.text.count("\n") for copy in group.copies)
        counts.append((len(found), sum(len(group.copies) for group in found)))
    assert all(groups_found > 10 for groups_found, _ in counts[:2]), counts
    assert counts[2] == (0, 0)  # recipes of October are bundles already
