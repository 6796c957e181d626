"""Rows beside the variants of the recipes that they run.

A reference names a variant (`:override_x`, `:zip_override_x[2]`), a group (`:zip_override_x`: every point of it), or a
file alone: a plain recipe, or every variant of a bundle but its base. A single-node row of era C gives no selector; the
launcher picks the variant by GPUs, concurrency and offloading, so that each concurrency may run another one.

Source: srt-slurm's selector syntax (its overrides guide, August 2026), and the launchers of October.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from reciplint.domain.master import Workers
from reciplint.domain.recipe import RecipeFile
from reciplint.domain.recipe_variant import RecipeRole, Variant
from reciplint.domain.references import Use
from reciplint.domain.variant_match import fit, runs_at


class Pair(msgspec.Struct, frozen=True):
    """A row and a variant that it runs at `concurrencies`, with the path of the variant's file."""

    use: Use
    path: str
    variant: Variant
    concurrencies: tuple[int, ...]

    def roles(self) -> Iterator[tuple[Workers, RecipeRole]]:
        """Each worker block of the row beside the recipe's role. Era A writes an aggregate as a `prefill` block beside
        a `decode` of no workers; a block whose role the recipe has not is left out."""
        for workers in self.use.row.workers:
            if workers.count == 0:
                continue
            role = self.variant.role("agg" if workers.role == "worker" else workers.role)
            if role is None and workers.role == "prefill":
                role = self.variant.role("agg")
            if role is not None:
                yield workers, role


class Match(NamedTuple):
    """One concurrency of a single-node row and the variants that fit it: the launcher asks for exactly one. Of a
    variant that is not `certain`, something that decides is not known."""

    use: Use
    path: str
    concurrency: int
    variants: tuple[Variant, ...]
    certain: tuple[Variant, ...]


def is_matched(use: Use, recipe: RecipeFile) -> bool:
    """Whether the launcher chooses the variant: a single-node row of era C that names a bundle alone."""
    reference = use.reference
    is_bundle = any(variant.selector for variant in recipe.facts.variants)
    return reference.era == "C" and not use.entry.multinode and not reference.selector and is_bundle


def pairs(use: Use, recipe: RecipeFile) -> Iterator[Pair]:
    """Each variant that a use runs; a use whose concurrency fits no variant, or several, has none there."""
    if is_matched(use, recipe):
        chosen: dict[str, list[int]] = defaultdict(list)
        by_name = {variant.selector: variant for variant in recipe.facts.variants}
        for match in matches(use, recipe):
            if len(match.variants) == 1:
                chosen[match.variants[0].selector].append(match.concurrency)
        for selector, concurrencies in chosen.items():
            yield Pair(use, recipe.path, by_name[selector], tuple(concurrencies))
        return
    for variant in selected(use.reference.selector, recipe.facts.variants):
        yield Pair(use, recipe.path, variant, use.row.concurrencies)


def selected(selector: str, variants: Iterable[Variant]) -> list[Variant]:
    """The variants that a selector runs; none where it names nothing."""
    listed = list(variants)
    if not selector:
        return [variant for variant in listed if variant.selector != "base"]
    exact = [variant for variant in listed if variant.selector == selector]
    return exact or [variant for variant in listed if variant.selector.startswith(f"{selector}[")]


def matches(use: Use, recipe: RecipeFile) -> Iterator[Match]:
    """For each concurrency of a single-node row, the variants that fit it."""
    fits = [(variant, fit(use, variant)) for variant in selected("", recipe.facts.variants)]
    fitting = [(variant, found.is_certain) for variant, found in fits if not found.unlike]
    for concurrency in use.row.concurrencies:
        found = [(variant, is_certain) for variant, is_certain in fitting if runs_at(variant, concurrency)]
        certain = tuple(variant for variant, is_certain in found if is_certain)
        yield Match(use, recipe.path, concurrency, tuple(variant for variant, _ in found), certain)
