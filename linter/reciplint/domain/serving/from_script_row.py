"""What a row of a single-node key serves: the commands of its benchmark script with the row's variables filled in.

Source: the launchers of InferenceX (`runners/launch_*.sh`), which put the script's name together of the model's prefix,
precision, GPU, framework and speculative decoding, its benchmark workflow, which sets the variables, and the functions
of its `benchmark_lib.sh` that ask what the cache is offloaded to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from reciplint.domain.master import Arm, MasterEntry, Row, Workers
from reciplint.domain.project import Project
from reciplint.domain.serving.config import Deployment, Piece, Place, Source, Value
from reciplint.domain.serving.from_command import read_shell_deployments
from reciplint.domain.serving.worlds import World
from reciplint.yamltree.spans import LineIndex

_FOLDER = "benchmarks/single_node"
_SCENARIOS = {"agentic-coding": "agentic/"}
_NOWHERE = Place(Source("", LineIndex("")), 0, 0)

_OFFLOAD_QUESTION = re.compile(r"\b(?:agentic_kv_offload_enabled|require_agentic_kv_offload_backend[ \t]+([\w.-]+))")


def read_row_deployments(project: Project, entry: MasterEntry) -> Iterator[tuple[Deployment, ...]]:
    """For each row of a single-node key with a script, what that may start: several where a condition of the script
    asks for what the row does not say."""
    if entry.multinode:
        return
    for arm in entry.arms:
        for row in arm.rows:
            path = script_path(project, entry, arm, row)
            data = project.read_all([path]).get(path) if path else None
            if data is None or len(row.workers) != 1:
                continue
            text = data.decode("utf-8", "replace")
            found = read_shell_deployments(text, path, _world(entry, arm, row, text))
            if found:
                yield tuple(_placed(deployment, entry, row.workers[0]) for deployment in found)


def script_path(project: Project, entry: MasterEntry, arm: Arm, row: Row) -> str:
    """The script that a launcher runs for a row; "" where none of its names is there."""
    root = f"{project.root}/" if project.root else ""
    ending = "_mtp" if row.spec_decoding == "mtp" else ""
    stem = f"{entry.prefix}_{entry.precision}_{_gpu(entry)}"
    engines = (f"_{entry.framework}", "_trt" if entry.framework == "trt" else "")
    for folder in (_SCENARIOS.get(arm.kind, "fixed_seq_len/"), ""):
        for engine in engines:
            path = f"{root}{_FOLDER}/{folder}{stem}{engine}{ending}.sh"
            if path in project.mentions:
                return path
    return ""


def _gpu(entry: MasterEntry) -> str:
    """The GPU of a runner label, such as `b200` of `b200-cw` and `cluster:b200-dgxc`."""
    return (entry.runner or "").rpartition(":")[2].partition("-")[0]


def _world(entry: MasterEntry, arm: Arm, row: Row, script: str) -> World:
    """What a script knows when a row starts it. A concurrency is a text only where the row has a single one; of several
    it is known which they are."""
    variables = dict(_variables(entry, arm, row))
    possible: dict[str, frozenset[int]] = {}
    if len(row.concurrencies) > 1:
        variables["CONC"] = (Value((Piece("${CONC}", _NOWHERE, "CONC"),)),)
        possible["CONC"] = frozenset(row.concurrencies)
    world = World(variables=variables, is_sized=True, possible=possible)
    backend = _offload_backend(row)
    for asked in _OFFLOAD_QUESTION.finditer(script):
        world = world.supposing(" ".join(asked[0].split()), bool(backend) and asked[1] in (None, backend))
    return world


def _offload_backend(row: Row) -> str:
    """Where a row offloads the cache to; "" where it does not."""
    found = row.settings.get("kv-offload-backend")
    return str(found.get("name") or "") if isinstance(found, dict) else ""


def _variables(entry: MasterEntry, arm: Arm, row: Row) -> Iterator[tuple[str, tuple[Value, ...]]]:
    """The variables that the workflow sets from a row."""
    workers = row.workers[0] if row.workers else None
    is_agentic = arm.kind in _SCENARIOS
    said: dict[str, object] = {
        "MODEL": entry.model,
        "MODEL_PREFIX": entry.prefix,
        "IMAGE": entry.image,
        "PRECISION": entry.precision,
        "FRAMEWORK": entry.framework,
        "SPEC_DECODING": row.spec_decoding or "none",
        "ISL": arm.isl,
        "OSL": arm.osl,
        "CONC": row.concurrencies[0] if len(row.concurrencies) == 1 else None,
        "EVAL_ONLY": "false",
        "KV_OFFLOADING": (row.kv_offloading or "none") if is_agentic else "",
        "KV_OFFLOAD_BACKEND": _offload_backend(row) if is_agentic else "",
    }
    if workers is not None:
        said |= {"TP": workers.tp, "EP_SIZE": workers.ep or 1, "PP_SIZE": workers.pp or 1}
        said |= {"DCP_SIZE": workers.dcp or 1, "PCP_SIZE": workers.pcp or 1}
        said["DP_ATTENTION"] = "true" if workers.dp_attn else "false"
    for name, value in said.items():
        if value is not None:
            yield name, (Value((Piece(str(value), _NOWHERE),)),)


def _placed(deployment: Deployment, entry: MasterEntry, workers: Workers) -> Deployment:
    """With what the row says of the hardware, and the key of the image."""
    gpus = (workers.tp or 1) * (workers.pp or 1)
    return Deployment(
        tuple(
            msgspec.structs.replace(process, hardware=_gpu(entry), gpus=gpus, image=process.image or entry.image or "")
            for process in deployment.processes
        )
    )
