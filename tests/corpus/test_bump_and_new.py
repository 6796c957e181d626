"""`bump` and `new` on real keys of both layouts: a check against what was there finds nothing, or for the copies of
some siblings nothing that it does not find in these."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from support import git, git_repo, reciplint

pytestmark = pytest.mark.corpus

AUGUST_BUMPS = (
    "qwen3.5-fp4-gb300-dynamo-sglang",
    "dsv4-fp4-gb200-dynamo-vllm",
    "minimaxm3-fp4-gb200-dynamo-vllm-agentic-disagg-mtp",
    "dsr1-fp8-h200-trt",
    "dsv4-fp4-mi355x-atom-agentic-mtp",
)
OCTOBER_BUMPS = (
    "qwen3.5-fp8-gb300-dynamo-sglang",
    "dsr1-fp4-b200-dynamo-trt",
    "kimik3-fp4-gb200-dynamo-vllm-agentic-dspark-mooncake-dcp16-agg",
    "minimaxm3-fp4-b300-trtllm-agentic-mtp",
    "dsr1-fp4-mi355x-atom",
)
AUGUST_CLEAN = (
    ("dsv4-fp8-h100-dynamo-sglang-agentic-agg", "dsv4-fp8-h200-dynamo-sglang-agentic-agg"),
    ("dsv4-fp4-gb300-llmd-vllm", "dsv4-fp4-gb200-llmd-vllm"),
    ("minimaxm3-fp4-gb300-dynamo-vllm-agentic-agg-mtp", "minimaxm3-fp4-gb200-dynamo-vllm-agentic-agg-mtp"),
    ("dsv4-fp4-gb200-dynamo-sglang-agentic-agg", "dsv4-fp4-gb300-dynamo-sglang-agentic-agg"),
    ("qwen3.5-fp4-gb200-dynamo-sglang-agentic-agg", "qwen3.5-fp4-gb300-dynamo-sglang-agentic-agg"),
    ("dsr1-fp4-mi325x-sglang", "dsr1-fp4-mi355x-sglang"),
    ("dsr1-fp4-b300-trt", "dsr1-fp4-b200-trt"),
    ("dsv4-fp4-b200-sglang-mtp", "dsv4-fp4-b300-sglang-mtp"),
    ("dsv4-fp8-h100-vllm", "dsv4-fp8-h200-vllm"),
    ("dsv4-fp8-mi355x-vllm", "dsv4-fp8-mi325x-vllm"),
)
OCTOBER_CLEAN = (
    ("dsr1-fp4-b300-trt", "dsr1-fp4-b200-trt"),
    ("dsr1-fp8-h100-trt-mtp", "dsr1-fp8-h200-trt-mtp"),
    ("minimaxm3-fp4-gb300-dynamo-vllm-agentic-agg-mtp", "minimaxm3-fp4-gb200-dynamo-vllm-agentic-agg-mtp"),
    ("dsr1-fp4-mi325x-atom", "dsr1-fp4-mi355x-atom"),
    ("qwen3.5-fp4-gb200-dynamo-trt", "qwen3.5-fp4-gb300-dynamo-trt"),
    ("glm5.2-fp4-b300-dynamo-sglang-agentic-agg", "glm5.2-fp4-b200-dynamo-sglang-agentic-agg"),
    (
        "kimik3-fp4-gb200-dynamo-vllm-agentic-dspark-mooncake-dcp8-agg",
        "kimik3-fp4-gb300-dynamo-vllm-agentic-dspark-mooncake-dcp8-agg",
    ),
    ("qwen3.5-fp8-h200-sglang-agentic", "qwen3.5-fp8-h100-sglang-agentic"),
    ("minimaxm3-fp4-mi325x-atom-agentic-mtp", "minimaxm3-fp4-mi355x-atom-agentic-mtp"),
    ("qwen3.8next-fp4-gb200-sglang-agentic-mtp", "qwen3.8next-fp4-gb300-sglang-agentic-mtp"),
)
"""Copies of which a check finds nothing. The recipes of the last six are not in what is here of that repository: of
these the key and the entry alone are judged."""

AUGUST_ALIKE = (
    ("dsr1-fp4-mi325x-sglang", "dsr1-fp4-mi355x-sglang"),
    ("dsv4-fp4-gb300-llmd-vllm", "dsv4-fp4-gb200-llmd-vllm"),
    ("qwen3.5-fp4-gb200-dynamo-trt", "qwen3.5-fp4-gb300-dynamo-trt"),
    ("dsv4-fp4-b200-dynamo-sglang", "dsv4-fp4-b300-dynamo-sglang"),
    (
        "kimik3-fp4-gb200-dynamo-vllm-agentic-dspark-mooncake-dcp8-agg",
        "kimik3-fp4-gb300-dynamo-vllm-agentic-dspark-mooncake-dcp8-agg",
    ),
    ("minimaxm3-fp4-gb300-dynamo-vllm-agentic-disagg-mtp", "minimaxm3-fp4-gb200-dynamo-vllm-agentic-disagg-mtp"),
)
OCTOBER_ALIKE = (
    ("dsr1-fp4-mi325x-atom", "dsr1-fp4-mi355x-atom"),
    ("dsr1-fp4-b300-dynamo-sglang", "dsr1-fp4-b200-dynamo-sglang"),
    ("minimaxm3-fp4-gb300-dynamo-vllm-agentic-agg-mtp", "minimaxm3-fp4-gb200-dynamo-vllm-agentic-agg-mtp"),
    ("dsr1-fp8-h100-trt-mtp", "dsr1-fp8-h200-trt-mtp"),
)
"""Copies of which a check finds nothing but what it finds in the siblings: five have such findings."""

HARDWARE = re.compile(r"\b(gb200|gb300|b200|b300|h100|h200|mi325x|mi355x)\b", re.IGNORECASE)


@pytest.fixture
def august(corpus_repo: Path, tmp_path: Path) -> Path:
    top = tmp_path / "august"
    shutil.copytree(corpus_repo, top)
    return top


@pytest.fixture
def later(october: Path, tmp_path: Path) -> Path:
    top = git_repo(tmp_path / "october")
    shutil.copytree(october, top, dirs_exist_ok=True)
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "as it is")
    return top


def image_of(top: Path, key: str) -> str:
    """The image that a key of the working tree names."""
    texts = [path.read_text("utf-8") for path in top.glob("**/configs/*-master.yaml")]
    found = [re.search(rf"^{re.escape(key)}:\n(?:  .*\n)*?  image: (\S+)$", text, re.MULTILINE) for text in texts]
    return next(match[1] for match in found if match)


def moved(top: Path, keys: tuple[str, ...]) -> None:
    """Each key moved to another tag of its image."""
    for key in keys:
        old = image_of(top, key)
        new = re.sub(r":[^:]+\Z", ":another-tag", old.partition("@")[0])
        ran = reciplint(top, "bump", old, new, "--key", key, "--pr", "99999", "--write")
        assert (ran.status, image_of(top, key)) == (0, new), ran.err


def copied(top: Path, pairs: tuple[tuple[str, str], ...]) -> None:
    """Each key made after its sibling, whose image is left."""
    for key, sibling in pairs:
        ran = reciplint(top, "new", key, "--from", sibling, "--pr", "99999", "--write")
        assert (ran.status, image_of(top, key)) == (0, image_of(top, sibling)), ran.err


def told(top: Path, *arguments: str) -> set[tuple[str, str, str]]:
    """What a check finds, whatever the hardware."""
    findings = reciplint(top, "check", "--format=json", "--pr", "99999", *arguments).report["findings"]
    return {
        (finding["rule"], HARDWARE.sub("GPU", finding["path"]), HARDWARE.sub("GPU", finding["message"]))
        for finding in findings
    }


def test_ten_keys_get_another_image(august: Path, later: Path) -> None:
    moved(august, AUGUST_BUMPS)
    moved(later, OCTOBER_BUMPS)
    assert told(august, "--base", "HEAD") == set()
    assert told(later, "--base", "HEAD") == set()


def made(top: Path) -> int:
    """How many files are new in the working tree."""
    return len(git(top, "ls-files", "--others", "--exclude-standard").splitlines())


def test_ten_copies_in_each_layout_are_clean(august: Path, later: Path) -> None:
    copied(august, AUGUST_CLEAN)
    copied(later, OCTOBER_CLEAN)
    assert (made(august), told(august, "--base", "HEAD")) == (16, set())
    assert (made(later), told(later, "--base", "HEAD")) == (4, set())


def test_ten_copies_repeat_what_their_siblings_have_and_no_more(august: Path, later: Path) -> None:
    before = told(august), told(later)
    copied(august, AUGUST_ALIKE)
    copied(later, OCTOBER_ALIKE)
    found = told(august, "--base", "HEAD"), told(later, "--base", "HEAD")
    assert (found[0] - before[0], found[1] - before[1]) == (set(), set())
    assert all(found)
