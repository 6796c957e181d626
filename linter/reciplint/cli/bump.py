"""`reciplint bump`: another image for keys, their recipes and identity blocks, with the changelog entry."""

from __future__ import annotations

from typing import Unpack

import click

from reciplint.cli.progress import say
from reciplint.cli.proposing import Asked, proposal_options, propose
from reciplint.domain.bumping import NotBumped, bump
from reciplint.fix.proposal import carried_out
from reciplint.report.escape import MESSAGE_LIMIT, shown


@click.command("bump", short_help="another image for keys and what they run")
@click.argument("old", metavar="IMAGE-FROM")
@click.argument("new", metavar="IMAGE-TO")
@click.option("--key", "keys", multiple=True, metavar="KEY", help="Only this key, or with `*` these; repeatable.")
@proposal_options
def command(old: str, new: str, keys: tuple[str, ...], **asked: Unpack[Asked]) -> int:
    """Move every key that names IMAGE-FROM to IMAGE-TO: in the master config, in the recipes that it runs, and in what
    their identity blocks claim, with an entry in the changelog.

    The difference is shown; --write writes all of it or nothing. A recipe that other keys run too is refused. What a
    check would then find that it does not find now is told, with exit status 1.
    """
    proposing = propose(asked)
    try:
        found = bump(proposing.projects, old, new, keys)
    except NotBumped as reason:
        raise click.ClickException(str(reason)) from None
    status = proposing.conclude(carried_out(found.operations, proposing.read), found.by_hand)
    say(f"{old} → {new}: {shown(', '.join(found.keys), MESSAGE_LIMIT)}")
    return status
