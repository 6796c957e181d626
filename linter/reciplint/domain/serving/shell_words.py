"""The words of a shell command: expansions, quotes and splitting, each letter with the place where it is written."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from reciplint.domain.serving.config import Piece, Place, Value
from reciplint.domain.serving.worlds import World

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_NUMBERS = 20_000
"""A longer `seq` is not worked out."""

_IN_QUOTES = re.compile(r'\\([$`"\\]|\r?\n)')
_BARE = re.compile(r"\\(\r?\n|.)", re.DOTALL)
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "e": "\x1b", "a": "\a", "b": "\b"}
_ANSI_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SPACE = re.compile(r"\S+")

_GIVEN = re.compile("\ue000([^\ue001]*)\ue001")
"""What stands for a variable in any quotes. No script holds these letters, which Unicode gives no meaning."""

_NO_NAME = re.compile(r"\W")

_FOLLOWING = re.compile(rb"[\x80-\xbf]")
"""A byte of a letter after its first one."""

_EXPANDED = re.compile(rb"[$`<>]")
"""What a word holds whose expansion depends on the world."""

_LITERALS = frozenset(
    {"word", "number", "variable_name", "extglob_pattern", "regex", "string_content", "test_operator"}
)


class _Part(NamedTuple):
    """A part of a word: several values (an array's, or the words of an unquoted variable) or one text. An unquoted
    expansion is split at blanks."""

    values: tuple[Value, ...]
    is_split: bool = False


def given(name: str) -> str:
    """A variable as a text that may stand in any quotes, two letters longer than its name."""
    return "\ue000" + _NO_NAME.sub("_", name) + "\ue001"


class Words:
    """The text of a script; `locate` tells where the text between two of its offsets, in code points, is written."""

    def __init__(self, text: str, locate: Callable[[int, int], Place]) -> None:
        self._at = locate
        self.data = text.encode("utf-8", "surrogatepass")
        self._following = [] if text.isascii() else [match.start() for match in _FOLLOWING.finditer(self.data)]
        self._constant: dict[tuple[int, int], list[Value]] = {}
        self._literals: dict[tuple[int, int, int], _Part] = {}

    def raw(self, node: Node) -> str:
        """A node's text as written."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")

    def place(self, node: Node, end: Node | None = None) -> Place:
        """Where a node stands, or the stretch to the end of another."""
        return self._at(self._point(node.start_byte), self._point((end or node).end_byte))

    def split(self, node: Node, world: World) -> list[Value]:
        """The words that a node expands to; do not change the list."""
        if _EXPANDED.search(self.data, node.start_byte, node.end_byte):
            return self._split(node, world)
        at = node.start_byte, node.end_byte
        if at not in self._constant:
            self._constant[at] = self._split(node, world)
        return self._constant[at]

    def _split(self, node: Node, world: World) -> list[Value]:
        result: list[list[Piece]] = []
        is_open = False
        for part in self._parts(node, world, quoted=False):
            for number, value in enumerate(part.values):
                if number:
                    is_open = False
                for pieces, begins, ends in _blanks(value) if part.is_split else ((value.pieces, False, False),):
                    if begins:
                        is_open = False
                    if pieces is not None:
                        if not is_open:
                            result.append([])
                        result[-1].extend(pieces)
                        is_open = True
                    if ends:
                        is_open = False
        return [Value(tuple(pieces)) for pieces in result]

    def whole(self, node: Node | None, world: World) -> Value:
        """What a node expands to where nothing is split, as in an assignment."""
        if node is None:
            return Value(())
        values = [value for part in self._parts(node, world, quoted=True) for value in part.values]
        return Value(tuple(piece for value in values for piece in value.pieces))

    def _parts(self, node: Node, world: World, quoted: bool) -> Iterator[_Part]:
        kind = node.type
        if kind in _LITERALS:
            yield self._literal(node.start_byte, node.end_byte, _IN_QUOTES if kind == "string_content" else _BARE)
        elif kind == "raw_string":
            yield self._literal(node.start_byte + 1, node.end_byte - 1, None)
        elif kind == "ansi_c_string":
            text = _ANSI_ESCAPE.sub(lambda match: _ANSI.get(match[1], match[0]), self.raw(node)[2:-1])
            yield _Part((Value((Piece(text, self.place(node)),)),))
        elif kind in ("string", "translated_string"):
            yield from self._string(node, world)
        elif kind in ("concatenation", "command_name"):
            for child in node.children:
                yield from self._parts(child, world, quoted)
        elif kind in ("simple_expansion", "expansion"):
            yield from self._expansion(node, world, quoted)
        elif kind == "command_substitution":
            yield _Part((self._substitution(node, world),), is_split=not quoted)
        elif kind == "arithmetic_expansion":
            number = self._number(node, world)
            yield _Part((self._unknown(node) if number is None else self._made(str(number), node),))
        elif kind in ("process_substitution", "brace_expression"):
            yield _Part((self._unknown(node),))
        elif not node.is_named:
            yield self._literal(node.start_byte, node.end_byte, None)
        else:
            yield _Part((self._unknown(node),))

    def _string(self, node: Node, world: World) -> Iterator[_Part]:
        """The inside of double quotes. The grammar has no node for blanks between two expansions."""
        inner = node.children[-1] if node.type == "translated_string" else node
        if len(inner.children) < 2:
            return
        pieces: list[Piece] = []
        reached = inner.children[0].end_byte
        for child in inner.children[1:]:
            start = child.start_byte
            if child.type in ("simple_expansion", "expansion", "command_substitution"):
                start += len(self.data[start : child.end_byte]) - len(self.data[start : child.end_byte].lstrip())
            pieces += self._literal(reached, start, _IN_QUOTES).values[0].pieces
            reached = child.end_byte
            if child is inner.children[-1]:
                break
            values = [value for part in self._parts(child, world, quoted=True) for value in part.values]
            if len(values) > 1:  # "${ARRAY[@]}": each element is a word of its own
                yield _Part((Value((*pieces, *values[0].pieces)), *values[1:-1]))
                pieces = []
                yield _Part((Value(()), values[-1]))
            else:
                pieces += values[0].pieces if values else ()
                if not values and not pieces and len(inner.children) == 3:
                    return
        yield _Part((Value(tuple(pieces) or (Piece("", self.place(node)),)),))

    def _expansion(self, node: Node, world: World, quoted: bool) -> Iterator[_Part]:
        names = [child for child in node.children if child.type in _NAMES]
        if not names:
            yield _Part((self._unknown(node),))
            return
        name, operator, operand = self._read(node, names[0])
        known = world.variables.get(name)
        if operator in _DEFAULTING and (known is None or (operator.startswith(":") and not _says(known))):
            yield _Part((self.whole(operand, world),), is_split=not quoted and _is_bare(operand))
            return
        if operator in (":+", "+"):
            if _says(known) and operand is not None:
                yield _Part((self.whole(operand, world),), is_split=not quoted and _is_bare(operand))
            return
        if operator not in ("", ":?", "?", *_DEFAULTING):
            yield _Part((self._unknown(node, name),))
            return
        if known is None:
            yield _Part((self._unknown(node, name),))
        elif names[0].type == "subscript" and self.raw(names[0]).endswith(("[@]", "[*]")):
            yield _Part(known, is_split=not quoted)
        else:
            yield _Part(known[:1] or (Value(()),), is_split=not quoted)

    def _read(self, node: Node, name: Node) -> tuple[str, str, Node | None]:
        """An expansion's variable, its operator and what follows that."""
        variable = next((child for child in name.children if child.type == "variable_name"), name)
        subscript = self.raw(name)[len(self.raw(variable)) :] if name.type == "subscript" else ""
        rest = [child for child in node.children if child is not name and child.type not in ("$", "${", "}")]
        operator = self.raw(rest[0]) if rest else ""
        if (rest and rest[0].start_byte < name.start_byte) or subscript not in ("", "[@]", "[*]", "[0]"):
            operator = "other"
        return self.raw(variable), operator, rest[1] if len(rest) > 1 else None

    def _literal(self, start: int, end: int, escapes: re.Pattern[str] | None) -> _Part:
        """Text as written, without the backslashes that `escapes` finds; made once for all ways that lead to it."""
        found = self._literals.get((start, end, id(escapes)))
        if found is None:
            found = self._literals[(start, end, id(escapes))] = self._unescaped(start, end, escapes)
        return found

    def _unescaped(self, start: int, end: int, escapes: re.Pattern[str] | None) -> _Part:
        raw = self.data[start:end].decode("utf-8", "surrogatepass")
        begin = self._point(start)
        if "\ue000" in raw:
            return _Part((Value(tuple(self._with_given(raw, begin))),))
        if escapes is None or "\\" not in raw:
            return _Part((Value((Piece(raw, self._at(begin, begin + len(raw))),) if raw else ()),))
        pieces: list[Piece] = []
        reached = 0
        for match in escapes.finditer(raw):
            kept = "" if match[1].endswith("\n") else match[1]
            for text, at in ((raw[reached : match.start()], reached), (kept, match.start(1))):
                if text:
                    pieces.append(Piece(text, self._at(begin + at, begin + at + len(text))))
            reached = match.end()
        if reached < len(raw):
            pieces.append(Piece(raw[reached:], self._at(begin + reached, begin + len(raw))))
        return _Part((Value(tuple(pieces)),))

    def _with_given(self, raw: str, begin: int) -> Iterator[Piece]:
        """The pieces of a text in which variables stand as `given` makes them."""
        for number, text in enumerate(_GIVEN.split(raw)):
            length = len(text) + 2 * (number % 2)
            if length:
                place = self._at(begin, begin + length)
                yield Piece(f"${{{text}}}", place, text) if number % 2 else Piece(text, place)
            begin += length

    def _substitution(self, node: Node, world: World) -> Value:
        """What `$(seq …)` prints; any other command's output is unknown."""
        commands = [child for child in node.children if child.is_named]
        if len(commands) == 1 and commands[0].type == "command":
            words = [word.text for child in commands[0].children for word in self.split(child, world)]
            if words[:1] == ["seq"] and (printed := _sequence(words[1:])) is not None:
                return self._made(printed, node)
        return self._unknown(node)

    def _number(self, node: Node, world: World) -> int | None:
        """The value of an arithmetic expression of known whole numbers."""
        kind = node.type
        named = [child for child in node.children if child.is_named]
        if kind in ("arithmetic_expansion", "parenthesized_expression"):
            return self._number(named[0], world) if len(named) == 1 else None
        if kind == "binary_expression" and len(node.children) == 3:
            left, right = self._number(node.children[0], world), self._number(node.children[2], world)
            return _calculated(left, node.children[1].type, right)
        if kind == "variable_name":
            known = world.variables.get(self.raw(node))
            text = known[0].text if known else ""
        else:
            text = self.whole(node, world).text
        return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None

    def _made(self, text: str, node: Node) -> Value:
        return Value((Piece(text, self.place(node)),))

    def _unknown(self, node: Node, name: str = "") -> Value:
        raw = self.raw(node).strip()
        if name and not raw.startswith("${"):
            raw = f"${{{name}}}"
        return Value((Piece(raw, self.place(node), name or raw),))

    def _point(self, byte: int) -> int:
        return byte - bisect_right(self._following, byte) if self._following else byte


_DEFAULTING = (":-", "-", ":=", "=")
_NAMES = ("variable_name", "special_variable_name", "subscript")


def _says(known: tuple[Value, ...] | None) -> bool:
    """Whether a variable is known to hold text."""
    return bool(known) and bool(known and known[0].text)


def _is_bare(node: Node | None) -> bool:
    return node is not None and node.type not in ("string", "raw_string")


def _blanks(value: Value) -> Iterator[tuple[tuple[Piece, ...] | None, bool, bool]]:
    """The fields of an unquoted expansion: their pieces, and whether a blank stands before and after each."""
    for piece in value.pieces:
        if piece.variable:
            yield (piece,), False, False
            continue
        fields = list(_SPACE.finditer(piece.text))
        if not fields and piece.text:
            yield None, True, True
        for field in fields:
            begins, ends = field.start() > 0, field.end() < len(piece.text)
            start, end = field.span()
            is_letters = len(piece.text) == piece.place.end - piece.place.start
            place = piece.place._replace(start=piece.place.start + start, end=piece.place.start + end)
            yield (Piece(field[0], place if is_letters else piece.place),), begins, ends


def _sequence(arguments: list[str]) -> str | None:
    separator, numbers = "\n", []
    rest = iter(arguments)
    for argument in rest:
        if argument in ("-s", "--separator"):
            separator = next(rest, "")
        elif argument.startswith("-s"):
            separator = argument[2:]
        elif re.fullmatch(r"-?\d{1,9}", argument):
            numbers.append(int(argument))
        else:
            return None
    if not 1 <= len(numbers) <= 3:
        return None
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) == 3 else 1
    if step == 0 or abs((numbers[-1] - first) // step) > MAX_NUMBERS:
        return None
    return separator.join(map(str, range(first, numbers[-1] + (1 if step > 0 else -1), step)))


def _calculated(left: int | None, operator: str, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    if operator in ("/", "%"):
        if right == 0:
            return None
        return left // right if operator == "/" else left % right
    return {"+": left + right, "-": left - right, "*": left * right}.get(operator)
