"""What a run can fail on that is not a crash: told in one line, exit status 2."""

from __future__ import annotations

from reciplint.engine.baseline import BaselineError
from reciplint.engine.run import NothingMatched
from reciplint.engine.settings import SettingsError
from reciplint.fix.proposal import NotProposed
from reciplint.fix.write import NotWritten
from reciplint.repo.git import GitError
from reciplint.repo.snapshot import UnreadableFile

FAULTS: tuple[type[Exception], ...] = (
    GitError,
    SettingsError,
    BaselineError,
    UnreadableFile,
    NothingMatched,
    NotProposed,
    NotWritten,
    OSError,
)
