"""`reciplint bot`: lint the pull request of the current Actions event, annotate it and comment on it once, in place."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from reciplint.bot import body
from reciplint.bot.diffmap import DiffMap, from_git
from reciplint.bot.event import Event, EventError, read_event, refuse_target_checkout
from reciplint.bot.model import Existing, Impact, Limits, Page, Plan
from reciplint.bot.plan import place, plan
from reciplint.bot.sentences import LANGUAGES, Language, say
from reciplint.cli.reporting import Origin, Sources, build_report, emit
from reciplint.cli.repository import Repository, open_repository
from reciplint.domain.diff import Diff
from reciplint.engine.cache import Cache, cache_file
from reciplint.engine.parallel import processes
from reciplint.engine.registry import all_rules
from reciplint.engine.run import Request, run
from reciplint.repo.git import GitError
from reciplint.report.escape import shown
from reciplint.report.jsontext import dumps
from reciplint.report.model import Report
from reciplint.rules.finding import Severity
from reciplint.rules.rule import Rule


@dataclass(frozen=True)
class Job:
    """What is to be told, and to whom: the number is that of the pull request."""

    event: Event
    number: int
    report: Report
    diff: DiffMap
    page: Page
    limits: Limits

    def plan(self, existing: Existing, refused: frozenset[str] = frozenset(), may_add: bool = True) -> Plan:
        """The plan from what is there."""
        return plan(self.report, self.diff, existing, self.limits, self.page, refused, may_add)


def _languages(context: click.Context, parameter: click.Parameter, value: str) -> tuple[Language, ...]:
    names = [name.strip() for name in value.split(",")]
    found: tuple[Language, ...] = tuple(language for name in names for language in LANGUAGES if language == name)
    if len(found) != len(names) or len(set(found)) != len(found):
        raise click.BadParameter(f"{value!r} is not a list of {', '.join(LANGUAGES)}")
    return found


@click.command("bot", short_help="comment on the pull request of the current Actions event")
@click.option("--dry-run", is_flag=True, help="Print the plan as JSON; write nothing to GitHub.")
@click.option(
    "--from-report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Comment from a JSON report of another run, which is not trusted; nothing is checked out or linted.",
)
@click.option(
    "--lang", default="en", show_default=True, callback=_languages, help="Languages, the first visible: en | en,zh."
)
@click.option("--bot-required", is_flag=True, help="Exit with 2 if commenting did not work.")
@click.option(
    "--max-inline", type=click.IntRange(0, 30), default=10, show_default=True, help="Inline comments at a time."
)
@click.option(
    "--inline-severity",
    type=click.Choice(["error", "warning"]),
    default="error",
    show_default=True,
    help="The least severity of an inline comment.",
)
def command(
    dry_run: bool,
    from_report: Path | None,
    lang: tuple[Language, ...],
    bot_required: bool,
    max_inline: int,
    inline_severity: Severity,
) -> int:
    """Lint the pull request of the current GitHub Actions event and comment on it.

    Annotations, step summary and outputs are always written (but by --dry-run); the exit status is that of the lint.
    """
    limits = Limits(most_inline=max_inline, least=inline_severity, languages=lang)
    try:
        event = read_event(os.environ)
        if from_report is not None:
            job = _job_from_report(event, from_report, limits)
            status = 0
        elif event.name == "workflow_run":
            raise EventError("a workflow_run has no checkout to trust: give the report of the run with --from-report")
        else:
            job = _job_from_checkout(event, limits, annotate=not dry_run)
            status = job.report.exit_code
    except EventError as error:
        raise click.ClickException(shown(str(error))) from None
    if dry_run:
        return _print_plan(job, status)
    problem = _comment(job)
    _write_outputs(job, problem)
    if problem:
        click.echo(f"reciplint: {shown(problem)}", err=True)
    return 2 if problem and bot_required else status


# what is to be told


def _job_from_checkout(event: Event, limits: Limits, annotate: bool) -> Job:
    cache = Cache(cache_file())
    assert event.base_sha is not None
    assert event.number is not None
    repository = open_repository(cache)
    if repository.git is None:
        raise EventError("the bot needs a checkout: use actions/checkout before it")
    refuse_target_checkout(event, repository.git.head())
    head = _available(repository, event.head_sha)
    repository = open_repository(cache, head)
    assert repository.git is not None
    base = repository.base_commit(_available(repository, event.base_sha), head)
    request = Request(
        head=repository.snapshot(head),
        base=repository.snapshot(base),
        renames=repository.git.renames(base, head),
        review_date=repository.review_date(head),
        pull_request=event.number,
        processes=processes(),
        baseline=repository.baseline(head, None),
    )
    outcome = run(request, repository.rules, repository.settings, cache)
    threshold = repository.settings.fail_on
    report = build_report(outcome, Origin(base, head, event.number), threshold, request.head, with_edits=True)
    if annotate:
        emit(report, Sources(request.head, repository.rules), "github", ())
    rules = {item.finding.rule: repository.rules[item.finding.rule].rule for item in report.findings}
    page = Page(head, event.web, rules, _impact(repository, base, head, cache))
    cache.close()
    return Job(event, event.number, report, from_git(repository.git.diff_text(base, head)), page, limits)


def _available(repository: Repository, commit: str) -> str:
    """A commit that the clone has: not the merge commit of a pull request, whose lines are others."""
    assert repository.git is not None
    try:
        return repository.git.commit(commit)
    except GitError:
        raise EventError(
            f"the checkout does not hold {commit[:12]}: give actions/checkout `fetch-depth: 0`, or run "
            f"`git fetch origin {commit}` before"
        ) from None


def _impact(repository: Repository, base: str, head: str, cache: Cache) -> Impact:
    """The benchmark impact as data."""
    from reciplint.cli.diff import compare_revisions
    from reciplint.cli.diff_view import summary

    diff, _ = compare_revisions(repository, base, head, cache)
    if not (diff.keys or diff.recipes or diff.needs or diff.entries):
        return Impact()
    signers = diff.signers
    return Impact(
        headline=summary(diff),
        fleets=_fleets(diff),
        uncovered=tuple((need.key, ", ".join(need.uncovered), need.reason) for need in diff.uncovered),
        owners_alone=signers.alone if signers else (),
        owners=tuple(signers.files) if signers else (),
    )


def _fleets(diff: Diff) -> tuple[tuple[str, str, str, str, str], ...]:
    from reciplint.cli.diff_view import fleet_rows

    rows = []
    for row in fleet_rows(diff):
        runner, points, jobs, hours, change = map(str, row)
        rows.append((runner, points, jobs, hours, change))
    return tuple(rows)


def _job_from_report(event: Event, file: Path, limits: Limits) -> Job:
    """The job from an artifact: the pull request and its diff are asked of GitHub, the texts are made anew."""
    from reciplint.bot.artifact import ArtifactRefused, read_artifact, trusted_report
    from reciplint.bot.client import Client, pull_of_run
    from reciplint.bot.writing import Trouble
    from reciplint.domain.schemas import conforms

    if not event.token:
        raise EventError("--from-report needs GITHUB_TOKEN, to find the pull request and its diff")
    rules: dict[str, Rule] = {name: registered.rule for name, registered in all_rules().items()}
    try:
        value = read_artifact(file, lambda found: conforms("report", found))
        number = event.number or pull_of_run(event)
        diff = Client(event, number).diff()
        report = trusted_report(value, rules, event.head_sha, number, diff)
    except ArtifactRefused as error:
        _append(event.step_summary, f"reciplint: the report was refused: {_plain(str(error))}\n")
        raise EventError(f"{file}: the report was refused: {error}") from None
    except Trouble as error:
        raise EventError(str(error)) from None
    return Job(event, number, report, diff, Page(event.head_sha, event.web, rules), limits)


def _plain(text: str) -> str:
    from reciplint.bot.markdown import words

    return words(text)


# telling it


def _print_plan(job: Job, status: int) -> int:
    existing = Existing()
    if job.event.token:
        from reciplint.bot.client import Client
        from reciplint.bot.writing import Trouble

        try:
            existing = Client(job.event, job.number).existing()
        except Trouble as error:
            click.echo(f"reciplint: {shown(str(error))}; planning as if there were no comments", err=True)
    click.echo(dumps(msgspec.to_builtins(job.plan(existing))), nl=False)
    return status


def _comment(job: Job) -> str:
    """Comment; what kept it from that, "" if nothing did."""
    language = job.limits.languages[0]
    if not job.event.token:
        return say(language, "no-token")
    from reciplint.bot.apply import apply
    from reciplint.bot.client import Client

    result = apply(job.plan, Client(job.event, job.number), job.page.head)
    if result.status == "superseded":
        click.echo(f"reciplint: {say(language, 'superseded', head=job.page.head[:12])}", err=True)
        return ""
    if result.status == "read-only":
        return say(language, "read-only")
    return say(language, "gave-up", reason=result.reason) if result.status == "gave-up" else ""


def _write_outputs(job: Job, problem: str) -> None:
    counts = job.report.counts
    _append(job.event.output, f"errors={counts.error}\nwarnings={counts.warning}\n")
    if job.event.step_summary is None:
        return
    reasons = place(job.report, job.diff, Existing(), job.limits, job.page).reasons
    whole = msgspec.structs.replace(job.limits, body=body.STEP_SUMMARY_LIMIT)
    told = body.summary(job.report.findings, {} if problem else reasons, job.page, whole, marked=False)
    _append(job.event.step_summary, f"{_plain(problem)}\n\n{told}" if problem else told)


def _append(file: Path | None, text: str) -> None:
    if file is not None:
        with file.open("ab") as target:
            target.write(text.encode("utf-8", "backslashreplace"))
