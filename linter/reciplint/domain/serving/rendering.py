"""Serve configurations as commands to read or paste: arguments, or lines of shell."""

from __future__ import annotations

import re
import shlex
from typing import Any

from reciplint.domain.serving.config import Flag, ServeConfig, Value

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_ONE_VARIABLE = re.compile(r"\$[A-Z_][A-Z0-9_]*\Z")
_UNPRINTABLE = re.compile(r"[^\x20-\x7e\n]")
_WIDE = 100
_CONFIG_OPTIONS = {"trtllm": "--extra-engine-args"}


def arguments(config: ServeConfig) -> list[str]:
    """The command as arguments; unknown variables stand as `${NAME}`. Flags of a configuration file are not there."""
    return [_text(word) for line in _lines(config) for word in line]


def environment(config: ServeConfig) -> dict[str, str]:
    """The environment that the process gets, without names that no shell has."""
    return {variable.name: variable.text for variable in config.env if _NAME.match(variable.name)}


def engine_config(config: ServeConfig) -> dict[str, Any] | None:
    """What the engine's own configuration file holds; None where the engine takes flags."""
    return {flag.name: flag.value for flag in config.flags} if config.config_flags else None


def shell_lines(config: ServeConfig) -> list[str]:
    """The command as shell, a flag a line, the environment in front; a configuration file as a here-document."""
    found = []
    settings = engine_config(config)
    if settings is not None:
        found += [f"cat > {_config_name(config)} <<'EOF'", *_yaml(settings).splitlines(), "EOF"]
    lines = [f"{name}={quoted(variable.argument)}" for name, variable in _last(config).items()]
    command = [" ".join(quoted(word) for word in line) for line in _lines(config)]
    lines += [command[0], *(f"  {line}" for line in command[1:])]
    return [*found, *(f"{line} \\" for line in lines[:-1]), lines[-1]]


def quoted(word: Value | str) -> str:
    """A word as the shell reads it back: a variable alone or in double quotes stays one, all else is literal."""
    if isinstance(word, str):
        return _literal(word)
    if not word.variables:
        return _literal(word.text)
    if len(word.pieces) == 1 and _ONE_VARIABLE.match(word.text):
        return word.text
    parts = [piece.text if piece.variable else re.sub(r'([\\"$`])', r"\\\1", piece.text) for piece in word.pieces]
    return f'"{"".join(parts)}"'


def _literal(text: str) -> str:
    if _UNPRINTABLE.search(text):
        escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
        return "$'" + _UNPRINTABLE.sub(lambda match: _escape(match[0]), escaped) + "'"
    return shlex.quote(text)


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _text(word: Value | str) -> str:
    return word if isinstance(word, str) else word.text


def _lines(config: ServeConfig) -> list[list[Value | str]]:
    """The words of a command, the program with its model first, then a flag with its values a line."""
    model = [config.model] if config.model else []
    first: list[Value | str] = [*config.program.words]
    second: list[list[Value | str]] = []
    if config.program.model_flag and model and not config.flag("model", "model-path"):
        second.append([config.program.model_flag, *model])
    elif not config.program.model_flag:
        first += model
    if config.carrier == "recipe" and _has_mode(config):
        second.append(["--disaggregation-mode", config.role])
    if config.config_flags:
        return [first, *second, [_CONFIG_OPTIONS.get(config.engine, "--config"), _config_name(config)]]
    return [first, *second, *(_flag(flag, config) for flag in config.flags if flag.is_sent)]


def _has_mode(config: ServeConfig) -> bool:
    """Whether the launcher tells the engine which part of the work it does."""
    return config.role in ("prefill", "decode") and config.program.words[:1] == ("python3",)


def _flag(flag: Flag, config: ServeConfig) -> list[Value | str]:
    if config.carrier != "recipe":
        return [flag.name, *flag.arguments]
    name = flag.normal if flag.derived else flag.name.replace("_", "-")
    return [f"--{name}", *flag.arguments]


def _last(config: ServeConfig) -> dict[str, Any]:
    return {variable.name: variable for variable in config.env if _NAME.match(variable.name)}


def _config_name(config: ServeConfig) -> str:
    return f"{config.role or 'engine'}.yaml"


def _yaml(settings: dict[str, Any]) -> str:
    import yaml

    return yaml.safe_dump(settings, sort_keys=False, default_flow_style=False, width=_WIDE)
