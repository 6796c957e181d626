"""Random YAML documents, as people and as nobody would write them, and random operations on any document."""

from __future__ import annotations

from collections import Counter
from random import Random

from reciplint.yamltree.edit import (
    AddComment,
    AppendItem,
    AppendNewline,
    DropComment,
    DropDuplicate,
    DropEntry,
    FoldMap,
    FoldScalar,
    InsertEntry,
    MoveEntry,
    NewList,
    NewMap,
    NewValue,
    Operation,
    Path,
    Quote,
    RenameKey,
    Respell,
    SetScalar,
    SplitItem,
    Unquote,
)
from reciplint.yamltree.edit_lines import ReplaceLines
from reciplint.yamltree.tree import Alias, Mapping, Scalar, Sequence, Tree

KEYS = ("name", "tp-size", "conc_list", "env", "éé", "x.y", "'q k'", '"d"', "on", "12", "VLLM_X", "b")
TEXTS = (
    *("a", "vllm/vllm-openai:v1", "two words", "yes", "8", "010", "1e3", "1:30", "2026-01-02", "null", "~", "=", "<<"),
    *("x #y", "a: b", "- z", "{x}", "[", "it's", 'say "so"', "@x", "%y", "|", "!t", "&a", "*b", "", " lead", "trail "),
    *("0x1F", "1_000", ".nan", "é", "back\\slash", "x,y]", "?", "---", "#", "a" * 130),
)
PLAIN = ("a", "1", "010", "1.5", "yes", "~", "1:30", "x#y", "two words", "a/b:c", "é", "-1", "null", "=")
WRITTEN = (
    *PLAIN,
    "'x'",
    '"y: #"',
    "'it''s'",
    '"8"',
    '"\\u00e9\\t"',
    "!!str 5",
    "&anc v",
    "*anc",
    "&num 010",
    "*num",
    "",
    "-q",
)
COMMENTS = ("", "", "", " # why", '  # it\'s "so"', "\t#x", " # a: b")
HEADERS = ("|", ">", "|-", ">+", "|+", "|2", "| # head", "|-\t")


def document(random: Random) -> str:
    """A text; most of them are YAML."""
    ending = random.choice(("\n", "\n", "\n", "\r\n"))
    lines = _block(random, 0, 3)
    if random.random() < 0.3:
        lines = ["base: &base", "  tp-size: 1", "  name: base", *lines]
        lines += ["over:", "  <<: *base", "  name: mine", "again: *base"]
    if random.random() < 0.2:
        lines += _twins(random)
    if random.random() < 0.2:
        lines = ["# SPDX-License-Identifier: Apache-2.0", *random.choice(([], [""])), *lines]
    if random.random() < 0.1:
        lines = ["---", *lines]
    if random.random() < 0.05:
        lines += ["---", "second: 1"]
    text = random.choice(("", "", "", "\ufeff")) + ending.join(lines)
    return text + random.choice(("", ending, ending, ending * 2, f"{ending}# end", f"{ending}...{ending}"))


def _block(random: Random, indent: int, depth: int) -> list[str]:
    keyed, pad = random.random() < 0.7, " " * indent
    step, dash = random.choice((2, 2, 4)), random.choice((0, 2, 2))
    lines: list[str] = []
    keys = random.sample(KEYS, random.randint(1, 5))
    for key in [*keys, *random.choices(keys, k=random.choice((0, 0, 0, 1, 2)))]:
        lines += _around(random, pad)
        head = f"{pad}{random.choice(('', '', '', '', '&k '))}{key}:" if keyed else f"{pad}-"
        shape, comment = random.random(), random.choice(COMMENTS)
        if shape < 0.45 or not depth:
            lines.append(f"{head} {random.choice(WRITTEN)}{comment}")
        elif shape < 0.65:
            inner = _block(random, indent + (step if keyed else 2), depth - 1)
            if keyed and inner[0].lstrip().startswith("-"):
                inner = [line[step - dash :] if line.startswith(" " * (indent + step)) else line for line in inner]
            if not keyed and random.random() < 0.7 and not inner[0].lstrip().startswith("#"):
                lines.append(f"{pad}- {inner[0].lstrip()}")
                lines += inner[1:]
            else:
                lines += [f"{head}{comment}", *inner]
        elif shape < 0.85:
            lines += [f"{head} {_flow(random, pad)}{comment}"]
        else:
            lines.append(f"{head} {random.choice(HEADERS)}")
            body = random.choices(("x", "", "# no comment", "aa: b", "  deep"), k=random.randint(0, 3))
            lines += [f"{pad}    {line}" if line else "" for line in body]
        if random.random() < 0.08:
            lines.append(f"{pad}    # further in")
    return lines


def _twins(random: Random) -> list[str]:
    """Two mappings with much in common, in one or in either order."""
    first = [line for key in random.sample("acdefgh", 5) for line in _entry(random, key)]
    second = [line for line in first if random.random() < 0.95] + _entry(random, "own")
    if random.random() < 0.5:
        first += _entry(random, "more")
    return [f"first:{random.choice(COMMENTS)}", *first, f"second:{random.choice(COMMENTS)}", *second]


def _entry(random: Random, key: str) -> list[str]:
    """An entry of a mapping at two columns."""
    above = _around(random, "  ")
    if random.random() < 0.2:
        return [*above, f"  {key}: {random.choice(HEADERS)}", "      x", "", "      # no comment"]
    return [*above, f"  {key}: {random.choice(PLAIN)}{random.choice(COMMENTS)}"]


def _around(random: Random, pad: str) -> list[str]:
    chance = random.random()
    if chance < 0.08:
        return [f"{pad}# note"]
    if chance < 0.12:
        return ["", f"{pad}# two", f"{pad}# lines"]
    return [""] if chance < 0.16 else []


def _flow(random: Random, pad: str) -> str:
    blank, gap = random.choice(("", "", " ")), random.choice((", ", ", ", ",", f",\n{pad}    "))
    items = random.choices(("a", "1", "'x'", "&f b", "[1, 2]", "{k: v}", "x: y", '"#"'), k=random.randint(0, 4))
    if random.random() < 0.5:
        return f"[{blank}{gap.join(items)}{blank}]"
    entries = (f"{key}: {item}" for key, item in zip(("p", "tp", "'q'", "r"), items, strict=False) if item != "x: y")
    return f"{{{blank}{gap.join(entries)}{blank}}}"


def operation(random: Random, tree: Tree) -> Operation:
    """An operation on a tree; not every one can be carried out."""
    places = list(tree.walk())
    kind = random.choice(_KINDS)
    wanted = [place for place in places if isinstance(place[1], _POINTS_AT.get(kind, object))]
    path, node = random.choice(wanted or places)
    return kind(random, tree, path, node)


def value(random: Random, depth: int = 2) -> NewValue:
    """A new value."""
    chance = random.random()
    if chance < 0.15 and depth:
        keys = random.sample(("n", "k y", "on", "TP", "7"), random.randint(0, 3))
        return NewMap(tuple((key, value(random, depth - 1)) for key in keys))
    if chance < 0.3 and depth:
        return NewList(tuple(value(random, depth - 1) for _ in range(random.randint(0, 3))))
    if chance < 0.7:
        return random.choice(TEXTS)
    return random.choice((0, 8, -3, 2.5, 1e-7, True, False, None))


def _scalar_value(random: Random) -> str | int | float | bool:
    return random.choice((*TEXTS, 0, 8, 2.5, 1e20, True))


def _key(random: Random, node: object) -> str:
    """The name of an entry of a mapping, or of none."""
    names = [entry.name or "" for entry in node.entries] if isinstance(node, Mapping) else []
    return random.choice(names) if names and random.random() < 0.95 else "absent"


def _set(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    return SetScalar("", path, _scalar_value(random))


def _respell(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    text = getattr(node, "value", "x")
    return Respell("", path, random.choice((f'"{text}"', f"'{text}'", "true", "8", "8", text)))


def _quote(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    return Quote("", path, random.choice(("'", '"', "'", '"', "|")))


def _unquote(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    quoted = [place for place, other in tree.walk() if isinstance(other, Scalar) and other.style in ("'", '"')]
    return Unquote("", random.choice(quoted or [path]))


def _rename(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    return RenameKey("", (*path, _key(random, node)), random.choice(("new-name", "tp-size", "on", "a b")))


def _duplicate(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    twice = [
        (*place, name)
        for place, mapping in tree.mappings()
        for name, count in Counter(entry.name or "" for entry in mapping.entries).items()
        if count > 1
    ]
    return DropDuplicate("", random.choice(twice or [(*path, _key(random, node))]))


def _drop(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    if isinstance(node, Sequence) and node.items:
        return DropEntry("", (*path, random.randrange(len(node.items))))
    return DropEntry("", (*path, _key(random, node)))


def _insert(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    beside = None if random.random() < 0.3 else _key(random, node)
    name = random.choice(("new", "new", "NEW_ENV", "on", "a b", "tp-size", "9", "- x"))
    return InsertEntry("", (*path, name), value(random), beside, random.random() < 0.5)


def _move(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    return MoveEntry("", (*path, _key(random, node)), _key(random, node), random.random() < 0.5)


def _append(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    return AppendItem("", path, value(random))


def _split(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    return SplitItem("", path, tuple(random.choices(TEXTS, k=random.randint(1, 3))))


def _add_comment(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    line = random.randint(1, len(tree.lines.starts)) if random.random() < 0.5 else 0
    return AddComment("", path, "# added", random.random() < 0.5, line)


def _drop_comment(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    comments = [tree.lines.span(comment.start, comment.end) for comment in tree.comments]
    span = random.choice(comments or [tree.lines.span(0, 1)])
    return DropComment("", span, random.choice(("", "", "# kept")))


def _newline(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    return AppendNewline("")


def _lines(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    """Some lines replaced by a new item of a list, or by fewer or more blank ones."""
    first = random.randint(1, len(tree.lines.starts))
    last = min(first + random.randint(0, 2), len(tree.lines.starts))
    was = tree.text[tree.lines.starts[first - 1] : (*tree.lines.starts, len(tree.text))[last]]
    text = random.choice((f"{was}- new: 1\n", "- new: 1\n", f"{was}\n", was.rstrip("\n") + "\n"))
    return ReplaceLines("", first, last, was, text)


def _fold_scalar(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    """Two values of one text where there are such, in either order."""
    places: dict[str, list[Path]] = {}
    for place, other in tree.walk():
        if isinstance(other, Scalar) and place and isinstance(place[-1], str):
            places.setdefault(other.value, []).append(place)
    alike = [found for found in places.values() if len(found) > 1]
    first, second = random.sample(random.choice(alike), 2) if alike else (path, path)
    if random.random() < 0.8:
        in_order = [place for place, _ in tree.walk()]
        first, second = sorted((first, second), key=in_order.index)
    return FoldScalar("", first, second)


def _fold_map(random: Random, tree: Tree, path: Path, node: object) -> Operation:
    """Two mappings that share three keys where there are such, mostly in order, and now and then a key that stays."""
    maps = [(place, {entry.name or "" for entry in mapping.entries}) for place, mapping in tree.mappings()]
    alike = [
        (first, second, sorted(names & others))
        for number, (first, names) in enumerate(maps)
        for second, others in maps[number + 1 :]
        if len(names & others) > 2
    ]
    first, second, shared = random.choice(alike) if alike else (path, path, ["absent"])
    if random.random() < 0.1:
        first, second = second, first
    return FoldMap("", first, second, "config", tuple(random.sample(shared, random.choice((0, 0, 0, 1)))))


_POINTS_AT: dict[object, tuple[type, ...]] = {
    _set: (Scalar, Alias),
    _respell: (Scalar,),
    _quote: (Scalar,),
    _split: (Scalar,),
    _rename: (Mapping,),
    _duplicate: (Mapping,),
    _drop: (Mapping, Sequence),
    _insert: (Mapping, Mapping, Alias),
    _move: (Mapping,),
    _append: (Sequence,),
}
_KINDS = (
    *(_set, _respell, _quote, _unquote, _rename, _duplicate, _drop, _drop, _insert, _insert, _insert, _move, _move),
    *(_append, _append, _split, _add_comment, _drop_comment, _newline, _lines, _fold_scalar, _fold_map),
)

KINDS = (
    *(SetScalar, Respell, Quote, Unquote, RenameKey, DropDuplicate, DropEntry, InsertEntry, MoveEntry, AppendItem),
    *(SplitItem, AddComment, DropComment, AppendNewline, ReplaceLines, FoldScalar, FoldMap),
)
"""Every kind that `operation` makes."""
