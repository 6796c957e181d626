"""Shows what the bot would leave on a pull request, about as GitHub shows it: one HTML page on standard output.

    reciplint bot --dry-run | python tools/bot/preview.py --css node_modules/github-markdown-css/github-markdown.css

Look at it on a phone's width and on a desktop's after every change to a text of the bot. Comments that would be
minimised are not in a plan, so they are not here.
"""

from __future__ import annotations

import argparse
import html
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

_PAGE = """<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>{css}
body {{ margin: 0 auto; max-width: 920px; padding: 12px; font-family: sans-serif; background: #fff }}
.box {{ border: 1px solid #d1d9e0; border-radius: 6px; margin-bottom: 16px }}
.box > header {{ background: #f6f8fa; border-bottom: 1px solid #d1d9e0; padding: 8px 16px; font-size: 14px }}
.box > .markdown-body {{ padding: 16px; font-size: 14px }}
.folded {{ opacity: .55 }}
code.language-suggestion {{ background: #dafbe1; display: block }}
</style>
{boxes}
"""


def page(boxes: Iterable[str], css: str = "") -> str:
    """A page of comments, as `box` makes them."""
    return _PAGE.format(css=css, boxes="\n".join(boxes))


def box(title: str, markdown: str, is_open: bool = False, is_folded: bool = False) -> str:
    """One comment under its title; `is_open` unfolds its details, `is_folded` greys it as a minimised one."""
    rendered = MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(markdown)
    shown = rendered.replace("<details>", "<details open>") if is_open else rendered
    kind = "box folded" if is_folded else "box"
    return (
        f'<section class="{kind}"><header>{html.escape(title)}</header>'
        f'<article class="markdown-body">{shown}</article></section>'
    )


def boxes_of(plan: dict[str, Any], is_open: bool) -> Iterable[str]:
    """The comments that a plan makes: the summary, then those on lines."""
    if plan["note"]:
        yield box("github-actions commented", plan["note"], is_open)
    for comment in plan["inline"]:
        start = f"{comment['start_line']} to " if comment["start_line"] != comment["line"] else ""
        yield box(f"{comment['path']}, line {start}{comment['line']}", comment["body"], is_open)


def main() -> None:
    """From a plan on standard input to a page on standard output."""
    parser = argparse.ArgumentParser(description="A page of what the bot would leave.")
    parser.add_argument("--css", type=Path, help="a style sheet for `.markdown-body`, as npm's github-markdown-css has")
    parser.add_argument("--open", action="store_true", help="unfold everything")
    options = parser.parse_args()
    css = options.css.read_text(encoding="utf-8") if options.css else ""
    sys.stdout.write(page(boxes_of(json.load(sys.stdin), options.open), css))


if __name__ == "__main__":
    main()
