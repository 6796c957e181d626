"""Symbolic operations become replaced spans; everything else stays byte for byte, or the operation is refused."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from yaml_documents import DOCUMENTS

from reciplint.fix.apply import apply_one, edits_of
from reciplint.fix.prove import Unproved
from reciplint.yamltree.edit import (
    AppendNewline,
    DropComment,
    DropDuplicate,
    DropEntry,
    Edit,
    Operation,
    Quote,
    Refused,
    RenameKey,
    Respell,
    SetScalar,
    SplitItem,
    Unquote,
    addressable,
    apply_edits,
    locate,
    resolve,
)
from reciplint.yamltree.parse import parse_text
from reciplint.yamltree.scalars import load, scalar_value
from reciplint.yamltree.tree import Scalar


def edited(text: str, operation: Operation) -> str:
    return apply_edits(text, resolve(parse_text(text), operation))


def refusal(text: str, operation: Operation) -> str:
    with pytest.raises(Refused) as caught:
        resolve(parse_text(text), operation)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n  max_num: 1 # why\n", "a:\n  max-num: 1 # why\n"),
        ("a: {max_num: 1}\r\n", "a: {max-num: 1}\r\n"),
        ("a:\n  'max_num' : &x 1\n", "a:\n  'max-num' : &x 1\n"),
        ('a:\n  "max_num": |\n    max_num\n', 'a:\n  "max-num": |\n    max_num\n'),
        ("a:\n  max_num: 1\n  max_num: 2\n", "a:\n  max_num: 1\n  max-num: 2\n"),
        ("\ufeffa:\n  &k max_num: 1\n", "\ufeffa:\n  &k max-num: 1\n"),
    ],
)
def test_rename_key(text: str, expected: str) -> None:
    assert edited(text, RenameKey("", ("a", "max_num"), "max-num")) == expected


@pytest.mark.parametrize(
    ("text", "pointer", "new", "reason"),
    [
        ("a: 1\nb: 2\n", ("a",), "b", "b already stands in the same mapping"),
        ("a: 1\n", ("b",), "c", "b is not written as a plain key"),
        ("a: 1\n", ("a",), "c: d", "c: d would need quotes"),
        ("a: &x {b: 1}\nc: *x\n", ("c", "b"), "d", "it lies behind the alias *x"),
        ("a: &x {e: {b: 1}}\nc: *x\n", ("c", "e", "b"), "d", "it lies behind the alias *x"),
        ("a: &x {b: 1}\nc: {<<: *x}\n", ("c", "b"), "d", "b is not written as a plain key"),
        ("- 1\n", (0,), "d", "it is not a key"),
        ("a: [1]\n", ("a", "b"), "d", "no mapping there"),
        ("a: 1\n", ("x", "y", "z"), "d", "nothing stands at x/y"),
        ("", ("a",), "b", "the document is empty"),
    ],
)
def test_rename_refuses(text: str, pointer: tuple[str | int, ...], new: str, reason: str) -> None:
    assert refusal(text, RenameKey("", pointer, new)) == reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a: 1", "a: 1\n"), ("a: 1\r\nb: 2", "a: 1\r\nb: 2\r\n"), ("a: 1\n", "a: 1\n"), ("", "")],
)
def test_append_newline(text: str, expected: str) -> None:
    assert edited(text, AppendNewline("")) == expected


@pytest.mark.parametrize(
    ("text", "replacement", "expected"),
    [
        ("a: 1\n  # own\nb: 2\n", "", "a: 1\nb: 2\n"),
        ("a: 1 \t # own\nb: 2\n", "", "a: 1\nb: 2\n"),
        ("a: 1 # own\r\nb: 2\r\n", "", "a: 1\r\nb: 2\r\n"),
        ("a: 1\n# own", "", "a: 1\n"),
        ("a: 1 # own\n", "# kept", "a: 1 # kept\n"),
        ("a: | # own\n  x\n", "", "a: |\n  x\n"),
        ("\ufeff# own\na: 1\n", "", "\ufeffa: 1\n"),
    ],
)
def test_drop_comment(text: str, replacement: str, expected: str) -> None:
    tree = parse_text(text)
    span = tree.lines.span(tree.comments[0].start, tree.comments[0].end)
    assert edited(text, DropComment("", span, replacement)) == expected


def test_drop_comment_refuses_where_none_stands() -> None:
    tree = parse_text("a: '# x'\n")
    assert refusal(tree.text, DropComment("", tree.lines.span(4, 7))) == "no comment stands there"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n  - --x 1 # why\n  - z\n", 'a:\n  - --x\n  - "1" # why\n  - z\n'),
        ("a:\r\n- '--x 1'\r\n", "a:\r\n- '--x'\r\n- '1'\r\n"),
        ('a: ["--x 1", z]\n', 'a: ["--x", "1", z]\n'),
        ("a:\n-   --x 1", 'a:\n-   --x\n-   "1"'),
    ],
)
def test_split_item(text: str, expected: str) -> None:
    assert edited(text, SplitItem("", ("a", 0), ("--x", "1"))) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: {0: x}\n", "nothing stands at a/0"),
        ("a:\n- - x\n", "it is no scalar that can be written anew"),
        ("a:\n- |\n  x\n", "it is no scalar that can be written anew"),
        ("a:\n- &x x\n", "it is no item of its own"),
        ("b: &x x\na:\n- *x\n", "it is written as the alias *x"),
        ("a:\n-\n  x\n", "something else stands on its line"),
    ],
)
def test_split_item_refuses(text: str, reason: str) -> None:
    assert refusal(text, SplitItem("", ("a", 0), ("--x", "1"))) == reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n  b: 1\n  # note\n  c: 2\n  b: 1\n", "a:\n  # note\n  c: 2\n  b: 1\n"),
        ("a:\n  b: |\n    x\n  b: |\n    x\n", "a:\n  b: |\n    x\n"),
        ("b: 1\na:\n  c: 0\n  b: 1\n  d: 2\n  b: 1\n  e: 3\n", "b: 1\na:\n  c: 0\n  d: 2\n  b: 1\n  e: 3\n"),
        ("a:\n  b: 1\n  b: 1\n  b: 1", "a:\n  b: 1"),
        ("a:\r\n  b: 'x\r\n    y'\r\n  b: 2\r\n", "a:\r\n  b: 2\r\n"),
        ("a:\n  b:\n  b: 2\n", "a:\n  b: 2\n"),
    ],
)
def test_drop_duplicate(text: str, expected: str) -> None:
    assert apply_one(text, DropDuplicate("", ("a", "b"))) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: {b: 1, b: 1}\n", "a flow mapping is edited by hand"),
        ("a:\n  b: 1\n", "b stands there once"),
        ("a:\n  b: [1]\n  b: [1]\n", "the first b is a collection or holds an anchor"),
        ("a:\n  b: &x 1\n  b: 1\nc: *x\n", "the first b is a collection or holds an anchor"),
        ("a:\n  b: 1 # why\n  b: 1\n", "something else stands on its line"),
        ("a:\n  ? b\n  : 1\n  ? b\n  : 1\n", "something else stands on its line"),
        ("a:\n  &k b: 1\n  b: 1\n  c: *k\n", "something else stands on its line"),
        ("a:\n  b: | # why\n    x\n  b: |\n    x\n", "something else stands on its line"),
        ("a:\n  b:\n    # why\n    x\n  b: x\n", "something else stands on its line"),
    ],
)
def test_drop_duplicate_refuses(text: str, reason: str) -> None:
    assert refusal(text, DropDuplicate("", ("a", "b"))) == reason


def test_drop_duplicate_tells_a_number_from_its_text() -> None:
    text = "a:\n  1: x\n  '1': x\n"
    assert refusal(text, DropDuplicate("", ("a", "1"))) == "1 is text once and a value another time"


def test_drop_duplicate_keeps_the_first_key_of_a_list_item() -> None:
    text = "- b: 1\n  b: 1\n"
    assert refusal(text, DropDuplicate("", (0, "b"))) == "something else stands on its line"


def test_respell() -> None:
    assert edited("a: [&x yes, 2] # c\n", Respell("", ("a", 0), "true")) == "a: [&x true, 2] # c\n"
    assert refusal("a: 'yes'\n", Respell("", ("a",), "true")) == "it is not a plain scalar"
    assert refusal("a: &x 1\nb: *x\n", Respell("", ("b",), "2")) == "it is not a plain scalar"


def test_respell_refuses_a_value_that_is_not_there() -> None:
    """A value written into the empty span behind a colon would join the key."""
    assert refusal("a:\nb: 1\n", Respell("", ("a",), "1")) == "it is not a plain scalar"


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("a: old # c\n", "vllm/vllm-openai:v2", "a: vllm/vllm-openai:v2 # c\n"),
        ("a: 'old'\n", "it's", "a: 'it''s'\n"),
        ('a: "old"\r\n', 'x "y" \\z', 'a: "x \\"y\\" \\\\z"\r\n'),
        ("a: old\n", "8", 'a: "8"\n'),
        ("a: old\n", "yes", 'a: "yes"\n'),
        ("a: old\n", "2024-01-02", 'a: "2024-01-02"\n'),
        ("a: old\n", "<<", 'a: "<<"\n'),
        ("a: old\n", "1e3", 'a: "1e3"\n'),
        ("a: old\n", "", 'a: ""\n'),
        ("a: old\n", "x #y", 'a: "x #y"\n'),
        ("a: old\n", "x: y", 'a: "x: y"\n'),
        ("a: old\n", " x", 'a: " x"\n'),
        ("a: old\n", "*x", 'a: "*x"\n'),
        ("a: old\n", "!x y", 'a: "!x y"\n'),
        ("a: old\n", "&x y", 'a: "&x y"\n'),
        ("a: old\n", "x, y]", "a: x, y]\n"),
        ("{a: old}\n", "x, y]", '{a: "x, y]"}\n'),
        ("{a: old, b: 1}\n", "a/b:tag", "{a: a/b:tag, b: 1}\n"),
        ("a: &x old\n", "new", "a: &x new\n"),
        ("a: '8'\n", 9, "a: 9\n"),
        ("a: old\n", True, "a: true\n"),
        ("a: 2.51\n", 2.8, "a: 2.8\n"),
        ("a: old\na: older\n", "new", "a: old\na: new\n"),
    ],
)
def test_set_scalar(text: str, value: str | float, expected: str) -> None:
    assert edited(text, SetScalar("", ("a",), value)) == expected


def test_set_scalar_inside_of_a_list() -> None:
    assert edited("a: [old, 'x']\n", SetScalar("", ("a", 0), "b,c")) == "a: [\"b,c\", 'x']\n"
    assert edited("a:\n- old\n", SetScalar("", ("a", 0), "b,c")) == "a:\n- b,c\n"


@pytest.mark.parametrize(
    ("text", "value", "reason"),
    [
        ("a: |\n  x\n", "y", "it is no scalar that can be written anew"),
        ("a:\nb: 1\n", "y", "it is no scalar that can be written anew"),
        ("a: [1]\n", "y", "it is no scalar that can be written anew"),
        ("b: &x 1\na: *x\n", "y", "it is written as the alias *x"),
        ("a: !!str 1\n", "y", "it carries the tag tag:yaml.org,2002:str"),
        ("a: x\n", "y\nz", "the new value holds a character that is written with an escape"),
        ("a: x\n", 1e-7, "1e-07 is not read alike by every YAML reader"),
        ("b: x\n", "y", "nothing stands at a"),
    ],
)
def test_set_scalar_refuses(text: str, value: str | float, reason: str) -> None:
    assert refusal(text, SetScalar("", ("a",), value)) == reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n  b: 1\n  # note\n  c: 2\n", "a:\n  # note\n  c: 2\n"),
        ("a:\n  c: 2\n  b:\n  - x\n  - y", "a:\n  c: 2\n"),
        ("a: {b: 1, c: 2}\n", "a: {c: 2}\n"),
        ("a: {c: 2, b: 1}\n", "a: {c: 2}\n"),
        ("a: {c: [1, 2] , b: {x: y}, d: 3}\r\n", "a: {c: [1, 2] , d: 3}\r\n"),
    ],
)
def test_drop_entry(text: str, expected: str) -> None:
    assert edited(text, DropEntry("", ("a", "b"))) == expected


@pytest.mark.parametrize(
    ("text", "index", "expected"),
    [
        ("a: [x, y, z] # w\n", 0, "a: [y, z] # w\n"),
        ("a: [x, y, z] # w\n", 1, "a: [x, z] # w\n"),
        ("a: [ x, &k {b: 1} , ]\n", 1, "a: [ x , ]\n"),
        ("a: [x, y: 1]\n", 1, "a: [x]\n"),
    ],
)
def test_drop_an_item_of_a_flow_list(text: str, index: int, expected: str) -> None:
    assert apply_one(text, DropEntry("", ("a", index))) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: [x]\n", "it is no item that can be taken out"),
        ("a: [x,\n  y]\n", "it lies in a flow collection over several lines"),
        ("a: {z: [\n  [x, y]]}\n", "nothing stands at a/0"),
        ("b: &b [x, y]\na: *b\n", "it lies behind the alias *b"),
    ],
)
def test_drop_an_item_of_a_flow_list_refuses(text: str, reason: str) -> None:
    assert refusal(text, DropEntry("", ("a", 0))) == reason


def test_an_item_that_another_place_names_is_not_dropped() -> None:
    with pytest.raises(Unproved, match="would not parse"):
        apply_one("a: [&k x, y]\nb: *k\n", DropEntry("", ("a", 0)))


@pytest.mark.parametrize(
    ("text", "style", "expected"),
    [
        ("a: yes # w\n", '"', 'a: "yes" # w\n'),
        ("a: it's\n", "'", "a: 'it''s'\n"),
        ("a: 'x'\n", '"', 'a: "x"\n'),
        ("a: &k x\n", '"', 'a: &k "x"\n'),
        ("a: 'x'\n", "'", "a: 'x'\n"),
    ],
)
def test_quote(text: str, style: str, expected: str) -> None:
    assert apply_one(text, Quote("", ("a",), style)) == expected


@pytest.mark.parametrize(
    ("text", "style", "reason"),
    [
        ("a: x\n", "|", "| are no quotes"),
        ("a:\n", '"', "it is no scalar that can be written anew"),
        ("a: |\n  x\n", '"', "it is no scalar that can be written anew"),
        ("a: !!int 1\n", '"', "it carries the tag tag:yaml.org,2002:int"),
        ('a: "\\t"\n', "'", "the new value holds a character that is written with an escape"),
    ],
)
def test_quote_refuses(text: str, style: str, reason: str) -> None:
    assert refusal(text, Quote("", ("a",), style)) == reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a: 'x'\n", "a: x\n"), ('a: "8" # w\n', "a: 8 # w\n"), ("a: {b: 1, c: 'true'}\n", "a: {b: 1, c: true}\n")],
)
def test_unquote(text: str, expected: str) -> None:
    assert apply_one(text, Unquote("", ("a", "c") if "c" in text else ("a",))) == expected


@pytest.mark.parametrize(
    "value", ["yes", "1e3", "010", "1:30", "2024-01-02", "", "null", "~", "a: b", "x #y", "*x", "<<"]
)
def test_unquote_refuses_what_readers_read_differently(value: str) -> None:
    assert "is not read alike by every YAML reader without quotes" in refusal(f'a: "{value}"\n', Unquote("", ("a",)))


def test_drop_entry_keeps_the_dash_of_a_list_item() -> None:
    text = "x:\n  - b: 0.8\n    c:\n    - 1\n"
    assert edited(text, DropEntry("", ("x", 0, "b"))) == "x:\n  - c:\n    - 1\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a:\n  b: 1\n", "b is the only entry"),
        ("a:\n  c: 1\n", "b is not written there"),
        ("a:\n  c: 1\n  b: 1 # why\n", "something else stands on its line"),
        ("a:\n  b: 1 # why\n  c: 1\n", "something else stands beside it"),
        ("a: {c: 1, # why\n  b: 1}\n", "something else stands beside it"),
        ("a: {b: &x 1, c: *x}\n", "an anchor stands there"),
        ("z: &x {b: 1, c: 2}\na: *x\n", "it lies behind the alias *x"),
    ],
)
def test_drop_entry_refuses(text: str, reason: str) -> None:
    assert refusal(text, DropEntry("", ("a", "b"))) == reason


def test_locate_takes_the_last_duplicate_of_the_first_document() -> None:
    tree = parse_text("a: 1\na: 2\n---\na: 3\n")
    nodes = dict(zip("123", (scalar for scalar in tree.scalars if scalar.value.isdigit()), strict=True))
    assert locate(tree, ("a",)) is nodes["2"]
    assert [addressable(tree, ("a",), nodes[value]) for value in "123"] == [False, True, False]
    assert not addressable(tree, ("b",), nodes["1"])


def test_edits_may_touch_and_not_overlap() -> None:
    assert apply_edits("abcd", [Edit(0, 2, "X"), Edit(2, 4, "Y")]) == "XY"
    assert apply_edits("abcd", [Edit(2, 2, "-"), Edit(0, 2, "X")]) == "X-cd"
    for edits in ([Edit(0, 3, ""), Edit(2, 4, "")], [Edit(1, 1, "x"), Edit(1, 1, "y")]):
        with pytest.raises(Refused, match="two edits touch the same text"):
            apply_edits("abcd", edits)


@given(st.text(max_size=30), st.data())
def test_an_edit_changes_its_span_and_nothing_else(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8, unique=True)))
    edits = [
        Edit(start, end, data.draw(st.text(max_size=3))) for start, end in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    pieces, position = [], 0
    for edit in edits:
        pieces += [text[position : edit.start], edit.replacement]
        position = edit.end
    assert apply_edits(text, data.draw(st.permutations(edits))) == "".join([*pieces, text[position:]])


@given(DOCUMENTS, st.data())
def test_respelling_a_scalar_changes_that_scalar_alone(text: str, data: st.DataObject) -> None:
    tree = parse_text(text)
    plain = [(path, node) for path, node in tree.walk() if isinstance(node, Scalar) and not node.style and node.value]
    plain = [(path, node) for path, node in plain if addressable(tree, path, node)]
    assume(plain)
    path, node = data.draw(st.sampled_from(plain))
    after = parse_text(edited(text, Respell("", path, '"new"')))
    assert after.text == text[: node.start] + '"new"' + text[node.end :]
    index = next(index for index, scalar in enumerate(tree.scalars) if scalar is node)
    values = [scalar.value for scalar in tree.scalars]
    assert [scalar.value for scalar in after.scalars] == [*values[:index], "new", *values[index + 1 :]]
    assert [comment.text for comment in after.comments] == [comment.text for comment in tree.comments]


@given(DOCUMENTS, st.one_of(st.text("ab :#,-'\"[]&*!?é1", max_size=8), st.integers(), st.booleans()), st.data())
def test_setting_a_scalar_changes_that_scalar_alone(text: str, value: str | int, data: st.DataObject) -> None:
    tree = parse_text(text)
    nodes = [(path, node) for path, node in tree.walk() if isinstance(node, Scalar) and addressable(tree, path, node)]
    assume(nodes)
    path, node = data.draw(st.sampled_from(nodes))
    try:
        after = parse_text(edited(text, SetScalar("", path, value)))
    except Refused:
        assert node.style in ("|", ">") or node.start == node.end
        return
    assert [comment.text for comment in after.comments] == [comment.text for comment in tree.comments]
    index = next(index for index, scalar in enumerate(tree.scalars) if scalar is node)
    new = after.scalars[index]
    assert (scalar_value(new), type(scalar_value(new))) == (value, type(value))
    others = [(scalar.value, scalar.style) for scalar in tree.scalars if scalar is not node]
    assert [(scalar.value, scalar.style) for scalar in after.scalars if scalar is not new] == others


@given(DOCUMENTS, st.data())
def test_dropping_an_entry_drops_nothing_else(text: str, data: st.DataObject) -> None:
    tree = parse_text(text)
    entries = [(*path, entry.name or "") for path, mapping in tree.mappings() for entry in mapping.entries]
    assume(entries)
    path = data.draw(st.sampled_from(entries))
    try:
        edits = edits_of(text, DropEntry("", path))
    except (Refused, Unproved):
        return
    after, before = load(parse_text(apply_edits(text, edits)).root), load(tree.root)
    holder = before
    for part in path[:-1]:
        holder = holder[part]
    del holder[path[-1]]
    assert after == before


@given(DOCUMENTS, st.data())
def test_renaming_a_key_changes_nothing_else(text: str, data: st.DataObject) -> None:
    tree = parse_text(text)
    keys = [
        (*path, entry.name or "")
        for path, mapping in tree.mappings()
        for entry in mapping.entries
        if not entry.is_merge
    ]
    keys = [path for path in keys if addressable(tree, path[:-1], dict(tree.mappings())[path[:-1]])]
    assume(keys)
    path = data.draw(st.sampled_from(keys))
    after = parse_text(edited(text, RenameKey("", path, "renamed-key")))
    old, new = [scalar.value for scalar in tree.scalars], [scalar.value for scalar in after.scalars]
    changed = [index for index, (before, now) in enumerate(zip(old, new, strict=True)) if before != now]
    assert [(old[index], new[index]) for index in changed] == [(path[-1], "renamed-key")]
    assert [comment.text for comment in after.comments] == [comment.text for comment in tree.comments]


@given(DOCUMENTS)
def test_dropping_duplicates_keeps_the_value(text: str) -> None:
    tree = parse_text(text)
    for path, mapping in tree.mappings():
        for name in {entry.name for entry in mapping.entries}:
            try:
                edits = resolve(tree, DropDuplicate("", (*path, name or "")))
            except Refused:
                continue
            assert load(parse_text(apply_edits(text, edits)).root) == load(tree.root)
