"""Write the files that a command makes: a new one where none stands, or in place of what was read."""

from __future__ import annotations

from pathlib import Path

from reciplint.fix.write import NotWritten, write_file


def present(top: Path, path: str) -> bytes | None:
    """The bytes of a file below the top; None where there is none. Raises `NotWritten` for what is no file."""
    file = top / path
    if file.is_symlink() or (file.exists() and not file.is_file()):
        raise NotWritten(f"{path} is a link or no regular file")
    return file.read_bytes() if file.exists() else None


def place(top: Path, path: str, before: bytes | None, after: bytes) -> None:
    """Write a file below the top. Raises `NotWritten` if it is not as it was, is a link or leads outside."""
    if before is not None:
        write_file(top, path, before, after)
        return
    file = top / path
    if not file.resolve().is_relative_to(top.resolve()):
        raise NotWritten(f"{path} leads outside of the repository")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        opened = file.open("xb")
    except FileExistsError:
        raise NotWritten(f"{path} has come into being meanwhile") from None
    except OSError as error:
        raise NotWritten(f"{path}: {error.strerror}") from error
    try:
        with opened:
            opened.write(after)
    except OSError as error:
        file.unlink(missing_ok=True)  # half a file would be read as one
        raise NotWritten(f"{path}: {error.strerror}") from error
