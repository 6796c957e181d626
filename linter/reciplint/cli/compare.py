"""`reciplint compare`: a master key's effective serve settings beside a published recipe."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator

import click

from reciplint.cli.progress import Progress
from reciplint.cli.repository import open_repository
from reciplint.cli.serving_files import read_serving_file
from reciplint.domain.master import MasterEntry
from reciplint.domain.project import Project
from reciplint.domain.serving.comparing import Comparison, Line, Subject, compare
from reciplint.domain.serving.config import Deployment
from reciplint.domain.serving.from_recipe import read_recipe_deployments
from reciplint.domain.serving.from_script_row import read_row_deployments
from reciplint.domain.serving.vllm_choices import is_omni
from reciplint.engine.cache import Cache, cache_file
from reciplint.engine.run import Request, analyse_pair
from reciplint.report.escape import shown
from reciplint.report.table import Column, counted, markdown_table, text_table

_WIDEST = 60
"""Characters of a value in a table; the JSON has it whole."""

_COLUMNS = (
    Column("Role"),
    Column("Setting"),
    Column("Key"),
    Column("Recipe"),
    Column("Verdict"),
    Column("Of", right=True),
)


@click.command("compare", short_help="a master key beside a published recipe")
@click.argument("key")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--format", "chosen", type=click.Choice(["text", "markdown", "json"]), default="text", show_default=True)
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
def command(key: str, file: str, chosen: str, no_cache: bool) -> int:
    """Put the serve settings that KEY of the master configs comes to beside those of FILE, a recipe of vLLM's.

    Model, engine, hardware, precision, parallel sizes, the cache's type and kernels are major: a difference in them is
    exit status 1. All else that either side sets is listed apart. A row without a recipe is read from its script, once
    for each way that the row's variables leave open.
    """
    read = read_serving_file(file)
    if read.recipe is None or read.library is None:
        raise click.UsageError(f"{file} is no recipe of vLLM's: compare needs one as published")
    if is_omni(read.recipe):
        raise click.UsageError(f"{file} is a recipe for vllm-omni, which offers no serving strategies to compare with")
    cache = Cache(None if no_cache else cache_file())
    repository = open_repository(cache)
    with Progress("reading") as progress:
        request = Request(head=repository.snapshot(None), progress=progress)
        projects = analyse_pair(request, repository.rules, repository.settings, cache).head.projects
    subject = _subject(projects, key)
    cache.close()
    found = compare(subject, read.recipe, read.library)
    click.echo(_RENDERERS[chosen](key, file, found).encode("utf-8", "backslashreplace"), nl=False)
    return 1 if found.differs else 0


def _subject(projects: tuple[Project, ...], key: str) -> Subject:
    """What a key's rows come to. Raises `UsageError` for an unknown key, or one of which nothing found here serves."""
    for project in projects:
        if (found := project.keys.get(key)) is not None:
            entry = found[1]
            deployments = tuple(_deployments(project, entry)) or tuple(
                deployment for row in read_row_deployments(project, entry) for deployment in row
            )
            if all(process.role == "router" for deployment in deployments for process in deployment.processes):
                raise click.UsageError(
                    f"{key} runs no recipe and no script with serve commands that lies in this repository, so there is "
                    "nothing to compare"
                )
            return Subject(entry.model or "", entry.framework or "", entry.precision or "", deployments)
    known = [name for project in projects for name in project.keys]
    close = difflib.get_close_matches(key, known, 1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise click.UsageError(f"no key of the master configs is called {key!r}{hint}")


def _deployments(project: Project, entry: MasterEntry) -> Iterator[Deployment]:
    """The deployment of each variant that the key's rows run."""
    wanted = dict.fromkeys(
        (pair.path, pair.variant.selector) for pair in project.pairs if pair.use.entry.key == entry.key
    )
    for path, selector in wanted:
        tree = project.tree(path)
        for deployment in read_recipe_deployments(tree, path) if tree is not None else ():
            if deployment.processes[0].selected("variant") == selector:
                yield deployment


def _text(key: str, file: str, found: Comparison) -> str:
    blocks = [f"{shown(key)} beside {shown(file)}: {_verdict(found)}"]
    blocks += [f"compared with {'; '.join(map(shown, found.choices))}"] if found.choices else []
    text = "\n".join(blocks) + "\n"
    for title, lines in (("major", found.major), ("harness (minor)", found.minor)):
        if lines:
            text += f"\n{title}\n{text_table(_COLUMNS, [_cells(line, found) for line in lines], '  ')}"
    return text


def _markdown(key: str, file: str, found: Comparison) -> str:
    from reciplint.report.table import code

    text = f"{code(key, in_table=False)} beside {code(file, in_table=False)}: {_verdict(found)}\n"
    for title, lines in (("Major", found.major), ("Harness (minor)", found.minor)):
        if lines:
            text += f"\n#### {title}\n\n{markdown_table(_COLUMNS, [_cells(line, found) for line in lines])}"
    return text


def _json(key: str, file: str, found: Comparison) -> str:
    from reciplint.report.jsontext import dumps

    return dumps(
        {
            "schema": "reciplint/compare-v1",
            "key": key,
            "file": file,
            "deployments": found.deployments,
            "compared-with": list(found.choices),
            "differs": found.differs,
            "settings": [
                {
                    "role": line.role,
                    "setting": line.setting,
                    "key": line.key,
                    "recipe": line.recipe,
                    "matches": line.matches,
                    "major": line.is_major,
                    "deployments": line.rows,
                }
                for line in found.lines
            ],
        }
    )


def _verdict(found: Comparison) -> str:
    major = len({(line.role, line.setting) for line in found.major if not line.matches})
    minor = len({(line.role, line.setting) for line in found.minor})
    return f"{counted(major, 'major difference')}, {counted(minor, 'minor one')}"


def _cells(line: Line, found: Comparison) -> list[str]:
    rows = "all" if line.rows == found.deployments else f"{line.rows} of {found.deployments}"
    verdict = "match" if line.matches else "differ"
    return [line.role or "all", line.setting, _cut(line.key), _cut(line.recipe), verdict, rows]


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}…"


_RENDERERS: dict[str, Callable[[str, str, Comparison], str]] = {"text": _text, "markdown": _markdown, "json": _json}
