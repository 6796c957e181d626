"""`reciplint serve`: the serve commands that a file comes to, checked, to read or paste."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from reciplint.cli.serving_files import ServingFile, read_serving_file
from reciplint.domain.serving.config import Deployment, ServeConfig
from reciplint.domain.serving.from_vllm_recipe import read_vllm_recipe_deployments, rendered
from reciplint.domain.serving.rendering import arguments, engine_config, environment, shell_lines
from reciplint.domain.serving.vllm_choices import (
    default_hardware,
    default_strategy,
    is_omni,
    runs_on,
    sized,
    strategies_on,
)
from reciplint.report.escape import shown
from reciplint.rules.finding import Finding

_CATEGORIES = ("serving", "vllm_recipes")
"""The rules that look at serve commands; those of the second look at other files too."""


@click.command("serve", short_help="a recipe's serve commands, checked")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--role", type=click.Choice(["prefill", "decode", "agg", "router"]), help="Only this role.")
@click.option("--variant", metavar="NAME", help="Only this variant: a recipe's override, a vLLM recipe's variant.")
@click.option("--strategy", metavar="NAME", help="A vLLM recipe's strategy (default: the one that it recommends).")
@click.option("--hardware", metavar="NAME", help="A vLLM recipe's hardware (default: the one that it recommends).")
@click.option("--format", "chosen", type=click.Choice(["shell", "json"]), default="shell", show_default=True)
def command(
    file: str, role: str | None, variant: str | None, strategy: str | None, hardware: str | None, chosen: str
) -> int:
    """Print the serve commands that FILE comes to: a recipe of srt-slurm or of vLLM's, a shell script, or the fenced
    commands of a Markdown page.

    What a launcher or a user fills in (addresses, ports, nodes) stays out or stays a variable. What the serving rules
    find in FILE is told on standard error, and in the JSON.
    """
    read = read_serving_file(file)
    if read.recipe is None and (strategy or hardware):
        raise click.UsageError("--strategy and --hardware choose among what a vLLM recipe offers")
    deployments = _of_vllm(read, variant, strategy, hardware) if read.recipe else _of_variant(read, variant)
    processes = [process for deployment in deployments for process in deployment.processes]
    if role is not None:
        kept = [process for process in processes if process.role == role]
        if processes and not kept:
            there = ", ".join(sorted({process.role or "unknown" for process in processes}))
            raise click.UsageError(f"{file} has no process of the role {role}; there are {there}")
        processes = kept
    if not processes:
        raise click.UsageError(f"{file} starts nothing that serves a model")
    findings = list(_findings(read))
    text = _json(read, processes, findings) if chosen == "json" else _shell(processes)
    click.echo(text.encode("utf-8", "backslashreplace"), nl=False)
    if chosen == "shell":
        for finding in findings:
            place = f"{read.name}:{finding.span.line}:{finding.span.column}"
            click.echo(shown(f"{place}: {finding.severity} {finding.rule}: {finding.message}"), err=True)
    return 0


def _of_variant(read: ServingFile, variant: str | None) -> Iterable[Deployment]:
    """The deployments of a recipe's variant; of a group, all its points."""
    if variant is None:
        return read.deployments
    names = {deployment: deployment.processes[0].selected("variant") for deployment in read.deployments}
    kept = [found for found, name in names.items() if name == variant or name.startswith(f"{variant}[")]
    if not kept:
        raise click.UsageError(_unknown("variant", variant, filter(None, names.values())))
    return kept


def _of_vllm(
    read: ServingFile, variant: str | None, strategy: str | None, hardware: str | None
) -> Iterator[Deployment]:
    """What a vLLM recipe offers of what was asked for; what was not asked for is what the recipe recommends."""
    recipe, library = read.recipe, read.library
    assert recipe is not None
    assert library is not None
    variants = list(recipe.mapping("variants"))
    if variant is not None and variant not in variants:
        raise click.UsageError(_unknown("variant", variant, variants))
    if is_omni(recipe):
        yield from _omni(read, variant or variants[0], hardware)
        return
    for name in [variant] if variant else variants[:1]:
        profile = library.profile(hardware) if hardware else default_hardware(recipe, library, name)
        known = list(library.taxonomy.mapping("hardware_profiles"))
        if hardware and hardware not in known:
            raise click.UsageError(_unknown("hardware", hardware, known))
        if profile is None or not runs_on(recipe, name, profile):
            raise click.UsageError(f"the variant {name} runs on no {hardware or 'hardware of the taxonomy'}")
        offered = strategies_on(recipe, library, profile)
        if strategy and strategy not in offered:
            raise click.UsageError(_unknown("strategy", strategy, offered))
        chosen = strategy or default_strategy(recipe, library, name, profile)
        choice = sized(recipe, library, name, chosen, profile) if chosen else None
        if choice is None:
            raise click.UsageError(f"the variant {name} has no strategy that fits {profile.id}")
        if not strategy:
            click.echo(shown(f"reciplint: {name} on {profile.id}: {chosen} of {', '.join(offered)}"), err=True)
        yield rendered(recipe, library, choice)


def _omni(read: ServingFile, variant: str, hardware: str | None) -> Iterator[Deployment]:
    assert read.recipe is not None
    assert read.library is not None
    profile = default_hardware(read.recipe, read.library, variant)
    wanted = hardware or (profile.id if profile is not None else "")
    for deployment in read_vllm_recipe_deployments(read.recipe, read.library):
        process = deployment.processes[0]
        if process.selected("variant") == variant and process.hardware == wanted:
            yield deployment


def _unknown(what: str, asked: str, known: Iterable[str]) -> str:
    names = sorted(set(known))
    close = difflib.get_close_matches(asked, names, 1)
    hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(names)}" if names else ""
    return f"there is no {what} {asked!r}{hint}"


def _findings(read: ServingFile) -> Iterator[Finding]:
    """What the serving rules say of the file, by an ordinary run of the engine: on the repository around the current
    directory if the file lies there, else on the file alone."""
    from reciplint.cli.repository import open_repository
    from reciplint.engine.cache import Cache, cache_file
    from reciplint.engine.run import Request, run
    from reciplint.repo.snapshot import Memory

    cache = Cache(cache_file())
    repository = open_repository(cache)
    path = Path(read.name).resolve()
    inside = path.is_relative_to(repository.top)
    name = path.relative_to(repository.top).as_posix() if inside else path.name
    head = repository.snapshot(None) if inside else Memory({name: read.data})
    chosen = frozenset(id for id, rule in repository.rules.items() if rule.card.category in _CATEGORIES[: 1 + inside])
    if chosen and name in head.paths():
        outcome = run(Request(head=head, paths=(name,), select=chosen), repository.rules, repository.settings, cache)
        yield from (item.finding for item in outcome.findings if item.finding.path == name)
    cache.close()


def _shell(processes: list[ServeConfig]) -> str:
    blocks = ["\n".join([*map(_comment, _facts(process)), *shell_lines(process)]) for process in processes]
    return "\n\n".join(blocks) + "\n"


def _comment(text: str) -> str:
    return f"# {shown(text)}"


def _facts(process: ServeConfig) -> Iterator[str]:
    """What a reader wants to know of a process besides its command."""
    selectors = ", ".join(f"{selector.name} {selector.value}" for selector in process.selectors)
    amounts = [f"{process.workers} worker{'s' if process.workers != 1 else ''}"] if process.workers else []
    amounts += [f"of {process.gpus} GPU{'s' if process.gpus != 1 else ''}"] if process.gpus else []
    amounts += [f"on {process.nodes} node{'s' if process.nodes != 1 else ''}"] if process.nodes else []
    size = " ".join([*amounts, *([f"({process.hardware})"] if process.hardware else [])])
    yield ": ".join(filter(None, (process.role or process.engine, size))) + (f"; {selectors}" if selectors else "")
    if process.image:
        yield f"image {process.image}"


def _json(read: ServingFile, processes: list[ServeConfig], findings: list[Finding]) -> str:
    from reciplint.report.jsontext import dumps

    listed: list[dict[str, Any]] = []
    for process in processes:
        span = process.place.span
        listed.append(
            {
                "role": process.role,
                "engine": process.engine,
                "selectors": {selector.name: selector.value for selector in process.selectors},
                "model": process.model,
                "image": process.image,
                "hardware": process.hardware,
                "workers": process.workers,
                "nodes": process.nodes,
                "gpus": process.gpus,
                "argv": arguments(process),
                "env": environment(process),
                "config": engine_config(process),
                "line": span.line,
            }
        )
    told = [
        {
            "rule": finding.rule,
            "severity": str(finding.severity),
            "message": finding.message,
            "line": finding.span.line,
            "column": finding.span.column,
        }
        for finding in findings
    ]
    return dumps({"schema": "reciplint/serve-v1", "path": read.name, "processes": listed, "findings": told})
