"""`reciplint changelog`: what it appends silences the rules, and what git could not merge it merges."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reciplint.cli.appending import append_entries
from reciplint.cli.repository import Repository
from reciplint.engine.cache import Cache
from reciplint.engine.run import Request, analyse_pair
from reciplint.engine.settings import Settings
from reciplint.repo.snapshot import Memory
from support import (
    CHANGELOG,
    MASTER,
    RECIPES,
    RULES,
    changed,
    commit,
    git,
    git_repo,
    multi,
    outcome,
    project,
    recipe,
    reciplint,
    single,
    write,
)

RECIPE = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"
CHANGELOG_RULES = [name for name, rule in RULES.items() if rule.card.category == "changelog"]
MULTI = multi("finch-fp8-gb200-dynamo-vllm", "recipes/vllm/finch/disagg-1p1d-tp4.yaml")


def bumped(text: str) -> str:
    return text.replace("vllm-openai:v0.11.0", "vllm-openai:v0.12.0")


def on_branch(directory: Path, **replaced: str) -> Path:
    """A repository on branch `topic`, with main behind it; `replaced` is what the working tree has changed."""
    top = git_repo(directory / "top", project())
    git(top, "checkout", "-q", "-b", "topic")
    write(top, project(**replaced))
    return top


# ---- add


def test_add_writes_the_entry_that_is_missing(tmp_path: Path) -> None:
    top = on_branch(tmp_path, master=bumped(single()) + MULTI)
    before = (top / CHANGELOG).read_bytes()
    assert reciplint(top, "check", "--base", "main", "--select", "changelog-required").status == 1
    ran = reciplint(top, "changelog", "add", "--base", "main", "--pr", "7")
    assert (ran.status, ran.out) == (0, "")
    assert ran.err == "reciplint: appended to perf-changelog.yaml: finch-fp8-b200-vllm (fixed-seq-len)"
    after = (top / CHANGELOG).read_bytes()
    assert after.startswith(before)
    assert (
        after[len(before) :].decode()
        == """
- config-keys:
  - finch-fp8-b200-vllm
  scenario-type:
  - fixed-seq-len
  description:
  - "Bump image vllm/vllm-openai:v0.11.0 → vllm/vllm-openai:v0.12.0"
  pr-link: https://github.com/example/bench/pull/7
"""
    )
    assert reciplint(top, "check", "--base", "main", "--pr", "7", "--fail-on", "info").status == 0
    again = reciplint(top, "changelog", "add", "--base", "main", "--pr", "7")
    assert (again.status, again.err) == (0, "reciplint: nothing to add: every key that changed has an entry")
    assert (top / CHANGELOG).read_bytes() == after


def test_add_names_all_changed_keys_by_a_wildcard_and_says_what_changed(tmp_path: Path) -> None:
    new = single("finch-fp8-b300-vllm", runner="gb200", prefix="finch")
    more = single("finch-fp8-b200-vllm", "{ tp: 4, conc-list: [8, 16, 32] }", "{ tp: 8, conc-list: [4] }")
    top = on_branch(tmp_path, master=more + new + MULTI)
    write(top, {RECIPE: recipe(value=128)})
    ran = reciplint(top, "changelog", "add", "--base", "main", "--diff")
    assert ran.status == 0
    assert "would append to perf-changelog.yaml: finch-fp8-*-vllm (fixed-seq-len)" in ran.err
    assert "give --pr once the pull request has a number" in ran.err
    added = [line[1:].strip() for line in ran.out.splitlines() if line.startswith("+  ")]
    assert added == [
        "- finch-fp8-*-vllm",
        "scenario-type:",
        "- fixed-seq-len",
        "description:",
        '- "Add 2 8k1k points (finch-fp8-b200-vllm)"',
        '- "Add finch-fp8-b300-vllm, example/Finch FP8 on GB200 with vllm: 2 8k1k points"',
        '- "Change recipe disagg-1p1d-tp4.yaml (finch-fp8-gb200-dynamo-vllm)"',
        "pr-link: https://github.com/example/bench/pull/XXX",
    ]
    assert git(top, "status", "--porcelain", CHANGELOG) == ""


def test_add_takes_descriptions_and_any_text_in_them(tmp_path: Path) -> None:
    top = on_branch(tmp_path, master=bumped(single()) + MULTI)
    ran = reciplint(
        top, "changelog", "add", "--base", "main", "--description", 'so: "it" \\ is', "--description", "因为 # 1"
    )
    assert ran.status == 0
    assert '  - "so: \\"it\\" \\\\ is"\n  - "因为 # 1"\n' in (top / CHANGELOG).read_text(encoding="utf-8")
    assert reciplint(top, "changelog", "add", "--base", "main", "--description", " ").status == 2


def test_the_link_is_of_the_settings_else_of_the_changelog_else_of_the_remote(tmp_path: Path) -> None:
    top = on_branch(tmp_path, master=bumped(single()) + MULTI)
    bare = changed("finch-fp8-b200-vllm").replace("https://github.com/example/bench/pull/1", "none")
    git(top, "stash", "-q")
    git(top, "checkout", "-q", "main")
    commit(top, {CHANGELOG: bare})
    git(top, "checkout", "-q", "-B", "topic")
    write(top, {MASTER: bumped(single()) + MULTI})

    def link() -> tuple[str, str]:
        ran = reciplint(top, "changelog", "add", "--base", "main", "--pr", "7", "--diff")
        assert ran.status == 0
        return ran.out.rpartition("pr-link: ")[2].strip(), ran.err

    assert link()[0] == "XXX"
    assert "neither the settings, the changelog nor `origin`" in link()[1]
    for url in ("git@github.com:us/bench.git", "https://token@github.com/us/bench", "ssh://git@github.com/us/bench/"):
        git(top, "config", "remote.origin.url", url)
        assert link()[0] == "https://github.com/us/bench/pull/7"
    write(top, {".reciplint.yaml": "policy:\n  repository: them/bench\n"})
    assert link()[0] == "https://github.com/them/bench/pull/7"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({CHANGELOG: "- a: [\n"}, "changelog of the working tree cannot be read"),
        ({MASTER: "a: [\n"}, "a master config of the working tree cannot be read"),
        ({CHANGELOG: "[]\n"}, "perf-changelog.yaml: nothing can be appended: it is no list"),
    ],
)
def test_add_does_not_guess(tmp_path: Path, files: dict[str, str], said: str) -> None:
    top = on_branch(tmp_path, master=bumped(single()) + MULTI)
    write(top, files)
    ran = reciplint(top, "changelog", "add", "--base", "main", "--pr", "7")
    assert ran.status == 2
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1


def test_add_does_not_write_through_a_link(tmp_path: Path) -> None:
    top = on_branch(tmp_path, master=bumped(single()) + MULTI)
    (top / CHANGELOG).rename(tmp_path / "elsewhere.yaml")
    (top / CHANGELOG).symlink_to(tmp_path / "elsewhere.yaml")
    ran = reciplint(top, "changelog", "add", "--base", "main", "--pr", "7")
    assert (ran.status, ran.err) == (2, "Error: perf-changelog.yaml is gone; restore it before adding to it")
    assert (tmp_path / "elsewhere.yaml").read_text() == changed("finch-fp8-b200-vllm")


@pytest.mark.corpus
def test_add_on_the_seed_silences_the_changelog_rules(corpus_repo: Path, tmp_path: Path) -> None:
    top = git_repo(tmp_path / "seed")
    git(top, "fetch", "-q", str(corpus_repo), "refs/remotes/origin/seed/*:refs/heads/seed/*")
    git(top, "checkout", "-q", "seed/head")
    before = (top / CHANGELOG).read_bytes()
    assert reciplint(top, "changelog", "add", "--base", "seed/base", "--pr", "2637").status == 0
    assert (top / CHANGELOG).read_bytes().startswith(before)
    judged = reciplint(
        top, "check", "--base", "seed/base", "--pr", "2637", "--select", ",".join(CHANGELOG_RULES), "--format", "json"
    )
    assert judged.report["findings"] == []


# ---- add, on random changes

KEYS = ("finch-fp8-b200-vllm", "finch-fp4-b200-vllm", "wren-fp8-b200-vllm", "wren-fp8-gb200-vllm", "finch-fp8-b200")
AGENTIC = """\
    agentic-coding:
    - search-space:
      - {{ tp: 8, kv-offloading: none, conc-list: [{}] }}
"""


@st.composite
def masters(draw: st.DrawFn) -> str:
    text = ""
    for key in draw(st.lists(st.sampled_from(KEYS), unique=True)):
        rows = draw(st.lists(st.sampled_from(["4", "8", "8, 16", "1, 2"]), min_size=1, max_size=2))
        one = single(key, *(f"{{ tp: {2 << index}, conc-list: [{row}] }}" for index, row in enumerate(rows)))
        if draw(st.booleans()):
            one = bumped(one)
        if draw(st.booleans()):
            one = one.replace("  multinode", "  router: { name: r, version: '1' }\n  multinode")
        if draw(st.booleans()):
            one += AGENTIC.format(draw(st.integers(1, 2)))
        text += one
    files = draw(st.lists(st.sampled_from(["disagg-1p1d-tp4", "other"]), unique=True, max_size=2))
    return text + (
        multi("finch-fp8-gb200-dynamo-vllm", *(f"recipes/vllm/finch/{f}.yaml" for f in files)) if files else ""
    )


@st.composite
def changes(draw: st.DrawFn) -> tuple[dict[str, str], dict[str, str]]:
    """A base and a head that may have some entries already."""
    sides = []
    for _ in range(2):
        files = project(master=draw(masters()) or "{}\n")
        files[RECIPE] = recipe(value=draw(st.sampled_from([64, 128])))
        sides.append(files)
    base, head = sides
    tail = draw(st.sampled_from(["", "\n", "  \n", "# the end\n"]))
    base[CHANGELOG] = (changed("finch-fp8-b200-vllm") + tail).rstrip("" if draw(st.booleans()) else "\n ")
    head[CHANGELOG] = base[CHANGELOG]
    return base, head


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(changes())
def test_add_silences_the_changelog_rules_and_touches_nothing(sides: tuple[dict[str, str], dict[str, str]]) -> None:
    base, head = sides
    request = Request(
        head=Memory({path: text.encode() for path, text in head.items()}),
        base=Memory({path: text.encode() for path, text in base.items()}),
    )
    pair = analyse_pair(request, RULES, Settings(), Cache(None))
    repository = Repository(Path(), None, Settings(), RULES)
    added = append_entries(repository, pair.changes, 7, ())
    for item in added:
        assert item.before == head[CHANGELOG].encode()
        assert item.after.startswith(item.before)
        head = {**head, item.path: item.after.decode()}
    found = outcome(head, base, select=CHANGELOG_RULES, pull_request=7).findings
    assert [item.finding for item in found] == []


# ---- check


def test_check_reads_the_file_alone(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", project(master=single() + "x: 1\nx: 2\n"))
    assert reciplint(top, "check").status == 1
    ran = reciplint(top, "changelog", "check")
    assert (ran.status, ran.err) == (0, "")
    write(top, {CHANGELOG: "- config-keys: [finch-fp8-b200-vllm]\n  pr-link: 1\n"})
    ran = reciplint(top, "changelog", "check", "--format", "json")
    assert ran.status == 1
    assert {path for _, path, _ in ran.places} == {CHANGELOG}
    assert "schema" in {rule for rule, _, _ in ran.places}
    write(top, {CHANGELOG: "- [\n"})
    assert reciplint(top, "changelog", "check", "--format", "json").places[0][0] == "yaml-syntax"


def test_check_reads_any_file_as_the_changelog(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", project())
    other = tmp_path / "merged.yaml"
    other.write_text("- config-keys: [finch-fp8-b200-vllm]\n")
    assert reciplint(top, "changelog", "check", str(other)).status == 1
    assert reciplint(top, "changelog", "check", CHANGELOG).status == 0
    assert reciplint(top, "changelog", "check", "missing.yaml").status == 2
    assert reciplint(git_repo(tmp_path / "none", {"a.txt": ""}), "changelog", "check").status == 2


# ---- merge

OLD = changed("finch-fp8-b200-vllm") + "  \n"


def parted(directory: Path, mine: str, other: str, branch: str = "topic") -> Path:
    """A repository on `branch`, whose changelog and main's went apart; the merge is not begun."""
    top = git_repo(directory / "top", project(changelog=OLD))
    git(top, "checkout", "-q", "-b", branch)
    commit(top, {CHANGELOG: mine})
    git(top, "checkout", "-q", "main")
    commit(top, {CHANGELOG: other})
    git(top, "checkout", "-q", branch)
    return top


def attempt(top: Path, *arguments: str) -> int:
    """The exit status of a git command that may stop at a conflict."""
    identity = ("-c", "user.name=Robin", "-c", "user.email=robin@example.com", "-c", "core.editor=true")
    return subprocess.run(["git", *identity, *arguments], cwd=top, capture_output=True, check=False).returncode


MINE = OLD + "\n" + changed("finch-fp8-b200-vllm", 7)
THEIRS = OLD + "\n" + changed("finch-fp8-gb200-dynamo-vllm", 5)
MERGED = THEIRS + "\n" + changed("finch-fp8-b200-vllm", 7)


@pytest.mark.parametrize("how", [("merge", "main"), ("rebase", "main")])
@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_merge_resolves_git_s_conflict(tmp_path: Path, how: tuple[str, str], style: str) -> None:
    top = parted(tmp_path, MINE, THEIRS)
    git(top, "config", "merge.conflictStyle", style)
    assert attempt(top, *how) == 1
    ran = reciplint(top, "changelog", "merge")
    assert (ran.status, ran.out) == (0, "")
    assert ran.err == (
        "reciplint: perf-changelog.yaml: the base branch's text, then 1 entry of this branch (finch-fp8-b200-vllm)"
    )
    assert (top / CHANGELOG).read_text() == MERGED
    assert git(top, "diff", "--name-only", "--diff-filter=U") == CHANGELOG  # `git add` is left to people
    assert reciplint(top, "changelog", "check").status == 0
    judged = reciplint(top, "check", "--base", "main", "--select", "changelog-append-only", "--format", "json")
    assert judged.report["findings"] == []
    again = reciplint(top, "changelog", "merge")
    assert (again.status, (top / CHANGELOG).read_text()) == (0, MERGED)


def test_merge_resolves_markers_that_were_committed(tmp_path: Path) -> None:
    top = parted(tmp_path, MINE, THEIRS)
    assert attempt(top, "merge", "main") == 1
    git(top, "commit", "-qam", "oops")
    assert reciplint(top, "changelog", "check").status == 1
    shown = reciplint(top, "changelog", "merge", "--diff")
    assert shown.status == 0
    assert "-<<<<<<< HEAD" in shown.out
    for options in ((), ("--base", "main")):
        git(top, "checkout", "-q", CHANGELOG)
        assert reciplint(top, "changelog", "merge", *options).status == 0
        assert (top / CHANGELOG).read_text() == MERGED
    ran = reciplint(top, "changelog", "merge")
    assert (ran.status, ran.err) == (0, "reciplint: perf-changelog.yaml: no conflict, nothing to merge")


def test_merge_takes_a_base_branch_or_two_revisions(tmp_path: Path) -> None:
    top = parted(tmp_path, OLD.replace("Measure", "Measured") + "\n" + changed("finch-fp8-b200-vllm", 7), THEIRS)
    ran = reciplint(top, "changelog", "merge", "--base", "main")
    assert ran.status == 0
    assert "not taken over, for history is append-only: entry 1 (#1) was altered" in ran.err
    assert (top / CHANGELOG).read_text() == MERGED
    git(top, "checkout", "-q", CHANGELOG)
    assert reciplint(top, "changelog", "merge", "--ours", "topic", "--theirs", "main").status == 0
    assert (top / CHANGELOG).read_text() == MERGED
    for wrong in (("--ours", "topic"), ("--base", "main", "--ours", "topic", "--theirs", "main"), ("--base", "none")):
        assert reciplint(top, "changelog", "merge", *wrong).status == 2


def test_merge_says_what_it_cannot_do(tmp_path: Path) -> None:
    top = parted(tmp_path, MINE, THEIRS)
    write(top, {CHANGELOG: OLD + "<<<<<<< HEAD\n"})
    ran = reciplint(top, "changelog", "merge")
    assert ran.status == 2
    assert ran.err == "Error: perf-changelog.yaml: the last conflict has no end (`>>>>>>>`)"
    git(top, "checkout", "-q", CHANGELOG)
    git(top, "rm", "-q", CHANGELOG)
    git(top, "commit", "-qm", "gone")
    assert attempt(top, "merge", "main") == 1
    ran = reciplint(top, "changelog", "merge", CHANGELOG)
    assert ran.status == 2
    assert "was deleted on one side" in ran.err


# ---- the merge driver


def with_driver(top: Path) -> Path:
    """The repository with the driver set up as the guide says."""
    guide = (Path(__file__).parents[2] / "docs" / "changelog.md").read_text(encoding="utf-8")
    line = next(line for line in guide.splitlines() if line.startswith("git config merge.reciplint-changelog.driver"))
    git(top, *shlex.split(line)[1:])
    command = git(top, "config", "merge.reciplint-changelog.driver")
    assert command == "reciplint changelog merge-driver %O %A %B"
    git(top, "config", "merge.reciplint-changelog.driver", f"{sys.executable} -m {command}")
    attributes = "perf-changelog.yaml merge=reciplint-changelog"
    assert attributes in guide
    (top / ".git" / "info").mkdir(exist_ok=True)
    (top / ".git" / "info" / "attributes").write_text(f"{attributes}\n")
    return top


@pytest.mark.parametrize(
    "how", [("merge", "main", "-m", "x"), ("rebase", "main"), ("pull", "--no-rebase", ".", "main")]
)
def test_the_driver_merges_in_whichever_direction(tmp_path: Path, how: tuple[str, ...]) -> None:
    top = with_driver(parted(tmp_path, MINE, THEIRS))
    assert attempt(top, *how) == 0
    assert (top / CHANGELOG).read_text() == MERGED
    assert git(top, "status", "--porcelain") == ""


def test_the_driver_keeps_main_when_a_branch_is_merged_into_it(tmp_path: Path) -> None:
    top = with_driver(parted(tmp_path, MINE, THEIRS))
    git(top, "checkout", "-q", "main")
    assert attempt(top, "merge", "topic", "-m", "x") == 0
    assert (top / CHANGELOG).read_text() == MERGED


def test_the_driver_keeps_the_remote_s_main_when_it_is_pulled(tmp_path: Path) -> None:
    origin = with_driver(parted(tmp_path, MINE, THEIRS))
    git(origin, "checkout", "-q", "main")
    git(tmp_path, "clone", "-q", str(origin), "clone")
    clone = with_driver(tmp_path / "clone")
    git(clone, "reset", "-q", "--hard", "HEAD~1")
    commit(clone, {CHANGELOG: MINE})
    assert attempt(clone, "pull", "--no-rebase", "origin", "main") == 0
    assert (clone / CHANGELOG).read_text() == MERGED


def test_a_cherry_pick_is_put_on_top(tmp_path: Path) -> None:
    top = with_driver(parted(tmp_path, MINE, THEIRS))
    git(top, "checkout", "-q", "main")
    assert attempt(top, "cherry-pick", "topic") == 0
    assert (top / CHANGELOG).read_text() == MERGED


def test_a_stash_is_put_on_top(tmp_path: Path) -> None:
    top = parted(tmp_path, THEIRS, OLD)
    git(top, "checkout", "-q", "main")
    write(top, {CHANGELOG: MINE})
    git(top, "stash", "-q")
    git(top, "checkout", "-q", "topic")
    assert attempt(top, "stash", "pop") == 1
    assert reciplint(top, "changelog", "merge").status == 0
    assert (top / CHANGELOG).read_text() == MERGED
    git(with_driver(top), "checkout", "-q", "-f", "topic")
    assert attempt(top, "stash", "pop") == 0
    assert (top / CHANGELOG).read_text() == MERGED


def test_the_driver_leaves_a_normal_conflict_where_history_was_altered(tmp_path: Path) -> None:
    mine = OLD.replace("Measure", "Measured") + "\n" + changed("finch-fp8-b200-vllm", 7)
    top = with_driver(parted(tmp_path, mine, THEIRS))
    assert attempt(top, "merge", "main") == 1
    assert "<<<<<<< ours" in (top / CHANGELOG).read_text()
    assert git(top, "diff", "--name-only", "--diff-filter=U") == CHANGELOG
    ran = reciplint(top, "changelog", "merge")
    assert (ran.status, (top / CHANGELOG).read_text()) == (0, MERGED)


def test_the_driver_alone(tmp_path: Path) -> None:
    write(tmp_path, {"o": OLD, "a": MINE, "b": THEIRS, "c": "- ["})
    assert reciplint(tmp_path, "changelog", "merge-driver", "o", "a", "b").status == 0
    assert (tmp_path / "a").read_text() == MERGED
    write(tmp_path, {"a": MINE})
    assert reciplint(tmp_path, "changelog", "merge-driver", "--upstream", "ours", "o", "b", "a").status == 0
    assert (tmp_path / "b").read_text() == MERGED
    write(tmp_path, {"a": MINE})
    ran = reciplint(tmp_path, "changelog", "merge-driver", "o", "a", "c")
    assert ran.status == 1
    assert "is merged line by line" in ran.err
    assert "<<<<<<<" in (tmp_path / "a").read_text()
    assert reciplint(tmp_path, "changelog", "merge-driver", "o", "a", "missing").status == 2
