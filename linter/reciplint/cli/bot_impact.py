"""The benchmark impact that the bot tells: of two revisions, or as far as the JSON of an untrusted run may tell it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from reciplint.bot.artifact import ArtifactRefused
from reciplint.bot.model import Impact
from reciplint.domain.diff import Diff, Need
from reciplint.domain.matrix import Totals
from reciplint.domain.point_diff import KeyDiff
from reciplint.domain.recipe_diff import RecipeDiff

_Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
_Hours = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
_Name = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9][A-Za-z0-9._:*-]{0,149}\Z")]
"""A key, a scenario or a runner as these are named; nothing that reads as a sentence fits."""
_Status = Literal["added", "removed", "changed"]


def impact_of(diff: Diff) -> Impact:
    """The impact as data for the texts; an empty one where nothing of the benchmark changes."""
    from reciplint.cli.diff_view import fleet_rows, summary

    if not (diff.keys or diff.recipes or diff.needs or diff.entries):
        return Impact()
    signers = diff.signers
    rows = [tuple(map(str, row)) for row in fleet_rows(diff)]
    return Impact(
        headline=summary(diff),
        fleets=tuple(rows[:-1]),
        total=rows[-1],
        uncovered=tuple((need.key, ", ".join(need.uncovered), need.reason) for need in diff.uncovered),
        owners_alone=signers.alone if signers else (),
        owners=tuple(signers.files) if signers else (),
    )


class _Key(msgspec.Struct, frozen=True):
    key: _Name
    status: _Status
    added: _Count
    removed: _Count
    changed: _Count

    def known(self) -> KeyDiff:
        """The counts alone."""
        return KeyDiff(self.key, "", self.status, added=self.added, removed=self.removed, changed=self.changed)


class _Recipe(msgspec.Struct, frozen=True):
    status: _Status


class _Need(msgspec.Struct, frozen=True):
    key: _Name
    uncovered: tuple[_Name, ...]


class _Changelog(msgspec.Struct, frozen=True):
    needed: tuple[_Need, ...]


class _Totals(msgspec.Struct, frozen=True, rename="kebab"):
    points: _Count
    jobs: _Count
    gpus: _Count
    gpu_hours: _Hours

    def of(self, runner: str) -> Totals:
        """As if one fleet ran it all: the sums are what is told."""
        return Totals(self.points, self.jobs, self.gpus, {runner: self.jobs}, {runner: self.gpu_hours})


class _Fleet(msgspec.Struct, frozen=True):
    before: _Totals
    after: _Totals


class _AllTotals(_Fleet, frozen=True):
    fleets: dict[_Name, _Fleet]


class _Told(msgspec.Struct, frozen=True):
    """What is taken of `reciplint diff --format json`: counts, and names that can be nothing else. Reasons, recipes'
    settings and code owners are free text or would have to be believed, so they are not."""

    schema: Literal["reciplint/diff-v1"]
    head: str | None
    keys: tuple[_Key, ...]
    recipes: tuple[_Recipe, ...]
    changelog: _Changelog
    totals: _AllTotals


def untrusted_impact(value: object, head: str) -> Impact:
    """The impact of a difference that nobody vouches for. Raises `ArtifactRefused`."""
    try:
        told = msgspec.convert(value, _Told)
    except msgspec.ValidationError:
        raise ArtifactRefused("it is no reciplint/diff-v1 of counts and names") from None
    if told.head != head:
        raise ArtifactRefused(f"it is about another commit than {head[:12]}, on which the pull request stands")
    totals = told.totals
    return impact_of(
        Diff(
            keys=tuple(key.known() for key in told.keys),
            recipes=tuple(RecipeDiff("", recipe.status) for recipe in told.recipes),
            restyled=0,
            needs=tuple(Need(n.key, n.uncovered, "", False, (), n.uncovered) for n in told.changelog.needed),
            entries=(),
            before=totals.before.of("all"),
            after=totals.after.of("all"),
            before_fleets={runner: fleet.before.of(runner) for runner, fleet in totals.fleets.items()},
            after_fleets={runner: fleet.after.of(runner) for runner, fleet in totals.fleets.items()},
            started=Totals(0, 0, 0, {}, {}),
            touched=(),
        )
    )
