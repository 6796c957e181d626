"""What a row of a single-node key serves: the commands of its benchmark script with the row's variables filled in.

Source: the launchers of InferenceX (`runners/launch_*.sh`), which put the script's name together of the model's prefix,
precision, GPU, framework and speculative decoding, and its benchmark workflow, which sets the variables.
"""

from __future__ import annotations

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
            known = World(variables=dict(_variables(entry, arm, row)), is_sized=True)
            found = read_shell_deployments(data.decode("utf-8", "replace"), path, known)
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


def _variables(entry: MasterEntry, arm: Arm, row: Row) -> Iterator[tuple[str, tuple[Value, ...]]]:
    """The variables that the workflow sets from a row. A concurrency is one only where the row has a single one."""
    workers = row.workers[0] if row.workers else None
    said: dict[str, object] = {
        "MODEL": entry.model,
        "IMAGE": entry.image,
        "PRECISION": entry.precision,
        "FRAMEWORK": entry.framework,
        "SPEC_DECODING": row.spec_decoding or "none",
        "ISL": arm.isl,
        "OSL": arm.osl,
        "CONC": row.concurrencies[0] if len(row.concurrencies) == 1 else None,
        "EVAL_ONLY": "false",
    }
    if workers is not None:
        said |= {"TP": workers.tp, "EP_SIZE": workers.ep or 1, "PP_SIZE": workers.pp or 1}
        said["DP_ATTENTION"] = "true" if workers.dp_attn else "false"
    nowhere = Place(Source("", LineIndex("")), 0, 0)
    for name, value in said.items():
        if value is not None:
            yield name, (Value((Piece(str(value), nowhere),)),)


def _placed(deployment: Deployment, entry: MasterEntry, workers: Workers) -> Deployment:
    """With what the row says of the hardware, and the key of the image."""
    gpus = (workers.tp or 1) * (workers.pp or 1)
    return Deployment(
        tuple(
            msgspec.structs.replace(process, hardware=_gpu(entry), gpus=gpus, image=process.image or entry.image or "")
            for process in deployment.processes
        )
    )
