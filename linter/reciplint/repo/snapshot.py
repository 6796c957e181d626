"""The files of a repository at one moment: the working tree, a git revision, a plain directory, or memory."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from reciplint.repo.git import STAGED, Git

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SKIPPED_DIRECTORIES = {".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__"}


class UnreadableFile(Exception):
    """A file or directory that exists and cannot be read; the text is for people."""


class Content(msgspec.Struct, frozen=True):
    """The bytes of a file and their git blob id. Over the size limit `data` is empty and `size` tells."""

    blob: str
    data: bytes
    size: int


class Snapshot(Protocol):
    """Files at one moment."""

    @property
    def commit(self) -> str | None:
        """The commit's id; None for files that are in no commit."""

    def paths(self) -> list[str]:
        """Every path, repository-relative, POSIX, sorted."""

    def blob_ids(self, paths: Iterable[str]) -> dict[str, str]:
        """The content id of each path that is there and can be told without reading more than needed."""

    def read(self, paths: Iterable[str]) -> dict[str, Content]:
        """The contents of each path that is there. Raises `UnreadableFile`."""


def blob_id(data: bytes) -> str:
    """The id that git (SHA-1 object format) gives these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


class Revision:
    """The tracked files of a commit, or those that are staged (`STAGED`), without a checkout."""

    def __init__(self, git: Git, commit: str, limit: int) -> None:
        self._git = git
        self._commit = None if commit == STAGED else commit
        self._limit = limit
        self._blobs = {file.path: file.blob for file in (git.staged() if commit == STAGED else git.tree(commit))}

    @property
    def commit(self) -> str | None:
        """The commit's id; None for what is staged."""
        return self._commit

    def paths(self) -> list[str]:
        """Every regular file of the commit."""
        return sorted(self._blobs)

    def blob_ids(self, paths: Iterable[str]) -> dict[str, str]:
        """Ids straight from the tree: nothing is read."""
        return {path: self._blobs[path] for path in paths if path in self._blobs}

    def read(self, paths: Iterable[str]) -> dict[str, Content]:
        """Contents through one `git cat-file`."""
        wanted = self.blob_ids(paths)
        contents = self._git.blobs(wanted.values(), self._limit)
        return {
            path: Content(blob, b"", content) if isinstance(content, int) else Content(blob, content, len(content))
            for (path, blob), content in zip(wanted.items(), contents, strict=True)
        }


class Directory:
    """Files on disk below a top directory; every file is read once and no link is followed."""

    def __init__(self, top: Path, paths: list[str], limit: int, commit: str | None = None) -> None:
        self._top = top
        self._paths = paths
        self._limit = limit
        self._commit = commit
        self._contents: dict[str, Content | None] = {}

    @staticmethod
    def working_tree(git: Git, limit: int) -> Directory:
        """Tracked files and untracked ones that git does not ignore."""
        return Directory(git.top, git.working_files(), limit)

    @staticmethod
    def plain(top: Path, limit: int) -> Directory:
        """A directory that is under no version control."""
        return Directory(top, sorted(_walk(top)), limit)

    @property
    def commit(self) -> str | None:
        """None: what is on disk is in no commit."""
        return self._commit

    def paths(self) -> list[str]:
        """Every path that is listed; one may be gone from the disk."""
        return self._paths

    def blob_ids(self, paths: Iterable[str]) -> dict[str, str]:
        """Ids of what is on disk now."""
        return {path: content.blob for path, content in self.read(paths).items()}

    def read(self, paths: Iterable[str]) -> dict[str, Content]:
        """Contents of regular files; links, devices and deleted files are left out."""
        found = {}
        for path in paths:
            if path not in self._contents:
                self._contents[path] = _read_file(str(self._top), path, self._limit)
            content = self._contents[path]
            if content is not None:
                found[path] = content
        return found


class Memory:
    """Files given as bytes, over another snapshot if there is one (an editor's unsaved buffer)."""

    def __init__(self, files: Mapping[str, bytes], below: Snapshot | None = None, commit: str | None = None) -> None:
        self._files = {path: Content(blob_id(data), data, len(data)) for path, data in files.items()}
        self._below = below
        self._commit = commit

    @property
    def commit(self) -> str | None:
        """The commit that these files were said to be."""
        return self._commit

    def paths(self) -> list[str]:
        """The paths of both layers."""
        return sorted({*self._files, *(self._below.paths() if self._below else ())})

    def blob_ids(self, paths: Iterable[str]) -> dict[str, str]:
        """Ids of both layers."""
        return {path: content.blob for path, content in self.read(paths).items()}

    def read(self, paths: Iterable[str]) -> dict[str, Content]:
        """Contents, the upper layer first."""
        wanted = list(paths)
        found = {path: self._files[path] for path in wanted if path in self._files}
        if self._below:
            found.update(self._below.read([path for path in wanted if path not in self._files]))
        return found


def _walk(top: Path) -> Iterable[str]:
    def refuse(error: OSError) -> None:
        raise UnreadableFile(f"{error.filename}: {error.strerror}")

    for directory, folders, names in os.walk(top, onerror=refuse):
        folders[:] = sorted(folder for folder in folders if folder not in _SKIPPED_DIRECTORIES)
        for name in names:
            yield Path(directory, name).relative_to(top).as_posix()


def _read_file(top: str, path: str, limit: int) -> Content | None:
    """The content of a regular file, through bare descriptors: hundreds are opened in each run."""
    try:
        descriptor = os.open(f"{top}/{path}", _FLAGS)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ELOOP, errno.ENOTDIR, errno.ENXIO):
            return None
        raise UnreadableFile(f"{path}: {error.strerror}") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        if status.st_size > limit:
            return Content(f"oversized-{status.st_size}-{status.st_mtime_ns}", b"", status.st_size)
        data = _read_all(descriptor, status.st_size)
    except OSError as error:
        raise UnreadableFile(f"{path}: {error.strerror}") from error
    finally:
        os.close(descriptor)
    return Content(blob_id(data), data, len(data))


def _read_all(descriptor: int, size: int) -> bytes:
    data = os.read(descriptor, size + 1)
    if len(data) == size:
        return data
    parts = [data]
    while part := os.read(descriptor, 1 << 16):
        parts.append(part)
    return b"".join(parts)
