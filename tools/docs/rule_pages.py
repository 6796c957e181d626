"""Writes `docs/rules/` from the pages of the rules.

python tools/docs/rule_pages.py            # write
python tools/docs/rule_pages.py --check    # exit with 1 if a page is out of date, and say which
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from string import Formatter

from reciplint.engine.pages import readable
from reciplint.engine.registry import Registered, all_rules

HOME = Path(__file__).resolve().parents[2] / "docs" / "rules"
NOTE = "<!-- Written by tools/docs/rule_pages.py from the rule's own file; edit that. -->"
CATEGORIES = {
    "yaml": "YAML",
    "style": "Style",
    "references": "References",
    "consistency": "Consistency",
    "policy": "Policy",
    "changelog": "Changelog",
    "serving": "Serving",
    "vllm_recipes": "vLLM recipes",
    "meta": "About reciplint itself",
}
"""The families, in the order of the index; the directories of the rules, and their headings."""
_FIXES = {None: "none", "safe": "safe", "unsafe": "unsafe", "display": "shown, never applied"}
_SEEN = {
    "document": "one file",
    "project": "the whole project",
    "change": "base and head",
    "engine": "the run itself",
}
_ACTIVE = re.compile(r"[\\`*\[]|\b_|_\b")
"""What Markdown would act on within a message, beside `<`."""


def pages() -> dict[str, str]:
    """File name → text, for every rule and the index."""
    rules = all_rules()
    return {"README.md": _index(rules), **{f"{name}.md": _page(registered) for name, registered in rules.items()}}


def stale() -> list[str]:
    """The files that differ from what they should be, are missing, or belong to no rule."""
    wanted = pages()
    there = {path.name: path.read_text(encoding="utf-8") for path in HOME.glob("*.md")}
    return sorted(name for name in {*wanted, *there} if wanted.get(name) != there.get(name))


def families(rules: Mapping[str, Registered]) -> dict[str, list[Registered]]:
    """Heading of a family → its rules by id, in the order of `CATEGORIES`. Raises `KeyError` for a family without a
    heading."""
    members: dict[str, list[Registered]] = {}
    for registered in rules.values():
        members.setdefault(CATEGORIES[registered.card.category], []).append(registered)
    return {heading: members[heading] for heading in CATEGORIES.values() if heading in members}


def _page(registered: Registered) -> str:
    rule = registered.rule
    facts = f"**{rule.severity}** · sees {_seen(registered)} · fix: {_FIXES[rule.fix]}"
    if rule.is_optional:
        facts += " · runs only where it is selected or the settings give it a severity"
    return f"{NOTE}\n\n# {rule.id}\n\n{facts}\n\n{readable(registered.page)}\n{_messages(rule.messages)}"


def _messages(templates: Mapping[str, str]) -> str:
    """The section by which a message leads to its rule."""
    lines = dict.fromkeys(map(shown, templates.values()))
    told = "What is slanted is filled in; what is in brackets is said only where it applies."
    return "\n".join(["## Messages", "", told, "", *(f"- {line}" for line in lines), ""])


def shown(template: str) -> str:
    """A template (see `reciplint.rules.finding.render`) as Markdown: fields slanted, conditional words in brackets,
    nouns of counts in the plural."""
    parts = []
    for text, name, spec, _ in Formatter().parse(template):
        parts.append(_literal(text))
        if name is None:
            continue
        if (spec or "").startswith("?"):
            parts.append(f"\\[{shown(spec[1:])}]")
        else:
            parts.append(f"*{name}*" + (f" {_literal(spec.split('|')[1])}" if spec else ""))
    return "".join(parts)


def _literal(text: str) -> str:
    return _ACTIVE.sub(r"\\\g<0>", text).replace("<", "&lt;")


def _seen(registered: Registered) -> str:
    return ", ".join(_SEEN[name] for name in registered.runs_on)


def _index(rules: dict[str, Registered]) -> str:
    parts = [
        NOTE,
        "# Rules",
        "`reciplint explain RULE` prints the same pages. The severity is the one a rule starts with.",
    ]
    for heading, members in families(rules).items():
        table = ["| rule | severity | fix | sees | what it finds |", "|---|---|---|---|---|"]
        table += [
            f"| [`{r.rule.id}`]({r.rule.id}.md) | {r.rule.severity} | {_FIXES[r.rule.fix]} | {_seen(r)} "
            f"| {r.rule.summary}{' (only where asked for)' if r.rule.is_optional else ''} |"
            for r in members
        ]
        parts += [f"## {heading}", "\n".join(table)]
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
