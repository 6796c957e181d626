"""Files to facts: every file of a snapshot is parsed once, its document rules run once, and both are cached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import msgspec

from reciplint.domain.document import Document
from reciplint.domain.facts import Facts, read_facts
from reciplint.domain.project import Project, build_project
from reciplint.domain.recipe import sniff
from reciplint.domain.suppression import Suppression, read_suppressions
from reciplint.engine.cache import Cache
from reciplint.engine.parallel import divide, in_processes
from reciplint.engine.registry import Registered
from reciplint.repo.kinds import Kind
from reciplint.repo.layout import Layout
from reciplint.repo.snapshot import Content, Snapshot
from reciplint.rules.finding import Finding
from reciplint.rules.rule import Check, Context
from reciplint.yamltree.problem import Limits
from reciplint.yamltree.spans import FILE_START
from reciplint.yamltree.tree import Tree

Progress = Callable[[int, int], None]


class Analysed(msgspec.Struct, frozen=True):
    """What is known of one file: its kind, its facts, the findings of document rules, its suppressions."""

    kind: Kind
    findings: tuple[Finding, ...]
    suppressions: tuple[Suppression, ...]
    facts: Facts


@cache
def _decoder() -> msgspec.msgpack.Decoder[Analysed]:
    """Made when there is something to decode: all types of facts and operations are looked at for it."""
    return msgspec.msgpack.Decoder(Analysed)


@cache
def _pairs_decoder() -> msgspec.msgpack.Decoder[list[tuple[int, Analysed]]]:
    return msgspec.msgpack.Decoder(list[tuple[int, Analysed]])


_ENCODER = msgspec.msgpack.Encoder()

_MOST_TREES = 400
"""Recipes whose trees are kept for project rules: about 20 MB."""
_WORTH_FORKING = 150
"""Fewer files than this are read faster by one process."""


class Analysis(msgspec.Struct, frozen=True):
    """A snapshot, understood."""

    snapshot: Snapshot
    layout: Layout
    files: dict[str, Analysed]
    blobs: dict[str, str]
    projects: tuple[Project, ...]

    def findings(self) -> Iterator[Finding]:
        """The findings of document rules, each with its path."""
        for path, analysed in self.files.items():
            for finding in analysed.findings:
                yield finding.at(path)


class Analyser:
    """Analyses snapshots with one set of rules, limits and options."""

    def __init__(
        self,
        rules: dict[str, Registered],
        context: Callable[[Registered], Context],
        options: dict[str, dict[str, Any]],
        limits: Limits,
        cache: Cache,
        globs: dict[Kind, tuple[str, ...]],
        progress: Progress = lambda done, total: None,
        processes: int = 1,
        profile: str = "auto",
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        self._meanwhile = meanwhile
        self._profile = self._recognised = profile
        self._checks: dict[Kind, list[_DocumentCheck]] = {}
        self._processes = processes
        self._rules = [registered for registered in rules.values() if "document" in registered.card.runs_on]
        self._parsed: dict[bytes, Tree] = {}
        self._most_kept = _MOST_TREES
        self._context = context
        self._limits = limits
        self._cache = cache
        self._globs = globs
        self._progress = progress
        chosen = {r.card.id: options.get(r.card.id, {}) for r in self._rules}
        self._signature = msgspec.json.encode([chosen, msgspec.structs.astuple(limits)], order="sorted").decode()

    def analyse(self, snapshot: Snapshot) -> Analysis:
        """Read and understand every file of a snapshot that reciplint knows."""
        paths = snapshot.paths()
        layout = Layout(paths, self._globs, self._profile)
        self._recognised = layout.profile
        kinds = layout.kinds(paths)
        blobs = snapshot.blob_ids(kinds)
        self._parsed, self._checks = {}, {}
        keys = self._keys(blobs, kinds, f"{layout.profile} {self._signature}")
        known = self._cache.fetch(set(keys.values()))
        files = {path: found for path, key in keys.items() if key in known and (found := _decode(known[key]))}
        missing = [path for path in blobs if path not in files]
        files.update(self._analyse_missing(snapshot, missing, kinds, keys))
        files = {path: files[path] for path in blobs}
        return Analysis(snapshot, layout, files, blobs, tuple(_projects(snapshot, layout, files, blobs, self._parsed)))

    def _keys(self, blobs: dict[str, str], kinds: dict[str, Kind], signature: str) -> dict[str, bytes]:
        """What the cache knows each file by; nothing where there is none."""
        if not self._cache.is_open:
            return {}
        return {path: self._cache.key(blob, kinds[path].value, signature) for path, blob in blobs.items()}

    def _analyse_missing(
        self, snapshot: Snapshot, missing: list[str], kinds: dict[str, Kind], keys: dict[str, bytes]
    ) -> dict[str, Analysed]:
        contents = snapshot.read(missing)
        sources = [(kinds[path], contents[path]) for path in missing]
        found = dict(zip(missing, self._analyse_all(sources), strict=True))
        if self._cache.is_open:
            sound = {path: one for path, one in found.items() if not _has_failed(one)}
            packed = {keys[path]: _packed(analysed) for path, analysed in sound.items()}
            self._cache.store({key: data for key, data in packed.items() if data})
        return found

    def _analyse_all(self, sources: list[tuple[Kind, Content]]) -> list[Analysed]:
        if self._processes < 2 or len(sources) < _WORTH_FORKING:
            found = []
            for done, (kind, content) in enumerate(sources):
                self._progress(done, len(sources))
                found.append(self._analyse_file(kind, content))
            self._progress(len(sources), len(sources))
            return found
        # this process takes recipes, whose trees its project rules may ask for again
        order = sorted(range(len(sources)), key=lambda number: sources[number][0] is Kind.RECIPE)
        shares = divide(order, lambda number: _weight(*sources[number]))

        def analysed(numbers: Iterator[int]) -> Iterator[tuple[int, Analysed]]:
            return ((number, self._analyse_file(*sources[number])) for number in numbers)

        def there(numbers: Iterator[int]) -> bytes:
            self._most_kept = 0  # no project rule runs there
            packed = map(_packed, analysed(numbers))  # each at once: the processes are done at about the same time
            return _ENCODER.encode([msgspec.Raw(data) for data in packed if data])

        def here(numbers: Iterator[int]) -> None:
            self._meanwhile()  # while the other processes read files
            _pairs_decoder()
            known.update(analysed(numbers))

        known: dict[int, Analysed] = {}
        for data in in_processes(shares, self._processes, there, here):
            known.update(_pairs_decoder().decode(data))
        numbered = enumerate(sources)
        return [known[number] if number in known else self._analyse_file(*source) for number, source in numbered]

    def _analyse_file(self, kind: Kind, content: Content) -> Analysed:
        size = content.size if content.size > len(content.data) else None
        document = Document("", kind, content.data, size, self._limits)
        if document.kind.is_yaml and document.tree is not None:
            kind = sniff(document.kind, document.tree.root)
            if kind is not document.kind:
                document = Document(document.path, kind, document.data, document.size, document.limits)
        findings: list[Finding] = []
        facts: Facts = None
        try:
            facts = read_facts(document)
        except Exception as error:
            findings.append(internal_error("reading", error))
        tree = document.tree if document.kind.is_yaml else None
        for check in self._checks_of(document.kind):
            if tree is not None or check.reads_bytes:
                findings.extend(_found(check.rule, check.run, document, check.context))
        suppressions = read_suppressions(tree) if tree is not None else ()
        if tree is not None and document.kind is Kind.RECIPE and len(self._parsed) < self._most_kept:
            self._parsed[document.data] = tree
        return Analysed(document.kind, tuple(findings), suppressions, facts)

    def _checks_of(self, kind: Kind) -> list[_DocumentCheck]:
        """What a document of some kind is put to; the rules of the rows of one table are checked at once."""
        if kind not in self._checks:
            tables: dict[str, list[str]] = {}
            self._checks[kind] = []
            for registered in self._rules:
                card = registered.card
                if kind.value not in card.kinds:
                    continue
                run = registered.check("document")
                if card.is_row:
                    rows = tables.setdefault(card.module, [])
                    rows.append(card.id)
                    if len(rows) > 1:
                        continue
                    run = partial(_rows, run, rows)
                context = msgspec.structs.replace(self._context(registered), profile=self._recognised)
                reads_bytes = not kind.is_yaml or card.id == "yaml-syntax"
                self._checks[kind].append(_DocumentCheck(card.id, run, context, reads_bytes))
        return self._checks[kind]


class _DocumentCheck(NamedTuple):
    """A check of documents: the rule that answers for it, and what it may know besides. `reads_bytes`: it also looks at
    a document that does not parse."""

    rule: str
    run: Check
    context: Context
    reads_bytes: bool


def _rows(check: Check, rows: list[str], document: Document, context: Context) -> Iterator[Finding]:
    """Of what a table finds, that of some rows."""
    return (finding for finding in check(document, context) if finding.rule in rows)


def _weight(kind: Kind, content: Content) -> int:
    """How long a file takes, in bytes of YAML: a policy brings in a Markdown parser."""
    return len(content.data) + (250_000 if kind is Kind.POLICY else 0)


def guarded(registered: Registered, of: str, *arguments: Any, path: str = "") -> list[Finding]:
    """The findings of a check; one that raises becomes an `internal-error` finding, and what it found is kept."""
    return _found(registered.card.id, registered.check(of), *arguments, path=path)


def _found(rule: str, check: Check, *arguments: Any, path: str = "") -> list[Finding]:
    found: list[Finding] = []
    try:
        found.extend(check(*arguments))
    except Exception as error:
        found.append(internal_error(rule, error, path))
    return found


def internal_error(rule: str, error: Exception, path: str = "") -> Finding:
    """The finding for a crash: which rule, on which file, at which line of reciplint."""
    import traceback

    from reciplint.rules.meta.internal_error import RULE

    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}"
    what = f"{type(error).__name__}: {error}"[:300]
    return RULE.finding("raised", FILE_START, path=path, subject=(rule,), failed=rule, reason=what, place=place)


def _has_failed(analysed: Analysed) -> bool:
    return any(finding.rule == "internal-error" for finding in analysed.findings)


def _packed(value: object) -> bytes:
    """A value as bytes; none where it holds a whole number of more than 64 bits, which a file may spell."""
    try:
        return _ENCODER.encode(value)
    except OverflowError:
        return b""


def _decode(data: bytes) -> Analysed | None:
    try:
        return _decoder().decode(data)
    except (msgspec.MsgspecError, ValueError):
        return None


def _projects(
    snapshot: Snapshot, layout: Layout, files: dict[str, Analysed], blobs: dict[str, str], parsed: Mapping[bytes, Tree]
) -> Iterator[Project]:
    """The recognised projects, deepest first, then whatever recipes lie in none."""
    grouped: dict[str | None, dict[str, tuple[Kind, Facts]]] = {root: {} for root in (*layout.roots, None)}
    shared: dict[str, tuple[Kind, Facts]] = {}
    for path, analysed in files.items():
        root = layout.root_of(path)
        if root is None and analysed.kind in (Kind.POLICY, Kind.WORKFLOW, Kind.SCRIPT, Kind.MARKDOWN):
            shared[path] = (analysed.kind, analysed.facts)
        else:
            grouped[root][path] = (analysed.kind, analysed.facts)

    def read(paths: Iterable[str]) -> dict[str, bytes]:
        return {path: content.data for path, content in snapshot.read(paths).items()}

    for root, members in grouped.items():
        if root is None and not any(kind is Kind.RECIPE for kind, _ in members.values()):
            continue
        own_policy = any(kind is Kind.POLICY for kind, _ in members.values())
        extra = (
            {path: value for path, value in shared.items() if not (own_policy and value[0] is Kind.POLICY)}
            if root is not None
            else {}
        )
        yield build_project(root, {**extra, **members}, blobs, read, parsed)
