"""A checkout of another repository that the settings name: its facts, read once when a command opens its own."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from reciplint.domain.document import Document
from reciplint.domain.master import read_master
from reciplint.engine.settings import Settings
from reciplint.repo.kinds import Kind

_MASTERS = ("configs/*-master.yaml", ".github/configs/*-master.yaml", "configs/deprecated/*-master.yaml")
_RULE = "preset-link"


def with_checkout(settings: Settings, top: Path) -> Settings:
    """The settings with the master keys of the checkout that presets of vLLM recipes link to, if one is named.

    Raises `click.UsageError` where no master config lies in it.
    """
    named = settings.options.get(_RULE, {}).get("checkout")
    if not named or settings.is_off(_RULE):
        return settings
    home = top / str(named)
    files = sorted(file for pattern in _MASTERS for file in home.glob(pattern))
    if not files:
        raise click.UsageError(f"rules.{_RULE}: checkout is {named!r}, and no master config lies below it")
    trees = (Document(file.name, Kind.MASTER, file.read_bytes()).tree for file in files)
    keys = {entry.key for tree in trees if tree is not None for entry in read_master(tree).entries}
    return msgspec.structs.replace(settings, preset_keys=tuple(sorted(keys)))
