"""What is read from a MODELS.md: the facts, their exact places, and the doubts instead of guesses.

All texts are invented; the corpus tests read the real versions and only assert what must hold for them.
"""

from __future__ import annotations

import datetime
import subprocess
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reciplint.domain.policy import Deprecation, Policy, policy_from_settings, read_policy
from reciplint.domain.policy_text import NotUnderstood, effective_date, read_targets
from reciplint.yamltree.spans import Span

MATRIX = "| Model | Prefix | Added | Active scenarios | Deprecated scenarios |\n|---|---|---|---|---|\n"
NOTICE = "## Deprecation Notice\n\n### Monday, May 4, 2026\n\nMay 4, 2026 is the last day for what is **listed**.\n\n"
PAIRS = "| Model | Deprecated arm | Published arm |\n|---|---|---|\n"
SCENARIOS = "| Scenario | ISL/OSL | Status |\n|---|---|---|\n"


def brief(policy: Policy) -> list[tuple[str, str, str, bool, str, bool, bool]]:
    return [
        (
            d.prefix,
            d.scenario,
            "/".join(d.precisions) + "".join(f"!{kept}" for kept in d.kept_precisions),
            d.non_spec_decode,
            d.effective,
            d.enacted,
            d.from_day_zero,
        )
        for d in policy.deprecations
    ]


def plain(prefix: str, scenario: str, effective: str = "") -> tuple[str, str, str, bool, str, bool, bool]:
    return (prefix, scenario, "", False, effective, True, False)


def at(text: str, span: Span) -> str:
    assert span.line == span.end_line
    return text.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]


def only(text: str) -> Deprecation:
    policy = read_policy(text)
    assert not policy.doubts
    (found,) = policy.deprecations
    return found


def row(active: str, gone: str, prefix: str = "`heron2`", model: str = "Heron 2") -> str:
    return f"{MATRIX}| {model} | {prefix} | 2026-01-01 | {active} | {gone} |\n"


# ---- scenarios


def test_scenario_retired_for_all_models_with_its_place() -> None:
    text = (
        SCENARIOS
        + "| Single-turn 1k1k | 1024 / 1024 | **Deprecated for all models** since 2026-03-05 ([#12](u)). Rest. |\n"
    )
    found = only(text)
    assert found == Deprecation(
        prefix="*",
        scenario="1k1k",
        effective="2026-03-05",
        span=Span(3, 36, 3, 100),
        text="Single-turn 1k1k | Deprecated for all models since 2026-03-05 (#12).",
    )


@pytest.mark.parametrize(
    ("name", "lengths", "status", "effective"),
    [
        ("Fixed 8K/1K", "", "DEPRECATED as of 5 March 2026", "2026-03-05"),
        ("Short", "1024/1024", "Retired after Mar. 5, 2026", "2026-03-06"),
        ("Single-turn 1k8k", "1024 / 8192", "Will be deprecated on Thursday, March 5th, 2026", "2026-03-05"),
        ("1k1k", "1024 / 1024", "Active until 2026-03-05", "2026-03-06"),
        ("1k1k", "1024 / 1024", "Deprecated", ""),
    ],
)
def test_scenario_wordings(name: str, lengths: str, status: str, effective: str) -> None:
    assert only(f"{SCENARIOS}| {name} | {lengths} | {status} |\n").effective == effective


def test_scenario_columns_in_another_order() -> None:
    text = "| status | scenario |\n|---|---|\n| deprecated since 2026-03-05 | single-turn 1K1K |\n"
    assert brief(read_policy(text)) == [plain("*", "1k1k", "2026-03-05")]


@pytest.mark.parametrize("status", ["Active. Primary.", "Experimental", "Not deprecated", "Not yet deprecated", ""])
def test_active_scenario_is_silent(status: str) -> None:
    assert read_policy(f"{SCENARIOS}| 8k1k | 8192 / 1024 | {status} |\n") == Policy()


@pytest.mark.parametrize(
    ("name", "lengths", "status"),
    [
        ("8k1k", "1024 / 1024", "Deprecated since 2026-03-05"),
        ("Chat", "short", "Deprecated since 2026-03-05"),
        ("1k1k", "1024 / 1024", "Deprecated for all models except Heron since 2026-03-05"),
        ("1k1k", "1024 / 1024", "Deprecated for `heron2` since 2026-03-05"),
        ("1k1k", "1024 / 1024", "Soon to be deprecated"),
        ("1k1k", "1024 / 1024", "Deprecated since 2026-02-30"),
    ],
)
def test_unclear_scenario_is_a_doubt(name: str, lengths: str, status: str) -> None:
    policy = read_policy(f"{SCENARIOS}| {name} | {lengths} | {status} |\n")
    assert (len(policy.deprecations), len(policy.doubts)) == (0, 1)
    assert policy.doubts[0].span.line == 3


def test_scenario_retired_later_again_counts_from_its_first_sentence() -> None:
    status = (
        "Deprecated since 2026-03-05 ([#9](u)), to save time. One stayed; it was retired on 2026-06-01 ([#PRNUM](u))."
    )
    assert only(f"{SCENARIOS}| 1k1k | 1024 / 1024 | {status} |\n").effective == "2026-03-05"


# ---- the matrix


def test_retired_model_with_several_prefixes_in_a_cell() -> None:
    policy = read_policy(row("None (fully retired 2026-03-05, [#9](u))", "", "`heron2`, `heron2.1`", "Heron 2 / 2.1"))
    assert brief(policy) == [plain("heron2", "*", "2026-03-05"), plain("heron2.1", "*", "2026-03-05")]
    assert policy.deprecations[0].text == "`heron2`, `heron2.1` | None (fully retired 2026-03-05, #9)"
    assert policy.deprecations[0].span == Span(3, 55, 3, 95)


@pytest.mark.parametrize(
    "active", ["None", "none (retired 2026-03-05)", "— (retired 2026-03-05)", "-", "No active scenario"]
)
def test_words_for_a_retired_model(active: str) -> None:
    assert only(row(active, "")).scenario == "*"


@pytest.mark.parametrize("active", ["Agentic coding", "TBD", "Agentic coding (removed on ATOM in #7)"])
def test_active_model_is_silent(active: str) -> None:
    assert read_policy(row(active, "")) == Policy()


def test_no_active_scenario_given_is_a_doubt() -> None:
    policy = read_policy(row("", "Single-turn 8k1k"))
    assert [doubt.span.line for doubt in policy.doubts] == [3]
    assert brief(policy) == [plain("heron2", "8k1k")]


def test_deprecated_scenarios_precisions_and_dates() -> None:
    gone = "Single-turn 1k1k, single-turn 8k/1k (removed 2026-03-05, #9) and all bf16 recipes (after May 4, 2026)[^1]"
    assert brief(read_policy(row("Agentic coding", gone))) == [
        plain("heron2", "1k1k"),
        plain("heron2", "8k1k", "2026-03-05"),
        ("heron2", "*", "bf16", False, "2026-05-05", True, False),
    ]


def test_some_models_of_a_row_only() -> None:
    gone = "Single-turn 1k8k (Heron 2 only), Single-turn 1k1k"
    policy = read_policy(row("Agentic coding", gone, "`heron2`, `heron2.1`", "Heron 2 / Heron 2.1"))
    assert brief(policy) == [plain("heron2", "1k8k"), plain("heron2", "1k1k"), plain("heron2.1", "1k1k")]
    assert read_policy(row("Agentic coding", "Single-turn 1k8k (AMD only)")).doubts


@pytest.mark.parametrize(
    "gone",
    [
        "Single-turn 8k1k on H100",
        "Single-turn 8k1k (except fp4)",
        "Single-turn 8k1k, bf16",
        "All bf16 recipes on NVIDIA",
        "non-MTP",
        "Agentic coding, non-Zephyr",
        "Single-turn 1k1k, Agentic coding, non-MTP",
        "~~Agentic coding~~",
        "Long prompts",
        "Single-turn 8k1k (removed 2026-13-40)",
        "Single-turn 8k1k (removed 2026-03-05, re-added 2026-04-01)",
    ],
)
def test_half_understood_cell_is_a_doubt_and_never_a_fact(gone: str) -> None:
    policy = read_policy(row("Agentic coding", gone))
    assert policy.deprecations == ()
    (doubt,) = policy.doubts
    assert doubt.span.line == 3
    assert gone in doubt.text


def test_the_story_of_a_retired_model_is_no_doubt() -> None:
    story = "The earlier recipes were retired 2026-02-01; the 1k1k points on one SKU (added 2026-02-09) on 2026-03-05"
    assert brief(read_policy(row("None (retired 2026-03-05)", story))) == [plain("heron2", "*", "2026-03-05")]


def test_active_until_and_fully_retired_after() -> None:
    active = "Single-turn 8k1k (until 2026-05-04), Agentic coding — fully retired after 2026-05-06"
    assert brief(read_policy(row(active, ""))) == [
        plain("heron2", "*", "2026-05-07"),
        plain("heron2", "8k1k", "2026-05-05"),
    ]


@pytest.mark.parametrize(
    ("active", "scenario"),
    [
        ("Agentic coding and Single-turn 8k1k, each restricted to fp8/fp4", "*"),
        ("Single-turn 8k1k, Agentic coding; fp8 and fp4 only", "*"),
        ("Single-turn 8k1k (fp8/fp4 only), Agentic coding", "8k1k"),
    ],
)
def test_limited_precisions(active: str, scenario: str) -> None:
    assert brief(read_policy(row(active, ""))) == [("heron2", scenario, "!fp8!fp4", False, "", True, False)]


def test_limit_of_one_of_two_scenarios_is_a_doubt() -> None:
    policy = read_policy(row("Single-turn 8k1k, Agentic coding limited to fp8", ""))
    assert (policy.deprecations, len(policy.doubts)) == ((), 1)


def test_fact_without_a_date_takes_that_of_its_scenario() -> None:
    text = f"{SCENARIOS}| 1k1k | | Deprecated since 2026-03-05 |\n\n{row('Agentic coding', 'Single-turn 1k1k')}"
    assert brief(read_policy(text)) == [plain("*", "1k1k", "2026-03-05"), plain("heron2", "1k1k", "2026-03-05")]


def test_unknown_column_makes_the_table_a_doubt() -> None:
    text = "| Model | Prefix | Active | Deprecated | Exceptions |\n|---|---|---|---|---|\n| H | `h` | None | | B300 |\n"
    policy = read_policy(text)
    assert policy.deprecations == ()
    assert [doubt.text for doubt in policy.doubts] == ["what the column “Exceptions” means"]


# ---- notices


def test_pair_table_counts_from_the_day_after_the_last() -> None:
    text = f"{NOTICE}{PAIRS}| Heron 2 XL (`heron2`) | Agentic coding, non-MTP | Agentic coding, MTP |\n"
    found = only(text)
    assert brief(Policy((found,))) == [("heron2", "agentic-coding", "", True, "2026-05-05", True, False)]
    assert found.span == Span(9, 27, 9, 50)
    assert found.text == "Heron 2 XL (`heron2`) | Agentic coding, non-MTP"


def test_columns_of_a_notice_in_another_order() -> None:
    head = f"{NOTICE}| Remains | DEPRECATED | MODEL |\n|---|---|---|\n"
    text = f"{head}| rest | all **BF16** recipes, in every scenario | X (`heron2`) |\n"
    assert brief(read_policy(text)) == [("heron2", "*", "bf16", False, "2026-05-05", True, False)]


@pytest.mark.parametrize("words", ["non-EAGLE3 (deprecated from day 0)", "non-MTP — deprecated from day zero"])
def test_deprecated_from_day_zero(words: str) -> None:
    assert only(f"{NOTICE}{PAIRS}| H (`heron2`) | Agentic coding, {words} | rest |\n").from_day_zero


TWO_TABLES = (
    f"{NOTICE}STATUS\n\n| Model | Deprecated | Remains |\n|---|---|---|\n| H (`heron2`) | Single-turn 8k1k | rest |\n\n"
    f"Pairs:\n\n{PAIRS}| H (`heron2`) | Agentic coding, non-MTP | rest |\n\nNOTE\n"
)


@pytest.mark.parametrize(
    ("status", "note", "enacted"),
    [
        ("**Enacted on 2026-05-05** in [#9](u).", "", [True, True]),
        ("", "**Status: not yet enacted.** It waits.", [True, False]),
        ("Not yet enacted.", "", [False, False]),
        (
            "Partially enacted on 2026-05-05: the first table. The second table is **not yet enacted**.",
            "",
            [True, False],
        ),
        ("Partially enacted on 2026-05-05.", "Status: not enacted yet.", [True, False]),
    ],
)
def test_status_of_a_notice(status: str, note: str, enacted: list[bool]) -> None:
    policy = read_policy(TWO_TABLES.replace("STATUS", status).replace("NOTE", note))
    assert not policy.doubts
    assert [d.enacted for d in policy.deprecations] == enacted


def test_partially_enacted_without_saying_what_binds_nothing() -> None:
    policy = read_policy(TWO_TABLES.replace("STATUS", "Partially enacted on 2026-05-05.").replace("NOTE", ""))
    assert [d.enacted for d in policy.deprecations] == [False, False]
    assert [(doubt.span.line, doubt.text) for doubt in policy.doubts] == [(7, "which part of the notice is enacted")]


@pytest.mark.parametrize(
    "status", ["Withdrawn on 2026-05-03.", "Status: under discussion", "Postponed to June 1, 2026"]
)
def test_notice_with_an_unknown_status_is_not_used(status: str) -> None:
    policy = read_policy(TWO_TABLES.replace("STATUS", status).replace("NOTE", ""))
    assert (policy.deprecations, len(policy.doubts)) == ((), 1)


def test_notice_in_a_sentence() -> None:
    text = (
        "## Deprecation Notice\n\n- **Wednesday, May 6, 2026** is the last day for the **Single-turn 8k1k** scenario on"
        " **Heron-2/2.5-Code** (`heron2`); it is deprecated after that date.\n"
    )
    found = only(text)
    assert brief(Policy((found,))) == [plain("heron2", "8k1k", "2026-05-07")]
    assert (found.span.line, found.span.column) == (3, 1)


def test_model_retired_in_a_sentence() -> None:
    notice = f"{NOTICE}This leaves `heron2` with nothing. So the model is *fully retired* after May 6, 2026.\n\n"
    text = f"{notice}{row('Agentic coding', '')}"
    found = only(text)
    assert brief(Policy((found,))) == [plain("heron2", "*", "2026-05-07")]
    assert found.text == "`heron2` | So the model is fully retired after May 6, 2026."


@pytest.mark.parametrize(
    "sentence",
    [
        "May 6, 2026 is the last day for the 8k1k scenario on B300 for Heron (`heron2`) when idle.",
        "May 6, 2026 is the last day for Heron.",
        "The B300 points of `heron2` are deprecated since 2026-05-06.",
    ],
)
def test_sentence_half_understood_is_a_doubt(sentence: str) -> None:
    policy = read_policy(f"## Deprecation Notice\n\n{sentence}\n\n{row('Agentic coding', '')}")
    assert (policy.deprecations, len(policy.doubts)) == ((), 1)
    assert policy.doubts[0].span.line == 3


def test_deprecation_table_with_unknown_columns_is_a_doubt() -> None:
    policy = read_policy(
        f"{NOTICE}| Model | Sunset class |\n|---|---|\n| H (`heron2`) | B |\n\n| Foo | Bar |\n|---|---|\n| a | b |\n"
    )
    assert policy.deprecations == ()
    assert [(doubt.span, doubt.text) for doubt in policy.doubts] == [
        (Span(9, 18, 9, 19), "“B”: “B” is no scenario, precision or arm that is known"),
        (Span(11, 3, 11, 6), "what the column “Foo” means"),
    ]


def test_matrix_takes_the_day_of_the_notice_that_it_sums_up() -> None:
    table = "| Model | Deprecated | Remains |\n|---|---|---|\n| H (`heron2`) | All bf16 recipes | fp8 |\n\n"
    text = NOTICE + table + row("Agentic coding; fp8 only — bf16 recipes retired 2026-05-04", "")
    assert [d.effective for d in read_policy(text).deprecations] == ["2026-05-05", "2026-05-05"]


def test_other_tables_are_not_policy() -> None:
    assert read_policy("## Engines\n\n| Model | Primary engine |\n|---|---|\n| H (`heron2`) | vLLM |\n") == Policy()


def test_document_that_speaks_of_deprecation_in_no_known_form_is_a_doubt() -> None:
    assert [doubt.text for doubt in read_policy("Heron 2 is deprecated.\n").doubts] == [
        "no table of models or scenarios was recognised"
    ]
    assert read_policy("") == Policy()


# ---- the later wording: what is not required is not retired


@pytest.mark.parametrize(
    ("active", "gone"),
    [
        ("Agentic coding (non-MTP points stay eligible if they are better)", ""),
        ("Agentic coding (MTP may be disabled)", "Separate non-MTP baseline (not required from day 0)"),
        ("Agentic coding (MTP only, as noticed)", "Single-turn 1k1k (not required)"),
    ],
)
def test_arm_that_is_not_required_is_not_retired(active: str, gone: str) -> None:
    assert read_policy(row(active, gone)) == Policy()


def test_permission_outweighs_an_older_pair_table() -> None:
    pairs = f"{NOTICE}{PAIRS}| H (`heron2`) | Agentic coding, non-MTP | rest |\n"
    pairs += "| O (`owl1`) | Agentic coding, non-MTP | rest |\n\n"
    assert [
        d.prefix for d in read_policy(pairs + row("Agentic coding (non-MTP points remain eligible)", "")).deprecations
    ] == ["owl1"]
    status = "Active. Speculative decoding may be disabled where that is faster."
    assert read_policy(f"{pairs}{SCENARIOS}| Agentic coding | traces | {status} |\n") == Policy()


# ---- hostile Markdown


def test_escaped_pipes_code_links_and_comments_keep_their_places() -> None:
    line = r"| H \| [x](y|z) <!-- `fake` --> | `heron2` | ![n](u) | None (retired 2026-03-05) | |"
    line = line.replace("y|z", r"y\|z")
    found = only(MATRIX + line + "\n")
    assert found.prefix == "heron2"
    assert line[found.span.column - 1 : found.span.end_column - 1] == "None (retired 2026-03-05)"


@pytest.mark.parametrize(
    "text",
    [
        f"```markdown\n{row('None', '')}```\n",
        f"<!--\n{row('None', '')}-->\n",
        "    " + row("None", "").replace("\n", "\n    "),
    ],
)
def test_tables_in_code_and_comments_say_nothing(text: str) -> None:
    assert read_policy(text).deprecations == ()


def test_crlf_quotes_short_rows_and_no_outer_pipes() -> None:
    crlf = row("None (retired 2026-03-05)", "").replace("\n", "\r\n")
    assert at(crlf, only(crlf).span) == "None (retired 2026-03-05)"
    quoted = "".join(f"> {line}\n" for line in row("None (retired 2026-03-05)", "").splitlines())
    assert at(quoted, only(quoted).span) == "None (retired 2026-03-05)"
    bare = "Prefix | Active | Deprecated\n---|---|---\n`heron2` | None\n"
    assert at(bare, only(bare).span) == "None"


def test_line_break_in_a_cell_parts_what_it_lists() -> None:
    assert [d.scenario for d in read_policy(row("Agentic coding", "8k1k<br>1k1k")).deprecations] == ["8k1k", "1k1k"]


@given(st.text(alphabet="|`-\\\n #*()[]<>~,;0123456789kKabc non-MTPAgentic", max_size=200))
def test_nothing_crashes_and_places_lie_inside(cell: str) -> None:
    text = NOTICE + PAIRS + f"| H (`heron2`) | {cell} | x |\n" + SCENARIOS + cell
    policy = read_policy(text)
    lines = text.split("\n")
    for span in [d.span for d in policy.deprecations] + [d.span for d in policy.doubts]:
        assert 1 <= span.line <= span.end_line <= len(lines)
        assert 1 <= span.column <= len(lines[span.line - 1]) + 1


# ---- phrases


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("removed 2026-03-05", "2026-03-05"),
        ("until December 31, 2026", "2027-01-01"),
        ("added 2026-01-01, removed 2026-03-05", "2026-03-05"),
        ("no date", ""),
    ],
)
def test_effective_date(text: str, day: str) -> None:
    assert effective_date(text) == day


def test_two_bare_dates_are_not_understood() -> None:
    with pytest.raises(NotUnderstood):
        effective_date("2026-03-05 / 2026-03-06")


def test_too_long_a_phrase_is_not_read() -> None:
    with pytest.raises(NotUnderstood):
        read_targets("(" * 5000)


# ---- settings and caching


def test_policy_from_settings() -> None:
    policy = policy_from_settings(
        [
            {
                "model-prefix": "heron2",
                "scenario": "agentic-coding",
                "precision": ["FP4", "int4"],
                "framework": "atom",
                "non-spec-decode": True,
                "since": datetime.date(2026, 3, 5),
                "enacted": False,
                "reason": "No  capacity",
                "link": "https://example.org/9",
            },
            {"scenario": "8192/1024", "precision": "bf16", "since": "2026-03-06"},
        ]
    )
    assert policy.deprecations[0] == Deprecation(
        prefix="heron2",
        scenario="agentic-coding",
        precisions=("fp4", "int4"),
        framework="atom",
        non_spec_decode=True,
        effective="2026-03-05",
        enacted=False,
        text="No capacity",
        link="https://example.org/9",
        from_settings=True,
    )
    assert brief(policy)[1] == ("*", "8k1k", "bf16", False, "2026-03-06", True, False)


def test_policy_survives_the_cache() -> None:
    policy = read_policy(TWO_TABLES + row("", "On request only"))
    assert policy.deprecations
    assert policy.doubts
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(policy), type=Policy) == policy


# ---- the real texts


def _git(repo: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(repo), *arguments], check=True, capture_output=True, text=True).stdout


@pytest.mark.corpus
def test_every_version_is_read_without_doubts(corpus_repo: Path) -> None:
    versions = _git(corpus_repo, "log", "--format=%H", "origin/main", "--", "MODELS.md").split()
    assert len(versions) >= 13
    for version in versions:
        policy = read_policy(_git(corpus_repo, "show", f"{version}:MODELS.md"))
        assert policy.doubts == (), version
        assert ("*", "1k1k", "2026-07-17") in {(d.prefix, d.scenario, d.effective) for d in policy.deprecations}
        assert ("gptoss", "*", "2026-07-06") in {(d.prefix, d.scenario, d.effective) for d in policy.deprecations}


@pytest.mark.corpus
def test_pairs_of_the_tip(corpus_repo: Path) -> None:
    policy = read_policy(_git(corpus_repo, "show", "origin/main:MODELS.md"))
    pairs = {(d.prefix, d.enacted, d.from_day_zero) for d in policy.deprecations if d.non_spec_decode}
    assert pairs == {
        ("dsv4", False, False),
        ("qwen3.5", False, False),
        ("minimaxm3", False, False),
        ("glm5.2", False, False),
        ("kimik3", False, True),
    }


@pytest.mark.corpus
def test_october_retires_no_arm_for_lack_of_speculative_decoding(corpus: Path) -> None:
    path = corpus / "october" / "inferencex-e2e" / "docs" / "MODELS.md"
    policy = read_policy(path.read_text(encoding="utf-8"))
    assert policy.doubts == ()
    assert not any(d.non_spec_decode for d in policy.deprecations)
    assert ("glm5.1", "*", "2026-10-01") in {(d.prefix, d.scenario, d.effective) for d in policy.deprecations}
