"""Silence findings by comments with a reason: `fix --suppress`, and the `s` of `fix --interactive`."""

from __future__ import annotations

from collections.abc import Iterable

import click
from msgspec.structs import replace

from reciplint.cli.fixing import put, tell_done
from reciplint.cli.linting import Linting
from reciplint.cli.options import split_rules
from reciplint.cli.progress import Progress, say
from reciplint.engine.baseline import Baseline
from reciplint.engine.run import Outcome
from reciplint.fix.suppress import Silenced, silence
from reciplint.repo.kinds import Kind
from reciplint.report.escape import shown
from reciplint.rules.finding import Finding


def fault_of_reason(reason: str) -> str:
    """Why a text cannot be the reason of a suppression; "" if it can."""
    if not reason.strip():
        return "a suppression states its reason"
    if not reason.isprintable() or shown(reason) != reason:
        return "a reason is one line of characters that can be seen"
    return ""


def suppress(linting: Linting, rules: tuple[str, ...], reason: str, show_diff: bool) -> int:
    """Silence all that some rules find; the exit status: 2 if anything is left of it."""
    if fault := fault_of_reason(reason):
        raise click.UsageError(f"--reason: {fault}")
    known = linting.repository.rules
    wanted = split_rules(rules, known, "--suppress")
    for name in sorted(wanted):
        if not known[name].card.suppressible:
            raise click.UsageError(f"--suppress: {name} cannot be silenced")
    with Progress("reading") as progress:
        outcome = linting.run(progress)
        found = [item.finding for item in outcome.findings if item.finding.rule in wanted]
        silenced = silence_findings(linting, outcome, found, reason)
    unwritten = put(linting, silenced.files, write=not show_diff)
    linting.cache.close()
    for why in silenced.refused:
        say(f"not silenced: {why}")
    if silenced.refused:
        say("where no comment may stand, `ignores` in the settings names a finding by its fingerprint")
    tell_done("would silence" if show_diff else "silenced", silenced.done, len(silenced.files) - len(unwritten))
    return 2 if unwritten or silenced.refused else 0


def silence_findings(linting: Linting, outcome: Outcome, findings: Iterable[Finding], reason: str) -> Silenced:
    """Silence findings of an outcome; nothing is written. The reason is taken as it is."""
    whole = replace(
        linting, request=replace(linting.request, paths=(), select=None, ignore=frozenset(), baseline=Baseline())
    )

    def lint(files: dict[str, bytes]) -> list[Finding]:
        seen = whole.with_files(files).run()
        return list({item.fingerprint: item.finding for item in (*seen.standing, *seen.findings)}.values())

    refusals, able = [], []
    for finding in findings:
        if why := _why_not(linting, outcome, finding):
            refusals.append(f"{finding.path}:{finding.span.line}: {finding.rule}: {why}")
        else:
            able.append(finding)
    silenced = silence(able, reason.strip(), linting.read, lint)
    return replace(silenced, refused=[*refusals, *silenced.refused])


def _why_not(linting: Linting, outcome: Outcome, finding: Finding) -> str:
    """Why no comment can silence a finding; "" if one may."""
    if not linting.repository.rules[finding.rule].card.suppressible:
        return "this rule cannot be silenced"
    analysed = outcome.head.files.get(finding.path)
    if analysed is None or not analysed.kind.is_yaml:
        return "comments that silence are read in YAML alone"
    if analysed.kind is Kind.CHANGELOG:
        return "no comment may come into text that is only appended to"
    return ""
