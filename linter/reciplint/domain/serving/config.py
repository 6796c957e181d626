"""The serve configuration: one process of a deployment, in the same form whether an srt-slurm recipe, a recipe of
vLLM's or a command in shell or Markdown says how it is started.

Flags are in the order in which the engine reads them; of a repeated one the last counts. Places are kept as offsets
and become spans only when they are asked for, since most configurations have nothing to be said about them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from reciplint.yamltree.replacing import Path
from reciplint.yamltree.spans import LineIndex, Span

Carrier = Literal["recipe", "vllm-recipe", "command"]

_DOLLAR = re.compile(r"(\$[A-Z_][A-Z0-9_]*)")

ROLES = ("agg", "prefill", "decode", "router")


class Source(NamedTuple):
    """A file that configurations are written in: its path and its lines."""

    path: str
    lines: LineIndex


class Place(NamedTuple):
    """A stretch of a source, in offsets of code points; the end is exclusive."""

    source: Source
    start: int
    end: int

    @property
    def path(self) -> str:
        """The file."""
        return self.source.path

    @property
    def span(self) -> Span:
        """As lines and columns."""
        return self.source.lines.span(self.start, self.end)


class Piece(NamedTuple):
    """A stretch of a value's text, and where it is written. `variable` names what stands for text that is not known:
    then `text` is `${NAME}`, or `$(…)` of a command. A piece whose text is as long as its place is written letter by
    letter."""

    text: str
    place: Place
    variable: str = ""


class Value(NamedTuple):
    """A value as one argument of a command: its text, made of pieces."""

    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The text; unknown variables stand as `${NAME}`."""
        return self.pieces[0].text if len(self.pieces) == 1 else "".join(piece.text for piece in self.pieces)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables whose value is not known."""
        return tuple(piece.variable for piece in self.pieces if piece.variable)

    @property
    def place(self) -> Place | None:
        """Where the text is written; its first piece's place where it is put together of several."""
        if not self.pieces:
            return None
        first, last = self.pieces[0].place, self.pieces[-1].place
        return first._replace(end=last.end) if _is_run(self.pieces) else first

    def place_at(self, start: int, end: int) -> Place | None:
        """Where the text between two of its offsets is written; the whole piece where it is written another way."""
        for piece in self.pieces:
            if start < len(piece.text) or (start == len(piece.text) and piece is self.pieces[-1]):
                place = piece.place
                if len(piece.text) != place.end - place.start:
                    return place
                return place._replace(start=place.start + start, end=min(place.start + max(end, start), place.end))
            start, end = start - len(piece.text), end - len(piece.text)
        return self.place


def _is_run(pieces: tuple[Piece, ...]) -> bool:
    """Whether the pieces follow one another in one file."""
    return all(
        left.place.source is right.place.source and left.place.end <= right.place.start <= left.place.end + 2
        for left, right in pairwise(pieces)
    )


class Written(Protocol):
    """How a flag or a variable is written, asked only when something is to be said of it."""

    def place(self, name: str) -> Place:
        """Where the name is written."""

    def texts(self, name: str, value: Any) -> tuple[str, ...]:
        """What is given with it; none for a switch, several for a list."""

    def arguments(self, name: str, value: Any) -> tuple[Value, ...]:
        """The same with the places."""


class Spelled(msgspec.Struct, frozen=True, gc=False):
    """What is written as it is read: a place, and what follows."""

    at: Place
    given: tuple[Value, ...] = ()

    def place(self, name: str) -> Place:
        """Where the name is written."""
        return self.at

    def texts(self, name: str, value: Any) -> tuple[str, ...]:
        """What is given with it."""
        return tuple(argument.text for argument in self.given)

    def arguments(self, name: str, value: Any) -> tuple[Value, ...]:
        """The same with the places."""
        return self.given


class Flag(msgspec.Struct, frozen=True, gc=False):
    """A flag that a process is started with.

    `name` is as written (`kv_cache_dtype`, `--kv-cache-dtype`, `-tp`); `normal` has dashes between words, none in
    front, and no `no-`, which `negated` tells of. `value` is what a mapping of flags holds, as YAML loads it, or a
    command's text; True in a command where none follows. `is_sent` is False for what a launcher drops (`false`,
    `null`). `derived`: the launcher makes the flag of a setting that is called otherwise. `path` leads to the value in
    a YAML file, () in a command.
    """

    name: str
    normal: str
    value: Any
    written: Written
    negated: bool = False
    is_sent: bool = True
    derived: bool = False
    path: tuple[str | int, ...] = ()

    @property
    def place(self) -> Place:
        """Where the name is written."""
        return self.written.place(self.name)

    @property
    def texts(self) -> tuple[str, ...]:
        """What the engine gets after the flag: none for a switch, several for a list."""
        return self.written.texts(self.name, self.value)

    @property
    def arguments(self) -> tuple[Value, ...]:
        """What the engine gets after the flag, with the places."""
        return self.written.arguments(self.name, self.value)

    @property
    def text(self) -> str:
        """What follows the flag; "" where nothing does."""
        value = self.value
        if isinstance(value, str):
            return value
        if isinstance(value, bool) or value is None:
            return ""
        return " ".join(map(str, value)) if isinstance(value, list) else str(value)

    @property
    def span(self) -> Span:
        """Where the flag's name is written."""
        return self.place.span

    @property
    def value_place(self) -> Place:
        """Where the value is written; the name's place where it has none."""
        places = [item.place for item in self.arguments if item.place is not None]
        return places[0]._replace(end=max(places[0].end, places[-1].end)) if places else self.place

    @property
    def value_span(self) -> Span:
        """Where the value is written; the name's span where it has none."""
        return self.value_place.span


class Variable(msgspec.Struct, frozen=True, gc=False):
    """An environment variable of a process; `text` is its value, with unknown variables as `${NAME}`."""

    name: str
    text: str
    written: Written

    @property
    def place(self) -> Place:
        """Where the name is written."""
        return self.written.place(self.name)

    @property
    def argument(self) -> Value:
        """The value with the places of its parts."""
        return next(iter(self.written.arguments(self.name, self.text)), Value(()))

    @property
    def span(self) -> Span:
        """Where the name is written."""
        return self.place.span

    @property
    def value_span(self) -> Span:
        """Where the value is written."""
        return (self.argument.place or self.place).span


class Program(NamedTuple):
    """What runs: `words` start the command (`vllm serve`, `python3 -m dynamo.vllm`), `model_flag` precedes the model
    ("" where it is positional)."""

    words: tuple[str, ...]
    model_flag: str = ""


class Selector(NamedTuple):
    """What chooses a configuration among those of a file: a recipe's variant, a strategy, a shell variable's value."""

    name: str
    value: str


class Whereabouts(Protocol):
    """Where a process is written, and what is said of it, asked only when something is to be said."""

    @property
    def process(self) -> Place:
        """Where the process is."""

    @property
    def model(self) -> Place | None:
        """Where the model is."""

    @property
    def image(self) -> Place | None:
        """Where the image is."""

    @property
    def hardware(self) -> Place | None:
        """Where the GPU is."""

    def mapping(self, of: Literal["flags", "variables"], holding: str = "") -> Path | None:
        """The path by which an edit reaches the mapping of the process's flags or variables, the one that writes
        `holding` if that is given; None where no edit reaches one of its own."""


class Places(NamedTuple):
    """Whereabouts that were read with the process; None for what is not written."""

    process: Place
    model: Place | None = None
    image: Place | None = None
    hardware: Place | None = None

    def mapping(self, of: Literal["flags", "variables"], holding: str = "") -> Path | None:
        """None: a command is no mapping."""
        return None


class ServeConfig(msgspec.Struct, frozen=True):
    """One process, or several alike.

    `engine` is "vllm", "sglang", "trtllm", "vllm-router", … and "" where it is not told; `role` one of `ROLES`, ""
    where nothing tells. `model` and `image` are as written, "" where they are not; `hardware` is the GPU's name in
    lower case.
    `workers`, `nodes` (of all workers) and `gpus` (of one worker) are None where the file does not say. `config_flags`
    are flags of the engine's own configuration file instead of its command line (TensorRT-LLM's). `open_ended`:
    a variable that is not known holds further arguments.
    """

    engine: str
    role: str
    carrier: Carrier
    program: Program
    selectors: tuple[Selector, ...]
    written: Whereabouts
    model: str = ""
    image: str = ""
    hardware: str = ""
    workers: int | None = None
    nodes: int | None = None
    gpus: int | None = None
    flags: tuple[Flag, ...] = ()
    env: tuple[Variable, ...] = ()
    config_flags: bool = False
    open_ended: bool = False

    @property
    def place(self) -> Place:
        """Where the process is written."""
        return self.written.process

    @property
    def model_place(self) -> Place | None:
        """Where the model is written."""
        return self.written.model

    @property
    def image_place(self) -> Place | None:
        """Where the image is written."""
        return self.written.image

    @property
    def hardware_place(self) -> Place | None:
        """Where the GPU is written."""
        return self.written.hardware

    @property
    def path(self) -> str:
        """The file that says how the process is started."""
        return self.place.source.path

    def selected(self, name: str) -> str:
        """What a selector chose; "" where there is none of that name."""
        return next((selector.value for selector in self.selectors if selector.name == name), "")

    def flag(self, *names: str) -> Flag | None:
        """The flag that counts among some spellings of one, by their normal names: the last that is sent."""
        return next((flag for flag in reversed(self.flags) if flag.normal in names and flag.is_sent), None)

    def has(self, *names: str) -> bool:
        """Whether a switch is on: sent without `no-`, and with no value that says false."""
        flag = self.flag(*names)
        return flag is not None and not flag.negated and flag.text.lower() not in ("false", "0")

    def text(self, *names: str) -> str:
        """The text of the flag that counts; "" where there is none or it has no value."""
        flag = self.flag(*names)
        return flag.text if flag is not None else ""

    def variable(self, name: str) -> Variable | None:
        """The environment variable of a name; the last where it is set twice."""
        return next((variable for variable in reversed(self.env) if variable.name == name), None)

    def values(self) -> dict[str, Any]:
        """The flags that count as a mapping: normal name to value, a switch True, a negated one False."""
        found: dict[str, Any] = {}
        for flag in self.flags:
            if flag.is_sent:
                found[flag.normal] = False if flag.negated else flag.value
        return found


class Deployment(msgspec.Struct, frozen=True):
    """Processes that serve together: those of one variant of a recipe, one rendering of a vLLM recipe, one script."""

    processes: tuple[ServeConfig, ...]

    def peers(self, process: ServeConfig) -> tuple[ServeConfig, ...]:
        """The other processes."""
        return tuple(other for other in self.processes if other is not process)

    def of_role(self, role: str) -> tuple[ServeConfig, ...]:
        """The processes of a role."""
        return tuple(process for process in self.processes if process.role == role)


@lru_cache(maxsize=8192)
def normal_name(name: str) -> tuple[str, bool]:
    """A flag's name with dashes and nothing in front, and whether `no-` was dropped. After a dot stands a key of the
    flag's JSON, which is left as it is."""
    flag, dot, key = name.lstrip("-").partition(".")
    plain = flag.replace("_", "-") + dot + key
    if plain.startswith("no-"):
        return plain[3:], True
    return plain, False


def processes(deployments: Iterable[Deployment]) -> list[ServeConfig]:
    """Every process of some deployments."""
    return [process for deployment in deployments for process in deployment.processes]


def symbolic(text: str, place: Place) -> Value:
    """A text in which `$NAME` stands for a variable that is not known."""
    pieces = []
    for part in _DOLLAR.split(text):
        if part:
            pieces.append(Piece(part, place, part[1:] if _DOLLAR.fullmatch(part) else ""))
    return Value(tuple(pieces) or (Piece("", place),))
