"""Fix the working tree: what `check --fix` and `fix` share."""

from __future__ import annotations

from dataclasses import dataclass, replace

import click

from reciplint.cli.patching import echo_diff
from reciplint.cli.repository import Repository
from reciplint.engine.cache import Cache
from reciplint.engine.run import Outcome, Request, run
from reciplint.fix.session import Fixed, fix_tree
from reciplint.fix.write import write_file
from reciplint.repo.snapshot import Memory
from reciplint.report.escape import shown
from reciplint.rules.finding import Finding


@dataclass(frozen=True)
class Fixing:
    """How to fix: unsafe fixes too or not; write, or only show the difference."""

    unsafe: bool
    write: bool


def fix_working_tree(repository: Repository, request: Request, outcome: Outcome, cache: Cache, how: Fixing) -> Fixed:
    """Apply the fixes of an outcome to the working tree, or print what they would change."""

    def read(path: str) -> bytes:
        return request.head.read([path])[path].data

    def lint(files: dict[str, bytes]) -> list[Finding]:
        again = replace(request, head=Memory(files, request.head))
        return [item.finding for item in run(again, repository.rules, repository.settings, cache).findings]

    fixed = fix_tree([item.finding for item in outcome.findings], read, lint, how.unsafe)
    for path, data in sorted(fixed.files.items()):
        if how.write:
            write_file(repository.top, path, read(path), data)
        else:
            echo_diff(path, read(path), data)
    for reason in fixed.refused:
        click.echo(f"reciplint: not fixed: {shown(reason)}", err=True)
    return fixed
