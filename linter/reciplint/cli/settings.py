"""`reciplint settings`: what is in force here."""

from __future__ import annotations

import click
import msgspec

from reciplint.cli.repository import open_repository
from reciplint.domain.forbidden import SHIPPED
from reciplint.report.jsontext import dumps


@click.command("settings", short_help="the effective settings")
@click.option("--config", type=click.Path(exists=True, dir_okay=False), help="Settings from another file.")
def command(config: str | None) -> None:
    """Print the settings in force, defaults filled in, as JSON."""
    repository = open_repository(config=config)
    settings = repository.settings
    policy = settings.raw.get("policy") or {}
    rules = {
        name: {
            "severity": settings.severities.get(name, registered.rule.severity),
            **registered.rule.options,
            **settings.options.get(name, {}),
        }
        for name, registered in repository.rules.items()
    }
    shown = {
        "top": str(repository.top),
        "profile": settings.profile,
        "preset": settings.preset,
        "fail-on": settings.fail_on,
        "limits": {"file-bytes": settings.limits.file_bytes, "depth": settings.limits.depth},
        "kinds": {kind.value: list(globs) for kind, globs in settings.globs.items()},
        "baseline": settings.baseline,
        "ignores": msgspec.to_builtins(settings.ignores),
        "paths": msgspec.to_builtins(settings.paths),
        "policy": {
            "deprecations": list(settings.deprecations),
            "repository": settings.repository,
            "acceptance-length": settings.acceptance_length,
            "image-sources": list(settings.image_sources),
            **{name: policy[name] for name in ("golden-curves", "runners", "owners") if name in policy},
        },
        "forbidden": [*SHIPPED, *settings.forbidden],
        "rules": rules,
    }
    click.echo(dumps(msgspec.to_builtins(shown)).encode(), nl=False)
