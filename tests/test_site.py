"""The documentation site: it builds without a warning, and leads from a rule's id to its page."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
import yaml
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt

from reciplint.domain.schemas import schema, schema_names, schema_text
from reciplint.engine.registry import all_rules
from reciplint.rules.rule import DOCS, rule_url

TOP = Path(__file__).resolve().parent.parent
PAGES = runpy.run_path(str(TOP / "tools/docs/site_pages.py"))
RULES = sorted(all_rules())
LOADING = {"script", "img", "iframe", "source", "video", "audio", "embed", "object"}
"""The elements that make a browser fetch what they name, beside `link`."""
COUNTED = {
    "table": "table_open",
    "li": "list_item_open",
    "blockquote": "blockquote_open",
    "h2": "h2",
    "h3": "h3",
    "em": "em_open",
    "strong": "strong_open",
}
"""Elements of a page, and the tokens that CommonMark makes them of."""


@dataclass
class Read(HTMLParser):
    """What a page links to, loads and names, and how many elements of each kind its text has."""

    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    elements: Counter[str] = field(default_factory=Counter)
    _in_article: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.names |= {given[name] for name in ("id", "name") if name in given}
        self._in_article |= tag == "article"
        if self._in_article:
            self.elements[tag] += 1
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") != "canonical" and "href" in given:
            self.loads.append(given["href"])
        elif tag in LOADING and (named := given.get("src") or given.get("data")):
            self.loads.append(named)

    def handle_endtag(self, tag: str) -> None:
        self._in_article &= tag != "article"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as CI builds it, elsewhere."""
    pytest.importorskip("material", reason="mkdocs-material is not installed: pip install -e '.[docs]'")
    out = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(out)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(build, cwd=TOP, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return out


@cache
def read(file: Path) -> Read:
    page = Read()
    page.feed(file.read_text(encoding="utf-8"))
    return page


def served(site: Path, address: str) -> Path | None:
    """The file that a server gives for an address of the site; None for one that is not of the site."""
    if not address.startswith(DOCS):
        return None
    file = site / unquote(urlsplit(address).path.removeprefix(urlsplit(DOCS).path))
    return file / "index.html" if file.is_dir() else file


def address_of(site: Path, file: Path) -> str:
    return urljoin(DOCS, file.relative_to(site).as_posix().removesuffix("index.html"))


# From a message to its page.


def test_every_rule_has_its_page_where_reports_link_to(site: Path) -> None:
    for rule in RULES:
        page = served(site, rule_url(rule))
        assert page is not None
        assert f'<h1 id="{rule}">{rule}<' in page.read_text(encoding="utf-8"), rule


def test_the_search_finds_every_rule_by_its_id_before_anything_else(site: Path) -> None:
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    pages = {entry["location"]: entry for entry in index["docs"] if "#" not in entry["location"]}
    ranks = {location: entry.get("boost", 1) for location, entry in pages.items()}
    others = max(rank for location, rank in ranks.items() if location.split("/")[1:2] in ([], [""]))
    for rule in RULES:
        assert pages[f"rules/{rule}/"]["title"] == rule
        assert ranks[f"rules/{rule}/"] > others


def test_the_first_page_leads_to_a_rule_in_two_clicks(site: Path) -> None:
    first = (site / "index.html").read_text(encoding="utf-8")
    above = first[first.index("<article") : first.index("<pre")]
    assert 'href="rules/"' in above, "the way to the rules stands below the report"
    assert 'class="md-search__input"' in first
    index = read(site / "rules/index.html")
    found = {urljoin(f"{DOCS}rules/", link) for link in index.links}
    assert [rule for rule in RULES if rule_url(rule) not in found] == []


def test_a_page_that_is_not_there_offers_the_search(site: Path) -> None:
    missing = (site / "404.html").read_text(encoding="utf-8")
    assert '<label class="md-button" for="__search">' in missing
    assert f'href="{urlsplit(DOCS).path}rules/"' in missing, "a 404 is served under any address: no relative links"


# The whole of it.


def test_every_link_within_the_site_leads_somewhere(site: Path) -> None:
    dead = []
    for file in site.rglob("*.html"):
        here = address_of(site, file)
        for link in {*read(file).links, *read(file).loads}:
            target, _, anchor = urljoin(here, link).partition("#")
            there = served(site, target)
            if there is None:
                continue
            if not there.is_file() or (anchor and unquote(anchor) not in read(there).names):
                dead.append(f"{here}: {link}")
    assert dead == []


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loads = {urljoin(address_of(site, file), load) for file in site.rglob("*.html") for load in read(file).loads}
    assert len(loads) > 3
    assert [load for load in loads if not load.startswith(DOCS)] == []
    styles = [file.read_text(encoding="utf-8") for file in site.rglob("*.css")]
    assert [url for text in styles for url in re.findall(r"url\(['\"]?(?:https?:)?//[^)]*", text)] == []


def test_pages_have_the_elements_that_github_shows(site: Path) -> None:
    """The site's Markdown is not CommonMark: a list without a blank line above it would be a paragraph."""
    github = MarkdownIt("commonmark").enable("table")
    compared = 0
    for file in [*(TOP / "docs").rglob("*.md"), TOP / "CONTRIBUTING.md", TOP / "CHANGELOG.md"]:
        blocks = github.parse(file.read_text(encoding="utf-8"))
        tokens = [token for block in blocks for token in (block, *(block.children or ()))]
        kinds = Counter(token.tag if token.type == "heading_open" else token.type for token in tokens)
        seen = read(page_of(site, file)).elements
        assert {tag: seen[tag] for tag in COUNTED} == {tag: kinds[kind] for tag, kind in COUNTED.items()}, file
        assert seen["pre"] == kinds["fence"] + kinds["code_block"], file
        assert seen["code"] - seen["pre"] == kinds["code_inline"], file
        compared += kinds["fence"]
    assert compared > len(RULES)


def page_of(site: Path, file: Path) -> Path:
    """The page that is made of a Markdown file."""
    within = file.relative_to(TOP).as_posix()
    source = PAGES["ROOT_PAGES"].get(within, within.removeprefix("docs/"))
    return site / source.removesuffix("README.md").removesuffix(".md") / "index.html"


# Schemas.


def test_every_schema_is_served_where_its_id_says(site: Path) -> None:
    for name in schema_names():
        there = served(site, schema(name)["$id"])
        assert there == site / f"schemas/{name}.schema.json"
        assert there.read_text(encoding="utf-8") == schema_text(name)
        Draft202012Validator.check_schema(schema(name))


def test_the_page_on_schemas_names_each_and_its_settings_name_what_is_served(site: Path) -> None:
    page = (TOP / "docs/schemas.md").read_text(encoding="utf-8")
    assert [name for name in schema_names() if f"[`{name}`](../schemas/{name}.schema.json)" not in page] == []
    (block,) = re.findall(r"^```json .*?\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    addresses = [*json.loads(block)["yaml.schemas"], *re.findall(r"\$schema=(\S+)", page)]
    assert len(addresses) > 5
    assert [address for address in addresses if not (there := served(site, address)) or not there.is_file()] == []
    names = re.findall(r'schemas \.\. "([^"]+)"', page)
    assert [name for name in names if f"{DOCS}schemas/{name}" not in addresses] == []


# How pages are rewritten.


@pytest.mark.parametrize(
    ("written", "page", "wanted"),
    [
        ("[a](docs/action.md#forks)", "README.md", "[a](action.md#forks)"),
        ("[a](docs/rules/README.md)", "README.md", "[a](rules/README.md)"),
        ("[a](LICENSE)", "README.md", "[a](https://github.com/reciplint/reciplint/blob/main/LICENSE)"),
        ("[a](../CONTRIBUTING.md)", "docs/action.md", "[a](contributing.md)"),
        ("[a](../schemas/report.schema.json)", "docs/bot.md", "[a](schemas/report.schema.json)"),
        ("[a](../policy.md#x)", "docs/rules/schema.md", "[a](../policy.md#x)"),
        ("[a](../tests)", "docs/action.md", "[a](https://github.com/reciplint/reciplint/tree/main/tests)"),
        ("[a](#here), [b](https://example.org/x.md)", "README.md", "[a](#here), [b](https://example.org/x.md)"),
    ],
)
def test_links_out_of_the_docs(written: str, page: str, wanted: str) -> None:
    assert PAGES["site_markdown"](written, page) == wanted


def test_a_link_to_nothing_is_refused() -> None:
    with pytest.raises(PAGES["DeadLink"], match=r"docs/bot\.md links to \.\./gone\.py, and gone\.py is not in"):
        PAGES["site_markdown"]("[a](../gone.py)", "docs/bot.md")


@pytest.mark.parametrize(
    ("opening", "wanted"),
    [
        ("```", "```"),
        ("```yaml", "```yaml"),
        ("```yaml a/b.yaml", '```yaml title="a/b.yaml"'),
        ("```yaml base a.yaml", '```yaml title="a.yaml (before the change)"'),
        ("````yaml a.yaml no-newline", '````yaml title="a.yaml (no newline at the end)"'),
    ],
)
def test_the_file_of_an_example_becomes_its_title(opening: str, wanted: str) -> None:
    mark = opening.rstrip("abcdefghijklmnopqrstuvwxyz/.- ")
    text = f"{opening}\n[a](gone.md)\n{mark}\nafter"
    assert PAGES["site_markdown"](text, "README.md") == f"{wanted}\n[a](gone.md)\n{mark}\nafter"


def test_a_fence_within_a_longer_fence_is_text() -> None:
    text = "````markdown a.md\n```yaml b.yaml\n```\n````\n[a](LICENSE)"
    written = PAGES["site_markdown"](text, "README.md")
    assert written.startswith('````markdown title="a.md"\n```yaml b.yaml\n```\n````\n[a](https:')


def test_an_item_that_begins_below_its_dash_begins_beside_it() -> None:
    """Python-Markdown takes a lone dash for text."""
    text = "- a\n-\n  <https://example.org>\n  b\n\n```sh\n-\n  c\n```"
    assert PAGES["site_markdown"](text, "README.md") == text.replace("-\n  <", "- <")


# The workflow.


def test_only_the_main_branch_is_deployed() -> None:
    workflow = yaml.safe_load((TOP / ".github/workflows/site.yml").read_text(encoding="utf-8"))
    deploying = [job for job in workflow["jobs"].values() if "deploy-pages" in str(job["steps"])]
    assert [job["if"] for job in deploying] == ["github.event_name == 'push' && github.ref == 'refs/heads/main'"]
