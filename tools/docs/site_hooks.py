"""What MkDocs asks while it builds the documentation site, see `mkdocs.yml`.

The menu is made of the README's last section and of the families of rules; the first page is the README; the JSON
Schemas are served as they are, at the addresses that their `$id`s name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rule_pages
import site_pages

from reciplint.domain.schemas import SUFFIX, schema_names, schemas_home
from reciplint.engine.registry import all_rules
from reciplint.rules.rule import DOCS

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

FIRST_PAGE = "index.md"
RULE_INDEX = "rules/README.md"
SCHEMAS = "schemas.md"
WAY_IN = """\
!!! question "A rule id in a report?"

    `error missing-recipe: …`: search for the id (press <kbd>/</kbd>), or take it from [the rules](rules/README.md).
    `reciplint explain missing-recipe` prints the same page.
"""
"""How a reader who comes from a message gets to its page; before the first code block of the first page."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The menu. Refuses an address that is not the one that reports link to."""
    if config.site_url != DOCS:
        raise ValueError(f"mkdocs.yml says {config.site_url}, and reports link to {DOCS}")
    readme = (site_pages.TOP / "README.md").read_text(encoding="utf-8")
    families = [
        {heading: [f"rules/{member.rule.id}.md" for member in members]}
        for heading, members in rule_pages.families(all_rules()).items()
    ]
    config.nav = [
        {"Start": FIRST_PAGE},
        {"Rules": [RULE_INDEX, *families]},
        {"Guides": [{label: page} for label, page in site_pages.guides(readme) if page != SCHEMAS]},
        {"Schemas": SCHEMAS},
        {"Project": [{"Contributing": "contributing.md"}, {"Changelog": "changes.md"}]},
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The pages from the root of the repository, and the schemas."""
    from mkdocs.structure.files import File

    for path, name in site_pages.ROOT_PAGES.items():
        files.append(File.generated(config, name, abs_src_path=str(site_pages.TOP / path)))
    for name in schema_names():
        file = f"{name}{SUFFIX}"
        files.append(File.generated(config, f"schemas/{file}", abs_src_path=str(schemas_home() / file)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """A page as the site reads it; rules come first in a search."""
    source = page.file.src_uri
    if source.startswith("rules/") and source != RULE_INDEX:
        page.meta["search"] = {"boost": 4}
    text = site_pages.site_markdown(markdown, site_pages.in_repository(source))
    if source in (FIRST_PAGE, RULE_INDEX):
        page.meta["hide"] = ["navigation"]  # they are wide, and lead everywhere themselves
    if source != FIRST_PAGE:
        return text
    return text.replace("```", f"{WAY_IN}\n```", 1)
