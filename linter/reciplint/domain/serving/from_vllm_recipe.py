"""Serve configurations of a vLLM recipe: the commands that its variants come to, by strategy and hardware.

A command is put together of layers, each over the last: the model's arguments, the variant's, the strategy's with the
parallel sizes, the recipe's overrides for the strategy, for the hardware, and the features. Of a flag that stands
twice the last one counts. A strategy's override for a generation replaces the recipe's and the variant's.

Source: the site's own synthesis of commands (vllm-project/recipes, `command-synthesis.js`, August 2026). Left out are
what visitors turn on: opt-in features, offloading of the cache, stores beside a strategy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reciplint.domain.reading import whole
from reciplint.domain.serving.config import (
    Deployment,
    Places,
    Program,
    Selector,
    ServeConfig,
    Spelled,
    Value,
    Variable,
    symbolic,
)
from reciplint.domain.serving.from_command import made_flags
from reciplint.domain.serving.vllm_choices import (
    Choice,
    choices,
    default_features,
    is_omni,
    pool_mode,
    runs_on,
    single_node_tp,
)
from reciplint.domain.serving.vllm_images import image_of
from reciplint.domain.serving.vllm_sheets import Hardware, Library, Sheet

_RACK_ONLY = ("VLLM_USE_NCCL_SYMM_MEM", "NCCL_CUMEM_ENABLE", "NCCL_MNNVL_ENABLE", "NCCL_NVLS_ENABLE", "UCX_NET_DEVICES")
_RACKS = ("gb200", "gb300")


def read_vllm_recipe_deployments(recipe: Sheet, library: Library) -> Iterator[Deployment]:
    """What a recipe offers, each choice as a deployment whose selectors are `variant`, `strategy` and `hardware`."""
    if is_omni(recipe):
        yield from _omni(recipe, library)
        return
    for choice in choices(recipe, library):
        yield rendered(recipe, library, choice)


def rendered(recipe: Sheet, library: Library, choice: Choice) -> Deployment:
    """One choice: a single engine, the head and followers of one over several nodes, or two pools with a router."""
    kind = library.strategies[choice.strategy].at("deploy_type")
    if kind == "pd_cluster":
        pools = [_Layers(recipe, library, choice, role).process() for role in ("prefill", "decode")]
        return Deployment((_router(recipe, library, choice), *pools))
    ranks = range(choice.nodes if kind == "multi_node" else 1)
    return Deployment(tuple(_Layers(recipe, library, choice, "", rank).process() for rank in ranks))


class _Layers:
    """The layers of one process. `role` is "prefill" or "decode" in pools, else ""; `rank` the node's."""

    def __init__(self, recipe: Sheet, library: Library, choice: Choice, role: str, rank: int = 0) -> None:
        self._recipe = recipe
        self._library = library
        self._choice = choice
        self._role = role
        self._rank = rank
        self._strategy = library.strategies[choice.strategy]
        self._hardware = choice.hardware
        self._variant = ("variants", choice.variant)
        self._override = ("strategy_overrides", choice.strategy)

    def process(self) -> ServeConfig:
        """The process as its layers make it."""
        recipe, choice, hardware = self._recipe, self._choice, self._hardware
        model = (*self._variant, "model_id") if recipe.text(*self._variant, "model_id") else ("model", "model_id")
        image, image_place = image_of(recipe, choice.variant, hardware)
        node = (Selector("node", str(self._rank)),) if self._rank else ()
        words = deduplicated(list(self._arguments()))
        nodes = choice.pools[self._role == "decode"] if self._role else choice.nodes
        return ServeConfig(
            engine="vllm",
            role=self._role or "agg",
            carrier="vllm-recipe",
            program=Program(("vllm", "serve")),
            selectors=(*_selectors(choice), *node),
            written=Places(
                recipe.key_place(*self._variant),
                recipe.place(*model),
                image_place,
                recipe.key_place("meta", "hardware", hardware.id),
            ),
            model=recipe.text(*model),
            image=image,
            hardware=hardware.id,
            workers=1,
            nodes=max(nodes, 1),
            gpus=hardware.gpus // 2 if self._role and not nodes else hardware.gpus * max(nodes, 1),
            flags=tuple(made_flags(words)),
            env=tuple(self._variables().values()),
        )

    def _arguments(self) -> Iterator[Value]:
        recipe, hardware, role = self._recipe, self._hardware, self._role
        yield from recipe.arguments("model", "base_args")
        yield from recipe.arguments(*self._variant, "extra_args")
        yield from recipe.arguments(*self._variant, "hardware_overrides", hardware.id, "extra_args")
        yield from self._strategy.arguments(*filter(None, (role,)), "vllm_args")
        yield from self._parallel()
        own = (*self._override, *filter(None, (role,)))
        for name in ("extra_args", "vllm_args"):
            yield from recipe.arguments(*own, name)
        for path in self._of_hardware():
            yield from recipe.arguments(*path, "extra_args")
        for feature in default_features(recipe, self._choice.variant, hardware):
            yield from self._feature(feature)

    def _of_hardware(self) -> Iterator[tuple[str, ...]]:
        """The paths of the overrides that hold for the hardware."""
        recipe, hardware = self._recipe, self._hardware
        by_strategy = (*self._override, "hardware_overrides")
        family = hardware.family(recipe.mapping(*by_strategy))
        if family:
            yield (*by_strategy, family)
        else:
            for holder in ((), self._variant):
                family = hardware.family(recipe.mapping(*holder, "hardware_overrides"))
                if family:
                    yield (*holder, "hardware_overrides", family)
        yield (*by_strategy, hardware.id)
        if self._role:
            yield (*self._override, self._role, "hardware_overrides", hardware.id)

    def _feature(self, name: str) -> Iterator[Value]:
        recipe, hardware = self._recipe, self._hardware
        feature = recipe.mapping("features", name)
        allowed = recipe.texts("features", name, "strategies")
        if allowed and self._choice.strategy not in allowed:
            return
        path: tuple[str, ...] = ("features", name)
        if isinstance(feature.get("modes"), dict):
            mode = self._mode(name, feature)
            if not mode:
                return
            path = (*path, "modes", mode)
            keyed = recipe.mapping(*path, "hardware_overrides")
            keys = (hardware.id, hardware.generation, hardware.brand.lower(), "default")
            family = next((key for key in keys if keyed.get(key) is not None), "")
        else:
            family = hardware.family(recipe.mapping(*path, "hardware_overrides"))
        of_hardware = (*path, "hardware_overrides", family, "args")
        yield from recipe.arguments(
            *(of_hardware if family and recipe.at(*of_hardware) is not None else (*path, "args"))
        )

    def _mode(self, name: str, feature: dict[str, Any]) -> str:
        """The mode of a feature that is on: the variant's, the feature's default, else the first that is allowed."""
        variant, hardware = self._choice.variant, self._hardware
        allowed = []
        for key, mode in feature["modes"].items():
            gate = mode.get("hardware") if isinstance(mode, dict) else None
            gates = [gate.get(hardware.generation), gate.get(hardware.id)] if isinstance(gate, dict) else []
            variants = mode.get("variants") if isinstance(mode, dict) else None
            if "unsupported" not in gates and (not isinstance(variants, list) or not variants or variant in variants):
                allowed.append(key)
        wanted = (self._recipe.at(*self._variant, "default_modes", name), feature.get("default_mode"), *allowed)
        return next((str(key) for key in wanted if key in allowed), "")

    def _parallel(self) -> Iterator[Value]:
        """The parallel sizes, and how the nodes of one engine find one another."""
        hardware, nodes, rank = self._hardware, self._choice.nodes, self._rank
        kind = self._strategy.at("deploy_type")
        flag = self._strategy.text("parallel_flag") or "--tensor-parallel-size"
        layout = self._strategy.at("parallelism")
        total = hardware.gpus * nodes
        if kind == "pd_cluster":
            yield from self._pool()
        elif kind != "multi_node" or nodes < 2:
            size = single_node_tp(self._recipe, self._choice.variant, self._choice.strategy, hardware)
            yield from self._made(flag, size)
        elif flag == "--data-parallel-size":
            local = self._local_ranks()
            yield from self._made(flag, total, "--data-parallel-size-local", hardware.gpus)
            yield from self._made("--data-parallel-address", "$HEAD_IP")
            if rank:
                yield from self._made("--data-parallel-start-rank", rank * local)
        elif layout == "tp_dp":
            yield from self._made("--tensor-parallel-size", hardware.gpus, "--data-parallel-size", nodes)
            yield from self._made("--data-parallel-size-local", 1, "--data-parallel-address", "$HEAD_IP")
            if rank:
                yield from self._made("--data-parallel-start-rank", rank)
        elif layout == "tp_pp":
            yield from self._made("--tensor-parallel-size", hardware.gpus, "--pipeline-parallel-size", nodes)
            yield from self._rendezvous(nodes, rank, "$HEAD_IP")
        else:
            yield from self._made("--tensor-parallel-size", total)
            yield from self._rendezvous(nodes, rank, "$HEAD_IP")

    def _local_ranks(self) -> int:
        """The ranks of a node, which the recipe may set itself."""
        recipe, hardware = self._recipe, self._hardware
        by_hardware = (*self._override, "hardware_overrides")
        family = hardware.family(recipe.mapping(*by_hardware))
        paths: list[tuple[str, ...]] = [(*self._override, "vllm_args"), (*self._override, "extra_args")]
        paths += [(*by_hardware, key, "extra_args") for key in (family, hardware.id) if key]
        words = [value.text for place in paths for value in recipe.arguments(*place)]
        for name, value in zip(reversed(words[:-1]), reversed(words[1:]), strict=True):
            if name == "--data-parallel-size-local":
                return hardware.gpus if (number := whole(value)) is None else number
        return hardware.gpus

    def _pool(self) -> Iterator[Value]:
        role, hardware = self._role, self._hardware
        nodes = self._choice.pools[role == "decode"]
        head = f"${role.upper()}_NODE_1"
        recipe, own, strategy = self._recipe, (*self._override, role), self._strategy
        mode = pool_mode(self._recipe, self._library, role)
        if mode == "dep":
            explicit = recipe.size(*own, "tp") or strategy.size(role, "tp")
            local = max(1, hardware.gpus // (explicit or 1))
            if explicit is not None:
                yield from self._made("--tensor-parallel-size", explicit)
            yield from self._made("--data-parallel-size", max(1, nodes) * local, "--data-parallel-size-local", local)
            yield from self._made("--data-parallel-start-rank", 0, "--data-parallel-address", head)
            yield from self._made("--data-parallel-rpc-port", f"${role.upper()}_DP_RPC_PORT")
            if nodes > 1:
                yield from self._made("--data-parallel-hybrid-lb")
            yield from self._made("--enable-expert-parallel")
            return
        size = hardware.gpus * nodes if nodes else hardware.gpus // 2
        flag = (
            recipe.text(*own, "parallel_flag") or strategy.text(role, "parallel_flag") or strategy.text("parallel_flag")
        )
        yield from self._made(flag or "--tensor-parallel-size", max(1, size))
        if mode == "tep":
            yield from self._made("--enable-expert-parallel")
        if nodes > 1:
            yield from self._rendezvous(nodes, 0, head)

    def _rendezvous(self, nodes: int, rank: int, head: str) -> Iterator[Value]:
        yield from self._made("--nnodes", nodes, "--node-rank", rank, "--master-addr", head)
        if rank:
            yield from self._made("--headless")

    def _made(self, *words: object) -> Iterator[Value]:
        """Arguments that the site makes; they are written nowhere, and stand for the strategy's name."""
        place = self._strategy.place("parallel_flag") or self._strategy.key_place("name")
        for word in words:
            yield symbolic(str(word), place)

    def _variables(self) -> dict[str, Variable]:
        recipe, strategy, role, hardware = self._recipe, self._strategy, self._role, self._hardware
        found = {**recipe.variables("model", "base_env"), **recipe.variables(*self._variant, "extra_env")}
        found |= recipe.variables(*self._variant, "hardware_overrides", hardware.id, "extra_env")
        found |= strategy.variables(*filter(None, (role,)), "env")
        if role:
            found |= self._devices()
        found |= recipe.variables(*self._override, "env")
        found |= recipe.variables(*self._override, *((role, "env") if role else ("extra_env",)))
        for path in self._of_hardware():
            found |= recipe.variables(*path, "extra_env")
        if role and hardware.id not in _RACKS:
            found = {name: variable for name, variable in found.items() if name not in _RACK_ONLY}
        return found

    def _devices(self) -> dict[str, Variable]:
        """The GPUs of a pool's node: all of them, or one half where both pools share it."""
        gpus, nodes = self._hardware.gpus, self._choice.pools[self._role == "decode"]
        half = gpus // 2
        span = range(gpus) if nodes else range(half) if self._role == "prefill" else range(half, gpus)
        made = {"CUDA_VISIBLE_DEVICES": ",".join(map(str, span))} if nodes or half else {}
        if nodes > 1:
            made |= dict.fromkeys(("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"), "$IFACE_NAME")
        return {name: self._made_variable(name, text) for name, text in made.items()}

    def _made_variable(self, name: str, text: str) -> Variable:
        value = next(self._made(text))
        return Variable(name, value.text, Spelled(value.pieces[0].place, (value,)))


def deduplicated(words: list[Value]) -> list[Value]:
    """Arguments with the last of each flag alone, as the site leaves them: a flag and the one value after it go."""
    units: list[tuple[str, list[Value]]] = []
    index = 0
    while index < len(words):
        text = words[index].text
        size = 1
        if text.startswith("-") and index + 1 < len(words) and not words[index + 1].text.startswith("-"):
            size = 2
        units.append((text if text.startswith("-") else "", words[index : index + size]))
        index += size
    last = {flag: number for number, (flag, _) in enumerate(units)}
    return [word for number, (flag, unit) in enumerate(units) if not flag or last[flag] == number for word in unit]


def _selectors(choice: Choice) -> tuple[Selector, ...]:
    named = (("variant", choice.variant), ("strategy", choice.strategy), ("hardware", choice.hardware.id))
    return tuple(Selector(name, value) for name, value in named)


def _router(recipe: Sheet, library: Library, choice: Choice) -> ServeConfig:
    """The router before two pools: an endpoint for each node of data-parallel ranks, one for any other pool."""
    strategy = library.strategies[choice.strategy]
    place = strategy.key_place("router")
    words = ["--policy", strategy.text("router", "policy") or "round_robin", "--vllm-pd-disaggregation"]
    local = 1
    for role, nodes, port in (("prefill", choice.pools[0], 8001), ("decode", choice.pools[1], 8002)):
        is_dep = pool_mode(recipe, library, role) == "dep"
        for number in range(max(1, nodes) if is_dep else 1):
            words += [f"--{role}", f"http://${role.upper()}_NODE_{number + 1}:{port}"]
        tp = recipe.size("strategy_overrides", choice.strategy, role, "tp") or strategy.size(role, "tp") or 1
        local = max(local, choice.hardware.gpus // tp if is_dep else 0)
    own = recipe.at("strategy_overrides", choice.strategy, "router", "intra_node_data_parallel_size")
    words += ["--host", "$ROUTER_HOST", "--port", "$ROUTER_PORT"]
    words += ["--intra-node-data-parallel-size", str(own if own is not None else local)]
    return ServeConfig(
        engine="vllm-router",
        role="router",
        carrier="vllm-recipe",
        program=Program(("vllm-router",)),
        selectors=_selectors(choice),
        written=Places(recipe.key_place("variants", choice.variant)),
        hardware=choice.hardware.id,
        flags=tuple(made_flags([symbolic(word, place) for word in words])),
    )


def _omni(recipe: Sheet, library: Library) -> Iterator[Deployment]:
    """The commands of a recipe for vllm-omni: one for each variant, kind of hardware and task, by no strategy."""
    tasks = recipe.at("omni", "tasks")
    numbers = range(len(tasks)) if isinstance(tasks, list) and tasks else (-1,)
    for variant in recipe.mapping("variants"):
        for hardware in library.hardware():
            if runs_on(recipe, variant, hardware):
                for number in numbers:
                    yield Deployment((_omni_process(recipe, variant, hardware, number),))


def _omni_process(recipe: Sheet, variant: str, hardware: Hardware, number: int) -> ServeConfig:
    task: tuple[str | int, ...] = ("omni", "tasks", number)
    own = ("variants", variant)
    of_task = (*task, "hardware_overrides", hardware.id)
    layers: list[tuple[str | int, ...]] = [("model", "base_args")]
    environment: list[tuple[str | int, ...]] = [("model", "base_env")]
    if variant != "default":
        layers.append((*own, "extra_args"))
        environment.append((*own, "extra_env"))
    layers += [(*task, "extra_args"), (*of_task, "extra_args")]
    for holder in ((), own):
        overrides = (*holder, "hardware_overrides")
        family = hardware.family(recipe.mapping(*overrides))
        layers.append((*overrides, family, "extra_args"))
        environment.append((*overrides, family, "extra_env"))
    layers.append((*own, "hardware_overrides", hardware.id, "extra_args"))
    environment.append((*own, "hardware_overrides", hardware.id, "extra_env"))
    words = [word for path in layers for word in recipe.arguments(*path)]
    place = recipe.key_place("omni")
    port = recipe.at("omni", "port")
    words += [symbolic(str(text), place) for text in (*(("--port", port) if port else ()), "--omni")]
    env = {name: found for path in environment for name, found in recipe.variables(*path).items()}
    models = ((*of_task, "model_id"), (*task, "model_id"), (*own, "model_id"), ("model", "model_id"))
    model = next((path for path in models if recipe.text(*path)), models[-1])
    image, image_place = image_of(recipe, variant, hardware)
    name = recipe.at(*task)
    task_id = name if isinstance(name, str) else recipe.text(*task, "id")
    chosen = (("variant", variant), ("hardware", hardware.id), ("task", task_id))
    return ServeConfig(
        engine="vllm-omni",
        role="agg",
        carrier="vllm-recipe",
        program=Program(tuple((recipe.text("omni", "serve_binary") or "vllm serve").split())),
        selectors=tuple(Selector(name, value) for name, value in chosen if value),
        written=Places(
            recipe.key_place(*own),
            recipe.place(*model),
            image_place,
            recipe.key_place("meta", "hardware", hardware.id),
        ),
        model=recipe.text(*model),
        image=image,
        hardware=hardware.id,
        workers=1,
        nodes=1,
        gpus=hardware.gpus,
        flags=tuple(made_flags(deduplicated(words))),
        env=tuple(env.values()),
    )
