"""Serve configurations of commands: `vllm serve`, `python -m sglang.launch_server`, `vllm-router` and their like, by
themselves or within `docker run`, in a shell script or in the fences of a Markdown page.

Source: the command lines of the engines, of vllm-router and of `docker run` (its options that take no value).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from posixpath import basename

from reciplint.domain.kv_cache import connectors
from reciplint.domain.serving.config import (
    Deployment,
    Flag,
    Piece,
    Places,
    Program,
    Selector,
    ServeConfig,
    Source,
    Spelled,
    Value,
    Variable,
    normal_name,
)
from reciplint.domain.serving.json_values import json_mapping
from reciplint.domain.serving.markdown import FENCE, shell_fences
from reciplint.domain.serving.shell import Assigned, Command, read_commands
from reciplint.domain.serving.worlds import World
from reciplint.yamltree.spans import LineIndex

MENTIONS = re.compile(
    rb"(?:vllm|vllm-omni|sglang)[ \t\\\r\n]+serve|vllm-router|launch_server|trtllm-serve|vllm\.entrypoints|"
    rb"dynamo\.(?:vllm|sglang|trtllm)|vllm/vllm-(?:openai|router)"
)
"""What a file must hold to be worth reading as shell."""

_PROGRAMS = re.compile(rb"vllm|sglang|trtllm")
"""What a command holds that starts any of the programs below."""

_MODULES = {
    "vllm.entrypoints.openai.api_server": ("vllm", "--model"),
    "vllm.entrypoints.cli.main": ("vllm", ""),
    "sglang.launch_server": ("sglang", "--model-path"),
    "sglang.srt.entrypoints.http_server": ("sglang", "--model-path"),
    "dynamo.vllm": ("vllm", "--model"),
    "dynamo.sglang": ("sglang", "--model-path"),
    "dynamo.trtllm": ("trtllm", "--model-path"),
}
"""The engine of a Python module, and the flag that gives it the model."""

_SERVING = {"vllm": "vllm", "vllm-omni": "vllm-omni", "sglang": "sglang", "trtllm-serve": "trtllm"}
"""Programs with a `serve` command; its first argument is the model."""

_TALKING = frozenset({"echo", "printf", "grep", "pgrep", "pkill", "pip", "pip3", "uv", "which", "command", "cat", "cd"})
_PYTHON = re.compile(r"python(?:3(?:\.\d+)?)?\Z")
_NUMBER = re.compile(r"-\d|-\.\d")
_DOCKER_SWITCHES = frozenset(
    {"--rm", "-d", "-i", "-t", "-it", "-ti", "-dit", "-itd", "-id", "--privileged", "--init", "--detach"}
    | {"--interactive", "--tty", "--read-only", "--no-healthcheck", "--oom-kill-disable", "-P", "--publish-all", "-q"}
)
_MODEL_FLAGS = ("model", "model-path")
_DISAGGREGATED = ("prefill", "decode")


def is_worth_reading(data: bytes) -> bool:
    """Whether a file may hold a serve command."""
    return MENTIONS.search(data) is not None


def is_page_worth_reading(data: bytes) -> bool:
    """Whether a Markdown page may hold a serve command in a shell fence: the parser of Markdown is slow to bring in."""
    fence = FENCE.search(data)
    return fence is not None and MENTIONS.search(data, fence.end()) is not None


def read_shell_deployments(text: str, path: str, known: World | None = None) -> tuple[Deployment, ...]:
    """The processes that a shell script starts, given what is known of its variables."""
    source = Source(path, LineIndex(text))
    commands, _ = read_commands(source, text, 0, known, _PROGRAMS)
    return _grouped(list(_configs(commands)))


def read_markdown_deployments(text: str, path: str) -> tuple[Deployment, ...]:
    """The processes that the fenced commands of a Markdown page start. What a fence of assignments alone sets is known
    after it; all else begins anew with each fence."""
    source = Source(path, LineIndex(text))
    found: dict[str, list[ServeConfig]] = {}
    known = World()
    for fence in shell_fences(text):
        commands, after = read_commands(source, fence.text, fence.offset, known, _PROGRAMS)
        if not commands:
            known = after
        found.setdefault(fence.chapter, []).extend(_configs(commands))
    return tuple(deployment for configs in found.values() for deployment in _grouped(configs))


def _configs(commands: list[Command]) -> Iterator[ServeConfig]:
    """What the commands start; what several ways through a script start alike, once."""
    seen: set[tuple[str, ...]] = set()
    for command in commands:
        config = read_command(command)
        if config is None:
            continue
        flags = [flag.name + " " + flag.text for flag in config.flags]
        environment = [variable.name + "=" + variable.text for variable in config.env]
        alike = (str(config.place.start), config.role, config.model, *flags, *environment)
        if alike not in seen:
            seen.add(alike)
            yield config


def _grouped(configs: list[ServeConfig]) -> tuple[Deployment, ...]:
    """Prefill, decode and router processes that were come to by the same assumptions serve together; any other process
    by itself, since a page or script may offer several to choose from."""
    together: dict[tuple[Selector, ...], list[ServeConfig]] = {}
    alone: list[ServeConfig] = []
    for config in configs:
        if config.role in (*_DISAGGREGATED, "router"):
            together.setdefault(_without_role(config), []).append(config)
        else:
            alone.append(config)
    shared = together.pop((), []) if len(together) > 1 else []
    groups = [[*shared, *group] for group in together.values()] or ([shared] if shared else [])
    return tuple(Deployment(tuple(group)) for group in [*groups, *([config] for config in alone)])


def _without_role(config: ServeConfig) -> tuple[Selector, ...]:
    return tuple(selector for selector in config.selectors if selector.value != config.role)


def read_command(command: Command) -> ServeConfig | None:
    """What a command starts; None where it starts nothing that serves a model."""
    words = list(command.words)
    if not words or basename(words[0].text) in _TALKING:
        return None
    env = list(command.env)
    image: Value | None = None
    if (begin := _docker(words)) is not None:
        words, image, env = _unwrapped(words, begin)
    for index in range(len(words)):
        if (program := _program(words, index)) is not None:
            engine, found, rest = program
            env += _inline_env(words[:index])
            return _config(command, engine, found, words[rest:], env, image)
    return None


def _program(words: list[Value], index: int) -> tuple[str, Program, int] | None:
    """The engine that starts at a word, its program, and the index of the first word after that."""
    name = basename(words[index].text)
    following = words[index + 1].text if index + 1 < len(words) else ""
    if name in _SERVING and following == "serve":
        return _SERVING[name], Program((name, following)), index + 2
    if name == "vllm-router":
        return name, Program((name,)), index + 1
    if _PYTHON.match(name) and following == "-m" and index + 2 < len(words):
        module = words[index + 2].text
        if module in _MODULES:
            engine, flag = _MODULES[module]
            return engine, Program((name, "-m", module), flag), index + 3
    return None


def _docker(words: list[Value]) -> int | None:
    """The index of the word after `docker run`; None where there is none."""
    for index, (left, right) in enumerate(pairwise(words)):
        if basename(left.text) in ("docker", "podman", "nerdctl") and right.text == "run":
            return index + 2
    return None


def _unwrapped(words: list[Value], index: int) -> tuple[list[Value], Value | None, list[Assigned]]:
    """What runs in a container, its image, and the environment that it is given."""
    env: list[Assigned] = []
    entry: Value | None = None
    while index < len(words) and words[index].text.startswith("-"):
        name, equals, _ = words[index].text.partition("=")
        value = _after(words[index], len(name) + 1) if equals else None
        if value is None and name not in _DOCKER_SWITCHES:
            index += 1
            value = words[index] if index < len(words) else None
        if value is not None and name in ("-e", "--env"):
            env += _inline_env([value])
        elif value is not None and name == "--entrypoint":
            entry = value
        index += 1
    image = words[index] if index < len(words) else None
    rest = words[index + 1 :]
    if entry is not None:
        return [entry, *rest], image, env
    if image is not None and (made := _entrypoint(image.text)):
        place = image.pieces[0].place
        if not any(_program(rest, number) for number in range(len(rest))):
            rest = [*(Value((Piece(word, place),)) for word in made), *rest]
    return rest, image, env


def _entrypoint(image: str) -> tuple[str, ...]:
    """What an image of vLLM's starts by itself."""
    name = image.split("/")[-1].partition(":")[0]
    if name.startswith("vllm-openai"):
        return ("vllm", "serve")
    return ("vllm-router",) if name == "vllm-router" else ()


def _inline_env(words: list[Value]) -> list[Assigned]:
    """`NAME=value` among words, as `env` and `docker run -e` take them."""
    found = []
    for word in words:
        name, equals, _ = word.text.partition("=")
        place = word.place_at(0, len(name))
        if equals and name.isidentifier() and place is not None:
            found.append(Assigned(name, _after(word, len(name) + 1), place))
    return found


def _config(
    command: Command, engine: str, program: Program, words: list[Value], env: list[Assigned], image: Value | None
) -> ServeConfig:
    positional = []
    while words and not _is_flag(words[0]):
        positional.append(words.pop(0))
    flags = tuple(made_flags(words))
    model = positional[0] if positional else None
    given = next((flag for flag in reversed(flags) if flag.normal in _MODEL_FLAGS and flag.arguments), None)
    if model is None and given is not None:
        model = given.arguments[0]
    if engine == "vllm" and any(flag.normal == "omni" for flag in flags):
        engine = "vllm-omni"
    return ServeConfig(
        engine=engine,
        role=_role(engine, flags, command.selectors),
        carrier="command",
        program=program,
        selectors=command.selectors,
        written=Places(command.place, model and model.place, image and image.place),
        model=model.text if model is not None else "",
        image=image.text if image is not None else "",
        flags=flags,
        env=tuple(Variable(item.name, item.value.text, Spelled(item.place, (item.value,))) for item in env),
        open_ended=any(map(_is_variable, positional[1:]))
        or any(_is_variable(argument) for flag in flags for argument in flag.arguments[1:]),
    )


def _is_variable(word: Value) -> bool:
    """Whether a word is what one variable holds, which may be several arguments."""
    return len(word.pieces) == 1 and bool(word.pieces[0].variable)


def _is_flag(word: Value) -> bool:
    first = word.pieces[0] if word.pieces else None
    return first is not None and first.text.startswith("-") and not first.variable and not _NUMBER.match(first.text)


def made_flags(words: list[Value]) -> Iterator[Flag]:
    """Flags with what follows each; `--name=value` is one word."""
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if not _is_flag(word):
            continue
        name, equals, _ = word.text.partition("=")
        arguments = [_after(word, len(name) + 1)] if equals else []
        while not equals and index < len(words) and not _is_flag(words[index]):
            arguments.append(words[index])
            index += 1
        normal, negated = normal_name(name)
        yield Flag(
            name=name,
            normal=normal,
            value=" ".join(argument.text for argument in arguments) if arguments else True,
            written=Spelled(word.place_at(0, len(name)) or word.pieces[0].place, tuple(arguments)),
            negated=negated,
        )


def _after(word: Value, start: int) -> Value:
    """The rest of a word from an offset of its text on."""
    pieces = []
    for piece in word.pieces:
        if start < len(piece.text):
            text = piece.text[max(start, 0) :]
            is_letters = len(piece.text) == piece.place.end - piece.place.start
            shift = max(start, 0) if is_letters else 0
            pieces.append(piece._replace(text=text, place=piece.place._replace(start=piece.place.start + shift)))
        start -= len(piece.text)
    return Value(tuple(pieces))


def _role(engine: str, flags: tuple[Flag, ...], selectors: tuple[Selector, ...]) -> str:
    """What a process is for, as its flags say, else the assumption that led to it; "" where it hands its cache on and
    nothing says which way."""
    if engine == "vllm-router":
        return "router"
    by_name = {flag.normal: flag for flag in flags}
    mode = by_name.get("disaggregation-mode")
    if mode is not None and mode.text in _DISAGGREGATED:
        return mode.text
    config = json_mapping(by_name.get("kv-transfer-config"))
    roles = {str(connector.get("kv_role")) for connector in connectors(config)}
    chosen = [selector.value for selector in selectors if selector.value in _DISAGGREGATED]
    if chosen:
        return chosen[-1]
    if roles & {"kv_producer", "kv_consumer"}:
        return "prefill" if "kv_producer" in roles else "decode"
    return (
        "" if any("nixl" in str(connector.get("kv_connector")).lower() for connector in connectors(config)) else "agg"
    )
