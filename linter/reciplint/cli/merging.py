"""The sides of a merge of changelogs, and which of them is the base branch, whose text stands.

Git's "ours" and "theirs" do not tell: in a rebase, ours is the base branch.
"""

from __future__ import annotations

import os
from typing import Literal, NamedTuple

import click

from reciplint.cli.repository import Repository
from reciplint.repo.git import Git, GitError

Side = Literal["ours", "theirs"]

_REPLAYS = ("rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD")


class Sides(NamedTuple):
    """What `merge` takes: the common ancestor, this branch, and the base branch."""

    base: bytes
    ours: bytes
    theirs: bytes


def is_in_conflict(git: Git | None, path: str) -> bool:
    """Whether the index holds sides of an unfinished merge of a file."""
    return git is not None and any(git.stage(path, number) is not None for number in (2, 3))


def sides_of_conflict(git: Git, path: str, upstream: str) -> Sides:
    """The sides of git's unfinished merge; `upstream` is git's name of the base branch's."""
    base, ours, theirs = (git.stage(path, number) for number in (1, 2, 3))
    if ours is None or theirs is None:
        raise click.ClickException(f"{path} was deleted on one side: keep it or drop it, then merge")
    return Sides(base or b"", ours, theirs) if upstream == "theirs" else Sides(base or b"", theirs, ours)


def sides_with_base(repository: Repository, path: str, base: str, ours: bytes) -> Sides:
    """The working tree's text against a base branch."""
    ancestor = repository.base_commit(base, None)
    assert repository.git is not None
    theirs = _content(repository.git, repository.git.commit(base), base, path)
    return Sides(repository.git.content(f"{ancestor}:{path}") or b"", ours, theirs)


def sides_of_revisions(repository: Repository, path: str, ours: str, theirs: str) -> Sides:
    """The texts of two revisions."""
    ancestor = repository.base_commit(theirs, ours)
    git = repository.git
    assert git is not None
    mine, other = (_content(git, git.commit(name), name, path) for name in (ours, theirs))
    return Sides(git.content(f"{ancestor}:{path}") or b"", mine, other)


def _content(git: Git, commit: str, name: str, path: str) -> bytes:
    data = git.content(f"{commit}:{path}")
    if data is None:
        raise click.ClickException(f"{name} has no {path}")
    return data


def base_side(git: Git | None, is_pending: bool) -> Side:
    """The base branch's side in whatever git is doing; `is_pending` says that it has a merge of this file at hand.

    In a merge it is what is merged in, unless a branch is merged into the default branch; in a rebase, a cherry-pick
    or a stash the commits of this branch are put on top of ours.
    """
    if git is None:
        return "theirs"
    merged = _merged(git)
    if git.is_in_progress(*_REPLAYS):
        return "ours"
    if merged is None:
        return "ours" if is_pending else "theirs"
    return "ours" if _is_home(git) and not _is_published(git, merged) else "theirs"


def _merged(git: Git) -> str | None:
    """What is merged in: git tells its drivers by a variable, and everyone else by a file."""
    for name in os.environ:
        if name.startswith("GITHEAD_"):
            return name.removeprefix("GITHEAD_")
    return "MERGE_HEAD" if git.is_in_progress("MERGE_HEAD") else None


def _is_home(git: Git) -> bool:
    default = git.default_branch()
    branch = git.branch()
    return branch == default if default is not None else branch in ("main", "master")


def _is_published(git: Git, commit: str) -> bool:
    """Whether the remote's own state of this branch holds a commit already (as when it is pulled)."""
    try:
        upstream = git.commit(f"refs/remotes/origin/{git.branch()}")
        return git.merge_base(upstream, commit) == git.commit(commit)
    except GitError:
        return False
