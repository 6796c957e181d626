"""One row and the recipe that it runs, made of the same facts, for rules that compare the two.

`random_scene(chance)` is right in every number: an engine, a schema, a layout, a shape. Tests then break one value of
`entry` or `recipe` (both plain values, written as YAML by `files`) and look for the finding at `line_of` it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import yaml

from support import CHANGELOG, MASTER, RECIPES, RUNNERS, runners

KEY = "finch-fp4-gb300-dynamo"
RECIPE = f"{RECIPES}/finch/disagg.yaml"
_LIMIT = {"vllm": "max-num-seqs", "sglang": "max-running-requests", "trtllm": "max_batch_size"}

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Role:
    """A role and the parallel sizes of one of its workers; `dp` over 1 is attention data parallelism."""

    name: str
    workers: int = 1
    tp: int = 4
    pp: int = 1
    dp: int = 1
    dcp: int = 1
    expert: bool = False
    limit: int | None = None

    def gpus(self, engine: str) -> int:
        """GPUs of one worker."""
        return self.tp * self.pp * (self.dp if engine == "vllm" else 1)

    def flags(self, engine: str) -> dict[str, Any]:
        """What the engine is told."""
        if engine == "trtllm":
            flags: dict[str, Any] = {"tensor_parallel_size": self.tp, "pipeline_parallel_size": self.pp}
            flags |= {"moe_expert_parallel_size": self.tp if self.expert else 1, "enable_attention_dp": self.dp > 1}
        else:
            flags = {"tensor-parallel-size": self.tp}
            if self.pp > 1:
                flags["pipeline-parallel-size"] = self.pp
            if self.dp > 1:
                flags["data-parallel-size"] = self.dp
            if engine == "sglang":
                flags |= {"enable-dp-attention": self.dp > 1, "ep-size": self.tp if self.expert else 1}
            else:
                flags |= {"enable-expert-parallel": self.expert, "decode-context-parallel-size": self.dcp}
        return flags | ({} if self.limit is None else {_LIMIT[engine]: self.limit})

    def block(self, engine: str) -> dict[str, Any]:
        """How a row states it."""
        ranks = self.dp if engine == "vllm" else 1
        block = {
            "num-worker": self.workers,
            "tp": self.tp * ranks,
            "ep": self.tp * ranks if self.expert else 1,
            "dp-attn": self.dp > 1,
        }
        block |= {"pp": self.pp} if self.pp > 1 else {}
        return block | ({"dcp-size": self.dcp} if self.dcp > 1 else {})


@dataclass
class Scene:
    """A project of one key with one row and one recipe. `entry` is the key's value, `recipe` the recipe's."""

    engine: str
    schema: int
    era: str
    roles: tuple[Role, ...]
    concurrencies: tuple[int, ...] = (8, 32)
    agentic: bool = False
    gpu_type: str = "gb300"
    per_node: int = 4
    entry: dict[str, Any] = field(init=False)
    recipe: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.entry = self._entry()
        self.recipe = self._recipe()

    @property
    def row(self) -> dict[str, Any]:
        """The one row."""
        row: dict[str, Any] = self._scenario["search-space"][0]
        return row

    @property
    def _scenario(self) -> dict[str, Any]:
        (listed,) = self.entry["scenarios"].values()
        scenario: dict[str, Any] = listed[0]
        return scenario

    def row_path(self, *rest: str | int) -> Path:
        """The path of the row, or of something in it, in the master config."""
        kind = "agentic-coding" if self.agentic else "fixed-seq-len"
        return (KEY, "scenarios", kind, 0, "search-space", 0, *rest)

    def block(self, role: str) -> str:
        """The key of a role's worker block."""
        return ("worker" if self.era == "C" else "prefill") if role == "agg" else role

    def resource(self, role: str, what: str) -> tuple[str, ...]:
        """The path of a role's `nodes`, `workers` or `gpus` in the recipe."""
        if self.schema == 2:
            return ("roles", role, what)
        return ("resources", f"gpus_per_{role}" if what == "gpus" else f"{role}_{what}")

    def flag(self, role: str, name: str) -> tuple[str, ...]:
        """The path of a role's flag in the recipe."""
        if self.schema == 2:
            return ("roles", role, "args", name)
        return ("backend", f"{self.engine}_config", "aggregated" if role == "agg" else role, name)

    def limit(self, role: str) -> tuple[str, ...]:
        """The path of a role's limit of running requests in the recipe."""
        return self.flag(role, _LIMIT[self.engine])

    def texts(self) -> tuple[str, str]:
        """The master config and the recipe."""
        return dumped({KEY: self.entry}), dumped(self.recipe)

    def files(self, master: str = "", recipe: str = "") -> dict[str, str]:
        """The project, with other texts for its two files if given."""
        own = self.texts()
        return {
            MASTER: master or own[0],
            RECIPE: recipe or own[1],
            RUNNERS: runners("gb300"),
            CHANGELOG: "[]\n",
        }

    def _entry(self) -> dict[str, Any]:
        row: dict[str, Any] = {"conc-list": list(self.concurrencies)}
        for role in self.roles:
            row[self.block(role.name)] = role.block(self.engine)
        is_aggregated = self.roles[0].name == "agg"
        if self.era == "A":
            row["prefill"]["additional-settings"] = ["CONFIG_FILE=recipes/finch/disagg.yaml"]
            if is_aggregated:
                row["decode"] = {"num-worker": 0, "tp": 1, "ep": 1, "dp-attn": False}
        else:
            row["srt-recipe"] = "disagg.yaml"
        scenario: dict[str, Any] = {"search-space": [row]}
        if not self.agentic:
            scenario = {"isl": 8192, "osl": 1024, **scenario}
        folder = {"srt-recipe-dir": "finch"} if self.era == "C" else {}
        return {
            "image": "vllm/vllm-openai:v1",
            "model": "example/Finch",
            "model-prefix": "finch",
            "runner": "gb300",
            "precision": "fp4",
            "framework": f"dynamo-{self.engine}",
            "multinode": True,
            "disagg": not is_aggregated,
            **folder,
            "scenarios": {"agentic-coding" if self.agentic else "fixed-seq-len": [scenario]},
        }

    def _recipe(self) -> dict[str, Any]:
        recipe: dict[str, Any] = {"schema": 2} if self.schema == 2 else {}
        recipe |= {
            "name": "finch-disagg",
            "model": {"path": "example/Finch", "container": "vllm/vllm-openai:v1", "precision": "fp4"},
            "resources": {"gpu_type": self.gpu_type, "gpus_per_node": self.per_node},
        }
        recipe |= {"engine": self.engine} if self.schema == 2 else {"backend": {"type": self.engine}}
        for role in self.roles:
            for what, value in self._resources(role).items():
                put(recipe, self.resource(role.name, what), value)
            for flag, value in role.flags(self.engine).items():
                put(recipe, self.flag(role.name, flag), value)
        kind = "custom" if self.agentic else "sa-bench"
        recipe["benchmark"] = {"type": kind, "isl": 8192, "osl": 1024}
        if not self.agentic:
            recipe["benchmark"]["concurrencies"] = "x".join(map(str, self.concurrencies))
        return recipe

    def _resources(self, role: Role) -> dict[str, int]:
        gpus = role.gpus(self.engine)
        if gpus >= self.per_node:
            nodes = role.workers * -(-gpus // self.per_node)
        else:
            nodes = -(-role.workers // (self.per_node // gpus))
        return {"nodes": nodes, "workers": role.workers, "gpus": gpus}


def put(value: Any, path: Path, new: Any) -> None:
    """Set what lies at a path, mappings on the way made where there is none."""
    for part in path[:-1]:
        value = value.setdefault(part, {}) if isinstance(value, dict) else value[part]
    value[path[-1]] = new


def dumped(value: Any) -> str:
    """YAML in block style, one value a line, keys as given."""
    return str(yaml.dump(value, sort_keys=False, default_flow_style=False, width=10**6))


def line_of(text: str, path: Path) -> int:
    """The line on which the value at a path begins, by PyYAML's own marks; 1-based."""
    node = yaml.compose(text, Loader=yaml.CSafeLoader)
    for part in path:
        if isinstance(node, yaml.SequenceNode):
            node = node.value[part]
        else:
            node = next(value for key, value in node.value if key.value == part)
    return int(node.start_mark.line) + 1


def random_scene(chance: random.Random, engines: tuple[str, ...] = ("vllm", "sglang", "trtllm")) -> Scene:
    """A scene in which everything agrees. Limits, where there are any, just hold the highest concurrency."""
    engine = chance.choice(engines)
    agentic = chance.random() < 0.3
    names = ("agg",) if chance.random() < 0.3 else ("prefill", "decode")
    per_node = chance.choice((4, 8))
    concurrencies = tuple(sorted(chance.sample((4, 8, 24, 64, 256, 1024, 4096), chance.randint(1, 3))))
    return Scene(
        engine=engine,
        schema=chance.choice((1, 2)),
        era=chance.choice(("A", "C")),
        roles=tuple(_random_role(chance, engine, name, concurrencies[-1]) for name in names),
        concurrencies=concurrencies,
        agentic=agentic,
        gpu_type="gb300" if per_node == 4 else "b200",
        per_node=per_node,
    )


def _random_role(chance: random.Random, engine: str, name: str, most: int) -> Role:
    tp = chance.choice((1, 2, 4, 8))
    dp = chance.choice((1, 1, 2, 4) if engine == "vllm" else (1, tp))
    workers = chance.randint(1, 6)
    schedulers = workers * (dp if engine == "vllm" else 1)
    return Role(
        name=name,
        workers=workers,
        tp=tp,
        pp=chance.choice((1, 1, 2)),
        dp=dp,
        dcp=chance.choice((1, tp)) if engine == "vllm" else 1,
        expert=chance.random() < 0.5,
        limit=-(-most // schedulers) if engine != "trtllm" and name != "prefill" else None,
    )
