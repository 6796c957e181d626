"""The four ratios of the budget, each beside a bare libyaml compose of the same files in the same run.

    python benchmarks/speed.py                                              # on a generated repository
    python benchmarks/speed.py --repository DIR --base REV --head REV       # on one of yours

The exit status is 0 when every ratio holds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from generate import commit_twice, generate
from measure import RECIPLINT, Measured, compose, measure, yaml_files

BUDGETS = (
    ("--version", "python -c pass", 6.0),
    ("cold", "libyaml compose", 2.5),
    ("warm", "libyaml compose", 0.6),
    ("compare, warm", "libyaml compose", 1.2),
)
MEMORY = 250.0


def run(top: Path, base: str, head: str, rounds: int, cache: Path) -> dict[str, list[Measured]]:
    """Every measurement, taken in turns so that a busy machine disturbs all alike."""
    names = yaml_files(top)
    everything = [*RECIPLINT, "check", "--fail-on", "never"]
    compare = [*RECIPLINT, "check", "--base", base, "--head", head]
    measure(everything, top, cache)
    measure(compare, top, cache)
    found: dict[str, list[Measured]] = {}
    for _ in range(rounds):
        for name, command in (
            ("python -c pass", [sys.executable, "-c", "pass"]),
            ("--version", [*RECIPLINT, "--version"]),
            ("cold", [*everything, "--no-cache"]),
            ("warm", everything),
            ("compare, warm", compare),
        ):
            found.setdefault(name, []).append(measure(command, top, cache))
        found.setdefault("libyaml compose", []).append(compose(top, cache, names))
    return found


def report(found: dict[str, list[Measured]]) -> bool:
    """Print medians and ratios; whether all hold."""
    seconds = {name: statistics.median(item.seconds for item in items) for name, items in found.items()}
    for name, items in found.items():
        print(f"  {seconds[name]:7.3f} s  {max(item.megabytes for item in items):6.0f} MB  {name}")
    holds = True
    for name, beside, most in BUDGETS:
        ratio = seconds[name] / seconds[beside]
        holds &= ratio <= most
        print(f"  {'ok ' if ratio <= most else 'NOT'} {name} / {beside}: {ratio:.2f}, at most {most}")
    peak = max(item.megabytes for items in found.values() for item in items)
    print(f"  {'ok ' if peak <= MEMORY else 'NOT'} memory: {peak:.0f} MB, at most {MEMORY:.0f}")
    return holds and peak <= MEMORY


def main() -> int:
    """Measure and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repository", type=Path)
    parser.add_argument("--base", default="base")
    parser.add_argument("--head", default="head")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--recipes", type=int, default=500, help="of the generated repository")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        top = options.repository
        if top is None:
            top = Path(temporary) / "repository"
            generate(top, options.recipes)
            commit_twice(top)
        return 0 if report(run(top, options.base, options.head, options.rounds, Path(temporary) / "cache")) else 1


if __name__ == "__main__":
    raise SystemExit(main())
