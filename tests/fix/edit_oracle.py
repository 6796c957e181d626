"""What an edit should have come to, told by other means than ours: PyYAML's and ruamel's values, libyaml's tokens, and
the lines of the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import yaml
from ruamel.yaml import YAML

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
    Operation,
    Quote,
    RenameKey,
    Respell,
    SetScalar,
    SplitItem,
    Unquote,
)

Values = list[Any]
"""The documents of a text."""


def pyyaml(text: str) -> Values:
    """What PyYAML loads, mappings as pairs in order."""
    return [_plain(value) for value in yaml.load_all(text, yaml.CSafeLoader)]


def ruamel(text: str) -> Values:
    """What ruamel loads by YAML 1.2, or the fault that it finds."""
    reader = YAML(typ="safe", pure=True)
    reader.allow_duplicate_keys = False
    return [_plain(value) for value in reader.load_all(text.removeprefix("\ufeff"))]


def _plain(value: Any) -> Any:
    """The value in a shape that tells 1 from True and from 1.0."""
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return (type(value).__name__, repr(value))


def wrong_value(before: Values, after: Values, operation: Operation) -> str:
    """What is wrong with the values after an operation; "" if nothing is."""
    if len(before) != len(after):
        return f"{len(before)} documents became {len(after)}"
    if before[1:] != after[1:]:
        return "another document changed"
    if not before:
        return ""
    allowed = _CHANGES[type(operation)](before[0], operation)
    return "" if after[0] in allowed else f"{after[0]} is none of {allowed}"


def _name(part: Any, parent: Any) -> Any:
    """A part of a path as the key that stands for it in a value."""
    if isinstance(part, int) and isinstance(parent, list):
        return part
    keys = [key for key in parent if key[1] in (str(part), repr(part))] if isinstance(parent, dict) else []
    aliases = {"on": ("bool", "True"), "yes": ("bool", "True"), "12": ("int", "12")}
    return keys[0] if keys else aliases.get(str(part), ("str", repr(part)))


def _changed(value: Any, path: tuple[Any, ...], change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(value)
    name = _name(path[0], value)
    if isinstance(value, dict):
        return {key: _changed(item, path[1:], change) if key == name else item for key, item in value.items()}
    if isinstance(value, list):
        return [_changed(item, path[1:], change) if number == name else item for number, item in enumerate(value)]
    return value


def _new(value: Any) -> Any:
    if isinstance(value, NewMap):
        return {("str", repr(key)): _new(item) for key, item in value.entries}
    return [_new(item) for item in value.items] if isinstance(value, NewList) else _plain(value)


def _set(value: Any, operation: Any) -> list[Any]:
    return [_changed(value, operation.pointer, lambda _: _plain(operation.value))]


def _same(value: Any, operation: Any) -> list[Any]:
    return [value]


def _rename(value: Any, operation: Any) -> list[Any]:
    def renamed(parent: Any) -> Any:
        old = _name(operation.pointer[-1], parent)
        return {_plain(operation.new) if key == old else key: item for key, item in parent.items()}

    return [_changed(value, operation.pointer[:-1], renamed)]


def _drop(value: Any, operation: Any) -> list[Any]:
    def dropped(parent: Any) -> Any:
        name = _name(operation.pointer[-1], parent)
        if isinstance(parent, list):
            return [item for number, item in enumerate(parent) if number != name]
        return {key: item for key, item in parent.items() if key != name}

    return [_changed(value, operation.pointer[:-1], dropped)]


def _insert(value: Any, operation: Any) -> list[Any]:
    def inserted(parent: Any) -> Any:
        return {**parent, _plain(operation.pointer[-1]): _new(operation.value)}

    return [_changed(value, operation.pointer[:-1], inserted)]


def _append(value: Any, operation: Any) -> list[Any]:
    return [_changed(value, operation.pointer, lambda items: [*items, _new(operation.value)])]


def _split(value: Any, operation: Any) -> list[Any]:
    def split(items: Any) -> Any:
        number = operation.pointer[-1]
        return [*items[:number], *map(_plain, operation.items), *items[number + 1 :]]

    return [_changed(value, operation.pointer[:-1], split)]


def _respell(value: Any, operation: Any) -> list[Any]:
    """The same, or another reading of the same text."""
    texts = [_plain(read) for read in (True, 8, operation.text.strip("'\""), *_readings(operation.text))]
    changed = [_changed(value, operation.pointer, lambda _, text=text: text) for text in texts]
    return [value, *changed, *(_swapped(value, _at(value, operation.pointer), text) for text in texts)]


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        value = value[_name(part, value)]
    return value


def _swapped(value: Any, old: Any, new: Any) -> Any:
    """The value with another scalar wherever one stands, as aliases of it have it."""
    if isinstance(value, dict):
        return {key: _swapped(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [_swapped(item, old, new) for item in value]
    return new if value == old else value


def _readings(text: str) -> list[Any]:
    return [yaml.safe_load(f"[{text}]")[0]] if re.fullmatch(r"[\w.'\"]+", text) else []


def _any_at(value: Any, operation: Any) -> list[Any]:
    """Whatever stands there then: `AnyAt` equals it."""
    return [_changed(value, operation.pointer, lambda _: ANY)]


class _Any:
    """Equals every scalar."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple)

    def __hash__(self) -> int:
        return 0


ANY = _Any()


def _ended(value: Any, operation: Any) -> list[Any]:
    """The same, or one text with a line break more: a block scalar at the end of the file."""
    return [value, *_with_a_line_break(value)]


def _with_a_line_break(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key in value:
            yield from ({**value, key: item} for item in _with_a_line_break(value[key]))
    elif isinstance(value, list):
        for number, old in enumerate(value):
            yield from ([*value[:number], item, *value[number + 1 :]] for item in _with_a_line_break(old))
    elif value[0] == "str":
        yield ("str", f"{value[1][:-1]}\\n{value[1][-1]}")


_CHANGES: dict[type, Callable[[Any, Any], list[Any]]] = {
    SetScalar: _set,
    Respell: _respell,
    Quote: _any_at,
    Unquote: _any_at,
    RenameKey: _rename,
    DropDuplicate: _same,
    DropEntry: _drop,
    InsertEntry: _insert,
    MoveEntry: _same,
    AppendItem: _append,
    SplitItem: _split,
    AddComment: _same,
    DropComment: _same,
    FoldScalar: _same,
    FoldMap: _same,
    AppendNewline: _ended,
}


def comments(text: str) -> Counter[str]:
    """The comments of a text: what stands in the gaps between libyaml's tokens, and behind the heads of blocks."""
    found: Counter[str] = Counter()
    end = 0
    shift = int(text.startswith("\ufeff"))
    for token in yaml.scan(text, yaml.CSafeLoader):
        start = token.start_mark.index + shift
        found.update(_in_gap(text[end:start]))
        end = token.end_mark.index + shift
        if isinstance(token, yaml.ScalarToken) and token.style in ("|", ">"):
            head, _, body = text[start:end].partition("\n")
            found.update(_in_gap(head))
            end = start + len(head) + 1 + len(body.rstrip())
    found.update(_in_gap(text[end:]))
    return found


def _in_gap(gap: str) -> list[str]:
    return [match.rstrip("\r") for match in re.findall(r"#[^\n\x85\u2028\u2029]*", gap)]


def wrong_comments(before: str, after: str, operation: Operation) -> str:
    """What is wrong with the comments after an operation; "" if nothing is."""
    old, new = comments(before), comments(after)
    if isinstance(operation, AddComment):
        old[operation.text] += 1
    if isinstance(operation, DropComment):
        span = operation.span
        old[before.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]] -= 1
        old[operation.replacement] += bool(operation.replacement)
    if isinstance(operation, FoldMap):
        old = Counter({text: min(count, new[text]) or count for text, count in old.items()})  # each once at least
    return "" if +old == new else f"lost {old - new}, found {new - old}"


def wrong_lines(before: str, after: str, operation: Operation) -> str:
    """What is wrong with the lines after an operation; "" if nothing is. A missing line break at the end stays so."""
    if before.endswith("\n") is not after.endswith("\n") and not isinstance(operation, _MAY_END):
        return "the end of the file changed"
    old, new = (text.removeprefix("\ufeff").split("\n") for text in (before, after))
    if before.startswith("\ufeff") is not after.startswith("\ufeff"):
        return "the byte order mark came or went"
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    gone, come = old[head : len(old) - tail], new[head : len(new) - tail]
    if isinstance(operation, MoveEntry):
        bare = [Counter(line.removesuffix("\r") for line in lines if line.strip()) for lines in (gone, come)]
        return "" if bare[0] == bare[1] or len(gone) == len(come) == 1 else f"{gone} became {come}"
    if isinstance(operation, InsertEntry | AppendItem):
        return "" if _is_one(gone, come) or not gone or _begins(gone, come) else f"{gone} became {come}"
    if isinstance(operation, DropDuplicate):
        left = iter(gone)
        return "" if all(line in left for line in come) else f"{gone} became {come}"
    if isinstance(operation, FoldMap):
        bare = [Counter(line.strip() for line in lines if line.strip()) for lines in (gone, come)]
        return "" if (bare[1] - bare[0]).total() <= 2 else f"{gone} became {come}"
    if isinstance(operation, FoldScalar):
        return "" if (Counter(come) - Counter(gone)).total() <= 2 else f"{gone} became {come}"
    if isinstance(operation, SplitItem):
        return "" if len(come) - len(gone) in range(len(operation.items)) else f"{gone} became {come}"
    if isinstance(operation, AddComment | AppendNewline):
        return "" if len(gone) <= 1 and len(come) <= 2 else f"{gone} became {come}"
    return "" if len(come) <= 1 else f"{gone} became {come}"


_MAY_END = (AppendNewline, DropEntry, DropComment, AddComment, DropDuplicate)


def _is_one(gone: list[str], come: list[str]) -> bool:
    return len(gone) == len(come) == 1


def _begins(gone: list[str], come: list[str]) -> bool:
    """Whether the one line that changed goes on: behind its dash, or where the file ended without a line break."""
    return len(gone) == 1 and (
        gone[0].rstrip("\r") == come[0].rstrip("\r") or gone[0].lstrip(" -") == come[-1].lstrip()
    )


def _alike(one: list[str], other: list[str]) -> int:
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count


def key_order(text: str, path: tuple[Any, ...]) -> list[str]:
    """The keys of the mapping at a path, as libyaml composes them."""
    node = next(iter(yaml.compose_all(text, yaml.CSafeLoader)))
    for part in path:
        if isinstance(node, yaml.MappingNode):
            node = next(item for key, item in reversed(node.value) if key.value == part)
        else:
            node = node.value[part]
    return [key.value for key, _ in node.value]


def wrong_order(before: str, after: str, operation: Operation) -> str:
    """What is wrong with the order of keys after an operation; "" if nothing is."""
    if not isinstance(operation, InsertEntry | MoveEntry):
        return ""
    *path, name = operation.pointer
    expected = key_order(before, tuple(path))
    if isinstance(operation, MoveEntry):
        if operation.beside == name:
            return ""
        expected.remove(str(name))
    if operation.beside is None:
        place = 0 if operation.before else len(expected)
    else:
        place = len(expected) - 1 - expected[::-1].index(operation.beside) + (not operation.before)
    expected.insert(place, str(name))
    found = key_order(after, tuple(path))
    return "" if found == expected else f"{found} are in another order than {expected}"
