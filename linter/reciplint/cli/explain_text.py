"""Explained keys for a terminal, for a pull request, and for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

from reciplint.cli.explain_rows import OF_KEY, Line
from reciplint.cli.matrix_explain import KeyTold, Marked, RecipeTold, RowTold
from reciplint.cli.matrix_rows import as_json
from reciplint.domain.point_words import row_words
from reciplint.report.escape import shown, shown_first, shown_path
from reciplint.report.markdown import as_text
from reciplint.report.table import Column, Markup, code, counted, display_width, markdown_table
from reciplint.rules.finding import Finding

_WIDTHS = (16, 26, 30, 18)
_GAP = "  "
_WIDTH = 100
_TITLES = ("", "row", "recipe", "reported by")
_SAME = "the same"
_NAMED_CONC = "CONC "


def text(keys: list[KeyTold]) -> str:
    """Keys with their rows, one table a recipe, at most 100 columns wide."""
    if not keys:
        return "no points\n"
    return "\n".join("".join(f"{shown_first(line)}\n" for line in _key_text(key)) for key in keys)


def _key_text(key: KeyTold) -> Iterator[str]:
    yield f"{shown(key.entry.key)}  {shown_path(key.path)}:{key.entry.key_span.line}"
    yield from _findings_text(key.findings)
    said: set[Line] = set()
    for row in key.rows:
        yield ""
        yield from _wrapped(f"{shown(row_words(row.points[0]))}, {_points(row)}", "", "  ")
        yield f"  {shown_path(row.path)}:{row.place}"
        if not row.recipes:
            yield "  it names no recipe"
        for recipe in _merged(row.recipes):
            yield from _recipe_text(recipe, row, said)
        yield from _findings_text(row.findings)


def _merged(recipes: Iterable[RecipeTold]) -> Iterator[RecipeTold]:
    """Recipes, neighbouring variants that name their concurrency and differ in nothing else told as one."""
    for _, group in groupby(recipes, key=_but_concurrency):
        found = list(group)
        first = found[0]
        if len(found) > 1:
            merged = [marked for recipe in found for marked in recipe.lines if marked.line.topic == "conc"]
            line = Line(
                "conc",
                ", ".join(marked.line.row for marked in merged),
                _NAMED_CONC + ", ".join(marked.line.recipe.removeprefix(_NAMED_CONC) for marked in merged),
                "conc",
            )
            conc = Marked(line, tuple(dict.fromkeys(rule for marked in merged for rule in marked.rules)))
            first = replace(
                first,
                selector=", ".join(recipe.selector for recipe in found),
                concurrencies=tuple(value for recipe in found for value in recipe.concurrencies),
                lines=tuple(conc if marked.line.topic == "conc" else marked for marked in first.lines),
            )
        yield first


def _but_concurrency(recipe: RecipeTold) -> tuple[object, ...]:
    """What neighbours have to share to be told as one."""
    told = [marked.line.recipe for marked in recipe.lines if marked.line.topic == "conc"]
    own = "" if told and told[0].startswith(_NAMED_CONC) else recipe.selector
    return recipe.path, own, recipe.standing, *(marked for marked in recipe.lines if marked.line.topic != "conc")


def _news(lines: Iterable[Marked], said: set[Line]) -> list[Marked]:
    """The lines, without those that tell the same of the whole key again and that nothing reports."""
    found = [marked for marked in lines if marked.rules or marked.line not in said]
    said.update(marked.line for marked in found if marked.line.topic in OF_KEY)
    return found


def _points(row: RowTold) -> str:
    listed = ", ".join(str(point.concurrency) for point in row.points)
    return f"conc {listed}, {counted(row.points[0].gpus, 'GPU')} on {shown(row.points[0].runner) or 'no runner'}"


def _recipe_text(recipe: RecipeTold, row: RowTold, said: set[Line]) -> Iterator[str]:
    place = f":{recipe.place}" if recipe.place else ""
    yield f"  {shown_path(recipe.path)}{place}{f': {recipe.standing}' if recipe.standing else ''}"
    if recipe.selector:
        yield from _wrapped(shown(recipe.selector), "    ", "    ")
    if recipe.concurrencies != tuple(point.concurrency for point in row.points):
        yield from _wrapped(f"at conc {', '.join(map(str, recipe.concurrencies))}", "    ", "    ")
    if recipe.lines:
        yield from _table(_news(recipe.lines, said))


def _table(lines: Iterable[Marked]) -> Iterator[str]:
    """Cells wrapped within their columns; a line that is reported begins with a mark."""
    yield from _cells("  ", _TITLES)
    for marked in lines:
        line = marked.line
        recipe = _SAME if line.recipe and line.recipe == line.row else line.recipe or "-"
        cells = (line.what, line.row or "-", recipe, " ".join(marked.rules))
        yield from _cells("! " if marked.rules else "  ", cells)


def _cells(mark: str, cells: tuple[str, ...]) -> Iterator[str]:
    parts = [_folded(shown(cell), width) for cell, width in zip(cells, _WIDTHS, strict=True)]
    for index in range(max(map(len, parts))):
        taken = [part[index] if index < len(part) else "" for part in parts]
        line = _GAP.join(cell + " " * (width - display_width(cell)) for cell, width in zip(taken, _WIDTHS, strict=True))
        yield f"  {mark if index == 0 else '  '}{line}".rstrip()


def _folded(cell: str, width: int) -> list[str]:
    """A cell on lines of a width: broken at blanks, else at the marks within names, else anywhere."""
    found: list[str] = []
    for word in cell.split(" "):
        while word:
            room = width - display_width(found[-1]) - 1 if found else 0
            if found and display_width(word) <= room:
                found[-1] += f" {word}"
                break
            head = _head(word, width)
            found.append(head)
            word = word[len(head) :]
    return found or [""]


def _head(word: str, width: int) -> str:
    """The beginning of a word that fits a width, up to a mark if one is near its end."""
    if display_width(word) <= width:
        return word
    size = width
    while display_width(word[:size]) > width:
        size -= 1
    at = max(word.rfind(mark, width // 2, size) for mark in "-/:.@_")
    return word[: at + 1] if at > 0 else word[: max(size, 1)]


def _findings_text(findings: Iterable[Finding]) -> Iterator[str]:
    for finding in findings:
        told = f"{finding.severity} {finding.rule}: {shown(finding.message)}"
        yield from _wrapped(f"{told} ({shown(finding.path)}:{finding.span.line})", "  ", "    ")


def _wrapped(line: str, first: str, following: str) -> list[str]:
    return textwrap.wrap(
        line, _WIDTH, initial_indent=first, subsequent_indent=following, break_on_hyphens=False, break_long_words=False
    )


def markdown(keys: list[KeyTold]) -> str:
    """Keys with their rows for a pull request; whatever the repository says is a code span."""
    if not keys:
        return "No points.\n"
    return "\n\n".join(block for key in keys for block in _key_markdown(key)) + "\n"


def _key_markdown(key: KeyTold) -> Iterator[str]:
    yield f"### {code(key.entry.key, in_table=False)}"
    yield _at(key.path, key.entry.key_span.line)
    yield from _findings_markdown(key.findings)
    said: set[Line] = set()
    for row in key.rows:
        point = row.points[0]
        listed = ", ".join(str(point.concurrency) for point in row.points)
        yield f"#### {code(row_words(point), in_table=False)}"
        runner = code(point.runner, in_table=False)
        yield f"conc {listed} · {counted(point.gpus, 'GPU')} on {runner} · {_at(row.path, row.place)}"
        if not row.recipes:
            yield "It names no recipe."
        for recipe in _merged(row.recipes):
            yield from _recipe_markdown(recipe, said)
        yield from _findings_markdown(row.findings)


def _recipe_markdown(recipe: RecipeTold, said: set[Line]) -> Iterator[str]:
    selector = f" {code(recipe.selector, in_table=False)}" if recipe.selector else ""
    standing = f": {recipe.standing}" if recipe.standing else ""
    listed = ", ".join(map(str, recipe.concurrencies))
    yield f"{_at(recipe.path, recipe.place)}{selector}{standing}{f' (conc {listed})' if listed else ''}"
    if recipe.lines:
        columns = [Column(title) for title in _TITLES]
        rows = [
            [Markup(f"**{line.what}**" if rules else line.what), line.row, line.recipe, " ".join(rules)]
            for line, rules in ((marked.line, marked.rules) for marked in _news(recipe.lines, said))
        ]
        yield markdown_table(columns, rows).rstrip("\n")


def _findings_markdown(findings: Iterable[Finding]) -> Iterator[str]:
    listed = [
        f"- {finding.severity} {code(finding.rule, in_table=False)}: {as_text(finding.message)}"
        f" ({_at(finding.path, finding.span.line)})"
        for finding in findings
    ]
    if listed:
        yield "\n".join(listed)


def _at(path: str, line: int) -> str:
    return code(f"{path}:{line}" if line else path, in_table=False)


def json(keys: list[KeyTold]) -> str:
    """Keys with their rows as JSON."""
    from reciplint.report.jsontext import dumps

    return dumps({"schema": "reciplint/explanation-v1", "keys": [_key_json(key) for key in keys]})


def _key_json(key: KeyTold) -> dict[str, Any]:
    return {
        "key": key.entry.key,
        "path": key.path,
        "line": key.entry.key_span.line,
        "rows": [_row_json(row) for row in key.rows],
        "findings": [_finding_json(finding) for finding in key.findings],
    }


def _row_json(row: RowTold) -> dict[str, Any]:
    return {
        "path": row.path,
        "line": row.place,
        "point": {**as_json(row.points[0]), "concurrency": [point.concurrency for point in row.points]},
        "recipes": [
            {
                "path": recipe.path,
                "selector": recipe.selector or None,
                "line": recipe.place or None,
                "standing": recipe.standing or None,
                "concurrency": list(recipe.concurrencies),
                "lines": [
                    {
                        "what": marked.line.what,
                        "row": marked.line.row or None,
                        "recipe": marked.line.recipe or None,
                        "rules": list(marked.rules),
                    }
                    for marked in recipe.lines
                ],
            }
            for recipe in row.recipes
        ],
        "findings": [_finding_json(finding) for finding in row.findings],
    }


def _finding_json(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "path": finding.path,
        "line": finding.span.line,
    }


RENDERERS = {"text": text, "markdown": markdown, "json": json}
