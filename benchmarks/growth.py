"""Time and memory as a repository grows, on generated ones.

    python benchmarks/growth.py [100 1000 10000]

Every column should be a straight line; `cold / compose` should not climb.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from generate import generate
from measure import RECIPLINT, compose, measure, yaml_files

SIZES = (100, 1000, 10000)


def row(recipes: int, temporary: Path) -> str:
    """One line of the table."""
    top, cache = temporary / f"repository-{recipes}", temporary / f"cache-{recipes}"
    size = generate(top, recipes)
    bare = compose(top, cache, yaml_files(top))
    everything = [*RECIPLINT, "check", "--fail-on", "never"]
    cold = measure([*everything, "--no-cache"], top, cache)
    measure(everything, top, cache)
    warm = measure(everything, top, cache)
    kept = sum(file.stat().st_size for file in cache.iterdir()) / 1e6
    return (
        f"{recipes:8} {size / 1e6:7.1f} {bare.seconds:10.2f} {cold.seconds:8.2f} {cold.seconds / bare.seconds:15.2f}"
        f" {1e3 * cold.seconds / recipes:15.2f} {warm.seconds:8.2f} {1e3 * warm.seconds / recipes:15.2f}"
        f" {cold.megabytes:9.0f} {warm.megabytes:9.0f} {kept:9.0f}"
    )


def main() -> None:
    """Print the table."""
    sizes = [int(argument) for argument in sys.argv[1:]] or SIZES
    print(
        f"{'recipes':>8} {'MB':>7} {'compose s':>10} {'cold s':>8} {'cold / compose':>15} {'cold ms/recipe':>15}"
        f" {'warm s':>8} {'warm ms/recipe':>15} {'cold MB':>9} {'warm MB':>9} {'cache MB':>9}"
    )
    for recipes in sizes:
        with tempfile.TemporaryDirectory() as temporary:
            print(row(recipes, Path(temporary)), flush=True)


if __name__ == "__main__":
    main()
