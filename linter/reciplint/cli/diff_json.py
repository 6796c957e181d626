"""A difference as JSON, every field by the name that people know it by."""

from __future__ import annotations

from typing import Any

import msgspec

from reciplint.domain.diff import Diff
from reciplint.domain.matrix import Totals
from reciplint.report.jsontext import dumps


def render(diff: Diff, base: str, head: str | None) -> str:
    """The difference; `head` null is the working tree."""
    return dumps(
        {
            "schema": "reciplint/diff-v1",
            "base": base,
            "head": head,
            "keys": [_plain(key) for key in diff.keys],
            "recipes": [_plain(recipe) for recipe in diff.recipes],
            "recipes-only-restyled": diff.restyled,
            "changelog": {
                "needed": [_plain(need) for need in diff.needs],
                "uncovered": [need.key for need in diff.uncovered],
                "added": [_plain(entry) for entry in diff.entries],
                "started": _totals(diff.started),
            },
            "owners": {
                "file": diff.owners_file or None,
                "touched": list(diff.touched),
                "signers": None if diff.signers is None else _plain(diff.signers),
            },
            "totals": {
                "before": _totals(diff.before),
                "after": _totals(diff.after),
                "fleets": {
                    runner: {
                        "before": _totals(diff.before_fleets.get(runner)),
                        "after": _totals(diff.after_fleets.get(runner)),
                    }
                    for runner in sorted({*diff.before_fleets, *diff.after_fleets})
                },
            },
        }
    )


def _plain(value: object) -> Any:
    return _dashed(msgspec.to_builtins(value))


_DATA = frozenset({"recipes", "files"})  # mappings whose keys are paths and names, not fields


def _dashed(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name.replace("_", "-"): item if name in _DATA and isinstance(item, dict) else _dashed(item)
            for name, item in value.items()
        }
    return [_dashed(item) for item in value] if isinstance(value, (list, tuple)) else value


def _totals(total: Totals | None) -> dict[str, Any]:
    if total is None:
        return {"points": 0, "jobs": 0, "gpus": 0, "gpu-hours": 0}
    return {
        "points": total.points,
        "jobs": total.jobs,
        "gpus": total.gpus,
        "gpu-hours": round(total.gpu_hours, 2),
    }
