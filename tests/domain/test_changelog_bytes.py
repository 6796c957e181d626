"""What happened to a changelog's bytes: entries, gaps, ends, and what is history's and what is new."""

from __future__ import annotations

import random

import pytest

from reciplint.domain.changelog_bytes import Comparison, Event, compare, show, split
from reciplint.domain.prefix import common_prefix


def entry(number: int | str, key: str = "", *, text: str = "") -> str:
    link = f"https://github.com/org/repo/pull/{number}" if isinstance(number, int) else number
    return f"""\
- config-keys:
    - {key or f"key-{number}"}
  description:
    - "{text or f"Say what {number} does"}"
  pr-link: {link}
"""


def joined(*entries: str, gap: str = "\n") -> bytes:
    return gap.join(entries).encode()


BASE = joined(entry(1), entry(2), entry(3))


def only(base: bytes, head: bytes) -> Event:
    (event,) = compare(base, head).events
    return event


def new(comparison: Comparison) -> list[str]:
    return [entry.name for entry in comparison.head.entries if entry.line in comparison.added]


# ---- entries as text


def test_entries_with_their_lines_gaps_and_names() -> None:
    text = split(b"# kept\n" + joined(entry(1), entry("XXX", key="finch*"), gap="  \n\n") + b"\n")
    assert text.preamble == (b"# kept\n",)
    assert [(e.number, e.line, e.last_line, e.next_line, e.name) for e in text.entries] == [
        (1, 2, 6, 9, "#1"),
        (2, 9, 13, 15, "finch*"),
    ]
    assert [e.gap for e in text.entries] == [(b"  \n", b"\n"), (b"\n",)]


@pytest.mark.parametrize("data", [b"", b"\n", b"[]\n", b"---\n", b"null", b"  \n\n"])
def test_an_empty_list_has_no_history(data: bytes) -> None:
    comparison = compare(data, joined(entry(1)))
    assert comparison.events == ()
    assert new(comparison) == ["#1"]


def test_every_byte_of_a_text_is_in_one_line() -> None:
    data = b"# a\r\n\n" + joined(entry(1), entry(2), gap="\r\n \n") + b"- \r x"
    text = split(data)
    parts = [*text.preamble, *(line for e in text.entries for line in (*e.lines, *e.gap))]
    assert b"".join(parts) == data
    assert [text.text_of(n + 1) for n in range(len(parts))] == [
        part.decode().removesuffix("\n").removesuffix("\r") for part in parts
    ]
    assert text.text_of(len(parts) + 1) == ""


@pytest.mark.parametrize(
    ("one", "other", "length"), [(b"", b"", 0), (b"abc", b"abd", 2), (b"ab", b"abc", 2), (b"x", b"y", 0)]
)
def test_common_prefix(one: bytes, other: bytes, length: int) -> None:
    assert common_prefix(one, other) == length


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (b"\n", "an empty line"),
        (b" \n", "a line of 1 space"),
        (b"    \n", "a line of 4 spaces"),
        (b"\t\n", "a line of white space ('\\t')"),
        (b"  a: b\n", "`a: b`"),
        (b"  a: b \n", "`a: b` with white space after it"),
        (b"\xff\n", "`\N{REPLACEMENT CHARACTER}`"),
        (b"x" * 99, f"`{'x' * 79}…`"),
    ],
)
def test_how_a_line_is_quoted(line: bytes, shown: str) -> None:
    assert show(line) == shown


# ---- what is fine


@pytest.mark.parametrize("gap", ["\n", "  \n", "\n\n", ""])
def test_appending_is_fine_whatever_history_looks_like(gap: str) -> None:
    base = joined(entry(1), entry(2), gap=gap)
    comparison = compare(base, base + b"\n" + joined(entry(3), entry(4)))
    assert comparison.events == ()
    assert new(comparison) == ["#3", "#4"]


def test_appending_the_same_entry_again_is_fine() -> None:
    comparison = compare(BASE, BASE + b"\n" + BASE)
    assert comparison.events == ()
    assert len(comparison.added) == 3


def test_a_last_line_without_a_line_break_may_be_ended() -> None:
    comparison = compare(BASE.rstrip(b"\n"), BASE + b"\n" + joined(entry(4)))
    assert comparison.events == ()
    assert new(comparison) == ["#4"]


def test_pure_corrections_of_links() -> None:
    long = "https://github.com/org/repo/pull/1/files"
    base = joined(entry("XXX", key="a"), entry(long, key="b", text="Two"), entry(3))
    head = base.replace(b"link: XXX", b"link: https://github.com/org/repo/pull/7").replace(b"/files", b"")
    comparison = compare(base, head)
    assert (comparison.events, comparison.added) == ((), ())
    assert comparison.corrections == (5, 11)


def test_nothing_changed() -> None:
    assert compare(BASE, BASE).events == ()
    assert compare(BASE, BASE).added == ()


# ---- what happened


def test_inserted_before_an_entry() -> None:
    comparison = compare(BASE, joined(entry(1), entry(8), entry(9), entry(2), entry(3)))
    (event,) = comparison.events
    assert event == Event("inserted", 7, 17, (2,), ("#8", "#9"), "", "#2")
    assert new(comparison) == ["#8", "#9"]
    assert comparison.kept_lines >= 6


def test_inserted_at_the_top_and_appended() -> None:
    comparison = compare(BASE, joined(entry(8), entry(1), entry(2), entry(3), entry(9)))
    (event,) = comparison.events
    assert (event.kind, event.line, event.names) == ("inserted", 1, ("#8",))
    assert new(comparison) == ["#8", "#9"]


def test_deleted_shows_at_the_entry_that_follows() -> None:
    event = only(BASE, joined(entry(1), entry(3)))
    assert event == Event("deleted", 7, 7, (2,), ("#2",))


def test_deleted_at_the_end_shows_at_the_last_line() -> None:
    assert only(BASE, joined(entry(1))) == Event("deleted", 5, 5, (2, 3), ("#2", "#3"))
    assert only(BASE, b"") == Event("deleted", 1, 1, (1, 2, 3), ("#1", "#2", "#3"))


def test_altered_shows_the_first_line_that_differs() -> None:
    head = BASE.replace(b"Say what 2 does", b"Say what it does")
    event = only(BASE, head)
    assert (event.kind, event.line, event.numbers, event.names) == ("altered", 10, (2,), ("#2",))
    assert (event.was, event.now) == ('`- "Say what 2 does"`', '`- "Say what it does"`')
    assert compare(BASE, head).added == ()


def test_a_line_appended_to_the_last_entry_alters_it() -> None:
    event = only(BASE, BASE + b"  evals-only: true\n")
    assert (event.kind, event.line, event.was, event.now) == ("altered", 18, "no line", "`evals-only: true`")


def test_a_last_line_that_goes_on_is_altered() -> None:
    base = BASE + b"  evals-only: false"
    event = only(base, base + b"ish\n")
    assert (event.kind, event.line, event.names) == ("altered", 18, ("#3",))


def test_an_indented_entry_after_the_last_one_alters_nothing() -> None:
    """It makes the file unreadable, which is said elsewhere."""
    assert compare(BASE, BASE + b"  \n  - config-keys: [a]\n").events == ()


def test_a_link_made_worse_is_altered() -> None:
    event = only(BASE, BASE.replace(b"https://github.com/org/repo/pull/2", b"TBD"))
    assert (event.kind, event.line, event.now) == ("altered", 11, "`pr-link: TBD`")


def test_a_correction_beside_an_added_entry() -> None:
    base = joined(entry("XXX", key="a"), entry(2))
    head = base.replace(b"link: XXX", b"link: https://github.com/org/repo/pull/1") + b"\n" + joined(entry(3))
    comparison = compare(base, head)
    (event,) = comparison.events
    assert (event.kind, event.line, event.was) == ("relinked", 5, "XXX")
    assert event.now == "https://github.com/org/repo/pull/1"
    assert new(comparison) == ["#3"]


def test_reformatted() -> None:
    head = BASE.replace(b"    - ", b"  - ").replace(b'"', b"'")
    assert {event.kind for event in compare(BASE, head).events} == {"reformatted"}
    assert compare(BASE, head).added == ()


def test_moved() -> None:
    comparison = compare(BASE, joined(entry(2), entry(3), entry(1)))
    assert [(event.kind, event.names) for event in comparison.events] == [("moved", ("#1",))]
    assert comparison.added == ()


def test_moved_up_and_touched_up_is_not_new() -> None:
    base = joined(entry("XXX", key="a", text="One"), *(entry(n) for n in range(2, 7)))
    head = joined(entry(2), entry(3), entry(9, key="a", text="One"), *(entry(n) for n in range(4, 7)))
    comparison = compare(base, head)
    assert [event.kind for event in comparison.events] == ["moved"]
    assert comparison.added == ()


@pytest.mark.parametrize(
    ("before", "after", "line", "was", "now"),
    [
        ("  \n", "\n", 6, "a line of 2 spaces", "an empty line"),
        ("\n", "  \n", 6, "an empty line", "a line of 2 spaces"),
        ("\n\n", "\n", 7, "an empty line", "no line"),
        ("\n", "\n\n", 7, "no line", "an empty line"),
    ],
)
def test_gaps_are_history(before: str, after: str, line: int, was: str, now: str) -> None:
    base, head = (joined(entry(1), entry(2), gap=gap) for gap in (before, after))
    event = only(base, head + b"\n" + joined(entry(3)))
    assert event == Event("spacing", line, line, (1,), ("#1",), was, now)


def test_the_tail_is_history() -> None:
    event = only(BASE + b"  \n", BASE + b"\n" + joined(entry(4)))
    assert (event.kind, event.line, event.was, event.now) == ("spacing", 18, "a line of 2 spaces", "an empty line")


def test_white_space_after_a_line_is_history() -> None:
    event = only(BASE.replace(b"- key-2\n", b"- key-2 \n"), BASE)
    assert (event.kind, event.line, event.was) == ("spacing", 8, "`- key-2` with white space after it")


def test_line_ends() -> None:
    event = only(BASE, BASE.replace(b"\n", b"\r\n") + b"\r\n" + joined(entry(4)).replace(b"\n", b"\r\n"))
    assert (event.kind, event.line, event.was, event.now) == ("line-ends", 1, "LF", "CRLF")


def test_the_text_before_the_first_entry() -> None:
    event = only(b"# one\n" + BASE, b"# two\n" + BASE)
    assert (event.kind, event.line, event.numbers, event.was, event.now) == ("altered", 1, (), "`# one`", "`# two`")


def test_conflict_markers() -> None:
    head = BASE.replace(b"\n\n", b"\n<<<<<<< ours\n\n", 1) + b"=======\n>>>>>>> theirs\n"
    assert [event.kind for event in compare(BASE, head).events] == ["altered"]


def test_another_style_shows_the_first_line_that_differs() -> None:
    base = b"  - config-keys: [a]\n    pr-link: x\n"
    event = only(base, base.replace(b"[a]", b"[b]"))
    assert (event.kind, event.line) == ("altered", 1)


def test_several_things_in_their_order() -> None:
    base = joined(*(entry(n) for n in range(1, 8)))
    head = joined(*(entry(n) for n in (1, 9, 2, 4, 5, 6, 7))).replace(b"what 6", b"that 6") + b"\n" + joined(entry(10))
    comparison = compare(base, head)
    assert [(event.kind, event.names) for event in comparison.events] == [
        ("inserted", ("#9",)),
        ("deleted", ("#3",)),
        ("altered", ("#6",)),
    ]
    assert new(comparison) == ["#9", "#10"]


def test_events_exactly_where_bytes_are_no_prefix() -> None:
    """Random edits: an event unless the base begins the head; and what is appended is never charged to history."""
    draw = random.Random(7)
    for _ in range(400):
        gaps = ["\n", "  \n", "\n\n"]
        base = "".join(entry(n) + draw.choice(gaps) for n in range(1, draw.randint(2, 7))).encode()
        lines = base.splitlines(keepends=True)
        edit = draw.choice(("none", "drop", "double", "space", "swap"))
        at = draw.randrange(len(lines))
        if edit == "drop":
            del lines[at]
        elif edit == "double":
            lines.insert(at, lines[at])
        elif edit == "space":
            lines[at] = lines[at].rstrip(b"\n") + b" \n"
        elif edit == "swap":
            other = draw.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        head = b"".join(lines) + draw.choice(("", entry(90), f"{entry(90)}\n{entry(91)}")).encode()
        comparison = compare(base, head)
        if not head.startswith(base):
            assert comparison.events, (edit, base, head)
        elif edit == "none":
            assert not comparison.events, (base, head)
            assert new(comparison) == ["#90", "#91"][: head.count(b"pull/9")]
        last = len(head.splitlines()) or 1
        assert all(1 <= event.line <= event.last_line <= last + 1 for event in comparison.events)
