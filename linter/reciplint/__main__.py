"""The console script. `--version` is answered before anything else is imported."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line; the exit status."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from reciplint import __version__

        print(f"reciplint {__version__}")
        return 0
    from reciplint.cli import run

    return run()


if __name__ == "__main__":
    sys.exit(main())
