"""Judge the mutations by the public repository's own models, and print where `schema` disagrees.

Not a test: it needs a checkout (or an extract) of the public repository, of which nothing is kept here.

    python tests/parity/upstream.py CHECKOUT [--corpus MASTER.yaml]… [--each N] [--seed N]

The checkout's layout is told by its files: `utils/matrix_logic/validation.py` is August,
`infx/matrix/validation.py` (at its root or below `inferencex-e2e/`) is October.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import parity_samples as samples
import yaml
from mutate import Mutation, mutations

from reciplint.domain.eras import Era, file_eras
from reciplint.domain.file_shapes import changelog_faults, runners_faults
from reciplint.domain.master_shape import Layout, dashed_entry, entry_faults

Judge = Callable[[Any], bool]
PLACES = {
    "utils/matrix_logic/validation.py": ("utils/matrix_logic", "validation", False),
    "inferencex-e2e/infx/matrix/validation.py": ("inferencex-e2e", "infx.matrix.validation", True),
    "infx/matrix/validation.py": ("", "infx.matrix.validation", True),
}


def load_models(checkout: Path) -> tuple[Any, bool]:
    """The checkout's validation module, and whether it is October's."""
    for place, (root, module, october) in PLACES.items():
        if (checkout / place).is_file():
            sys.path.insert(0, str(checkout / root))
            return importlib.import_module(module), october
    raise SystemExit(f"{checkout} holds none of {', '.join(PLACES)}")


def passes(call: Callable[[], object]) -> bool:
    try:
        call()
    except Exception:
        return False
    return True


def master_judge(models: Any) -> Judge:
    def judge(entry: Any) -> bool:
        def call() -> None:
            kind = (
                models.MultiNodeMasterConfigEntry
                if entry.get("multinode", False)
                else models.SingleNodeMasterConfigEntry
            )
            kind(**entry)

        return passes(call)

    return judge


def ours(layout: Layout) -> Judge:
    return lambda entry: not any(not fault.tolerated for fault in entry_faults(dashed_entry(entry), layout))


def clean(faults: Callable[[Any], Iterable[Any]]) -> Judge:
    return lambda value: not any(not fault.tolerated for fault in faults(value))


def number_below_one(value: Any) -> bool:
    """Whether some count that upstream leaves unbounded is not positive: our one deliberate strictness."""
    bounded = {"tp": 1, "ep": 1, "isl": 1, "osl": 1, "num-worker": 0}
    if isinstance(value, list):
        return any(map(number_below_one, value))
    if not isinstance(value, dict):
        return False
    for key, item in value.items():
        number = item if isinstance(item, (int, float)) else None
        if key in bounded and number is not None and number < bounded[key]:
            return True
    return any(map(number_below_one, value.values()))


def explain(case: Mutation, accepts: bool) -> str:
    """The known reason of a disagreement; "" where there is none."""
    if not accepts and number_below_one(case.value):
        return "schema asks for positive counts, upstream does not"
    if accepts and "no-evals" in json.dumps(case.value):
        return "August does not know no-evals; both layouts are read by one changelog schema"
    return ""


def compare(name: str, cases: list[Mutation], mine: Judge, theirs: Judge, tally: Counter[str]) -> None:
    for case in cases:
        verdict = mine(case.value)
        tally["judged"] += 1
        if verdict == theirs(case.value):
            continue
        reason = explain(case, verdict)
        tally[reason or "UNEXPLAINED"] += 1
        if not reason:
            print(f"{name}: {case.done}: schema {'accepts' if verdict else 'refuses'}: {json.dumps(case.value)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--corpus", type=Path, action="append", default=[], help="a master file to sample entries from")
    parser.add_argument("--each", type=int, default=500, help="mutations of each sample")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    models, october = load_models(arguments.checkout)
    folder = october and hasattr(models.Fields, "SRT_RECIPE_DIR")
    era = Era.FOLDER if folder else Era.PATH if october else Era.SETTINGS
    layout = Layout(october, era)
    group = samples.FOLDER_ERA if folder else samples.PATH_ERA if october else samples.AUGUST
    tally: Counter[str] = Counter()
    judge = master_judge(models)
    for name, sample in group.items():
        cases = [Mutation(sample, "nothing"), *mutations(sample, arguments.seed, arguments.each)]
        compare(name, cases, ours(layout), judge, tally)
    runners = samples.RUNNERS_OCTOBER if october else samples.RUNNERS_AUGUST
    cases = [
        case for case in mutations(runners, arguments.seed, arguments.each) if ("clusters" in case.value) == october
    ]
    compare("runners", cases, clean(runners_faults), lambda v: passes(lambda: models.validate_runner_config(v)), tally)
    for sample in samples.CHANGELOG:
        cases = mutations(sample, arguments.seed, arguments.each)
        entry = clean(lambda value: changelog_faults([value]))
        compare("changelog", cases, entry, lambda v: passes(lambda: models.ChangelogEntry(**v)), tally)
    for path in arguments.corpus:
        root = yaml.load(path.read_bytes(), yaml.CSafeLoader)
        eras = file_eras(root)
        for number, (key, value) in enumerate(root.items()):
            if Layout(eras.is_october(eras.era(value)), eras.era(value)) != layout:
                tally["entry of another era, passed over"] += 1
                continue
            cases = [
                Mutation(value, "nothing"),
                *mutations(value, arguments.seed + number, max(1, arguments.each // 20)),
            ]
            compare(key, cases, ours(layout), judge, tally)
    for reason, count in tally.items():
        print(f"{count:7} {reason}")
    return 1 if tally["UNEXPLAINED"] else 0


if __name__ == "__main__":
    sys.exit(main())
