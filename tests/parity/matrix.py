"""Compares the expansion with that of the public generator, point for point and in order.

    python tests/parity/matrix.py GIT_DIR REVISION...

GIT_DIR is the git directory of a clone of the public repository. Its generator of each revision is extracted to a
temporary directory, runs there, and is gone afterwards. A field that an older generator does not give is left out of
the comparison of that revision, and said. Exit status 1 if a revision differs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reciplint.domain.document import Document
from reciplint.domain.master import MasterFile, read_master
from reciplint.domain.matrix import Point, Role, expand
from reciplint.domain.reading import canonical
from reciplint.domain.runners import read_runners
from reciplint.repo.kinds import Kind

GENERATOR = "utils/matrix_logic/generate_sweep_configs.py"
CONFIGS = ("configs", ".github/configs")
MASTERS = ("nvidia-master.yaml", "amd-master.yaml")
ROLES = ("prefill", "decode", "worker")

# Ours by the generator's name; what the older generators lack is left out where they lack it.
POINT_FIELDS = {
    "image": lambda point: point.image,
    "model": lambda point: point.model,
    "model-prefix": lambda point: point.prefix,
    "precision": lambda point: point.precision,
    "framework": lambda point: point.framework,
    "runner": lambda point: point.runner,
    "isl": lambda point: point.isl,
    "osl": lambda point: point.osl,
    "spec-decoding": lambda point: point.spec_decoding,
    "disagg": lambda point: point.disagg,
    "kv-offloading": lambda point: point.kv_offloading,
    "kv-offload-backend": lambda point: point.kv_offload_backend,
    "total-cpu-dram-gb": lambda point: point.dram_gb,
    "router": lambda point: point.router,
    "kv-p2p-transfer": lambda point: point.kv_p2p_transfer,
}
DEFAULTS: dict[str, Any] = {
    "disagg": False,
    "kv-offloading": "none",
    "kv-offload-backend": "",
    "total-cpu-dram-gb": 0,
    "router": "",
    "kv-p2p-transfer": "",
    "isl": None,
    "osl": None,
}
COMPONENTS = frozenset({"router", "kv-p2p-transfer", "kv-offload-backend"})
ROLE_FIELDS = {
    "num-worker": lambda role: role.workers,
    "tp": lambda role: role.tp,
    "pp": lambda role: role.pp,
    "ep": lambda role: role.ep,
    "dcp-size": lambda role: role.dcp,
    "pcp-size": lambda role: role.pcp,
    "dp-attn": lambda role: role.dp_attn,
    "hardware": lambda role: role.hardware,
    "additional-settings": lambda role: list(role.settings),
}
ROLE_DEFAULTS: dict[str, Any] = {
    "num-worker": 1,
    "pp": 1,
    "ep": 1,
    "dcp-size": 1,
    "pcp-size": 1,
    "dp-attn": False,
    "hardware": "",
    "additional-settings": [],
}


def main(arguments: list[str]) -> int:
    """Compare every revision; the exit status."""
    parser = argparse.ArgumentParser(description="Compare the expansion with the public generator's.")
    parser.add_argument("git_dir", type=Path)
    parser.add_argument("revisions", nargs="+")
    given = parser.parse_args(arguments)
    equal = [compare(given.git_dir, revision) for revision in given.revisions]
    return int(not all(equal))


def compare(git_dir: Path, revision: str) -> bool:
    """Compare one revision and print a line; whether the two are equal."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        listed = extract(git_dir, revision, place)
        configs = next((folder for folder in CONFIGS if f"{folder}/{MASTERS[0]}" in listed), None)
        if configs is None or GENERATOR not in listed:
            print(f"{revision}: no generator at {GENERATOR}, or no master configs")
            return False
        output, why = generate(place, configs)
        if output is None:
            print(f"{revision}: the generator failed: {why}")
            return False
        left_out = absent(output)
        theirs = [point for item in output for point in their_points(item, left_out)]
        ours = [our_point(point, left_out) for point in our_points(place, configs)]
    equal = ours == theirs
    apart = differing(ours, theirs)
    verdict = "equal, in order" if equal else f"DIFFER in {len(apart)}" if apart else "equal, in another order"
    note = f"; not compared, since no entry of the generator has it: {', '.join(sorted(left_out))}" if left_out else ""
    print(f"{revision}: {len(theirs)} points of the generator, {len(ours)} of reciplint: {verdict}{note}")
    for side, text in apart[:6]:
        print(f"  only {side}: {text[:300]}")
    return equal


def extract(git_dir: Path, revision: str, place: Path) -> set[str]:
    """Write the generator and the configs of a revision below `place`; their paths."""
    records = git(git_dir, "ls-tree", "-r", "-z", revision, "--", "utils", *CONFIGS).decode().split("\0")
    listed = {name for meta, _, name in (record.partition("\t") for record in records) if " blob " in meta}
    for name in sorted(listed):
        file = place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(git(git_dir, "show", f"{revision}:{name}"))
    return listed


def git(git_dir: Path, *arguments: str) -> bytes:
    """What git says."""
    return subprocess.run(["git", "--git-dir", git_dir, *arguments], check=True, capture_output=True).stdout


def generate(place: Path, configs: str) -> tuple[list[dict[str, Any]] | None, str]:
    """Run the extracted generator on everything; its output, or None and why there is none."""
    command = [sys.executable, GENERATOR, "full-sweep", "--config-files", *(f"{configs}/{name}" for name in MASTERS)]
    command += ["--runner-config", f"{configs}/runners.yaml", "--single-node", "--multi-node"]
    for more in (["--no-evals"], []):  # older generators know no such option
        done = subprocess.run([*command, *more], cwd=place, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return [item for item in json.loads(done.stdout) if not item.get("eval-only")], ""
        if "unrecognized arguments: --no-evals" not in done.stderr:
            break
    return None, done.stderr.strip()[-500:]


def absent(output: list[dict[str, Any]]) -> frozenset[str]:
    """The fields that no entry of the generator's output has."""
    blocks = [block for item in output for block in their_blocks(item).values()]
    missing = {name for name in POINT_FIELDS if not any(name in item for item in output)}
    return frozenset(missing | {name for name in ROLE_FIELDS if not any(name in block for block in blocks)})


def their_blocks(item: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The worker blocks of an entry; the entry itself where it has none."""
    return {name: item[name] for name in ROLES if isinstance(item.get(name), dict)} or {"worker": item}


def their_points(item: dict[str, Any], left_out: frozenset[str]) -> Iterator[str]:
    """The points of one entry of the generator's output."""
    fields = {name: their_value(item, name) for name in POINT_FIELDS if name not in left_out}
    roles = [
        [name, {field: their_role(block, field) for field in ROLE_FIELDS if field not in left_out}]
        for name, block in their_blocks(item).items()
    ]
    for concurrency in item["conc"] if isinstance(item["conc"], list) else [item["conc"]]:
        yield canonical([fields, roles, concurrency])


def their_value(item: dict[str, Any], name: str) -> Any:
    """A field of an entry, components as one text."""
    value = item.get(name, DEFAULTS.get(name))
    if name in COMPONENTS:
        return "" if value is None else value if isinstance(value, str) else canonical(value)
    return value


def their_role(block: dict[str, Any], name: str) -> Any:
    """A field of a worker block, defaults filled in."""
    value = block.get(name)
    return ROLE_DEFAULTS.get(name) if value is None else value


def our_point(point: Point, left_out: frozenset[str]) -> str:
    """A point of ours in the same form."""
    fields = {name: read(point) for name, read in POINT_FIELDS.items() if name not in left_out}
    roles = [[role.name, our_role(role, left_out)] for role in point.roles]
    return canonical([fields, roles, point.concurrency])


def our_role(role: Role, left_out: frozenset[str]) -> dict[str, Any]:
    """A role of ours in the same form."""
    return {name: read(role) for name, read in ROLE_FIELDS.items() if name not in left_out}


def our_points(place: Path, configs: str) -> list[Point]:
    """Our expansion of the extracted configs."""
    files = []
    for name in MASTERS:
        tree = Document(name, Kind.MASTER, (place / configs / name).read_bytes()).tree
        assert tree is not None, name
        files.append(MasterFile(name, read_master(tree).entries))
    tree = Document("runners", Kind.RUNNERS, (place / configs / "runners.yaml").read_bytes()).tree
    assert tree is not None
    return list(expand(tuple(files), read_runners(tree)))


def differing(ours: list[str], theirs: list[str]) -> list[tuple[str, str]]:
    """What only one side has, however often."""
    mine, other = Counter(ours), Counter(theirs)
    return [
        *(("ours", text) for text in (mine - other).elements()),
        *(("theirs", text) for text in (other - mine).elements()),
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
