"""The console script. `--version` is answered before anything else is imported."""

from __future__ import annotations

import contextlib
import gc
import os
import sys


def main() -> int:
    """Run the command line; the exit status."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from reciplint import __version__

        print(f"reciplint {__version__}")
        return 0
    gc.disable()  # trees and facts hold no cycles, and collecting over them doubles the time of a run
    from reciplint.cli import run

    status = run()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(status)  # everything is written and closed: taking a million nodes apart one by one helps nobody


if __name__ == "__main__":
    sys.exit(main())
