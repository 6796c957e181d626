"""Bans as data: which settings they find, in which files, from when on, and what a change is charged with."""

from __future__ import annotations

import datetime
import random
import time

import pytest
import yaml
from recipe_scene import Path, Role, Scene, dumped, line_of, put
from variations import harmless

from reciplint.rules.finding import Finding
from support import MASTER, RECIPES, lint, project, recipe

RULE = "forbidden-setting"
FILE = f"{RECIPES}/vllm/finch/disagg-1p1d-tp4.yaml"
FLAG = "SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE"
AUTUMN = datetime.date(2026, 10, 2)


def banning(**item: object) -> str:
    return yaml.safe_dump({"forbidden": [{"pattern": "FINCH_SKIP", "reason": "answers are checked", **item}]})


def found(text: str, settings: str = "", date: datetime.date = AUTUMN, path: str = FILE) -> list[Finding]:
    files = {**project(), path: text, **({".reciplint.yaml": settings} if settings else {})}
    return lint(files, select=[RULE], review_date=date)


def with_variable(name: str = "FINCH_SKIP", value: object = "1", flags: str = "") -> str:
    loaded = yaml.safe_load(recipe())
    loaded["backend"]["decode_environment"] = {name: value}
    if flags:
        loaded["backend"]["vllm_config"]["decode"][flags] = 1
    return dumped(loaded)


def test_the_message_says_why_and_since_when() -> None:
    text = with_variable()
    (finding,) = found(text, banning(link="https://example.com/7", since="2026-08-01"))
    assert finding.severity == "warning"
    assert finding.message == (
        "FINCH_SKIP is set to 1, which is forbidden since 2026-08-01: answers are checked (https://example.com/7)"
    )
    assert finding.span.line == line_of(text, ("backend", "decode_environment", "FINCH_SKIP"))
    assert finding.pointer == "/backend/decode_environment/FINCH_SKIP"
    (finding,) = found(text, banning())
    assert finding.message == "FINCH_SKIP is set to 1, which is forbidden: answers are checked"


def test_a_ban_holds_from_its_day_on() -> None:
    settings = banning(since="2026-08-01")
    assert found(with_variable(), settings, datetime.date(2026, 7, 31)) == []
    assert len(found(with_variable(), settings, datetime.date(2026, 8, 1))) == 1


@pytest.mark.parametrize(
    ("pattern", "name", "is_hit"),
    [
        ("FINCH_*", "FINCH_SKIP", True),
        ("FINCH_SKI?", "FINCH_SKIP", True),
        ("FINCH-SKIP", "FINCH_SKIP", True),
        ("--finch-skip", "finch_skip", True),
        ("FINCH", "FINCH_SKIP", False),
        ("INCH_SKIP", "FINCH_SKIP", False),
        ("finch_skip", "FINCH_SKIP", False),
        ("FINCH.SKIP", "FINCH_SKIP", False),
    ],
)
def test_a_pattern_is_a_whole_name(pattern: str, name: str, is_hit: bool) -> None:
    assert bool(found(with_variable(name), banning(pattern=pattern))) is is_hit


@pytest.mark.parametrize(
    ("values", "value", "is_hit"),
    [
        ("1", "1", True),
        ("1", 1, True),
        (1, "1", True),
        (["1", "true"], True, True),
        ("1", "0", False),
        (["1", "true"], "True", True),
        (False, "false", True),
        ([], "0", True),
        ("1", None, False),
        ("1", ["0", "1"], True),
        ("1", ["0", "2"], False),
    ],
)
def test_a_ban_of_some_values(values: object, value: object, is_hit: bool) -> None:
    assert bool(found(with_variable(value=value), banning(value=values))) is is_hit


def test_null_sets_nothing() -> None:
    assert found(with_variable(value=None), banning()) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("FINCH_SKIP=1", "1"),
        ("A=2 FINCH_SKIP='yes'", "yes"),
        ("run --finch-skip", "true"),
        ("run --finch-skip 3 --other", "3"),
        ("run --finch-skip=3", "3"),
        ("run --finch-skip --other", "true"),
        ('{"finch_skip": 4}', "4"),
        ('{"other": {"finch-skip": "x"}}', "x"),
        ("--finch-skipping 3", None),
        ("no FINCH_SKIP here", None),
        ("MY_FINCH_SKIP=1", None),
        ('{"finch_skip": null}', None),
    ],
)
def test_settings_within_a_text(text: str, value: str | None) -> None:
    loaded = yaml.safe_load(recipe())
    loaded["backend"]["vllm_config"]["decode"]["extra"] = text
    pattern = "FINCH_SKIP" if "FINCH" in text else "finch-skip"
    findings = found(dumped(loaded), banning(pattern=pattern))
    assert [finding.arguments["value"] for finding in findings] == ([] if value is None else [value])
    path: Path = ("backend", "vllm_config", "decode", "extra")
    assert {finding.span.line for finding in findings} <= {line_of(dumped(loaded), path)}


def test_what_an_alias_repeats_is_told_where_it_is_written() -> None:
    text = recipe() + "  prefill_environment: &shared\n    FINCH_SKIP: '1'\n  decode_environment: *shared\n"
    assert [finding.span.line for finding in found(text, banning())] == [13]


def test_a_hostile_text_is_read_in_time() -> None:
    text = recipe() + f"  x: {'FINCH_SKI' * 40_000}\n  FINCH_SKIP: 1\n"
    began = time.monotonic()
    assert len(found(text, banning(pattern="*INCH*SKIP"))) == 1
    assert time.monotonic() - began < 5


def test_a_comment_is_no_setting() -> None:
    assert found("# FINCH_SKIP=1, --FINCH_SKIP\n" + recipe(), banning()) == []


def test_a_scope_limits_a_ban_to_one_kind_of_file() -> None:
    master = project()[MASTER].replace('- "CONFIG', '- "FINCH_SKIP=1"\n          - "CONFIG')
    assert master != project()[MASTER]
    for scope, hits in (({}, 1), ({"scope": "master"}, 1), ({"scope": "recipe"}, 0)):
        assert len(found(master, banning(**scope), path=MASTER)) == hits
        assert len(found(with_variable(), banning(**scope))) == (scope != {"scope": "master"})


def test_a_ban_beside_another_key() -> None:
    settings = banning(beside="speculative-*")
    assert found(with_variable(), settings) == []
    assert len(found(with_variable(flags="speculative-algorithm"), settings)) == 1


def test_what_the_profile_ships() -> None:
    text = with_variable(FLAG, "1", "speculative-algorithm")
    (finding,) = found(text)
    assert finding.arguments["since"] == "2026-09-19"
    assert str(finding.arguments["link"]).endswith("CONTRIBUTING.md#draft-model-precision")
    assert found(text, date=datetime.date(2026, 9, 18)) == []
    assert found(with_variable(FLAG, "0", "speculative-algorithm")) == []
    assert found(with_variable(FLAG, "1")) == [], "nothing is drafted"
    metrics = recipe() + "  publish_events_and_metrics: false\n"
    assert [finding.arguments["value"] for finding in found(metrics)] == ["false"]
    assert found(recipe() + "  publish_events_and_metrics: true\n") == []


def test_what_a_profile_ships_is_of_no_concern_to_other_repositories() -> None:
    text = with_variable(FLAG, "1", "speculative-algorithm")
    assert lint({"jobs/tiny.yaml": text}, select=[RULE], review_date=AUTUMN) == []
    settings = {".reciplint.yaml": banning(pattern=FLAG)}
    assert len(lint({"jobs/tiny.yaml": text, **settings}, select=[RULE], review_date=AUTUMN)) == 1


def test_a_repository_need_not_share_a_ban_of_its_profile() -> None:
    text = with_variable(FLAG, "1", "speculative-algorithm")
    assert found(text, f"rules: {{forbidden-setting: {{except: [{FLAG}]}}}}\n") == []


def test_a_change_is_charged_with_what_it_adds() -> None:
    settings = {".reciplint.yaml": banning()}
    base = {**project(), FILE: with_variable(), **settings}
    loaded = yaml.safe_load(base[FILE])
    assert lint({**base, FILE: base[FILE] + "# a remark\n"}, base, select=[RULE]) == []
    loaded["backend"]["prefill_environment"] = {"FINCH_SKIP": "1"}
    text = dumped(loaded)
    (finding,) = lint({**base, FILE: text}, base, select=[RULE])
    assert (finding.severity, finding.path) == ("error", FILE)
    assert finding.span.line == line_of(text, ("backend", "prefill_environment", "FINCH_SKIP"))


def test_a_new_file_is_charged_with_all_of_it_and_a_moved_one_with_nothing() -> None:
    settings = {".reciplint.yaml": banning()}
    base = {**project(), FILE: with_variable(), **settings}
    other = FILE.replace("1p1d", "2p1d")
    added = lint({**base, other: with_variable() + "# new\n"}, base, select=[RULE])
    assert [(finding.severity, finding.path) for finding in added] == [("error", other)]
    moved = {path: text for path, text in base.items() if path != FILE} | {other: base[FILE]}
    assert lint(moved, base, select=[RULE]) == []


@pytest.mark.parametrize("seed", range(60))
def test_a_banned_variable_or_flag_is_found_wherever_it_is_set(seed: int) -> None:
    chance = random.Random(seed)
    names = chance.choice((("agg",), ("prefill", "decode")))
    scene = Scene(
        chance.choice(("vllm", "sglang")), chance.choice((1, 2)), chance.choice(("A", "C")), tuple(map(Role, names))
    )
    role = chance.choice(names)
    path = scene.flag(role, "finch-skip") if chance.random() < 0.5 else ("benchmark", "env", "finch_skip")
    put(scene.recipe, path, chance.choice(("1", 1, True, "true")))
    settings = {".reciplint.yaml": banning(pattern="finch-skip", value=["1", "true"])}
    (finding,) = lint({**scene.files(), **settings}, select=[RULE])
    assert finding.span.line == line_of(scene.texts()[1], path)
    put(scene.recipe, path, chance.choice(("0", 0, False, "false")))
    assert lint({**scene.files(), **settings}, select=[RULE]) == []


@pytest.mark.parametrize("seed", range(60))
def test_harmless_variations_are_found_alike_and_stay_silent_alike(seed: int) -> None:
    settings = banning(value="1")
    assert len(found(harmless(with_variable(), seed), settings)) == 1
    assert found(harmless(with_variable(value="0"), seed), settings) == []
