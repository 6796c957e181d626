"""A pull request replayed as its pushes: what stands on it after each, with the real command on a real repository."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from checkout import Checkout, checkout_of

from reciplint.bot.model import inline_key
from reciplint.engine.settings import SETTINGS_FILE
from support import (
    CHANGELOG,
    MASTER,
    RECIPES,
    RULES,
    Ran,
    changed,
    git,
    git_repo,
    multi,
    project,
    recipe,
    reciplint,
    runners,
    single,
    write,
)


@dataclass
class Replay:
    """The pushes so far. `seen` holds every comment that was ever made, by id, with the text it had then."""

    clone: Checkout
    seen: dict[int, str]
    arguments: tuple[str, ...] = ()

    def push(self, edits: dict[str, str], gone: tuple[str, ...] = ()) -> Ran:
        """A push and the bot's run on it; what must hold after any push holds."""
        ran = self.clone.push(edits, *self.arguments, gone=gone)
        assert ran.err == ""
        assert self.clone.note  # one summary, in place
        keys = [inline_key(comment.body) for comment in self.clone.fake.pull.open]
        assert len(set(keys)) == len(keys), "one finding has two comments"
        lines = [(comment.path, comment.line) for comment in self.clone.fake.pull.open]
        assert len(set(lines)) == len(lines), "one line has two comments"
        now = {comment.id: comment.body for comment in self.clone.comments}
        assert {known: now.get(known) for known in self.seen} == self.seen, "a comment went or was rewritten"
        self.seen = now
        return ran

    def is_settled(self) -> bool:
        """Whether a second run on the same push writes nothing."""
        writes = len(self.clone.fake.writes)
        self.clone.bot(*self.arguments)
        return len(self.clone.fake.writes) == writes

    def text(self, path: str) -> str:
        return (self.clone.top / path).read_text(encoding="utf-8")

    def edited(self, path: str, *changes: tuple[str, str]) -> dict[str, str]:
        """A file with texts replaced that stand in it once each."""
        text = self.text(path)
        for old, new in changes:
            assert text.count(old) == 1, f"{text.count(old)} times in {path}: {old}"
            text = text.replace(old, new)
        return {path: text}

    @property
    def open(self) -> list[str]:
        """The rules of the comments that a reader sees unfolded, sorted."""
        return sorted(_rule(comment.body) for comment in self.clone.fake.pull.open)

    @property
    def folded(self) -> list[str]:
        """The rules of those that were minimised as resolved."""
        return sorted(_rule(c.body) for c in self.clone.comments if c.minimised == "RESOLVED")

    @property
    def verdict(self) -> str:
        return self.clone.note.splitlines()[0]

    @property
    def told(self) -> list[str]:
        """The rules of the summary's rows, sorted."""
        rows = [line for line in self.clone.note.splitlines() if line.startswith(("| ❌", "| ⚠️", "| ℹ️"))]
        return sorted(_rule(row) for row in rows)

    def is_green(self) -> bool:
        """Whether nothing but advice is left: a green summary, and every comment folded as resolved."""
        states = {comment.minimised for comment in self.clone.comments}
        return (self.verdict.startswith("✅ reciplint: nothing new"), self.open, states) == (True, [], {"RESOLVED"})


def _rule(markdown: str) -> str:
    """The rule that a comment or a row links to."""
    return markdown.partition("[`")[2].partition("`]")[0]


# ---- in miniature

POLICY = """\
# Models

| Model | Deprecated | Supported |
|---|---|---|
| Wren (`wren`) | Single-turn 8k1k (deprecated from day 0) | Agentic coding |
"""
SMALL = "vllm/finch"
SPLIT, WIDE = f"{RECIPES}/{SMALL}/disagg-1p1d-tp4.yaml", f"{RECIPES}/{SMALL}/disagg-1p2d-tp4.yaml"
SIBLINGS = {f"{RECIPES}/{SMALL}/disagg-{n}p1d-tp4.yaml": recipe(f"finch-{n}p1d") for n in (2, 3, 4)}


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Replay]:
    rows = [f"recipes/{SMALL}/{Path(path).name}" for path in (SPLIT, *SIBLINGS)]
    files = {
        **project(),
        **SIBLINGS,
        MASTER: single() + multi("finch-fp8-gb200-dynamo-vllm", *rows),
        "MODELS.md": POLICY,
        "configs/runners.yaml": runners(),
    }
    top = git_repo(tmp_path / "top", files)
    git(top, "checkout", "-q", "-b", "topic")
    with checkout_of(top, tmp_path / "outside") as clone:
        yield Replay(clone, {})


NEW, RETIRED = "finch-fp4-gb200-dynamo-vllm", "wren-fp8-b200-vllm"


def test_four_pushes_in_miniature(small: Replay) -> None:
    added = multi(NEW, f"recipes/{SMALL}/{Path(SPLIT).name}").replace("precision: fp8", "precision: fp4")
    opened = {
        MASTER: small.text(MASTER) + added + single(RETIRED, prefix="wren"),
        WIDE: recipe("finch-1p2d", flag="max_num_seqs"),
    }
    assert small.push(opened).status == 1
    assert small.verdict.startswith("❌ reciplint: ")
    assert small.open == ["changelog-required", "deprecated-arm"]
    assert {"changelog-required", "deprecated-arm", "kebab-case-keys", "unreferenced-recipe"} <= set(small.told)

    entry = changed(NEW, 7).replace(f"  - {NEW}\n", f"  - {NEW}\n  - {RETIRED}\n", 1)
    assert small.push({CHANGELOG: small.text(CHANGELOG) + "\n" + entry}).status == 1
    assert (small.open, small.folded) == (["deprecated-arm"], ["changelog-required"])

    wired = multi(NEW, *(f"recipes/{SMALL}/{Path(path).name}" for path in (SPLIT, WIDE)))
    master = small.edited(MASTER, (added, wired.replace("precision: fp8", "precision: fp4")))
    assert small.push({**master, **small.edited(WIDE, ("max_num_seqs", "max-num-seqs"))}).status == 1
    assert (small.open, small.told) == (["deprecated-arm"], ["deprecated-arm"])

    master = small.edited(MASTER, (single(RETIRED, prefix="wren"), ""))
    last = small.push({**master, **small.edited(CHANGELOG, (f"  - {RETIRED}\n", ""))})
    assert last.status == 0
    assert small.is_green()
    assert small.is_settled()
    assert small.folded == ["changelog-required", "deprecated-arm"]


# ---- the mission's pull request

FOLDER = f"{RECIPES}/vllm/kimi-k3/agentic/"
ARM = "kimik3-fp4-gb300-dynamo-vllm-agentic-mooncake-dcp8-agg"
ARM_RECIPE = f"{FOLDER}agg-gb300-dcp8-nospec-mooncake-agentic.yaml"
SHAPES = ("1p1d-dcp8-dcp8-dspark4", "1p1d-dcp8-dcp8-dspark7", "1p2d-dcp8-dcp8-dspark4")
WIRED, IDLE, OTHER = (f"{FOLDER}disagg-gb300-{shape}-mooncake-agentic.yaml" for shape in SHAPES)
UNSPOKEN = [*(name for name, rule in RULES.items() if rule.card.category in ("consistency", "serving")), "dram-budget"]
"""What compares the values of recipes with those of rows and engines: these four pushes mend none of it."""
SNAKE, KEBAB = "max_num_batched_tokens", "max-num-batched-tokens"


@pytest.fixture
def seed(corpus_repo: Path, tmp_path: Path) -> Iterator[Replay]:
    top = tmp_path / "seed"
    subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", str(corpus_repo), str(top)], check=True)
    git(top, "fetch", "-q", str(corpus_repo), "refs/remotes/origin/seed/*:refs/heads/seed/*")
    git(top, "checkout", "-q", "seed/head")
    write(top, {SETTINGS_FILE: "rules:\n" + "".join(f"  {rule}: 'off'\n" for rule in UNSPOKEN)})
    with checkout_of(top, tmp_path / "outside", "seed/base") as clone:
        yield Replay(clone, {})


def with_entry(replay: Replay) -> dict[str, str]:
    """The changelog with the entry that the command writes for what changed."""
    top = replay.clone.top
    done = reciplint(top, "changelog", "add", "--base", "seed/base", "--pr", "7", "--description", "Add Kimi-K3 points")
    assert done.status == 0, done.err
    return {CHANGELOG: replay.text(CHANGELOG)}


def without_arm(replay: Replay) -> dict[str, str]:
    """The master config without the retired key and the comment on it; the changelog names its siblings by a pattern
    that it fell under."""
    text = replay.text(MASTER)
    at = text.index(f"\n{ARM}:\n")
    start, end = text.rindex("\n\n", 0, at) + 1, text.index("\n\n", at) + 1
    return {MASTER: text[:start] + text[end:]}


def wired(replay: Replay) -> dict[str, str]:
    """A row that runs the idle recipe, made of the row before it: seven draft tokens accept 3.84 on average."""
    text = replay.text(MASTER)
    name = Path(WIRED).name
    start = text.rindex("      - spec-decoding", 0, text.index(name))
    end = text.index("      - spec-decoding", start + 1)
    row = text[start:end]
    for old, new in ((name, Path(IDLE).name), ("LENGTH=3.36", "LENGTH=3.84"), ("conc-list: [64]", "conc-list: [1, 2]")):
        assert old in row
        row = row.replace(old, new)
    return {MASTER: text[:end] + row + text[end:]}


FOUR = ["kebab-case-keys", "kebab-case-keys", "kebab-case-keys", "unreferenced-recipe"]
ADVICE = ["anchor-dedup", "anchor-dedup", "anchor-dedup"]


@pytest.mark.corpus
@pytest.mark.parametrize("least", ["error", "warning"])
def test_the_seed_as_four_pushes(seed: Replay, least: str) -> None:
    """`warned` are the warnings where they are shown inline too."""
    seed.arguments = ("--inline-severity", least)
    warned = FOUR if least == "warning" else []

    assert seed.push({}).status == 1
    assert seed.is_settled()
    assert seed.verdict == "❌ reciplint: 2 errors, 4 warnings, 3 info"
    assert seed.open == sorted(["changelog-required", "deprecated-arm", *warned])

    assert seed.push(with_entry(seed)).status == 1
    assert seed.verdict == "❌ reciplint: 1 error, 4 warnings, 3 info"
    assert (seed.open, seed.folded) == (sorted(["deprecated-arm", *warned]), ["changelog-required"])

    renamed = {path: seed.text(path).replace(f" {SNAKE}:", f" {KEBAB}:") for path in (WIRED, IDLE, OTHER)}
    assert seed.push({**wired(seed), **renamed}).status == 1
    assert seed.verdict == "❌ reciplint: 1 error, 3 info"
    assert (seed.open, seed.folded) == (["deprecated-arm"], sorted(["changelog-required", *warned]))

    assert seed.push(without_arm(seed), gone=(ARM_RECIPE,)).status == 0
    assert seed.is_green()
    assert seed.told == ADVICE
    assert seed.folded == sorted(["changelog-required", "deprecated-arm", *warned])
