"""Write the files that a command makes: a new one where none stands, or in place of what was read."""

from __future__ import annotations

from pathlib import Path

from reciplint.fix.write import NotWritten, write_files


def present(top: Path, path: str) -> bytes | None:
    """The bytes of a file below the top; None where there is none. Raises `NotWritten` for what is no file."""
    file = top / path
    if file.is_symlink() or (file.exists() and not file.is_file()):
        raise NotWritten(f"{path} is a link or no regular file")
    return file.read_bytes() if file.exists() else None


def place(top: Path, path: str, before: bytes | None, after: bytes) -> None:
    """Write a file below the top. Raises `NotWritten` if it is not as it was, is a link or leads outside."""
    write_files(top, {path: after}, {} if before is None else {path: before})
