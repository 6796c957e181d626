"""Rows that name recipes of which one file is to be made: what they would say then, and why some cannot say it.

srt-slurm takes `path:override_<name>` wherever it takes a path (its `parse_config_arg`, August 2026), and the launchers
of `CONFIG_FILE` hand it on whole. What opens the file by itself, or chooses the variant, knows no selector.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import dirname
from typing import NamedTuple

from reciplint.domain.acceptance import is_left_to_launcher, is_switched_on
from reciplint.domain.launcher_edits import (
    DELETED_KEY,
    HEADER_EDITED_ENGINE,
    READ_ONCE_KEY,
    RENAMED_GPU,
    edited_in_place,
)
from reciplint.domain.near_copies import Copy, Group
from reciplint.domain.override_text import OneFile
from reciplint.domain.project import Project
from reciplint.domain.references import Use
from reciplint.yamltree.spans import Span

SCRIPTED = "a script names them"
COPIED = "launchers may copy files of these names over others"
SEVERAL = "a row may mean files of several directories"
CHOSEN = "a row on one node names no variant, its launcher chooses"
OPENED = "llm-d opens the file that a row names"
RENAMED = "a launcher edits the file by the name that a row gives"
HEADERS = "a launcher looks for environments at their depth to simulate acceptance"
IN_PLACE = "a launcher edits {key} where it stands"
DELETED = f"a launcher deletes lines of {DELETED_KEY}"
READ_ONCE = f"a launcher reads one {READ_ONCE_KEY} for the whole file"

_SETTINGS = {"A": ("CONFIG_FILE=", "EVAL_CONFIG_FILE="), "": ("srt-recipe: ", "eval-srt-recipe: ")}
_ANY = re.compile(r"\$\{[^}]*\}|\$\w+|\{[^}]*\}|\*")
_HOME = re.compile(r"^(?:\$\{[^}]*\}|\$\w+)?/?(?:recipes/)?")
_TELLING = 8  # literal characters that a pattern needs before it says anything


class RowChange(NamedTuple):
    """A place of a master config that names a recipe: what it says, and what it would say."""

    path: str
    span: Span
    now: str
    then: str


def row_changes(project: Project, made: OneFile) -> list[RowChange]:
    """Every reference to the recipes that one file stands for, retired ones too, by place."""
    found = {}
    for path, override in made.overrides.items():
        for use in _uses(project, path):
            reference = use.reference
            lead = _SETTINGS["A" if reference.era == "A" else ""][reference.purpose == "evaluation"]
            folder = dirname(reference.text)
            named = f"{folder}/{made.name}" if folder else made.name
            now = f"{reference.text}:{reference.selector}" if reference.selector else reference.text
            change = RowChange(use.master, reference.span, f"{lead}{now}", f"{lead}{named}:{override}")
            found[use.master, reference.span] = change
    return [found[place] for place in sorted(found)]


def refusal(project: Project, group: Group) -> str:
    """Why a group cannot become one file without a change to a launcher or a script; "" where it can."""
    if _named_by_scripts(project, group):
        return SCRIPTED
    for copy in group.copies:
        uses = _uses(project, copy.path)
        if not uses and project.resolver.may_be_copied(copy.path):
            return COPIED
        for use in uses:
            why = _of_use(project, use) or _of_edits(project, group, copy, use)
            if why:
                return why
    return ""


def _uses(project: Project, path: str) -> list[Use]:
    return [*project.resolver.active.get(path, ()), *project.resolver.archived.get(path, ())]


def _of_use(project: Project, use: Use) -> str:
    if (use.entry.framework or "").startswith("llmd"):
        return OPENED
    if use.reference.era != "A" and not use.entry.multinode:
        return CHOSEN
    return SEVERAL if len(project.resolver.resolve(use).files) > 1 else ""


def _of_edits(project: Project, group: Group, copy: Copy, use: Use) -> str:
    """What a launcher of `CONFIG_FILE` would no longer edit as it does; those of the later layout edit no text."""
    if use.reference.era != "A":
        return ""
    facts = project.recipes[copy.path].facts
    if facts.gpu_type.startswith(RENAMED_GPU):
        return RENAMED
    if is_switched_on(use.row) and facts.engine == HEADER_EDITED_ENGINE:
        return HEADERS
    differing = {place[-1] for place in _differing(group)}
    if DELETED_KEY in differing:
        return DELETED
    if READ_ONCE_KEY in differing and is_left_to_launcher(use.row):
        return READ_ONCE
    key = edited_in_place(copy.plain, facts.gpu_type)
    return IN_PLACE.format(key=key) if key else ""


def _differing(group: Group) -> Iterator[tuple[str, ...]]:
    """The settings in which any of the group differs from the first."""
    first = group.first.settings
    for copy in group.others:
        for place in first.keys() | copy.settings.keys():
            if place and first.get(place) != copy.settings.get(place):
                yield place


def _named_by_scripts(project: Project, group: Group) -> bool:
    """Whether a script names one of a group, by its path or as rows name it, or matches it by a pattern, which would
    not match a selector. A name alone counts wherever the file lies, a path only there."""
    names = {copy.path for copy in group.copies}
    names |= {use.reference.text for copy in group.copies for use in _uses(project, copy.path)}
    for mention in {mention for mentions in project.mentions.values() for mention in mentions.paths}:
        written = _HOME.sub("", mention)
        if _ANY.search(written) and len(_ANY.sub("", written).removesuffix(".yaml")) < _TELLING:
            continue
        pattern = re.compile(f"(?:^|/){'.*'.join(map(re.escape, _ANY.split(written)))}$")
        if any(map(pattern.search, names)):
            return True
    return False
