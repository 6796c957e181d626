"""`reciplint schema`: the JSON Schemas, for editors."""

from __future__ import annotations

import click

from reciplint.domain.schemas import schema_names, schema_text


@click.command("schema", short_help="print a JSON Schema, or list them")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Print the JSON Schema NAME; without a name, list them."""
    names = schema_names()
    if name is None:
        click.echo("\n".join(names))
        return
    if name not in names:
        raise click.UsageError(f"no schema is called {name!r}; there are {', '.join(names)}")
    click.echo(schema_text(name), nl=False)
