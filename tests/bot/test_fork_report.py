"""The second half of the pair for forks: an honest report is told as far as it can be, an altered one is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from checkout import WRITES, Checkout, checkout_of, in_process
from fake_github import Fault
from hypothesis import given
from hypothesis import strategies as st
from test_markdown import RENDERER, flat, hostile, texts

from reciplint.bot.markdown import words
from reciplint.bot.quoting import LONGEST_VALUE, MOST_VALUES, quoted
from reciplint.rules.finding import render
from support import MASTER, RECIPES, RULES, Ran, git, git_repo, multi, project, recipe, runners, single

LEFT = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"
KEPT = f"{RECIPES}/vllm/finch/disagg-2p1d-tp4.yaml"
NEW = "finch-fp8-gb200-vllm"
SIBLINGS = [f"{RECIPES}/vllm/finch/disagg-{n}p1d-tp4.yaml" for n in (3, 4, 5)]
Report = dict[str, Any]


@pytest.fixture
def fork(tmp_path: Path) -> Iterator[Checkout]:
    """A pull request with faults in a hunk, outside of the hunks of its file and in files that it leaves alone: a new
    key without a changelog entry, a runner label that goes, a recipe that nothing runs any more."""
    names = [f"recipes/vllm/finch/{Path(path).name}" for path in (KEPT, LEFT)]
    keys = single() + multi("finch-fp8-gb200-dynamo-vllm", *names)
    top = git_repo(tmp_path / "top", {**project(), MASTER: keys, KEPT: recipe("finch-2p1d")})
    git(top, "checkout", "-q", "-b", "topic")
    with checkout_of(top, tmp_path / "outside") as made:
        fewer = single() + multi("finch-fp8-gb200-dynamo-vllm", names[0]) + single(NEW, runner="gb200")
        made.change({MASTER: fewer, "configs/runners.yaml": runners("gb200")})
        yield made


@pytest.fixture
def near(fork: Checkout, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Checkout:
    """The same, with the command run in this process."""
    fork.run = in_process(monkeypatch, capfd)
    return fork


def told_of(checkout: Checkout) -> str:
    """Everything that the bot left."""
    return checkout.note + "".join(comment.body for comment in checkout.comments)


def rows_of(note: str) -> list[tuple[str, str]]:
    """Rule and place of each finding of a summary."""
    return re.findall(r"^\| .+? \[`([\w-]+)`\].*<br>\[`([^`]+)`\]", note, re.MULTILINE)


def test_an_honest_report_is_told_as_without_one(fork: Checkout) -> None:
    from_checkout = json.loads(fork.bot("--dry-run").out)
    ran = fork.from_report(fork.report())
    assert (ran.status, ran.err) == (0, "")
    assert rows_of(fork.note) == rows_of(from_checkout["note"])
    assert {"changelog-required", "unknown-runner", "unreferenced-recipe"} <= {rule for rule, _ in rows_of(fork.note)}
    assert ("unreferenced-recipe", f"{LEFT}:1") in rows_of(fork.note), "a recipe that the change does not touch"
    assert [(c.path, c.line) for c in fork.comments] == [(c["path"], c["line"]) for c in from_checkout["inline"]]
    assert "because the file is not part of this change" in fork.note
    assert "it may have been altered" in fork.note
    assert "may have been altered" not in from_checkout["note"]
    fork.from_report(fork.report())
    assert len(fork.fake.writes) == 2
    assert WRITES not in ran.out + ran.err + fork.left("summary") + fork.left("output") + told_of(fork)


def test_the_head_s_files_are_listed_once_and_only_where_a_path_is_not_in_the_diff(fork: Checkout) -> None:
    fork.from_report(fork.report())
    assert [path for _, path in fork.fake.log if "/git/trees/" in path] == [
        f"/repos/{fork.fake.repository}/git/trees/{fork.fake.pull.head}"
    ]
    fork.fake.log.clear()
    report = fork.report()
    diff = {MASTER, "configs/runners.yaml"}
    report["findings"] = [
        {**item, "related": [place for place in item["related"] if place["path"] in diff]}
        for item in report["findings"]
        if {item["path"], *(edit["path"] for edit in (item["fix"] or {"edits": []})["edits"])} <= diff
    ]
    assert report["findings"]
    assert fork.from_report(report).status == 0
    assert not any("/git/trees/" in path for _, path in fork.fake.log)


@pytest.mark.parametrize("how", ["cut", "forbidden"])
def test_where_the_files_cannot_be_listed_a_path_outside_of_the_diff_is_refused(near: Checkout, how: str) -> None:
    if how == "cut":
        near.fake.is_tree_cut = True
    else:
        near.fake.faults.append(Fault("GET", "/git/trees/", 403, "Resource not accessible by integration"))
    ran = near.from_report(near.report())
    assert ran.status == 2
    assert "the files of its head could not be listed" in ran.err
    assert near.fake.writes == []


# what an attacker may alter: the whole of it


def _with(**fields: object) -> Callable[[Report], object]:
    return lambda report: {**report, **fields}


def _first(**fields: object) -> Callable[[Report], object]:
    """The first finding altered."""
    return lambda report: {**report, "findings": [{**report["findings"][0], **fields}, *report["findings"][1:]]}


def _place(line: int = 1, column: int = 1, end: int = 1) -> dict[str, dict[str, int]]:
    return {"start": {"line": line, "column": column}, "end": {"line": end, "column": column}}


def _edit(path: str) -> dict[str, object]:
    return {"applicability": "safe", "title": "t", "edits": [{"path": path, **_place(), "replacement": "x"}]}


def _of_text(text: str) -> Callable[[Report], object]:
    return lambda report: text


NO_SUCH = "is neither in the pull request's diff nor among the files of its head"
SCHEMA = "it does not fulfil the schema reciplint/report-v1"
ALTERED: dict[str, tuple[Callable[[Report], object], str]] = {
    "another pull request": (_with(pull_request=8), "it is about another pull request than #7"),
    "another head": (_with(head="e" * 40), "it is about another commit than"),
    "no head": (_with(head=None), "it is about another commit than"),
    "no base": (_with(base=None), "it compares with no base"),
    "another version": (_with(tool={"name": "reciplint", "version": "9.9.9"}), "reciplint 9.9.9 made it, and this is"),
    "a field more": (_with(note="hello"), SCHEMA),
    "another schema": (_with(schema="reciplint/report-v2"), SCHEMA),
    "no object": (_of_text("[]"), SCHEMA),
    "no JSON": (_of_text("{"), "it is no JSON"),
    "no number": (_of_text('{"exit_code": NaN}'), "it is no JSON"),
    "an endless number": (_of_text('{"exit_code": ' + "9" * 5000 + "}"), "it is no JSON"),
    "no bottom": (_of_text("[" * 100_000 + "]" * 100_000), "it is no JSON"),
    "deep": (_of_text("[" * 60 + "]" * 60), "it is nested more than 50 levels deep"),
    "many findings": (
        lambda report: {**report, "findings": report["findings"][:1] * 5001},
        "it has more than 5000 findings",
    ),
    "an invented path": (_first(path="please/read/this.yaml", related=[]), f"please/read/this.yaml {NO_SUCH}"),
    "a path out of the repository": (_first(path="../../etc/passwd"), SCHEMA),
    "a path from the root": (_first(path="/etc/passwd"), SCHEMA),
    "an invented related path": (
        _first(related=[{"path": "gone.yaml", **_place(), "message": "x"}]),
        f"gone.yaml {NO_SUCH}",
    ),
    "an edit of an invented path": (_first(fix=_edit("gone.yaml")), f"gone.yaml {NO_SUCH}"),
    "a path of markup": (_first(path="<img src=x> @org/team"), NO_SUCH),
    "markup": (
        _first(message="<img src=x> @everyone [click](https://evil.example)"),
        "is not what the rule says",
    ),
    "an unknown rule": (_first(rule="click-here"), "no rule is called click-here"),
    "an unknown message": (_first(message_id="evil"), "has no message evil"),
    "no fields": (_first(arguments={}), "are not those it takes"),
    "fields of other types": (_first(arguments={"count": "x"}), "are not those it takes"),
    "a place before its start": (_first(**_place(line=9, end=3)), "a place ends before it starts"),
    "a place beyond all files": (_first(**_place(line=10**9, end=10**9)), "lies beyond the end of any file"),
    "a number without bounds": (_first(arguments={"count": 10**400}), "too large to be one that a rule counts"),
}


@pytest.mark.parametrize("change", ALTERED)
def test_an_altered_report_is_refused_with_a_reason(near: Checkout, change: str) -> None:
    alter, reason = ALTERED[change]
    ran = near.from_report(alter(near.report()))
    assert (ran.status, ran.out) == (2, "")
    assert "report.json: the report was refused: " in ran.err
    assert reason in ran.err
    summary = near.left("summary")
    assert summary.startswith("reciplint: the report was refused: ")
    plain, _ = texts(RENDERER.parse(summary))
    assert not any(re.search("img|@org|https", part) for part in plain)
    assert near.fake.writes == []
    assert WRITES not in ran.err + summary + near.left("output")


def test_two_hundred_megabytes_are_refused_without_reading_them(near: Checkout) -> None:
    file = near.outside / "large.json"
    with file.open("wb") as target:
        target.truncate(200 << 20)
    ran = near.bot("--from-report", str(file), event="workflow_run")
    assert ran.status == 2
    assert "it has more than 10 MB" in ran.err
    assert near.fake.log == []


def test_a_report_that_is_no_file_is_refused(near: Checkout) -> None:
    ran = near.bot("--from-report", str(near.outside / "none.json"), event="workflow_run")
    assert ran.status == 2
    assert "it cannot be read: No such file" in ran.err


def test_the_pull_request_of_a_run_is_derived_and_must_be_one(near: Checkout) -> None:
    report = near.report()
    near.fake.pull.head_repository = "mallory/bench"
    payload = near.payload
    near.payload = lambda event: {  # type: ignore[method-assign]
        "workflow_run": {**payload(event)["workflow_run"], "head_repository": {"full_name": "other/bench"}}
    }
    ran = near.from_report(report)
    assert ran.status == 2
    assert "no open pull requests stand on" in ran.err


def test_a_forged_report_that_fits_says_nothing_in_the_bot_s_own_words(near: Checkout) -> None:
    """The fields are the one way in: what they say is quoted, their markup is text, what is free elsewhere is gone."""
    report = near.report()
    free = "Approved by the maintainers @org/team --> <img src=x> `x` [a](https://evil.example)"
    for finding in report["findings"]:
        fields = {name: free if isinstance(value, str) else value for name, value in finding["arguments"].items()}
        finding["arguments"] = {
            name: [free] * len(value) if isinstance(value, list) else value for name, value in fields.items()
        }
        finding["message"] = RULES[finding["rule"]].rule.messages[finding["message_id"]]
        finding["message"] = render(finding["message"], finding["arguments"])
        finding["fingerprint"] = f"{free} {finding['fingerprint']}"
        finding["related"] = [{**place, "message": free} for place in finding["related"]]
        finding["fix"] = {**_edit(MASTER), "title": free}
        finding["fix"]["edits"][0]["replacement"] = free
        finding["url"] = "https://evil.example/"
    ran = near.from_report(report, "--lang", "en,zh")
    assert (ran.status, ran.err) == (0, "")
    for comment in (near.note, *(comment.body for comment in near.comments)):
        plain, kinds = texts(RENDERER.parse(comment))
        assert "image" not in kinds
        assert not any("Approved" in part or "evil" in part for part in plain)
        assert "suggestion" not in comment
        links = [str(token.attrs["href"]) for token in flat(RENDERER.parse(comment)) if token.type == "link_open"]
        assert all(
            link.startswith(("https://reciplint.github.io/reciplint/rules/", "https://github.com/fork/"))
            for link in links
        )


def test_that_a_fix_is_at_hand_crosses_and_its_text_does_not(near: Checkout) -> None:
    kebab = {KEPT: recipe("finch-2p1d", flag="max_num_seqs"), **{path: recipe(path[-9]) for path in SIBLINGS}}
    near.change(kebab)
    report = near.report()
    (found,) = (item for item in report["findings"] if item["rule"] == "kebab-case-keys")
    assert found["fix"]["applicability"] == "safe"
    assert near.from_report(report, "--inline-severity", "warning").status == 0
    (comment,) = (c.body for c in near.comments if c.path == KEPT and "kebab-case-keys" in c.body)
    assert "`reciplint fix` repairs this." in comment
    assert "suggestion" not in comment


# the benchmark impact


def _told(near: Checkout, difference: object) -> Ran:
    file = near.outside / "diff.json"
    file.write_text(json.dumps(difference))
    return near.from_report(near.report(), "--from-diff", str(file))


def test_the_impact_crosses_as_counts_and_names(near: Checkout) -> None:
    own = json.loads(near.bot("--dry-run").out)["note"]
    ran = _told(near, near.difference())
    assert (ran.status, ran.err) == (0, "")
    (line,) = [line for line in near.note.splitlines() if line.startswith("**Benchmark impact**")]
    assert line in own.splitlines()
    assert "- `finch-fp8-gb200-vllm` (fixed-seq-len)\n" in near.note
    assert [row for row in near.note.splitlines() if row.startswith("| `b200` |")] == [
        row for row in own.splitlines() if row.startswith("| `b200` |")
    ]
    assert "Code owners" not in near.note


def _key(**fields: object) -> Callable[[Report], object]:
    return lambda told: {**told, "keys": [{**told["keys"][0], **fields}]}


def _need(**fields: object) -> Callable[[Report], object]:
    return lambda told: {**told, "changelog": {"needed": [{**told["changelog"]["needed"][0], **fields}]}}


def _fleet(name: str) -> Callable[[Report], object]:
    return lambda told: {
        **told,
        "totals": {**told["totals"], "fleets": {name: next(iter(told["totals"]["fleets"].values()))}},
    }


NO_DIFF = "it is no reciplint/diff-v1 of counts and names"


@pytest.mark.parametrize(
    ("alter", "reason"),
    [
        (_with(head="e" * 40), "it is about another commit than"),
        (_with(schema="reciplint/diff-v2"), NO_DIFF),
        (_key(key="approved by the maintainers"), NO_DIFF),
        (_key(key="@org"), NO_DIFF),
        (_key(key="x" * 151), NO_DIFF),
        (_key(key="x\n"), NO_DIFF),
        (_key(added="many"), NO_DIFF),
        (_key(added=True), NO_DIFF),
        (_key(added=-1), NO_DIFF),
        (_key(added=10**12), NO_DIFF),
        (_key(status="approved"), NO_DIFF),
        (_need(uncovered=["a b"]), NO_DIFF),
        (_fleet("a fleet of mine"), NO_DIFF),
        (lambda told: [], NO_DIFF),
    ],
)
def test_an_altered_difference_is_refused_with_a_reason(
    near: Checkout, alter: Callable[[Report], object], reason: str
) -> None:
    ran = _told(near, alter(near.difference()))
    assert ran.status == 2
    assert f"the difference was refused: {reason}" in ran.err
    assert "the difference was refused" in near.left("summary")
    assert near.fake.writes == []


def test_a_difference_without_a_report_is_a_mistake(near: Checkout) -> None:
    ran = near.bot("--from-diff", "diff.json")
    assert ran.status == 2
    assert "--from-diff goes with --from-report" in ran.err


# quoting

TEMPLATES = ("{x}", "no {x}: {y}", "`{x}` is {y}", "write `{x}: {y}`{n:?, {n:time|times}}", "{x}{y}", "a `b`{x}`c`")


@given(st.sampled_from(TEMPLATES), hostile, hostile, st.integers(0, 3))
def test_a_value_is_quoted_whatever_it_is(template: str, x: str, y: str, n: int) -> None:
    own = set(re.findall(r"[a-z]+", re.sub(r"\{[^}]*\}+", "", template)))
    plain, kinds = texts(RENDERER.parse(f"> {words(quoted(template, {'x': x, 'y': y, 'n': n}))}"))
    assert kinds <= {
        "blockquote_open",
        "blockquote_close",
        "paragraph_open",
        "inline",
        "paragraph_close",
        "text",
        "code_inline",
    }
    said = set(re.findall(r"[^\W\d_]+", " ".join(plain)))
    bare = {value for value in (x, y) if re.fullmatch("[a-z]{1,15}", value)}
    joined = {x + y} if bare == {x, y} else set()
    assert said <= own | {"time", "times", "blank"} | bare | joined


def test_values_are_cut_and_words_of_one_kind_stay_plain() -> None:
    assert quoted("{what} names {them}", {"what": "a b", "them": "it"}) == "`a b` names it"
    assert quoted("{what}", {"what": "x " * 1000}) == f"`{'x ' * (LONGEST_VALUE // 2)}…`"
    assert quoted("{all}", {"all": tuple("ABC" * 10)}).count("`") == 2 * MOST_VALUES
    assert quoted("{all}", {"all": tuple("ABC" * 10)}).endswith(", +10")
    assert quoted("`{x}` {x}", {"x": "a`b c"}) == "`a'b c` `a'b c`"
    assert quoted("{them:it=它}{far:?, far from {far}}", {"them": "it", "far": "A b"}) == "它, far from `A b`"
    assert quoted("{n:key|keys}", {"n": 2}) == "2 keys"
