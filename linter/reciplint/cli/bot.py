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
    "--from-diff",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --from-report: tell the benchmark impact from what `reciplint diff --format json` printed in that run.",
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
    from_diff: Path | None,
    lang: tuple[Language, ...],
    bot_required: bool,
    max_inline: int,
    inline_severity: Severity,
) -> int:
    """Lint the pull request of the current GitHub Actions event and comment on it.

    Annotations, step summary and outputs are always written (but by --dry-run); the exit status is that of the lint.
    """
    if from_diff is not None and from_report is None:
        raise click.UsageError("--from-diff goes with --from-report: a run with a checkout compares by itself")
    limits = Limits(most_inline=max_inline, least=inline_severity, languages=lang)
    try:
        event = read_event(os.environ)
        if from_report is not None:
            job = _job_from_report(event, from_report, from_diff, limits)
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
    from reciplint.cli.bot_impact import impact_of
    from reciplint.cli.diff import compare_revisions

    return impact_of(compare_revisions(repository, base, head, cache)[0])


def _job_from_report(event: Event, file: Path, diff_file: Path | None, limits: Limits) -> Job:
    """The job from an artifact: the pull request and its diff are asked of GitHub, the texts are made anew."""
    from reciplint.bot.artifact import ArtifactRefused, Expected, checked_report, read_json
    from reciplint.bot.client import Client, pull_of_run
    from reciplint.bot.writing import Trouble
    from reciplint.domain.schemas import conforms

    if not event.token:
        raise EventError("--from-report needs GITHUB_TOKEN, to find the pull request and its diff")
    rules: dict[str, Rule] = {name: registered.rule for name, registered in all_rules().items()}
    read = file
    try:
        value = read_json(file)
        number = event.number or pull_of_run(event)
        client = Client(event, number)
        diff = client.diff()
        expected = Expected(event.head_sha, number, diff, lambda: client.paths(event.head_sha))
        report = checked_report(value, lambda found: conforms("report", found), rules, expected)
        impact = Impact()
        if diff_file is not None:
            from reciplint.cli.bot_impact import untrusted_impact

            read = diff_file
            impact = untrusted_impact(read_json(diff_file), event.head_sha)
    except ArtifactRefused as error:
        told = "the report" if read is file else "the difference"
        _append(event.step_summary, f"reciplint: {told} was refused: {_plain(str(error))}\n")
        raise EventError(f"{read}: {told} was refused: {error}") from None
    except Trouble as error:
        raise EventError(str(error)) from None
    page = Page(event.head_sha, event.web, rules, impact, is_vouched=False)
    return Job(event, number, report, diff, page, limits)


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
