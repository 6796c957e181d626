"""`reciplint init`: settings, a baseline of what stands, the pre-commit entry and a workflow, shown before written."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click
from msgspec.structs import replace

from reciplint.cli import setup_files
from reciplint.cli.baseline import standing_findings
from reciplint.cli.placing import place, present
from reciplint.cli.progress import say
from reciplint.cli.repository import Repository, open_repository
from reciplint.engine.baseline import BASELINE_FILE, Baseline, baseline_of, write_baseline
from reciplint.engine.cache import Cache, cache_file
from reciplint.engine.settings import SETTINGS_FILE, read_settings
from reciplint.fix.difference import unified_diff
from reciplint.report.escape import shown_line

_SHOWN_LINES = 40


@dataclass(frozen=True)
class Planned:
    """A file to write: its path, what stands there, and what shall."""

    path: str
    before: bytes | None
    after: bytes


@click.command("init", short_help="set up a repository")
@click.option("--yes", "-y", is_flag=True, help="Write without asking.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
def command(yes: bool, no_cache: bool) -> int:
    """Set up this repository: settings, a baseline of the standing errors and warnings, a pre-commit hook, a workflow.

    Shows what it will write, then asks; without a terminal it only shows, unless --yes is given. What is already
    there stays as it is.
    """
    cache = Cache(None if no_cache else cache_file())
    repository = open_repository(cache)
    plan, notes = _plan(repository, cache)
    cache.close()
    for planned in plan:
        click.echo(_shown_diff(planned), nl=False)
    for note in notes:
        say(note)
    if not plan:
        say("nothing to write")
        return 0
    if not yes and not _agreed(len(plan)):
        return 0
    for planned in plan:
        place(repository.top, planned.path, planned.before, planned.after)
        say(f"wrote {planned.path}")
    say("`reciplint check` tells what is new from here on; commit these files")
    return 0


def _plan(repository: Repository, cache: Cache) -> tuple[list[Planned], list[str]]:
    """The files to write, and what there is to say besides."""
    found = setup_files.recognise(repository.snapshot(None))
    notes = [f"recognised: {found.told}" if found else "no known layout here: only the YAML rules will speak"]
    plan = []
    settings = present(repository.top, SETTINGS_FILE)
    if settings is None:
        text = setup_files.settings_text(found.profile if found else None, BASELINE_FILE)
        settings = text.encode()
        plan.append(Planned(SETTINGS_FILE, None, settings))
        repository = replace(repository, settings=read_settings(settings, repository.rules))
    else:
        notes.append(f"{SETTINGS_FILE} is there already and stays as it is")
    hook = _hook(repository, notes)
    workflow = _workflow(repository, notes)
    plan += [planned for planned in (hook, workflow) if planned]
    baseline = _baseline(repository, cache, notes)
    if baseline:
        plan.append(baseline)
    return plan, notes


def _hook(repository: Repository, notes: list[str]) -> Planned | None:
    path = setup_files.PRE_COMMIT_FILE
    before = present(repository.top, path)
    if setup_files.has_hook(before):
        notes.append(f"{path} names the hook already")
        return None
    after = setup_files.with_hook(before)
    if after is None:
        snippet = "\n".join(setup_files.hook_lines("  "))
        click.echo(f"{path} is left alone; add this under `repos:` yourself:\n{snippet}", err=True)
        return None
    return Planned(path, before, after)


def _workflow(repository: Repository, notes: list[str]) -> Planned | None:
    path = setup_files.WORKFLOW_FILE
    before = present(repository.top, path)
    if before is not None:
        notes.append(f"{path} is there already and stays as it is")
        return None
    return Planned(path, None, setup_files.workflow_text().encode())


def _baseline(repository: Repository, cache: Cache, notes: list[str]) -> Planned | None:
    path = repository.settings.baseline
    if not path:
        notes.append("the settings name no baseline; standing findings go on being reported")
        return None
    before = present(repository.top, path)
    if before is not None:
        notes.append(f"{path} is there already and stays as it is: `reciplint baseline` writes it anew")
        return None
    outcome = standing_findings(repository, cache)
    accepted = baseline_of(outcome.standing)
    notes.append(f"the baseline accepts what stands: {_told(accepted)}")
    return Planned(path, None, write_baseline(accepted))


def _told(baseline: Baseline) -> str:
    errors = sum(entry.count for entry in baseline.entries.values() if entry.severity == "error")
    warnings = baseline.total - errors
    return f"{errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}"


def _shown_diff(planned: Planned) -> str:
    """The change as a diff, a long one cut."""
    lines = unified_diff(planned.path, planned.before or b"", planned.after).split("\n")[:-1]
    if planned.before is None:
        lines[0] = "--- /dev/null"
    cut = lines[:_SHOWN_LINES]
    if len(lines) > len(cut):
        cut.append(f"… and {len(lines) - len(cut)} more lines")
    return "".join(f"{shown_line(line)}\n" for line in cut)


def _agreed(count: int) -> bool:
    if not sys.stdin.isatty():
        say("nothing is written without a terminal to ask on: --yes")
        return False
    return click.confirm(f"Write {'this file' if count == 1 else f'these {count} files'}?", default=False, err=True)
