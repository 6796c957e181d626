"""`reciplint diff`: revisions, formats, code owners; and that nothing from a repository is obeyed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from support import (
    CHANGELOG,
    MASTER,
    RECIPES,
    Files,
    changed,
    commit,
    git,
    git_repo,
    project,
    recipe,
    reciplint,
    single,
    write,
)

KEY = "finch-fp8-b200-vllm"
MULTI = "finch-fp8-gb200-dynamo-vllm"
RECIPE = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"
OWNERS = {".github/CODEOWNERS": "* @org/core\nconfigs/ @org/core @robin\n"}


def altered() -> Files:
    """The project with an image bumped, a recipe changed, and an entry for the first alone."""
    files = project(master=project()[MASTER].replace("v0.11.0", "v0.12.0", 1))
    return {**files, RECIPE: recipe(value=128), CHANGELOG: files[CHANGELOG] + "\n" + changed(KEY, 2)}


@pytest.fixture
def top(tmp_path: Path) -> Path:
    top = git_repo(tmp_path / "top", {**project(), **OWNERS})
    git(top, "checkout", "-q", "-b", "topic")
    commit(top, altered())
    return top


def test_text(top: Path) -> None:
    ran = reciplint(top, "diff", "main", "topic")
    assert (ran.status, ran.err) == (0, "")
    base, head = git(top, "rev-parse", "main")[:12], git(top, "rev-parse", "topic")[:12]
    assert (
        ran.out
        == f"""\
{base} -> {head}
keys: 2 changed · points: 2 changed · recipes: 1 changed · changelog names 1 of 2 keys that need it · GPU-hours 16

Not covered by an added changelog entry
  key                          scenarios      because
  {MULTI}  fixed-seq-len  its recipe disagg-1p1d-tp4.yaml changed

Keys
  ~ {KEY}  points ~2  changelog: line 7
      image: vllm/vllm-openai:v0.11.0 → vllm/vllm-openai:v0.12.0 (2 points)
  ~ {MULTI}  points ~1  changelog: missing
      recipe disagg-1p1d-tp4.yaml changed (1 point)

Recipes
  ~ {RECIPE}  run by {MULTI}
      backend.vllm_config.decode.max-num-seqs: 64 → 128

Added changelog entries (together 2 points, 2 jobs, about 8 GPU-hours)
  perf-changelog.yaml:7  {KEY}: 1 key
      Measure {KEY}

Who may sign
  any of @org/core for all 3 owned files
  owners     files  which
  @org/core      3  {RECIPE}, {MASTER}, {CHANGELOG}
  @robin         1  {MASTER}

Cost of a full sweep
  runner  points  jobs  GPU-hours  change
  all          3     3         16       0
"""
    )


def test_json(top: Path) -> None:
    found = json.loads(reciplint(top, "diff", "main", "topic", "--format", "json").out)
    assert found["schema"] == "reciplint/diff-v1"
    assert (found["base"], found["head"]) == (git(top, "rev-parse", "main"), git(top, "rev-parse", "topic"))
    assert [key["key"] for key in found["keys"]] == [KEY, MULTI]
    assert found["keys"][0]["fields"][0]["new"] == "vllm/vllm-openai:v0.12.0"
    assert found["keys"][1]["recipes"] == {RECIPE: 1}
    assert found["recipes"][0]["changes"][0]["place"] == "backend.vllm_config.decode.max-num-seqs"
    assert found["changelog"]["uncovered"] == [MULTI]
    assert found["changelog"]["needed"][1]["is-metadata"] is False
    assert found["owners"]["signers"]["alone"] == ["@org/core"]
    assert found["totals"]["fleets"]["b200"]["before"]["points"] == 2


def test_markdown(top: Path) -> None:
    out = reciplint(top, "diff", "main", "topic", "--format", "markdown").out
    assert out.startswith("**keys: 2 changed · ")
    assert f"| `{MULTI}` | `fixed-seq-len` | `its recipe disagg-1p1d-tp4.yaml changed` |" in out
    assert "image: `vllm/vllm-openai:v0.11.0` → `vllm/vllm-openai:v0.12.0` (2 points)" in out
    assert "<details><summary><code>disagg-1p1d-tp4.yaml</code>: 1 setting</summary>" in out
    assert "Any of `@org/core` for all 3 owned files." in out


def test_the_working_tree_is_the_default_head(top: Path) -> None:
    write(top, {MASTER: single(KEY, "{ tp: 4, conc-list: [8, 16, 32] }"), "untracked.md": "x"})
    found = json.loads(reciplint(top, "diff", "topic", "--format", "json").out)
    assert found["head"] is None
    assert [(key["key"], key["status"]) for key in found["keys"]] == [(KEY, "changed"), (MULTI, "removed")]
    assert found["keys"][0]["rows"][0]["after"] == [8, 16, 32]
    assert found["owners"]["touched"] == [MASTER, "untracked.md"]


def test_the_merge_base_unless_direct(top: Path) -> None:
    git(top, "checkout", "-q", "main")
    commit(top, {MASTER: project()[MASTER] + single("wren-fp8-b200-vllm")})
    merged = json.loads(reciplint(top, "diff", "main", "topic", "--format", "json").out)
    assert merged["base"] == git(top, "merge-base", "main", "topic")
    assert "wren-fp8-b200-vllm" not in [key["key"] for key in merged["keys"]]
    direct = json.loads(reciplint(top, "diff", "main", "topic", "--direct", "--format", "json").out)
    assert [key["status"] for key in direct["keys"] if key["key"] == "wren-fp8-b200-vllm"] == ["removed"]


def test_the_owners_are_those_of_the_base(top: Path) -> None:
    commit(top, {".github/CODEOWNERS": "* @mallory\n"})
    found = json.loads(reciplint(top, "diff", "main", "topic", "--format", "json").out)
    assert found["owners"]["signers"]["alone"] == ["@org/core"]


def test_without_owners(tmp_path: Path) -> None:
    top = git_repo(tmp_path / "top", project())
    commit(top, altered())
    assert "the base has no CODEOWNERS; 3 files touched" in reciplint(top, "diff", "HEAD~1").out


def test_nothing_differs(top: Path) -> None:
    out = reciplint(top, "diff", "HEAD").out
    assert "no key, point or recipe differs · GPU-hours 16" in out
    assert "Who may sign" not in out
    assert reciplint(top, "diff", "HEAD", "--format", "markdown").status == 0


def test_the_same_bytes_twice(top: Path) -> None:
    for chosen in ("text", "json", "markdown"):
        runs = {reciplint(top, "diff", "main", "topic", "--format", chosen).out for _ in range(2)}
        assert len(runs) == 1


def test_faults(top: Path, tmp_path: Path) -> None:
    assert reciplint(top, "diff").status == 2
    unknown = reciplint(top, "diff", "nowhere")
    assert (unknown.status, unknown.out) == (2, "")
    assert "no commit is called 'nowhere'" in unknown.err
    (tmp_path / "plain").mkdir()
    outside = reciplint(tmp_path / "plain", "diff", "main")
    assert outside.status == 2
    assert "needs a git repository" in outside.err


HOSTILE = '"@everyone <img src=x onerror=y> | `x` [l](https://example.com) #1 </details> \\e[31m \\u202e"'


def test_hostile_text_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    """In Markdown everything from the repository is code: no mention, link or HTML but our own."""
    top = git_repo(tmp_path / "top", {**project(), ".github/CODEOWNERS": "* @everyone\n"})
    bad = single(HOSTILE) + single(KEY).replace("vllm/vllm-openai:v0.11.0", HOSTILE).replace(
        "tp: 4", f"tp: 4, {HOSTILE}: 1"
    )
    entry = f"\n- config-keys: [{HOSTILE}]\n  description: [{HOSTILE}]\n  pr-link: {HOSTILE}\n"
    commit(
        top,
        {
            MASTER: bad,
            CHANGELOG: project()[CHANGELOG] + entry,
            RECIPE: recipe(flag=HOSTILE, value=HOSTILE),
            f"{RECIPES}/@everyone <b>.yaml": recipe(),
        },
    )
    text = reciplint(top, "diff", "HEAD~1")
    assert text.status == 0, text.err
    assert "\x1b" not in text.out
    assert "\u202e" not in text.out
    out = reciplint(top, "diff", "HEAD~1", "--format", "markdown").out
    tokens = MarkdownIt("commonmark").enable("table").parse(out)
    inline = [child for token in tokens for child in token.children or []]
    assert not {"link_open", "image"} & {child.type for child in inline}
    assert not [child.content for child in inline if child.type == "text" and "@" in child.content]
    html = [token.content for token in [*tokens, *inline] if token.type in ("html_block", "html_inline")]
    for content in html:
        bare = re.sub(r"<code>[^<]*</code>", "", content)
        assert re.fullmatch(r"(?:</?(?:details|summary|sub)>|<br>|[^<>@])*", bare), content


@pytest.mark.corpus
def test_a_hundred_commits(corpus_repo: Path) -> None:
    for chosen in ("text", "json", "markdown"):
        ran = reciplint(corpus_repo, "diff", "main~100", "main", "--format", chosen)
        assert ran.status == 0, ran.err
        assert ran.out
