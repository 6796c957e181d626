"""`reciplint rules`: the table of rules."""

from __future__ import annotations

import click

from reciplint.engine.registry import Registered, all_rules


@click.command("rules", short_help="the table of rules")
@click.option("--format", "chosen", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(chosen: str) -> None:
    """List every rule."""
    rules = all_rules()
    if chosen == "json":
        import json

        click.echo(json.dumps([_row(registered) for registered in rules.values()], indent=1))
        return
    width = max(map(len, rules))
    for name, registered in rules.items():
        rule = registered.rule
        asked = " (only where asked for)" if rule.is_optional else ""
        click.echo(f"{name:{width}}  {rule.severity:7}  {rule.fix or '-':7}  {rule.summary}{asked}")


def _row(registered: Registered) -> dict[str, object]:
    rule = registered.rule
    return {
        "id": rule.id,
        "summary": rule.summary,
        "severity": rule.severity,
        "runs_on": registered.runs_on,
        "kinds": sorted(kind.value for kind in rule.kinds),
        "fix": rule.fix,
        "optional": rule.is_optional,
        "url": rule.url,
    }
