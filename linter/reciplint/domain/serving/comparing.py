"""A key's serve configurations beside those that a published recipe comes to: what matches, what differs.

Model, engine, hardware, parallel sizes, quantisation, the cache's type and the kernels decide what is served and how
fast: differences in them are major. Everything else that either side sets belongs to the harness or the workload, and
is minor; so is a precision that the two call by different names of one and the same model. What one side leaves to the
engine counts as the engine's own choice, not as equal to what the other sets.

A key's row is compared with the nearest of the commands that the recipe offers, an engine of several nodes being given
the nodes that the row has.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from reciplint.domain.serving.config import Deployment, ServeConfig
from reciplint.domain.serving.from_vllm_recipe import rendered
from reciplint.domain.serving.json_values import json_mapping
from reciplint.domain.serving.vllm_choices import Choice, runs_on, sized, strategies_on
from reciplint.domain.serving.vllm_sheets import Hardware, Library, Sheet
from reciplint.domain.topology import read_topology

UNSET = "engine's choice"
"""What is said where a side sets nothing."""

ALIASES = {
    "tp": "tensor-parallel-size",
    "pp": "pipeline-parallel-size",
    "dp": "data-parallel-size",
    "dcp": "decode-context-parallel-size",
    "pcp": "prefill-context-parallel-size",
    "ep": "enable-expert-parallel",
    "q": "quantization",
    "cc": "compilation-config",
    "O": "optimization-level",
}
"""vLLM's short flags."""

_SIZES = ("tp", "pp", "dp", "ep", "dcp", "pcp")
_SIZE_FLAGS = frozenset(
    f"{kind}-parallel-size" for kind in ("tensor", "pipeline", "data", "decode-context", "prefill-context", "expert")
) | {"enable-expert-parallel"}
_NO_KERNELS = frozenset(
    f"{name}-backend"
    for name in (
        "distributed-executor",
        "data-parallel",
        "guided-decoding",
        "structured-outputs",
        "grammar",
        "sampling",
    )
) | {"disaggregation-transfer-backend", "hicache-storage-backend", "kv-offloading-backend"}
"""Flags that end like those of kernels and choose something else."""

_KERNEL_CONFIGS = ("attention-config", "kernel-config")
_FLAGS_OF_CONFIGS = {
    "attention-config.backend": "attention-backend",
    "kernel-config.moe_backend": "moe-backend",
    "kernel-config.linear_backend": "linear-backend",
}
"""Parts of a JSON flag that have a flag of their own too."""

_KERNEL_VARIABLES = (
    "VLLM_ROCM_USE_",
    "VLLM_USE_FLASHINFER",
    "VLLM_USE_DEEP_GEMM",
    "VLLM_USE_TRTLLM",
    "VLLM_FLASHINFER_",
    "VLLM_ALLREDUCE_USE_FLASHINFER",
    "VLLM_ATTENTION_BACKEND",
    "VLLM_ALL2ALL_BACKEND",
    "VLLM_MOE_",
    "AITER_",
)
_LAUNCHER = frozenset(
    {"host", "port", "served-model-name", "nnodes", "node-rank", "master-addr", "headless", "data-parallel-address"}
    | {"data-parallel-rpc-port", "data-parallel-start-rank", "data-parallel-size-local", "data-parallel-hybrid-lb"}
    | {"model", "model-path", "disaggregation-mode"}
)
"""What a launcher fills in for the place where a process runs."""

_CLASSES = {"nvfp4": "fp4", "mxfp4": "fp4", "mxfp8": "fp8", "fp8_block": "fp8"}
"""Precisions that keys call by their width."""

_CACHE_TYPES = {"fp8_e4m3": "fp8"}
"""What a type of the cache is called as well: vLLM's help has `fp8 (=fp8_e4m3)`."""


class Subject(NamedTuple):
    """A key: what it says of model, engine and precision, and the deployments of its rows."""

    model: str
    framework: str
    precision: str
    deployments: tuple[Deployment, ...]


class Line(NamedTuple):
    """One setting of a role ("" for all) on both sides, and in how many of the key's deployments it stands so."""

    role: str
    setting: str
    key: str
    recipe: str
    matches: bool
    is_major: bool
    rows: int = 1


class Comparison(NamedTuple):
    """Every line, and the choices (variant, strategy, hardware, nodes) that the deployments were compared with."""

    lines: tuple[Line, ...]
    choices: tuple[str, ...]
    deployments: int

    @property
    def major(self) -> tuple[Line, ...]:
        """The lines of what decides."""
        return tuple(line for line in self.lines if line.is_major)

    @property
    def minor(self) -> tuple[Line, ...]:
        """The lines of the harness, of which only differences are kept."""
        return tuple(line for line in self.lines if not line.is_major)

    @property
    def differs(self) -> bool:
        """Whether a major setting differs."""
        return any(not line.matches for line in self.major)


def compare(subject: Subject, recipe: Sheet, library: Library) -> Comparison:
    """A key beside a vLLM recipe."""
    counted: dict[Line, int] = {}
    chosen: dict[str, None] = {}
    served = [deployment for deployment in map(_without_router, subject.deployments) if deployment.processes]
    for deployment in served:
        name, lines = _nearest(subject, deployment, recipe, library)
        chosen[name] = None
        for line in dict.fromkeys(lines):
            counted[line] = counted.get(line, 0) + 1
    lines = [line._replace(rows=count) for line, count in counted.items()]
    first = {(line.role, line.setting): number for number, line in reversed(list(enumerate(lines)))}
    lines.sort(key=lambda line: (not line.is_major, bool(line.role), line.role, first[line.role, line.setting]))
    return Comparison(tuple(lines), tuple(name for name in chosen if name), len(served))


def _without_router(deployment: Deployment) -> Deployment:
    """What loads the model: a router stands before engines of either side and is none itself."""
    return Deployment(tuple(process for process in deployment.processes if process.role != "router"))


def _nearest(subject: Subject, deployment: Deployment, recipe: Sheet, library: Library) -> tuple[str, list[Line]]:
    """The choice of the same layout, if there is one, with the fewest major differences; what it comes to beside the
    deployment."""
    best: tuple[tuple[int, ...], str, list[Line]] | None = None
    for choice in _candidates(subject, deployment, recipe, library):
        published = rendered(recipe, library, choice)
        lines = list(_lines(subject, deployment, published, recipe, choice))
        differing = [line for line in lines if not line.matches]
        major = sum(line.is_major for line in differing)
        score = (sum(line.setting == "layout" for line in differing), major, len(differing) - major)
        if best is None or score < best[0]:
            best = score, _named(choice), lines
    if best is None:
        return "", [Line("", "hardware", _hardware(deployment), "runs on none that the recipe names", False, True)]
    return best[1], best[2]


def _candidates(subject: Subject, deployment: Deployment, recipe: Sheet, library: Library) -> Iterator[Choice]:
    """The choices on the deployment's hardware, else on any; by the variants of its model if there are any."""
    wanted = _hardware(deployment)
    profiles = list(library.hardware())
    same = [profile for profile in profiles if profile.id == wanted]
    variants = list(recipe.mapping("variants"))
    model = recipe.text("model", "model_id")
    exact = [
        name for name in variants if _same_model(recipe.text("variants", name, "model_id") or model, subject.model)
    ]
    for group in (same, profiles):
        found = [
            choice
            for profile in group
            for name in exact or variants
            if runs_on(recipe, name, profile)
            for strategy in strategies_on(recipe, library, profile)
            if (choice := sized(recipe, library, name, strategy, profile)) is not None
        ]
        if found:
            yield from dict.fromkeys(fitted for choice in found for fitted in _fitted(choice, deployment, library))
            return


def _fitted(choice: Choice, deployment: Deployment, library: Library) -> Iterator[Choice]:
    """A choice with the nodes that the deployment's engines take, where the choice leaves them open; pools that share a
    node also as they are."""
    kind = library.strategies[choice.strategy].at("deploy_type")
    if kind == "pd_cluster":
        pools = [_nodes(deployment, role, choice.hardware) for role in ("prefill", "decode")]
        yield choice._replace(pools=(pools[0] or choice.pools[0], pools[1] or choice.pools[1]))
        if not any(choice.pools):
            yield choice
    elif kind == "multi_node":
        yield choice._replace(nodes=max(2, _nodes(deployment, "agg", choice.hardware) or choice.nodes))
    else:
        yield choice


def _nodes(deployment: Deployment, role: str, hardware: Hardware) -> int:
    processes = deployment.of_role(role)
    return math.ceil((processes[0].gpus or 0) / hardware.gpus) if processes else 0


def _named(choice: Choice) -> str:
    nodes = f", {choice.nodes} nodes" if choice.nodes > 1 else ""
    pools = f", {choice.pools[0]} + {choice.pools[1]} nodes" if any(choice.pools) else ""
    return f"{choice.variant}, {choice.strategy}, {choice.hardware.id}{nodes}{pools}"


def _hardware(deployment: Deployment) -> str:
    return next((process.hardware for process in deployment.processes if process.hardware), "")


def _same_model(left: str, right: str) -> bool:
    return left.lower() == right.lower()


def _lines(
    subject: Subject, deployment: Deployment, published: Deployment, recipe: Sheet, choice: Choice
) -> Iterator[Line]:
    heads = {process.role: process for process in reversed(_without_router(published).processes)}
    model = next((process.model for process in heads.values()), "")
    is_same_model = _same_model(subject.model, model)
    yield Line("", "model", subject.model, model, is_same_model, True)
    engines = {process.engine for process in deployment.processes}
    yield Line("", "engine", ", ".join(sorted(engines)), "vllm", engines == {"vllm"}, True)
    hardware = _hardware(deployment)
    yield Line("", "hardware", hardware, choice.hardware.id, hardware == choice.hardware.id, True)
    precision = str(recipe.at("variants", choice.variant, "precision") or "")
    is_same = _same_precision(subject.precision, precision)
    yield Line("", "precision", subject.precision, precision, is_same, is_same or not is_same_model)
    own = {process.role: process for process in deployment.processes}
    layout = [" + ".join(sorted(roles, reverse=True)) for roles in (own, heads)]
    yield Line("", "layout", layout[0], layout[1], own.keys() == heads.keys(), True)
    for role, process in own.items():
        beside = heads.get(role) or next(iter(heads.values()))
        yield from _of_role(role, process, beside)


def _same_precision(left: str, right: str) -> bool:
    return _CLASSES.get(left, left) == _CLASSES.get(right, right)


def _of_role(role: str, left: ServeConfig, right: ServeConfig) -> Iterator[Line]:
    settings = [_settings(process) for process in (left, right)]
    sizes = [_sizes(process.engine, values) for process, values in zip((left, right), settings, strict=True)]
    for size in _SIZES:
        if sizes[0][size] != 1 or sizes[1][size] != 1:
            yield _line(role, size, sizes[0][size], sizes[1][size], True)
    decisive = [_decisive(values) for values in settings]
    for name in _union(decisive):
        line = _line(role, name, decisive[0].get(name), decisive[1].get(name), True)
        if name == "kv-cache-dtype":
            line = line._replace(matches=_cache_type(line.key) == _cache_type(line.recipe))
        yield line
    for name in sorted(_union(settings)):
        if name in _SIZE_FLAGS or name in _LAUNCHER or name in decisive[0] or name in decisive[1] or _is_backend(name):
            continue
        left_value, right_value = (_without_kernels(name, values.get(name)) for values in settings)
        line = _line(role, name, left_value, right_value, False)
        if not line.matches:
            yield line
    variables = [
        {variable.name: variable.text for variable in process.env if variable.name != "CUDA_VISIBLE_DEVICES"}
        for process in (left, right)
    ]
    for name in sorted(_union(variables)):
        line = _line(role, name, variables[0].get(name), variables[1].get(name), name.startswith(_KERNEL_VARIABLES))
        if line.is_major or not line.matches:
            yield line


def _settings(process: ServeConfig) -> dict[str, Any]:
    """The flags by their long names; JSON, and a part of it given by a dotted flag, as what it holds."""
    found: dict[str, Any] = {}
    for flag in process.flags:
        if not flag.is_sent:
            continue
        name, dot, part = flag.normal.partition(".")
        name = ALIASES.get(name, name)
        value = {part: flag.value} if dot else json_mapping(flag) or (False if flag.negated else flag.value)
        if isinstance(value, dict):
            before = found.get(name)
            own = {key.replace("-", "_"): inner for key, inner in value.items()}
            value = {**before, **own} if dot and isinstance(before, dict) else own
        found[name] = value
    return found


def _sizes(engine: str, values: dict[str, Any]) -> dict[str, int]:
    topology = read_topology(engine if engine != "vllm-omni" else "vllm", values)
    return {size: getattr(topology, size) for size in _SIZES}


def _decisive(values: dict[str, Any]) -> dict[str, Any]:
    """Quantisation, the cache's type and the kernels, where they are set to anything but `auto`."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name in _KERNEL_CONFIGS and isinstance(value, dict):
            for part, inner in value.items():
                if _is_backend(part):
                    path = f"{name}.{part}"
                    found[_FLAGS_OF_CONFIGS.get(path, path)] = inner
        elif name in ("quantization", "kv-cache-dtype") or _is_backend(name):
            found[name] = value
    return {name: value for name, value in found.items() if str(value).lower() not in ("auto", "none")}


def _cache_type(shown: str) -> str:
    return _CACHE_TYPES.get(shown.lower(), shown.lower())


def _is_backend(name: str) -> bool:
    return name.replace("_", "-").endswith("backend") and name not in _NO_KERNELS


def _without_kernels(name: str, value: Any) -> Any:
    """A JSON setting without the parts that are compared by themselves."""
    if not isinstance(value, dict) or name not in _KERNEL_CONFIGS:
        return value
    return {part: inner for part, inner in value.items() if not _is_backend(part)} or None


def _union(sides: Iterable[dict[str, Any]]) -> dict[str, None]:
    return {name: None for side in sides for name in side}


def _line(role: str, setting: str, left: Any, right: Any, is_major: bool) -> Line:
    return Line(role, setting, _shown(left), _shown(right), _canonical(left) == _canonical(right), is_major)


def _shown(value: Any) -> str:
    if value is None:
        return UNSET
    if isinstance(value, bool):
        return "on" if value else "off"
    return json.dumps(value, default=str) if isinstance(value, (dict, list)) else str(value)


def _canonical(value: Any) -> str:
    """A value for comparing: numbers and switches by their value, names without case."""
    if isinstance(value, dict):
        return json.dumps({key: _canonical(inner) for key, inner in sorted(value.items())})
    if isinstance(value, list):
        return json.dumps([_canonical(inner) for inner in value])
    text = "unset" if value is None else str(value).strip().lower()
    try:
        return repr(float(text))
    except ValueError:
        return text
