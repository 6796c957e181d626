"""Writes `docs/rules/` from the pages of the rules.

python tools/docs/rule_pages.py            # write
python tools/docs/rule_pages.py --check    # exit with 1 if a page is out of date, and say which
"""

from __future__ import annotations

import argparse
from pathlib import Path

from reciplint.engine.pages import readable
from reciplint.engine.registry import Registered, all_rules

HOME = Path(__file__).resolve().parents[2] / "docs" / "rules"
NOTE = "<!-- Written by tools/docs/rule_pages.py from the rule's own file; edit that. -->"
CATEGORIES = {
    "yaml": "YAML",
    "style": "Style",
    "references": "References",
    "arms": "A row against its recipe",
    "policy": "Policy",
    "changelog": "Changelog",
    "vllm_recipes": "vLLM recipes",
    "meta": "About reciplint itself",
}
_FIXES = {None: "none", "safe": "safe", "unsafe": "unsafe", "display": "shown, never applied"}


def pages() -> dict[str, str]:
    """File name → text, for every rule and the index."""
    rules = all_rules()
    return {"README.md": _index(rules), **{f"{name}.md": _page(registered) for name, registered in rules.items()}}


def stale() -> list[str]:
    """The files that differ from what they should be, are missing, or belong to no rule."""
    wanted = pages()
    there = {path.name: path.read_text(encoding="utf-8") for path in HOME.glob("*.md")}
    return sorted(name for name in {*wanted, *there} if wanted.get(name) != there.get(name))


def _page(registered: Registered) -> str:
    rule = registered.rule
    facts = f"**{rule.severity}** · sees {_seen(registered)} · fix: {_FIXES[rule.fix]}"
    return f"{NOTE}\n\n# {rule.id}\n\n{facts}\n\n{readable(registered.page)}"


def _seen(registered: Registered) -> str:
    names = {
        "document": "one file",
        "project": "the whole project",
        "change": "base and head",
        "engine": "the run itself",
    }
    return ", ".join(names[name] for name in registered.runs_on)


def _index(rules: dict[str, Registered]) -> str:
    parts = [
        NOTE,
        "# Rules",
        "`reciplint explain RULE` prints the same pages. The severity is the one a rule starts with.",
    ]
    by_category: dict[str, list[Registered]] = {}
    for registered in rules.values():
        by_category.setdefault(registered.card.category, []).append(registered)
    for category in sorted(
        by_category, key=lambda name: (list(CATEGORIES).index(name) if name in CATEGORIES else 99, name)
    ):
        table = ["| rule | severity | fix | what it finds |", "|---|---|---|---|"]
        table += [
            f"| [`{r.rule.id}`]({r.rule.id}.md) | {r.rule.severity} | {_FIXES[r.rule.fix]} | {r.rule.summary} |"
            for r in by_category[category]
        ]
        parts += [f"## {CATEGORIES.get(category, category.capitalize())}", "\n".join(table)]
    return "\n\n".join(parts) + "\n"


def main() -> int:
    """Write the pages, or say which are out of date."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    behind = stale()
    if options.check:
        for name in behind:
            print(f"docs/rules/{name} is out of date")
        return 1 if behind else 0
    wanted = pages()
    HOME.mkdir(parents=True, exist_ok=True)
    for name in behind:
        if name in wanted:
            (HOME / name).write_text(wanted[name], encoding="utf-8")
        else:
            (HOME / name).unlink()
    print(f"{len(wanted)} pages, {len(behind)} written anew")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
