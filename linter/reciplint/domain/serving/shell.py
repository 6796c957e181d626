"""The commands of a shell script, each with its words and its environment, as far as they can be told unrun.

A script is followed through every way that its conditions leave open: `case "$ROLE" in prefill) …` is one world where
ROLE is prefill and others where it is not. What a script is given (`$1`, `${IP:?…}`) stays symbolic, `${N:-8}` is its
default, `seq` of numbers is worked out, any other command substitution is unknown. A loop's body and a function's body
are followed once. Every letter of a word remembers where it is written.

Source: the Bash manual, on expansions and conditional constructs; tree-sitter-bash reads the grammar.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from reciplint.domain.serving.config import Piece, Place, Selector, Source, Value
from reciplint.domain.serving.shell_conditions import choices, ways
from reciplint.domain.serving.shell_words import Words
from reciplint.domain.serving.worlds import World, merged

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_WORLDS = 16
"""The ways through a script that are gone on with at once; of more, every branch is still read once."""

MAX_STEPS = 40_000
"""Statements followed, over all ways; what comes after is not read."""

_MAX_DEPTH = 80

_BODIES = frozenset({"program", "do_group", "else_clause", "compound_statement", "subshell", "pipeline"})
_ENDING = frozenset({"exit", "exec", "return"})
_UTILITIES = frozenset(
    """
    [ : . awk basename break cat cd chmod continue cp curl cut date dirname du echo false find flock getopts git grep
    gzip head hostname ip jq kill local ls mkdir mktemp mv pgrep pip pip3 pkill printf ps pwd read rm rsync scontrol sed
    set shift shopt sleep sort source squeue stat tail tar tee test touch tr trap true ulimit uname wait wc wget which
    xargs
    """.split()  # noqa: SIM905
)
"""What is not worth expanding: none of these starts a server."""

_DECLARING = frozenset({"export", "declare", "typeset", "local", "readonly"})

_TELLING = re.compile(rb"(?<![\w-])(?:bash|sh|eval|exit|exec|return|export|declare|typeset|local|readonly)(?![\w-])")
"""What a command holds that says something of the rest of the script, or runs another."""

_PLAIN = re.compile(rb"[\w./:+@%-]+\Z")
_VARIABLE = re.compile(rb"\$\{?[!#]?(\w+)")


class Assigned(NamedTuple):
    """An environment variable that a command gets, and where its name is written."""

    name: str
    value: Value
    place: Place


class Command(NamedTuple):
    """A simple command: its words, the variables that it gets from the script, whether they were `exported` earlier or
    set in front of it, and what was assumed on the way."""

    words: tuple[Value, ...]
    env: tuple[Assigned, ...]
    place: Place
    selectors: tuple[Selector, ...]


def read_commands(
    source: Source, text: str, offset: int = 0, known: World | None = None, wanted: re.Pattern[bytes] | None = None
) -> tuple[list[Command], World]:
    """The commands of a script that begins at an offset of its source, in order, once for each way that leads to them;
    and what is known after it. What is no shell yields what can be read of it. Commands in which `wanted` finds
    nothing, as written and in the variables that they name, may be left out."""
    words = Words(text, lambda start, end: Place(source, offset + start, offset + end))
    following = _Following(words, wanted)
    begin = known or World()
    after = following.statements([begin], _parsed(words), 0)
    return following.commands, after[0] if len(after) == 1 and not after[0].ended else begin


@lru_cache(maxsize=1)
def _parser() -> Any:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def _parsed(words: Words) -> Node:
    root: Node = _parser().parse(words.data).root_node
    return root


class _Following:
    """The way through one script."""

    def __init__(self, words: Words, wanted: re.Pattern[bytes] | None) -> None:
        self.commands: list[Command] = []
        self._words = words
        self._wanted = wanted
        self._looked_at: dict[int, tuple[tuple[Value, ...], bool]] = {}
        self._crowd = 1
        self._steps = 0
        self._handlers: dict[str, Callable[[Node, World, int], list[World]]] = {
            "variable_assignment": self._assignment,
            "declaration_command": self._declaration,
            "unset_command": self._unset,
            "command": self._command,
            "if_statement": self._if,
            "case_statement": self._case,
            "list": self._list,
            "for_statement": self._for,
            "while_statement": self._body,
            "c_style_for_statement": self._body,
            "function_definition": self._inner,
            "negated_command": self._inner,
            "redirected_statement": self._body,
        }

    def statements(self, worlds: Iterable[World], node: Node, depth: int) -> list[World]:
        """The worlds after the statements in a node."""
        current = list(worlds)
        for child in node.children:
            if child.is_named and child.type != "comment":
                current = self._each(current, child, depth)
        return current

    def _each(self, worlds: list[World], node: Node, depth: int) -> list[World]:
        """The worlds after a statement, for each world before it."""
        around = self._crowd
        after: list[World] = []
        for number, world in enumerate(worlds):
            self._crowd = around + len(after) + len(worlds) - number - 1
            after += self._statement(node, world, depth)
        self._crowd = around
        return after

    def _statement(self, node: Node, world: World, depth: int) -> list[World]:
        self._steps += 1
        if world.ended or depth > _MAX_DEPTH or self._steps > MAX_STEPS:
            return [world]
        handler = self._handlers.get(node.type)
        if handler is not None:
            return merged(handler(node, world, depth + 1), world)
        if node.type in _BODIES or node.type in ("ERROR", "variable_assignments"):
            after = self.statements([world], node, depth + 1)
            return [world] if node.type == "subshell" else after
        return [world]

    def _assignment(self, node: Node, world: World, depth: int) -> list[World]:
        name, value, is_appended = self._assigned(node, world)
        if not name:
            return [world]
        if is_appended:
            before = world.variables.get(name, ())
            is_array = len(value) != 1 or any(child.type == "array" for child in node.children)
            joined = (*before, *value) if is_array else (_joined(before[:1], value),)
            value = joined
        return [world.with_value(name, value)]

    def _assigned(self, node: Node, world: World) -> tuple[str, tuple[Value, ...], bool]:
        """The name, the value or an array's elements, and whether it is `+=`; no name for an element of an array."""
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if name is None or name.type != "variable_name":
            return "", (), False
        is_appended = any(child.type == "+=" for child in node.children)
        if value is not None and value.type == "array":
            elements = [word for child in value.children if child.is_named for word in self._words.split(child, world)]
            return self._words.raw(name), tuple(elements), is_appended
        found = self._words.whole(value, world) if value is not None else Value(())
        raw = self._words.raw(name)
        if len(found.pieces) == 1 and _is_given(found.pieces[0]):
            found = Value((found.pieces[0]._replace(text=f"${{{raw}}}", variable=raw),))
        return raw, (found,), is_appended

    def _declaration(self, node: Node, world: World, depth: int) -> list[World]:
        raw = self._words.raw(node)
        is_export = raw.startswith(("export", "declare -x", "typeset -x")) and not raw.startswith("export -n")
        for child in node.children:
            if child.type == "variable_assignment":
                name, _, _ = self._assigned(child, world)
                world = self._assignment(child, world, depth)[0]
                if is_export and name:
                    world = world.with_export(name, self._words.place(child.children[0]))
            elif child.type == "variable_name" and is_export:
                world = world.with_export(self._words.raw(child), self._words.place(child))
        return [world]

    def _unset(self, node: Node, world: World, depth: int) -> list[World]:
        for child in node.children:
            if child.type == "variable_name":
                world = world.without(self._words.raw(child))
        return [world]

    def _command(self, node: Node, world: World, depth: int) -> list[World]:
        before = [child for child in node.children if child.type == "variable_assignment"]
        name = next((child for child in node.children if child.type == "command_name"), None)
        if name is not None and before and self._is_own_line(before[-1], name):
            for child in before:  # the grammar takes assignments on a line of their own for part of the next command
                world = self._assignment(child, world, depth)[0]
            before = []
        words: list[Value] = []
        first = name or node
        if name is not None and not self._is_wanted(name, node, world):
            return [world]
        for child in node.children:
            if child.is_named and child.type not in ("variable_assignment", "file_redirect", "herestring_redirect"):
                words += self._words.split(child, world)
        env = [Assigned(key, _first(world, key), place) for key, place in world.exported.items()]
        for child in before:
            key, value, _ = self._assigned(child, world)
            if key:
                env.append(Assigned(key, value[0] if value else Value(()), self._words.place(child.children[0])))
        place = self._words.place(first, node.children[-1] if node.children else None)
        if words:
            self.commands.append(Command(tuple(words), tuple(env), place, world.selectors))
        called = words[0].text if words else ""
        if (script := _script(words)) is not None:
            after = self._nested(script, world, place, depth)
            return after if called == "eval" else [world]
        if called in _DECLARING:
            return [self._declared(called, words[1:], world)]
        return [replace(world, ended=True)] if called in _ENDING else [world]

    def _is_wanted(self, name: Node, node: Node, world: World) -> bool:
        """Whether a command may be one of those that are asked for, or may change what comes after it."""
        if self._words.raw(name) in _UTILITIES:
            return False
        data = self._words.data
        if self._wanted is None or not _PLAIN.match(data, name.start_byte, name.end_byte):
            return True
        raw = data[node.start_byte : node.end_byte]
        if self._wanted.search(raw) or _TELLING.search(raw):
            return True
        named = (world.variables.get(match.decode()) for match in _VARIABLE.findall(raw))
        return any(self._holds_wanted(known) for known in named if known)

    def _holds_wanted(self, known: tuple[Value, ...]) -> bool:
        assert self._wanted is not None
        found = self._looked_at.get(id(known))
        if found is None:  # the value is kept beside the answer, so that no other gets its id
            text = " ".join(value.text for value in known).encode("utf-8", "surrogatepass")
            found = self._looked_at[id(known)] = (known, self._wanted.search(text) is not None)
        return found[1]

    def _nested(self, script: Value, world: World, place: Place, depth: int) -> list[World]:
        """A script within a word, as `eval` runs it."""
        outer = self._words
        self._words = Words(script.text, lambda start, end: script.place_at(start, end) or place)
        after = self.statements([world], _parsed(self._words), depth)
        self._words = outer
        return after

    def _declared(self, called: str, words: list[Value], world: World) -> World:
        """`export` where the grammar saw a plain command."""
        for word in words:
            place = word.place
            if called == "export" and place is not None and word.text.isidentifier():
                world = world.with_export(word.text, place)
        return world

    def _is_own_line(self, left: Node, right: Node) -> bool:
        between = self._words.data[left.end_byte : right.start_byte]
        return b"\n" in between.replace(b"\\\n", b"").replace(b"\\\r\n", b"")

    def _if(self, node: Node, world: World, depth: int) -> list[World]:
        """`if`, each `elif`, and `else`."""
        done: list[World] = []
        waiting = [world]
        for condition, body, otherwise in _clauses(node):
            if otherwise is not None:
                done += self.statements(waiting, otherwise, depth)
                waiting = []
                break
            going: list[World] = []
            left: list[World] = []
            for one in waiting:
                for way in ways(condition, one, self._words):
                    (going if way.holds else left).append(way.world)
            for child in body:
                going = self._each(going, child, depth)
            done += going
            waiting = left
        return self._kept(done + waiting)

    def _case(self, node: Node, world: World, depth: int) -> list[World]:
        subject = node.child_by_field_name("value")
        value = self._words.whole(subject, world) if subject is not None else Value(())
        done: list[World] = []
        waiting = [world]
        for item in (child for child in node.children if child.type == "case_item"):
            closing = next((n for n, child in enumerate(item.children) if child.type == ")"), 0)
            patterns = [child for child in item.children[:closing] if child.is_named]
            left: list[World] = []
            for one in waiting:
                found = choices(value, patterns, one, self._words)
                going = [way.world for way in found if way.holds]
                left += [way.world for way in found if not way.holds]
                for child in item.children[closing + 1 :]:
                    if child.is_named:
                        going = self._each(going, child, depth)
                done += going
            waiting = left
        return self._kept(done + waiting)

    def _kept(self, worlds: list[World]) -> list[World]:
        """The worlds to go on with: where there are too many, the first of those that have not ended."""
        going = [world for world in worlds if not world.ended] or worlds[:1]
        return going[: max(1, MAX_WORLDS - self._crowd)]

    def _list(self, node: Node, world: World, depth: int) -> list[World]:
        """`a && b` and `a || b`: a test decides, any other command is taken to succeed."""
        named = [child for child in node.children if child.is_named]
        if len(named) != 2:
            return self.statements([world], node, depth)
        is_and = any(child.type == "&&" for child in node.children)
        if named[0].type not in ("test_command", "negated_command"):
            after = self._statement(named[0], world, depth)
            return self._each(after, named[1], depth) if is_and else after
        done: list[World] = []
        for way in ways(named[0], world, self._words):
            done += self._statement(named[1], way.world, depth) if way.holds is is_and else [way.world]
        return self._kept(done)

    def _for(self, node: Node, world: World, depth: int) -> list[World]:
        name = node.child_by_field_name("variable")
        if name is not None:
            raw = self._words.raw(name)
            unknown = Piece(f"${{{raw}}}", self._words.place(name), raw)
            world = world.with_value(raw, (Value((unknown,)),))
        return self._body(node, world, depth)

    def _body(self, node: Node, world: World, depth: int) -> list[World]:
        """What a loop repeats, taken once, or what a redirection stands behind."""
        body = node.child_by_field_name("body")
        return self._statement(body, world, depth) if body is not None else [world]

    def _inner(self, node: Node, world: World, depth: int) -> list[World]:
        """A function's body, or what `!` stands before; a `return` leaves the function alone."""
        after = self.statements([world], node, depth)
        return [replace(one, ended=False) for one in after] if node.type == "function_definition" else after


def _clauses(node: Node) -> Iterable[tuple[Node, list[Node], Node | None]]:
    """Each condition of an `if` with the statements under it; last the `else`, as the third."""
    named: list[Node] = []
    is_condition = True
    condition = node
    for child in node.children:
        if child.type == "then":
            condition, named, is_condition = (named[-1] if named else node), [], False
        elif child.type == "elif_clause":
            yield condition, named, None
            yield from _clauses(child)
            named = []
            is_condition = True
        elif child.type == "else_clause":
            if not is_condition:
                yield condition, named, None
            yield node, [], child
            return
        elif child.is_named and child.type != "comment":
            named.append(child)
    if not is_condition:
        yield condition, named, None


def _script(words: list[Value]) -> Value | None:
    """The script that a command runs out of a word: `eval SCRIPT`, or `bash -c SCRIPT` with anything in front."""
    texts = [word.text for word in words]
    if texts[:1] == ["eval"] and len(words) == 2:
        return words[1]
    for index, text in enumerate(texts[:-2]):
        if text.rpartition("/")[2] in ("bash", "sh") and texts[index + 1] in ("-c", "-lc", "-ec"):
            return words[index + 2]
    return None


def _is_given(piece: Piece) -> bool:
    """Whether a value is nothing but what the script is given: `$1`, or `${IP:?…}`."""
    return bool(piece.variable) and (piece.variable.isdigit() or ":?" in piece.text or "?" in piece.text)


def _joined(before: tuple[Value, ...], value: tuple[Value, ...]) -> Value:
    return Value(tuple(piece for part in (*before, *value) for piece in part.pieces))


def _first(world: World, name: str) -> Value:
    """An exported variable's value; symbolic where the script does not set it."""
    known = world.variables.get(name)
    if known:
        return known[0]
    return Value((Piece(f"${{{name}}}", world.exported[name], name),)) if known is None else Value(())
