"""Markdown as GitHub shows it → Markdown as the documentation site reads it.

The pages under `docs/` are written for GitHub, where most of them are read beside the code. Three things differ on the
site: what stands behind the language of a code block, where a link leads that leaves `docs/`, and a list item whose
text begins below its dash, which Python-Markdown does not know.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
REPOSITORY = "https://github.com/reciplint/reciplint"
ROOT_PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md"}
"""The pages that lie outside `docs/`, and their names on the site."""

_FENCE = re.compile(r"^(?P<indent> *)(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)$")
_LINK = re.compile(r"(?<=\]\()(?P<target>[^()\s#]*)(?P<anchor>#[^()\s]*)?(?=\))")
_ELSEWHERE = re.compile(r"[a-z][a-z+.-]*:", re.IGNORECASE)
_HEAD = re.compile(r"\A<!--.*?-->\s*", re.DOTALL)
"""What a generated page says to whoever would edit it; MkDocs takes a title only from what comes first."""

_NOTES = {"base": "before the change", "no-newline": "no newline at the end"}
"""What the words beside a file's name mean, see `CONTRIBUTING.md`."""

_MORE = re.compile(r"^## More$(?P<links>.*)\Z", re.MULTILINE | re.DOTALL)
_GUIDE = re.compile(r"\[(?P<label>[^]]+)\]\(docs/(?P<page>[\w-]+\.md)\)")


class DeadLink(Exception):
    """A page links to what is not in the repository."""


def site_markdown(text: str, page: str) -> str:
    """A page for the site; `page` is where it lies in the repository: `docs/action.md`. Raises `DeadLink`."""
    lines: list[str] = []
    below_dash = False
    for line, is_prose in _lines(_HEAD.sub("", text)):
        written = _relinked(line, page) if is_prose else line
        if below_dash:
            written = f"{lines.pop()} {written.lstrip()}"
        lines.append(written)
        below_dash = is_prose and line.strip() == "-"
    return "\n".join(lines)


def guides(readme: str) -> list[tuple[str, str]]:
    """Label and page of every guide that the README's last section names, in its order."""
    more = _MORE.search(readme)
    if more is None:
        raise ValueError("README.md has no section More")
    return [(guide["label"], guide["page"]) for guide in _GUIDE.finditer(more["links"])]


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Every line, the openings of code blocks as the site has them, and whether it is outside of code."""
    closing = ""
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if closing:
            yield line, False
            if fence and fence["mark"].startswith(closing) and not fence["info"].strip():
                closing = ""
        elif fence:
            closing = fence["mark"]
            yield f"{fence['indent']}{closing}{_opening(fence['info'])}", False
        else:
            yield line, True


def _opening(info: str) -> str:
    """The words behind the fence: `yaml base a.yaml no-newline` is a language and a title."""
    language, _, rest = info.strip().partition(" ")
    words = rest.split()
    if not words:
        return language
    notes = [note for word, note in _NOTES.items() if word in words]
    name = " ".join(word for word in words if word not in _NOTES)
    return f'{language} title="{name} ({", ".join(notes)})"' if notes else f'{language} title="{name}"'


def _relinked(line: str, page: str) -> str:
    """A line with its links as the site has them."""
    return _LINK.sub(lambda link: _address(link["target"], page) + (link["anchor"] or ""), line)


def _address(target: str, page: str) -> str:
    """Where a link of a page leads on the site."""
    if not target or _ELSEWHERE.match(target) or target.startswith("/"):
        return target
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
    home = posixpath.dirname(_on_site(page) or "")
    there = _on_site(path)
    if there is not None:
        return posixpath.relpath(there, home or ".")
    file = TOP / path
    if not file.exists():
        raise DeadLink(f"{page} links to {target}, and {path} is not in this repository")
    return f"{REPOSITORY}/{'tree' if file.is_dir() else 'blob'}/main/{path}"


def _on_site(path: str) -> str | None:
    """Where a file of the repository lies in the sources of the site, if it is part of it."""
    if path in ROOT_PAGES:
        return ROOT_PAGES[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return path if path.startswith("schemas/") and path.endswith(".schema.json") else None


def in_repository(source: str) -> str:
    """Where a source of the site lies in the repository: the reverse of what `ROOT_PAGES` and `docs/` say."""
    back = {name: path for path, name in ROOT_PAGES.items()}
    return back.get(source, f"docs/{source}")
