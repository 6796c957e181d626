"""The acceptance length that agentic runs simulate, beside the golden one."""

from __future__ import annotations

import datetime
import json
import random

import pytest
from draft_scene import CURVE, GOLDEN, agentic, by_row, curve, drafting, environment, random_draft, simulating, value_at
from recipe_scene import KEY, RECIPE, Path, Scene, line_of, put
from variations import harmless

from reciplint.fix.session import fix_tree
from reciplint.rules.finding import Finding
from support import MASTER, encoded, lint

RULE = "golden-acceptance-length"


def found(scene: Scene, curves: dict[str, str] | None = None, settings: str = "", **texts: str) -> list[Finding]:
    own = {CURVE: curve()} if curves is None else curves
    files = {**scene.files(**texts), **own, **({".reciplint.yaml": settings} if settings else {})}
    return lint(files, select=[RULE])


def setting_line(scene: Scene, block: str, index: int) -> int:
    return line_of(scene.texts()[0], scene.row_path(block, "additional-settings", index))


def test_a_row_that_sets_the_length_of_another_number_of_tokens() -> None:
    scene = agentic()
    place = drafting(scene, "agg", 2)
    by_row(scene, "2.5")
    (finding,) = found(scene)
    assert finding.severity == "error"
    assert (
        finding.message == "SYNTHETIC_ACCEPTANCE_LENGTH is 2.5, but finch_mtp.yaml has 2.24 for 2 draft tokens of mtp"
    )
    assert (finding.path, finding.span.line) == (MASTER, setting_line(scene, "prefill", 1))
    assert [(item.path, item.span.line) for item in finding.related] == [
        (CURVE, 4),
        (RECIPE, line_of(scene.texts()[1], place)),
    ]


@pytest.mark.parametrize("schema", [1, 2])
def test_tensorrt_llm_counts_accepted_drafts_alone(schema: int) -> None:
    scene = agentic("trtllm", schema, names=("prefill", "decode"))
    drafting(scene, "decode", 3)
    place = simulating(scene, "decode", "3.5")
    (finding,) = found(scene)
    assert finding.message == (
        "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS is 2.5, but finch_mtp.yaml has 2.5 for 3 draft tokens of mtp, so it"
        " has to be 1.5: it counts accepted drafts alone"
    )
    assert (finding.path, finding.span.line) == (RECIPE, line_of(scene.texts()[1], place))


def test_sglang_takes_the_length_from_the_environment() -> None:
    scene = agentic("sglang", names=("prefill", "decode"))
    drafting(scene, "decode", 3)
    simulating(scene, "decode", "2.50")
    assert found(scene) == []
    place = simulating(scene, "decode", "2.24")
    (finding,) = found(scene)
    assert finding.arguments["name"] == "SGLANG_SIMULATE_ACC_LEN"
    assert finding.span.line == line_of(scene.texts()[1], place)


def test_atom_takes_the_length_as_a_flag() -> None:
    scene = agentic("atom", 2)
    for flag, value in (("method", "mtp"), ("num-speculative-tokens", 3), ("spec-decode-acceptance-length", 2.24)):
        put(scene.recipe, scene.flag("agg", flag), value)
    (finding,) = found(scene)
    assert finding.arguments["name"] == "spec-decode-acceptance-length"
    put(scene.recipe, scene.flag("agg", "spec-decode-acceptance-length"), 2.5)
    assert found(scene) == []


def test_an_agentic_run_that_simulates_nothing() -> None:
    scene = agentic()
    place = drafting(scene, "agg", 2)
    (finding,) = found(scene)
    assert finding.message == (
        "this run drafts 2 tokens by mtp and simulates no acceptance length; finch_mtp.yaml has 2.24"
    )
    assert (finding.path, finding.span.line) == (MASTER, line_of(scene.texts()[0], scene.row_path()))
    assert [item.span.line for item in finding.related if item.path == RECIPE] == [line_of(scene.texts()[1], place)]


def test_a_row_decides_over_its_recipe_only_where_it_is_switched_on() -> None:
    scene = agentic()
    drafting(scene, "agg", 2)
    simulating(scene, "agg", "2.24")
    by_row(scene, "9.9", switch="false")
    assert found(scene) == []
    scene.row["prefill"]["additional-settings"][0] = "SYNTHETIC_ACCEPTANCE=true"
    assert [finding.arguments["found"] for finding in found(scene)] == ["9.9"]


def test_a_launcher_may_look_the_length_up() -> None:
    scene = agentic()
    drafting(scene, "agg", 2)
    scene.row["prefill"]["additional-settings"].insert(0, "SYNTHETIC_ACCEPTANCE=true")
    assert found(scene) == []


def test_only_the_role_that_generates_is_compared() -> None:
    scene = agentic("sglang", names=("prefill", "decode"))
    drafting(scene, "prefill", 1)
    drafting(scene, "decode", 3)
    simulating(scene, "prefill", "2.5")
    simulating(scene, "decode", "2.5")
    assert found(scene) == []


def test_what_cannot_be_told_is_left_alone() -> None:
    scene = agentic()
    drafting(scene, "agg", 2)
    by_row(scene, "9.9")
    assert found(scene, curves={}) == []
    assert found(scene, curves={"golden_al_distribution/heron_mtp.yaml": curve()}) == []
    assert found(scene, curves={CURVE: "finch: {thinking_off: {2: 1.5}}\n"}) == []
    put(scene.recipe, scene.flag("agg", "speculative-config"), '{"method": "ngram", "num_speculative_tokens": 2}')
    assert found(scene) == []
    drafting(scene, "agg", 2)
    scene.row["spec-decoding"] = "none"
    assert found(scene) == []


def test_a_length_given_by_a_variable_is_left_alone() -> None:
    scene = agentic("sglang")
    drafting(scene, "agg", 2)
    put(scene.recipe, environment(scene, "agg", "SGLANG_SIMULATE_ACC_LEN"), "${GOLDEN}")
    assert found(scene) == []


def test_a_number_of_tokens_that_was_not_measured_is_a_warning_where_a_length_is_set() -> None:
    scene = agentic()
    place = drafting(scene, "agg", 9)
    assert found(scene) == []
    by_row(scene, "3.1")
    (finding,) = found(scene)
    assert (finding.severity, finding.message_id) == ("warning", "no-length")
    assert finding.message == (
        "there is no golden acceptance length for 9 draft tokens of mtp: finch_mtp.yaml has 1, 2, 3, 4, 5"
    )
    assert (finding.path, finding.span.line) == (RECIPE, line_of(scene.texts()[1], place))


def test_curves_of_the_settings_count_as_well() -> None:
    scene = agentic()
    drafting(scene, "agg", 2)
    by_row(scene, "2.5")
    settings = "policy:\n  golden-curves:\n  - {model-prefix: finch, method: mtp, lengths: {2: 2.2}}\n"
    (finding,) = found(scene, curves={}, settings=settings)
    assert finding.message.endswith("but finch mtp of the settings has 2.2 for 2 draft tokens of mtp")
    assert [item.path for item in finding.related] == [RECIPE]


def test_before_the_policy_came_nothing_is_judged() -> None:
    scene = agentic()
    drafting(scene, "agg", 2)
    files = {**scene.files(), CURVE: curve()}
    assert lint(files, select=[RULE], review_date=datetime.date(2026, 7, 9)) == []
    assert len(lint(files, select=[RULE], review_date=datetime.date(2026, 7, 10))) == 1


FORBIDDEN = "policy: {acceptance-length: forbidden}\n"


def test_the_later_layout_sets_no_length_by_hand() -> None:
    scene = agentic("sglang", 2, "C", ("prefill", "decode"))
    drafting(scene, "decode", 3)
    assert found(scene) == []
    places = [simulating(scene, role, "2.5") for role in ("prefill", "decode")]
    findings = found(scene)
    assert [finding.message_id for finding in findings] == ["by-hand", "by-hand"]
    assert findings[0].message == (
        "SGLANG_SIMULATE_ACC_LEN is set by hand (2.5), but the launcher takes the acceptance length from the golden"
        " curve"
    )
    assert [finding.span.line for finding in findings] == [line_of(scene.texts()[1], place) for place in places]


def test_the_later_layout_sets_none_for_fixed_lengths_either_and_none_in_a_row() -> None:
    scene = Scene("sglang", 2, "C", agentic("sglang", 2, "C").roles)
    drafting(scene, "agg", 3)
    simulating(scene, "agg", "2.5")
    by_row(scene, "2.5")
    assert sorted(finding.path for finding in found(scene)) == sorted([MASTER, RECIPE])


def test_an_environment_of_all_roles_is_reported_where_it_stands_and_once() -> None:
    scene = agentic("sglang", 2, "C", ("prefill", "decode"))
    drafting(scene, "decode", 3)
    put(scene.recipe, ("environment", "SGLANG_SIMULATE_ACC_LEN"), "2.5")
    (finding,) = found(scene)
    assert finding.span.line == line_of(scene.texts()[1], ("environment", "SGLANG_SIMULATE_ACC_LEN"))


def test_the_later_layout_needs_a_curve_with_that_number_of_tokens() -> None:
    scene = agentic("sglang", 2, "C")
    place = drafting(scene, "agg", 9)
    (finding,) = found(scene)
    assert (finding.severity, finding.message_id) == ("error", "no-length")
    assert finding.span.line == line_of(scene.texts()[1], place)
    (finding,) = found(scene, curves={"golden_al_distribution/heron_mtp.yaml": curve()})
    assert finding.message == (
        "there is no golden curve of finch for nextn, from which the launcher takes the acceptance length"
    )
    assert found(scene, curves={}) == []
    assert found(scene, curves={CURVE: "finch: [\n"}) == []


def test_the_settings_choose_the_mode() -> None:
    scene = agentic()
    drafting(scene, "agg", 2)
    by_row(scene, "2.5")
    assert [finding.message_id for finding in found(scene, settings=FORBIDDEN)] == ["by-hand"]
    assert found(scene, settings="policy: {acceptance-length: off}\n") == []
    later = agentic(schema=2, era="C")
    drafting(later, "agg", 2)
    pinned = found(later, settings="policy: {acceptance-length: pinned}\n")
    assert [finding.message_id for finding in pinned] == ["unpinned"]


def test_a_change_that_simulates_outside_of_agentic_runs_is_warned_of() -> None:
    scene = Scene("vllm", 1, "A", agentic().roles)
    drafting(scene, "agg", 2)
    base = scene.files()
    by_row(scene, "2.24")
    (finding,) = lint({**scene.files(), CURVE: curve()}, base, select=[RULE])
    assert (finding.severity, finding.message) == (
        "warning",
        f"SYNTHETIC_ACCEPTANCE_LENGTH is 2.24 for 8k1k of {KEY}, but only agentic runs simulate their acceptance",
    )
    assert finding.span.line == setting_line(scene, "prefill", 1)
    assert found(scene) == []
    assert lint(scene.files(), scene.files(), select=[RULE]) == []


def test_variants_that_share_a_length_differ_in_their_tokens() -> None:
    scene = agentic("sglang", 2)
    drafting(scene, "agg", 2)
    simulating(scene, "agg", "2.24")
    body = scene.recipe
    flag = scene.flag("agg", "speculative-num-steps")
    override: dict[str, object] = {}
    put(override, flag, 3)
    scene.recipe = {"base": body, "override_two": {}, "override_three": override}
    path: Path = ("base", *environment(scene, "agg", "SGLANG_SIMULATE_ACC_LEN"))
    (finding,) = found(scene)
    assert (finding.arguments["tokens"], finding.span.line) == (3, line_of(scene.texts()[1], path))
    assert finding.fix is None


def test_a_comment_beside_a_row_is_no_setting() -> None:
    scene = agentic()
    drafting(scene, "agg", 2)
    by_row(scene, "2.5")
    master = scene.texts()[0].replace(
        "          - SYNTHETIC_ACCEPTANCE=true",
        "          # was SYNTHETIC_ACCEPTANCE_LENGTH=2.5 before\n          - SYNTHETIC_ACCEPTANCE=true",
    )
    assert master.count("SYNTHETIC_ACCEPTANCE_LENGTH=2.5") == 2
    (finding,) = found(scene, master=master)
    assert master.split("\n")[finding.span.line - 1].strip() == "- SYNTHETIC_ACCEPTANCE_LENGTH=2.5"


@pytest.mark.parametrize("seed", range(60))
def test_any_other_length_is_found_where_it_is_set_and_mended(seed: int) -> None:
    chance = random.Random(seed)
    scene, role, tokens, setter = random_draft(chance)
    assert found(scene) == []
    other = chance.choice([length for count, length in GOLDEN.items() if count != tokens])
    if setter == "row":
        settings = scene.row["prefill"]["additional-settings"]
        settings[1] = f"SYNTHETIC_ACCEPTANCE_LENGTH={other}"
        path, line = MASTER, setting_line(scene, "prefill", 1)
    else:
        path, line = RECIPE, line_of(scene.texts()[1], simulating(scene, role, other))
    findings = found(scene)
    assert [(finding.path, finding.span.line, finding.message_id) for finding in findings] == [(path, line, "value")]
    files = encoded({**scene.files(), CURVE: curve()})
    fixed = fix_tree(findings, lambda name: files[name], lambda new: lint({**files, **new}, select=[RULE]), unsafe=True)
    assert fixed.refused == []
    assert lint({**files, **fixed.files}, select=[RULE]) == []


@pytest.mark.parametrize("seed", range(30))
def test_any_other_number_of_drafts_is_found(seed: int) -> None:
    chance = random.Random(100 + seed)
    scene, role, tokens, setter = random_draft(chance)
    drafting(scene, role, chance.choice([count for count in GOLDEN if count != tokens]))
    if setter == "role" and scene.engine == "vllm":
        assert [finding.message_id for finding in found(scene)] == ["unpinned"]  # written anew without a length
    else:
        assert [finding.arguments["curve"] for finding in found(scene)] == ["finch_mtp.yaml"]


@pytest.mark.parametrize("seed", range(60))
def test_harmless_variations_stay_silent(seed: int) -> None:
    chance = random.Random(200 + seed)
    scene, _, _, setter = random_draft(chance)
    if setter == "row" and chance.random() < 0.5:
        scene.row["prefill"]["additional-settings"][1] += "0"
    master, recipe = (harmless(text, seed) for text in scene.texts())
    assert found(scene, {CURVE: harmless(curve(), seed)}, master=master, recipe=recipe) == []


@pytest.mark.parametrize("seed", range(20))
def test_a_row_behind_any_spelling_is_found_within_its_row(seed: int) -> None:
    scene = agentic()
    drafting(scene, "agg", 2)
    by_row(scene, "2.5")
    master = harmless(scene.texts()[0], seed)
    (finding,) = found(scene, master=master)
    assert (finding.arguments["found"], finding.path) == ("2.5", MASTER)
    lines = master.split("\n")[finding.span.line - 1 : finding.span.end_line]
    assert any("SYNTHETIC_ACCEPTANCE_LENGTH=2.5" in line for line in lines)


def test_speculation_given_as_a_mapping_is_mended_in_it() -> None:
    scene = agentic()
    place = scene.flag("agg", "speculative-config")
    config = {"method": "mtp", "num_speculative_tokens": 2, "synthetic_acceptance_length": 2.5}
    put(scene.recipe, place, config)
    (finding,) = found(scene)
    assert finding.span.line == line_of(scene.texts()[1], (*place, "synthetic_acceptance_length"))
    put(scene.recipe, place, json.dumps(config))
    assert json.loads(value_at(scene, place)) == config
    assert found(scene)[0].span.line == line_of(scene.texts()[1], place)
