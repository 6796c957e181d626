"""`reciplint new`: a key made after a sibling, with its recipes and its changelog entry."""

from __future__ import annotations

from typing import Unpack

import click

from reciplint.cli.proposing import Asked, Twin, proposal_options, propose
from reciplint.domain.master import MasterEntry, read_master
from reciplint.domain.near_names import meant
from reciplint.domain.sibling_copy import Copy, copy_sibling
from reciplint.domain.sibling_copy_name import NotCopied
from reciplint.fix.proposal import copied_files
from reciplint.yamltree.parse import parse


@click.command("new", short_help="a key made after a sibling")
@click.argument("key")
@click.option("--from", "sibling", required=True, metavar="SIBLING", help="The key to copy.")
@proposal_options
def command(key: str, sibling: str, **asked: Unpack[Asked]) -> int:
    """Copy SIBLING's key, the recipes that it runs and write a changelog entry, with the words of the name changed to
    KEY's wherever they stand in names, paths and fields.

    The difference is shown; --write writes all of it or nothing. What does not follow from the name and from what the
    repository says is listed as to do by hand. What a check would then find that it does not find now, in SIBLING
    either, is told with exit status 1.
    """
    proposing = propose(asked)
    projects = proposing.projects
    project = next((project for project in projects if sibling in project.keys), None)
    if project is None:
        slip = meant(sibling, [name for project in projects for name in project.keys])
        raise click.ClickException(f"no master config has a key {sibling}{f'; {slip} was meant?' if slip else ''}")
    try:
        copy = copy_sibling(project, sibling, key)
    except NotCopied as reason:
        raise click.ClickException(str(reason)) from None
    files = copied_files(copy, proposing.read)
    return proposing.conclude(files, copy.by_hand, _twin(copy, project.keys[sibling][1], files[copy.master]))


def _twin(copy: Copy, sibling: MasterEntry, master: bytes) -> Twin:
    """Where what stands in the copies was copied from."""
    sources = {recipe.path: recipe.source for recipe in copy.recipes}
    entries = read_master(parse(master)).entries
    start = next(entry.key_span.line for entry in entries if entry.key == copy.key)

    def twin(path: str, line: int) -> tuple[str, int] | None:
        if path in sources:
            return sources[path], line
        shift = start - sibling.key_span.line
        return (path, line - shift) if path == copy.master and start <= line < start + shift else None

    return twin
