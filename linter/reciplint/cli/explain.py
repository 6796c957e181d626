"""`reciplint explain`: a rule's page."""

from __future__ import annotations

import click

from reciplint.engine.pages import readable
from reciplint.engine.registry import all_rules
from reciplint.engine.settings import check_rule_names


@click.command("explain", short_help="a rule's page")
@click.argument("rule")
def command(rule: str) -> None:
    """Print the page of RULE: what it finds, why it matters, examples, fix, options, source."""
    rules = all_rules()
    check_rule_names([rule], rules, "explain")
    registered = rules[rule]
    about = registered.rule
    click.echo(
        f"# {about.id}\n\n{about.severity}, {', '.join(registered.runs_on)} rule of {registered.card.category}; "
        f"fix: {about.fix or 'none'}{'; runs only where asked for' if about.is_optional else ''}\n\n"
        f"{readable(registered.page)}",
        nl=False,
    )
