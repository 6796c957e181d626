"""Write a repaired file: whole or not at all, with its mode, through no link and nowhere outside the root."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path


class NotWritten(Exception):
    """A file that was left as it was; the text says why."""


def write_file(root: Path, path: str, before: bytes, after: bytes) -> None:
    """Replace `before` by `after` in `root/path`. Raises `NotWritten` if the file is not what was read, is a link or
    lies outside, or if the disk refuses; the old file is then untouched."""
    file = root / path
    try:
        if file.is_symlink() or not file.resolve().is_relative_to(root.resolve()):
            raise NotWritten(f"{path} is a link or leads outside of the repository")
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            raise NotWritten(f"{path} is no regular file")
        if not os.access(file, os.W_OK):
            raise NotWritten(f"{path} is read-only")
        if file.read_bytes() != before:
            raise NotWritten(f"{path} changed while it was checked")
        _replace(file, after, stat.S_IMODE(status.st_mode))
    except OSError as error:
        raise NotWritten(f"{path}: {error.strerror}") from error


def _replace(file: Path, data: bytes, mode: int) -> None:
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "wb") as temporary:
            temporary.write(data)
            temporary.flush()
            os.fsync(descriptor)
        Path(name).chmod(mode)
        Path(name).replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
