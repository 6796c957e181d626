"""The seed in the October layout: the same change, built from its parsed data under `inferencex-e2e/`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from functools import lru_cache
from posixpath import basename
from typing import Any

import yaml
from seed_scene import AGG, DISAGG, KEYS, NOSPEC, NVIDIA, VENDORED, Found, Scene

ROOT = "inferencex-e2e"
MASTER = f"{ROOT}/{NVIDIA}"
CHANGELOG = f"{ROOT}/perf-changelog.yaml"
POLICY = f"{ROOT}/docs/MODELS.md"
RUNNERS = f"{ROOT}/configs/runners.yaml"
DIRECTORY = "kimik3/vllm/gb300-fp4/agentx"
OLDER = "kimik3/vllm/older-fp4/agentx"

MATRIX = """| Model architecture class | Prefix | Active scenarios | Deprecated scenarios |
|---|---|---|---|
| Kimi-K3 | `kimik3` | Agentic coding (non-spec-decode points remain eligible) \
| Standalone non-DSpark A/B baseline (not required from day 0) |
| Kimi-K2.5 | `kimik2.5` | None (fully retired 2026-08-07) | Agentic coding |
"""
POLICY_TEXT = f"""# Models

## Scenarios

| Scenario | ISL/OSL | Status |
|---|---|---|
| Agentic coding | traces | Active. Speculative decoding may be on or off; a separate baseline is not required. |
| Single-turn 8k1k | 8192 / 1024 | Active. |
| Single-turn 1k1k | 1024 / 1024 | Deprecated since 2026-07-17, to save time. |

## Model support matrix

{MATRIX}"""
CHANGELOG_TEXT = """- config-keys:
    - kimik3-fp4-gb300-old-key
  description:
    - "An entry of old"
  pr-link: https://github.com/example/bench/pull/1
"""

Entries = dict[str, dict[str, Any]]


def name_of(old: str) -> str:
    """What a recipe of the seed is called here."""
    return basename(old).replace("gb300-", "").replace("-agentic", "")


def path_of(old: str) -> str:
    """Where a recipe of the seed stands here."""
    return f"{ROOT}/{VENDORED}{directory_of(old)}/{name_of(old)}"


def directory_of(old: str) -> str:
    """In which folder a recipe of the seed stands here."""
    return DIRECTORY if "gb300" in basename(old) else OLDER


@lru_cache(maxsize=4)
def _loaded(text: str) -> Any:
    return yaml.load(text, Loader=yaml.CSafeLoader)


def dumped(value: Any) -> str:
    """YAML in block style, one value a line, shared objects as anchors and aliases."""
    return yaml.dump(value, sort_keys=False, width=10**6, default_flow_style=False)


class October:
    """A scene with its entries and recipes as values; `write` makes the texts of both trees."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        entries: Entries = copy.deepcopy(_loaded(scene.head[NVIDIA]))
        self.entries = {key: entry for key, entry in entries.items() if _is_local(entry, scene.head)}
        self.recipes: dict[str, Any] = {}
        for entry in self.entries.values():
            _convert_entry(entry, self._convert_recipe)
        for old in sorted(path for path in scene.head if basename(path).startswith("disagg-gb300-")):
            if "/kimi-k3/agentic/" in old:
                self._convert_recipe(old)
        self.policy, self.changelog, self.extra = POLICY_TEXT, CHANGELOG_TEXT, ""
        self.new = {path for path in self.recipes if any(path == path_of(old) for old in _added(scene))}
        self.base_has: set[str] = set()

    def _convert_recipe(self, old: str) -> str:
        self.recipes.setdefault(path_of(old), _schema_2(_loaded(self.scene.head[old])))
        return name_of(old)

    def rows(self, key: str) -> list[dict[str, Any]]:
        """The rows of a key."""
        rows: list[dict[str, Any]] = self.entries[key]["scenarios"]["agentic-coding"][0]["search-space"]
        return rows

    def recipe(self, old: str) -> dict[str, Any]:
        """A recipe's value, by the seed's path."""
        value: dict[str, Any] = self.recipes[path_of(old)]
        return value

    def write(self) -> None:
        """Put both trees into the scene: the base lacks the seed's keys and recipes."""
        used = (entry["runner"] for key, entry in self.entries.items() if key not in KEYS)
        runners = sorted({"cluster:gb300-nv", *used})
        shared = {
            POLICY: self.policy,
            RUNNERS: dumped({"labels": {name: [f"{name}_0"] for name in runners}, "clusters": {}}),
            f"{ROOT}/configs/ci-priority.yaml": "{}\n",
        }
        texts = {path: dumped(value) for path, value in self.recipes.items()}
        before = {key: entry for key, entry in self.entries.items() if key not in KEYS}
        after = {**before, **{key: self.entries[key] for key in self.entries if key not in before}}
        self.scene.base = {
            **shared,
            MASTER: dumped(before),
            CHANGELOG: CHANGELOG_TEXT,
            **{path: text for path, text in texts.items() if path not in self.new or path in self.base_has},
        }
        self.scene.head = {**shared, MASTER: dumped(after), CHANGELOG: self.changelog, **texts}


def _added(scene: Scene) -> Iterable[str]:
    return [path for path in scene.head if path not in scene.base]


def _is_local(entry: dict[str, Any], tree: dict[str, str]) -> bool:
    """Whether an entry is a multi-node one of the seed's model whose recipes are all vendored."""
    if entry.get("model-prefix") != "kimik3" or not entry.get("multinode"):
        return False
    named = [_named(setting) for row in _rows(entry) for setting in row["prefill"].get("additional-settings", [])]
    return any(named) and all(path in tree for path in named if path)


def _rows(entry: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for item in entry["scenarios"].get("agentic-coding", []) for row in item["search-space"]]


def _named(setting: str) -> str:
    _, marker, path = setting.partition("CONFIG_FILE=recipes/")
    return f"{VENDORED}{path}" if marker else ""


def _convert_entry(entry: dict[str, Any], convert: Callable[[str], str]) -> None:
    scenarios = entry.pop("scenarios")
    entry["srt-recipe-dir"] = DIRECTORY if "gb300" in entry["runner"] else OLDER
    entry["scenarios"] = scenarios
    for row in _rows(entry):
        settings = row["prefill"].pop("additional-settings", [])
        named = {setting.partition("=")[0]: _named(setting) for setting in settings}
        row["srt-recipe"] = convert(named["CONFIG_FILE"])
        if named.get("EVAL_CONFIG_FILE"):
            row["eval-srt-recipe"] = convert(named["EVAL_CONFIG_FILE"])
        if not entry["disagg"]:
            row["worker"], row["num-nodes"] = row.pop("prefill"), 2
            row.pop("decode", None)


def _schema_2(old: dict[str, Any]) -> dict[str, Any]:
    """A recipe of schema 1 as a fragment of schema 2."""
    backend, resources = dict(old["backend"]), old["resources"]
    flags = backend.pop(f"{backend['type']}_config")
    roles: dict[str, Any] = {}
    environments: list[Any] = []
    for old_role, role in (("prefill", "prefill"), ("decode", "decode"), ("aggregated", "agg")):
        environment = backend.pop(f"{old_role}_environment", None)
        if old_role not in flags:
            continue
        environment = next((known for known in environments if known == environment), environment)
        environments.append(environment)
        roles[role] = {
            "nodes": resources.get(f"{role}_nodes", 2),
            "workers": resources.get(f"{role}_workers", 1),
            "gpus": resources.get(f"gpus_per_{role}", 8),
            "env": environment,
            "args": dict(flags[old_role]),
        }
    kept = ("dynamo", "slurm", "health_check")
    later = ("sbatch_directives", "srun_options")
    return {
        "schema": 2,
        "name": old["name"],
        "identity": {"model": {}, "container": {}},
        **{name: old[name] for name in kept if name in old},
        "resources": {name: resources[name] for name in ("gpu_type", "gpus_per_node")},
        "frontend": old["frontend"],
        "engine": {"type": backend["type"]},
        "roles": roles,
        **{name: old[name] for name in later if name in old},
        "benchmark": {"type": "custom", "command": "bash /workspace/benchmarks/srt_agentic.sh"},
    }


# ---- what is true, by places found in the text


def snake(scene: Scene, old: str, key: str = "max_num_batched_tokens", nth: int = 1) -> Found:
    """A flag that is spelled with underscores."""
    path = path_of(old)
    return Found("kebab-case-keys", "warning", path, scene.line(path, f" {key}:", nth=nth))


def repeated(scene: Scene, old: str) -> Found:
    """The flags of two roles, reported at the first."""
    path = path_of(old)
    return Found("anchor-dedup", "info", path, scene.line(path, "    args:", after=scene.line(path, "  prefill:")))


def idle(scene: Scene, old: str) -> Found:
    """A recipe that nothing names is only a hint here."""
    path = path_of(old)
    return Found("unreferenced-recipe", "info", path, scene.line(path, "name:"))


def unlisted(scene: Scene, *keys: str) -> Found:
    """Keys that no added entry names."""
    return Found("changelog-required", "error", MASTER, min(scene.key_line(key, MASTER) for key in keys), keys)


def row_line(scene: Scene, key: str, nth: int = 1) -> int:
    """Where the nth row of a key stands in a dumped master."""
    space = scene.line(MASTER, "search-space:", after=scene.key_line(key, MASTER))
    lines = scene.head[MASTER].split("\n")
    rows = [n for n, text in enumerate(lines, 1) if n > space and text.startswith("      - ")]
    return rows[nth - 1]


__all__ = ["AGG", "DISAGG", "KEYS", "NOSPEC", "October", "dumped", "idle", "repeated", "row_line", "snake", "unlisted"]
