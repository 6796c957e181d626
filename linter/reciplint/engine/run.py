"""One run of the linter: snapshots in, the findings to report out."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from reciplint.domain.policy import policy_from_settings
from reciplint.domain.project import Change, Project
from reciplint.engine.analysis import Analyser, Analysis, Progress, guarded
from reciplint.engine.baseline import NOTHING, Accepted, Baseline, Entry, accept, baseline_of, is_named
from reciplint.engine.cache import Cache
from reciplint.engine.recall import recall, tree_digest
from reciplint.engine.registry import Registered
from reciplint.engine.settings import SETTINGS_FILE, Settings, rule_options
from reciplint.engine.triage import (
    Fingerprinted,
    Suppressor,
    charged,
    fingerprints,
    in_order,
    select,
    worst_of_each,
)
from reciplint.repo.kinds import Kind
from reciplint.repo.snapshot import Snapshot
from reciplint.rules.finding import Finding
from reciplint.rules.rule import Context


class NothingMatched(Exception):
    """No file lies under the paths that were asked for."""


class Request(msgspec.Struct, frozen=True):
    """What to lint. `base` None lints the head alone; `renames` are head path → base path as git tells them;
    `processes` may read files at once."""

    head: Snapshot
    base: Snapshot | None = None
    renames: Mapping[str, str] = {}
    paths: tuple[str, ...] = ()
    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    review_date: datetime.date = datetime.date.max
    pull_request: int | None = None
    baseline: Baseline = NOTHING
    progress: Progress = lambda done, total: None
    processes: int = 1


class Outcome(msgspec.Struct, frozen=True):
    """What came of it: findings in order, how many were held back and why, how many files were read.

    `standing` has the findings of the head alone, before any comparison; `stale` what the baseline accepts beyond
    them, and `idle` the ignored fingerprints that no finding has. Both are known only where every rule ran.
    """

    findings: tuple[Fingerprinted, ...]
    suppressed: int
    files: int
    head: Analysis
    baselined: int = 0
    standing: tuple[Fingerprinted, ...] = ()
    stale: tuple[Entry, ...] = ()
    idle: tuple[str, ...] = ()


class Pair(msgspec.Struct, frozen=True):
    """Head and base, understood; `changes` has each project of the head with its base. Without a base, the head."""

    head: Analysis
    base: Analysis | None
    renames: Mapping[str, str]
    changes: tuple[Change, ...]


def run(request: Request, rules: dict[str, Registered], settings: Settings, cache: Cache) -> Outcome:
    """Lint a head, or what a head makes worse against its base. Raises `NothingMatched`."""
    running = _Run(request, rules, settings, cache)
    pair = running.pair()
    head = pair.head
    found, suppressed = running.lint(head)
    standing = fingerprints(found, _own_path)
    reported, caused = standing, frozenset[str]()
    if pair.base is not None:
        reported, caused, more = running.compare(pair, pair.base, found)
        suppressed += more
    wanted = _under(request.paths, _known_paths(head, pair.base))
    left = running.accept([item for item in reported if wanted(item.finding)], caused)
    left.kept.sort(key=lambda item: (item.finding.path, item.finding.span, item.finding.rule, item.fingerprint))
    return Outcome(
        findings=tuple(left.kept),
        suppressed=suppressed + left.ignored,
        files=len(head.files),
        head=head,
        baselined=left.baselined,
        standing=tuple(standing),
        stale=running.stale(standing),
        idle=running.idle([*standing, *reported]),
    )


def analyse_pair(request: Request, rules: dict[str, Registered], settings: Settings, cache: Cache) -> Pair:
    """The head of a request and its base, if it has one, as `run` understands them; nothing is linted."""
    return _Run(request, rules, settings, cache).pair()


class _Run:
    """The rules, bound to what was asked."""

    def __init__(self, request: Request, rules: dict[str, Registered], settings: Settings, cache: Cache) -> None:
        self._request = request
        self._rules = rules
        self._settings = settings
        self._options = rule_options(settings, request.review_date)
        self._cache = cache
        self._unsuppressible = frozenset(name for name, r in rules.items() if not r.card.suppressible)

    def context(self, registered: Registered) -> Context:
        """What a rule may know besides the files."""
        options = {**registered.rule.options, **self._options.get(registered.card.id, {})}
        return Context(options, self._request.review_date, self._request.pull_request)

    def pair(self) -> Pair:
        """Analyse both sides, from the cache where it knows them."""
        request, settings = self._request, self._settings
        analyser = Analyser(
            {name: registered for name, registered in self._rules.items() if self._is_wanted(registered)},
            self.context,
            self._options,
            settings.limits,
            self._cache,
            settings.globs,
            request.progress,
            request.processes,
            settings.profile,
            self._load_project_rules,
        )
        head = self.with_policy(analyser.analyse(request.head))
        if request.base is None:
            return Pair(head, None, request.renames, tuple(Change(None, project) for project in head.projects))
        base = self.with_policy(analyser.analyse(request.base))
        renames = {**_moved_unchanged(head, base), **request.renames}
        return Pair(head, base, renames, tuple(_changes(head, base, renames)))

    def with_policy(self, analysis: Analysis) -> Analysis:
        """The analysis with the policy of the settings added to each project's own, and its fleet where there is none
        of the project's own."""
        settings = self._settings
        projects = analysis.projects
        if settings.deprecations:
            extra = policy_from_settings(settings.deprecations)
            projects = tuple(
                replace(project, policy=project.policy.joined(extra) if project.policy else extra)
                for project in projects
            )
        if settings.golden_curves:
            projects = tuple(replace(project, other_curves=settings.golden_curves) for project in projects)
        if (fleet := settings.runners) is not None:
            projects = tuple(
                replace(project, runners=fleet, runners_path=SETTINGS_FILE) if _has_no_fleet(project) else project
                for project in projects
            )
        return replace(analysis, projects=projects)

    def lint(self, analysis: Analysis) -> tuple[list[Finding], int]:
        """The findings of document and project rules on one tree, and how many were suppressed."""

        def of_projects() -> list[Finding]:
            found: list[Finding] = []
            for registered in self._active("project"):
                context = self.context(registered)
                for project in analysis.projects:
                    found.extend(guarded(registered, "project", project, context, path=_where(project)))
            return found

        remembered = recall(self._cache, self._conditions("project", analysis), of_projects)
        return self._triage([*analysis.findings(), *remembered], analysis, report_unused=True)

    def lint_changes(self, pair: Pair, base: Analysis) -> tuple[list[Finding], int]:
        """The findings of change rules."""

        def of_changes() -> list[Finding]:
            found: list[Finding] = []
            for registered in self._active("change"):
                context = self.context(registered)
                for change in pair.changes:
                    found.extend(guarded(registered, "change", change, context, path=_where(change.head)))
            return found

        renames = msgspec.json.encode(pair.renames, order="sorted").decode()
        conditions = (*self._conditions("change", pair.head), tree_digest(base.blobs), renames)
        return self._triage(recall(self._cache, conditions, of_changes), pair.head, report_unused=False)

    def _conditions(self, of: str, analysis: Analysis) -> tuple[str, ...]:
        """Everything that decides what the rules of a sort find on a tree."""
        active = [registered.card.id for registered in self._active(of)]
        asked = [self._request.review_date, self._request.pull_request]
        chosen = msgspec.json.encode([active, asked, self._settings], order="sorted").decode()
        return (of, chosen, tree_digest(analysis.blobs))

    def compare(
        self, pair: Pair, base: Analysis, found: list[Finding]
    ) -> tuple[list[Fingerprinted], frozenset[str], int]:
        """What the head is charged with, the fingerprints that change rules gave, and how many they had suppressed."""
        to_base = _path_mapper(pair)
        base_found, _ = self.lint(base)
        reported = charged(fingerprints(found, to_base), fingerprints(base_found, _own_path))
        change_found, suppressed = self.lint_changes(pair, base)
        changes = fingerprints(change_found, to_base)
        caused = frozenset(item.fingerprint for item in changes)
        return worst_of_each([*reported, *changes]), caused, suppressed

    def accept(self, items: list[Fingerprinted], caused: frozenset[str]) -> Accepted:
        """What is left after the ignores of the settings and the baseline."""
        ignores = frozenset(item.fingerprint for item in self._settings.ignores)
        return accept(
            items,
            lambda item: item.fingerprint not in caused,
            self._request.baseline,
            ignores,
            self._unsuppressible,
        )

    def stale(self, standing: list[Fingerprinted]) -> tuple[Entry, ...]:
        """What the baseline accepts beyond what stands; nothing where not every rule ran."""
        if not self._request.baseline.entries or not self._is_whole:
            return ()
        return self._request.baseline.stale(baseline_of(standing, "info"))

    def idle(self, items: list[Fingerprinted]) -> tuple[str, ...]:
        """The ignored fingerprints that no finding has; none where not every rule ran."""
        names = [item.fingerprint for item in self._settings.ignores] if self._is_whole else []
        return tuple(name for name in names if not any(is_named(item, frozenset({name})) for item in items))

    @property
    def _is_whole(self) -> bool:
        return self._request.select is None and not self._request.ignore

    def _active(self, of: str) -> Iterator[Registered]:
        for name, registered in self._rules.items():
            chosen = self._request.select is None or name in self._request.select
            is_on = chosen and not self._settings.is_off(name) and self._is_wanted(registered)
            if of in registered.card.runs_on and is_on:
                yield registered

    def _load_project_rules(self) -> None:
        for registered in self._active("project"):
            registered.check("project")

    def _is_wanted(self, registered: Registered) -> bool:
        """Whether a rule runs: one on serving does not where the settings say so, and an optional one only where they
        give it a severity, unless it is selected."""
        card = registered.card
        if card.category != "serving" and not card.is_optional:
            return True
        if self._request.select is not None:
            return card.id in self._request.select
        if card.is_optional and not self._settings.names(card.id):
            return False
        return card.category != "serving" or self._settings.serving

    def _triage(self, found: list[Finding], analysis: Analysis, report_unused: bool) -> tuple[list[Finding], int]:
        request = self._request
        kept = select(found, self._settings, request.select, request.ignore)
        suppressions = {path: item.suppressions for path, item in analysis.files.items() if item.suppressions}
        suppressor = Suppressor(suppressions, self._unsuppressible)
        spoken = [finding for finding in kept if suppressor.keeps(finding)]
        suppressed = len(kept) - len(spoken)
        if report_unused and suppressions:
            from reciplint.rules.meta.unused_suppression import unused

            ran = frozenset(name for name, r in self._rules.items() if self._ran(name, r))
            unneeded = unused(suppressions, suppressor.used, ran, frozenset(self._rules))
            idle = select(unneeded, self._settings, request.select, request.ignore)
            spoken.extend(finding for finding in idle if suppressor.keeps(finding))
        return in_order(spoken), suppressed

    def _ran(self, name: str, registered: Registered) -> bool:
        """Whether a rule could have spoken in this run (a change rule cannot without a base)."""
        if not self._is_wanted(registered):
            return False
        if self._settings.is_off(name) or name in self._request.ignore:
            return False
        if self._request.select is not None and name not in self._request.select:
            return False
        return "change" not in registered.card.runs_on


def _has_no_fleet(project: Project) -> bool:
    return project.runners is None and Kind.RUNNERS not in project.unread


def _where(project: Project) -> str:
    return project.masters[0].path if project.masters else next(iter(project.recipe_paths), project.root or ".")


def _moved_unchanged(head: Analysis, base: Analysis) -> dict[str, str]:
    """Head path → base path of files that moved without a changed byte (git does not see untracked ones)."""
    gone: dict[str, list[str]] = {}
    for path, blob in base.blobs.items():
        if path not in head.blobs:
            gone.setdefault(blob, []).append(path)
    return {path: gone[blob].pop(0) for path, blob in head.blobs.items() if path not in base.blobs and gone.get(blob)}


def _changes(head: Analysis, base: Analysis, renames: Mapping[str, str]) -> Iterator[Change]:
    """Each project of the head with its base: at the same root, else the only other one, else where its files were."""
    by_root = {project.root: project for project in base.projects}
    free = [
        project
        for project in base.projects
        if project.root is not None and project.root not in {other.root for other in head.projects}
    ]
    for project in head.projects:
        before = by_root.get(project.root)
        if before is None and project.root is not None:
            before = _former(project, free, renames)
        yield Change(before, project, renames)


def _former(project: Project, candidates: list[Project], renames: Mapping[str, str]) -> Project | None:
    origins = {renames[path] for path in project.blobs if path in renames}
    for candidate in candidates:
        if any(master.path in origins for master in candidate.masters):
            return candidate
    return candidates[0] if len(candidates) == 1 else None


def _own_path(finding: Finding) -> str:
    return finding.path


def _path_mapper(pair: Pair) -> Callable[[Finding], str]:
    """Where a finding's file stood at the base: for a key that moved to another master config, the one it was in."""
    by_root = {change.head.root: change for change in pair.changes}
    masters = {master.path for change in pair.changes for master in change.head.masters}
    homes: dict[str, set[str]] = {}
    for change in pair.changes:
        for key, (master, _) in change.base.keys.items() if change.base else ():
            homes.setdefault(key, set()).add(master.path)

    def to_base(finding: Finding) -> str:
        path = finding.path
        change = by_root.get(pair.head.layout.root_of(path))
        before = change.base_path(path) if change is not None else pair.renames.get(path, path)
        if path in masters and finding.subject:
            home = homes.get(finding.subject[0])
            if home and before not in home:
                return min(home)
        return before

    return to_base


def _known_paths(head: Analysis, base: Analysis | None) -> frozenset[str]:
    return frozenset(head.files) | frozenset(base.files if base is not None else ())


def _under(paths: tuple[str, ...], known: frozenset[str]) -> Callable[[Finding], bool]:
    """Whether a finding lies under one of the paths, itself or by a related span."""
    if not paths or "" in paths:
        return lambda finding: True

    def inside(path: str) -> bool:
        return any(path == wanted or path.startswith(f"{wanted}/") for wanted in paths)

    for wanted in paths:
        if not any(path == wanted or path.startswith(f"{wanted}/") for path in known):
            raise NothingMatched(f"{wanted}: no file there that reciplint reads")
    return lambda finding: inside(finding.path) or any(inside(related.path) for related in finding.related)
