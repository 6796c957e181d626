"""Makes the installed reciplint's files as old as their content says, and prints a digest of it all.

reciplint keeps results by the sizes and times of its own files. An installer gives them the time of day, so that no
other machine's results would count; with times made from content, equal code has equal times everywhere.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from pathlib import Path

_SECONDS = 10**9
_SPAN = 30 * 365 * 24 * 3600
"""Times lie within thirty years from 1980, which every file system can hold."""
_FIRST = 315_532_800


def stamp(home: Path) -> str:
    """Set the times of every Python file below `home`; the digest of their names and contents."""
    total = hashlib.sha256()
    for file in sorted(home.rglob("*.py")):
        content = hashlib.sha256(file.read_bytes()).digest()
        total.update(file.relative_to(home).as_posix().encode() + b"\0" + content)
        time = _FIRST * _SECONDS + int.from_bytes(content[:8], "big") % (_SPAN * _SECONDS)
        os.utime(file, ns=(time, time))
    return total.hexdigest()[:12]


def _installed() -> Path:
    found = importlib.util.find_spec("reciplint")
    if found is None or found.origin is None:
        raise SystemExit("reciplint is not installed here")
    return Path(found.origin).parent


if __name__ == "__main__":
    print(stamp(Path(sys.argv[1]) if len(sys.argv) > 1 else _installed()))
