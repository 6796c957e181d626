"""Merging changelogs: the base branch's bytes stay, every entry of both sides is there once, and twice is as once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from reciplint.domain.changelog_merge import NotMerged, merge, merge_markers, read_sides

LINK = "https://github.com/example/bench/pull/"


def entry(number: int, text: str = "Change it", key: str = "finch-fp8", link: str = "") -> bytes:
    return (
        f'- config-keys:\n    - {key}\n  description:\n    - "{text} {number}"\n  pr-link: {link or LINK}{number}\n'
    ).encode()


def log(*entries: bytes, gap: bytes = b"\n") -> bytes:
    return gap.join(entries)


def values(data: bytes) -> list[str]:
    return [repr(item) for item in yaml.safe_load(data) or []]


OLD = log(entry(1), entry(2), gap=b"  \n") + b"  \n"
"""History with blank lines that hold spaces."""


# ---- generated merges

GAPS = st.sampled_from([b"\n", b"\n", b"  \n", b"  \n\n", b""])
TAILS = st.sampled_from([b"", b"\n", b"  \n", b"  \n\n"])


@st.composite
def histories(draw: st.DrawFn) -> bytes:
    count = draw(st.integers(0, 4))
    text = b"".join(entry(number) + draw(GAPS) for number in range(1, count + 1)) + (draw(TAILS) if count else b"")
    if text and draw(st.booleans()):
        text = text.rstrip(b" \n") if draw(st.booleans()) else text.replace(b"\n", b"\r\n")
    return text


@st.composite
def branches(draw: st.DrawFn, base: bytes, numbers: tuple[int, ...]) -> bytes:
    """A branch that appends some entries, with a separator or without."""
    text = base
    for number in draw(st.permutations(numbers)):
        if draw(st.booleans()):
            text += (b"" if not text or text.endswith(b"\n") else b"\n") + draw(st.sampled_from([b"", b"\n"]))
            text += entry(number)
    return text


@st.composite
def merges(draw: st.DrawFn) -> tuple[bytes, bytes, bytes]:
    """Base, ours, theirs; 20 and 21 may be on both sides."""
    base = draw(histories())
    return base, draw(branches(base, (10, 11, 20, 21))), draw(branches(base, (20, 21, 30)))


def assert_right(result: bytes, base: bytes, ours: bytes, theirs: bytes) -> None:
    assert result.startswith(theirs)
    present = values(theirs)
    own = [item for item in values(ours)[len(values(base)) :] if item not in present]
    assert values(result) == [*present, *own]
    if own:
        assert result.endswith(b"\n")
        assert not result.endswith(b"\n\n")


@given(merges())
def test_both_sides_appended(sides: tuple[bytes, bytes, bytes]) -> None:
    base, ours, theirs = sides
    merged = merge(base, ours, theirs)
    assert_right(merged.data, base, ours, theirs)
    assert merged.dropped == ()
    assert merge(base, merged.data, theirs).data == merged.data
    assert merge(theirs, merged.data, theirs).data == merged.data


@given(merges(), st.sampled_from([None, b"||||||| base\n"]), st.sampled_from([b"\n", b"\r\n"]))
def test_a_conflict_with_markers_is_the_merge_of_its_sides(
    sides: tuple[bytes, bytes, bytes], diff3: bytes | None, newline: bytes
) -> None:
    base, ours, theirs = sides
    if not base.endswith(b"\n") and base:
        base += b"\n"
        ours, theirs = (base + b"\n" + entry(number) for number in (10, 30))
    tails = [text[len(base) :] for text in (ours, theirs)]
    marked = base + b"<<<<<<< HEAD\n" + tails[0] + (diff3 or b"") + b"=======\n" + tails[1] + b">>>>>>> main\n"
    if newline == b"\r\n":
        marked, base, ours, theirs = (
            text.replace(b"\r\n", b"\n").replace(b"\n", newline) for text in (marked, base, ours, theirs)
        )
    found = read_sides(marked)
    assert found is not None
    assert (found.ours, found.theirs) == (ours, theirs)
    assert found.base == (None if diff3 is None else base)
    assert merge(base, marked, theirs).data == merge(base, ours, theirs).data
    assert_right(merge_markers(marked).data, base, ours, theirs)
    assert_right(merge_markers(marked, "ours").data, base, theirs, ours)


@given(merges(), st.integers(0, 3), st.sampled_from(["delete", "alter", "blank", "insert", "move"]))
def test_history_is_the_base_branch_s(sides: tuple[bytes, bytes, bytes], at: int, how: str) -> None:
    """Whatever ours did to history, theirs stands, and the entries that ours added follow."""
    base, ours, theirs = sides
    base, ours, theirs = (OLD + text.replace(b"\r\n", b"\n") for text in (entry(3), *(b"", b"")))
    added = b"\n" + entry(10)
    old = entry(2)
    ours = {
        "delete": base.replace(old, b"") + added,
        "alter": base.replace(b"Change it 2", b"Change it all 2") + added,
        "blank": base.replace(b"  \n", b"\n") + added,
        "insert": base.replace(old, entry(10) + b"\n" + old),
        "move": base.replace(old, b"") + b"\n" + old + added,
    }[how]
    theirs = base + b"\n" + entry(30 + at)
    merged = merge(base, ours, theirs)
    assert merged.data == theirs + b"\n" + entry(10)
    assert bool(merged.dropped) == (how != "insert")


# ---- single cases


def test_the_base_branch_may_alter_history() -> None:
    theirs = OLD.replace(b"Change it 1", b"Something else") + b"\n" + entry(5)
    merged = merge(OLD, OLD + b"\n" + entry(9), theirs)
    assert merged.data == theirs + b"\n" + entry(9)
    assert merged.dropped == ()
    assert merged.appended == ("finch-fp8",)


def test_what_ours_did_to_history_is_told() -> None:
    ours = OLD.replace(b"Change it 1", b"Change it, and so on, 1") + b"\n" + entry(9)
    assert merge(OLD, ours, OLD).dropped == ("entry 1 (#1) was altered",)
    assert merge(OLD, ours, OLD).data == OLD + b"\n" + entry(9)
    assert merge(OLD, entry(2), OLD + b"\n" + entry(5)).dropped[0] == "entry 1 (#1) was deleted"


def test_a_pure_correction_of_links_is_kept() -> None:
    base = log(entry(1, link="https://github.com/example/bench/pull/9"), entry(2))
    ours = base.replace(b"pull/91", b"pull/1")
    theirs = base + b"\n" + entry(5)
    merged = merge(base, ours, theirs)
    assert merged.data == ours + b"\n" + entry(5)
    assert merged.dropped == ()
    other = theirs.replace(b"pull/91", b"pull/7")
    assert merge(base, ours, other).data == other
    assert "the base branch changed it too" in merge(base, ours, other).dropped[0]


def test_an_entry_whose_link_was_open_is_the_same_once_it_has_one() -> None:
    waiting = entry(7).replace(b"pull/7", b"pull/XXX")
    assert merge(OLD, OLD + b"\n" + waiting, OLD + b"\n" + entry(7)).data == OLD + b"\n" + entry(7)
    again = entry(7).replace(b"pull/7", b"pull/8")
    assert merge(OLD, OLD + b"\n" + again, OLD + b"\n" + entry(7)).data == OLD + b"\n" + entry(7) + b"\n" + again


def test_the_same_statement_as_an_old_entry_is_a_new_entry() -> None:
    merged = merge(OLD, OLD + b"\n" + entry(1), OLD + b"\n" + entry(5))
    assert merged.data == OLD + b"\n" + entry(5) + b"\n" + entry(1)


def test_an_entry_written_otherwise_on_each_side_is_one() -> None:
    theirs = (
        OLD + b"\n- {config-keys: [finch-fp8], description: [Change it 7], pr-link: '" + f"{LINK}7".encode() + b"'}\n"
    )
    assert merge(OLD, OLD + b"\n" + entry(7), theirs).data == theirs


def test_a_comment_above_an_entry_goes_with_it() -> None:
    ours = OLD + b"\n# why\n" + entry(8) + b"\n# because\n# of this\n" + entry(9) + b"# the end\n"
    theirs = OLD + b"\n" + entry(5)
    expected = theirs + b"\n# why\n" + entry(8) + b"\n# because\n# of this\n" + entry(9) + b"# the end\n"
    merged = merge(OLD, ours, theirs)
    assert merged.data == expected
    assert merged.dropped == ()


def test_a_base_with_markers_is_both_of_its_sides() -> None:
    base = OLD + b"<<<<<<< HEAD\n\n" + entry(7) + b"=======\n\n" + entry(8) + b">>>>>>> main\n"
    theirs = OLD + b"\n" + entry(8) + b"\n" + entry(7)
    assert merge(base, base + b"\n" + entry(9), theirs).data == theirs + b"\n" + entry(9)


@pytest.mark.parametrize(
    ("sides", "reason"),
    [
        ((OLD, OLD, OLD + b"<<<<<<< a\n=======\n>>>>>>> b\n"), "repair it there first"),
        ((OLD, OLD + b"<<<<<<< a\n=======\n", OLD), "no end"),
        ((OLD, OLD + b"<<<<<<< a\n<<<<<<< b\n", OLD), "line 14: the conflict marker <<<<<<< is out of place"),
        ((OLD, OLD + b"\n- config-keys: [a\n", OLD), "line 14 cannot be read alone"),
        ((OLD, OLD + b"\n- just text\n", OLD), "line 14 is no changelog entry"),
        ((b"[]\n", entry(1), b"[]\n"), "no list with one entry after another"),
        ((OLD, OLD + b"\n" + entry(9), OLD + b"\n---\n" + OLD), "several documents"),
        ((OLD, OLD + b"\n" + entry(9), OLD + b"...\n"), "would not be readable|cannot be appended"),
        ((OLD, OLD + b"\n" + entry(9), OLD + b"\xff\n"), "line 13 holds bytes that are not UTF-8"),
        ((b"  - a: 1\n", b"  - a: 1\n  - b: 2\n", b"  - a: 1\n"), "first column"),
    ],
)
def test_no_guess_is_made(sides: tuple[bytes, bytes, bytes], reason: str) -> None:
    with pytest.raises(NotMerged, match=reason):
        merge(*sides)


def test_git_s_own_markers_are_read(tmp_path: Path) -> None:
    ours, theirs = OLD + b"\n" + entry(9) + b"\n" + entry(10), OLD + b"\n" + entry(5) + b"\n" + entry(6)
    for name, data in (("ours", ours), ("base", OLD), ("theirs", theirs)):
        (tmp_path / name).write_bytes(data)
    for style in ((), ("--diff3",)):
        done = subprocess.run(
            ["git", "merge-file", "-p", *style, "ours", "base", "theirs"],
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        assert b">>>>>>>" in done.stdout
        assert merge_markers(done.stdout).data == theirs + b"\n" + entry(9) + b"\n" + entry(10)
