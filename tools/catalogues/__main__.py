"""The command: `python -m tools.catalogues`, from the root of the repository."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from . import listings
from .build import HOME, build, dumped
from .download import download


def main() -> int:
    """Run one subcommand; the exit status is 1 where something could not be fetched or differs."""
    parser = argparse.ArgumentParser(prog="python -m tools.catalogues")
    commands = parser.add_subparsers(dest="command", required=True)
    fetch = commands.add_parser("download", help="fetch releases with pip")
    fetch.add_argument("folder", type=Path)
    fetch.add_argument("requirement", nargs="+", help="as in vllm==0.33.0")
    for name, text in (
        ("build", "add the releases of a folder to the catalogues"),
        ("check", "say which would change"),
    ):
        made = commands.add_parser(name, help=text)
        made.add_argument("folder", type=Path)
        made.add_argument("--anew", action="store_true", help="forget the catalogues: the folder holds every release")
    names = commands.add_parser("listing", help="write env/nccl.json or env/ucx.json from texts that list the names")
    names.add_argument("owner", choices=("nccl", "ucx"))
    names.add_argument("file", type=Path, nargs="+", help="a listing; for ucx also the folder of its sources")
    seen = commands.add_parser("open", help="write the catalogue of an engine that is in no registry")
    seen.add_argument("engine", choices=("trtllm", "atom"))
    seen.add_argument("listing", type=Path, help="JSON with `flags` or `fields`")
    seen.add_argument("--used-in", type=Path, nargs="*", default=[], help="folders of recipes")
    given = parser.parse_args()
    if given.command == "download":
        failed = download(given.folder, given.requirement)
        print(*(f"not to be had: {requirement}" for requirement in failed), sep="\n", file=sys.stderr)
        return bool(failed)
    if given.command in ("build", "check"):
        return _write(build(given.folder, given.anew), check=given.command == "check")
    if given.command == "listing":
        return _write({f"env/{given.owner}.json": _listing(given.owner, given.file)})
    return _write(_open(given.engine, given.listing, given.used_in))


def _listing(owner: str, files: list[Path]) -> str:
    texts = [file for file in files if file.is_file()]
    catalogue = listings.variables(owner, f"{owner.upper()}_", texts)
    for folder in (file for file in files if file.is_dir()):
        catalogue |= listings.ucx_tables(folder)
    return dumped(catalogue)


def _open(engine: str, listing: Path, folders: list[Path]) -> dict[str, str]:
    used = listings.used_by_trtllm(folders) if engine == "trtllm" else set()
    made = {f"engines/{engine}.json": dumped(listings.opened(engine, listings.read_json(listing), used))}
    if folders:
        names: dict[str, list[str]] = {name: [] for name in sorted(listings.used_variables(folders))}
        variables = {"owner": "open", "prefixes": list(listings.OPEN), "open": True, "versions": [], "names": names}
        made["env/open.json"] = dumped(variables)
    return made


def _write(made: dict[str, str], check: bool = False) -> int:
    """Write what is new or differs, or only say so."""
    changed = 0
    for name, text in made.items():
        path = HOME / name
        json.loads(text)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            changed += 1
            print(f"{'differs' if check else 'wrote'} schemas/{name}: {len(text.encode()):,} bytes")
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    if not changed:
        print(f"nothing to change in {len(made)} catalogues")
    return int(check and changed > 0)


if __name__ == "__main__":
    sys.exit(main())
