"""Which changed keys no added changelog entry names: what `changelog-required` reports and `changelog add` writes."""

from __future__ import annotations

from msgspec.structs import replace

from reciplint.domain.changelog import added_entries
from reciplint.domain.impact import Impact, impacts
from reciplint.domain.project import Change


def uncovered(change: Change) -> list[Impact]:
    """The impacts that the entries added by a change leave open; `kinds` are the scenario kinds still to be named."""
    before = change.base.changelog if change.base is not None else None
    added = added_entries(before, change.head.changelog)
    found = []
    for impact in impacts(change):
        kinds = tuple(kind for kind in impact.kinds if not any(e.covers(impact.entry.key, kind) for e in added))
        if kinds:
            found.append(replace(impact, kinds=kinds))
    return found
