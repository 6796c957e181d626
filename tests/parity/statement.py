"""The rules on shape stated once more, as plain predicates: no schema, no code of the package.

Each function says whether a loaded value is accepted. It is a second opinion for `schema`, so it is written from the
rules and not from the schemas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

Check = Callable[[Any], bool]


def text(value: Any) -> bool:
    return isinstance(value, str)


def filled(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def strict_positive(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def number_of(value: Any) -> int | None:
    """What a lenient reader makes of a value: quoted numbers, whole floats and truth values are integers to it."""
    if isinstance(value, (bool, int)):
        return int(value)
    if isinstance(value, float):
        return int(value) if value == int(value) else None
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]+", value):
        return int(value)
    return None


def positive(value: Any) -> bool:
    number = number_of(value)
    return number is not None and number > 0


def not_negative(value: Any) -> bool:
    number = number_of(value)
    return number is not None and number >= 0


def truth(value: Any) -> bool:
    return (
        isinstance(value, bool) or (value in (0, 1) and isinstance(value, (int, float))) or truth_of(value) is not None
    )


def truth_of(value: Any) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "yes": True, "on": True, "y": True, "t": True, "1": True}.get(
            value.lower(), False if value.lower() in ("false", "no", "off", "n", "f", "0") else None
        )
    return bool(value) if value in (0, 1) and isinstance(value, (bool, int, float)) else None


def strict_truth(value: Any) -> bool:
    return isinstance(value, bool)


def one_of(*choices: str) -> Check:
    return lambda value: isinstance(value, str) and value in choices


def optional(check: Check) -> Check:
    return lambda value: value is None or check(value)


def list_of(check: Check, least: int = 0) -> Check:
    return lambda value: isinstance(value, list) and len(value) >= least and all(map(check, value))


def map_of(check: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def record(required: dict[str, Check], others: dict[str, Check] | None = None) -> Check:
    """A mapping that has every required key and none but the named ones."""
    known = {**required, **(others or {})}

    def check(value: Any) -> bool:
        if not isinstance(value, dict) or not set(required) <= set(value) <= set(known):
            return False
        return all(known[key](item) for key, item in value.items())

    return check


def version(value: Any) -> bool:
    return filled(value) and not value.startswith("image:")


COMPONENT = optional(record({"name": filled, "version": version}))
BACKEND = optional(record({"name": filled}, {"version": optional(version)}))
SIZES: dict[str, Check] = {"pp": strict_positive, "dcp-size": strict_positive, "pcp-size": strict_positive}
CONCURRENCY: dict[str, Check] = {
    "conc-start": optional(lambda value: number_of(value) is not None),
    "conc-end": optional(lambda value: number_of(value) is not None),
    "conc-list": optional(list_of(positive)),
}
SPECULATION = one_of("mtp", "draft_model", "none")
TRANSFER = optional(filled)


def divides(block: dict[str, Any]) -> bool:
    tp = number_of(block.get("tp"))
    return tp is None or tp % (block.get("dcp-size") or 1) == 0


def concurrency(row: dict[str, Any]) -> bool:
    ends = (number_of(row.get("conc-start")), number_of(row.get("conc-end")))
    has_range = None not in ends
    if has_range == bool(row.get("conc-list")):
        return False
    return not has_range or 0 < ends[0] <= ends[1]  # type: ignore[operator]


def worker(value: Any, aggregate: bool = False) -> bool:
    shape = record(
        {"tp": positive, "ep": positive, "dp-attn": truth} | ({} if aggregate else {"num-worker": not_negative}),
        {
            **SIZES,
            "num-worker": strict_positive if aggregate else not_negative,
            "hardware": optional(filled),
            "additional-settings": optional(list_of(text)),
        },
    )
    return shape(value) and divides(value)


def same_hardware(row: dict[str, Any]) -> bool:
    prefill, decode = row.get("prefill"), row.get("decode")
    return prefill is None or decode is None or (prefill.get("hardware") is None) == (decode.get("hardware") is None)


def given(row: dict[str, Any], *keys: str) -> list[bool]:
    return [row.get(key) is not None for key in keys]


PATH = re.compile(r"[^/:]+(/[^/:]+)*")


def relative_path(value: Any) -> bool:
    return text(value) and bool(PATH.fullmatch(value)) and not {".", ".."} & set(value.split("/"))


def recipe_reference(value: Any) -> bool:
    if not text(value):
        return False
    file, colon, selector = value.partition(":")
    chosen = re.fullmatch(r"base|override_[\w-]+|zip_override_[\w-]+\[\d+\]", selector)
    return relative_path(file) and (not colon or chosen is not None)


class Statement:
    """The statement for one layout: `october` or not, and whether the recipes are named by folder (era C)."""

    def __init__(self, october: bool, folder: bool = False) -> None:
        self.october = october
        self.folder = folder
        reference = optional(recipe_reference if folder else filled)
        self.recipes: dict[str, Check] = {"srt-recipe": reference, "eval-srt-recipe": reference} if october else {}
        self.blocks: dict[str, Check] = {"prefill": optional(worker), "decode": optional(worker)}
        if october:
            self.blocks |= {
                "worker": optional(lambda value: worker(value, aggregate=True)),
                "num-nodes": optional(strict_positive),
                "power": strict_truth,
            }

    def single_row(self, row: Any) -> bool:
        shape = record(
            {"tp": positive},
            {
                **SIZES,
                **CONCURRENCY,
                **self.recipes,
                "ep": optional(positive),
                "dp-attn": optional(truth),
                "spec-decoding": SPECULATION,
                "router": COMPONENT,
            },
        )
        return shape(row) and divides(row) and concurrency(row)

    def multi_row(self, row: Any) -> bool:
        others: dict[str, Check] = {**self.blocks, **self.recipes, **CONCURRENCY}
        others |= {"spec-decoding": SPECULATION, "router": COMPONENT, "kv-p2p-transfer": TRANSFER}
        if not record({}, others)(row) or not concurrency(row) or not same_hardware(row):
            return False
        prefill, decode, aggregate = given(row, "prefill", "decode", "worker")
        return prefill == decode and prefill != aggregate

    def agentic_row(self, row: Any) -> bool:
        others: dict[str, Check] = {**self.blocks, **self.recipes, **CONCURRENCY, **SIZES}
        others |= {
            "tp": optional(positive),
            "ep": optional(positive),
            "dp-attn": optional(truth),
            "spec-decoding": SPECULATION,
            "kv-offloading": optional(one_of("none", "dram")),
            "kv-offload-backend": BACKEND,
            "router": COMPONENT,
            "kv-p2p-transfer": TRANSFER,
        }
        if not record({}, others)(row) or not concurrency(row) or not same_hardware(row):
            return False
        if (row.get("kv-offloading") == "dram") != (row.get("kv-offload-backend") is not None):
            return False
        tp, prefill, decode, aggregate = given(row, "tp", "prefill", "decode", "worker")
        if prefill != decode or tp + prefill + aggregate != 1:
            return False
        if tp:
            return row.get("kv-offloading") is not None and not row.get("power") and divides(row)
        return not set(SIZES) & set(row)

    def scenarios(self, value: Any, multinode: bool) -> bool:
        row = self.multi_row if multinode else self.single_row
        power: dict[str, Check] = {"require-power": strict_truth} if self.october and multinode else {}
        fixed = record({"isl": positive, "osl": positive, "search-space": list_of(row)}, power)
        share = optional(lambda number: isinstance(number, (int, float)) and 0 < number <= 1)
        agentic = record({"search-space": list_of(self.agentic_row)}, {"dram-utilization": share})
        shape = {"fixed-seq-len": optional(list_of(fixed)), "agentic-coding": optional(list_of(agentic))}
        if not record({}, shape)(value) or not any(value.values()):
            return False
        return all(
            item.get("dram-utilization") is not None
            or "dram" not in [row.get("kv-offloading") for row in item["search-space"]]
            for item in value.get("agentic-coding") or ()
        )

    def entry(self, value: Any) -> bool:
        """Whether a master entry is accepted."""
        if not isinstance(value, dict) or not isinstance(value.get("multinode"), bool):
            return False
        multinode = value["multinode"]
        names = ("image", "model", "model-prefix", "precision", "framework", "runner")
        others: dict[str, Check] = {"router": COMPONENT}
        others["disagg"] = truth if multinode else (lambda item: item is False)
        if multinode:
            others["kv-p2p-transfer"] = TRANSFER
        if self.october:
            others["srt-recipe-dir"] = optional(relative_path)
        required: dict[str, Check] = dict.fromkeys(names, text)
        required |= {"multinode": strict_truth, "scenarios": lambda item: self.scenarios(item, multinode)}
        if not record(required, others)(value):
            return False
        if value["scenarios"].get("agentic-coding") and not value["runner"].startswith("cluster:"):
            return False
        rows = all_rows(value)
        if not self.one_scope(value, rows):
            return False
        return not self.october or (self.mode(value, rows) and self.named(value, rows))

    def one_scope(self, entry: dict[str, Any], rows: list[dict[str, Any]]) -> bool:
        for key in ("router", "kv-p2p-transfer"):
            if entry.get(key) is not None and any(row.get(key) is not None for row in rows):
                return False
        carried = [row.get("kv-p2p-transfer") is not None for row in rows]
        if not entry["multinode"]:
            return not any(carried)
        return (
            not truth_of(entry.get("disagg"))
            or entry.get("kv-p2p-transfer") is not None
            or (bool(rows) and all(carried))
        )

    def mode(self, entry: dict[str, Any], rows: list[dict[str, Any]]) -> bool:
        for row in rows:
            prefill, aggregate, nodes = given(row, "prefill", "worker", "num-nodes")
            if not entry["multinode"]:
                if prefill or aggregate or nodes:
                    return False
            elif truth_of(entry.get("disagg")):
                if aggregate or nodes or not prefill:
                    return False
            elif not aggregate or not nodes:
                return False
        return True

    def named(self, entry: dict[str, Any], rows: list[dict[str, Any]]) -> bool:
        keys = ("srt-recipe", "eval-srt-recipe")
        if entry["multinode"] and entry["framework"] == "llmd-vllm":
            return entry.get("srt-recipe-dir") is None and not any(row.get(key) for row in rows for key in keys)
        if self.folder and (entry.get("srt-recipe-dir") is None or any(row.get("srt-recipe") is None for row in rows)):
            return False
        if self.folder and not entry["multinode"] and any(row.get("eval-srt-recipe") is not None for row in rows):
            return False
        stated = [
            setting.partition("=")[0]
            for row in rows
            for role in ("worker", "prefill", "decode")
            for setting in (row.get(role) or {}).get("additional-settings") or ()
        ]
        return not {"CONFIG_FILE", "EVAL_CONFIG_FILE"} & set(stated)


def all_rows(entry: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for items in entry["scenarios"].values() for item in items or () for row in item["search-space"]]


def runners_august(value: Any) -> bool:
    hardware = record({"available-cpu-dram-mib": positive, "gpus-per-node": positive})
    return record({"labels": map_of(list_of(text, 1))}, {"hardware": map_of(hardware)})(value)


def runners_october(value: Any) -> bool:
    if not record({"labels": map_of(list_of(text, 1)), "clusters": map_of(cluster)})(value):
        return False
    of_cluster = {label[8:]: runners for label, runners in value["labels"].items() if label.startswith("cluster:")}
    homes = [runner for runners in of_cluster.values() for runner in set(runners)]
    everyone = {runner for runners in value["labels"].values() for runner in runners}
    return set(of_cluster) == set(value["clusters"]) and len(homes) == len(set(homes)) and everyone == set(homes)


def slurm(value: Any) -> bool:
    """Open: further fields are the launcher's own."""
    if not isinstance(value, dict) or not filled(value.get("partition")) or not truth(value.get("exclusive")):
        return False
    volumes = value.get("volumes", {})
    return isinstance(volumes, dict) and all(
        isinstance(item, dict)
        and text(item.get("path"))
        and item.get("visibility", "shared") in ("shared", "node-local")
        for item in volumes.values()
    )


def cluster(value: Any) -> bool:
    staged = record(
        {"root": filled, "dir": lambda item: filled(item) and item[0] != "/" and ".." not in item.split("/")}
    )
    shape = record(
        {
            "gpus-per-node": positive,
            "arch": one_of("x86_64", "aarch64"),
            "scheduler": one_of("slurm"),
            "slurm": slurm,
        },
        {
            "available-cpu-dram-mib": optional(positive),
            "env": map_of(lambda item: text(item) and "," not in item),
            "models": record({}, {"download-root": optional(filled), "entries": map_of(staged)}),
        },
    )
    if not shape(value):
        return False
    volumes: Collection[str] = value["slurm"].get("volumes") or ()
    models = value.get("models") or {}
    wanted = {item["root"] for item in (models.get("entries") or {}).values()}
    wanted |= {models["download-root"]} if models.get("download-root") else set()
    return wanted <= set(volumes)


def changelog_entry(value: Any) -> bool:
    flags = ("evals-only", "all-evals", "no-evals", "append-only")
    shape = record(
        {"config-keys": list_of(text, 1), "description": list_of(text, 1), "pr-link": text},
        {
            **dict.fromkeys(flags, truth),
            "eval-min-prefill-ep": optional(positive),
            "scenario-type": optional(list_of(one_of("fixed-seq-len", "agentic-coding"), 1)),
        },
    )
    if not shape(value):
        return False
    chooses = (
        truth_of(value.get("evals-only")) or truth_of(value.get("all-evals")) or given(value, "eval-min-prefill-ep")[0]
    )
    return not chooses or not (truth_of(value.get("append-only")) or truth_of(value.get("no-evals")))
