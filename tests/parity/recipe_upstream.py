"""Judge recipes and their mutations by srt-slurm's own loader, and print where `schema` disagrees.

Not a test: it needs a checkout of srt-slurm of August 2026 and its dependencies, of which nothing is kept here.

    python tests/parity/recipe_upstream.py CHECKOUT FOLDER… [--each N] [--seed N]

FOLDER holds recipes; each variant of each is judged as it is and `--each` times mutated.
"""

from __future__ import annotations

import argparse
import copy
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml
from mutate import Mutation
from recipe_mutate import recipe_mutations

from reciplint.domain.recipe_shape import variant_faults

LATER = (
    "provider",
    "tokenizer_mode",
    "aiperf_server_metrics",
    "schema",
    "set_visible_devices",
    "container_image",
    "atom",
)
"""Keys and engines of other releases, which `schema` accepts and August's does not."""


def loader(checkout: Path) -> tuple[Callable[[Any], str], Callable[[Any], Iterator[Any]]]:
    """Why srt-slurm refuses a variant ("" if it does not), and the variants of a file."""
    sys.path.insert(0, str(checkout / "src"))
    logging.disable(logging.CRITICAL)
    from srtctl.core import config  # type: ignore[import-not-found]
    from srtctl.core.schema import SrtConfig  # type: ignore[import-not-found]

    schema = SrtConfig.Schema()

    def refusal(variant: Any) -> str:
        try:
            value = copy.deepcopy(variant)
            value.pop("lock", None)
            schema.load(config.expand_observability(config.resolve_config_with_defaults(value, None)))
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""

    def variants(root: Any) -> Iterator[Any]:
        if "base" not in root:
            yield root
            return
        yield root["base"]
        yield from (variant for _, variant in config.generate_override_configs(root, None))

    return refusal, variants


def explain(case: Mutation, ours: list[str], theirs: str) -> str:
    """The known reason of a disagreement; "" where there is none."""
    if theirs and not ours:
        if any(f"'{key}': ['Unknown field.']" in theirs for key in LATER) or "Unknown backend type: 'atom'" in theirs:
            return "a key of another release"
        if "sweep" in theirs:
            return "a sweep is expanded before it is loaded"
        if "_environment'" in theirs or "'env'" in theirs or "'environment'" in theirs:
            return "the values of an environment are the business of env-value-type"
        if "telemetry" in theirs:
            return "what power telemetry needs differs between releases"
        if "dp_launch_mode=per_node" in theirs:
            return "engine flags are not judged here"
    if ours == ["('profiling', 'type') not-a-choice"]:
        return "a type of profiling that srt-slurm takes and does nothing for"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--each", type=int, default=3, help="mutations of each variant")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    refusal, variants = loader(arguments.checkout)
    tally: Counter[str] = Counter()
    for number, path in enumerate(sorted(file for folder in arguments.folders for file in folder.rglob("*.y*ml"))):
        root = yaml.load(path.read_bytes(), yaml.CSafeLoader)
        if not isinstance(root, dict) or not {"resources", "base"} & set(root) or "roles" in (root.get("base") or root):
            continue
        for variant in variants(root):
            cases = [Mutation(variant, "nothing")]
            for case in [*cases, *recipe_mutations(variant, arguments.seed + number, arguments.each)]:
                ours = [
                    f"{fault.path} {fault.name}"
                    for fault in variant_faults(case.value, "recipe-1")
                    if not fault.tolerated
                ]
                theirs = refusal(case.value)
                tally["judged"] += 1
                tally["refused by both"] += bool(ours and theirs)
                if bool(ours) == bool(theirs):
                    continue
                reason = explain(case, ours, theirs)
                tally[reason or "UNEXPLAINED"] += 1
                if not reason:
                    print(f"{path.name}: {case.done}: schema {ours}, srt-slurm {theirs[:300]!r}")
    for reason, count in tally.items():
        print(f"{count:7} {reason}")
    return 1 if tally["UNEXPLAINED"] else 0


if __name__ == "__main__":
    sys.exit(main())
