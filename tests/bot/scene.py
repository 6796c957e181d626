"""A pull request under the bot: pushes with invented findings, and what a reader then sees."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import msgspec
from fake_github import BOT, Comment, FakeGitHub, Pull, serving

from reciplint.bot.apply import Result, apply
from reciplint.bot.client import Client
from reciplint.bot.diffmap import DiffMap, from_patches
from reciplint.bot.event import Event
from reciplint.bot.model import Existing, Limits, Page, Plan, is_summary
from reciplint.bot.plan import plan
from reciplint.report.model import Counts, Report, Reported
from reciplint.rules.finding import Finding, Fix, Related, Severity
from reciplint.rules.rule import Rule
from reciplint.yamltree.spans import Span

MASTER = "configs/nvidia-master.yaml"
OTHER = "configs/amd-master.yaml"
RULE = Rule(
    id="missing-recipe",
    summary="A row names a recipe that does not exist.",
    severity="error",
    source="invented",
    messages={"gone": "no recipe {path}"},
    messages_zh={"gone": "没有配方 {path}"},
)
WRITES, READS = "ghs_writes_0123456789", "ghs_reads_0123456789"


def sha(number: int) -> str:
    return f"{number:040x}"


def patch(start: int, size: int) -> str:
    """A hunk that shows `size` lines of the head from `start`, the first of them added."""
    lines = [f"+line {start}", *(f" line {start + index}" for index in range(1, size))]
    return "\n".join([f"@@ -{start},{size - 1} +{start},{size} @@", *lines])


def found(
    name: str, line: int, path: str = MASTER, severity: Severity = "error", message: str = "", fix: Fix | None = None
) -> Reported:
    """A finding of the fingerprint `name`."""
    finding = Finding(
        rule=RULE.id,
        severity=severity,
        path=path,
        span=Span(line, 1, line, 5),
        message=message or f"no recipe {name}.yaml",
        message_id="gone",
        arguments={"path": f"{name}.yaml"},
        subject=(name,),
        related=(Related(OTHER, Span(3, 1, 3, 4), "the sibling does it right"),),
        fix=fix,
    )
    return Reported(finding, f"missing-recipe:{name}", RULE.url)


def report_of(findings: list[Reported], head: str = sha(1)) -> Report:
    severities = [item.finding.severity for item in findings]
    counts = Counts(severities.count("error"), severities.count("warning"), severities.count("info"), files=1)
    return Report("0.1.0", sha(999), head, 7, tuple(findings), counts, int(counts.error > 0), True)


@dataclass
class Scene:
    """The fake, and runs of the bot against it. `sleeps` are the waits, which take no time."""

    fake: FakeGitHub
    sleeps: list[float] = field(default_factory=list)

    @property
    def pull(self) -> Pull:
        return self.fake.pull

    def push(self, number: int, *findings: Reported, files: dict[str, str | None] | None = None) -> Result:
        """A push of a head, and the bot's run on it."""
        self.pull.head = sha(number)
        if files is not None:
            self.pull.files = files
        return self.run(number, *findings)

    def run(
        self, number: int, *findings: Reported, token: str = WRITES, diff: DiffMap | None = None, **limits: object
    ) -> Result:
        """A run on a head, whatever the pull request stands on."""
        head = sha(number)
        shown = diff or from_patches((path, "", text) for path, text in self.pull.files.items())
        page = Page(head, "https://example.org/fork/bench", {RULE.id: RULE})

        def replan(existing: Existing, refused: frozenset[str], may_add: bool) -> Plan:
            chosen = msgspec.structs.replace(Limits(), **limits)
            return plan(report_of(list(findings), head), shown, existing, chosen, page, refused, may_add)

        return apply(replan, Client(self.event(head, token), 7, self.sleeps.append), head)

    def event(self, head: str, token: str = WRITES) -> Event:
        return Event(
            name="pull_request",
            repository=FakeGitHub.repository,
            number=7,
            base_sha=sha(999),
            head_sha=head,
            head_repository=self.pull.head_repository,
            head_branch=self.pull.branch,
            sha=head,
            web="",
            api_url=self.fake.url,
            graphql_url=f"{self.fake.url}/graphql",
            token=token,
        )

    @property
    def notes(self) -> list[Comment]:
        """The bot's summaries."""
        return [note for note in self.pull.notes if note.user == BOT and is_summary(note.body)]

    @property
    def note(self) -> str:
        """The one summary."""
        assert len(self.notes) == 1
        return self.notes[0].body

    @property
    def inline(self) -> list[tuple[str, int]]:
        """Where unfolded comments of the bot stand."""
        return [(comment.path, comment.line) for comment in self.pull.open if comment.user == BOT]

    def replies(self, comment: Comment) -> list[Comment]:
        return [reply for reply in self.pull.comments if reply.reply_to == comment.id]


@contextmanager
def scene(files: dict[str, str | None] | None = None) -> Iterator[Scene]:
    with serving(FakeGitHub(Pull(sha(1), {MASTER: patch(10, 60)} if files is None else files))) as fake:
        yield Scene(fake)
