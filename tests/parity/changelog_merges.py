"""Replay the changelog merges of pull requests of a repository at hand: `changelog_merges.py GIT_DIR PULL_REQUEST…`.

For each merge of a pull request's branch in which both sides changed the changelog, and for its head against the main
branch of the time: what our merge gives, whether the base branch's bytes are its prefix, and whether they were in what
was committed. Nothing is written, and none of the repository's data is kept here.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

from reciplint.domain.changelog_merge import NotMerged, merge, merge_markers, read_sides

CHANGELOG = "perf-changelog.yaml"


class Replays:
    """A repository whose pull requests stand under `refs/pull/<N>/head`."""

    def __init__(self, git_dir: str) -> None:
        self._command = ["git", f"--git-dir={git_dir}"]

    def git(self, *arguments: str) -> str:
        return subprocess.run([*self._command, *arguments], capture_output=True, check=True).stdout.decode().strip()

    def text(self, commit: str) -> bytes:
        done = subprocess.run([*self._command, "show", f"{commit}:{CHANGELOG}"], capture_output=True, check=False)
        return done.stdout

    def merges(self, number: int) -> Iterator[tuple[str, str, str, str]]:
        """Label, this branch, main, and what was committed ("" for none), newest first."""
        head = f"refs/pull/{number}/head"
        squashed = self.git("log", "main", "--format=%H", f"--grep=(#{number})$", "-1")
        main = f"{squashed}^" if squashed else "main"
        yield "head and main", self.git("rev-parse", head), self.git("rev-parse", main), squashed
        for line in self.git(
            "log", "--merges", "--format=%H %P", f"{self.git('merge-base', main, head)}..{head}"
        ).split("\n") + self.git("log", "--merges", "--format=%H %P", "--first-parent", head, "-40").split("\n"):
            if len(line.split()) == 3:
                commit, ours, theirs = line.split()
                yield f"merge {commit[:9]}", ours, theirs, commit

    def replay(self, number: int) -> Iterator[str]:
        seen = set()
        for label, ours, theirs, committed in self.merges(number):
            base = self.text(self.git("merge-base", ours, theirs))
            mine, other, result = self.text(ours), self.text(theirs), self.text(committed) if committed else b""
            if (ours, theirs) in seen or mine == base or (other == base and not label.startswith("head")):
                continue
            seen.add((ours, theirs))
            yield f"#{number} {label}: {judged(base, mine, other, result)}"


def judged(base: bytes, ours: bytes, theirs: bytes, committed: bytes) -> str:
    began = time.perf_counter()
    try:
        merged = merge(base, ours, theirs)
    except NotMerged as error:
        return f"refused: {error}"
    spent = time.perf_counter() - began
    held = "holds" if merged.data.startswith(theirs) else "BROKEN"
    facts = [f"append-only {held}, {len(merged.appended)} appended, {spent:.2f} s", *merged.dropped]
    if committed:
        was = "held" if committed.startswith(theirs) else "broken"
        facts.append(f"in what was committed append-only was {was}")
        facts.append("same bytes as committed" if committed == merged.data else "other bytes than committed")
        if read_sides(committed) is not None:
            same = merge_markers(committed).data == merged.data
            facts.append(f"markers were committed; from them alone {'the same' if same else 'another'} result")
    return "; ".join(facts)


if __name__ == "__main__":
    for wanted in sys.argv[2:]:
        for told in Replays(sys.argv[1]).replay(int(wanted)):
            print(told)
