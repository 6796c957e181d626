"""The settings of a process by the names that the table of constraints gives them.

`--flag` is a flag, `--flag.key` a member of its JSON, `$NAME` an environment variable; a plain word is a fact that
follows from the process: `FACTS` lists them. Of what stands in an unknown variable nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from reciplint.domain.reading import whole
from reciplint.domain.releases import Version, engine_version
from reciplint.domain.serving.config import Deployment, Flag, Place, ServeConfig, Variable
from reciplint.domain.serving.constraint_table import Table
from reciplint.domain.serving.json_values import JsonFault, Unknown, place_of, read_json
from reciplint.domain.serving.model_facts import Model, gpu_of, least_bytes, model_of

Path = tuple[str | int, ...]


class Reading(NamedTuple):
    """What a setting holds: None where it is not set. `known` is False where something unknown decides; `where` finds
    the place, and is None for what is not written."""

    value: Any = None
    known: bool = True
    where: Callable[[], Place | None] | None = None
    path: Path = ()

    @property
    def place(self) -> Place | None:
        """Where it is written."""
        return self.where() if self.where is not None else None

    @property
    def text(self) -> str:
        """The value as one would write it; "" where it is not set."""
        if self.value is None:
            return ""
        if isinstance(self.value, bool):
            return "true" if self.value else "false"
        if isinstance(self.value, (list, tuple)) and not isinstance(self.value, Version):
            return ", ".join(map(str, self.value))
        return str(self.value)


ABSENT = Reading()
UNKNOWN = Reading(None, False)

_VARIABLE = re.compile(r"\$\{|\$\(")
_CUDA_IMAGE = re.compile(r"vllm/vllm-openai:|[-_]cu(?:da)?1[23]")
_KIMI_PARSERS = ("--tool-call-parser", "--reasoning-parser")


class Process:
    """A process with its settings read on demand; `profile` is the kind of repository. `flags` are those that count, by
    normal name, `env` the variables by name, `names` what is set of either, as the table names it.

    No reading may hold the process itself: a document is let go when it was judged, and no collector runs.
    """

    def __init__(self, config: ServeConfig, deployment: Deployment, table: Table, profile: str) -> None:
        self.config = config
        self.deployment = deployment
        self.profile = profile
        self._table = table
        self._readings: dict[str, Reading] = {}
        self._json: dict[str, Any] = {}
        self.flags: Mapping[str, Flag] = {flag.normal: flag for flag in config.flags if flag.is_sent}
        self.env: Mapping[str, Variable] = {variable.name: variable for variable in config.env}
        self.names = frozenset([*map(table.names.__getitem__, self.flags), *["$" + name for name in self.env]])

    @cached_property
    def served(self) -> str:
        """The name that the model is served as; "" where none is given."""
        flag = self.flags.get("served-model-name")
        return flag.text if flag is not None else ""

    @cached_property
    def model(self) -> Model | None:
        """The family that the model is of, by its name or by a parser that only one family has."""
        if any(self.read(parser).value == "kimi_k3" for parser in _KIMI_PARSERS):
            return model_of("kimi-k3")
        return model_of(self.served, self.config.model)

    @cached_property
    def peers(self) -> tuple[Process, ...]:
        """The other processes of the deployment."""
        others = self.deployment.peers(self.config)
        return tuple(Process(other, self.deployment, self._table, self.profile) for other in others)

    def read(self, setting: str) -> Reading:
        """A setting's value, the engine's default where the table has it."""
        found = self._readings.get(setting)
        if found is None:
            found = self._readings[setting] = self._read(setting)
        return found

    def _read(self, setting: str) -> Reading:
        if setting.startswith("--"):
            found = self._flag(setting[2:])
        elif setting.startswith("$"):
            found = self._variable(setting[1:])
        else:
            return FACTS[setting](self)
        if found is ABSENT and setting in self._table.defaults:
            return Reading(self._table.defaults[setting])
        return found

    def _variable(self, name: str) -> Reading:
        variable = self.env.get(name)
        if variable is None:
            return ABSENT
        text = variable.text
        return Reading(text, "$" not in text or not _VARIABLE.search(text), lambda: _place_of(variable))

    def _flag(self, name: str) -> Reading:
        base, _, inner = name.partition(".")
        if inner and (dotted := self._find(base, "." + inner.replace("_", "-"))) is not None:
            return _of_flag(dotted)  # `--compilation-config.mode 3`
        flag = self._find(base)
        if flag is None:
            return UNKNOWN if self.config.open_ended else ABSENT
        if inner:
            return self._member(flag, tuple(inner.split(".")))
        return Reading(False, True, lambda: flag.place, flag.path) if flag.negated else _of_flag(flag)

    def _find(self, name: str, rest: str = "") -> Flag | None:
        """A flag by any of its spellings, with members after it."""
        flag = self.flags.get(name + rest)
        if flag is None and (others := self._table.spellings.get(f"--{name}")) is not None:
            return next((self.flags[other + rest] for other in others if other + rest in self.flags), None)
        return flag

    def _member(self, flag: Flag, path: tuple[str, ...]) -> Reading:
        value = self.json(flag)
        for name in path:
            if isinstance(value, Unknown):
                return UNKNOWN
            value = value.get(name) if isinstance(value, dict) else None
        if _is_unknown(value):
            return UNKNOWN
        return ABSENT if value is None else Reading(value, True, lambda: place_of(flag, path), flag.path)

    def json(self, flag: Flag) -> Any:
        """What a flag's JSON holds, read once; `Unknown` where it is none, and for what a variable holds."""
        if flag.normal not in self._json:
            self._json[flag.normal] = _json_of(flag)
        return self._json[flag.normal]

    @cached_property
    def transfer(self) -> tuple[Flag | None, Any]:
        """The transfer configuration's flag and what it holds."""
        flag = self.flags.get("kv-transfer-config")
        return flag, self.json(flag) if flag is not None else None

    @cached_property
    def connectors(self) -> tuple[tuple[Path, Mapping[str, Any]], ...]:
        """Each connector with the path to it in the transfer configuration."""
        _, value = self.transfer
        return tuple(_connectors(value, ())) if isinstance(value, dict) else ()

    def place_in_transfer(self, path: Path) -> Place | None:
        """Where a part of the transfer configuration is written."""
        flag, _ = self.transfer
        return None if flag is None else place_of(flag, path)


def _json_of(flag: Flag) -> Any:
    if isinstance(flag.value, (dict, list)):
        return flag.value
    text = flag.text
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        pass
    try:
        return read_json(text).value
    except JsonFault:
        return Unknown(text)


def _is_unknown(value: Any) -> bool:
    """Whether a variable holds a value of JSON, or a part of it."""
    return isinstance(value, Unknown) or (isinstance(value, str) and "$" in value and bool(_VARIABLE.search(value)))


def _is_known(flag: Flag) -> bool:
    return "$" not in flag.text or not any(argument.variables for argument in flag.arguments)


def _of_flag(flag: Flag) -> Reading:
    return Reading(flag.value, _is_known(flag), lambda: flag.value_place, flag.path)


def _place_of(variable: Variable) -> Place:
    return variable.argument.place or variable.place


def _connectors(config: Mapping[str, Any], path: Path) -> list[tuple[Path, Mapping[str, Any]]]:
    inner = config.get("kv_connector_extra_config")
    listed = inner.get("connectors") if isinstance(inner, dict) else None
    if not isinstance(listed, list):
        return [(path, config)]
    found = []
    for number, item in enumerate(listed):
        if isinstance(item, dict):
            found += _connectors(item, (*path, "kv_connector_extra_config", "connectors", number))
    return found


def _written(value: Any, where: Callable[[], Place | None] | None) -> Reading:
    """A fact that follows from a place of the file; unknown where there is no value."""
    return UNKNOWN if value is None else Reading(value, True, where)


def _hardware(process: Process) -> Callable[[], Place | None]:
    config = process.config
    return lambda: config.hardware_place


def _names(process: Process) -> Reading:
    """The connectors' names."""
    flag, value = process.transfer
    if flag is None:
        return ABSENT
    names = [config.get("kv_connector") for _, config in process.connectors]
    if not isinstance(value, dict) or any(not isinstance(name, str) or _is_unknown(name) for name in names):
        return UNKNOWN
    path = (*(process.connectors[0][0] if len(names) == 1 else ()), "kv_connector")
    return Reading(tuple(names), True, lambda: place_of(flag, path), flag.path)


def _kv_roles(process: Process) -> Reading:
    """The connectors' roles."""
    flag, _ = process.transfer
    found = [(path, config["kv_role"]) for path, config in process.connectors if isinstance(config.get("kv_role"), str)]
    if flag is None or not found:
        return ABSENT
    if any(_is_unknown(role) for _, role in found):
        return UNKNOWN
    path = (*found[0][0], "kv_role")
    return Reading(tuple(role for _, role in found), True, lambda: place_of(flag, path), flag.path)


def _of_model(name: str) -> Callable[[Process], Reading]:
    def read(process: Process) -> Reading:
        config = process.config
        return _written(getattr(process.model, name, None), lambda: config.model_place)

    return read


def _of_gpu(name: str) -> Callable[[Process], Reading]:
    return lambda process: _written(getattr(gpu_of(process.config.hardware), name, None), _hardware(process))


def _brand(process: Process) -> Reading:
    """The GPU's maker: by the hardware, else by the image, else by an attention backend of one maker alone, else by
    AITER being on."""
    config = process.config
    gpu = gpu_of(config.hardware)
    if gpu is not None:
        return _written(gpu.brand, _hardware(process))
    image = config.image.lower()
    if "rocm" in image:
        return _written("amd", lambda: config.image_place)
    if _CUDA_IMAGE.search(image):
        return _written("nvidia", lambda: config.image_place)
    backend = process.read("--attention-backend")
    if backend.known and str(backend.value).upper().startswith("ROCM_"):
        return Reading("amd", True, backend.where)
    aiter = process.read("$VLLM_ROCM_USE_AITER")
    return Reading("amd", True, aiter.where) if aiter.value in ("1", "true", "True") else UNKNOWN


def _spans(process: Process) -> Reading:
    """The nodes that one worker spans: its GPUs by those of a node."""
    config, gpu = process.config, gpu_of(process.config.hardware)
    return _written(-(-config.gpus // gpu.per_node) if gpu and config.gpus else None, _hardware(process))


def _version(process: Process) -> Reading:
    """The engine's release, where the image is one of its own project's releases."""
    config = process.config
    return _written(engine_version(config.image, config.engine), lambda: config.image_place)


def _image(process: Process) -> Reading:
    """The image, where the file that is read writes it."""
    config = process.config
    if not config.image or (config.carrier != "recipe" and config.image_place is None):
        return ABSENT
    return UNKNOWN if _VARIABLE.search(config.image) else _written(config.image, lambda: config.image_place)


def _sharing(process: Process) -> Reading:
    """The engines of a deployment that keep their cache in a store that others may read."""
    sharing = [each for each in (process, *process.peers) if _shares(each)]
    return Reading(sum(each.config.workers or 1 for each in sharing))


def _largest_dcp(process: Process) -> Reading:
    """The largest decode context parallel size of a deployment; unknown where one process's is."""
    sizes = [each.read("--decode-context-parallel-size") for each in (process, *process.peers)]
    if not all(size.known for size in sizes):
        return UNKNOWN
    return Reading(max((whole(size.value) or 1 for size in sizes), default=1))


def _shares(process: Process) -> bool:
    names = [str(config.get("kv_connector")).lower() for _, config in process.connectors]
    return any(name == "mooncakestoreconnector" or name.startswith("lmcache") for name in names)


def _checkpoint(process: Process) -> Reading:
    """The GB that the checkpoint has at least."""
    config = process.config
    sizes = (least_bytes(process.model, name) for name in (config.model, process.served))
    size = next((size for size in sizes if size is not None), None)
    return _written(round(size / 1e9) if size is not None else None, lambda: config.model_place)


def _room(process: Process) -> Reading:
    """The GB of GPU memory that one worker may use at most."""
    config, gpu = process.config, gpu_of(process.config.hardware)
    share = process.read("--gpu-memory-utilization")
    if gpu is None or not config.gpus or not share.known:
        return UNKNOWN
    try:
        return _written(int(config.gpus * gpu.most_bytes / 1e9 * float(share.value)), _hardware(process))
    except (TypeError, ValueError, OverflowError):
        return UNKNOWN


FACTS: Mapping[str, Callable[[Process], Reading]] = {
    "engine": lambda process: _written(process.config.engine or None, None),
    "role": lambda process: _written(process.config.role or None, None),
    "carrier": lambda process: Reading(process.config.carrier),
    "profile": lambda process: Reading(process.profile),
    "hardware": lambda process: _written(process.config.hardware or None, _hardware(process)),
    "gpus": lambda process: _written(process.config.gpus or None, None),
    "image": _image,
    "version": _version,
    "model": _of_model("id"),
    "model.context": _of_model("context"),
    "model.hybrid": _of_model("hybrid"),
    "brand": _brand,
    "generation": _of_gpu("generation"),
    "nvlink": _of_gpu("domain"),
    "spans": _spans,
    "connectors": _names,
    "kv-roles": _kv_roles,
    "sharing": _sharing,
    "largest-dcp": _largest_dcp,
    "checkpoint": _checkpoint,
    "room": _room,
}
"""The facts by name: what the process is, where it runs, what is known of its model and GPUs, how its cache travels."""
