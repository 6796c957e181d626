"""Facts and findings of files by content: one SQLite file, versioned by the code that wrote it, never fatal.

SQLite gives atomic writes and concurrent readers; a damaged, locked or unwritable cache is as good as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import reciplint
from reciplint.domain.schemas import schemas_home

_KEEP_SECONDS = 30 * 24 * 3600
_KEEP_OTHERS_SECONDS = 3600
"""What another version wrote is of no use, but to that version if both are in use."""
_MOST_BYTES = 256 << 20
_TOUCH_SECONDS = 24 * 3600
_BATCH = 500
_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (
  key BLOB PRIMARY KEY, version BLOB NOT NULL, used INTEGER NOT NULL, value BLOB NOT NULL
)
"""


def cache_file() -> Path:
    """Where the cache is: `RECIPLINT_CACHE_DIR`, else the platform's cache directory."""
    chosen = os.environ.get("RECIPLINT_CACHE_DIR")
    if chosen:
        return Path(chosen) / "facts.sqlite"
    if (
        os.name == "posix" and "darwin" not in os.uname().sysname.lower()
    ):  # what platformdirs does, without importing it
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "reciplint" / "facts.sqlite"
    from platformdirs import user_cache_path

    return user_cache_path("reciplint", appauthor=False) / "facts.sqlite"


def code_digest() -> bytes:
    """Changes whenever the code or a table that makes facts and findings does (also in an editable install)."""
    summary = hashlib.blake2b(reciplint.__version__.encode(), digest_size=16)
    home = Path(reciplint.__file__).parent
    code = (home / room for room in ("yamltree", "repo", "domain", "rules", "engine"))
    for top in (*code, schemas_home()):
        for directory, folders, names in os.walk(top):
            folders.sort()
            for name in sorted(names):
                if name.endswith((".py", ".json", ".yaml")):
                    status = os.stat(os.path.join(directory, name))  # noqa: PTH116, PTH118 (start-up time)
                    summary.update(f"{directory}/{name}:{status.st_size}:{status.st_mtime_ns};".encode())
    return summary.digest()


class Cache:
    """The cache; with `path` None, one that holds nothing."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._version = code_digest() if path else b""
        self._connection = self._open() if path else None

    @property
    def is_open(self) -> bool:
        """Whether anything can be kept."""
        return self._connection is not None

    def key(self, *parts: str) -> bytes:
        """The key of what these parts determine under this version of the code."""
        return hashlib.blake2b("\0".join(parts).encode(), key=self._version, digest_size=20).digest()

    def fetch(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """What is known of these keys."""
        found: dict[bytes, bytes] = {}
        if self._connection is None:
            return found
        wanted = list(keys)
        now = int(time.time())
        try:
            stale: list[bytes] = []
            for start in range(0, len(wanted), _BATCH):
                batch = wanted[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                rows = self._connection.execute(f"SELECT key, used, value FROM facts WHERE key IN ({marks})", batch)  # noqa: S608
                for key, used, value in rows:
                    found[key] = value
                    if used < now - _TOUCH_SECONDS:
                        stale.append(key)
            if stale:
                with self._connection:
                    self._connection.executemany(
                        "UPDATE facts SET used = ? WHERE key = ?", [(now, key) for key in stale]
                    )
        except sqlite3.Error:
            self.close()
        return found

    def store(self, entries: Mapping[bytes, bytes]) -> None:
        """Keep some entries; drop what nobody used for a month, and what other versions left."""
        if self._connection is None or not entries:
            return
        now = int(time.time())
        try:
            with self._connection:
                rows = [(key, self._version, now, value) for key, value in entries.items()]
                self._connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)", rows)
                self._connection.execute(
                    "DELETE FROM facts WHERE used < ? OR (version <> ? AND used < ?)",
                    (now - _KEEP_SECONDS, self._version, now - _KEEP_OTHERS_SECONDS),
                )
            if self._path and self._path.stat().st_size > _MOST_BYTES:
                clear_cache()
                self.close()
        except (sqlite3.Error, OSError):
            self.close()

    def close(self) -> None:
        """Let the file go."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection | None:
        assert self._path is not None
        for _ in range(2):
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                connection = sqlite3.connect(self._path, timeout=0.2)
                connection.execute("PRAGMA synchronous = OFF")
                connection.execute(_SCHEMA)
                return connection
            except sqlite3.DatabaseError as error:
                if "not a database" not in str(error) and "malformed" not in str(error):
                    return None
                with contextlib.suppress(OSError):
                    self._path.unlink()
            except OSError:
                return None
        return None


def clear_cache() -> list[Path]:
    """Remove the cache; the files that were removed."""
    removed = []
    path = cache_file()
    for candidate in (path, path.with_name(path.name + "-journal")):
        with contextlib.suppress(OSError):
            candidate.unlink()
            removed.append(candidate)
    return removed
