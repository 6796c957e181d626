"""What srt-slurm makes of a file with a `base` and overrides, told again by its guide, on what PyYAML loads."""

from __future__ import annotations

import copy
from typing import Any

import yaml


def loaded(text: str) -> dict[str, Any]:
    """A text as srt-slurm loads it."""
    value: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return value


def submitted(text: str, selector: str) -> dict[str, Any]:
    """The recipe that `srtctl apply -f file.yaml:override_x` runs."""
    whole = loaded(text)
    above = whole[selector]
    merged = _merged(whole["base"], above)
    if "name" not in above:
        merged["name"] = f"{whole['base'].get('name', 'unnamed')}_{selector.removeprefix('override_')}"
    return merged


def _merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    result = copy.deepcopy(below)
    for key, value in above.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = _merged(result[key], value)
        else:
            result[key] = copy.deepcopy(value)
    return result
