"""Write files: all or none, each whole, with its mode, through no link and nowhere outside the root.

New texts are first written beside the files that they replace, and only when all of them are on the disk do they get
their names; what fails on the way is taken back. Directories are held open, so that nobody can put a link in the place
of one meanwhile.
"""

from __future__ import annotations

import os
import secrets
import signal
import stat
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath

_HELD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class NotWritten(Exception):
    """Files that were left as they were; the text says why."""


class _NotPutBack(NotWritten):
    """Files that have their new texts although others have not; the text says where the old ones are."""


def write_file(root: Path, path: str, before: bytes, after: bytes) -> None:
    """Replace `before` by `after` in `root/path`. Raises `NotWritten`, and has changed nothing then."""
    write_files(root, {path: after}, {path: before})


def write_files(root: Path, after: Mapping[str, bytes], before: Mapping[str, bytes]) -> None:
    """Give the files of `after`, by their paths below `root`, new contents. `before` has what was read of those that
    stand; the others are new. Raises `NotWritten` if a file is not what was read, is a link or lies outside, or if the
    disk refuses: none is changed then."""
    with ExitStack() as stack:
        try:
            folders = stack.enter_context(_Folders.below(root))
        except OSError as error:
            raise NotWritten(f"{root}: {error.strerror}") from error
        files = [_File(folders, path, before.get(path), data) for path, data in sorted(after.items())]
        stack.callback(_clear, files)
        try:
            for file in files:
                file.prepare(keep=len(files) > 1)
            with _held():
                _put(files)
        except _NotPutBack:
            raise
        except NotWritten as reason:
            if len(files) == 1:
                raise
            raise NotWritten(f"{reason}; none of the {len(files)} files was changed") from reason
        folders.sync()


def _put(files: list[_File]) -> None:
    """Let every new text take its place, or none."""
    try:
        for file in files:
            file.check()
        for file in files:
            file.put()
    except BaseException as error:
        left = [told for file in reversed(files) if (told := file.put_back())]
        if left:
            raise _NotPutBack("; ".join([str(error) or "interrupted", *left])) from error
        raise


def _clear(files: list[_File]) -> None:
    with _held():
        for file in files:
            file.clear()


@contextmanager
def _held() -> Iterator[None]:
    """Let Ctrl-C and its like wait until this is done. Blocking them would let another thread of the process take them,
    for which Python interrupts the main thread all the same; of any other thread it interrupts nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: handler for number in _HELD if (handler := signal.getsignal(number)) is not None}
    for number in before:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for late in came:
            signal.raise_signal(late)


class _Folders:
    """Directories below a root, opened through no link and held open."""

    def __init__(self, root: Path) -> None:
        self._open: dict[tuple[str, ...], int] = {(): os.open(root, _FOLDER)}
        self._made: list[tuple[int, str]] = []

    @classmethod
    @contextmanager
    def below(cls, root: Path) -> Iterator[_Folders]:
        """Held open meanwhile; those that were made and stay empty are removed in the end. Raises `OSError`."""
        folders = cls(root)
        try:
            yield folders
        finally:
            for outer, name in reversed(folders._made):
                with suppress(OSError):
                    os.rmdir(name, dir_fd=outer)
            for descriptor in folders._open.values():
                os.close(descriptor)

    def enter(self, parts: tuple[str, ...], make: bool) -> int:
        """The descriptor of a directory. Raises `OSError`."""
        if parts not in self._open:
            outer, name = self.enter(parts[:-1], make), parts[-1]
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=outer)
                    self._made.append((outer, name))
            self._open[parts] = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=outer)
        return self._open[parts]

    def is_linked(self, parts: tuple[str, ...]) -> bool:
        """Whether the first part that cannot be entered is a link."""
        known = max((depth for depth in range(len(parts)) if parts[:depth] in self._open), default=0)
        with suppress(OSError):
            status = os.stat(parts[known], dir_fd=self._open[parts[:known]], follow_symlinks=False)
            return stat.S_ISLNK(status.st_mode)
        return False

    def sync(self) -> None:
        """Have the names on the disk, where the file system can."""
        for descriptor in self._open.values():
            with suppress(OSError):
                os.fsync(descriptor)


class _File:
    """A file on its way to a new text, which waits beside it; with `keep`, so does the old one."""

    def __init__(self, folders: _Folders, path: str, before: bytes | None, after: bytes) -> None:
        self.path = path
        self._folders = folders
        self._before, self._after = before, after
        self._name = PurePosixPath(path).name
        self._mode: int | None = None
        self._folder = -1
        self._new = self._old = ""
        self._is_put = False

    def prepare(self, keep: bool) -> None:
        """Write the new text. Raises `NotWritten`."""
        with self._told():
            self._enter()
            self.check()
            self._new = _beside()
            self._write(self._new, self._after)
            if keep and self._before is not None:
                self._old = _beside()
                try:
                    os.link(self._name, self._old, src_dir_fd=self._folder, dst_dir_fd=self._folder)
                except OSError:  # a file system without links
                    self._write(self._old, self._before)

    def _enter(self) -> None:
        path = PurePosixPath(self.path)
        parts = path.parent.parts
        if path.is_absolute() or ".." in path.parts:
            raise NotWritten(f"{self.path} is a link or leads outside of the repository")
        try:
            self._folder = self._folders.enter(parts, make=self._before is None)
        except OSError as error:
            if self._folders.is_linked(parts):
                raise NotWritten(f"{self.path} is a link or leads outside of the repository") from error
            raise

    def check(self) -> None:
        """Raise `NotWritten` unless the file is as it was read, and may be written."""
        with self._told():
            status = self._status()
            if status is None or self._before is None:
                if status is not None:
                    raise NotWritten(f"{self.path} has come into being meanwhile")
                return
            if stat.S_ISLNK(status.st_mode):
                raise NotWritten(f"{self.path} is a link or leads outside of the repository")
            if not stat.S_ISREG(status.st_mode):
                raise NotWritten(f"{self.path} is no regular file")
            if not os.access(self._name, os.W_OK, dir_fd=self._folder):
                raise NotWritten(f"{self.path} is read-only")
            if self._read() != self._before:
                raise NotWritten(f"{self.path} changed while it was checked")
            self._mode = stat.S_IMODE(status.st_mode)

    def put(self) -> None:
        """Let the new text take the file's place. Raises `NotWritten`."""
        self._is_put = True
        with self._told():
            if self._before is not None:
                os.replace(self._new, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
                return
            try:
                os.link(self._new, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            except FileExistsError:
                raise NotWritten(f"{self.path} has come into being meanwhile") from None
            except OSError:  # a file system without links
                os.rename(self._new, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)

    def put_back(self) -> str:
        """Let the old text, or nothing, take the file's place again, where `put` was begun; "" or what went wrong."""
        if not self._is_put:
            return ""
        try:
            if self._old:
                os.replace(self._old, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            elif self._before is None and self._is_own():
                os.unlink(self._name, dir_fd=self._folder)
        except OSError as error:
            kept, self._old = self._old, ""
            where = f", its old text is in {PurePosixPath(self.path).with_name(kept)}" if kept else ""
            return f"{self.path} is changed and could not be put back ({error.strerror}){where}"
        return ""

    def clear(self) -> None:
        """Remove what waits beside the file."""
        for name in filter(None, (self._new, self._old)):
            with suppress(OSError):
                os.unlink(name, dir_fd=self._folder)

    def _is_own(self) -> bool:
        """Whether what stands in a new file's place is its new text, and nothing that came there meanwhile."""
        with suppress(FileNotFoundError):
            waiting = os.stat(self._new, dir_fd=self._folder, follow_symlinks=False)
            found = self._status()
            return found is not None and os.path.samestat(waiting, found)
        return True

    def _status(self) -> os.stat_result | None:
        try:
            return os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            if self._before is None:
                return None
            raise

    def _read(self) -> bytes:
        with os.fdopen(os.open(self._name, _OLD, dir_fd=self._folder), "rb") as file:
            return file.read()

    def _write(self, name: str, data: bytes) -> None:
        """Have a new file on the disk, with the mode of the one that it is for."""
        descriptor = os.open(name, _NEW, 0o666 if self._mode is None else 0o600, dir_fd=self._folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if self._mode is not None:
                os.fchmod(descriptor, self._mode)
            os.fsync(descriptor)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Faults of the system as `NotWritten` with the file's path."""
        try:
            yield
        except OSError as error:
            raise NotWritten(f"{self.path}: {error.strerror}") from error


def _beside() -> str:
    """A name that no file has, and that none is taken for."""
    return f".{secrets.token_hex(8)}.reciplint"
