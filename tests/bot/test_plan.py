"""The planner, whatever the findings, the diff and what was left before: nothing lost, nothing twice, nothing off."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from scene import MASTER, OTHER, RULE, found, report_of, sha

from reciplint.bot.diffmap import DiffMap, Hunk
from reciplint.bot.model import BODY_LIMIT, Existing, Limits, Note, Page, Plan, Thread, inline_key, key_of
from reciplint.bot.plan import place, plan
from reciplint.bot.suggest import suggestion
from reciplint.report.model import FileEdit, Reported
from reciplint.rules.finding import Fix, rank
from reciplint.yamltree.spans import Span

PAGE = Page(sha(1), "https://example.org/fork/bench", {RULE.id: RULE})
PATHS = (MASTER, OTHER, "none.yaml")
names = st.sampled_from([f"n{index}" for index in range(30)])
findings = st.lists(
    st.builds(found, names, st.integers(1, 60), st.sampled_from(PATHS), st.sampled_from(["error", "warning", "info"])),
    max_size=30,
    unique_by=lambda item: item.fingerprint,
)
hunks = st.lists(st.integers(1, 60), max_size=3, unique=True).map(
    lambda starts: tuple(Hunk(start, ("x",) * 3) for start in sorted(starts))
)
diffs = st.builds(lambda one, two: DiffMap({MASTER: one, OTHER: two}, frozenset({MASTER, OTHER})), hunks, hunks)
threads = st.lists(
    st.builds(lambda name, *flags: (name, flags), names, st.booleans(), st.booleans(), st.booleans(), st.booleans()),
    max_size=12,
).map(lambda made: tuple(_thread(index, name, flags) for index, (name, flags) in enumerate(made)))
notes = st.lists(st.just("old"), max_size=2).map(
    lambda bodies: tuple(Note(index, body) for index, body in enumerate(bodies))
)
existing = st.builds(Existing, notes, threads)
limits = st.builds(Limits, most_inline=st.integers(0, 12), least=st.sampled_from(["error", "warning"]))


def _thread(index: int, name: str, flags: tuple[bool, ...]) -> Thread:
    return Thread(index, f"N{index}", key_of(f"missing-recipe:{name}"), *flags)


@given(findings, diffs, existing, limits)
def test_every_finding_is_shown_once_and_only_where_it_may(
    items: list[Reported], diff: DiffMap, left: Existing, limit: Limits
) -> None:
    placed = place(report_of(items), diff, left, limit, PAGE)
    kept = {thread.key for thread in left.threads if thread.is_open}
    by_key = {key_of(item.fingerprint): item for item in items}
    new = [comment.key for comment in placed.inline]
    assert len(set(new)) == len(new)
    assert set(by_key) == (kept & set(by_key)) | set(new) | {key_of(name) for name in placed.reasons}
    assert not set(new) & kept
    assert len(kept & set(by_key)) + len(new) <= max(limit.most_inline, len(kept & set(by_key)))
    assert max(Counter((comment.path, comment.line) for comment in placed.inline).values(), default=1) == 1
    for comment in placed.inline:
        assert diff.hunk_at(comment.path, comment.line) is diff.hunk_at(comment.path, comment.start_line) is not None
        assert rank(by_key[comment.key].finding.severity) >= rank(limit.least)
        assert inline_key(comment.body) == comment.key
    beyond = [by_key[key_of(name)] for name, reason in placed.reasons.items() if reason == "limit"]
    for item in beyond:
        assert all(rank(by_key[key].finding.severity) >= rank(item.finding.severity) for key in new)


def _applied(made: Plan, left: Existing) -> Existing:
    """What is left on the pull request once a plan was carried out."""
    folded = {item.thread.id for item in made.minimise}
    told = {reply.thread.id for reply in made.replies}
    old = [
        Thread(
            t.id,
            t.node,
            t.key,
            t.is_minimised or t.id in folded,
            t.is_told_fixed or t.id in told,
            t.is_answered,
            t.can_minimise,
        )
        for t in left.threads
    ]
    new = [Thread(1000 + index, f"M{index}", comment.key) for index, comment in enumerate(made.inline)]
    kept = [note for note in left.notes if note.id not in made.duplicates]
    if made.note is not None:
        kept = [Note(made.note_id if made.note_id is not None else 99, made.note), *kept[1:]]
    return Existing(tuple(kept), (*old, *new))


@given(findings, diffs, existing, limits)
def test_a_plan_that_was_carried_out_leaves_nothing_to_do(
    items: list[Reported], diff: DiffMap, left: Existing, limit: Limits
) -> None:
    made = plan(report_of(items), diff, left, limit, PAGE)
    for item in made.minimise:
        assert not item.thread.is_answered
        assert item.thread.can_minimise
    after = _applied(made, left)
    assert len(after.notes) <= 1
    again = plan(report_of(items), diff, after, limit, PAGE)
    # one whose twin was folded may still stand open where a person replied, and is left alone
    assert (again.note, again.duplicates, again.inline, again.replies, again.minimise) == (None, (), (), (), ())


@given(findings, diffs, existing)
def test_the_summary_fits_and_names_its_head(items: list[Reported], diff: DiffMap, left: Existing) -> None:
    text = plan(report_of(items), diff, left, Limits(languages=("en", "zh")), PAGE).note
    if text is not None:
        assert len(text) <= BODY_LIMIT
        assert Note(1, text).head == sha(1)


@given(st.lists(st.text(max_size=2000), max_size=60), st.integers(2_500, 70_000))
def test_a_summary_is_never_longer_than_its_limit(messages: list[str], most: int) -> None:
    from reciplint.bot import body

    items = [found(f"n{index}", 5, message=text) for index, text in enumerate(messages)]
    limit = Limits(body=most, languages=("en", "zh"))
    assert len(body.summary(items, {}, PAGE, limit)) <= most


# suggestions

LINES = ("backend:", "  max_model: 1", "  end: 2", "last: 3")


def _fixed(*edits: tuple[tuple[int, int, int, int], str], line: int = 11) -> Reported:
    item = found("a", line, fix=Fix("rename", "safe", ()))
    replaced = tuple(FileEdit(MASTER, Span(*place), text) for place, text in edits)
    return Reported(item.finding, item.fingerprint, item.url, replaced)


def _suggested(item: Reported, lines: tuple[str, ...] = LINES) -> tuple[int, int, str] | None:
    made = suggestion(item, DiffMap({MASTER: (Hunk(10, lines),)}))
    return (made.start_line, made.line, made.text) if made else None


def test_a_safe_fix_within_a_hunk_is_a_suggestion() -> None:
    assert _suggested(_fixed(((11, 3, 11, 12), "max-model"))) == (11, 11, "  max-model: 1")
    both = _fixed(((11, 3, 11, 12), "max-model"), ((12, 3, 12, 6), "stop"))
    assert _suggested(both) == (11, 12, "  max-model: 1\n  stop: 2")
    assert _suggested(_fixed(((11, 1, 12, 1), ""))) == (11, 11, "")
    assert _suggested(_fixed(((11, 1, 11, 1), "  new: 0\n"))) == (11, 11, "  new: 0\n  max_model: 1")


def test_what_cannot_be_committed_as_shown_is_no_suggestion() -> None:
    assert _suggested(_fixed(((9, 1, 9, 2), "x"), line=9)) is None  # outside
    assert _suggested(_fixed(((13, 1, 14, 3), "x"), line=13)) is None  # beyond the end
    assert _suggested(_fixed(((11, 3, 11, 12), "max\u202emodel"))) is None  # would not look like itself
    assert _suggested(_fixed(((11, 3, 11, 12), "x")), ("a\r", "  max_model: 1\r", "b\r")) is None
    assert _suggested(_fixed(((11, 15, 12, 1), ""))) is None  # joins a line with the next
    assert _suggested(_fixed(((11, 3, 11, 5), "x"), ((11, 4, 11, 6), "y"))) is None  # edits overlap
    unsafe = found("a", 11, fix=Fix("rename", "unsafe", ()))
    edit = FileEdit(MASTER, Span(11, 3, 11, 12), "x")
    assert _suggested(Reported(unsafe.finding, "f", unsafe.url, (edit,))) is None
