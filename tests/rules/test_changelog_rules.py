"""The rules on the text of a changelog: history, format, keys, links; what is history's and what a change adds."""

from __future__ import annotations

import pytest

from reciplint.rules.finding import Finding
from support import CHANGELOG, MASTER, changed, lint, project

KEY = "finch-fp8-b200-vllm"
OTHER = "finch-fp8-gb200-dynamo-vllm"
FIRST, SECOND, THIRD = changed(KEY, 1), changed(OTHER, 2), changed(KEY, 3)
BASE = f"{FIRST}\n{SECOND}\n{THIRD}"
ARCHIVE = "configs/deprecated/nvidia-master.yaml"
PULL = "https://github.com/example/bench/pull"
PR = 12
RULES = ["changelog-append-only", "changelog-format", "changelog-keys", "changelog-pr-link"]


def check(
    head: str | bytes,
    base: str | bytes = BASE,
    *,
    rules: list[str] = RULES,
    number: int | None = PR,
    files: dict[str, str] | None = None,
) -> list[Finding]:
    """What a change of the changelog is charged with."""
    tree = {**project(), **(files or {})}
    return lint({**tree, CHANGELOG: head}, {**tree, CHANGELOG: base}, select=rules, pull_request=number)


def brief(findings: list[Finding]) -> list[tuple[str, str, str, int]]:
    return [(f.rule.removeprefix("changelog-"), f.message_id, f.severity, f.span.line) for f in findings]


def link(text: str, key: str = KEY) -> str:
    """An entry with a link of its own."""
    return changed(key, PR).replace(f"https://github.com/example/bench/pull/{PR}", text)


# ---- nothing to say


@pytest.mark.parametrize("tail", ["", "\n", "  \n\n"])
def test_a_clean_append(tail: str) -> None:
    base = BASE + tail
    head = base + ("" if base.endswith("\n\n") else "\n") + changed(KEY, PR) + "\n" + changed("finch-*", PR)
    assert check(head, base) == []


def test_no_change() -> None:
    assert check(BASE) == []


def test_a_moved_file() -> None:
    tree = project(changelog=BASE)
    moved = {f"e2e/{path}": text for path, text in tree.items()}
    assert [f for f in lint(moved, tree) if f.rule in RULES] == []


def test_a_first_changelog() -> None:
    tree = project()
    base = {path: text for path, text in tree.items() if path != CHANGELOG}
    assert lint({**tree, CHANGELOG: link("XXX", "gone")}, base, select=RULES[:3], pull_request=PR) == []


def test_an_empty_list_becomes_one() -> None:
    assert check(changed(KEY, PR), "[]\n") == []


# ---- history


def test_inserted_says_where_and_where_to() -> None:
    (finding,) = check(f"{FIRST}\n{changed(KEY, PR)}\n{SECOND}\n{THIRD}")
    assert (finding.path, finding.span.line, finding.span.column, finding.span.end_line) == (CHANGELOG, 7, 1, 11)
    assert finding.message == (
        "1 new entry stands before entry 2 (#2), which was there first; only text after the base's last line may be "
        "added (the base's bytes are kept up to line 7 of 17)"
    )
    assert [(related.span.line, related.message) for related in finding.related] == [
        (23, "new entries go after the last one")
    ]
    assert finding.fix is not None
    assert finding.fix.title == "Restore the base's text and append 1 new entry after it"


def test_one_finding_with_the_other_places() -> None:
    head = f"{FIRST}\n{changed(KEY, PR)}\n{THIRD.replace('Measure', 'Measured')}"
    (finding,) = check(head, rules=["changelog-append-only"])
    assert finding.message_id == "inserted" or finding.message_id == "deleted"
    assert len(finding.related) >= 1


def test_deleted_by_a_revert() -> None:
    (finding,) = check(f"{FIRST}\n{SECOND}")
    assert (finding.message_id, finding.span.line) == ("deleted", 11)
    assert "1 entry of the base stood here and was deleted: 3 (#3)" in finding.message


def test_a_tail_of_spaces_must_stay() -> None:
    (finding,) = check(f"{BASE}\n{changed(KEY, PR)}", f"{BASE}  \n")
    assert (finding.rule, finding.message_id, finding.span.line) == ("changelog-append-only", "spacing", 18)
    assert "the base has a line of 2 spaces here, the head an empty line" in finding.message


def test_pure_corrections_of_links_are_fine() -> None:
    base = f"{link('XXX')}\n{SECOND}"
    assert check(f"{changed(KEY, 7)}\n{SECOND}", base) == []


def test_a_correction_with_an_addition_is_not() -> None:
    base = f"{link('XXX')}\n{SECOND}"
    (finding,) = check(f"{changed(KEY, 7)}\n{SECOND}\n{changed(KEY, PR)}", base)
    assert (finding.message_id, finding.span.line) == ("relinked", 5)
    assert "was changed from XXX to https://github.com/example/bench/pull/7" in finding.message


def test_an_altered_entry_is_not_judged_as_a_new_one() -> None:
    """Its keys may be dead, its link is of its day."""
    base = f"{changed('gone', 1)}\n{SECOND}"
    assert brief(check(base.replace("Measure gone", "Measured gone"), base)) == [("append-only", "altered", "error", 4)]


def test_a_deleted_changelog() -> None:
    tree = project(changelog=BASE)
    head = {path: text for path, text in tree.items() if path != CHANGELOG}
    (finding,) = lint(head, tree, select=RULES)
    assert (finding.path, finding.span.line, finding.message_id) == (MASTER, 1, "deleted-file")
    assert "perf-changelog.yaml was deleted with its 3 entries" in finding.message


def test_a_file_that_cannot_be_parsed_is_compared_all_the_same() -> None:
    head = f"{FIRST}<<<<<<< ours\n\n{SECOND}\n{THIRD}"
    assert brief(check(head)) == [("append-only", "altered", "error", 6)]
    assert check(f"{BASE}\n- a: [\n") == []


# ---- format


@pytest.mark.parametrize(
    ("base", "gap", "expected"),
    [
        (BASE, "  \n", ("separator-after-history", 18)),
        (BASE, "", ("separator-after-history", 18)),
        (BASE, "\n\n", ("separator-after-history", 18)),
        (f"{BASE}  \n", "", ("separator-after-history", 19)),
        (f"{BASE}\n", "\n", ("separator-after-history", 19)),
        (f"{BASE}\n", "", None),
        (f"{BASE}  \n", "\n", None),
        (BASE.rstrip("\n"), "\n\n", None),
        (BASE.rstrip("\n"), "\n", ("separator-after-history", 18)),
    ],
)
def test_what_stands_between_history_and_a_new_entry(base: str, gap: str, expected: tuple[str, int] | None) -> None:
    found = [(f.message_id, f.span.line) for f in check(base + gap + changed(KEY, PR), base)]
    assert found == ([expected] if expected else [])


def test_a_line_of_spaces_says_what_is_right() -> None:
    (finding,) = check(f"{BASE}  \n{changed(KEY, PR)}")
    assert (finding.span.line, finding.span.column, finding.span.end_column) == (18, 1, 3)
    assert finding.message == (
        "#12 is appended after a line of 2 spaces; the base ends with no blank line, so exactly one empty line is right"
    )


def test_between_two_new_entries() -> None:
    head = f"{BASE}\n{changed(KEY, PR)}{changed(OTHER, PR)}"
    assert brief(check(head)) == [("format", "separator", "error", 24)]


@pytest.mark.parametrize(
    ("tail", "severity", "line"), [("\n", "error", 24), ("  \n", "warning", 24), ("  \n\n", "error", 24)]
)
def test_blank_lines_at_the_end(tail: str, severity: str, line: int) -> None:
    assert brief(check(f"{BASE}\n{changed(KEY, PR)}{tail}")) == [("format", "trailing", severity, line)]


def test_blank_lines_that_were_at_the_end_are_history() -> None:
    assert check(f"{BASE}  \n", f"{BASE}  \n") == []
    assert brief(check(f"{BASE}  \n\n", f"{BASE}  \n")) == [("format", "trailing", "error", 19)]


def test_a_missing_line_break_at_the_end() -> None:
    (finding,) = check(f"{BASE}\n{changed(KEY, PR)}".rstrip("\n"))
    assert (finding.message_id, finding.severity, finding.span.line) == ("final-newline", "error", 23)


@pytest.mark.parametrize(("character", "message"), [("\r", "carriage-return"), ("\t", "tab")])
def test_characters(character: str, message: str) -> None:
    entry = changed(KEY, PR).replace('Measure"', 'Measure"').replace("Measure ", f"Measure{character}")
    assert brief(check(f"{BASE}\n{entry}")) == [("format", message, "error", 22)]
    old = BASE.replace("Measure ", f"Measure{character}", 1)
    assert check(f"{old}\n{changed(KEY, PR)}", old) == []
    assert brief(check(f"{old}\n{entry}", old)) == [("format", message, "error", 22)]
    tree = project(changelog=old)
    assert brief(lint(tree, select=RULES)) == [("format", message, "error", 4)]


def test_a_file_turned_to_crlf_is_one_finding_of_each_rule() -> None:
    found = check(f"{BASE}\n{changed(KEY, PR)}".replace("\n", "\r\n"))
    assert {(f.rule, f.message_id) for f in found} == {
        ("changelog-append-only", "line-ends"),
        ("changelog-format", "carriage-return"),
    }


def test_texts_that_say_nothing() -> None:
    empty = link('""').replace(f"Measure {KEY}", " ")
    assert brief(check(f"{BASE}\n{empty}")) == [("format", "description", "error", 22), ("format", "link", "error", 23)]


def test_history_is_not_judged_without_a_base() -> None:
    old = f"{FIRST}  \n{SECOND}{link('')}\n\n{changed('gone', 4)}  \n"
    assert [f for f in lint(project(changelog=old), select=RULES) if f.rule != "schema"] == []


# ---- keys


@pytest.mark.parametrize("key", [KEY, "finch-*", "*", "*-vllm", "*gb200*"])
def test_keys_that_match(key: str) -> None:
    assert check(f"{BASE}\n{changed(chr(34) + key + chr(34), PR)}") == []


def test_an_unknown_key_with_the_nearest() -> None:
    (finding,) = check(f"{BASE}\n{changed('finch-fp8-b200-vlm', PR)}")
    assert (finding.message_id, finding.span.line, finding.span.column) == ("unknown-near", 20, 5)
    assert finding.message == (
        "finch-fp8-b200-vlm is no key of configs/nvidia-master.yaml; the nearest: finch-fp8-b200-vllm, "
        "finch-fp8-gb200-dynamo-vllm"
    )
    assert [related.path for related in finding.related] == [MASTER, MASTER]


@pytest.mark.parametrize(
    "key", ["finch", "inch-fp8-b200-vllm", "Finch-fp8-b200-vllm", "finch?fp8-b200-vllm", "zebra-*"]
)
def test_patterns_match_whole_keys(key: str) -> None:
    (finding,) = check(f"{BASE}\n{changed(key, PR)}")
    assert finding.rule == "changelog-keys"


@pytest.mark.parametrize("text", [f"{KEY} {OTHER}", f"{KEY}, {OTHER}"])
def test_two_keys_in_one_text(text: str) -> None:
    (finding,) = check(f"{BASE}\n{changed(text, PR)}")
    assert finding.message_id == "joined"
    assert f"in which 2 keys stand: {KEY}, {OTHER}" in finding.message


def test_an_archived_key_and_a_removed_one() -> None:
    tree = project()
    archive = tree[MASTER].replace(KEY, "old-finch")
    (finding,) = check(f"{BASE}\n{changed('old-finch', PR)}", files={ARCHIVE: archive})
    assert (finding.message_id, finding.related[0].path) == ("archived", ARCHIVE)
    head = {**tree, MASTER: tree[MASTER].replace(OTHER, "new-finch"), CHANGELOG: f"{BASE}\n{changed(OTHER, PR)}"}
    (finding,) = lint(head, {**tree, CHANGELOG: BASE}, select=RULES, pull_request=PR)
    assert finding.message_id == "removed"


def test_no_key_is_missing_where_a_master_cannot_be_read() -> None:
    tree = {**project(), "configs/amd-master.yaml": project()[MASTER].replace("finch", "heron")}
    head = {**tree, "configs/amd-master.yaml": "a: [", CHANGELOG: f"{BASE}\n{changed('heron-fp8-b200-vllm', PR)}"}
    assert lint(head, {**tree, CHANGELOG: BASE}, select=RULES, pull_request=PR) == []


# ---- links


@pytest.mark.parametrize(
    "text",
    [
        "XXX", "TBD", "xxx", "test", "PLACEHOLDER", "N/A",
        *(f"{PULL}/{tail}" for tail in ("XXX", "xxx", "TBD", "PLACEHOLDER", "9xx", "", "<number>", "0")),
    ],
)  # fmt: skip
def test_placeholders_are_warnings(text: str) -> None:
    (finding,) = check(f"{BASE}\n{link(text)}")
    assert (finding.message_id, finding.severity, finding.span.line) == ("placeholder", "warning", 23)
    assert finding.message.endswith("write https://github.com/example/bench/pull/12")
    (finding,) = check(f"{BASE}\n{link(text)}", number=None)
    assert finding.message.endswith("write https://github.com/example/bench/pull/NUMBER")


@pytest.mark.parametrize(
    "text",
    [
        *(f"https://github.com/example/bench/pull/12{tail}" for tail in ("/files", "/", " and more", "?w=1")),
        "http://github.com/example/bench/pull/12",
        "github.com/example/bench/pull/12",
        "https://example.com/example/bench/pull/12",
        "https://github.com/example/bench/issues/12",
        "12",
        '"#12"',
    ],
)
def test_other_forms_are_errors(text: str) -> None:
    (finding,) = check(f"{BASE}\n{link(text)}", number=None)
    assert (finding.message_id, finding.severity) == ("form", "error")


def test_another_number() -> None:
    (finding,) = check(f"{BASE}\n{changed(KEY, 11)}")
    assert (finding.message_id, finding.severity) == ("number", "error")
    assert finding.message == (
        "pr-link names pull request #11, this one is #12; write https://github.com/example/bench/pull/12"
    )
    assert check(f"{BASE}\n{changed(KEY, 11)}", number=None) == []


def test_another_repository_is_a_warning() -> None:
    (finding,) = check(f"{BASE}\n{link('https://github.com/example/fork/pull/12')}")
    assert (finding.message_id, finding.severity) == ("repository", "warning")
    mixed = f"{FIRST}\n{link('https://github.com/example/fork/pull/2')}"
    assert check(f"{mixed}\n{link('https://github.com/example/fork/pull/12')}", mixed) == []


def test_old_links_are_warned_of_without_a_base_and_never_charged() -> None:
    old = f"{link('XXX')}\n{link('https://github.com/example/bench/pull/2/files')}\n{THIRD}"
    assert brief(lint(project(changelog=old), select=RULES)) == [
        ("pr-link", "placeholder", "warning", 5),
        ("pr-link", "form", "warning", 11),
    ]
    assert check(f"{old}\n{changed(KEY, PR)}", old) == []
