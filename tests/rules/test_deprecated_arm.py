"""The rule on deprecated arms: where it speaks, what it says and cites, and how severely."""

from __future__ import annotations

import datetime
import re
import subprocess
from pathlib import Path

import pytest

from reciplint.domain.document import Document
from reciplint.domain.facts import read_facts
from reciplint.domain.policy import policy_from_settings, read_policy
from reciplint.domain.project import Change, Project, build_project
from reciplint.repo.kinds import Kind
from reciplint.rules.finding import Finding
from reciplint.rules.policy.deprecated_arm import RULE, check_change, check_project
from reciplint.rules.rule import Context
from reciplint.yamltree.spans import Span

MASTER = "configs/nvidia-master.yaml"
CONTEXT = Context(review_date=datetime.date(2026, 8, 20))
POLICY = """\
### Monday, August 10, 2026

| Model | Deprecated arm | Published arm |
|---|---|---|
| Heron 2 (`heron2`) | Agentic coding, non-MTP (deprecated from day 0) | Agentic coding, MTP |
| Owl 1 (`owl1`) | Agentic coding, non-MTP | Agentic coding, MTP |

Status: not yet enacted.

| Model | Prefix | Active | Deprecated |
|---|---|---|---|
| Heron 2 | `heron2` | Agentic coding | Agentic coding non-MTP arm (deprecated from day 0) |
| Wren | `wren` | None (retired 2026-08-01) | Single-turn 8k1k |
"""
AGENTIC = "    agentic-coding:\n    - search-space:\n"
FIXED = "    fixed-seq-len:\n    - isl: 8192\n      osl: 1024\n      search-space:\n"


def entry(key: str, prefix: str, *rows: str, scenario: str = AGENTIC, image: str = "example/serve:v1") -> str:
    head = f"{key}:\n  image: {image}\n  model-prefix: {prefix}\n  precision: fp8\n  framework: vllm\n  scenarios:\n"
    return head + scenario + "".join(f"      - {row}\n" for row in rows)


def project(*entries: str, policy: str = POLICY) -> Project:
    document = Document(MASTER, Kind.MASTER, "".join(entries).encode())
    files = {MASTER: (Kind.MASTER, read_facts(document)), "MODELS.md": (Kind.POLICY, read_policy(policy))}
    return build_project("", files, {}, lambda path: None)


def charged(base: Project | None, head: Project) -> list[tuple[str, str]]:
    return [(finding.severity, finding.message_id) for finding in check_change(Change(base, head), CONTEXT)]


PLAIN = "{ tp: 8, kv-offloading: none, conc-list: [1, 4] }"
DRAFTING = "{ tp: 8, kv-offloading: none, spec-decoding: mtp, conc-list: [1, 4] }"


def test_standing_arm_is_a_warning_that_cites_every_row_of_the_policy() -> None:
    (finding,) = check_project(project(entry("heron2-agentic", "heron2", DRAFTING, PLAIN)), CONTEXT)
    assert (finding.severity, finding.path, finding.span) == ("warning", MASTER, Span(10, 9, 10, 9 + len(PLAIN)))
    assert finding.message == (
        "`heron2-agentic`, agentic-coding: this arm is deprecated: "
        "agentic-coding without speculative decoding of `heron2` (from day 0)"
    )
    assert [(related.path, related.span, related.message) for related in finding.related] == [
        (
            "MODELS.md",
            Span(5, 24, 5, 71),
            "The policy says: “Heron 2 (`heron2`) | Agentic coding, non-MTP (deprecated from day 0)”",
        ),
        (
            "MODELS.md",
            Span(12, 41, 12, 91),
            "The policy says: “`heron2` | Agentic coding non-MTP arm (deprecated from day 0)”",
        ),
        (MASTER, Span(1, 1, 1, 15), "The key of the arm"),
    ]


def test_added_arm_is_an_error_and_shares_its_subject_with_the_warning() -> None:
    head = project(entry("heron2-agentic", "heron2", DRAFTING, PLAIN))
    base = project(entry("heron2-agentic", "heron2", DRAFTING))
    (error,) = check_change(Change(base, head), CONTEXT)
    (warning,) = check_project(head, CONTEXT)
    assert (error.severity, error.message_id) == ("error", "added")
    assert (error.subject, error.path, error.span) == (warning.subject, warning.path, warning.span)
    assert error.message == (
        "`heron2-agentic`, agentic-coding: this change adds a deprecated arm: "
        "agentic-coding without speculative decoding of `heron2` (from day 0)"
    )


def test_new_image_under_a_deprecated_arm_alters_it() -> None:
    base = project(entry("heron2-agentic", "heron2", DRAFTING, PLAIN))
    head = project(entry("heron2-agentic", "heron2", DRAFTING, PLAIN, image="example/serve:v2"))
    assert charged(base, head) == [("error", "altered")]


def test_untouched_arm_is_not_charged_wherever_it_moves() -> None:
    heron, owl = entry("heron2-agentic", "heron2", PLAIN), entry("owl1-agentic", "owl1", DRAFTING)
    assert charged(project(heron), project(owl, heron)) == []
    reordered = entry("heron2-agentic", "heron2", DRAFTING, PLAIN)
    assert charged(project(heron), project(reordered)) == []


def test_new_project_has_only_added_arms() -> None:
    assert charged(None, project(entry("heron2-agentic", "heron2", PLAIN))) == [("error", "added")]


def test_arm_only_announced_stays_a_warning() -> None:
    head = project(entry("owl1-agentic", "owl1", PLAIN))
    (finding,) = check_change(Change(project(), head), CONTEXT)
    assert finding.severity == "warning"
    assert finding.message.endswith("of `owl1` (announced for 2026-08-11, not yet enacted)")


def test_deprecation_counts_from_the_day_after_the_last() -> None:
    head = project(entry("owl1-agentic", "owl1", PLAIN))
    days = [Context(review_date=datetime.date(2026, 8, day)) for day in (10, 11)]
    assert [len(list(check_project(head, day))) for day in days] == [0, 1]


def test_retired_model_in_any_scenario_and_one_finding_for_both_reasons() -> None:
    (finding,) = check_project(project(entry("wren-8k1k", "wren", DRAFTING, scenario=FIXED)), CONTEXT)
    assert finding.message == ("`wren-8k1k`, 8k1k: this arm is deprecated: every scenario of `wren` (since 2026-08-01)")
    assert [related.span.line for related in finding.related] == [13, 1]


def test_model_without_a_row_is_silent() -> None:
    assert list(check_project(project(entry("heron2.1-agentic", "heron2.1", PLAIN)), CONTEXT)) == []


def test_subjects_of_rows_that_differ_in_concurrency_differ() -> None:
    other = PLAIN.replace("[1, 4]", "[8]")
    findings = list(check_project(project(entry("heron2-agentic", "heron2", PLAIN, other)), CONTEXT))
    assert len({finding.subject for finding in findings}) == 2


def test_no_policy_no_findings() -> None:
    document = Document(MASTER, Kind.MASTER, entry("heron2-agentic", "heron2", PLAIN).encode())
    head = build_project("", {MASTER: (Kind.MASTER, read_facts(document))}, {}, lambda path: None)
    assert list(check_project(head, CONTEXT)) == []
    assert charged(None, head) == []


def test_what_was_not_understood_is_one_info_finding_and_nothing_is_guessed() -> None:
    policy = (
        "| Model | Prefix | Active | Deprecated |\n|---|---|---|---|\n"
        "| Heron 2 | `heron2` | Agentic coding | Agentic coding on B300 |\n"
        "| Owl 1 | `owl1` | | Single-turn 8k1k |\n"
    )
    (finding,) = check_project(project(entry("heron2-agentic", "heron2", PLAIN), policy=policy), CONTEXT)
    assert (finding.severity, finding.path, finding.span) == ("info", "MODELS.md", Span(3, 41, 3, 63))
    assert finding.message.startswith("Nothing is concluded from 2 places of the policy not understood: Heron 2, ")
    assert [related.span.line for related in finding.related] == [4]


def test_reason_of_the_settings_is_said_and_not_cited() -> None:
    items = [
        {"model-prefix": "heron2", "since": "2026-08-01", "reason": "no nodes left", "link": "https://example.org/9"}
    ]
    document = Document(MASTER, Kind.MASTER, entry("heron2-agentic", "heron2", DRAFTING).encode())
    head = Project(root="", masters=project_masters(document), policy=policy_from_settings(items))
    (finding,) = check_project(head, CONTEXT)
    assert finding.message.endswith(
        "every scenario of `heron2` (since 2026-08-01; no nodes left; https://example.org/9)"
    )
    assert [related.message for related in finding.related] == ["The key of the arm"]


def project_masters(document: Document):  # type: ignore[no-untyped-def]
    files = {document.path: (document.kind, read_facts(document))}
    return build_project("", files, {}, lambda path: None).masters


def test_page_examples() -> None:
    page = __import__("reciplint.rules.policy.deprecated_arm", fromlist=["__doc__"]).__doc__
    bad, good = page.split("## Bad")[1].split("## Good")
    (finding,) = example_findings(bad)
    marked = next(line for line in bad.split("\n") if "«" in line)
    assert (finding.severity, finding.span.column) == ("error", marked.index("«") + 1)
    assert example_findings(good) == []
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert headings == ["What it finds", "Why it matters", "Bad", "Good", "Fix", "Options", "Source"]
    assert page.split("\n")[0] == f"{RULE.summary}."


def example_findings(section: str) -> list[Finding]:
    trees: dict[str, list[tuple[str, str]]] = {"base": [], "head": []}
    for side, path, text in re.findall(r"```\w+ (base )?(\S+)\n(.*?)```", section, re.DOTALL):
        trees["base" if side else "head"].append((path, text.replace("«", "").replace("»", "")))
    base, head = (
        project(*(text for path, text in tree if path == MASTER), policy=dict(tree)["MODELS.md"])
        for tree in trees.values()
    )
    return list(check_change(Change(base, head), CONTEXT))


# ---- the real texts


def _project_at(repo: Path, revision: str) -> Project:
    def show(path: str) -> bytes:
        return subprocess.run(
            ["git", "-C", str(repo), "show", f"{revision}:{path}"], check=True, capture_output=True
        ).stdout

    paths = ("configs/amd-master.yaml", "configs/nvidia-master.yaml")
    files = {path: (Kind.MASTER, read_facts(Document(path, Kind.MASTER, show(path)))) for path in paths}
    policy = read_policy(show("MODELS.md").decode())
    return build_project("", {**files, "MODELS.md": (Kind.POLICY, policy)}, {}, lambda path: None)


@pytest.mark.corpus
def test_seed_charges_the_third_key_alone(corpus_repo: Path) -> None:
    change = Change(_project_at(corpus_repo, "origin/seed/base"), _project_at(corpus_repo, "origin/seed/head"))
    (finding,) = check_change(change, CONTEXT)
    assert finding.severity == "error"
    assert finding.arguments["key"] == "kimik3-fp4-gb300-dynamo-vllm-agentic-mooncake-dcp8-agg"
    assert "from day 0" in finding.related[0].message


@pytest.mark.corpus
def test_tip_has_fourteen_non_spec_arms_and_one_retired_model(corpus_repo: Path) -> None:
    findings = list(
        check_project(_project_at(corpus_repo, "origin/main"), Context(review_date=datetime.date(2026, 8, 22)))
    )
    agentic = [finding for finding in findings if finding.arguments["scenario"] == "agentic-coding"]
    assert len(agentic) == 14
    assert len({finding.arguments["key"] for finding in agentic}) == 7
    assert {finding.arguments["key"] for finding in findings if finding not in agentic} == {"glm5.1-fp8-b200-tilert"}
    assert len({finding.subject for finding in findings}) == len(findings) == 16


@pytest.mark.corpus
def test_replayed_image_under_a_retired_scenario(corpus_repo: Path) -> None:
    base, head = (_project_at(corpus_repo, f"origin/replay/F127/{side}") for side in ("base", "head"))
    found = list(check_change(Change(base, head), Context(review_date=datetime.date(2026, 8, 4))))
    assert {(f.severity, f.message_id, f.arguments["key"]) for f in found} == {
        ("error", "altered", "minimaxm3-fp4-b300-dynamo-vllm-mtp-legacy-dep4")
    }
